"""Which language a text is in, by the small words it has; and which words of a language say nothing, ask, or mean whoever speaks."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import cache, lru_cache

from oldsoul.language.lexicon import word_list
from oldsoul.language.words import is_foreign
from oldsoul.lazy import pattern
from oldsoul.values.frozen import frozen

ENGLISH = "en"
_WORD = pattern(r"[^\W\d_]+")
_SCRIPTS = (
    ("ko", pattern("[\uac00-\ud7af]")),
    ("ja", pattern("[\u3040-\u30ff]")),
    ("zh", pattern("[\u3400-\u9fff\uf900-\ufaff]")),
    ("ru", pattern("[\u0400-\u04ff]")),
)
"""Languages recognised by their letters, in the order in which these are looked for."""
_WHOLE = 5040
"""A word's vote, which is shared by the languages that have it."""
_PLAIN = frozenset(map(chr, range(128)))
_NOUNS = ("de",)
"""Languages that write more than names with a capital."""
_ASKS = 3
"""Of several words that ask together the first tells a language if it has so many letters."""
_READ_MOST = 400
"""So many characters of a text say which language it is in."""


@frozen
class Language:
    """What is known of a language."""

    asking: Mapping[str, re.Pattern[str]]
    """how a time (`when`), a name (`name`) or a number (`count`) is asked for"""
    mine: frozenset[str]
    """words for whoever speaks"""
    doing: frozenset[str] = frozenset()
    """words for what one does on any day: said, did, happened"""
    ends: re.Pattern[str] | None = None
    """what is written on to the ends of its words"""


def language(text: str) -> str:
    """The code of the language a text is in; English where nothing speaks against it, nothing for one nobody knows."""
    return detected_language(text) or (ENGLISH if not is_foreign(text[:_READ_MOST]) else "")


@lru_cache(maxsize=1 << 12)
def detected_language(text: str) -> str:
    """The same, but nothing where no little word speaks for any language.

    A word with a capital may be a name (Mia, Las Vegas): it does not count, unless it is the first and asks, or is not
    the only one of its language. Accents, which names have too, decide between languages that have a word; where none has, those of words that
    are no names speak.
    """
    text = text[:_READ_MOST]
    low = text.casefold()
    script = next((code for code, letters in _SCRIPTS if letters.search(low)), "") if is_foreign(low) else ENGLISH
    if script not in (ENGLISH, "ru"):
        return script
    words = _WORD.findall(low if text.isupper() else text)
    votes = dict.fromkeys((script, *word_list("talk")), 0)
    _vote(votes, (word for word in words if word[0].islower()))
    _vote(votes, (word.casefold() for word in words[1:] if not word[0].islower()), _NOUNS)
    if words and not words[0][0].islower():
        first = words[0].casefold()
        _vote(votes, [first], [code for code in _codes().get(first, ()) if votes[code] or first in _asking(code)])
    if not low.isascii():
        some = [code for code, count in votes.items() if count]
        letters = low if some else "".join(word for word in words if word[0].islower())
        _vote(votes, set(letters) - _PLAIN, some or None)
    code = max(votes, key=votes.__getitem__)  # the first of several
    return code if votes[code] or script != ENGLISH else ""


def _vote(votes: dict[str, int], words: Iterable[str], among: Collection[str] | None = None) -> None:
    """Have words, or letters, speak for the languages that have them, or for some of these."""
    codes = _codes()
    for word in words:
        own = codes.get(word, ())
        for code in own:
            if among is None or code in among:
                votes[code] += _WHOLE // len(own)


@cache
def _asking(code: str) -> frozenset[str]:
    """The words of a language that questions begin with; in English all little ones."""
    kinds = word_list("question").get(code, {})
    asking = (kinds.get(kind, "") for kind in ("when", "name", "count"))
    listed = [each for patterns in asking for each in patterns.split(" | ") if each]
    begins = {each.split()[0] for each in listed if each.isalpha() or len(each.split()[0]) >= _ASKS}
    return little_words(code) if code == ENGLISH else frozenset(filter(str.isalpha, begins))


def spoken_most(texts: Iterable[str]) -> str:
    """The language in Latin letters that most of some texts are in; English where that is none."""
    counts = Counter(language(text) for text in texts if not is_foreign(text))
    code, count = counts.most_common(1)[0] if counts else (ENGLISH, 0)
    return code if 2 * count > counts.total() else ENGLISH


@cache
def known(code: str) -> Language | None:
    """What is known of a language; None for one nobody wrote down."""
    kinds = word_list("talk").get(code)
    if kinds is None:
        return None
    asking = word_list("question").get(code, {}) if code != ENGLISH else {}
    return Language(
        {kind: _any(asking[kind].split(" | ")) for kind in ("when", "name", "count") if kind in asking},
        frozenset(kinds["mine"].split()),
        frozenset(each for word in kinds.get("doing", "").split() for each in (word, bare(word))),
        re.compile(f"(?<=\\w)(?:{'|'.join(kinds['ends'].split())})$") if "ends" in kinds else None,
    )


@cache
def little_words(code: str) -> frozenset[str]:
    """The words of a language that say nothing about what is asked, with and without accents; none where nobody knows."""
    return frozenset(
        each for word in word_list("talk").get(code, {}).get("little", "").split() for each in (word, bare(word))
    )


def bare(word: str) -> str:
    """A word without its accents, if it is written in Latin letters."""
    if word.isascii():
        return word
    taken = unicodedata.normalize("NFD", word)
    return "".join(char for char in taken if not unicodedata.combining(char)) if taken[0].isascii() else word


@cache
def _codes() -> dict[str, tuple[str, ...]]:
    """The languages that a word or a letter speaks for."""
    found: dict[str, list[str]] = {}
    for code, kinds in word_list("talk").items():
        listed = {*kinds["little"].split(), *kinds.get("also", "").split()}
        for word in {*listed, *map(bare, listed), *kinds.get("letters", "").split()}:
            found.setdefault(word, []).append(code)
    return {word: tuple(codes) for word, codes in found.items()}


def _any(patterns: list[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(patterns)})(?!\w)", re.IGNORECASE)
