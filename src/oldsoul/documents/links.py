"""Links of a document: found by the parser, resolved against the file and the memory root, compared when resolved."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oldsoul.documents.model import Document

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_UNSAFE = re.compile(r"[\\\x00-\x1f\x7f]")
_LONE_RETURN = re.compile(rb"\r(?!\n)")


@dataclass(frozen=True, slots=True)
class Link:
    """One Markdown link."""

    line: int
    """the line it begins on, counted from 0"""
    target: str
    """where it points, as it is written"""
    text: str
    """the words that carry it"""


def links(document: Document) -> list[Link]:
    """The document's links, in order; bare addresses, images, code and comments are none."""
    if any(b"]:" in line for line in document.lines):
        # Definitions may be anywhere, so the whole is read at once. Lines end at line feeds alone here too.
        head = document.matter.end
        body = b"\n" * head + b"".join(document.lines[head:])
        return links_in(_LONE_RETURN.sub(b" ", body).decode("utf-8", "replace"))
    return [
        Link(first + link.line, link.target, link.text)
        for first, end in _spans(document)
        for link in links_in(b"".join(document.lines[first:end]).decode("utf-8", "replace"))
    ]


def _spans(document: Document) -> list[tuple[int, int]]:
    spans = [(b.line, b.end) for b in document.outline.blocks if b.kind not in ("CodeBlock", "HtmlBlock", "Rule")]
    return sorted(spans + [(h.line, h.end) for h in document.headings])


def links_in(text: str) -> list[Link]:
    """The links of one piece of Markdown."""
    if "](" not in text and "]:" not in text:
        return []
    import pyromark  # noqa: PLC0415 - every command loads this module, few look for links

    data = text.encode()
    found: list[Link] = []
    line = place = 0
    target: str | None = None
    words: list[str] = []
    event: Any
    for event, span in pyromark.events_with_range(text):
        if "Start" in event and "Link" in event["Start"]:
            link = event["Start"]["Link"]
            if link["link_type"] not in ("Autolink", "Email"):
                line += data.count(b"\n", place, span["start"])
                place, target, words = span["start"], link["dest_url"], []
        elif target is not None and "End" in event and event["End"] == "Link":
            found.append(Link(line, target, "".join(words)))
            target = None
        elif target is not None and event.__class__ is dict:
            words += [value for key, value in event.items() if key in ("Text", "Code")]
    return found


def resolved(target: str, path: str, known: Collection[str] = ()) -> str | None:
    """The workspace path (with its anchor) a link of `path` means; None when it leads out of the workspace.

    Links are written relative to the file. S2's other form, relative to `memory/`, is read too: it is taken where the
    first form names no known file and this one does, or where the first leads out.
    """
    where, hash_mark, anchor = target.partition("#")
    if not where:
        return f"{path}{hash_mark}{anchor}"
    from urllib.parse import unquote  # noqa: PLC0415 - as above

    where = unquote(where.partition("?")[0])
    if _SCHEME.match(target) or _UNSAFE.search(where) or where.startswith("/"):
        return None
    candidates = [posixpath.normpath(posixpath.join(root, where)) for root in (posixpath.dirname(path), "memory")]
    inside = [c for c in candidates if c != ".." and not c.startswith(("../", "/"))]
    chosen = next((c for c in inside if c in known), inside[0] if inside else None)
    return None if chosen is None else f"{chosen}{hash_mark}{anchor}"


def relative(path: str, to: str) -> str:
    """The link from one workspace file to another, relative to the file."""
    return posixpath.relpath(to, posixpath.dirname(path) or ".")
