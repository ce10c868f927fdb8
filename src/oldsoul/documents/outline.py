"""The block structure of Markdown bytes: where headings, list items, tasks and other blocks begin and end, by line.

The parser is pulldown-cmark (pyromark). It is asked about blocks only, so it is handed a skeleton of the text: each
line up to its first letter, since nothing after that can begin a block. That is several times faster than parsing
every link and emphasis of a long memory. Where a later part of a line could matter after all (reference definitions,
HTML blocks that end in the middle of a line), the parser gets the whole text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, takewhile
from typing import Any, NamedTuple

import pyromark


class Heading(NamedTuple):
    """A heading of the document itself (one inside a quote or a list item is that item's text)."""

    line: int
    """its first line"""
    end: int
    """the line after its last (a setext heading has several)"""
    level: int
    """1 to 6"""


class Block(NamedTuple):
    """A top-level block: a list item with its children, or a paragraph, quote, fence, HTML block, rule."""

    line: int
    """its first line"""
    end: int
    """the line after its last line that is not blank"""
    kind: str
    """`item`, `Paragraph`, `CodeBlock`, `BlockQuote`, `HtmlBlock`, `Rule` …"""
    ordered: bool
    """for an item: whether its list is numbered"""


class Task(NamedTuple):
    """A check box in a list item, at any depth."""

    line: int
    """the line it is on"""
    done: bool
    """whether it is ticked"""


class Outline(NamedTuple):
    """The block structure of one text."""

    headings: list[Heading]
    """top-level headings, in order"""
    blocks: list[Block]
    """top-level blocks other than headings, in order; list items one by one"""
    tasks: list[Task]
    """check boxes, in order"""


# What the block parser sees: a carriage return is a space, so that lines end at line feeds alone; other control
# characters are letters; bytes outside ASCII are commas, which can be part of no marker and of no tag's name. So
# offsets hold for any encoding, and only space and tab count as blank.
_SEEN = bytes(
    b if b in (9, 10) or 32 <= b < 127 else 32 if b == 13 else 44 if b > 127 else 97  # noqa: PLR2004 - ASCII codes
    for b in range(256)
)
_SKELETON = re.compile(rb"((?:[^A-Za-z,<\[`~\n]|\[[ xX]\][ \t])*+(?:[<\[`~][^\n]*+|[A-Za-z,]|))[^\n]*+(?:\n|\Z)")
_ENDS_INSIDE_A_LINE = re.compile(rb"(?mi)^[^a-z,<\n]*+<(?:[!?]|script|pre|style|textarea)")
_LEVELS = {f"H{level}": level for level in range(1, 7)}

# Where pulldown-cmark departs from CommonMark, the text is changed before it sees it. A closing fence may be followed
# by tabs; any of these four tags, in any case, ends a block that any of them began; what follows a check box is text,
# whatever it looks like; and two tabs after a marker begin code, check box or not.
_TAB_AFTER_FENCE = re.compile(rb"(?<=```|~~~) *+\t[ \t]*+$", re.MULTILINE)
_RAW_TAG = re.compile(rb"(?i)<(?:script|pre|style|textarea)(?=[ \t\n>]|\Z)|</(?:script|pre|style|textarea)(?=>)")
_CHECK_BOX = re.compile(rb"([-+*.)][ \t]+\[[ xX]\])(?=[ \t\n]|\Z)")
_CODE_NO_BOX = re.compile(rb"([-+*.)] *\t *\t[ \t]*)\[(?=[ xX]\](?:[ \t\n]|\Z))")
_OPTIONS = pyromark.Options.ENABLE_TASKLISTS


def outline(lines: Sequence[bytes]) -> Outline:
    """The structure of these lines (each with its line feed)."""
    seen = _seen(lines)
    return _read(_skeleton(seen) or _whole(seen), lines)


def first_block(lines: Sequence[bytes]) -> int:
    """How many lines the first words of an item take: its first paragraph, heading or code, without its children."""
    text = _whole(_seen(lines)).decode("ascii")
    start, end, containers = len(text), 0, 0
    event: Any
    for event, span in pyromark.events_with_range(text, options=_OPTIONS, merge_text=True):
        what = event if event.__class__ is str else next(iter(event))
        tag = event[what] if what in ("Start", "End") else what
        name = tag if tag.__class__ is str else next(iter(tag))
        if end and name in _BLOCKS:
            break  # the words of a tight item are in no block of that kind, and end where one begins or ends
        if name in _CONTAINERS:
            containers += what == "Start"
            continue
        start, end = min(start, span["start"]), span["end"]
        if name in _BLOCKS:
            break
    before = text[:start].rstrip(" \t")
    if before.endswith("\n") and not _ONLY_MARKERS.match(text) and (containers > _LIST_AND_ITEM or "\n\n" in before):
        end = 0  # the first line holds a definition, which is no block, and what follows is a child
    if not end:
        before = before if before.strip() else text
        return sum(1 for _ in takewhile(str.strip, before.splitlines()))
    return text.count("\n", 0, len(text[:end].rstrip())) + 1


_ONLY_MARKERS = re.compile(r"(?:[ \t]*(?:[-+*>]|\d{1,9}[.)]))+[ \t]*\n")
_LIST_AND_ITEM = 2
_CONTAINERS = frozenset({"List", "Item", "BlockQuote"})
_BLOCKS = _CONTAINERS | {"Paragraph", "Heading", "CodeBlock", "HtmlBlock", "Rule"}


def _seen(lines: Sequence[bytes]) -> bytes:
    """The text as the block parser gets to see it."""
    seen = b"".join(lines).translate(_SEEN)
    if b"\t" in seen:
        seen = _TAB_AFTER_FENCE.sub(lambda tabs: b" " * len(tabs[0]), seen)
        seen = _CODE_NO_BOX.sub(rb"\1a", seen)
    return seen


def _skeleton(seen: bytes) -> bytes:
    """The beginnings of the lines; empty when their ends matter too."""
    if b"]:" in seen:
        return b""
    text = b"\n".join(_SKELETON.findall(seen))
    if b"<" in text and _ENDS_INSIDE_A_LINE.search(text):
        return b""
    return _CHECK_BOX.sub(rb"\1 a", text)


def _whole(seen: bytes) -> bytes:
    """All of the text."""
    if b"<" in seen:
        seen = _RAW_TAG.sub(lambda tag: b"</pre" if tag[0][1:2] == b"/" else b"<pre", seen)
    return _CHECK_BOX.sub(rb"\1 a", seen)


def _read(text: bytes, lines: Sequence[bytes]) -> Outline:  # noqa: C901, PLR0912 - one pass over a million events; calls would double its time
    headings: list[Heading] = []
    blocks: list[Block] = []
    tasks: list[Task] = []
    starts = [0, *accumulate(map(len, text.splitlines(keepends=True))), len(text) + 2]
    depth = 0  # how many blocks are open, top-level lists not counted
    first = 0  # the first line of the top-level block that is open
    line = 0  # how far we have come; top-level blocks follow one another
    ordered = False
    count = len(lines)
    event: Any
    for event, span in pyromark.events_with_range(text.decode("ascii"), options=_OPTIONS, merge_text=True):
        if "Text" in event:
            continue
        if "Start" in event:
            if depth == 0:
                tag = event["Start"]
                if tag.__class__ is dict and "List" in tag:
                    ordered = tag["List"] is not None
                    continue
                start = span["start"]
                while starts[line + 1] <= start:
                    line += 1
                first = line
            depth += 1
        elif "End" in event:
            if depth == 0:
                continue  # the end of a top-level list
            depth -= 1
            if depth == 0:
                stop = span["end"]
                while starts[line + 1] < stop:
                    line += 1
                end = line + 1
                if end > count or lines[end - 1].isspace():
                    end = _trimmed(lines, first, end)
                tag = event["End"]
                if tag == "Item":
                    blocks.append(Block(first, end, "item", ordered))
                elif tag.__class__ is str:
                    blocks.append(Block(first, end, tag, False))  # noqa: FBT003 - a tuple's field
                elif "Heading" in tag:
                    headings.append(Heading(first, end, _LEVELS[tag["Heading"]]))
                else:
                    blocks.append(Block(first, end, next(iter(tag)), False))  # noqa: FBT003 - a tuple's field
        elif "TaskListMarker" in event:
            tasks.append(Task(bisect_right(starts, span["start"]) - 1, event["TaskListMarker"]))
        elif event == "Rule" and depth == 0:
            start = span["start"]
            while starts[line + 1] <= start:
                line += 1
            blocks.append(Block(line, line + 1, "Rule", False))  # noqa: FBT003 - a tuple's field
    return Outline(headings, blocks, tasks)


def _trimmed(lines: Sequence[bytes], first: int, end: int) -> int:
    """The end without trailing blank lines."""
    end = min(end, len(lines))
    while end > first + 1 and not lines[end - 1].strip(b" \t\r\n"):
        end -= 1
    return end
