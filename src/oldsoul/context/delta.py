"""What has changed since a conversation began, as a text to append, so that its beginning need not be rewritten."""

from __future__ import annotations

import re
from difflib import unified_diff
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oldsoul.context.sections import Part

HEADING = "# Changed Since This Conversation Began"
_FENCE = re.compile(r"^\s*(`{3,})", re.MULTILINE)
_SHORT = 0.5
"""A diff is shown when it is at most so much of the new text; else the text itself."""


def delta(before: Sequence[Part], now: Sequence[Part]) -> str:
    """The text that brings a conversation up to date; empty when nothing changed.

    `before` is what the conversation knows: the parts it began with, or those of the last change that was appended.
    """
    old, new = ({part.name: part.text for part in parts} for parts in (before, now))
    told = [
        *(_changed(name, old[name], text) for name, text in new.items() if name in old and old[name] != text),
        *(f"{name} is new:\n\n{_fenced(text)}" for name, text in new.items() if name not in old),
        *(f"{name} no longer holds. Go by it no more." for name in old if name not in new),
    ]
    if not told:
        return ""
    return "\n\n".join([HEADING, "Where this differs from what stands above, this holds.", *told])


def _changed(name: str, old: str, new: str) -> str:
    lines = list(unified_diff(old.split("\n"), new.split("\n"), n=1, lineterm=""))[3:]  # without its three headers
    diff = "\n".join("…" if line.startswith("@@") else line for line in lines)
    if len(diff) <= len(new) * _SHORT:
        return f"{name} has changed (- was, + is now):\n\n{_fenced(diff, 'diff')}"
    return f"{name} now reads:\n\n{_fenced(new)}"


def _fenced(text: str, kind: str = "") -> str:
    """The text in a fence that nothing in it closes."""
    longest = max((len(fence) for fence in _FENCE.findall(text)), default=2)
    fence = "`" * max(longest + 1, 3)
    return f"{fence}{kind}\n{text}\n{fence}"
