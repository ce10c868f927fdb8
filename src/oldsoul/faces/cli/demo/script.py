"""The script of the demo: what is said and done, when, and what the models of the agent made of it."""

from __future__ import annotations

from dataclasses import field
from datetime import time
from importlib import resources
from typing import Any

import yaml

from oldsoul.values.frozen import frozen

_FILES = resources.files("oldsoul").joinpath("templates", "demo")


@frozen
class Line:
    """One message, with what a model finds in it."""

    speaker: str
    """who says it, by the name in the script"""
    text: str
    """the message"""
    keep: tuple[tuple[str, str], ...] = ()
    """what the memory miner learns from it: tag and text"""
    soul: tuple[str, str, str] | None = None
    """what the soul keeper makes of it: section, title and text"""
    promote: str = ""
    """what of it goes into the person's long-term memory"""


@frozen
class Talk:
    """A conversation, with what is left of it."""

    lines: tuple[Line, ...]
    """the messages"""
    summary: str = ""
    """what it was about, in a sentence"""
    items: tuple[tuple[str, str, str, bool | None], ...] = ()
    """what its file holds: section, title, text, and whether a task is done"""


@frozen
class Step:
    """Something that happens."""

    day: int
    """on which day, from 1"""
    at: time
    """when"""
    what: str
    """what is done: `talk`, or the name of a method"""
    given: dict[str, Any] = field(default_factory=dict)
    """how"""
    talk: Talk | None = None
    """the conversation"""


@frozen
class Script:
    """The whole life."""

    agent: str
    """the agent's name"""
    people: dict[str, str]
    """names and ids, the operator first"""
    steps: tuple[Step, ...]
    """what happens, in order"""


_SECTIONS = {"notes": "Session Summary", "facts": "Temporary Facts", "tasks": "Tasks", "follow_ups": "Follow Ups"}


def file(path: str) -> str:
    """A text that belongs to the script."""
    return _FILES.joinpath(path).read_text("utf-8")


def script() -> Script:
    """The script."""
    read = yaml.safe_load(file("life.yaml"))
    steps = [_step(day, each) for day, steps in read["days"].items() for each in steps]
    return Script(read["agent"], read["people"], tuple(steps))


def _step(day: int, read: dict[str, Any]) -> Step:
    at = time.fromisoformat(read.pop("at"))
    if "talk" not in read:
        ((what, given),) = read.items()
        return Step(day, at, what, given)
    lines = tuple(_line(each) for each in read.pop("talk"))
    items = [
        (section, each.get("title", ""), each["text"], each.get("done", False if key == "tasks" else None))
        for key, section in _SECTIONS.items()
        for each in read.pop(key, ())
    ]
    return Step(day, at, "talk", talk=Talk(lines, read.pop("summary", ""), tuple(items)), given=read)


def _line(read: dict[str, Any]) -> Line:
    kept = tuple((tag, text) for each in read.pop("keep", ()) for tag, text in each.items())
    soul, promote = read.pop("soul", None), read.pop("promote", "")
    ((speaker, text),) = read.items()
    return Line(speaker, text, kept, tuple(soul) if soul else None, promote)
