"""What markdown-it-py sees in a file: the outline our document model has to agree with."""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

if TYPE_CHECKING:
    from collections.abc import Iterator

# Fuzzing markdown-it-py against pulldown-cmark showed a few differences. Two are pulldown-cmark's, by the specification:
# a closing fence followed by a tab, and `<script>` closed by `</Script>`, `</pre>` or `</style>`. The others look like
# markdown-it-py's (no reference implementation was at hand); the corpus keeps those in files named `disputed-*.md`:
# - A link definition is a block of its own here, but the start of a paragraph in CommonMark: so a lazy line after a
#   definition is not part of its item, `2.` or an empty `-` right after one starts a list, and so does `<b>` its block.
# - `[a]:` over `===` is a definition of `===` here, a heading in CommonMark.
# - A lazy line of four or more spaces and a marker ends a nested item, or a quote in a quote, here.

_BOM = b"\xef\xbb\xbf"

# Every ASCII control character but tab and newline reads as "a".
_PLAIN = {code: "a" for code in (*range(0x20), 0x7F) if code not in (0x09, 0x0A)} | {0x0D: " "}

# Block structure never asks which non-ASCII character it is, but Python's `\s` and `strip` do (U+00A0, U+2028, ...),
# and so would markdown-it-py: all of them, and every byte that is not UTF-8, read as one letter that is neither a space
# nor part of a tag name.
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_LETTER = "é"

_CONTAINER_MARKERS = ">-+*.)"
_FRAMES_PER_CONTAINER = 3


def outline(data: bytes) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The top-level headings and the top-level list items of a file.

    Headings come as (line, level), items as (first line, line after the last line that is not blank); lines count
    from 0 and end at a newline only. What stands in a quote or in another item is not top-level.
    """
    lines = readable_lines(data)
    text = "\n".join(lines) + "\n"
    # Only blocks matter here; the inline rules would cost time and change nothing.
    parser = MarkdownIt("commonmark", {"maxNesting": len(text) + 1}).disable(["inline", "text_join"])
    with _room_for(text):
        tokens = parser.parse(text)
    headings: list[tuple[int, int]] = []
    items: list[tuple[int, int]] = []
    for token in tokens:
        if token.map is None:
            continue
        first, end = token.map
        if token.type == "heading_open" and token.level == 0:
            headings.append((first, int(token.tag[1:])))
        elif token.type == "list_item_open" and token.level == 1:
            while end > first + 1 and not lines[end - 1].strip(" \t"):
                end -= 1
            items.append((first, end))
    return headings, items


def readable_lines(data: bytes) -> list[str]:
    """The lines of a file as the oracle reads them: plain text, with the frontmatter blanked out."""
    text = data.removeprefix(_BOM).decode("utf-8", "surrogateescape").translate(_PLAIN)
    lines = _NOT_ASCII.sub(_LETTER, text).split("\n")
    after = _frontmatter_end(lines)
    return [""] * after + lines[after:]


def _frontmatter_end(lines: list[str]) -> int:
    """The number of lines that the frontmatter takes, fences included; 0 when there is none or it is never closed."""
    if lines[0].rstrip(" ") != "---":
        return 0
    for number, line in enumerate(lines[1:], start=1):
        if line.rstrip(" ") in ("---", "..."):
            return number + 1
    return 0


@contextmanager
def _room_for(text: str) -> Iterator[None]:
    """A recursion limit that lets markdown-it-py descend into every container the text could possibly open."""
    before = sys.getrecursionlimit()
    containers = sum(text.count(marker) for marker in _CONTAINER_MARKERS)
    sys.setrecursionlimit(before + _FRAMES_PER_CONTAINER * containers)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
