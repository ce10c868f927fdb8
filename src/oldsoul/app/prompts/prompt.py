"""The prompt of a session: the system prompt from all that is known, and the block of memory before the message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.app.prompts.context import Gathering, configured
from oldsoul.app.prompts.skills import skills_section
from oldsoul.app.prompts.tools import Tool
from oldsoul.context.bootstrap import HELPERS, BootstrapLimits, FileNote, FileStatus, SourceFile, context_files
from oldsoul.context.persona import in_character
from oldsoul.context.prompt_facts import (
    AgentFacts,
    ContextFile,
    Mode,
    PromptFacts,
    ToolFact,
    WorkspaceFacts,
    clock_facts,
    model_facts,
)
from oldsoul.context.sections import SystemPrompt, system_prompt
from oldsoul.reading.dates import zone_of
from oldsoul.rules.limits import is_near, limit_of
from oldsoul.values.context import Context, Slot
from oldsoul.values.frozen import frozen
from oldsoul.values.names import SHARED, Kind, Name
from oldsoul.values.sessions import Session
from oldsoul.workspace import template

_SLOTTED = {"SOUL.md": Slot.IDENTITY, "USER.md": Slot.PROFILE}


@frozen
class Prompt:
    """What a model gets before a reply, and where it came from."""

    system: SystemPrompt
    """the system prompt, in parts"""
    context: Context
    """what memory holds for this session and message; slots 1 and 2 stand in the system prompt"""
    message: str
    """the message itself"""
    files: tuple[FileNote, ...]
    """what became of each workspace file"""
    notes: tuple[str, ...]
    """what a person should know"""
    contents: tuple[ContextFile, ...] = ()
    """the workspace files in the system prompt, each as this session sees it"""

    @property
    def text(self) -> str:
        """What stands before the reply on the user's side: the block of memory, then the message."""
        return _joined(self.context.block.strip("\n"), self.message)

    @property
    def turn(self) -> str:
        """The same with what changes per turn before it, for those who send `system.stable` once.

        A conversation whose turns are sent as they were sent then only ever grows at its end.
        """
        volatile = [part.text for part in self.system.parts if part.volatile]
        return _joined(*volatile, self.text)


def _joined(*parts: str) -> str:
    return "\n\n".join(filter(None, parts))


def prompt(
    agent: AgentWorkspace, message: str, within: tuple[Session, int], facts: PromptFacts, own: Sequence[Tool]
) -> Prompt:
    """The prompt for a message, from what the caller knows (`facts`) and what the home does.

    `within` is the session, and the number of its message from which on the model is told them as turns (0: none).
    """
    home = agent.home
    settings = agent.settings.context
    session = home.people.session(within[0])
    context = Gathering(agent, session, message, within[1]).context()
    chosen = context_files(
        _files(agent, context),
        session.kind,
        home.people.view(session, agent.id),
        BootstrapLimits(settings.bootstrap_max_chars, settings.bootstrap_total_max_chars),
    )
    is_helper = session.kind in HELPERS
    tools = facts.tools or tuple(ToolFact(tool.name, tool.description) for tool in own)
    skills = skills_section(agent, session, [tool.name for tool in tools])
    is_default = agent.id == home.settings.default_agent
    folder = home.world.places.folder(agent.id)
    now, zone = agent.today(), str(agent.zone)
    if facts.clock.zone:
        now, zone = now.astimezone(zone_of(facts.clock.zone)), facts.clock.zone
    written = replace(
        facts,
        mode=facts.mode or (Mode.MINIMAL if is_helper else Mode(settings.prompt_mode)),
        session=session.kind,
        agent=AgentFacts(agent.id, agent.display_name, is_default),
        tools=tools,
        clock=clock_facts(now, zone, facts.clock.format),
        files=chosen.files,
        skills=skills.text,
        citations=settings.citations,
        workspace=facts.workspace if facts.workspace.dir else WorkspaceFacts(folder, facts.workspace.notes),
        heartbeat=home.settings.agents.defaults.heartbeat_prompt if is_default else "",
        model=facts.model if facts.model.id else model_facts(agent.model),
        machine=home.world.host.machine(folder),
    )
    seen = {note.name for note in chosen.notes if note.state is not FileStatus.PRIVATE}
    filling = (each for each in _filling(agent) if each.partition(" ")[0] in seen)
    notes = (*chosen.warnings, *filling, *skills.notes, *context.notes)
    return Prompt(system_prompt(written), context, message, chosen.notes, notes, chosen.files)


def _filling(agent: AgentWorkspace) -> Iterator[str]:
    """What to say of files that have come near the size at which nothing can be added to them."""
    sizes = agent.settings.memory.workspace
    for file in agent.bootstrap():
        size, limit = len(file.content.encode()), limit_of(Name(agent.id, file.name), sizes.max_file_size)
        if is_near(size, limit):
            yield f"{file.name} has {size:,} of {limit:,} bytes; once it is full, nothing can be added"


def _files(agent: AgentWorkspace, context: Context) -> tuple[SourceFile, ...]:
    """The files an agent is started with. SOUL and USER come as their slots hold them."""
    home = agent.home
    now = home.world.clock.now()
    found = []
    if not agent.settings.memory.workspace.enabled:
        return in_character((), agent.id, configured(agent))
    for file in agent.bootstrap():
        name = Name(agent.id, file.name)
        untouched = not file.missing and file.content.encode() == template(name, now)
        found.append(SourceFile(name, file.content, file.path, file.missing, file.problem, untouched))
    for name in home.world.store.names(SHARED):
        if name.kind is Kind.SHARED:
            data = AgentWorkspace(home, SHARED).read(name).data or b""
            found.append(SourceFile(name, data.decode("utf-8", "replace"), f"{SHARED}/{name.path}"))
    slots = {path: context.slots[slot - 1].text.strip("\n") for path, slot in _SLOTTED.items()}
    return tuple(
        replace(file, text=slots[file.name.path], is_template=file.is_template and not slots[file.name.path])
        if file.name.workspace == agent.id and file.name.path in slots and not file.missing
        else file
        for file in in_character(found, agent.id, configured(agent))
    )
