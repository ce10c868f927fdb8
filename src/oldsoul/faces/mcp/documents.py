"""Files as resources: their addresses, which of them a client may read, and their text as it may see it."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import quote, unquote

from oldsoul.app import Agent, Oldsoul
from oldsoul.app.home.seals import Seal, sealed
from oldsoul.errors import BadInput, NotFound, Refused
from oldsoul.values.callers import Caller, CallerRole
from oldsoul.values.sessions import Session


class McpClient(NamedTuple):
    """What the tools of one client work with."""

    agent: Agent
    """the agent, as a model may use it: never as the operator"""
    session: Session
    """the session it acts in"""
    caller: Caller
    """who called, as MCP takes them: decides which tools there are"""
    deciding: Agent
    """the agent for that caller: lets an operator decide on proposals"""
    soul: Oldsoul
    """the home"""

    @property
    def seal(self) -> Seal | None:
        """What seals what the client is told: numbers of messages are for an operator alone."""
        return None if self.caller.role is CallerRole.OPERATOR else self.soul.seal()


def desk(soul: Oldsoul, caller: Caller, agent_id: str = "") -> McpClient:
    """The place of a caller. Tools act as the agent within the caller's session, for an operator within their own.

    Over MCP a model speaks, so an operator is an agent too, unless the settings say otherwise. A caller who is bound to
    no session sees only what is public: no client may name a session.
    """
    session = caller.session or Session.group("")
    makes = Caller.reader if caller.role is CallerRole.READER else Caller.agent
    if caller.role is CallerRole.OPERATOR:
        operators = soul.operators
        session = Session.dm(caller.subject if caller.subject in operators else operators[0])
        if not soul.settings.mcp.operator:
            caller = Caller.agent(caller.subject, session=session)
    wanted = agent_id or None
    agent = soul.agent(wanted, caller=makes(caller.subject, session=session))
    return McpClient(agent, session, caller, soul.agent(wanted, caller=caller), soul)


SCHEME = "oldsoul://"
_LINES = 2000
_IDENTITY = ("SOUL.md", "AGENTS.md", "IDENTITY.md", "TOOLS.md")
"""Files that are not searched. Whoever may see whole files may read them; the context tells the others of them."""


def address(agent: str, path: str, lines: str = "") -> str:
    """The URI of a file, or of some of its lines."""
    return f"{SCHEME}{quote(agent, safe='')}/{quote(path)}{f'#{lines}' if lines else ''}"


def path_of(at: McpClient, uri: str) -> str:
    """The path that a URI names; `NotFound` for one that is not this agent's."""
    start = address(at.agent.id, "")
    if not uri.startswith(start):
        raise NotFound(f"there is nothing to read at {uri!r}; resources begin with {start}")
    return unquote(uri.removeprefix(start).partition("#")[0])


def paths(at: McpClient) -> list[str]:
    """The files that a client may read."""
    return [*(path for path in _IDENTITY if _whole(at, path)), *at.agent.memory.readable(session=at.session)]


def text(at: McpClient, path: str) -> str:
    """The whole text of a file as the client may see it; `NotFound` when there is nothing to see."""
    if path in _IDENTITY and (found := _whole(at, path)):
        return found
    with sealed(at.seal):
        piece = at.agent.memory.get(path, session=at.session, lines=_LINES)
        parts = [piece["text"]]
        while "next" in piece:
            piece = at.agent.memory.get(path, session=at.session, first=piece["next"], lines=_LINES)
            parts.append(piece["text"])
    return "\n".join(parts)


def _whole(at: McpClient, path: str) -> str:
    """A whole file without bookkeeping; empty when there is none, or none for this client."""
    with suppress(NotFound, Refused):
        return at.agent.files.plain(path, at.agent.files.show(path).data or b"")
    return ""


def fingerprint(at: McpClient, uri: str) -> str:
    """What changes when the text behind a URI does; empty when there is nothing to see."""
    with suppress(BadInput, NotFound, Refused):
        return hashlib.sha256(text(at, path_of(at, uri)).encode("utf-8", "replace")).hexdigest()
    return ""
