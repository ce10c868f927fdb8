"""All the tools an agent has: those that ask its memory, those that think for its keepers, and the one that reads skills."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.app.keepers.thinking import ANSWER, WORK
from oldsoul.app.prompts.prompting import prompt
from oldsoul.app.prompts.skills import SKILL_READ
from oldsoul.app.prompts.tools import tools
from oldsoul.context.prompt_facts import PromptFacts

if TYPE_CHECKING:
    from oldsoul.app.agent_recall import AgentRecall
    from oldsoul.app.keepers.waiting import Questions
    from oldsoul.app.prompts.prompting import Prompt
    from oldsoul.app.prompts.tools import Tool
    from oldsoul.values.sessions import Session


def toolbox(agent: AgentRecall, questions: Questions) -> list[Tool]:
    """None of memory where memory or search is switched off; those that think where the keepers have no model."""
    thinking = (WORK, ANSWER) if questions.is_offered else ()
    return [*tools(agent), *thinking, *((SKILL_READ,) if agent.settings.context.skills.enabled else ())]


def prompted(
    agent: AgentRecall, questions: Questions, message: str, session: Session, facts: PromptFacts | None
) -> Prompt:
    """What a model gets for a message, told of the tools the agent has where nobody says which."""
    return prompt(agent, message, session, facts or PromptFacts(), toolbox(agent, questions))
