"""Values in texts: where a whole value occurs, the same text with another value, and what a text is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from hashlib import blake2b

from oldsoul.language.languages import ENGLISH, bare, language, little_words
from oldsoul.language.lexicon import word_list
from oldsoul.language.words import is_unspaced, stem, unspaced_content, words
from oldsoul.lazy import pattern
from oldsoul.reading.typed_values import Value, comparable, same_sum, sum_of, typed_values
from oldsoul.values.frozen import frozen

SECTION = "correction"
"""The section of the language files that the rules of corrections read."""
_BARE = pattern(r"[\d\W_]+")
_LETTER = pattern(r"[^\W_\u3040-\u30ff\u3400-\u9fff]")
_LETTER_OR_FIGURE = pattern(r"[^\W_]")
_KATAKANA = pattern("[ァ-ヺー]")
_JOINED_BEFORE, _JOINED_AFTER = pattern(r"[^\W_][-./:_@#\\]|\d,"), pattern(r"[-./:_@#\\][^\W_]|,\d")
"""Where another part of one written thing begins: of a fraction, a decimal, a version, an address, a compound."""
_CODE = pattern(r"`([^`\n]+)`|\S+://\S+")
_FIGURES = pattern(r"\d[\d.,]*\d|\d")
_FOLDED = str.maketrans({"œ": "oe", "æ": "ae", "ø": "o", "ł": "l"})
_PREFIX, _PREFIX_SHARE = 4, 0.6
_DOTS = str.maketrans("İı", "ii")
"""To a search that minds no case an `i` is an `i`, with a dot or without."""


def listed(kind: str, code: str = "") -> tuple[str, ...]:
    """The items of one kind that the language files list for corrections; of one language, or of all."""
    lists = word_list(SECTION)
    codes = (code,) if code else tuple(lists)
    return tuple(item for each in codes for item in lists.get(each, {}).get(kind, "").split(" | ") if item)


def alternatives(items: Iterable[str]) -> str:
    """A pattern for any of some words, each as a whole word where words are parted by spaces."""
    written = sorted((re.escape(item).replace(r"\ ", r"\s+") for item in items), key=len, reverse=True)
    joined = "|".join(written) or r"(?!)"
    spaced = not any(map(is_unspaced, "".join(written)))
    return rf"(?<![\w-])(?:{joined})(?!\w)" if spaced else f"(?:{joined})"


@cache
def of_any(items: tuple[str, ...]) -> re.Pattern[str]:
    """Finds any of some words or phrases."""
    kinds = [[one for one in items if any(map(is_unspaced, one)) == unspaced] for unspaced in (False, True)]
    return re.compile("|".join(alternatives(some) for some in kinds if some) or r"(?!)", re.IGNORECASE)


# where a value is


def places(text: str, value: str) -> Iterator[tuple[int, int]]:
    """Where a text has a value as a whole: in these very words, else as a typed value that comes to the same."""
    found = list(_worded(text, value))
    yield from found
    if not found:
        yield from ((same.start, same.end) for same in _stated(text, value))


def holds(text: str, value: str) -> bool:
    """Whether a text states this value, in these words or others."""
    return next(places(text, value), None) is not None


def swapped(text: str, old: str, new: str) -> str:
    """A text with another value in the place of the first that is this one; empty when it does not state it."""
    place = next(places(text, old), None)
    return f"{text[: place[0]]}{new}{text[place[1] :]}" if place else ""


def _worded(text: str, value: str) -> Iterator[tuple[int, int]]:
    """Where a text has these very words, with nothing next to them that belongs to them.

    What may be next to them is checked separately: in one pattern with the value, it would be made again for each.
    """
    if not value:
        return
    adjacent = _LETTER_OR_FIGURE if _BARE.fullmatch(value) else _LETTER
    for found in re.compile(re.escape(value), re.IGNORECASE).finditer(text):
        start, end = found.span()
        before = start > 0 and value[0].isascii() and adjacent.match(text, start - 1)
        after = value[-1].isascii() and adjacent.match(text, end)
        joined = any(map(_KATAKANA.match, (value[-1], value[0]))) and (
            _KATAKANA.match(text, end) or (start and _KATAKANA.match(text, start - 1))
        )
        if not (before or after or joined or is_part(text, start, end)):
            yield start, end


def is_part(text: str, start: int, end: int) -> bool:
    """Whether a match is part of something larger: a fraction, a decimal, an address, or code."""
    if _JOINED_BEFORE.fullmatch(text, max(start - 2, 0), start) or _JOINED_AFTER.match(text, end):
        return True
    codes = (found for found in _CODE.finditer(text) if found.start() < start and end < found.end())
    return any((found[1] or "").strip() != text[start:end] for found in codes)


def _stated(text: str, value: str) -> list[Value]:
    """The typed values of a text that come to the same as this one: `tuesdays` is `Tuesday`."""
    mine = typed_values(value)
    if len(mine) != 1:
        return []
    found = typed_values(text)
    same = [other for other in found if comparable(mine[0], other) and mine[0].key == other.key]
    return same or [each for other in found if (each := same_sum(mine[0], other)) is not None]


def figures(value: Value) -> tuple[int, int] | None:
    """The position of a value's number, without its unit; None where it is written in words."""
    found = _FIGURES.search(value.said)
    return (value.start + found.start(), value.start + found.end()) if found else None


def value_like(text: str, old: str) -> str:
    """The last value of a text that is of the same type as another one; empty when there is none."""
    wanted = typed_values(old)
    found = [value.said.strip() for value in typed_values(text) if wanted and comparable(value, wanted[0])]
    return found[-1] if found else ""


# a first look


class FirstLook:
    """A look at a text that is cheap and misses nothing: of many texts few can state a value at all."""

    __slots__ = ("_text", "_values", "_words")

    def __init__(self, text: str) -> None:
        self._text = text
        self._words = caseless(text)
        self._values: frozenset[tuple[object, ...]] | None = None

    def may_hold(self, value: str) -> bool:
        """Whether `holds` has to be asked; where not, the text does not state the value."""
        words, keys = sought(value)
        return bool(words) and (words in self._words or (bool(keys) and not keys.isdisjoint(self._stated())))

    def _stated(self) -> frozenset[tuple[object, ...]]:
        """What its typed values come to; looked for once, and only when a typed value is asked for."""
        if self._values is None:
            self._values = _stated_keys(self._text)
        return self._values


_REMEMBERED = 1 << 14
"""Of so many texts it is remembered what their values come to: a search looks at dozens for each correction."""
_keys: dict[bytes, frozenset[tuple[object, ...]]] = {}
"""By the hash of a text: the texts themselves are not held. Threads share it; each step is one of the dictionary's own."""


def _stated_keys(text: str) -> frozenset[tuple[object, ...]]:
    """What the typed values of a text come to."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    found = _keys.get(digest)
    if found is None:
        found = frozenset(key for value in typed_values(text) for key in keys_of(value))
        if len(_keys) >= _REMEMBERED:
            _keys.clear()
        _keys[digest] = found
    return found


@lru_cache(maxsize=4096)
def sought(value: str) -> tuple[str, frozenset[tuple[object, ...]]]:
    """By which words, and by which typed values, a text can state a value."""
    typed = typed_values(value)
    return caseless(value), keys_of(typed[0]) if len(typed) == 1 else frozenset()


def keys_of(value: Value) -> frozenset[tuple[object, ...]]:
    """What a value comes to; a sum of money also without the time it is for."""
    alone = sum_of(value)
    return frozenset({value.key} if alone is None else {value.key, alone.key})


def caseless(text: str) -> str:
    """A text as it is searched without regard to case."""
    return text.translate(_DOTS).casefold()


# what a text is about


@lru_cache(maxsize=4096)
def content(text: str, code: str = "") -> frozenset[str]:
    """The words of a text that say what it is about, in one form: no little ones, none that only lead to a value.

    `code` is its language, where that is known.
    """
    if any(map(is_unspaced, text)):
        return unspaced_content(text)
    code = code or language(text)
    no_content = frozenset(map(_plain, little_words(code))) | little_words(ENGLISH) | _said_of_anything(code)
    found = (word for word in map(_plain, words(text)) if word not in no_content)
    return frozenset(stem(word) for word in found if len(word) > 1 and not word.isdecimal())


def _plain(word: str) -> str:
    """A word without accents and ligatures."""
    return bare(word.translate(_FOLDED))


@lru_cache(maxsize=64)
def _said_of_anything(code: str) -> frozenset[str]:
    """Words that lead up to values, and words that say that something is corrected, in a language and in English."""
    kinds = [item for one in (code, ENGLISH) for kind in ("is", "frame") for item in listed(kind, one)]
    return frozenset(_plain(word) for item in kinds for word in words(item))


def alike(word: str, other: str) -> bool:
    """Whether two words are forms of one, as far as their beginnings tell."""
    if word == other:
        return True
    shared = next((n for n, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other)))
    return shared >= max(_PREFIX, _PREFIX_SHARE * max(len(word), len(other)))


def among(wanted: Iterable[str], others: Iterable[str]) -> frozenset[str]:
    """Those of some words that others have, in one form or another."""
    held = frozenset(others)
    return frozenset(word for word in wanted if word in held or any(alike(word, other) for other in held))


@lru_cache(maxsize=4096)
def matter(means: str, old: str, new: str) -> frozenset[str]:
    """The words that tell what a correction is about: those of the right statement without the two values.

    What both values have in common belongs to it (`pytest 7`, `pytest 8`), but for units and the like.
    """
    typed = " ".join(value.said for text in (old, new) for value in typed_values(text))
    unspaced = any(map(is_unspaced, old))
    common = frozenset() if unspaced else (content(old) & content(new)) - content(typed)
    return content(means) - content(old) - content(new) | common


CLAUSE = re.compile(r"[;()\[\]、，；：（）]|[,:](?!\d)|\s[-–—]+\s|…|\.\.+")
TRIMMED = " \t,;:.!?\"'()[]…*–—、，。！？「」『』"
_HIRAGANA = re.compile("[ぁ-ゖ]")
MOST_WORDS = 8


@frozen
class ValueMention:
    """The words of a message that name one of the two values, perhaps among others."""

    text: str
    """the words"""
    ahead: bool
    """whether other words of the sentence may be before the value"""
    behind: bool
    """whether other words may be after it"""


def candidates(slot: ValueMention, code: str) -> Iterator[str]:
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


def values_of(slot: ValueMention, code: str) -> list[Value]:
    """The typed values that a slot names; of an open one those nearest to the form."""
    nearest = first_clause(slot.text, code) if slot.behind else slot.text
    if slot.ahead:
        nearest = next((p for p in reversed(CLAUSE.split(nearest)) if p and p.strip(TRIMMED)), nearest)
    return [v for v in typed_values(nearest) if not is_part(nearest, v.start, v.end)]
