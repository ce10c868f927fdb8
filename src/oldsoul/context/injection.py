"""The memory block of a prompt: one line per long-term entry and per session, for those who may see it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from oldsoul.values.audience import Audience, View

LONG_TERM = "[Memory:LongTerm:Summary]"
SHORT_TERM = "[Memory:ShortTerm:Recent]"
_LINK = re.compile(r"\[([^\[\]]*)\]\((?![a-z][a-z0-9+.-]*://)[^()\s]*(?:\s+\"[^\"]*\")?\)", re.IGNORECASE)
_PRIVATE = "_longterms/"
_HEADER = re.compile(r"\[(?=Memory:(?:LongTerm|ShortTerm):)", re.IGNORECASE)


_NONE = "0/0"
"""No tasks, or no follow-ups: nothing to tell."""


@frozen
class Known:
    """An entry of a person's long-term memory."""

    entry: str
    """its id"""
    text: str
    """its words"""
    audience: Audience
    """who may see it"""


@frozen
class Past:
    """What a session left behind on one day."""

    day: date
    """the day"""
    path: str
    """its file, relative to the memory folder"""
    summary: str
    """what it says of itself"""
    tasks: str
    """how many of its tasks are done, such as `1/3`"""
    follow_ups: str
    """the same for what is to be come back to"""
    audience: Audience
    """who may see it"""
    current: bool = False
    """whether it is today's file of the very session that is going on"""


@frozen
class Block:
    """The block, and what it was made from."""

    text: str
    """the lines, ready to be put into a prompt; empty when there is nothing to say"""
    entries: tuple[str, ...]
    """ids of the long-term entries in it"""
    paths: tuple[str, ...]
    """files of the sessions in it"""


def injection(known: Sequence[Known], past: Sequence[Past], view: View, max_items: int) -> Block:
    """The block for a session that sees this much: long-term lines first, then sessions, the latest first.

    No more lines than `max_items`; today's file of the session itself is always among them.
    """
    sessions = sorted(
        (p for p in past if view.sees(p.audience)), key=lambda p: (p.current, p.day, p.path), reverse=True
    )
    kept = [p for p in sessions if p.current][:max_items]
    lines = [k for k in known if view.sees(k.audience)][: max_items - len(kept)]
    kept += [p for p in sessions if not p.current][: max_items - len(kept) - len(lines)]
    parts = []
    if lines:
        parts.append("\n".join([LONG_TERM, *(f"- {_without_paths(k.text)}" for k in lines)]))
    if kept:
        parts.append("\n".join([SHORT_TERM, *(_session_line(p) for p in kept)]))
    return Block("\n\n".join(parts), tuple(k.entry for k in lines), tuple(p.path for p in kept))


def _session_line(past: Past) -> str:
    tasks, follow_ups = _count(past.tasks), _count(past.follow_ups)
    progress = f" [progress: tasks {tasks}, follow_ups {follow_ups}]" if {tasks, follow_ups} != {_NONE} else ""
    return f"- {past.day.isoformat()}: {_one_line(past.summary)} ({past.path}){progress}"


def _count(text: str) -> str:
    return text if re.fullmatch(r"\d{1,6}/\d{1,6}", text) else _NONE


def _without_paths(text: str) -> str:
    """The words without places of memory files: those would show whose memory it is."""
    words = _LINK.sub(r"\1", _one_line(text)).split(" ")
    return " ".join(word for word in words if _PRIVATE not in word)


def _one_line(text: str) -> str:
    """The text on one line, in which nothing looks like a block of ours."""
    return _HEADER.sub("(", " ".join(text.split()))
