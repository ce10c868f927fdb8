"""YAML as people mostly write it, read without PyYAML, which takes 20 ms to import and five times as long to read."""

from __future__ import annotations

import re
from typing import NamedTuple

from oldsoul.documents.yaml.nodes import Mapping, Node, Pair, Scalar, Sequence

# Only what every YAML reader understands alike; anything else makes the whole text a case for PyYAML.
_WORD = r"(?:[^\s:#]|:(?=[^\s#]))"
_TEXT = rf"(?:[\w./~+]|-(?=[\w.])){_WORD}*(?: +{_WORD}+)*"
_QUOTED = r"\"[^\"\\]*\"|'[^']*'"
_VALUE = rf"(?P<value>{_QUOTED}|\[[^\[\]]*\]|\{{\}}|{_TEXT})"
_END = r" *(?:(?<= )#.*)?"
_KEY_LINE = re.compile(rf"(?P<key>[^\W\d][\w.-]{{0,200}}):(?: +{_VALUE})?{_END}")
_ITEM_LINE = re.compile(rf"{_VALUE}{_END}")
# Compiled when the first list in brackets comes along.
_ITEM = rf"(?:[\w./~+]|-(?=[\w.]))[\w./~+@-]*(?: [\w./~+@-]+)*|{_QUOTED}"
_LIST = rf"\[ *(?:(?:{_ITEM})(?: *, *(?:{_ITEM}))*)? *\]"


class _NotPlainError(Exception):
    """The text needs the whole of YAML."""


class _Line(NamedTuple):
    indent: int
    start: int
    """where its text begins, after the indent"""
    number: int
    text: str


def plain(text: str, *, max_depth: int, max_nodes: int) -> Node | None:
    """The document, exactly as PyYAML's events give it; None when it takes more than this to read it."""
    lines: list[_Line] = []
    start = 0
    for number, line in enumerate(text.split("\n"), 1):
        if not line.isprintable():
            return None
        bare = line.lstrip(" ")
        if bare and bare[0] != "#":
            lines.append(_Line(len(line) - len(bare), start + len(line) - len(bare), number, bare))
        start += len(line) + 1
    if not lines or lines[0].indent or len(lines) * 2 > max_nodes or lines[0].text.startswith("- "):
        return None
    reader = _Reader(lines, max_depth, max_nodes)
    try:
        node = reader.mapping(0, 1)
    except _NotPlainError:
        return None
    return node if reader.at == len(lines) and reader.left >= 0 else None


class _Reader:
    def __init__(self, lines: list[_Line], max_depth: int, max_nodes: int) -> None:
        self.lines = lines
        self.at = 0
        self.max_depth = max_depth
        self.left = max_nodes

    def next(self) -> _Line:
        """The line to be read; after the last, one that belongs to nothing."""
        return self.lines[self.at] if self.at < len(self.lines) else _Line(-1, 0, 0, "")

    def mapping(self, indent: int, depth: int) -> Mapping:
        """The keys at that indent, from here on."""
        self.count(depth)
        first = self.next()
        pairs: list[Pair] = []
        while self.next().indent == indent and not self.next().text.startswith("- "):
            pairs.append(self.pair(indent, depth))
        if self.next().indent > indent or not pairs:
            raise _NotPlainError
        return Mapping(tuple(pairs), flow=False, start=first.start, end=pairs[-1].end, line=first.number)

    def pair(self, indent: int, depth: int) -> Pair:
        line = self.next()
        found = _KEY_LINE.fullmatch(line.text)
        if not found:
            raise _NotPlainError
        self.at += 1
        key = Scalar(found["key"], "", line.start, line.start + found.end("key"), line.number)
        self.left -= 1
        following = self.next()
        if found["value"] is not None:
            if following.indent > indent:
                raise _NotPlainError
            return Pair(key, self.value(found["value"], line.start + found.start("value"), line.number))
        if following.indent >= indent and following.text.startswith("- "):
            return Pair(key, self.sequence(following.indent, depth + 1))
        if following.indent > indent:
            return Pair(key, self.mapping(following.indent, depth + 1))
        self.left -= 1
        return Pair(key, Scalar("", "", key.end + 1, key.end + 1, line.number))

    def sequence(self, indent: int, depth: int) -> Sequence:
        """The list items at that indent, from here on."""
        self.count(depth)
        first = self.next()
        items: list[Node] = []
        while self.next().indent == indent and self.next().text.startswith("- "):
            items.append(self.item(indent, depth))
        if self.next().indent > indent:
            raise _NotPlainError
        return Sequence(tuple(items), flow=False, start=first.start, end=items[-1].end, line=first.number)

    def item(self, indent: int, depth: int) -> Node:
        line = self.next()
        bare = line.text[1:].lstrip(" ")
        gap = len(line.text) - len(bare)
        if _KEY_LINE.fullmatch(bare):
            # A mapping that begins beside the dash: its keys stand below the first.
            self.lines[self.at] = _Line(indent + gap, line.start + gap, line.number, bare)
            return self.mapping(indent + gap, depth + 1)
        found = _ITEM_LINE.fullmatch(bare)
        self.at += 1
        if not found or self.next().indent > indent:
            raise _NotPlainError
        return self.value(found["value"], line.start + gap, line.number)

    def value(self, text: str, start: int, number: int) -> Node:
        self.left -= 1
        end = start + len(text)
        if text == "{}":
            return Mapping((), flow=True, start=start, end=end, line=number)
        if text[0] == "[":
            if not re.fullmatch(_LIST, text):
                raise _NotPlainError
            items = (self.value(each[0], start + each.start(), number) for each in re.finditer(_ITEM, text))
            return Sequence(tuple(items), flow=True, start=start, end=end, line=number)
        if text[0] in "'\"":
            return Scalar(text[1:-1], text[0], start, end, number)
        return Scalar(text, "", start, end, number)

    def count(self, depth: int) -> None:
        self.left -= 1
        if depth >= self.max_depth or self.left < 0:
            raise _NotPlainError
