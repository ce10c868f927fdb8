"""Times that are in a text, in any language: found by the forms of the `date` section of the language files.

A line of it says what words mean (`months: 1 january,jan | 2 february`), lists words (`in: in,since`), or gives the
forms of a kind of time, with `||` between them. What `any.txt` gives holds for languages that have no own form.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from functools import cache, lru_cache

from oldsoul.language.cues import SLOT, any_of, filled, meanings, plain, unaccented, words_pattern
from oldsoul.language.languages import ENGLISH, detected_language, little_words
from oldsoul.language.lexicon import ANY, word_list
from oldsoul.language.words import plain_words
from oldsoul.reading.numbers import number
from oldsoul.values.frozen import frozen

KINDS = (
    *("season", "date", "year", "lone", "monthday", "ago", "ahead", "stretch"),
    *("week", "beside", "on", "today", "alone"),
)
"""Kinds of times in order of trust: what one has found is not for another."""
_MEANT = ("months", "weekdays", "units", "counts", "steps", "near", "seasons")
_LEADING = ("months", "weekdays", "units", "steps", "near", "seasons")
_SLOTS = {
    "month": "months",
    "sure": "months",
    "season": "seasons",
    "weekday": "weekdays",
    "near": "near",
    "unit": "units",
}
"""What a form is led by: without one of the words of its first such slot a text has nothing of that form."""
_RUN = re.compile(r"\w+")
_DIGIT = re.compile(r"\d")
_READ_MOST = 10_000
"""So many characters of a text are read."""
_SHORTEST = 3
"""A word without its accents says which language it is of if it has so many letters."""
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_LONE, _YEARS = "lone", "years"
_END = re.compile(r"[.!?;:。！？；\n]")
_CLAUSE = re.compile(r"[,，、]|[.!?;:。！？；\n]")


@frozen
class TimeWords:
    """What words for times mean in a language."""

    code: str
    """Which language."""
    months: Mapping[str, float]
    """From 1."""
    weekdays: Mapping[str, float]
    """From 0 for Monday; 7 for the end of the week."""
    units: Mapping[str, float]
    """How many days they have: 1, 7, 30, 365, and 2 for a weekend."""
    counts: Mapping[str, float]
    """Numbers, `few` and `half a` among them."""
    steps: Mapping[str, float]
    """How many weeks, months or years ahead: -1 for `last`."""
    near: Mapping[str, float]
    """How many days ahead: -1 for `yesterday`."""
    seasons: Mapping[str, float]
    """The month each begins with."""

    @property
    def unspaced(self) -> bool:
        """Whether the language writes no spaces between words, or joins them."""
        return bool(self.listed("script"))

    def listed(self, kind: str) -> str:
        """What the language lists under a kind: words with commas between."""
        return word_list("date").get(self.code, {}).get(kind, "")

    def finds(self, kind: str) -> re.Pattern[str]:
        """A pattern for what it lists under a kind."""
        return words_pattern(self.listed(kind) or "(?!)", edges=not self.unspaced)


@frozen
class Time:
    """A time in a text."""

    kind: str
    """Which of `KINDS`."""
    parts: Mapping[str, str]
    """What is in its slots."""
    words: TimeWords
    """What the words there mean."""
    text: str
    """The plain text it is in."""
    start: int
    """Where it begins."""
    end: int
    """Where it ends."""
    core: int
    """Where it begins without the small words in front."""

    def number(self, part: str) -> float:
        """A number in one of its slots, in digits or in words."""
        said = self.parts[part]
        found = self.words.counts.get(said) if not said.isdigit() else int(said)
        return found if found is not None else number(said, self.words.code) or 0.0

    @property
    def month(self) -> int:
        """The number of the month it names, or 0."""
        said = self.parts.get("month", "")
        return int(said) if said.isdigit() else int(self.words.months.get(said, 0))

    @property
    def tense(self) -> int:
        """How the sentence it is in, or else the clause, speaks of it: -1 as past, 1 as a plan, 0 in doubt."""
        return self._tense(present=0)

    @property
    def leaning(self) -> int:
        """The same, but what is said in the present is a plan."""
        return self._tense(present=1)

    def _tense(self, present: int) -> int:
        for ends in (_END, _CLAUSE):
            begin = max((each.end() for each in ends.finditer(self.text, 0, self.core)), default=0)
            stop = ends.search(self.text, self.end)
            around = self.text[begin : self.start] + " , " + self.text[self.end : stop.start() if stop else None]
            past, plan = (self.words.finds(kind).search(around) is not None for kind in ("past", "plan"))
            if past != plan:
                return 1 if plan else -1
            if not past:
                return present if present and self.words.finds("present").search(around) else 0
        return 0


@frozen
class _Rule:
    """A form of a language."""

    kind: str
    pattern: re.Pattern[str]
    leads: frozenset[str]
    """Words of which a text must have one; none where that is not known."""


@lru_cache(maxsize=64)
def times(text: str) -> tuple[Time, ...]:
    """The times that are in a text, whatever language it is in, in order of trust."""
    text = text[:_READ_MOST]
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    elif _leads().keys().isdisjoint(_words_in(text.lower())) and not _DIGIT.search(text):
        return ()
    return tuple(times_in(text, codes_of(text)))


def _words_in(low: str) -> frozenset[str]:
    """The words of a text in small letters."""
    return frozenset(plain_words(low) if low.isascii() else _RUN.findall(low))


def times_in(text: str, codes: Iterable[str]) -> list[Time]:
    """The times that are in a text in some languages, whose places in the text hold."""
    low = plain(text)
    here = _words_in(low)
    taken = bytearray(len(low))
    found: list[Time] = []
    figures, dated = _DIGIT.search(low) is not None, "19" in low or "20" in low
    for code in (*((ANY,) if dated else ()), *codes, *((_YEARS,) if dated else ())):
        words = words_of(code)
        for rule in _rules(code):
            if rule.leads.isdisjoint(here) if rule.leads else not (figures or words.unspaced):
                continue
            for match in rule.pattern.finditer(low):
                start, end = match.span()
                if any(taken[start:end]):
                    continue
                kind = rule.kind
                if kind == _LONE and detected_language(text) != ENGLISH:
                    kind = "year"
                if kind == _LONE and low[end:].strip(" ?!.\"')"):
                    continue
                taken[start:end] = b"\1" * (end - start)
                said = {part: each for part, each in match.groupdict().items() if each}
                core = start if kind in ("ago", "ahead") else min(map(match.start, said), default=start)
                found.append(Time(kind, said, words, low, start, end, core))
    return found


@cache
def words_of(code: str) -> TimeWords:
    """What the words of a language mean, without accents; of `any`, nothing."""
    listed = word_list("date").get(code, {})
    meant = {kind: meanings(unaccented(listed.get(kind, ""))) for kind in _MEANT}
    numbers = meanings(unaccented(word_list("number").get(code, {}).get("words", "")))
    return TimeWords(code, **{**meant, "counts": {**numbers, **meant["counts"]}})


@cache
def _rules(code: str) -> tuple[_Rule, ...]:
    """The forms of a language, or those that hold in all, as patterns."""
    if code in (ANY, _YEARS):
        return tuple(
            _Rule(kind, re.compile(form), frozenset()) for kind, form in _figures() if (kind == "date") == (code == ANY)
        )
    own = word_list("date").get(code, {})
    if not own:
        return ()
    words, edges = words_of(code), "script" not in own
    days = own.get("days", r"[0-3]?\d")
    ordinal = own.get("ordinal", word_list("date")[ANY]["ordinal"])
    slots = {
        kind: f"(?:{any_of(unaccented(listed).split(','))})" for kind, listed in own.items() if "{" not in listed
    } | {
        "day": rf"(?P<day>{days})(?:{ordinal})?",
        "from": rf"(?P<from>[0-3]?\d)(?:{ordinal})?",
        "year": _YEAR,
        "count": rf"(?P<count>\d{{1,3}}|{own.get('counting', '(?!)')}|{any_of(words.counts)})",
        "month": f"(?P<month>{any_of(words.months)})",
        "monthno": rf"(?P<month>[01]?\d|{any_of(words.months)})",
        "sure": f"(?P<month>{any_of(unaccented(own.get('sure', '(?!)')).split(','))})",
        "weekday": f"(?P<weekday>{any_of(words.weekdays)})",
        "unit": f"(?P<unit>{any_of(words.units)})",
        "step": f"(?P<which>{any_of(words.steps)})",
        "season": f"(?P<season>{any_of(words.seasons)})",
        "near": f"(?P<near>{any_of(words.near)})",
    }
    forms = {**(word_list("date")[ANY] if edges else {}), **{kind: unaccented(listed) for kind, listed in own.items()}}
    return tuple(
        _Rule(kind, re.compile(filled(form, slots, edges=edges)), _lead(form, words) if edges else frozenset())
        for kind in KINDS
        if kind in forms
        for form in forms[kind].split(" || ")
        if slots.keys() >= {slot[1] for slot in SLOT.finditer(form)}
    )


def _lead(form: str, words: TimeWords) -> frozenset[str]:
    slots = [kind for name, kind in _SLOTS.items() if f"{{{name}}}" in form]
    last = {_RUN.findall(phrase)[-1] for slot in slots for phrase in getattr(words, slot)}
    return frozenset(each for word in last for each in (word, f"{word}s"))


def _figures() -> list[tuple[str, str]]:
    """Dates in figures; and years that stand alone: where a word in front says so, or none that it is another number."""
    around, numbered, measures = (_everywhere(kind) for kind in ("around", "numbered", "measures"))
    year = rf"{_YEAR}\b(?![-/]\d\d?[-/]|[.,:]\d| ?(?:(?:{any_of(measures)})\b|[€$£¥₹%°元円年년]))"
    before = [
        rf"(?<=\b(?:19|20)\d\d{mark})" for mark in ("[-–/]", ", ", " and ", " or ", " to ", " through ", " [-–] ")
    ]
    surely = "|".join((*(rf"(?<=\b{word} )" for word in around), *before, r"\A", r"(?<=\()(?=\d+\))", r"(?<=\bmid-)"))
    unnumbered = "".join(rf"(?<!\b{word} )" for word in numbered)
    return [
        ("date", rf"\b{_YEAR}[-/](?P<month>[01]?\d)[-/](?P<day>[0-3]?\d)\b"),
        ("date", rf"\b(?P<day>[0-3]?\d)\. ?(?P<month>[01]?\d)\. ?{_YEAR}\b"),
        ("date", rf"\b(?P<one>[0-3]?\d)[-/](?P<two>[0-3]?\d)[-/]{_YEAR}\b"),
        ("year", rf"(?=[12][09])(?:{surely}){year}"),
        (_LONE, rf"(?=[12][09])(?<=[^\W\d_] ){unnumbered}{year}"),
    ]


def _everywhere(kind: str) -> list[str]:
    """What all languages list under a kind, each once."""
    lists = (unaccented(kinds[kind]).split(",") for kinds in word_list("date").values() if kind in kinds)
    return sorted({word for words in lists for word in words})


def languages(text: str, here: AbstractSet[str]) -> list[str]:
    """The codes of the languages, but English, whose times may be in a text of these words in small letters.

    Which of several it is in says too little: a few words of one often look like those of its neighbour. In an English
    text only English counts, which has one of its little words; single letters are in many.
    """
    leads = _leads()
    met = (lead for word in here if word in leads for lead in leads[word])
    codes = sorted({code for code, needed in met if code != ENGLISH and (not needed or not needed.isdisjoint(here))})
    english = codes and any(len(word) > 1 for word in here & little_words(ENGLISH))
    return [] if english and detected_language(text) == ENGLISH else codes


def codes_of(text: str) -> list[str]:
    """The codes of the languages whose times may be in a text, English last."""
    low = text.lower()
    codes = languages(text, _words_in(low))
    if not low.isascii() and detected_language(text) != ENGLISH:
        codes += [code for code, letters in _scripts() if letters.search(low)]
    return [*codes, ENGLISH]


@cache
def _scripts() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Languages that write no spaces between words, or join them: recognised by their letters."""
    return tuple((code, re.compile(f"[{own['script']}]")) for code, own in word_list("date").items() if "script" in own)


def month_alone(time: Time) -> int:
    """The month of a time that names one without its day or year; else 0."""
    return 0 if "day" in time.parts or "year" in time.parts else time.month


@cache
def time_words(code: str) -> frozenset[str]:
    """The words without accents that a language says times in; none where nobody wrote them down."""
    words = words_of(code)
    return frozenset(word for kind in _MEANT for phrase in getattr(words, kind) for word in _RUN.findall(phrase))


@cache
def _leads() -> dict[str, tuple[tuple[str, frozenset[str]], ...]]:
    """By word of a time, the languages that have it; and what else of the language a text must have to be in it."""
    found: dict[str, list[tuple[str, frozenset[str]]]] = {}
    for code, listed in word_list("date").items():
        if code == ANY or "script" in listed:
            continue
        unsure = listed.get("unsure", "").split(",")
        also = frozenset(listed.get("also", "").split())
        phrases = (phrase for kind in _LEADING for phrase in meanings(listed.get(kind, "")))
        plural = [f"{word}s" for word in meanings(listed.get("weekdays", "")) if "{weekday}s" in listed.get("ago", "")]
        for word in {_RUN.findall(phrase)[-1] for phrase in (*phrases, *plural)}:
            for form in {word, unaccented(word)}:
                if form in unsure:
                    found.setdefault(form, []).append((code, also))
                elif len(form) >= _SHORTEST or not form.isascii():
                    found.setdefault(form, []).append((code, frozenset()))
    return {word: tuple(codes) for word, codes in found.items()}
