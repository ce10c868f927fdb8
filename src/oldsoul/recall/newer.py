"""Newer first: of what one person said of the same thing on several days, the newest comes before what is earlier."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from oldsoul.language.languages import language, little_words
from oldsoul.language.sentences import ends_in_question, sentences
from oldsoul.ranking.chunks import said
from oldsoul.ranking.question import Kind, Question
from oldsoul.ranking.terms import terms
from oldsoul.reading.typed_values import Value, agree, comparable, typed_values
from oldsoul.recall.prepared import tells_of_talk
from oldsoul.values.audience import OWNER, Reach
from oldsoul.values.recall import MEMORY, SESSIONS, Chunk

if TYPE_CHECKING:
    from oldsoul.ranking.pool import Floats
    from oldsoul.reading.slots import Statement

_BEST, _BEST_ALONE = 3, 6
"""Among so many of the best the newer is put first: in rooms, and of what was said to the agent alone."""
_AS_GOOD = 0.5
"""There the newer is worth at least so much of the older."""
_MARKED = 10
"""Among so many of the best what is earlier is marked."""
_SHARED, _SHARE, _NEAR, _MOST = 3, 0.2, 0.3, 0.5
"""Two texts are about one thing when they share so many terms, such a part of the shorter one's, and are so near in
meaning; or share such a part of it that meaning need not be asked."""

_LONGEST = 300
"""A longer message tells something else than what changed."""
_CHANGED = frozenset(("changed", "not"))


def newer_first(
    chunks: Sequence[Chunk], scores: Sequence[float], vectors: Floats | None, question: Question
) -> tuple[list[int], frozenset[int]]:
    """The order in which the newer of the best stand before the older, and the places of all that is earlier.

    Args:
        chunks: what was found, the best first.
        scores: how good each is.
        vectors: a unit vector of each, in the same order; None where meaning is not compared.
        question: what was asked. Where it names a time, asks how it was, or for several things, nothing is moved.
    """
    order = list(range(len(chunks)))
    earlier = frozenset(
        old
        for old in order[:_MARKED]
        if any(
            (_same_authority(chunks[new], chunks[old]) and _alike(chunks, vectors, new, old))
            or (
                (_same_authority(chunks[new], chunks[old]) or _tells_of(chunks[new], chunks[old]))
                and _changes(chunks[new], chunks[old], question)
            )
            for new in order[:_MARKED]
        )
    )
    earlier |= {old for old in order if chunks[old].superseded}
    if question.moments or question.months or question.kind & Kind.THEN:
        return order, earlier
    if question.kind & Kind.LIST:
        return _superseded_last(chunks, order), earlier
    for place in range(1, min(_BEST_ALONE, len(order))):
        for at in range(place):
            new, old = order[place], order[at]
            if not _same_authority(chunks[new], chunks[old]) or _is_one(chunks[new], chunks[old]):
                continue
            if (
                (
                    _is_private(chunks[old])
                    and scores[new] >= _AS_GOOD * scores[old]
                    and _is_as_much_asked(chunks[new], chunks[old], question)
                )
                or (place < _BEST and not question.kind & Kind.WHEN and _alike(chunks, vectors, new, old))
                or _changes(chunks[new], chunks[old], question)
            ):
                order.insert(at, order.pop(place))
                break
    return _superseded_last(chunks, order), earlier


def _is_one(one: Chunk, other: Chunk) -> bool:
    """Whether a message and a piece of memory say the same: neither is news to the other."""
    return one.source != other.source and said(one.text) == said(other.text)


def _superseded_last(chunks: Sequence[Chunk], order: list[int]) -> list[int]:
    return sorted(order, key=lambda place: chunks[place].superseded)


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


def _is_private(chunk: Chunk) -> bool:
    """Whether it was said to the agent alone: nearly all of that is about whoever says it."""
    return chunk.source == SESSIONS and chunk.audience.reach is not Reach.ROOM


def _is_as_much_asked(new: Chunk, old: Chunk, question: Question) -> bool:
    """Whether the newer has at least half of the question's words that the older has: with fewer it is about something else."""
    asked = _content(old.text).intersection(question.terms)
    return 2 * len(asked & _content(new.text)) >= len(asked)


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


def _alike(chunks: Sequence[Chunk], vectors: Floats | None, new: int, old: int) -> bool:
    """Whether two texts are about the same thing."""
    one, other = _content(chunks[new].text), _content(chunks[old].text)
    shared = len(one & other)
    if shared < _SHARED or shared < _SHARE * min(len(one), len(other)):
        return False
    return vectors is None or shared >= _MOST * min(len(one), len(other)) or float(vectors[new] @ vectors[old]) >= _NEAR


@lru_cache(maxsize=512)
def _content(text: str) -> frozenset[str]:
    words = said(text)
    return frozenset(terms(words)) - _small(language(words))


@cache
def _small(code: str) -> frozenset[str]:
    return frozenset(terms(" ".join(little_words(code))))
