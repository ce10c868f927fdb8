"""One client's place: the agent it works with, as which session, and what its role lets it do."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from oldsoul.app.home.sealing import seal_for
from oldsoul.values.callers import Caller, CallerRole
from oldsoul.values.sessions import Session

if TYPE_CHECKING:
    from oldsoul.app import Agent, Oldsoul
    from oldsoul.app.home.sealing import Seal


class Desk(NamedTuple):
    """What the tools of one client work with."""

    agent: Agent
    """the agent, as a model may use it: never as the operator"""
    session: Session
    """the session it acts in"""
    caller: Caller
    """who called, as MCP takes them: decides which tools there are"""
    deciding: Agent
    """the agent for that caller: lets an operator decide on proposals"""

    @property
    def seal(self) -> Seal | None:
        """What seals what the client is told: numbers of messages are for an operator alone."""
        return seal_for(self.agent.parts.home, self.caller, self.session)


def desk(soul: Oldsoul, caller: Caller, agent_id: str = "") -> Desk:
    """The place of a caller. Tools act as the agent within the caller's session, for an operator within their own.

    Over MCP a model speaks, so an operator is an agent too, unless the settings say otherwise. A caller who is bound to
    no session sees only what is public: no client may name a session.
    """
    session = caller.session or Session.group("")
    makes = Caller.reader if caller.role is CallerRole.READER else Caller.agent
    if caller.role is CallerRole.OPERATOR:
        operators = soul.parts.people.operators
        session = Session.dm(caller.subject if caller.subject in operators else operators[0])
        if not soul.parts.settings.mcp.operator:
            caller = Caller.agent(caller.subject, session=session)
    wanted = agent_id or None
    agent = soul.agent(wanted, caller=makes(caller.subject, session=session))
    return Desk(agent, session, caller, soul.agent(wanted, caller=caller))
