"""Sentences of a message, as people type them: in any case, with or without full stops."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache

from oldsoul.language.cues import any_listed
from oldsoul.language.lexicon import word_list
from oldsoul.lazy import pattern

AGENT = "agent"
"""Whose words a correction is of, where it is of nobody else's."""
_BARE = re.compile(r"^\s*(?:[-*+]\s+)?(?:[^\n:]{1,60}:\s*){0,3}$")
"""What is left of a line that named a speaker, without the name."""


@lru_cache(maxsize=1024)
def quoted(said: str) -> re.Pattern[str]:
    """Finds a sentence wherever it is quoted; of one that was cut short, what there is of it."""
    cut = r"\S*" if said.endswith("…") else ""
    return re.compile(r"\s+".join(map(re.escape, said.rstrip("…").split())) + cut, re.IGNORECASE)


def without_quoted(text: str, said: str) -> str:
    """A text without a sentence wherever it is quoted; a line that says no more goes with it."""
    pattern = quoted(said)
    if pattern.search(text) is None:
        return text
    lines = [(line, pattern.sub("", line).rstrip()) for line in text.split("\n")]
    return "\n".join(left for line, left in lines if left == line.rstrip() or not _BARE.match(left))


_SHORT = [word for own in word_list("words").values() for word in own.get("abbreviations", "").split()]
_ABBREVIATION = pattern(rf"(?:^|[\s(])(?:{'|'.join(map(re.escape, _SHORT))})\.$", re.IGNORECASE)
_ORDINAL = pattern(r"(?<![\w.])\d{1,2}\.$")
_WORD = pattern(r"[^\W\d_]+")
_JOINERS = "\u200c\u200d"
_NO_NAME = str.maketrans({"*": "", "<": "", ">": "", "`": "", "[": "(", "]": ")", "\n": " ", "\t": " "})
_LONGEST_NAME = 100
_END = pattern(r"[.!?…؟۔।॥](?:[\"'”’)\]]|\s?»)*\s+(?!»)|[。！？；][”’」』）]*\s*|\n+")
"""The mark that ends a sentence with what comes before the next one; begun with the mark, it is quickly found."""
_LONGEST_ABBREVIATION = _TAIL = 12
_CLOSED = pattern(r"[\"')\]] ")
_NOTHING = "\"'”’)]」』） .!?…؟۔।॥。！？；"
"""What alone is no sentence."""


def sentences(text: str) -> list[str]:
    """The sentences in order, each with the mark that ends it."""
    if (
        text.isascii()
        and text.isprintable()
        and not (". " in text or "! " in text or "? " in text or _CLOSED.search(text))
    ):
        only = text.strip()
        return [only] if only.strip(_NOTHING) else []
    return [sentence for part in parts(text) if (sentence := part.strip()).strip(_NOTHING)]


def ends_in_question(text: str) -> bool:
    """Whether a text ends in a question, by its mark, or by the word that questions of its language end with."""
    return _asking().search(text[-_TAIL:]) is not None


_CLAUSE = pattern(r"[,;:–—]\s+|\s-\s+|[，；：、]")
_TELLS = 4
"""A clause of so many words states something, unless it begins as a question or a condition does."""


def only_asks(text: str) -> bool:
    """Whether a text is nothing but questions: no sentence of it states something, nor does a clause that leads to a question."""
    return all(ends_in_question(each) and not any(map(_tells, _CLAUSE.split(each)[:-1])) for each in sentences(text))


def _tells(clause: str) -> bool:
    words = clause.casefold().split()
    return len(words) >= _TELLS and words[0] not in _openings()


@cache
def _openings() -> frozenset[str]:
    return frozenset(word for own in word_list("words").values() for word in own.get("open", "").split())


@cache
def _asking() -> re.Pattern[str]:
    words = "|".join(any_listed(own["asks"]) for own in word_list("words").values() if "asks" in own)
    return re.compile(rf"[?？؟;՞፧⁇⁈⁉‽⸮꘏︖﹖❓❔][!！\"'”’)\]」』）\s]*$|(?:{words})[。.!！…\s]*$")


def parts(text: str) -> Iterator[str]:
    """The sentences with what is between them: together they are the text."""
    start = 0
    for end in _END.finditer(text):
        if end[0][0] == "." and "\n" not in end[0]:
            tail = text[max(start, end.start() + 1 - _LONGEST_ABBREVIATION) : end.start() + 1]
            if _ABBREVIATION.search(tail) or (_ORDINAL.search(tail) and _begins_with_month(text, end.end())):
                continue
        yield text[start : end.end()]
        start = end.end()
    yield text[start:]


def _begins_with_month(text: str, at: int) -> bool:
    """Whether the next word is a month: "4. Mai" is a day, and ends no sentence."""
    word = _WORD.match(text, at)
    return word is not None and word[0].lower() in _months()


@cache
def _months() -> frozenset[str]:
    lists = (own["months"] for own in word_list("date").values() if "months" in own)
    return frozenset(name for listed in lists for name in _WORD.findall(listed.lower()))


def cleaned(text: str) -> str:
    """The text without what is no character: control codes go, half a character becomes the mark for one unknown."""
    if text.isascii() and text.isprintable():
        return text
    kept = (
        char for char in text if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cf") or char in _JOINERS
    )
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in kept)


def whole(text: str) -> str:
    """The text with half a character, which no file could hold, made the mark for one unknown."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def name_of(text: str) -> str:
    """What somebody or something is called, as it can be in a line: short, and nothing but a name."""
    return shortened(cleaned(text).translate(_NO_NAME), _LONGEST_NAME)


def shortened(text: str, most: int) -> str:
    """The text on one line and not longer than this, cut between words where it has to be."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    head = line[: most - 1]
    cut = len(head) if line[most - 1] == " " else head.rfind(" ")
    return f"{(head[:cut] if cut > most // 2 else head).rstrip(' ,;:，；：')}…"
