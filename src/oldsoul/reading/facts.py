"""A line of memory as the one fact it states: about whom, which words and values, what it denies, and when it holds."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from oldsoul.language.wording import plain
from oldsoul.language.words import is_unspaced
from oldsoul.reading import denials as denying
from oldsoul.reading import fact_signs
from oldsoul.reading.attributes import Attribute, attributes, possessions
from oldsoul.reading.fact_words import CJK_FUNCTION, CJK_STOPS, VERBS, Word, is_kin, lemma, listed, says
from oldsoul.reading.typed_values import Value, typed_values
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from oldsoul.reading.denials import Denial


NOTHING: frozenset[str] = frozenset()


@frozen
class Fact:
    """What a line states."""

    text: str
    """the line in plain form, without marks and date stamp"""
    stamp: str
    """the date in brackets before it"""
    words: tuple[Word, ...]
    """its words in order"""
    values: tuple[Value, ...]
    """its typed values in order, without those it denies"""
    content: frozenset[str]
    """the lemmas that say something"""
    subject: frozenset[str]
    """the lemmas before its verb; empty when it is about whom the notes are about"""
    who: str
    """first (I), third (she), named, or self where nobody is named"""
    denials: tuple[Denial, ...]
    """what it denies"""
    implied: tuple[Denial, ...]
    """what follows from it that is not so"""
    owned: frozenset[str]
    """the lemmas of what it says somebody or something has"""
    mine: frozenset[str]
    """those of them that whoever speaks has"""
    attributes: tuple[Attribute, ...]
    """attributes of which there is one at a time, with their values"""
    affirmed: frozenset[str]
    """the lemmas it does not deny"""
    frames: frozenset[str]
    """attributes of which there is one at a time, such as a home"""
    weak: frozenset[str]
    """attributes of which there is often but one, such as the place of a thing"""
    signs: frozenset[str]
    """how it is said: question, plan, past, was, did, doing, ought, more, changed, there, part, event, many"""


_WORD = re.compile(r"[A-Za-zÀ-ɏ]+(?:-\d+\w*)|[^\W_]+(?:\+\+|#)?")
_BREAK = re.compile(
    r"[;,:!?。；，：！？、()\[\]]|\.(?=\s|$)|\s[-–—]+\s|\bbut\b|\band (?=(?:can|do|does|is|are|will|has|have|never|no|not)\b)|\bso\b|\bbecause\b|\balthough\b",
    re.IGNORECASE,
)
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


@lru_cache(maxsize=1 << 10)
def fact(line: str) -> Fact:
    """What the line states, remembered for a while."""
    return read(line)


def read(line: str) -> Fact:
    """What the line states."""
    text, stamp = plain(line)
    values = typed_values(text)
    words = tuple(_words(text, values))
    content = frozenset(word.lemma for word in words if word.content)
    subject, who = _subject(text, words, values)
    denials = tuple(denying.denials(text, words, values))
    denied = frozenset(item for denial in denials for item in denial.items | denying.NAMED_BY.get(denial.of, NOTHING))
    owned, mine = possessions(words, speaking=who in ("first", "self"))
    turned = {value for denial in denials for value in denial.values}
    return Fact(
        text=text,
        stamp=stamp,
        words=words,
        values=tuple(value for value in values if value not in turned),
        content=content,
        subject=subject,
        who=who,
        denials=denials,
        implied=denying.implied(text),
        owned=owned,
        mine=mine,
        attributes=attributes(text, words, subject or frozenset((who,))),
        affirmed=frozenset(content - denied | denying.affirmed(words, text)) if denials else content,
        frames=fact_signs.frames(text),
        weak=fact_signs.weak_frames(text),
        signs=fact_signs.signs(text),
    )


def _words(text: str, values: list[Value]) -> list[Word]:
    breaks = [match.end() for match in _BREAK.finditer(text)]
    covered = bytearray(len(text) + 1)
    for value in values:
        covered[value.start : value.end] = b"\1" * (value.end - value.start)
    found: list[Word] = []
    clause = 0
    for match in _WORD.finditer(text):
        for start, piece in _pieces(match):
            while clause < len(breaks) and breaks[clause] <= start:
                clause += 1
            lower = piece.lower()
            unspaced = is_unspaced(piece)
            form = lower if unspaced else lemma(lower)
            letter = len(piece) == 1 and piece.isupper() and start > 0 and piece != "I"  # the A of "server A"
            name = not unspaced and start > 0 and (piece[0].isupper() or any(char.isdecimal() for char in piece))
            tells = not covered[start] and (
                lower not in CJK_FUNCTION if unspaced else (letter or says(lower, form, named=name))
            )
            found.append(Word(lower, form, start, clause, tells, name))
    return found


def _pieces(match: re.Match[str]) -> list[tuple[int, str]]:
    run = match[0]
    if run.isascii() or not _UNSPACED.search(run):
        return [(match.start(), run)]
    pieces: list[tuple[int, str]] = []
    begun = 0
    for at, char in enumerate(run):
        if _UNSPACED.match(char):
            if begun < at:
                pieces.append((match.start() + begun, run[begun:at]))
            pieces.append((match.start() + at, char))
            begun = at + 1
    if begun < len(run):
        pieces.append((match.start() + begun, run[begun:]))
    return pieces


_FIRST = listed("i my we our 我")
_DOERS = listed("i we")
_THIRD = listed("he she they his her their it its 他 她 它")


def _subject(text: str, words: tuple[Word, ...], values: list[Value]) -> tuple[frozenset[str], str]:
    end = min((value.start for value in values), default=len(text))
    colon = text.find(":")
    if 0 < colon < end:
        end = colon
    found: list[str] = []
    person = "self"
    for at, word in enumerate(words):
        if word.start >= end or _is_verb(words, at):
            break
        if word.text in _FIRST or word.text in _THIRD:
            person = "first" if word.text in _FIRST else "third"
        if word.text in _DOERS and not found:
            return NOTHING, person
        if word.content:
            found.append(word.lemma)
    else:
        if end == len(text):
            found = found[:1]  # no verb we know
    return frozenset(found), "named" if found else person


def _is_verb(words: tuple[Word, ...], at: int) -> bool:
    text = words[at].text
    if text in VERBS or text in CJK_STOPS or text.endswith("ed"):
        return True
    named = at == 1 and words[0].content and words[0].clause == words[1].clause and not is_kin(words[0].lemma)
    return named and not words[1].name and len(text) > len("was") and text.endswith("s") and not text.endswith("ss")
