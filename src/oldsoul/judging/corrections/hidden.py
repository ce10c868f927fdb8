"""Whether a text says again what was corrected, and the text without it.

A sentence goes against a correction when it states the wrong value of the same matter and not the right one. What names
both, or denies the wrong one, is never hidden.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from oldsoul.judging.corrections.corrections import Correction
from oldsoul.judging.corrections.values import FirstLook, alike, among, content, holds, keys_of, listed, matter, places
from oldsoul.language.languages import language, little_words
from oldsoul.language.lexicon import word_list
from oldsoul.language.sentences import quoted, sentences, without_quoted
from oldsoul.language.words import is_unspaced, words
from oldsoul.lazy import pattern
from oldsoul.reading.typed_values import MONEY, Value, typed_values

_PART = pattern(r"(?<=;)\s+")
_CLAUSE = pattern(r"(?<=[,，、])(?!\d)")
_TELLING = 4
_TITLE = pattern(r"^\s*(?:#{1,6}\s.*|(?:(?:[-*+]|\d+[.)])\s+)?\*\*[^*\n]+\*\*\s*:?\s*)$")
_FIELD = pattern(
    r"(?i)^\s*(?:[-*+]\s+)?(?:\*\*(?:rooms?|users?|datetime|asked|re-embedded)(?::\*\*|\*\*:).*"
    r"|(?:rooms?|users?|datetime):.*|event:\s*)$"
)
"""Lines of our documents that say with whom and when."""
_FRAME = pattern(r"(?i)^\s*(?:[-*+]\s+)?(?:\[[^\]\n]*\]\([^)\n]*\)|(?:\(added \d{4}-\d\d-\d\d\)\s*)?(?:#\w+\s*)*)\s*$")
"""Lines that are nothing but a link or tags."""
_WORD = pattern(r"[^\W\d_][^\W_]*")
_NAMED = pattern(r"(?<![^\W_])(?:([^\W\d_]{2,})\s+(\d\w*|(?!I\b)[A-Z])|\w*[^\W\d_]\w*\d\w*)(?![^\W_])")
"""What is told from its like by a number or a letter: `room 12`, `team B`, `B52`."""
_STOPS = pattern(r"[.!?;,，。！？；、\n]")
_STOP = pattern(r"[.!?;。！？；]\s+|\n|(?<=\w):\s")
_YEAR = 31_557_600.0
"""Units in seconds, to compare durations."""
_NEAR = 2
_HALF = 0.5


def is_against(one: Correction, text: str, around: str = "") -> bool:
    """Whether a text says again what a correction calls wrong: the old value, and not the new one, of the same matter.

    `around` is what is around a sentence that does not say itself what it is about.
    """
    return may_be_against(one, text, around) and not (one.old and not one.said and _is_of_another(one, text))


def may_be_against(one: Correction, text: str, around: str = "") -> bool:
    """The same, of whatever subject: Ann's key may hang where Ben's does."""
    if one.said:
        return quoted(one.said).search(text) is not None
    if not one.old or not holds(text, one.old) or (one.new and holds(text, one.new)):
        return False
    start, end = next(places(text, one.old))
    if _denied().search(text, max(start - 40, 0), start) or not _same_measure(one, text):
        return False
    about = matter(one.means, one.old, one.new) or matter(one.correct, one.old, one.new)
    shared = among(about, content(text))
    if shared:
        return _says_it_of(about, text, start, end)
    own = content(f"{text[:start]} {text[end:]}")
    return not own and len(among(about, content(around))) > len(about) * _HALF


def of_one_slot(right: str, new: str, text: str, old: str) -> bool:
    """Whether two statements are of one subject and slot: not both name what the other does not, before their values."""
    mine, theirs = (_named(*each) for each in ((right, new), (text, old)))
    values = content(old) | content(new)
    differ = mine - among(mine, content(text)) - values and theirs - among(theirs, content(right)) - values
    return not (differ or _differ(_told_apart(right, new), _told_apart(text, old)))


def unmatched_subject(right: str, new: str, text: str, old: str) -> frozenset[str]:
    """What a text names before its value that a statement does not."""
    theirs = _named(text, old)
    apart = _told_apart(text, old) - _told_apart(right, new)
    return apart | theirs - among(theirs, content(right)) - content(old) - content(new)


def _told_apart(text: str, value: str) -> frozenset[str]:
    """What stands before a value in its sentence and counts as it is written: numbers of rooms, letters of teams, he or she."""
    end = next(places(text, value), (len(text), len(text)))[0]
    begin = max((stop.end() for stop in _STOP.finditer(text, 0, end)), default=0)
    code, said = language(text), text[begin:end]
    dates = [(v.start, v.end) for v in typed_values(said) if v.kind in ("date", "time")]
    numbered = (
        (one[2] or one[0]).casefold()
        for one in _NAMED.finditer(said)
        if not (one[1] and not content(one[1], code))
        and not any(start < one.end() and one.start() < end for start, end in dates)
    )
    others = word_list("conflict").get(code, {}).get("other", "").split(", ")
    return frozenset(numbered) | frozenset(words(said)).intersection(others)


def _differ(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    return bool(mine - theirs and theirs - mine)


def _named(text: str, value: str) -> frozenset[str]:
    """What a text names before a value in its sentence; in all of it where nothing is before."""
    start, end = next(places(text, value), (len(text), len(text)))
    return frozenset(_before(text, start)) or content(f"{text[:start]} {text[end:]}")


def _before(text: str, at: int) -> list[str]:
    """The words that say what a sentence is about, before a place in it, in order."""
    code = language(text)
    begins = max((stop.end() for stop in _STOP.finditer(text, 0, at)), default=0)
    return [form for word in _WORD.finditer(text, begins, at) for form in sorted(content(word[0], code))]


def _is_of_another(one: Correction, text: str) -> bool:
    """Whether a text says the same of another subject: the words before the value end alike, and begin with others."""
    if any(map(is_unspaced, text)):
        return False
    correct = one.means if one.new and holds(one.means, one.new) else one.correct
    right = next(places(correct, one.new), None) if one.new else None
    if right is None:
        return False
    mine, theirs = _before(correct, right[0]), _before(text, next(places(text, one.old))[0])
    same = 0
    while same < min(len(mine), len(theirs)) and alike(mine[-1 - same], theirs[-1 - same]):
        same += 1
    if not same:
        return False
    own, other = mine[: len(mine) - same], theirs[: len(theirs) - same]
    if _differ(_told_apart(correct, one.new), _told_apart(text, one.old)):
        return True
    return len(among(own, theirs)) < len({*own}) and len(among(other, mine)) < len({*other})


def asked_about(one: Correction, question: str) -> bool:
    """Whether a question is about what was corrected."""
    return bool(among(matter(one.means, one.old, one.new) or matter(one.correct, one.old, one.new), content(question)))


def has_old(one: Correction, text: str) -> bool:
    """Whether a text has the wrong value, of whatever matter but of no other subject, and not the right one."""
    stated = holds(text, one.old) and not (one.new and holds(text, one.new)) and _same_measure(one, text)
    return stated and not _is_of_another(one, text)


@cache
def _denied() -> re.Pattern[str]:
    """Finds a word that denies what comes after it, right at the end of a text."""
    words = sorted((re.escape(word) for word in listed("not")), key=len, reverse=True)
    return re.compile(rf"(?i)(?<!\w)(?:{'|'.join(words)})\s+(?:\w{{1,4}}\s+)?$" if words else r"(?!)")


def _says_it_of(about: frozenset[str], text: str, start: int, end: int) -> bool:
    """Whether a text says the value of the matter: no other thing is between them in the clause.

    Where Tom lives is not where he studied, and the rent of the garage is not the rent.
    """
    if any(map(is_unspaced, text)):
        return True
    code = language(text)
    spans = [m.span() for m in _WORD.finditer(text) if among(content(m[0], code), about)]
    before = [last for _, last in spans if last <= start]
    after = [first for first, _ in spans if first >= end]
    named = len(among(about, content(text)))  # the more exactly a matter is named, the less another word matters
    if before and len(_others(about, text[before[-1] : start], code)) < named:
        return True
    if after and len(_others(about, text[end : after[0]], code)) <= _NEAR and not before:
        return True
    parted = [text[before[-1] : start]] if before else []
    parted += [text[end : after[0]]] if after else []
    return any(_STOPS.search(between) for between in parted) or not (before or after)


def _others(about: frozenset[str], between: str, code: str) -> frozenset[str]:
    """The words between a matter and a value that make it another matter's; its own clause makes none."""
    values = " ".join(value.said for value in typed_values(between))
    found = content(between, code) - content(values)
    return frozenset(word for word in found if not any(alike(word, other) for other in about))


def _same_measure(one: Correction, text: str) -> bool:
    """Whether the wrong value is of the same measure where a text states it: `7` years are not `7` players."""
    mine = [value for value in typed_values(one.old) if value.kind == "number"]
    if not mine:
        return True
    stated = [v for v in (*typed_values(one.means), *typed_values(one.correct)) if v.kind == "number"]
    units = {_measure(value.unit) for value in (*mine, *(v for v in stated if one.new and holds(v.said, one.new)))}
    number = float(mine[0].key[0] or 0)
    theirs = [
        v for v in typed_values(text) if v.kind == "number" and (keys_of(v) & keys_of(mine[0]) or _is_same(v, one.old))
    ]
    no_unit = {"", *little_words(language(text))}
    return not theirs or any(
        v.unit in no_unit or _measure(v.unit) in units or v.key[0] == number * _YEAR  # `seven` is an age too
        for v in theirs
    )


def _is_same(value: Value, old: str) -> bool:
    return value.said.split()[0].casefold() == old.casefold()


def _measure(unit: str) -> str:
    """What a unit measures: money is money, for whatever time."""
    return MONEY if unit.startswith(MONEY) else unit


# a text without it


def against(standing: Iterable[Correction], text: str) -> Correction | None:
    """The correction that a text goes against."""
    look = FirstLook(text)
    return next((one for one in standing if look.may_hold(one.old) and is_against(one, text)), None)


def without_wrong(standing: Iterable[Correction], text: str) -> str:
    """A text without the sentences that say again what was wrong; empty when nothing else is left."""
    look = FirstLook(text)
    concerned = [one for one in standing if one.old and look.may_hold(one.old)]
    kept = text
    for one in concerned:
        kept = cut(one, kept)
    if kept == text:
        return text
    return kept if any(_says_something(line, concerned) for line in kept.split("\n")) else ""


def cut(one: Correction, text: str) -> str:
    """A text without its sentences, or their clauses, that say again what one correction calls wrong."""
    if one.said:
        return without_quoted(text, one.said)
    lines = [[part for s in sentences(line) for part in _PART.split(s)] for line in text.split("\n")]
    kept = [[left for s in line if (left := _besides(one, s) if is_against(one, s, text) else s)] for line in lines]
    return text if kept == lines else "\n".join(" ".join(line) for line in kept if line)


def _besides(one: Correction, sentence: str) -> str:
    """What a sentence says besides the clause with the wrong value; nothing where that is too little to be understood."""
    rest = "".join(clause for clause in _CLAUSE.split(sentence) if not holds(clause, one.old)).rstrip(" ,，、")
    return rest if len(content(rest)) >= _TELLING else ""


def _says_something(line: str, standing: Iterable[Correction]) -> bool:
    """Whether a line is more than what frames a text; a title is where it tells what is right."""
    if _TITLE.match(line):
        return any(one.new and holds(line, one.new) for one in standing)
    return _FIELD.match(line) is None and _FRAME.match(line) is None
