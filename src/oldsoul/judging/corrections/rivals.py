"""A value that stands against one the agent gave, told by the signs that speak for it: each weighs a little, none is a must.

People put things right in more ways than patterns can list: "we're on mondays since the baby", "version 16, host is
right". So what such a message puts right counts only where memory really holds what is said to be wrong.
"""

from __future__ import annotations

import math
import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from oldsoul.judging.corrections.given import given, same, slots
from oldsoul.judging.corrections.signs import (
    ASIDE,
    CHANGES,
    INTO,
    LAUGHS,
    LEADS,
    MENDS,
    MINE,
    PERSON,
    PLAYS,
    REFUSES,
    SOMEBODY,
    STATES,
    WHOSE,
    clauses,
    stating,
)
from oldsoul.judging.corrections.values import EDGES, LEADING, Putting, as_said, has_words
from oldsoul.judging.corrections.ways import HURRIES, TITLES, is_clock, of_another
from oldsoul.language.sentences import sentences
from oldsoul.language.stemming import stem
from oldsoul.language.words import is_unspaced, words
from oldsoul.reading.typed_values import Value, agree, comparable, typed_values
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SURE, LIKELY = 3.0, 2.0
"""From here on it is put right where memory holds what was wrong; from here on somebody is asked."""
_FILLING = frozenset(
    stem(word)
    for word in words(
        "now only just still actually really already again i im its it's thats that's dont don't a an um uh lol pls please btw ok okay"
        " unfortunately got get sorry dear man dude guys bro hey yes yeah since number called at the end this year from to up with and"
    )
)
_TELLING_KINDS = frozenset({"often", "version", "ordinal", "code", "side"})
_WHEN = frozenset({"time", "date", "weekday", "daypart", "when", "season"})
_ALMOST = 0.75
_CHARACTERS = 3
_LOUD = 4
_FAR = 8.0


@frozen
class _Rivals:
    """What the agent gave, and what the person says instead."""

    wrong: str
    old: Value
    new: Value
    clause: str
    place: int


def rival_value(text: str, told: Sequence[str]) -> Putting | None:
    """The value that most likely stands against one the agent gave; None when too little speaks for any."""
    stated = [sentence for sentence in told if not sentence.rstrip().endswith(("?", "？"))]
    if not stated or PLAYS.search(text):
        return None
    best: tuple[float, _Rivals] | None = None
    for rivals in _all_rivals(text, stated):
        score = _weight(rivals, text)
        if not _is_clear(rivals, text):  # it may be about something else
            score = min(score, LIKELY) if _is_denied(rivals, text) or REFUSES.match(text) else 0.0
        if score >= LIKELY and (best is None or score > best[0]):
            best = score, rivals
    if best is None:
        return None
    score, found = best
    old, new = found.old.said.strip(EDGES), found.new.said.strip(EDGES)
    if found.old.kind == found.new.kind == "number":
        old = as_said(found.old, found.new)
    if found.new.kind == "date" and found.new.key[:2] == (None, None) and (day := re.search(r"\d{1,2}", old)):
        old, new = day[0], _digits(new) or new
    right = next((s for s in sentences(text) if has_words(s, new)), found.clause).strip()
    return Putting(right, old, new, found.wrong, sure=score >= SURE, held=True)


def _all_rivals(text: str, stated: Sequence[str]) -> Iterator[_Rivals]:
    values = [(sentence, value) for sentence in stated for value in given(sentence, begins=True)]
    led_up_to = [(sentence, value) for sentence in stated for value in slots(sentence)]
    for place, clause, begins in stating(text):
        for new in given(clause, begins=begins):
            yield from _against(new, values, clause, place, text)
        for new in slots(clause):
            head = clause[: new.start - 1].strip()
            if any(old.said in head or (head and head in old.said) for _, old in led_up_to):
                continue  # it says what the agent's value is of
            yield from _against(new, led_up_to, clause, place, text)


def _against(new: Value, values: Sequence[tuple[str, Value]], clause: str, place: int, text: str) -> Iterator[_Rivals]:
    """The agent's values that one of the person's could stand against; none where the agent gave the same."""
    others = [(sentence, old) for sentence, old in values if old.kind == new.kind and comparable(old, new)]
    if not others and new.kind == "number":  # `17 people` may well be instead of `12 employees`
        others = [(sentence, old) for sentence, old in values if old.kind == "number" and "%" not in old.said]
    if any(same(old, new) for _, old in others) or new.said.casefold() == "one":
        return
    if new.kind == "number" and len(others) > 1:  # the one of about that size
        others.sort(key=lambda pair: abs(len(_digits(pair[1].said)) - len(_digits(new.said))))
        others = others[:1]
    if new.kind == "name":
        held = [(s, old) for s, old in others if not (set(words(old.said)) & set(words(clause)))]
        led = [(s, old) for s, old in others if _leading(_Rivals(s, old, new, clause, place)) == 1]
        echoed = [(s, old) for s, old in others if has_words(text, old.said)]
        several = (some for some in (led, echoed, held) if len(some) == 1)
        others = others if len(others) == 1 else next(several, held)
    if len(others) > 1 and new.kind in (*_WHEN, "name"):
        return  # it could stand against either
    for sentence, old in others:
        yield _Rivals(sentence, _part(old, new, text), new, clause, place)


def _part(old: Value, new: Value, text: str) -> Value:
    """Of a name of several words the one that is meant; of two phrases what they do not have in common."""
    if old.kind == "name" and " " in old.said and " " not in new.said and new.said.split()[0] not in TITLES:
        parts = list(re.finditer(r"[^\W_][\w'-]*", old.said))
        alike = [p for p in parts if SequenceMatcher(None, p[0].casefold(), new.said.casefold()).ratio() >= _ALMOST]
        named = alike or [p for p in parts if has_words(text, p[0]) and p[0] not in TITLES]
        if len(named) == 1:
            said, start = named[0][0], old.start + named[0].start()
            return Value("name", (said.casefold(),), "", said, start, start + len(said))
    return old


def _is_clear(one: _Rivals, text: str) -> bool:
    """Whether nothing says that a clause speaks of something else, of more, or of what was, and nobody agrees."""
    head = one.clause[: max(one.clause.find(one.new.said), 0)]
    if ASIDE.search(one.clause) or is_of_others(head, one.wrong):
        return False
    stated = given(one.wrong, begins=True)
    others = [v for v in given(one.clause, begins=one.place > 0) if v.start != one.new.start and v.kind != "side"]
    if any(not any(v.kind == s.kind and comparable(v, s) and same(v, s) for s in stated) for v in others):
        return False  # it gives something else besides
    mine = _stems(MENDS.sub(" ", CHANGES.sub(" ", _without_values(head)))) - _FILLING - _stems(one.old.said)
    if any(len(word) > 1 for word in mine - _stems(one.wrong)):
        return False
    return _is_denied(one, text) or not _is_agreed(one, text)


def is_of_others(head: str, wrong: str) -> bool:
    """Whether a clause begins with other people than the agent spoke of: `I` where it spoke of a sister, `their` for `our`."""
    theirs = re.search(r"(?i)\b(?:their|his|her)\b|他们|她们|人家|别人", head)
    if theirs and theirs[0].casefold() not in words(wrong) and not re.search(r"(?i)\bname\b", head):
        return True
    first = re.match(r"(?i)^\W*(?:(?:and|but|no+|well|actually|oh|ok)\W+)*(?:i|we|i'm|im|we're|i've|we've)\b", head)
    return bool(first) and bool(PERSON.search(wrong)) and not re.search(r"(?i)\b(?:you|you're|you've)\b", wrong)


def _is_agreed(one: _Rivals, text: str) -> bool:
    """Whether the agent's value is named beside the other, or said again as it was: then it is no contrast."""
    for part in clauses(text):
        if not _is_echoed(one, part):
            continue
        if part == one.clause or re.search(r"(?i)\b(?:still|yes|right|also|both)\b|还是|也", part):
            return True
        more = _stems(_without_values(part)) - _FILLING - _stems(one.old.said)
        if more and more <= _stems(one.wrong):
            return True
    return False


def _without_values(text: str) -> str:
    for value in reversed(typed_values(text)):
        text = f"{text[: value.start]} {text[value.end :]}"
    return text


def _weight(one: _Rivals, text: str) -> float:
    """How much speaks for it."""
    echoed = _is_echoed(one, text)
    if _elsewhere(one, text) or (not echoed and one.place == 0 and of_another(one.clause, one.wrong)):
        return 0.0
    shared, foreign = _matter(one)
    before = one.clause[: one.clause.find(one.new.said)]
    if HURRIES.search(before) and is_clock(one.wrong, one.old):
        return 0.0  # it is that late now
    stated = STATES.search(before) is not None
    parts = clauses(text)
    around = " ".join(parts[max(one.place - 1, 0) : one.place + 2])
    changes = bool(CHANGES.search(around))
    stress = _stress(one, text)
    mends = MENDS.search(text) is not None
    into = INTO.search(before) is not None
    beside = _beside(one)
    signs = 2.0 * bool(REFUSES.search(text)) + 2.0 * echoed + 1.0 * changes + 1.0 * into
    signs += min(shared, 2) + 1.0 * beside + 1.0 * stated + 1.0 * _alike(one) + 1.0 * mends
    signs += 1.0 * (one.new.kind in _TELLING_KINDS) + 1.0 * (not foreign and one.place <= 1)
    signs += 1.0 * _is_mixed_up(one) + 2.0 * _is_denied(one, text) + 1.0 * stress
    signs -= 0.5 * max(foreign - 1, 0) + 1.0 * (not comparable(one.old, one.new))
    if one.new.kind in _WHEN and not (shared or beside or changes or echoed or REFUSES.search(text)):
        signs -= 1.0
    if not (
        shared
        or beside
        or echoed
        or stated
        or REFUSES.search(text)
        or (changes and not foreign)
        or into
        or stress
        or _alike(one)
    ):
        signs = min(signs, LIKELY - 1)
    if one.new.kind == "name":
        signs += 1.5 * _leading(one) - 1.5 * (not shared and _goes_on(one))
    elif one.new.kind in _WHEN and not (shared or beside or echoed or stress or mends or REFUSES.search(text)):
        signs = min(signs, LIKELY)  # it may be that late, or that day, now
    signs -= 0.5 * (bool(LAUGHS.search(text)) and not REFUSES.search(text))
    return signs


def _leading(one: _Rivals) -> int:
    """1 where the same little word leads up to both, -1 where another does: `with Vodafone`, `in Zurich`; else 0."""
    mine, theirs = LEADS.search(one.clause[: one.new.start]), LEADS.search(one.wrong[: one.old.start])
    if mine is None or theirs is None:
        return -1 if mine is not None and mine[1].casefold() in ("in", "at", "from") else 0
    return 1 if mine[1].casefold() == theirs[1].casefold() else -1


def _goes_on(one: _Rivals) -> bool:
    """Whether the clause goes on to say something of its own about a name: `now Anna is laughing`."""
    after = re.match(r"(?i)\s+(?:is|was|has|are)\s+([\w-]+)", one.clause[one.new.end :])
    return after is not None and not _stems(after[1]) & (_stems(one.wrong) | _FILLING)


def _matter(one: _Rivals) -> tuple[int, int]:
    """How many telling words of the clause are the agent's too, and how many are not."""
    rest, known = one.clause.replace(one.new.said, " ", 1), 0
    for value in typed_values(rest):
        known += any(comparable(value, other) and agree(value, other) for other in typed_values(one.wrong))
    rest = _without_values(rest)
    mine = _stems(MENDS.sub(" ", CHANGES.sub(" ", rest))) - _FILLING
    theirs = _stems(one.wrong)
    shared = (_stems(rest) & theirs) - _FILLING - _stems(one.old.said)
    foreign = [word for word in mine - theirs if len(word) > 1]
    unspaced = sum(is_unspaced(word) for word in foreign)
    return len(shared) + known, len(foreign) - unspaced + unspaced // _CHARACTERS


def _is_echoed(one: _Rivals, text: str) -> bool:
    """Whether the person names the agent's value too, beside their own."""
    said = one.old.said.strip(EDGES)
    if has_words(text, said) or (one.old.kind == "name" and has_words(text, said.split()[-1])):
        return True
    return any(v.kind == one.old.kind and comparable(v, one.old) and same(v, one.old) for v in given(text, begins=True))


def _is_mixed_up(one: _Rivals) -> bool:
    """Whether both have the same figures in another order."""
    old, new = _digits(one.old.said), _digits(one.new.said)
    return len(new) > 1 and old != new and sorted(old) == sorted(new)


def _is_denied(one: _Rivals, text: str) -> bool:
    """Whether the agent's value is denied in so many words."""
    said = re.escape(one.old.said.strip(EDGES))
    denied = re.search(r"(?i)\bnot\s+(?P<rest>[^,.;!?]{1,30})", text)
    if denied and any(v.kind == one.old.kind and same(v, one.old) for v in given(denied["rest"], begins=True)):
        return True
    return (
        re.search(rf"(?i)(?:\bnot|n't)\s+(?:(?:on|at|in|the|a|an|by|for|to)\s+)*{said}|不是\s*{said}", text) is not None
    )


def _stress(one: _Rivals, text: str) -> int:
    """1 where the person says their value more than once or in capitals, 2 for both."""
    said = one.new.said.strip(EDGES)
    loud = len(said) >= _LOUD and said.isalpha() and said.isupper() and not text.isupper()
    if loud or words(text).count(said.casefold()) > 1:
        return loud + (words(text).count(said.casefold()) > 1)
    return sum(v.kind == one.new.kind and same(v, one.new) for v in given(text, begins=True)) > 1


def _beside(one: _Rivals) -> bool:
    """Whether both values stand beside the same telling word: `net 30` and `Net 45`, `east gate` and `west gate`."""
    if one.old.unit and one.old.unit == one.new.unit:
        return True
    if one.new.kind == "weekday" and one.new.said.endswith("s") and re.search(r"(?i)\bevery\b|\bdays\b", one.wrong):
        return True  # both are habits
    return bool(_neighbours(one.wrong, one.old) & _neighbours(one.clause, one.new))


def _neighbours(text: str, value: Value) -> set[str]:
    before = [stem(w) for w in words(text[: value.start]) if w not in LEADING][-1:]
    after = [stem(w) for w in words(text[value.end :])][:1]
    return {w for w in (*before, *after) if w not in LEADING and w not in _FILLING and len(w) > 1}


def _alike(one: _Rivals) -> bool:
    """Whether one looks like the other written or counted otherwise: 3306 and 3316, Hoffmann and Hofmann, 1 and 7 December."""
    old, new = one.old.said.casefold().strip(EDGES), one.new.said.casefold().strip(EDGES)
    if one.new.kind == "date":
        return len(one.old.key) > 1 and len(one.new.key) > 1 and one.old.key[1] == one.new.key[1] is not None
    if one.new.kind in ("number", "ordinal"):
        return _length(one.old) == _length(one.new) > 1 and _near(one.old, one.new)
    return one.new.kind in ("name", "code") and SequenceMatcher(None, old, new).ratio() >= _ALMOST


def _length(value: Value) -> int:
    """How many figures a number has before its point."""
    amount = value.key[0]
    return len(str(int(amount))) if isinstance(amount, float) and math.isfinite(amount) else 0


def _near(one: Value, other: Value) -> bool:
    a, b = float(one.key[0] or 0), float(other.key[0] or 0)
    return bool(a and b) and max(a / b, b / a) < _FAR


def _elsewhere(one: _Rivals, text: str) -> bool:
    """Whether the clause says what else it is about, which the agent did not speak of: `mine is`, `my cousin's`, `for the taxi`."""
    said = _stems(one.wrong)
    before = clauses(text)[: one.place][-1:]
    if before and not _stems(one.clause.replace(one.new.said, " ")):  # a bare value goes with what was said before it
        person = WHOSE.match(before[0])
        if person and not _stems(person[person.lastgroup or 0]) & said:
            return True
        if REFUSES.search(before[0]) and not _is_echoed(one, before[0]) and of_another(before[0], one.wrong):
            return True  # something else is said to be wrong
    if MINE.match(one.clause):
        return True
    who = SOMEBODY.match(one.clause)
    if who and not _stems(who[1]) & said:
        rest = _stems(one.clause[who.end() :]) - _FILLING
        if who[1] != one.new.said or rest - said:
            return True  # somebody else, of whom something else is said
    named = [match[match.lastgroup or 0] for match in WHOSE.finditer(one.clause)]
    return any(_stems(each) and not _stems(each) & said for each in named)


def _stems(text: str) -> set[str]:
    return {stem(word) for word in words(text) if word not in LEADING}


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)
