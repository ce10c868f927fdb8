"""Newer first: of what one person said of the same thing on several days, the newest comes before what is earlier."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from oldsoul.language.languages import language, little_words
from oldsoul.language.sentences import ends_in_question, sentences
from oldsoul.ranking.chunks import said
from oldsoul.ranking.question import Kind, Question
from oldsoul.ranking.terms import terms
from oldsoul.reading.typed_values import Value, agree, comparable, typed_values
from oldsoul.recall.prepared import tells_of_talk
from oldsoul.values.audience import OWNER, Reach
from oldsoul.values.frozen import frozen
from oldsoul.values.recall import MEMORY, SESSIONS, Chunk

if TYPE_CHECKING:
    from oldsoul.ranking.pool import Floats
    from oldsoul.reading.slots import Statement

_BEST = 5
"""Among so many of the best the newer is put first, and what is earlier is marked."""
_SUBJECT, _SLOT, _AS_NEAR = 0.9, 0.55, 0.95
"""Two short texts are about one thing when the newer has such a part of what the older has of the question, by rarity, they are so
near in meaning, and the newer is nearly as near to the question: another thing lacks its name, another fact about it is less
near."""
_SAME = 0.8
"""Or when they are as near as this."""
_ASKED, _ALIKE, _AS_GOOD, _LONG = 0.6, 0.2, 0.6, 40
"""Two that somebody told the agent alone word for word, and that are less near for that, when the newer answers nearly
as well too."""
_LONGEST = 300
"""A longer message tells something else than what changed."""
_CHANGED = frozenset(("changed", "not"))


@frozen
class Likeness:
    """What tells which of some pieces are about the same thing."""

    met: Floats
    """(n, terms of the question): how rare each term is, where a piece has it"""
    near: Floats
    """(n): cosine with the question"""
    vectors: Floats
    """(n, d): unit vectors in the same space"""


def newer_first(
    chunks: Sequence[Chunk], scores: Sequence[float], likeness: Likeness, question: Question
) -> tuple[list[int], list[float], frozenset[int]]:
    """The order in which the newer of the best stand before the older, their scores, and the places of all that is earlier.

    What is newer takes the place and the score of what it is newer than; whatever else is newer keeps its place.

    Args:
        chunks: what was found, the best first.
        scores: how good each is.
        likeness: what tells which are about the same thing.
        question: what was asked. Where it names a time, asks how it was, or for several things, nothing is moved.
    """
    order, good = list(range(len(chunks))), list(scores)
    best = order[:_BEST]
    newer = {
        (new, old)
        for new in best
        for old in best
        if new != old
        and not _is_one(chunks[new], chunks[old])
        and _replaces(chunks, good, likeness, question, (new, old))
    }
    earlier = frozenset(old for _, old in newer) | {old for old in order if chunks[old].superseded}
    if not (question.moments or question.months or question.kind & (Kind.BEFORE | Kind.LIST)):
        for place in range(1, len(best)):
            at = next((at for at in range(place) if (order[place], order[at]) in newer), place)
            good[order[place]] = max(good[order[place]], good[order[at]])
            order.insert(at, order.pop(place))
    return sorted(order, key=lambda place: chunks[place].superseded), good, earlier


def _replaces(
    chunks: Sequence[Chunk], scores: Sequence[float], likeness: Likeness, question: Question, pair: tuple[int, int]
) -> bool:
    """Whether one piece says later what another says of the same thing, or that it changed."""
    new, old = chunks[pair[0]], chunks[pair[1]]
    if _same_authority(new, old):
        return _same_thing(chunks, scores, likeness, *pair) or _changes(new, old, question)
    return _tells_of(new, old) and _changes(new, old, question)


def _same_thing(chunks: Sequence[Chunk], scores: Sequence[float], likeness: Likeness, new: int, old: int) -> bool:
    """Whether two pieces are about the same thing, and say the same of it."""
    asked = float(likeness.met[old].sum())
    shared = float(np.minimum(likeness.met[new], likeness.met[old]).sum())
    alike = float(likeness.vectors[new] @ likeness.vectors[old])
    if not asked or alike >= _SAME:
        return alike >= _SAME
    if len(_content(chunks[new].text)) + len(_content(chunks[old].text)) < _LONG:
        return shared >= _SUBJECT * asked and alike >= _SLOT and likeness.near[new] >= _AS_NEAR * likeness.near[old]
    is_private = chunks[old].source == SESSIONS and chunks[old].audience.reach is not Reach.ROOM
    is_near = shared >= _ASKED * asked and alike >= _ALIKE and scores[new] >= _AS_GOOD * scores[old]
    return is_private and is_near


def _is_one(one: Chunk, other: Chunk) -> bool:
    """Whether a message and a piece of memory say the same: neither is news to the other."""
    return one.source != other.source and said(one.text) == said(other.text)


def _same_authority(one: Chunk, other: Chunk) -> bool:
    """Whether the same person says the one after the other, on another occasion."""
    if one.time is None or other.time is None or one.time <= other.time:
        return False
    return (one.path != other.path or one.source != SESSIONS) and is_same_speaker(one, other)


def _tells_of(new: Chunk, old: Chunk) -> bool:
    """Whether a diary or a session's file tells of what was said before a message, or of no more than what it denies."""
    if new.time is None or old.time is None or new.by_agent or new.audience != old.audience or not tells_of_talk(old):
        return False
    if old.time.date() < new.time.date():
        return True
    return old.time.date() == new.time.date() and any(one.negated for one in _stated([said(old.text)]))


def is_same_speaker(one: Chunk, other: Chunk) -> bool:
    """Whether two pieces are one person's own words, before the same people."""
    if one.audience != other.audience:
        return False
    if any(each.by_agent or each.correction or tells_of_talk(each) for each in (one, other)):
        return False
    speakers = {each.person or each.speaker for each in (one, other)}
    return len(speakers) == 1 or ("" in speakers and one.audience == OWNER)  # an entry does not say who said it


def _changes(new: Chunk, old: Chunk, question: Question) -> bool:
    """Whether what was said later may change an entry: no more than its place and its mark depend on that.

    It has a word of the entry and says that something changed or is not so; or it names what is asked about, with
    another value of the same kind.
    """
    if old.source != MEMORY or new.source != SESSIONS or len(new.text) > _LONGEST:
        return False
    shared = _content(old.text) & _content(new.text)
    if not shared:
        return False
    told = _stated([each for each in sentences(said(new.text)) if not ends_in_question(each)])
    if any(one.signs & _CHANGED for one in told):
        return True
    values = typed_values(said(old.text))
    return bool(shared.intersection(question.terms)) and any(_other_value(one.values, values) for one in told)


def _stated(texts: Sequence[str]) -> list[Statement]:
    """What texts state, as far as each is one fact."""
    from oldsoul.reading.slots import statement  # noqa: PLC0415 - most searches need none of it

    return [told for each in texts if (told := statement(each))]


def _other_value(ours: Sequence[Value], theirs: Sequence[Value]) -> bool:
    """Whether one value is another of the kind and unit of one of others, and none is the same."""
    both = [(x, y) for x in ours for y in theirs if comparable(x, y) and x.unit == y.unit]
    return bool(both) and not any(agree(x, y) for x, y in both)


@lru_cache(maxsize=512)
def _content(text: str) -> frozenset[str]:
    words = said(text)
    return frozenset(terms(words)) - _small(language(words))


@cache
def _small(code: str) -> frozenset[str]:
    return frozenset(terms(" ".join(little_words(code))))
