"""The skills of an agent: which a session is offered, what its prompt says of them, and the tool that reads one."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.app.prompts.tools import Tool
from oldsoul.context.skills import Offered, SkillsSection, offered, section
from oldsoul.errors import BadInput, NotFound
from oldsoul.values.sessions import Session, SessionKind
from oldsoul.values.skills import Skills


def skills_of(agent: AgentWorkspace, session: Session) -> Offered:
    """The skills that a session is offered, those it is not, and what looks like a skill and is none."""
    roots = agent.home.world.outside.skills(agent.id)
    seen = roots.scan() if roots else Skills()
    variables = {name for skill in seen.found for name in skill.requires_env if agent.home.world.host.is_set(name)}
    taken, left_out = offered(
        seen.found, agent.settings.context.skills, variables=variables, remote=not _is_operators_own(agent, session)
    )
    return Offered(taken, left_out, seen.skipped)


def skills_section(agent: AgentWorkspace, session: Session, tools: Collection[str]) -> SkillsSection:
    """What the prompt of this session says of skills, to an agent that has these tools."""
    if not agent.settings.context.skills.enabled:
        return SkillsSection("")
    return section(skills_of(agent, session).skills, tools)


def skill_read(agent: AgentWorkspace, session: Session, skill: str) -> dict[str, Any]:
    """All of the SKILL.md of a skill that this session is offered; by its location, or by its name."""
    if not isinstance(skill, str) or not skill.strip():
        raise BadInput("skill: give the location of a skill as it is listed, or its name")
    wanted = skill.strip()
    for each in skills_of(agent, session).skills:
        if wanted in (each.location, each.path, each.name):
            roots = agent.home.world.outside.skills(agent.id)
            data = roots.read(each) if roots else None
            if data is not None:
                return {"name": each.name, "location": each.location, "text": data.decode("utf-8", "replace")}
    raise NotFound(f"there is no skill {wanted!r}")


def _is_operators_own(agent: AgentWorkspace, session: Session) -> bool:
    """Whether the operator is alone with the agent, or with a helper that works for it there."""
    root = session
    while root.parent is not None:
        root = root.parent
    return root.kind is SessionKind.DM and agent.home.people.view(root).owner


SKILL_READ = Tool(
    "skill_read",
    "Skill Read",
    "Read the SKILL.md of one of the skills that are listed under Skills. It reads those and nothing else.",
    {
        "type": "object",
        "properties": {
            "skill": {"type": "string", "description": "The skill's location as it is listed, or its name."},
        },
        "required": ["skill"],
        "additionalProperties": False,
    },
    skill_read,
)
