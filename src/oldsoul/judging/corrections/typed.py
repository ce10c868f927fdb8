"""A value of a type that a part of a reply gives in the place of the agent's: a day for a day, a number for a number."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oldsoul.judging.corrections.disowned import alike
from oldsoul.judging.corrections.given import given
from oldsoul.judging.corrections.heard import tokens
from oldsoul.judging.corrections.rivals import is_of_others
from oldsoul.judging.corrections.signs import CHANGES, MENDS
from oldsoul.judging.corrections.turn import lead
from oldsoul.judging.corrections.ways import HURRIES, is_clock
from oldsoul.reading.numbers import number
from oldsoul.reading.typed_values import Value, comparable, typed_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oldsoul.judging.corrections.heard import Heard, Token
    from oldsoul.judging.corrections.turn import Pair, Turn

_FAR = 4.0
_AFTER = 2
"""So many words of its own may follow a value, where the reply refuses the agent's."""
_DAYS = frozenset({"date", "weekday", "when"})
_DATED = _DAYS | {"time", "daypart", "season"}
_CLOCK = re.compile(r"(?i)^\W*(?:it'?s|it\s+is|now)\s+(?:already\s+|only\s+)?$")
_OF = re.compile(r"(?i)\s*(?:for|of|with|plus|more|less|extra)\b")
_RANGE = re.compile(
    r"(?<![\w.:])(?:\d{1,2}[.:]\d\d\s?(?:to|til|till|until|-|–)\s?\d{1,2}(?:[.:]\d\d)?|\d{1,2}\s?(?:to|til|till|until|-|–)\s?\d{1,2}[.:]\d\d)(?![\w:]|\.\d)"
)
"""From when to when."""
_DAY = re.compile(r"\d{1,2}(?:st|nd|rd|th)")
_DAYS_OF_MONTH = 31
_FIGURES = re.compile(r"\d+(?:[.,]\d+)*")


def typed(turn: Turn) -> Pair | None:
    """A value of a type in the place of the agent's."""
    text, one = turn.part.text, turn.one
    if is_of_others(text, one.words):
        return None
    ranged = _ranged(turn)
    if ranged is not None:
        return ranged
    values = [value for value in _values(text, begins=False) if text[value.start - 1 : value.start] != "."]
    mine = _values(one.words, begins=True)
    for new in _as_days(values, mine):
        rivals = [old for old in mine if _is_same_sort(new, old)]
        if any(alike(old, new) for old in rivals) or new.said.casefold() == "one":
            continue
        rivals = [old for old in rivals if not any(alike(value, old) for value in values)]
        rivals = [old for old in rivals if old.kind == new.kind] or rivals
        if not rivals and new.kind == "number" and not new.unit:
            rivals = _figures(new, one)
        old = _chosen(rivals, new, turn)
        if old is not None and _is_said(new, values, turn, clear=turn.is_gone(old)):
            return turn.pair(old, new)
    return None


def _ranged(turn: Turn) -> Pair | None:
    """From when to when, where both say that once."""
    new, old = list(_RANGE.finditer(turn.part.text)), list(_RANGE.finditer(turn.one.words))
    if len(new) != 1 or len(old) != 1 or _figures_of(new[0][0]) == _figures_of(old[0][0]):
        return None
    if _foreign(turn.part.text, [], turn.one) and not (turn.reply.refuses and not turn.one.loose):
        return None
    return turn.pair(*(Value("range", (m[0].casefold(),), "", m[0], m.start(), m.end()) for m in (old[0], new[0])))


def _figures_of(text: str) -> list[str]:
    return [figure.removesuffix(".00").removesuffix(":00").replace(":", ".") for figure in re.findall(r"[\d.:]+", text)]


def _as_days(values: Sequence[Value], mine: Sequence[Value]) -> list[Value]:
    """Values, where `30th` is a day if the agent spoke of days and of no place in a row."""
    kinds = {value.kind for value in mine}
    if "date" not in kinds or "ordinal" in kinds:
        return list(values)
    return [
        Value("date", (None, None, value.key[0]), "", value.said, value.start, value.end)
        if value.kind == "ordinal" and _DAY.fullmatch(value.said) and float(value.key[0] or 0) <= _DAYS_OF_MONTH
        else value
        for value in values
    ]


def _values(text: str, *, begins: bool) -> list[Value]:
    found = [value for value in given(text, begins=begins) if value.kind != "name"]
    return found + [value for value in typed_values(text) if value.kind == "when"]


def _is_same_sort(new: Value, old: Value) -> bool:
    if new.kind == old.kind:
        return comparable(new, old)
    if {new.kind, old.kind} <= _DAYS:
        return True
    return new.kind == "number" and old.kind == "time" and old.said.isdigit() and not new.unit


def _figures(new: Value, one: Heard) -> list[Value]:
    """The figures of a name or code, where they are as many: `4413` of `OPS-4413`."""
    count = len(re.sub(r"\D", "", new.said))
    found = [m for m in re.finditer(r"(?<!\d)\d{2,}(?!\d)", one.words) if len(m[0]) == count]
    return [Value("number", (float(m[0]),), "", m[0], m.start(), m.end()) for m in found if m[0] != new.said]


def _chosen(rivals: Sequence[Value], new: Value, turn: Turn) -> Value | None:
    """Of several values the one that is meant."""
    taken = [old for old in rivals if turn.is_gone(old)]
    if len(taken) == 1 or len(rivals) == 1:
        return (taken or rivals)[0]
    leads = lead(turn.part.text, new)
    same_lead = [old for old in rivals if leads and lead(turn.one.words, old) == leads]
    if len(same_lead) == 1:
        return same_lead[0]
    if new.kind in ("number", "time") and rivals:
        near = sorted(rivals, key=lambda old: _distance(old, new))
        if _distance(near[0], new) * 2 < _distance(near[1], new):
            return near[0]
    return None


def _distance(old: Value, new: Value) -> float:
    if new.kind == "time":
        return abs(float(old.key[0] or 0) - float(new.key[0] or 0))
    return abs(_figure(old) - _figure(new))


def _figure(value: Value) -> float:
    """A number as it is said, whatever it counts."""
    found = _FIGURES.search(value.said)
    read = number(found[0]) if found else None
    return read if read is not None else float(value.key[0] or 0)


def _is_said(new: Value, values: Sequence[Value], turn: Turn, *, clear: bool) -> bool:
    """Whether a part says a value of what the agent spoke of, and of nothing else."""
    text, one = turn.part.text, turn.one
    before, after = text[: new.start], _foreign(text[new.end :], values, one)
    refused = turn.reply.refuses or clear
    signs = refused or bool(CHANGES.search(text))
    if (one.loose and not refused) or _foreign(before, values, one) or len(after) > (_AFTER if refused else 0):
        return False
    if after and _OF.match(text[new.end :]):
        return False
    if any(_says_which(value, new, one) for value in values):
        return False
    if new.kind in _DATED and _CLOCK.match(before) and not signs:
        return False  # it may be that late, or that day, now
    if HURRIES.search(before) and any(is_clock(one.words, old) for old in one.values if old.kind in ("number", "time")):
        return False
    framed = any(not token.is_little for token in tokens(_without(text, values)))
    if new.kind == "daypart" and not (framed or signs):
        return False  # it may be a greeting
    if framed or clear or not turn.first or new.kind != "number" or new.unit:
        return True
    return _is_near(new, one)


def _says_which(value: Value, new: Value, one: Heard) -> bool:
    """Whether a value says of which another one is: `the one on Sunday is at 9`."""
    if value.start >= new.start or _is_same_sort(value, new):
        return False
    return not any(alike(value, other) for other in one.values)


def _is_near(new: Value, one: Heard) -> bool:
    """Whether a number by itself may well stand for the agent's: it is of about that size."""
    amount = _figure(new)
    amounts = [_figure(value) for value in one.values if value.kind in ("number", "time")]
    return any(a and amount and max(a / amount, amount / a) < _FAR for a in amounts) or bool(_figures(new, one))


def _without(text: str, values: Sequence[Value]) -> str:
    for value in values:
        text = f"{text[: value.start]}{' ' * (value.end - value.start)}{text[value.end :]}"
    return text


def _foreign(text: str, values: Sequence[Value], one: Heard) -> list[Token]:
    """The telling words of a text that the agent did not use."""
    for value in values:
        text = text.replace(value.said, " ")
    rest = MENDS.sub(" ", CHANGES.sub(" ", text))
    return [token for token in tokens(rest) if not token.is_little and token.root not in one.roots]
