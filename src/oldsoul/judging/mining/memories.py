"""Standing instructions: what was asked for once and holds for every reply, or whenever something comes up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache, lru_cache

from oldsoul.language.cues import about, cue, straight
from oldsoul.language.lexicon import word_list
from oldsoul.language.likeness import telling
from oldsoul.language.sentences import cleaned, sentences, shortened
from oldsoul.language.words import is_unspaced, words
from oldsoul.reading.dates import spans
from oldsoul.reading.typed_values import Value, typed_values
from oldsoul.rules.diary import is_first_person
from oldsoul.rules.own_words import stated
from oldsoul.rules.promotion import asks_before, bare, spoken, wanted
from oldsoul.values.frozen import frozen


@lru_cache(maxsize=20_000)
def is_standing(text: str) -> bool:
    """Whether a remembered sentence tells the agent how to behave from now on."""
    code = spoken(text)
    said = bare(straight(text), code)
    return (
        cue("keep", "standing", code).search(said) is not None or cue("keep", "instruct", code).match(said) is not None
    )


@lru_cache(maxsize=20_000)
def is_instruction(text: str) -> bool:
    """Whether a remembered sentence orders something: it begins as an order does, or with an occasion before one."""
    code = spoken(text)
    said = bare(_SPEAKER.sub("", straight(text)), code)
    holds = cue("keep", "standing", code)
    return (
        cue("keep", "instruct", code).match(said) is not None
        or (holds.match(said) is not None and not is_first_person(said))
        or (has_occasion(said) and holds.search(said) is not None)
    )


def has_occasion(text: str) -> bool:
    """Whether an instruction says first when it holds: "When we talk about bread, …"."""
    code = spoken(text)
    return any(cue("keep", "occasion", code).search(straight(each)) is not None for each in sentences(text))


DECISION, EVENT, KNOWLEDGE, SKILL = "decision", "event", "knowledge", "skill"
ASKED, DECIDED, INSTRUCTION, ONESELF = "asked", "decided", "instruction", "oneself"
_KEEP = "keep"
_SPEAKER = re.compile(r"^\W*[^\W\d_][\w .'-]{0,30}: ")
_LONG, _MANY_LINES = 700, 6
"""A message with more characters, or so many lines, is somebody's text and not what they say."""
_LONGEST = 320
_FEWEST = 3
_SOON = 30
_WORTH = 1.3
"""From this score on a statement may be suggested."""
_CODE = re.compile(
    r"```|^#!|^\s*(?:def|class|import|from|function|const|let|var|SELECT|#include)\b.*[({;:]\s*$", re.MULTILINE
)
_ASKS = re.compile(r"[?？]|(?:吗|嗎|么|麼|呢|か|かな|っけ)[。.!！\s]*$")
_NAME = re.compile(r"(?<=[^\W\d_.!?] )(?!I\b|I')[A-ZÀ-ÞА-Я][\w'-]+|[\u3040-\u30ff\u3400-\u9fff]{2,}")
_TELLS = re.compile(r":\s*\S|：\s*\S")
_CLAUSE = re.compile(r"[,;:，、；：]\s*|\s+[–—-]+\s+|[()（）]")
_MASKED = "[masked: "
_END = " .!,;:。！，；：…"


@frozen
class Nugget:
    """A statement that is worth keeping, or might be."""

    text: str
    """the person's own words"""
    tag: str
    """its primary tag"""
    why: str
    """by which rule: asked, decided, instruction, oneself; empty when it is only suggested"""
    rank: float
    """how telling it looks"""

    @property
    def is_plain(self) -> bool:
        """Whether it is kept, and not only suggested."""
        return bool(self.why)


def nuggets(text: str, said: date) -> list[Nugget]:
    """The statements of a message that are kept or may be suggested, in order; `said` is its local day."""
    text = straight(cleaned(text))
    if len(text) > _LONG or text.strip().count("\n") >= _MANY_LINES or _CODE.search(text):
        return []
    own = stated(text)
    judge = _Judge(spoken(own), is_work=False)
    judge = _Judge(judge.code, is_work=judge.has("work", own.lstrip(), start=True))
    found: list[Nugget] = []
    for sentence, before, is_asked in _whole(sentences(own), judge):
        if (made := judge.nugget(sentence, before, is_asked=is_asked)) is not None:
            found.append(Nugget(dated(made.text, said), made.tag, made.why, made.rank))
    return found


def _whole(parts: list[str], judge: _Judge) -> Iterator[tuple[str, str, bool]]:
    """Sentences, each with the one before it, and whether the next one asks to keep them, which is then left out."""
    for number, part in enumerate(parts):
        following = parts[number + 1] if number + 1 < len(parts) else ""
        if number and judge.asks_before(part):
            continue
        yield part, parts[number - 1] if number else "", judge.asks_before(following)


class _Judge:
    """The cues of one language, put to sentences of one message."""

    def __init__(self, code: str, *, is_work: bool) -> None:
        self.code = code
        self.is_work = is_work
        """whether the message asks for some piece of work: what it tells belongs to that"""

    def has(self, kind: str, text: str, *, start: bool = False) -> bool:
        """Whether a text has a cue of this kind, or begins with one."""
        pattern = cue(_KEEP, kind, self.code)
        return (pattern.match(text) if start else pattern.search(text)) is not None

    def asks_before(self, sentence: str) -> bool:
        """Whether a sentence asks to keep the one before it."""
        return asks_before(sentence, self.code)

    def bare(self, sentence: str) -> str:
        """A sentence without the words that only lead to it."""
        return bare(sentence, self.code)

    def nugget(self, sentence: str, before: str, *, is_asked: bool) -> Nugget | None:
        """What a sentence comes to, with the one before it where it asks to keep what points there; None where it is nothing."""
        asked = wanted(sentence, self.code) or (self.bare(sentence) if is_asked else "")
        if asked and before and self.has("dangling", asked, start=True) and not _ASKS.search(before):
            asked = f"{before} {sentence}"
        said = asked or self.bare(sentence)
        if not self.stands(said, is_told=bool(asked) and _TELLS.search(said) is not None):
            return None
        values = typed_values(said)
        why, tag = (ASKED, self.tag(said, values)) if asked else self.plain(said)
        rank = self.rank(said, values)
        if not why and (rank < _WORTH or self.is_work):
            return None
        return Nugget(shortened(said.rstrip(" ,;"), _LONGEST), tag or self.tag(said, values), why, rank)

    def stands(self, said: str, *, is_told: bool = False) -> bool:
        """Whether a sentence can be understood by itself and states something; `is_told` where "what she said:" comes first."""
        count = len(words(said))
        few = count < _FEWEST or len(said) > _LONGEST or not telling(said)
        clauses = self.has("instruct", said, start=True) or self.has("decided", said, start=True)
        asks = self.has("ask", said, start=not is_unspaced(said)) or self.has("dangling", said, start=True)
        return not (
            few or _ASKS.search(said) or (asks and not clauses and not is_told) or "…" in said[:3] or _MASKED in said
        )

    def plain(self, said: str) -> tuple[str, str]:
        """By which rule a sentence is kept, and its tag; nothing for one that is not."""
        if self.has("others", said, start=True) or cue(_KEEP, "chat", self.code).fullmatch(said.rstrip(_END)):
            return "", ""
        instructs = [said] if is_unspaced(said) else self.clauses(said)
        if any(self.has("instruct", clause, start=True) and not self.has("passing", clause) for clause in instructs):
            return INSTRUCTION, KNOWLEDGE
        if self.is_work or self.has("request", said, start=True) or self.has("hedge", said, start=True):
            return "", ""
        clauses = [clause for clause in self.clauses(said) if self.is_settled(clause)]
        if any(map(self.is_decided, clauses)):
            return DECIDED, DECISION
        if any(map(self.is_own, clauses)):
            return ONESELF, KNOWLEDGE
        return (ONESELF, EVENT) if any(map(self.is_past, clauses)) else ("", "")

    def is_past(self, clause: str) -> bool:
        """Whether a clause says what whoever speaks did on a certain day."""
        return self.has("did", clause, start=True) and _has_day(clause) and not self.has("pointing", clause)

    def is_settled(self, clause: str) -> bool:
        """Whether a clause is neither of the moment nor in doubt, and asks for nothing."""
        return not any(self.has(kind, clause) for kind in ("hedge", "you", "passing", "request"))

    def is_decided(self, clause: str) -> bool:
        """Whether a clause says that something was decided, and what."""
        match = cue(_KEEP, "decided", self.code).match(clause)
        said = clause[slice(*about(match))] if match is not None else ""
        return len(telling(said)) > 1 and not self.has("dangling", said, start=True)

    def clauses(self, said: str) -> Iterator[str]:
        """The parts of a sentence, each without what joins it to the one before; a habit may need the day in front of it."""
        yield said
        joint = cue(_KEEP, "joint", self.code)
        for part in _CLAUSE.split(said):
            for piece in joint.split(part):
                if piece and piece.strip():
                    yield self.bare(piece)

    def is_own(self, clause: str) -> bool:
        """Whether a clause states something lasting about whoever speaks: its form says so, and it names what."""
        if self.has("pointing", clause):
            return False
        named = cue(_KEEP, "named", self.code).match(clause)
        if self.has("self", clause, start=True) or (named is not None and _is_named(clause, about(named)[0])):
            return True
        forms = (("lasting", "span"), ("habit", "every"))
        return any(self.has(form, clause, start=True) and self.has(how, clause) for form, how in forms)

    def tag(self, said: str, values: list[Value]) -> str:
        """The primary tag that fits a statement."""
        if self.has("decided", said):
            return DECISION
        if self.has("howto", said):
            return SKILL
        return EVENT if any(value.kind == "date" for value in values) else KNOWLEDGE

    def rank(self, said: str, values: list[Value]) -> float:
        """How telling a statement looks: whose it is, what it names, and what speaks against it."""
        first = is_first_person(said)
        count = len(words(said))
        rank = 0.7 * first + 0.5 * bool(values) + 0.4 * any(v.kind == "date" for v in values)
        rank += 0.5 * bool(_NAME.search(said)) + 0.5 * self.has("kin", said) + 0.4 * self.has("every", said)
        rank += 0.5 * self.has("span", said) + 0.5 * self.has("decided", said) + min(count, 24) / 40
        rank += 0.6 * any(
            self.has(kind, clause, start=True) for kind in ("self", "named") for clause in self.clauses(said)
        )
        rank -= 0.8 * self.has("you", said) + 0.5 * self.has("hedge", said) + 0.5 * self.has("passing", said)
        rank -= 0.9 * self.has("request", said) + 0.6 * self.has("others", said)
        return (
            rank
            - 0.6 * (not first and not self.has("kin", said))
            - 0.5 * (count < 2 * _FEWEST and not is_unspaced(said))
        )


def _is_named(clause: str, start: int) -> bool:
    """Whether a name or a value is in a clause soon after this place."""
    end = start + _SOON
    names = (found.start() for found in _NAME.finditer(clause))
    values = (value.start for value in typed_values(clause) if value.kind != "colour")
    return any(start <= place < end for place in (*names, *values))


def _has_day(clause: str) -> bool:
    """Whether a clause names a day of a month."""
    return any(value.kind == "date" and None not in value.key[1:3] for value in typed_values(clause))


def dated(text: str, said: date) -> str:
    """The text with the day next to every relative date that means one day.

    A few words are a relative date when the day they name moves with the day they are said on.
    """
    named = {span.first for span in spans(text, said, is_statement=True) if span.first == span.last}
    tokens = list(re.finditer(r"[^\s,.;!?。，！？]+", text)) if named else []
    made, at = "", 0
    for number, token in enumerate(tokens):
        # The shortest words that end here and name a day.
        starts = (before.start() for before in reversed(tokens[max(number - 3, 0) : number + 1]))
        phrases = (text[start : token.end()] for start in starts if start >= at)
        day = next((day for phrase in phrases if (day := _relative(phrase, said))), 0)
        if day in named and text[token.end() : token.end() + 2] != " (":
            made += f"{text[at : token.end()]} ({date.fromordinal(day).isoformat()})"
            at = token.end()
    return made + text[at:]


def _relative(phrase: str, said: date) -> int:
    """The day that a phrase names by its distance from the day it is said on; 0 for none, -1 for a weekday alone."""
    week = timedelta(days=7)
    found, later = (spans(phrase, day, is_statement=True) for day in (said, said + week))
    if len(found) != 1 or len(later) != 1 or found[0].first != found[0].last:
        return 0
    alone = any(value.kind == "weekday" for value in typed_values(phrase)) and _steps().isdisjoint(words(phrase))
    return (
        -1
        if alone and not is_unspaced(phrase)
        else found[0].first
        if later[0].first == found[0].first + week.days
        else 0
    )


@cache
def _steps() -> frozenset[str]:
    """Words that say which of several weekdays is meant: last, next."""
    listed = (kinds.get("steps", "").split(" | ") for kinds in word_list("date").values())
    return frozenset(word for items in listed for item in items for word in words(item.partition(" ")[2]))
