"""Who an agent is and how it works: its own files first, then a built-in persona, then the settings.

A file that still reads as it was seeded does not count as the agent's own: it serves where nothing else is said.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from oldsoul.context.bootstrap import SourceFile
from oldsoul.values.frozen import frozen
from oldsoul.values.names import Name

SOUL, AGENTS = "SOUL.md", "AGENTS.md"
_INSTRUCTIONS = "\n## Instructions\n"


@frozen
class Persona:
    """A built-in character: who it is, and how it works."""

    name: str
    """what settings call it"""
    title: str
    """what people call it"""
    role: str
    """stands for SOUL.md"""
    instructions: str
    """stands for AGENTS.md"""


def persona_of(name: str, text: str) -> Persona:
    """The persona that a file describes: a title, then the role, then the instructions below their heading."""
    head, _, instructions = text.replace("\r\n", "\n").partition(_INSTRUCTIONS)
    title, _, role = head.strip().partition("\n")
    return Persona(name, title.removeprefix("#").strip(), role.strip(), instructions.strip())


class From(StrEnum):
    """Where a text comes from."""

    FILE = "file"
    """the agent's own file"""
    PERSONA = "persona"
    """a built-in persona"""
    SETTINGS = "settings"
    """`role` or `instructions` of the agent's settings"""
    TEMPLATE = "template"
    """the file as it was seeded"""
    NOWHERE = "nowhere"
    """nothing is said"""


@frozen
class Choice:
    """A text, and where it comes from."""

    text: str
    """the text"""
    source: From
    """where it comes from"""
    label: str = ""
    """how the prompt names it where it replaces a file"""


@frozen
class Configured:
    """What the settings say an agent is."""

    persona: Persona | None = None
    """one of the built-in ones"""
    role: str = ""
    """who it is"""
    instructions: str = ""
    """how it works"""


def role_of(soul: SourceFile | None, configured: Configured) -> Choice:
    """Who the agent is: SOUL.md, else the persona, else the configured role, else the seeded SOUL.md."""
    persona = configured.persona
    builtin = Choice(persona.role, From.PERSONA, f"Role (persona {persona.name})") if persona else None
    return _first(soul, builtin, Choice(configured.role.strip(), From.SETTINGS, "Role (settings)"))


def instructions_of(agents: SourceFile | None, configured: Configured) -> Choice:
    """How the agent works: AGENTS.md, else the persona's, else the configured ones, else the seeded AGENTS.md."""
    persona = configured.persona
    builtin = Choice(persona.instructions, From.PERSONA, f"Instructions (persona {persona.name})") if persona else None
    return _first(agents, builtin, Choice(configured.instructions.strip(), From.SETTINGS, "Instructions (settings)"))


def _first(file: SourceFile | None, *others: Choice | None) -> Choice:
    own = "" if file is None or file.missing or file.problem else file.text
    if file is not None and own.strip() and not file.is_template:
        return Choice(own, From.FILE)
    chosen = next((choice for choice in others if choice and choice.text), None)
    return chosen or (Choice(own, From.TEMPLATE) if own.strip() else Choice("", From.NOWHERE))


def in_character(files: Iterable[SourceFile], workspace: str, configured: Configured) -> tuple[SourceFile, ...]:
    """The files of an agent, in which persona or settings are in the place of a soul or rules it has none of.

    A file that could not be read keeps its place, so that the report lists it; what replaces it comes along.
    """
    given = tuple(files)
    own = {file.name.path: file for file in given if file.name.workspace == workspace}
    result = list(given)
    for path, choice in (
        (SOUL, role_of(own.get(SOUL), configured)),
        (AGENTS, instructions_of(own.get(AGENTS), configured)),
    ):
        if choice.source not in (From.PERSONA, From.SETTINGS):
            continue
        instead = SourceFile(Name(workspace, path), choice.text, choice.label)
        if path in own and not own[path].problem:
            result[result.index(own[path])] = instead
        else:
            result.append(instead)
    return tuple(result)
