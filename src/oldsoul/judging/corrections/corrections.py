"""Corrections as CORRECTIONS.md has them: how one is written, read again whoever wrote it, and which of them hold."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from oldsoul.documents import Form
from oldsoul.judging.corrections.values import (
    TRIMMED,
    ValueMention,
    alternatives,
    among,
    candidates,
    content,
    listed,
    matter,
    of_any,
    sought,
    typed_whole,
    values_of,
)
from oldsoul.language.cues import straight
from oldsoul.language.languages import language
from oldsoul.language.sentences import AGENT, parts
from oldsoul.rules.correction_labels import FIELD, labelled
from oldsoul.rules.own_words import NOTHING, own_words
from oldsoul.values.audience import Audience, Reach
from oldsoul.values.frozen import frozen
from oldsoul.values.names import Name

if TYPE_CHECKING:
    from oldsoul.documents import Document, Entry


_LONGEST = 300
"""A longer message is no correction: it tells something, or hands something over."""
_SPEAKER = re.compile(r"([A-Z][\w'-]{0,30})(?: \([^)\n]{1,20}\))?:[ \t]+\S")
_DOT = "\x01"
"""Stands for a full stop that ends nothing."""
_TOKEN = re.compile(r"\{(\w+)\}|([,，、]\s*)|([?？]\s*)|([.。]\s*)|(\s+)|([^{},，、?？.。\s]+)")
_RUN = r"(?:[^.!?…。！？\n\x00]|\.(?=\S))"
_BREAK = r"\s*[,;:.!()\[\]…–—、，。！；：（）-][\s,;:.!()\[\]…–—、，。！；：（）-]*"
_SENTENCE = re.compile(r"(?:[.!?…]+(?=\s|$)|[。！？\n\x00])")


@frozen
class Replacement:
    """What an explicit form says: one value in the place of another."""

    old: ValueMention
    """what is wrong"""
    new: ValueMention
    """what is right"""
    clause: str
    """the sentence, or the two, that say so"""
    message: str
    """the message, without what it quotes"""
    subject: str
    """what is in the sentence before the two values"""
    code: str
    """the language"""


# what a message says


def _by_sentences(plain: str) -> str:
    """A text in which a full stop ends a sentence wherever a space follows it; that of `Dr.` is another sign."""
    return "".join(re.sub(r"\.(?=\s+\S)", _DOT, part) for part in parts(plain))


def correcting(text: str) -> str:
    """What of a message may put something right, with plain apostrophes: the sender's own words.

    Nothing of a long one, and nothing of one that begins with the name of somebody who says it.
    """
    said = straight(own_words(text)).strip() if len(text.strip()) <= _LONGEST else ""
    speaker = _SPEAKER.match(said)
    return "" if speaker is not None and content(speaker[1]) else said


def explicit(text: str) -> list[Replacement]:
    """The corrections that a message makes in an explicit form, in the order of the forms."""
    plain = _by_sentences(correcting(text))
    code = language(plain.replace(NOTHING, " ")) if plain else ""
    if not code:
        return []
    found: dict[int, Replacement] = {}
    for form in (*_forms("forms", code), *_forms("figures", code)):
        for match in form.finditer(plain):
            made = _replacement(plain, match, code)
            if made is not None and (form not in _forms("figures", code) or _is_of_figures(made)):
                found.setdefault(match.start("old"), made)
    return list(found.values())


def _replacement(plain: str, match: re.Match[str], code: str) -> Replacement | None:
    """What a match of a form says; None where the sentence asks, supposes, or tells what others say."""
    starts = [end.end() for end in _SENTENCE.finditer(plain, 0, match.start())]
    start = starts[-1] if starts else 0
    ending = _SENTENCE.search(plain, match.end())
    end = ending.end() if ending else len(plain)
    clause = plain[start:end].strip()
    if not is_meant(clause, code):
        return None
    first, last = ("old", "new") if match.start("old") < match.start("new") else ("new", "old")
    ahead = match.start(first) == match.start()
    slots = {
        name: ValueMention(
            match[name].strip(TRIMMED).replace(_DOT, "."),
            ahead=ahead and name == first,
            behind=match.end(name) == match.end() and name == last,
        )
        for name in ("old", "new")
    }
    if not (slots["old"].text and slots["new"].text):
        return None
    said, message, before = (each.replace(_DOT, ".") for each in (clause, plain, plain[start : match.start()]))
    return Replacement(slots["old"], slots["new"], said, message, before, code)


def is_meant(sentence: str, code: str = "") -> bool:
    """Whether a sentence states something as so: it neither asks nor supposes, nor tells what others say or what is today."""
    unless = of_any(listed("unless", code or language(sentence)))
    return not sentence.endswith(("?", "？")) and unless.search(sentence) is None


def _is_of_figures(made: Replacement) -> bool:
    """Whether both values are typed: of other words the shortest forms say too little."""
    return any(map(typed_whole, candidates(made.old, made.code))) and bool(values_of(made.new, made.code))


@cache
def _forms(kind: str, code: str) -> tuple[re.Pattern[str], ...]:
    """The forms of a language, compiled; those of kind `figures` are for typed values alone."""
    return tuple(_compiled(form, code) for form in " | ".join(listed(kind, code)).split(" || ") if form.strip())


def _compiled(form: str, code: str) -> re.Pattern[str]:
    pieces: list[str] = []
    tokens = list(_TOKEN.finditer(form.strip()))
    for number, token in enumerate(tokens):
        name, comma, asks, stop, space, word = token.groups()
        edge = number in (0, len(tokens) - 1)
        if name in ("old", "new"):
            pieces.append(f"(?P<{name}>{_RUN}{{1,{160 if edge else 60}}}{'' if edge else '?'})")
        elif name == "any":
            pieces.append(rf"{_RUN}{{1,60}}?")
        elif name:
            pieces.append(alternatives(listed(name, code)))
        elif comma or stop:
            pieces.append(_BREAK)
        elif asks:
            pieces.append(r"\s*[?？]+[\s!,，、]*")
        elif space:
            adjacent = any(tokens[place].group(1) in ("old", "new") for place in (number - 1, number + 1))
            pieces.append(r"[\s,;:()–—-]+" if adjacent else r"\s+")
        else:
            pieces.append(alternatives((word,)))
    return re.compile("".join(pieces), re.IGNORECASE)


# what it changes in a statement


@frozen
class Correction:
    """Something the operator corrected."""

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
    """what it replaced, by entry"""
    source: str = ""
    """the message it was made with"""
    place: str = ""
    """the audience it was made before; empty for the operator's own talk"""
    said: str = ""
    """the agent's sentence, where it is about the agent's words alone: nobody else's are against it"""
    made: datetime | None = None
    """when, to the minute; None where its heading tells the day alone"""
    again: str = ""
    """the day since which the operator says again what it calls wrong; from then on it hides nothing"""

    @property
    def matter(self) -> frozenset[str]:
        """The words that tell what it is about."""
        return matter(self.means, self.old, self.new)


def written(fields: Iterable[tuple[str, str]]) -> str:
    """The paragraph of a correction's block, a line for each field that says anything."""
    return "\n".join(f"**{label}:** {' '.join(value.split())}" for label, value in fields if value.strip())


def corrections(documents: Iterable[tuple[Name, Document]]) -> list[Correction]:
    """The corrections of some documents that hold, in order, but for those the operator has said otherwise since."""
    every = in_force([read(entry) for _, document in documents for entry in blocks(document)])
    return [one for one in every if not one.again]


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
        made=_clock(entry.title or entry.section),
        again=entry.fields.get("again", ""),
    )


def _clock(heading: str) -> datetime | None:
    """The time that a heading tells, with its offset."""
    try:
        found = datetime.fromisoformat(heading.strip().replace(" UTC", "+00:00").replace(" +", "+").replace(" -", "-"))
    except ValueError:
        return None
    return found if found.tzinfo else None


def _first(fields: Mapping[str, str], *labels: str) -> str:
    return next((fields[label] for label in labels if fields.get(label)), "")


def fields_of(entry: Entry) -> list[tuple[str, str]]:
    """The fields of a correction's block, unchanged and in order."""
    return [(label.strip(), value) for label, value in FIELD.findall(entry.body)]


def is_anothers(audience: Audience, operators: frozenset[str]) -> bool:
    """Whether a text is the own of a person who is no operator: nobody else corrects that."""
    return audience.reach is Reach.PERSON and audience not in _own(operators)


@lru_cache(maxsize=16)
def _own(operators: frozenset[str]) -> frozenset[Audience]:
    return frozenset(Audience.person(operator) for operator in operators)


# which of them hold


def in_force(every: Sequence[Correction]) -> list[Correction]:
    """The corrections that hold: one whose wrong value a later one of the same matter calls right does not any more."""
    right: defaultdict[object, list[int]] = defaultdict(list)
    for number, one in enumerate(every):
        for way in _ways(one.new):
            right[way].append(number)
    later = (
        {n for way in _ways(one.old) for n in right.get(way, ()) if n > number} for number, one in enumerate(every)
    )
    return [one for one, some in zip(every, later, strict=True) if not any(same_thing(one, every[n]) for n in some)]


def _ways(value: str) -> frozenset[object]:
    """What two ways to say one value have in common: the words, or what it comes to."""
    words, keys = sought(value)
    return frozenset({words, *keys}) if words else frozenset()


def is_overtaken(one: Correction, later: Iterable[Correction]) -> bool:
    """Whether a later correction of the same matter calls wrong what this one calls right: it changed again."""
    return any(not _ways(one.new).isdisjoint(_ways(other.old)) and same_thing(one, other) for other in later)


def same_thing(one: Correction, other: Correction) -> bool:
    """Whether two corrections are of the same matter: at least half of the words that tell what one is about."""
    mine, theirs = sorted((one.matter, other.matter), key=len)
    return 2 * len(among(mine, theirs)) >= len(mine) if mine else mine == theirs
