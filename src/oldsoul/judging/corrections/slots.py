"""The words of a message that name one of two values: which they may be, and the typed values among them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oldsoul.judging.corrections.values import content, is_part, listed, of_any
from oldsoul.language.languages import bare, little_words
from oldsoul.language.words import is_unspaced
from oldsoul.reading.typed_values import typed_values
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oldsoul.reading.typed_values import Value

CLAUSE = re.compile(r"[;()\[\]、，；：（）]|[,:](?!\d)|\s[-–—]+\s|…|\.\.+")
TRIMMED = " \t,;:.!?\"'()[]…*–—、，。！？「」『』"
_HIRAGANA = re.compile("[ぁ-ゖ]")
MOST_WORDS = 8


@frozen
class Slot:
    """The words of a message that name one of the two values, perhaps with others beside them."""

    text: str
    """the words"""
    ahead: bool
    """whether other words of the sentence may stand before the value"""
    behind: bool
    """whether other words may stand after it"""


def candidates(slot: Slot, code: str) -> Iterator[str]:
    """What the wrong value may be, the longest first: all the words, or fewer where the slot is open."""
    text = first_clause(slot.text, code) if slot.behind else slot.text
    text = last_clause(text, code) if slot.ahead else text
    if any(map(is_unspaced, text)):
        yield text.strip(TRIMMED)
        return
    tokens = text.split()
    for size in range(min(len(tokens), 2 * MOST_WORDS), 0, -1):
        if size < len(tokens) and not (slot.ahead or slot.behind):
            return
        yield " ".join(tokens[-size:] if slot.ahead else tokens[:size]).strip(TRIMMED)
    for start in range(1, len(tokens)):
        if not is_little(tokens[start - 1], code):
            return
        rest = tokens[start:]
        for size in range(min(len(rest), 2 * MOST_WORDS) if not slot.ahead else 0, 0, -1):
            if size == len(rest) or slot.behind:
                yield " ".join(rest[:size]).strip(TRIMMED)


def first_clause(text: str, code: str) -> str:
    """A text up to where its first clause ends, or a word goes on with something else."""
    first = CLAUSE.split(text, maxsplit=1)[0].strip(TRIMMED)
    if not any(map(is_unspaced, first)):
        ends = of_any(listed("ends", code)).search(first)
        return first[: ends.start()].strip(TRIMMED) if ends and ends.start() else first
    while end := next((each for each in listed("ends", code) if first.endswith(each) and first != each), ""):
        first = first.removesuffix(end).strip(TRIMMED)
    return "" if _HIRAGANA.search(first) else first


def last_clause(text: str, code: str) -> str:
    """A text from where its last clause begins, without what leads up to a value."""
    last = next((part for part in reversed(CLAUSE.split(text)) if part and part.strip(TRIMMED)), "")
    leads = list(of_any(listed("is", code) + listed("is", "any")).finditer(last))
    return (last[leads[-1].end() :] if leads else last).strip(TRIMMED)


def is_little(word: str, code: str) -> bool:
    """Whether a word is one of a language's little words, or none at all."""
    low = word.strip(TRIMMED).casefold()
    return low in little_words(code) or bare(low) in little_words(code) or not low


def typed_whole(phrase: str) -> Value | None:
    """The typed value that a phrase is, with nothing else in it but little words."""
    values = typed_values(phrase)
    if len(values) != 1 or content(f"{phrase[: values[0].start]} {phrase[values[0].end :]}"):
        return None
    return None if is_part(phrase, values[0].start, values[0].end) else values[0]


def values_of(slot: Slot, code: str) -> list[Value]:
    """The typed values that a slot names; of an open one those nearest to the form."""
    nearest = first_clause(slot.text, code) if slot.behind else slot.text
    if slot.ahead:
        nearest = next((p for p in reversed(CLAUSE.split(nearest)) if p and p.strip(TRIMMED)), nearest)
    return [v for v in typed_values(nearest) if not is_part(nearest, v.start, v.end)]
