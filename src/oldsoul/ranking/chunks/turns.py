"""Turns of talk in a document: who says a line."""

from __future__ import annotations

import re

from oldsoul.language.sentences import ends_in_question
from oldsoul.rules.speaking import MARKED, is_first_person

_TURN = re.compile(
    r"^(?:[-*+]\s+)?(?:\[[^\]\n]{1,40}\]\s*)?(?:\*\*)?([^\W\d_][\w .'’-]{0,40}?"
    rf"(?:{MARKED})?)(?:\*\*)?\s*"
    r"(?:\([^)\n]{1,40}\)\s*)?(?::(?:\*\*)?|：)\s+(?=\S)"
)
FIELD = re.compile(r"^\s*(?:[-*+]\s+)?\*\*(?:Room|User|Users|Datetime)(?::\*\*|\*\*:)", re.IGNORECASE)


def turn_in(line: str) -> re.Match[str] | None:
    """What a turn of talk begins with: who says it."""
    if ":" not in line and "：" not in line:
        return None
    return None if FIELD.match(line) else _TURN.match(line)


def named(turn: re.Match[str]) -> str:
    """Who says a turn, as names are compared."""
    return turn[1].strip().casefold()


def speaks(turn: re.Match[str]) -> bool:
    """Whether somebody says a line: it asks, or is about whoever says it. `Gateway: restarted` only says what it is about."""
    said = turn.string[turn.end() :]
    return ends_in_question(said) or is_first_person(said)
