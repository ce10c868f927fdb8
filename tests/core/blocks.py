"""The memory block of a session's prompt, as its slots render it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.app.talk.recent import known, past
from oldsoul.context.injection import Block, injection

if TYPE_CHECKING:
    from oldsoul.app.agent_recall import AgentRecall
    from oldsoul.values.sessions import Session


def block(agent: AgentRecall, session: Session) -> Block:
    """The memory block of a session's prompt; what is put into it counts as used."""
    memory = agent.settings.memory
    if not (memory.enabled and memory.injection.enabled):
        return Block("", (), ())
    session = agent.home.people.session(session)
    view = agent.home.people.view(session)
    block = injection(known(agent, session), past(agent, session), view, memory.injection.max_items)
    agent.used(block.entries, session)
    return block
