"""Corrections as CORRECTIONS.md has them: how one is written, and read again, whoever wrote it."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

from oldsoul.documents import Form
from oldsoul.judging.corrections.values import holds
from oldsoul.language import japanese
from oldsoul.language.alike import stems
from oldsoul.language.lexicon import things
from oldsoul.language.quoting import AGENT, quoted, without_quoted
from oldsoul.language.sentences import sentences
from oldsoul.language.stemming import stem
from oldsoul.language.words import is_foreign, words
from oldsoul.reading.typed_values import MONEY, sum_of, typed_values
from oldsoul.rules.correction_labels import FIELD, labelled
from oldsoul.values.audience import Audience, Reach
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from oldsoul.documents import Document, Entry
    from oldsoul.reading.typed_values import Value
    from oldsoul.values.names import Name

_ABOUT = re.compile(
    r"(?i)^(?:so|and|but|no|nope|well|actually|then|oh|ok|okay)?[\s,]*(?P<who>[^,.;:!?]{2,60}?)\s+"
    r"(?:is|are|was|were|has|have|lives?|works?|costs?|takes?|starts?|ends?|opens?|closes?|leaves?|runs?|turns?|holds?|meets?|swims?|plays?|needs?|weighs?|comes|goes|gets|will|moved|seats?)\b"
)
_NAME = re.compile(r"(?<=[^\W\d_.!?] )(?!I\b|I')[A-Z][\w'-]+|(?<=, )[A-Z][\w'-]+")
_AGES = frozenset({"year", "years old", "old"})
_YEARS = re.compile("(?i)year|岁|歲")
_COMMA = re.compile(r",\s+(?=(?:but|and|so)\b)")
_PART = re.compile(r"(?<=;)\s+")
_TITLE = re.compile(r"^\s*(?:#{1,6}\s.*|(?:(?:[-*+]|\d+[.)])\s+)?\*\*[^*\n]+\*\*\s*:?\s*)$")
_FRAME = re.compile(
    r"(?i)^\s*(?:[-*+]\s+)?(?:"
    r"\*\*(?:rooms?|users?|datetime|asked|re-embedded)(?::\*\*|\*\*:).*"  # with whom, when, and what was asked
    r"|(?:rooms?|users?|datetime):.*|event:\s*"
    r"|\[[^\]\n]*\]\([^)\n]*\)"  # a link by itself
    r"|(?:\(added \d{4}-\d\d-\d\d\)\s*)?(?:#\w+\s*)*"
    r")\s*$"
)
"""Lines that say nothing by themselves."""
_SHARED, _HALF = 2, 0.5
_REGULAR = frozenset({"weekday", "time"})
_DOTS = str.maketrans("İı", "ii")
"""To a search that minds no case an `i` is an `i`, with a dot or without."""


class FirstLook:
    """A look at a text that is cheap and misses nothing: of many texts few can state a value at all."""

    __slots__ = ("_text", "_values", "_words")

    def __init__(self, text: str) -> None:
        self._text = text
        self._words = _caseless(text)
        self._values: frozenset[tuple[object, ...]] | None = None

    def may_hold(self, value: str) -> bool:
        """Whether `holds` has to be asked; where not, the text does not state the value."""
        words, keys = _sought(value)
        return bool(words) and (words in self._words or (bool(keys) and not keys.isdisjoint(self._stated())))

    def _stated(self) -> frozenset[tuple[object, ...]]:
        """What its typed values come to; looked for once, and only when a typed value is asked for."""
        if self._values is None:
            self._values = frozenset(key for value in typed_values(self._text) for key in _keys(value))
        return self._values


@lru_cache(maxsize=4096)
def _sought(value: str) -> tuple[str, frozenset[tuple[object, ...]]]:
    typed = typed_values(value)
    return _caseless(value), _keys(typed[0]) if len(typed) == 1 else frozenset()


def _keys(value: Value) -> frozenset[tuple[object, ...]]:
    """What a value comes to; a sum of money also without the time it is for."""
    alone = sum_of(value)
    return frozenset({value.key} if alone is None else {value.key, alone.key})


def _measure(unit: str) -> str:
    """What a unit measures: money is money, for whatever time."""
    return MONEY if unit.startswith(MONEY) else unit


def _caseless(text: str) -> str:
    return text.translate(_DOTS).casefold()


@frozen
class Correction:
    """Something the operator put right."""

    id: str
    """the entry's id in CORRECTIONS.md"""
    day: str
    """when, as its heading says"""
    correct: str
    """what is right, in the operator's words"""
    means: str
    """the same as a statement in full, with what was asked"""
    old: str
    """the value that was wrong; empty when nobody said"""
    new: str
    """the value that is right"""
    question: str
    """what must find the new value and not the old one"""
    embedded: bool
    """whether it was seen in the index"""
    supersedes: tuple[str, ...] = ()
    """what it took the place of, by entry"""
    source: str = ""
    """the message it was made with"""
    place: str = ""
    """the audience it was made before; empty for the operator's own talk"""
    said: str = ""
    """the agent's sentence, where it is about the agent's words alone: nobody else's are against it"""

    def is_against(self, text: str, around: str = "", *, surely: bool = True) -> bool:
        """Whether a text says again what was wrong: the old value, and not the new one, of the same matter.

        What stands around it may say which matter it is about. To leave a sentence out, less will do than to change it.
        """
        if self.said:
            return quoted(self.said).search(text) is not None
        if not self.old or not holds(text, self.old) or (self.new and holds(text, self.new)):
            return False
        whole = around if text in around else f"{around} {text}"  # read once for all its sentences
        if not surely and is_foreign(self.means) != is_foreign(text):
            return self._is_of_same_thing(whole)
        subject = self.subject
        if subject:
            return (
                subject == self._among(subject, whole) and self._same_measure(text) and self._says_it_of(subject, text)
            )
        matter = self._matter
        shared = self._among(matter, whole)
        shared |= {f"={_measure(value.unit)}" for value in typed_values(text) if value.unit and self._counts(value)}
        if shared and self.old[:1].isupper() and not typed_values(self.old):
            return True  # of somebody or something that has a name
        if shared and not surely and any(value.kind in _REGULAR for value in typed_values(self.old)):
            return True
        return len(shared) >= _SHARED or (bool(matter) and len(shared) >= len(matter) * _HALF)

    def _is_of_same_thing(self, text: str) -> bool:
        """Whether a text in another script names something that the right statement names, beside the values."""
        named = things(f"{self.means} {self.correct}") - things(f"{self.old} {self.new}")
        return bool(named & things(text))

    @property
    def of_agent(self) -> Correction:
        """The same as it is held against what the agent says: its meaning counts there, and not only the words."""
        return replace(self, said="") if self.said else self

    @property
    def subject(self) -> frozenset[str]:
        """What the right statement is about, where it says so: the words before its verb, or the names in it."""
        return _subject(self.means, self.old, self.new)

    def _among(self, telling: frozenset[str], text: str) -> frozenset[str]:
        """Those of its telling words that a text has."""
        held = text.casefold() if japanese.is_japanese(self.means) else stems(text)
        return frozenset(word for word in telling if word in held)

    @property
    def _matter(self) -> frozenset[str]:
        """The words of the right statement, but for its values."""
        telling = japanese.content if japanese.is_japanese(self.means) else stems
        found = telling(f"{self.means} {self.correct}") - telling(f"{self.old} {self.new}") - _NO_MATTER
        return frozenset(word for word in found if not word.isdecimal()) or found  # `at 8` is said of many things

    def cut(self, text: str) -> str:
        """A text without its sentences that say again what was wrong; one that names both values stays."""
        if self.said:
            return without_quoted(text, self.said)
        lines = [_clauses(line) for line in text.split("\n")]
        rest = [[s for s in line if not (self.new and holds(s, self.new))] for line in lines]
        mixed = rest != lines
        others = "\n".join(" ".join(line) for line in rest if line) if mixed else text
        if not self.is_against(others, text, surely=False):
            return text
        kept = [[s for s in line if not self._is_wrong(s, text, mixed=mixed)] for line in lines]
        return text if kept == lines else "\n".join(" ".join(line) for line in kept if line)

    def _is_wrong(self, sentence: str, around: str, *, mixed: bool) -> bool:
        """Whether a sentence is to be left out; beside the right value, one that is about something else is not."""
        if not self.is_against(sentence, around, surely=False):
            return False
        named = about(sentence) if mixed else frozenset()
        return not named or bool(named & (self.subject | self._matter))

    def _says_it_of(self, subject: frozenset[str], text: str) -> bool:
        """Whether few other words stand between the subject and the wrong value: where Tom lives is not where he studied."""
        place = _place_of(text, self.old)
        words_of = [match for match in _WORD.finditer(text) if stem(match[0].casefold()) in subject]
        if place is None or not words_of:
            return True
        before = [match.end() for match in words_of if match.end() <= place[0]]
        after = [match.start() for match in words_of if match.start() >= place[1]]
        between = text[before[-1] : place[0]] if before else text[place[1] : after[0]] if after else ""
        if re.search(r"[.!?;,，。！？；\n]", between):
            return True  # the value stands in a part of its own
        values = " ".join(value.said for value in typed_values(between))
        others = stems(between) - stems(f"{self.means} {self.correct} {values}") - subject - _PLAIN
        return len(others) < len(subject)  # the more exactly a subject is named, the less another word matters

    def _same_measure(self, text: str) -> bool:
        """Whether the wrong value is of the same measure where a text states it: `7` years are not `7` players."""
        mine = [value for value in typed_values(self.old) if value.kind == "number"]
        if not mine:
            return True
        stated = [value for value in (*typed_values(self.means), *typed_values(self.correct)) if value.kind == "number"]
        units = {_measure(value.unit) for value in (*mine, *(v for v in stated if holds(v.said, self.new)))}
        theirs = [
            value
            for value in typed_values(text)
            if value.kind == "number" and (_keys(value) & _keys(mine[0]) or value.said.split()[0] == self.old)
        ]
        return not theirs or any(
            not value.unit or _measure(value.unit) in units or value.unit in _AGES or _YEARS.search(value.said)
            for value in theirs
        )

    def _counts(self, value: Value) -> bool:
        """Whether a value is of the thing that the right one counts or measures."""
        stated = (*typed_values(self.correct), *typed_values(self.means))
        unit = _measure(value.unit)
        return any(_measure(other.unit) == unit and holds(other.said, self.new) for other in stated)


def about(text: str) -> frozenset[str]:
    """What a statement is about: the words before its verb; nothing where that cannot be told."""
    match = _ABOUT.match(text)
    told = japanese.topic(text) if japanese.is_japanese(text) else frozenset()
    return stems(match["who"]) - _OWN if match else told


def written(fields: Iterable[tuple[str, str]]) -> str:
    """The paragraph of a correction's block, a line for each field that says anything."""
    return "\n".join(f"**{label}:** {' '.join(value.split())}" for label, value in fields if value.strip())


def corrections(documents: Iterable[tuple[Name, Document]]) -> list[Correction]:
    """The corrections of some documents that hold, in order."""
    return in_force([read(entry) for _, document in documents for entry in blocks(document)])


def blocks(document: Document) -> list[Entry]:
    """The entries of a log of corrections that are corrections, and not what explains the file."""
    return [entry for entry in document.entries if entry.form is not Form.PROSE]


def read(entry: Entry) -> Correction:
    """One correction, as its block says."""
    fields = {label.strip().casefold(): value for label, value in FIELD.findall(labelled(entry.body))}
    correct = fields.get("correct", "") or ("" if fields else entry.body)
    return Correction(
        id=entry.id,
        day=(entry.title or entry.section)[:10],
        correct=correct,
        means=" ".join(filter(None, (fields.get("asked", ""), fields.get("means", "") or correct))),
        old=_first(fields, "wrong value", "old value", "was"),
        new=_first(fields, "right value", "new value", "now"),
        question=fields.get("check", "") or fields.get("question", ""),
        embedded=fields.get("re-embedded", "").casefold() in ("true", "yes"),
        source=entry.fields.get("src", ""),
        place=entry.fields.get("place", ""),
        said=fields.get("said", "") if entry.fields.get("of") == AGENT else "",
        supersedes=tuple(one for one in entry.fields.get("supersedes", "").split(",") if one),
    )


@lru_cache(maxsize=4096)
def _subject(means: str, old: str, new: str) -> frozenset[str]:
    if japanese.is_japanese(means):
        return japanese.subject(means) - japanese.content(f"{old} {new}")
    for sentence in sentences(means):
        if sentence.endswith(("?", "？")):
            continue
        part = next((part for part in _COMMA.split(sentence) if new and holds(part, new)), sentence)
        match = _ABOUT.match(part) or _ABOUT.match(sentence)
        words_of = match["who"] if match else " ".join(name for name in _NAME.findall(sentence))
        values = " ".join(value.said for value in typed_values(sentence))
        found = stems(words_of) - stems(f"{old} {new} {values}") - _OWN
        if found:
            return found
    return frozenset()


_WORD = re.compile(r"[^\W\d_][^\W_]*")
_PLAIN = frozenset(
    stem(word)
    for word in words(
        "is are was were be been being cost costs comes come amounts amount total about around still always usually now then currently every each"
        " on at in per year month week day days so that will takes take last lasts old turned turns aged just only really already actually"
        " called named known as set fixed planned scheduled booked s has have from to with by via near goes leaves"
    )
)
"""Words between a thing and its value that make it no other thing."""


def _place_of(text: str, value: str) -> tuple[int, int] | None:
    """Where a text states a value."""
    found = re.search(re.escape(value), text, re.IGNORECASE)
    if found is not None:
        return found.span()
    mine = typed_values(value)
    same = (other for other in typed_values(text) if len(mine) == 1 and other.key == mine[0].key)
    return next(((other.start, other.end) for other in same), None)


_NO_MATTER = frozenset(
    stem(word)
    for word in words(
        "today tomorrow yesterday week weeks day days month year time times last next since until til up down out on off back keep one"
        " there here again always late early no not changed moved wrong right now all too once much many first just so very"
        " s d t m re ve ll who what yes ok want going get got go come came put monday tuesday wednesday thursday friday"
        " saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays"
    )
)
"""Words of a correction that say nothing of what it is about."""
_OWN = frozenset(
    stem(word)
    for word in words(
        "your my our their his her its you we i it he she they there that this right now still then also only s d t m"
    )
)


def _first(fields: Mapping[str, str], *labels: str) -> str:
    return next((fields[label] for label in labels if fields.get(label)), "")


def fields_of(entry: Entry) -> list[tuple[str, str]]:
    """The fields of a correction's block as they stand, in order."""
    return [(label.strip(), value) for label, value in FIELD.findall(entry.body)]


def without_wrong(standing: Iterable[Correction], text: str) -> str:
    """A text without the sentences that say again what was wrong; empty when nothing else is left."""
    low, look = text.casefold(), FirstLook(text)
    concerned = [
        one
        for one in standing
        if one.old and (one.old.casefold() in low or (look.may_hold(one.old) and holds(text, one.old)))
    ]
    kept = text
    for one in concerned:
        kept = one.cut(kept)
    if kept == text:
        return text
    return kept if any(_says_something(line, concerned) for line in kept.split("\n")) else ""


def _clauses(line: str) -> list[str]:
    return [part for sentence in sentences(line) for part in _PART.split(sentence)]


def _says_something(line: str, standing: Iterable[Correction]) -> bool:
    """Whether a line is more than what frames a text; a title is where it tells what is right."""
    if _TITLE.match(line):
        return any(one.new and holds(line, one.new) for one in standing)
    return _FRAME.match(line) is None


def is_anothers(audience: Audience, operators: frozenset[str]) -> bool:
    """Whether a text is the own of a person who is no operator: nobody else corrects that."""
    return audience.reach is Reach.PERSON and audience not in _own(operators)


@lru_cache(maxsize=16)
def _own(operators: frozenset[str]) -> frozenset[Audience]:
    return frozenset(Audience.person(operator) for operator in operators)


def in_force(every: Sequence[Correction]) -> list[Correction]:
    """The corrections that hold: one whose wrong value a later one of the same matter calls right does not any more."""
    said = _Said([one.new for one in every])
    return [
        one
        for number, one in enumerate(every)
        if not any(
            same_thing(one, every[place]) and holds(every[place].new, one.old)
            for place in said.may_hold(one.old, number + 1)
        )
    ]


class _Said:
    """A first look at many texts at once."""

    def __init__(self, texts: Sequence[str]) -> None:
        lows = [_caseless(text) for text in texts]
        self._joined = "\0".join(lows)
        self._starts = list(accumulate((len(low) + 1 for low in lows), initial=0))
        self._keys: dict[tuple[object, ...], list[int]] = {}
        for place, text in enumerate(texts):
            for key in {key for value in typed_values(text) for key in _keys(value)}:
                self._keys.setdefault(key, []).append(place)

    def may_hold(self, value: str, first: int) -> list[int]:
        """Which texts from this one on may state a value, in order."""
        sought, keys = _sought(value)
        if not sought:
            return []
        found = {place for key in keys for place in self._keys.get(key, ()) if place >= first}
        at = self._joined.find(sought, self._starts[first])
        while at >= 0:
            place = bisect_right(self._starts, at) - 1
            found.add(place)
            at = self._joined.find(sought, self._starts[place + 1])
        return sorted(found)


def is_overtaken(one: Correction, later: Iterable[Correction]) -> bool:
    """Whether a later correction of the same matter calls wrong what this one calls right: it changed again."""
    look = FirstLook(one.new)
    return any(look.may_hold(other.old) and holds(one.new, other.old) and same_thing(one, other) for other in later)


def same_thing(one: Correction, other: Correction) -> bool:
    """Whether two corrections are of the same matter."""
    mine, theirs = one.subject, other.subject
    if mine and theirs:
        return mine <= theirs or theirs <= mine
    shared = stems(one.means) & stems(other.means)
    return bool(shared) and bool(shared - stems(f"{one.old} {one.new} {other.old} {other.new}"))


def against(standing: Iterable[Correction], text: str) -> Correction | None:
    """The correction that a text goes against."""
    look = FirstLook(text)
    return next((one for one in standing if look.may_hold(one.old) and one.is_against(text)), None)
