"""All the tools an agent has: those that ask its memory and write to it, think for its keepers, and read skills."""

from __future__ import annotations

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.app.keepers.answers import ANSWER, WORK
from oldsoul.app.keepers.open_questions import Questions
from oldsoul.app.prompts.prompt import Prompt, prompt
from oldsoul.app.prompts.skills import SKILL_READ
from oldsoul.app.prompts.tools import WRITING, Tool, tools
from oldsoul.context.prompt_facts import PromptFacts
from oldsoul.values.sessions import Session


def toolbox(agent: AgentWorkspace, questions: Questions) -> list[Tool]:
    """Those of memory where it is switched on; those that think where the keepers have no model."""
    thinking = (WORK, ANSWER) if questions.is_offered else ()
    memory = agent.settings.memory
    writing = WRITING if memory.enabled and memory.workspace.enabled else ()
    return [*tools(agent), *writing, *thinking, *((SKILL_READ,) if agent.settings.context.skills.enabled else ())]


def prompted(
    agent: AgentWorkspace, questions: Questions, message: str, within: tuple[Session, int], facts: PromptFacts | None
) -> Prompt:
    """What a model gets for a message, with the tools the agent has where nobody says which and replies may use any."""
    tools = toolbox(agent, questions) if agent.settings.context.replies.tool_rounds else []
    return prompt(agent, message, within, facts or PromptFacts(), tools)
