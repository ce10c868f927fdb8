"""Words cut to their stems by Porter's rules, so that `painted` finds `paint`."""

from __future__ import annotations

import re

from oldsoul.language.lexicon import word_list

_C = "(?:[^aeiou](?:[^aeiouy])*)"
_V = "(?:[aeiouy](?:[aeiou])*)"
_MEASURE_1 = re.compile(f"^{_C}?{_V}{_C}")
_MEASURE_EXACTLY_1 = re.compile(f"^{_C}?{_V}{_C}{_V}?$")
_MEASURE_2 = re.compile(f"^{_C}?{_V}{_C}{_V}{_C}")
_VOWEL = re.compile(f"^{_C}?[aeiouy]")
_SHORT = re.compile("^(?:[^aeiou][^aeiouy]*)[aeiouy][^aeiouwxy]$")
_DOUBLE = re.compile(r"([^aeioulsz])\1$")

_STEP_2 = (
    *(("ational", "ate"), ("ization", "ize"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous")),
    *(("tional", "tion"), ("biliti", "ble"), ("entli", "ent"), ("ousli", "ous"), ("ation", "ate"), ("alism", "al")),
    *(("aliti", "al"), ("iviti", "ive"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("alli", "al")),
    *(("ator", "ate"), ("logi", "log"), ("bli", "ble"), ("eli", "e")),
)
_STEP_3 = (
    *(("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ness", ""), ("ful", "")),
)
_STEP_4 = (
    *("ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ion", "ism", "ate", "iti", "ous", "ive", "ize"),
    *("al", "er", "ic", "ou"),
)
"""Endings, the longest first."""
_ENDS_2 = tuple(ending for ending, _ in _STEP_2)
_ENDS_3 = tuple(ending for ending, _ in _STEP_3)
_SHORTEST = 3
"""Shorter words are left as they are."""


def stem(word: str) -> str:
    """The stem of a lower-case English word; a word in another alphabet comes back as it is."""
    if len(word) < _SHORTEST or not word.isascii() or not word.isalpha():
        return word
    word = word[0].replace("y", "Y") + word[1:]
    word = _step_1(word)
    if word.endswith(_ENDS_2):
        word = _replaced(word, _STEP_2)
    if word.endswith(_ENDS_3):
        word = _replaced(word, _STEP_3)
    if word.endswith(_STEP_4):
        word = _step_4(word)
    return _step_5(word).lower()


def _step_1(word: str) -> str:
    if word.endswith("s"):
        if word.endswith(("sses", "ies")):
            word = word[:-2]
        elif not word.endswith("ss"):
            word = word[:-1]
    if word.endswith("eed"):
        if _MEASURE_1.match(word[:-3]):
            word = word[:-1]
    else:
        for ending in ("ed", "ing"):
            rest = word[: -len(ending)]
            if word.endswith(ending) and _VOWEL.match(rest):
                word = _mended(rest)
                break
    if word.endswith("y") and _VOWEL.match(word[:-1]):
        word = word[:-1] + "i"
    return word


def _mended(word: str) -> str:
    """What is left of a word without its -ed or -ing, made a word again."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if _DOUBLE.search(word):
        return word[:-1]
    return word + "e" if _SHORT.match(word) else word


def _replaced(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    for ending, other in endings:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            return rest + other if _MEASURE_1.match(rest) else word
    return word


def _step_4(word: str) -> str:
    for ending in _STEP_4:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            if ending == "ion" and not rest.endswith(("s", "t")):
                continue
            return rest if _MEASURE_2.match(rest) else word
    return word


def _step_5(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        if _MEASURE_2.match(rest) or (_MEASURE_EXACTLY_1.match(rest) and not _SHORT.match(rest)):
            word = rest
    if word.endswith("ll") and _MEASURE_2.match(word):
        word = word[:-1]
    return word


def _families() -> dict[str, str]:
    """Every listed word and its stem, with the stem that stands for it: families between bars, first the word for all."""
    heads: dict[str, str] = {}
    for family in word_list("words")["en"]["families"].split("|"):
        listed = family.split()
        if listed:
            cut = [stem(word) for word in listed]
            for word in (*listed, *cut):
                heads.setdefault(word, cut[0])
    return heads


FAMILY = _families()
"""What stands for a word, by the word and by its stem."""
