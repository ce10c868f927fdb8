"""The memory block of a session's prompt, as its slots render it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.app.prompts.context import known_person, past_sessions
from oldsoul.context.presentation import PresentationBlock, injection

if TYPE_CHECKING:
    from oldsoul.app.agent_workspace import AgentWorkspace
    from oldsoul.values.sessions import Session


def block(agent: AgentWorkspace, session: Session) -> PresentationBlock:
    """The memory block of a session's prompt; what is put into it counts as used."""
    memory = agent.settings.memory
    if not (memory.enabled and memory.injection.enabled):
        return PresentationBlock("", (), ())
    session = agent.home.people.session(session)
    view = agent.home.people.view(session)
    block = injection(known_person(agent, session), past_sessions(agent, session), view, memory.injection.max_items)
    agent.used(block.entries, session)
    return block
