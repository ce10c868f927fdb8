"""The language models of the demo: they find in messages what the script says, and reply as it says."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from oldsoul.values.models import Reply

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oldsoul.faces.cli.demo.script import Line, Script, Talk

_SAID = re.compile(r"^#(\d+) .*?: (.*)$", re.MULTILINE)
_WRITTEN = re.compile(r"^\[(\w+)\] (\d{4}-\d\d-\d\d) (.*)$", re.MULTILINE)
_WORD = re.compile(r"\w{4,}")


class ScriptReader:
    """The model of the keepers."""

    def __init__(self, script: Script) -> None:
        self.problem: Exception | None = None
        """why it does not answer; None while it does"""
        self._talks = [step.talk for step in script.steps if step.talk]
        self._lines = {line.text: line for talk in self._talks for line in talk.lines}

    def answer(self, system: str, text: str, schema: Mapping[str, Any]) -> Reply:
        """What a question of a keeper asks for, quoted from the question."""
        if self.problem is not None:
            raise self.problem
        said = [(int(number), self._lines[words]) for number, words in _SAID.findall(text) if words in self._lines]
        found = json.dumps(self._found(said, text, schema["properties"]), ensure_ascii=False)
        return Reply(found, (len(system) + len(text)) // 4, len(found) // 4)

    def _found(self, said: Sequence[tuple[int, Line]], text: str, wanted: Mapping[str, Any]) -> dict[str, Any]:
        if "summary" in wanted:
            return self._summary(said)
        if "items" in wanted:
            kept = [(number, line.text, tag, words) for number, line in said for tag, words in line.keep]
            return {"items": [{"tag": t, "text": words, "message": n, "quote": q} for n, q, t, words in kept]}
        if "lines" in wanted:
            days = _WRITTEN.findall(text)[:8]
            return {"lines": [{"day": d, "text": told, "entries": [e], "quote": told} for e, d, told in days]}
        if "edits" in wanted:
            edits = [_edit(number, line) for number, line in said if line.soul]
            return {"edits": edits[:3], "drift": []}
        if "contradictions" in wanted:
            return {"contradictions": []}
        return {"kind": "none", "quote": "", "correct": "", "old": "", "new": "", "check": ""}

    def _summary(self, said: Sequence[tuple[int, Line]]) -> dict[str, Any]:
        if not said:
            return {"summary": "", "items": [], "promote": None}
        lines = {line.text for _, line in said}
        talk = max(self._talks, key=lambda each: len(lines & {line.text for line in each.lines}))
        promoted = [(number, line) for number, line in said if line.promote]
        promote = None
        if promoted:
            number, line = promoted[0]
            promote = {"section": "Key Facts", "text": line.promote, "message": number, "quote": line.text}
        return {"summary": talk.summary, "items": _items(talk, said), "promote": promote}


def _items(talk: Talk, said: Sequence[tuple[int, Line]]) -> list[dict[str, Any]]:
    """What is left of a conversation, each item with the message that has most of its words."""
    found = []
    for section, title, text, done in talk.items:
        words = set(_WORD.findall(f"{title} {text}".lower()))
        number, line = max(said, key=lambda each: len(words & set(_WORD.findall(each[1].text.lower()))))
        item: dict[str, Any] = {
            "section": section,
            "title": title,
            "text": text,
            "below": [],
            "done": done,
            "replaces": "",
        }
        found.append({**item, "message": number, "quote": line.text})
    return found


def _edit(number: int, line: Line) -> dict[str, Any]:
    section, title, text = line.soul or ("", "", "")
    edit = {"section": section, "title": title, "text": text, "replaces": "", "correction": ""}
    return {**edit, "message": number, "quote": line.text}
