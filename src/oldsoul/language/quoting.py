"""Words of the agent as others quote them, and a text without them."""

from __future__ import annotations

import re
from functools import lru_cache

AGENT = "agent"
"""Whose words a correction is of, where it is of nobody else's."""
_BARE = re.compile(r"^\s*(?:[-*+]\s+)?(?:[^\n:]{1,60}:\s*){0,3}$")
"""What is left of a line that told who said what, once that is gone."""


@lru_cache(maxsize=1024)
def quoted(said: str) -> re.Pattern[str]:
    """Finds a sentence wherever it is quoted; of one that was cut short, what there is of it."""
    cut = r"\S*" if said.endswith("…") else ""
    return re.compile(r"\s+".join(map(re.escape, said.rstrip("…").split())) + cut, re.IGNORECASE)


def without_quoted(text: str, said: str) -> str:
    """A text without a sentence wherever it is quoted; a line that says no more goes with it."""
    pattern = quoted(said)
    if pattern.search(text) is None:
        return text
    lines = [(line, pattern.sub("", line).rstrip()) for line in text.split("\n")]
    return "\n".join(left for line, left in lines if left == line.rstrip() or not _BARE.match(left))
