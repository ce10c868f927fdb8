"""What memory finds, and how a session sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from oldsoul.language.headings import place
from oldsoul.lazy import lazy
from oldsoul.values.context import IN_SYSTEM_PROMPT
from oldsoul.values.frozen import frozen
from oldsoul.views.shape import Answer, MessageNumber, Path, Reference, Shown, copied, example

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

    from oldsoul.app.prompts.prompt import Prompt
    from oldsoul.app.prompts.tools import Tool
    from oldsoul.app.replying.exchange import Response
    from oldsoul.context.bootstrap import FileNote
    from oldsoul.context.skills import Offered, SkillsSection
    from oldsoul.values.context import Context, Filled, Included, LeftOut
    from oldsoul.values.recall import Hit, Recalled
    from oldsoul.values.skills import Skill

(seals,) = lazy("oldsoul.app.home", "seals")
_MILLION = 1_000_000


@frozen
class HitShown(Shown):
    """A passage that was found."""

    path: Path
    """The file, or `chat/<session>`."""
    start_line: int
    """Its first line, from 1; in a conversation the number of the message."""
    end_line: int
    """Its last line."""
    score: Annotated[float, example(0.83)]
    """How well it answers, from 0 to 1."""
    heading: str
    """The headings it stands under."""
    text: Annotated[str, example("Deploys happen on Tuesdays")]
    """Its words."""
    source: Annotated[str, example("memory")]
    """`memory`, `sessions` or `extra`; `mem0` for what Mem0 found."""
    date: str | None
    """The day it was said, happened or was written down."""
    speaker: str
    """Who said it, where known."""
    earlier: bool
    """Whether a newer text about the same thing exists."""
    entry: Reference
    """The id of the entry, or `m:118` for a message; empty where it is neither."""
    audience: str
    """Who may see it."""
    citation: Annotated[str, example("Source: MEMORY.md#L12")]
    """How an answer cites it."""
    why: dict[str, float] | None
    """What the score is made of, where it is explained."""


@frozen
class RecalledShown(Shown):
    """The answer to a question."""

    answer: Answer
    """How well it matches; `conflicting` where what answers best contradicts another hit."""
    confidence: float
    """How strong the match is, from 0 to 1."""
    hits: tuple[HitShown, ...]
    """What was found, the best first."""
    notes: tuple[str, ...]
    """What else is to be known, such as that meaning was not compared."""


def recalled(of: Recalled, zone: tzinfo, *, explain: bool) -> RecalledShown:
    """The answer to a question: how sure it is, and the hits."""
    return copied(RecalledShown, of, hits=[hit(each, zone, explain=explain) for each in of.hits])


def hit(of: Hit, zone: tzinfo, *, explain: bool) -> HitShown:
    """A passage that was found, where it stands, and its score; what that is made of, where it is to be explained."""
    chunk = of.chunk
    return copied(
        HitShown,
        chunk,
        start_line=seals.line(chunk.path, chunk.start_line),
        end_line=seals.line(chunk.path, chunk.end_line),
        score=of.score,
        heading=place(chunk.title, chunk.heading),
        date=chunk.day(zone),
        earlier=of.earlier,
        entry=seals.reference(chunk.entry),
        citation=seals.citation(chunk),
        why=of.why if explain else None,
    )


@frozen
class SlotShown(Shown):
    """One of the eight slots of a context."""

    slot: int
    """Its number."""
    name: str
    """Its name."""
    budget: int
    """How many tokens it is meant to have."""
    allowed: int
    """How many it may use, after slots lent tokens to each other."""
    tokens: int
    """How many it uses."""
    cost: float
    """What its tokens cost; 0 where no price is set."""
    text: str
    """Its lines, with its heading; empty when it has none."""


@frozen
class IncludedShown(Shown):
    """A line that is in a context, and where it comes from."""

    slot: str
    """The name of the slot it is in."""
    document: str
    """The file or conversation it comes from."""
    start_line: int
    """Its first line there; in a conversation the number of the message."""
    end_line: int
    """Its last line."""
    entry: Reference
    """The id of the entry, or `m:118` for a message."""
    score: float
    """How well it fits the message."""
    tokens: int
    """How many tokens it has."""
    text: str
    """What it says there."""
    audience: str
    """Who may see it."""
    under: str
    """The line above it in its slot, which has the day of what was said."""


@frozen
class LeftOutShown(Shown):
    """Something that is not in a context, and why."""

    slot: str
    """The name of the slot it was meant for."""
    document: str
    """The file or conversation it comes from."""
    start_line: int
    """Its first line there; in a conversation the number of the message."""
    entry: Reference
    """The id of the entry, or `m:118` for a message."""
    tokens: int
    """How many tokens it has."""
    why: str
    """Why it was left out."""
    text: str
    """What it says."""
    audience: str
    """Who may see it."""
    under: str
    """The line above it in its slot, which has the day of what was said."""


@frozen
class ReceiptShown(Shown):
    """What a context was built from."""

    included: tuple[IncludedShown, ...]
    """What is in it."""
    left_out: tuple[LeftOutShown, ...]
    """What is not."""


@frozen
class ContextShown(Shown):
    """What a session gets from memory before a reply."""

    text: str
    """The text of all slots."""
    tokens: int
    """How many tokens it has."""
    budget: int
    """How many tokens all slots may have together."""
    cost: float
    """What its tokens cost, in the currency of `keepers.model.input_price`; 0 where no price is set."""
    answer: Answer
    """How well memory answers the message; empty when there is none."""
    slots: tuple[SlotShown, ...]
    """The eight slots."""
    receipt: ReceiptShown
    """What it was built from."""


def context(of: Context, budget: int, price: float) -> ContextShown:
    """What a session gets of memory: the text, its slots, and the receipt of what is in it and what is not."""
    cost = of.tokens * price / _MILLION
    slots = [_slot(each, price) for each in of.slots]
    return copied(ContextShown, of, budget=budget, cost=cost, slots=slots, receipt=receipt(of))


def _slot(of: Filled, price: float) -> SlotShown:
    return copied(SlotShown, of, slot=int(of.slot), name=of.slot.name.lower(), cost=of.tokens * price / _MILLION)


def receipt(of: Context) -> ReceiptShown:
    """What a context was built from."""
    return ReceiptShown(tuple(map(_included, of.included)), tuple(map(_left_out, of.left_out)))


def _included(of: Included) -> IncludedShown:
    return copied(
        IncludedShown,
        of,
        slot=of.slot.name.lower(),
        start_line=seals.line(of.document, of.start_line),
        end_line=seals.line(of.document, of.end_line),
        entry=seals.reference(of.entry),
    )


def _left_out(of: LeftOut) -> LeftOutShown:
    return copied(
        LeftOutShown,
        of,
        slot=of.slot.name.lower(),
        start_line=seals.line(of.document, of.start_line),
        entry=seals.reference(of.entry),
    )


@frozen
class ToolUse(Shown):
    """A tool that was called for a reply."""

    name: str
    """Which."""
    arguments: str
    """JSON, as the model wrote it."""
    result: str
    """JSON, as the model got it."""


@frozen
class ReplyShown(Shown):
    """What an agent replied."""

    text: str
    """The reply; empty when the agent has nothing to say."""
    silent: bool
    """Whether it has nothing to say."""
    answer: Answer
    """Without a language model: how well memory answers."""
    message: MessageNumber | None
    """The number the message is logged under; null when it is not kept."""
    reply: MessageNumber | None
    """The number the reply is logged under."""
    reply_to: str
    """The message that the reply answers, where the model says so."""
    tools: tuple[ToolUse, ...]
    """The tools that were called."""
    receipt: ReceiptShown
    """What the reply was told from memory."""
    notes: tuple[str, ...]
    """What else is to be known."""


def response(of: Response) -> ReplyShown:
    """A reply: its text, the messages it is logged as, the tools that were called, and the receipt of its context."""
    return copied(
        ReplyShown,
        of,
        message=seals.message(of.heard.message.id) if of.heard else None,
        reply=seals.message(of.logged.id) if of.logged else None,
        tools=[copied(ToolUse, use) for use in of.tools],
        receipt=receipt(of.prompt.context),
    )


@frozen
class SectionShown(Shown):
    """A section of a system prompt."""

    name: str
    """What it is called."""
    tokens: int
    """How many tokens it has."""
    volatile: bool
    """Whether it changes with every turn."""


@frozen
class PromptFile(Shown):
    """A file in a system prompt, or one that would be if it were there."""

    name: str
    """What it is called in the prompt."""
    path: str
    """Where it lies, or what stands in its place."""
    state: Annotated[str, example("loaded")]
    """`loaded`, `cut`, `no room`, `missing`, `unreadable` or `empty`."""
    characters: int
    """How many of its characters are in the prompt."""
    size: int
    """How many it has."""
    limit: int
    """How many it may have there."""
    tokens: int
    """How many tokens it has in the prompt."""


@frozen
class PromptShown(Shown):
    """What a model gets for a message."""

    system: str
    """The system prompt."""
    stable_characters: int
    """So many characters at its beginning stay the same from turn to turn."""
    text: str
    """What comes before the message: memory."""
    tokens: int
    """How many tokens all of it has, without the message."""
    cost: float
    """What its tokens cost; 0 where no price is set."""
    sections: tuple[SectionShown, ...]
    """The sections of the system prompt."""
    files: tuple[PromptFile, ...]
    """The files in it."""
    context: ContextShown
    """What memory gives."""
    warnings: tuple[str, ...]
    """What is wrong with it, such as a file that was cut."""


def prompt(of: Prompt, count: Callable[[str], int], budget: int, price: float) -> PromptShown:
    """The prompt a session gets: its text, and what its sections, its files and the context cost in tokens."""
    sections = tuple(SectionShown(part.name, count(part.text), part.volatile) for part in of.system.parts)
    block = sum(filled.tokens for filled in of.context.slots if filled.slot not in IN_SYSTEM_PROMPT)
    tokens = sum(part.tokens for part in sections) + block
    return PromptShown(
        system=of.system.text,
        stable_characters=len(of.system.stable),
        text=of.text,
        tokens=tokens,
        cost=tokens * price / _MILLION,
        sections=sections,
        files=tuple(_file(note, count, of) for note in of.files),
        context=context(of.context, budget, price),
        warnings=tuple(of.notes),
    )


def _file(note: FileNote, count: Callable[[str], int], made: Prompt) -> PromptFile:
    part = next((p for p in made.system.parts if p.name == f"Project Context: {note.path}"), None)
    return copied(PromptFile, note, characters=note.shown, tokens=count(part.text) if part else 0)


@frozen
class ContextReport(Shown):
    """What a prompt loads of a workspace."""

    agent_name: str
    """The agent."""
    files: tuple[PromptFile, ...]
    """The files that it loads, or would if they were there."""
    tokens: int
    """How many tokens the prompt has."""
    warnings: tuple[str, ...]
    """What is wrong with it."""


def context_report(agent: str, of: Prompt, count: Callable[[str], int]) -> ContextReport:
    """Which files a prompt loads, and what it costs in tokens."""
    made = prompt(of, count, 0, 0.0)
    return ContextReport(agent, made.files, made.tokens, made.warnings)


@frozen
class SkillShown(Shown):
    """A skill, and whether the session is offered it."""

    name: str
    """What it is called."""
    description: str
    """What it is for."""
    source: str
    """Which folder of skills it is from."""
    location: str
    """Where it is, as people are shown it."""
    path: str
    """Its SKILL.md."""
    offered: bool
    """Whether the session is offered it."""
    why: str
    """Why it is not offered; empty when it is."""
    primary_env: str
    """What it mainly runs in or with, as it says."""
    requires_env: tuple[str, ...]
    """The variables of the environment that it needs."""
    disable_model_invocation: bool
    """Whether only a person may choose it."""
    allow_remote: bool
    """Whether it may be used by others than the operator."""
    license: str
    """Its license."""
    compatibility: str
    """What it needs around it, in words."""
    allowed_tools: tuple[str, ...]
    """The tools that it may use."""
    notes: tuple[str, ...]
    """What is odd in its SKILL.md."""


@frozen
class SkippedShown(Shown):
    """Something that looks like a skill and is none."""

    location: str
    """Where it is."""
    source: str
    """Which folder of skills it is in."""
    why: str
    """What is wrong with it."""


@frozen
class SkillList(Shown):
    """The skills there are."""

    skills: tuple[SkillShown, ...]
    """Those that are offered, then the others."""
    skipped: tuple[SkippedShown, ...]
    """What looks like a skill and is none."""


def skills(of: Offered) -> SkillList:
    """The skills there are, those that are not offered with why, and what looks like one and is none."""
    left = (skill(each.skill, each.why) for each in of.left_out)
    return SkillList((*map(skill, of.skills), *left), tuple(copied(SkippedShown, each) for each in of.skipped))


def skill(of: Skill, why: str = "") -> SkillShown:
    """A skill: what it is for, where it lies, what it needs, and why it is not offered."""
    return copied(SkillShown, of, offered=not why, why=why)


@frozen
class SkillsSectionShown(Shown):
    """What a prompt says of skills."""

    section: str
    """The text."""
    listed: int
    """How many it lists."""
    left_out: int
    """How many it leaves out."""
    notes: tuple[str, ...]
    """What else is to be known."""


def skills_section(of: SkillsSection) -> SkillsSectionShown:
    """What a prompt says of skills, how many it lists and leaves out."""
    return copied(SkillsSectionShown, of, section=of.text)


@frozen
class ToolShown(Shown):
    """A tool of the agent."""

    name: Annotated[str, example("memory_search")]
    """What the model calls it."""
    label: str
    """What people see it called."""
    description: str
    """What a model gets of it."""
    parameters: dict[str, Any]
    """Its parameters as a JSON schema."""
    needs: str
    """The right that it needs of who calls it."""


@frozen
class ToolList(Shown):
    """The tools of an agent."""

    tools: tuple[ToolShown, ...]
    """The tools."""


def tools(of: list[Tool]) -> ToolList:
    """The tools that an agent has by itself."""
    return ToolList(tuple(copied(ToolShown, each, needs=each.right) for each in of))
