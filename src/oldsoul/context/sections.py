"""The system prompt: an ordered table of sections, and what it makes of the facts.

What changes from turn to turn stands at the end. All before it stays the same, byte for byte, as long as the workspace
and the settings do, so that whoever runs the model need not read it anew.
"""

from __future__ import annotations

from collections.abc import Callable  # noqa: TC003 - the fields of a value name it

from oldsoul.context import sections_talk as talk
from oldsoul.context import sections_work as work
from oldsoul.context.prompt_facts import Mode, PromptFacts
from oldsoul.values.frozen import frozen

FULL = frozenset({Mode.FULL})
HELPERS = frozenset({Mode.FULL, Mode.MINIMAL})
ALL = frozenset(Mode)


@frozen
class Part:
    """A stretch of the prompt that changes as a whole: a section, or one file of it."""

    name: str
    """what people call it; no two parts of a prompt share it"""
    text: str
    """its text"""
    volatile: bool = False
    """whether it may change from turn to turn"""


@frozen
class Section:
    """One row of the table."""

    number: int
    """its number in the specification; 25 is ours"""
    name: str
    """what people call it"""
    modes: frozenset[Mode]
    """the modes it belongs to"""
    write: Callable[[PromptFacts], str]
    """its text; empty where it does not apply"""
    volatile: bool = False
    """whether it stands in the tail"""
    divide: Callable[[PromptFacts], tuple[Part, ...]] | None = None
    """its parts, where it has several; together they read as what `write` gives"""

    def parts(self, facts: PromptFacts) -> tuple[Part, ...]:
        """What it puts into the prompt."""
        if (facts.mode or Mode.FULL) not in self.modes:
            return ()
        if self.divide is not None:
            return self.divide(facts)
        text = self.write(facts)
        return (Part(self.name, text, self.volatile),) if text else ()


@frozen
class SystemPrompt:
    """A system prompt, and what it consists of."""

    parts: tuple[Part, ...]
    """its parts in order, the volatile ones last"""

    @property
    def text(self) -> str:
        """All of it."""
        return _joined(self.parts)

    @property
    def stable(self) -> str:
        """The beginning that does not change from turn to turn: `text` starts with it."""
        return _joined(tuple(part for part in self.parts if not part.volatile))


def _joined(parts: tuple[Part, ...]) -> str:
    return "\n\n".join(part.text for part in parts)


def _files(facts: PromptFacts) -> tuple[Part, ...]:
    """Project Context, a part for each file."""
    head = talk.project_head(facts)
    files = (Part(f"Project Context: {work.line(f.path)}", talk.project_file(f)) for f in talk.project_files(facts))
    return (Part("Project Context", head), *files) if head else ()


SECTIONS = (
    Section(1, "Identity", ALL, work.identity),
    Section(2, "Tooling", HELPERS, work.tooling),
    Section(3, "Tool Call Style", FULL, work.tool_call_style),
    Section(4, "Safety", HELPERS, work.safety),
    Section(5, "CLI Quick Reference", FULL, work.cli_reference),
    Section(6, "Skills", FULL, work.skills),
    Section(7, "Memory Recall", FULL, work.memory_recall),
    Section(8, "Self-Update", FULL, work.self_update),
    Section(9, "Model Aliases", FULL, work.model_aliases),
    Section(10, "Workspace", HELPERS, work.workspace),
    Section(11, "Documentation", FULL, work.documentation),
    Section(12, "Sandbox", FULL, work.sandbox),
    Section(13, "Authorized Senders", FULL, talk.authorized_senders),
    Section(15, "Workspace Files", FULL, talk.workspace_files),
    Section(16, "Reply Tags", FULL, talk.reply_tags),
    Section(17, "Messaging", FULL, talk.messaging),
    Section(18, "Voice (TTS)", FULL, talk.voice),
    Section(19, "Project Context", HELPERS, talk.project_context, divide=_files),
    Section(20, "Silent Replies", FULL, talk.silent_replies),
    Section(21, "Heartbeats", FULL, talk.heartbeats),
    Section(22, "Reactions", FULL, talk.reactions),
    Section(23, "Reasoning Format", FULL, talk.reasoning_format),
    Section(25, "Further Instructions", HELPERS, talk.further_instructions),
    # From here on things change per turn. Runtime is the last of all.
    Section(14, "Current Date & Time", FULL, talk.date_and_time, volatile=True),
    Section(24, "Runtime", HELPERS, talk.runtime, volatile=True),
)
"""The sections in the order they are written."""


def system_prompt(facts: PromptFacts, sections: tuple[Section, ...] = SECTIONS) -> SystemPrompt:
    """The system prompt for these facts: every section that belongs to the mode and applies."""
    return SystemPrompt(tuple(part for section in sections for part in section.parts(facts)))
