"""Files as resources: their addresses, which of them a client may read, and their text as it may see it."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from oldsoul.app.home.sealing import sealed
from oldsoul.errors import BadInput, NotFound, Refused

if TYPE_CHECKING:
    from oldsoul.faces.mcp.desk import Desk

SCHEME = "oldsoul://"
_LINES = 2000
_IDENTITY = ("SOUL.md", "AGENTS.md", "IDENTITY.md", "TOOLS.md")
"""Files that are not searched. Whoever may see whole files may read them; the context tells the others of them."""


def address(agent: str, path: str, lines: str = "") -> str:
    """The URI of a file, or of some of its lines."""
    return f"{SCHEME}{quote(agent, safe='')}/{quote(path)}{f'#{lines}' if lines else ''}"


def path_of(at: Desk, uri: str) -> str:
    """The path that a URI names; `NotFound` for one that is not this agent's."""
    start = address(at.agent.id, "")
    if not uri.startswith(start):
        raise NotFound(f"there is nothing to read at {uri!r}; resources begin with {start}")
    return unquote(uri.removeprefix(start).partition("#")[0])


def paths(at: Desk) -> list[str]:
    """The files that a client may read."""
    return [*(path for path in _IDENTITY if _whole(at, path)), *at.agent.readable(session=at.session)]


def text(at: Desk, path: str) -> str:
    """The whole text of a file as the client may see it; `NotFound` when there is nothing to see."""
    if path in _IDENTITY and (found := _whole(at, path)):
        return found
    with sealed(at.seal):
        piece = at.agent.get(path, session=at.session, lines=_LINES)
        parts = [piece["text"]]
        while "next" in piece:
            piece = at.agent.get(path, session=at.session, first=piece["next"], lines=_LINES)
            parts.append(piece["text"])
    return "\n".join(parts)


def _whole(at: Desk, path: str) -> str:
    """A whole file without bookkeeping; empty when there is none, or none for this client."""
    with suppress(NotFound, Refused):
        return at.agent.parts.plain(path, at.agent.show(path).data or b"")
    return ""


def fingerprint(at: Desk, uri: str) -> str:
    """What changes when the text behind a URI does; empty when there is nothing to see."""
    with suppress(BadInput, NotFound, Refused):
        return hashlib.sha256(text(at, path_of(at, uri)).encode("utf-8", "replace")).hexdigest()
    return ""
