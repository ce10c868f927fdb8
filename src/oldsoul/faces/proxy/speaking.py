"""Whom a client speaks to and as whom: its token says which agents, which person, and what is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.context.prompt_facts import PromptFacts
from oldsoul.faces.proxy.problems import no_model
from oldsoul.values.callers import Caller, CallerRole
from oldsoul.values.sessions import Session

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oldsoul.app import Oldsoul
    from oldsoul.app.replying.replies import Stream
    from oldsoul.faces.proxy.asked import Asked
    from oldsoul.values.callers import Token

CHANNEL = "proxy"
_SESSION_HEADERS = ("x-session-id", "x-librechat-conversation-id")
"""Where clients name their conversation, the first one that is there counts."""


def models(soul: Oldsoul, token: Token, only: Sequence[str]) -> list[str]:
    """The agents and teams that a token may talk with; `only` restricts them."""
    every = dict.fromkeys((*soul.agents(), *soul.teams()))
    return [name for name in every if token.agent in ("", name) and (not only or name in only)]


def session_of(token: Token, headers: Mapping[str, str]) -> tuple[Session, bool]:
    """The conversation of a request, and whether it is kept.

    Its id begins with the token's, so that no client can name a conversation of somebody else. Of one without a name,
    and of all that readers hold, nothing is kept.
    """
    named = next((value for name in _SESSION_HEADERS if (value := headers.get(name, "").strip())), "")
    session = Session.dm(token.person, id=f"{CHANNEL}:{token.id}:{named}" if named else f"{CHANNEL}:{token.id}")
    return session, bool(named) and token.role is not CallerRole.READER


def begun(soul: Oldsoul, token: Token, asked: Asked, headers: Mapping[str, str], only: Sequence[str]) -> Stream:
    """The reply to a request, not read yet; the message is logged. Whatever its token, a client talks and decides nothing."""
    if asked.agent not in models(soul, token, only):
        raise no_model(asked.agent)
    session, keep = session_of(token, headers)
    caller = Caller.reader if token.role is CallerRole.READER else Caller.agent
    return soul.agent(asked.agent, caller=caller(token.id, session=session)).stream(
        asked.message,
        session=session,
        channel=CHANNEL,
        key=asked.key(session.id),
        facts=PromptFacts(extra=asked.instructions),
        keep=keep,
        supplied=asked.supplied,
    )
