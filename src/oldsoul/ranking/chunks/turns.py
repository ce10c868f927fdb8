"""Turns of talk in a document: who says a line."""

from __future__ import annotations

import re

_TURN = re.compile(
    r"^(?:[-*+]\s+)?(?:\[[^\]\n]{1,40}\]\s*)?(?:\*\*)?([^\W\d_][\w .'’-]{0,40}?)(?:\*\*)?\s*"
    r"(?:\([^)\n]{1,40}\)\s*)?(?::(?:\*\*)?|：)\s+(?=\S)"
)
_LABELS = """
    action actions agenda aim answer attendees backup conclusion context date decided decision decisions done draft due
    example fix goal idea ideas info issue later lesson link links need next note notes open outcome owner plan present problem
    question questions reason reminder result risk solution source status still summary task tasks time tip title todo topic
    update vote warning
"""
_NOBODY = frozenset(_LABELS.split())
"""What lines begin with that nobody is called."""
FIELD = re.compile(r"^\s*(?:[-*+]\s+)?\*\*(?:Room|User|Users|Datetime)(?::\*\*|\*\*:)", re.IGNORECASE)


def turn_in(line: str) -> re.Match[str] | None:
    """What a turn of talk begins with: who says it."""
    if ":" not in line and "：" not in line:
        return None
    found = None if FIELD.match(line) else _TURN.match(line)
    return None if found and found[1].strip().casefold() in _NOBODY else found
