"""Skills: folders with a SKILL.md that tell an agent how to do something."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oldsoul.values.frozen import frozen

WORKSPACE, USER, PLUGIN, BUNDLED = "workspace", "user", "plugin", "bundled"
SOURCES = (WORKSPACE, USER, PLUGIN, BUNDLED)
"""Where skills come from, in the order they count: of two with one name, the first is taken."""


@frozen
class SkillLimits:
    """How many skills are looked at and listed."""

    candidates_per_root: int = 300
    """folders read below one root"""
    loaded_per_source: int = 200
    """skills taken from one source"""
    in_prompt: int = 150
    """skills listed in a prompt"""
    prompt_chars: int = 30_000
    """characters of that list"""
    file_bytes: int = 256_000
    """bytes of a SKILL.md; a larger one is skipped"""


LIMITS = SkillLimits()
"""Those that hold."""


@frozen
class Skill:
    """A skill as its SKILL.md describes it."""

    name: str
    """what it is called; its folder has the same name"""
    description: str
    """what it does and when to use it, on one line"""
    source: str
    """one of `SOURCES`"""
    location: str
    """its SKILL.md as a prompt names it, the person's home folder as `~`"""
    path: str
    """the same in full"""
    primary_env: str = ""
    """what it mainly runs in or with, as it says"""
    requires_env: tuple[str, ...] = ()
    """environment variables it cannot do without"""
    disable_model_invocation: bool = False
    """whether only a person may choose it"""
    allow_remote: bool = True
    """whether it may be used by others than the operator"""
    license: str = ""
    """under which terms it may be used"""
    compatibility: str = ""
    """what it needs around it, in words"""
    allowed_tools: tuple[str, ...] = ()
    """tools it may use without asking, as it says; nobody here acts on it"""
    raw: Mapping[str, Any] | None = None
    """its frontmatter, all of it"""
    notes: tuple[str, ...] = ()
    """what is odd about it, although it can be used"""


@frozen
class SkippedSkill:
    """Something that looks like a skill, or holds some, and was left alone."""

    location: str
    """where it is, as people are shown it"""
    why: str
    """what is wrong with it"""
    source: str = ""
    """one of `SOURCES`"""


@frozen
class Skills:
    """What a look at all sources found."""

    found: tuple[Skill, ...] = ()
    """the skills, source by source"""
    skipped: tuple[SkippedSkill, ...] = ()
    """what was left alone"""
