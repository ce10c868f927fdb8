"""What a system prompt is written from: one small value a topic, gathered in `PromptFacts`. Empty means unknown."""

from __future__ import annotations

import re
from datetime import datetime
from enum import StrEnum

from oldsoul.values.frozen import frozen
from oldsoul.values.runtime import Machine
from oldsoul.values.sessions import SessionKind

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_BUTTONS = frozenset({"buttons", "inlinebuttons"})
_REPLIES = frozenset({"replies", "nativereplies"})
_NOT_A_LETTER = re.compile(r"[^a-z]+")


class Mode(StrEnum):
    """How much of the prompt is written."""

    FULL = "full"
    """every section that applies"""
    MINIMAL = "minimal"
    """what a helper needs to work"""
    NONE = "none"
    """the identity line alone"""


@frozen
class AgentFacts:
    """Which agent it is for."""

    id: str = "main"
    """its id"""
    name: str = ""
    """what people call it; its id when empty"""
    is_default: bool = True
    """whether it is the home's default agent"""


@frozen
class ToolFact:
    """A tool the agent has."""

    name: str
    """what the model calls it"""
    summary: str = ""
    """what it is for, in a line"""


@frozen
class Levels:
    """How much the model thinks, and what people see of it."""

    think: str = ""
    """how hard it thinks when nobody says otherwise"""
    reasoning: str = "off"
    """whether its thinking is shown"""
    tags: bool = False
    """whether it is to wrap thinking and answer in tags"""


@frozen
class ClockFacts:
    """The person's time; `clock_facts` makes it."""

    zone: str = ""
    """time zone, as an IANA name"""
    time: str = ""
    """the local time, written out"""
    format: str = "24"
    """how the time of day is written: `12` or `24`"""


def clock_facts(now: datetime, zone: str, time_format: str = "24") -> ClockFacts:
    """The person's time, from a moment in their zone. To the minute: a prompt within it stays the same."""
    if time_format == "12":
        of_day = f"{now.hour % 12 or 12}:{now.minute:02} {'AM' if now.hour < 12 else 'PM'}"  # noqa: PLR2004 - noon
    else:
        of_day = f"{now.hour:02}:{now.minute:02}"
    date = f"{_DAYS[now.weekday()]}, {now.day} {_MONTHS[now.month - 1]} {now.year}"
    return ClockFacts(zone, f"{date}, {of_day}", "12" if time_format == "12" else "24")


@frozen
class ContextFile:
    """A workspace file as the prompt holds it: filtered for the view, and cut where it was too long."""

    name: str
    """its name in the workspace: `SOUL.md`, `_shared/CULTURE.md`"""
    path: str
    """its heading: where it lies, or where the text comes from instead"""
    text: str
    """what is shown of it"""


@frozen
class WorkspaceFacts:
    """Where the agent works."""

    dir: str = ""
    """its working folder"""
    notes: tuple[str, ...] = ()
    """what else it should know of it"""


@frozen
class Sandbox:
    """The container that tools run in."""

    enabled: bool = False
    """whether there is one"""
    workspace: str = ""
    """the working folder, as the container sees it"""
    access: str = ""
    """what it may do there: `rw`, `ro` or `none`"""
    browser: str = ""
    """where its browser is reached"""
    host_browser: bool = False
    """whether it may use the browser outside as well"""


@frozen
class Docs:
    """Where Oldsoul is explained."""

    path: str = ""
    """the folder of its documentation"""
    links: tuple[str, ...] = ()
    """pages on the web"""


@frozen
class Messaging:
    """The channel a conversation runs over."""

    channel: str = ""
    """its name"""
    capabilities: tuple[str, ...] = ()
    """what it can do, in its own words; `replies` and `inlineButtons` are understood"""
    hints: tuple[str, ...] = ()
    """what to know about the message tool there"""

    @property
    def has_buttons(self) -> bool:
        """Whether a message may carry buttons."""
        return not _BUTTONS.isdisjoint(map(_plain, self.capabilities))

    @property
    def has_replies(self) -> bool:
        """Whether a message may be marked as the answer to another."""
        return not _REPLIES.isdisjoint(map(_plain, self.capabilities))


def _plain(capability: str) -> str:
    return _NOT_A_LETTER.sub("", capability.casefold())


@frozen
class Reactions:
    """Emoji put to messages."""

    level: str = ""
    """how often: `minimal` or `extensive`; empty where there are none"""
    channel: str = ""
    """where"""


@frozen
class ModelFacts:
    """The language model that reads the prompt; `model_facts` makes it."""

    provider: str = ""
    """who runs it"""
    id: str = ""
    """what it is called there"""


def model_facts(name: str) -> ModelFacts:
    """A model as settings name it, `provider/model` or the model alone."""
    provider, slash, model = name.strip().partition("/")
    return ModelFacts(provider, model) if slash else ModelFacts("", provider)


@frozen
class PromptFacts:
    """All that a system prompt says, and nothing it has to ask for."""

    mode: Mode | None = None
    """how much is written; left out, as the settings have it for the kind of session, else all"""
    session: SessionKind = SessionKind.DM
    """the kind of conversation"""
    agent: AgentFacts = AgentFacts()
    """whom it is for"""
    tools: tuple[ToolFact, ...] = ()
    """the tools it has, in any order"""
    levels: Levels = Levels()
    """thinking and reasoning"""
    clock: ClockFacts = ClockFacts()
    """the person's time"""
    files: tuple[ContextFile, ...] = ()
    """workspace files, already chosen and cut (`bootstrap`)"""
    skills: str = ""
    """the whole section on skills, heading included; empty when there are none"""
    citations: str = "auto"
    """whether answers name file and line: `on`, `off`, `auto`"""
    workspace: WorkspaceFacts = WorkspaceFacts()
    """where it works"""
    sandbox: Sandbox = Sandbox()
    """the container its tools run in"""
    owner_numbers: tuple[str, ...] = ()
    """the numbers or ids its owner writes from"""
    model_aliases: tuple[str, ...] = ()
    """short names of models, a line each"""
    docs: Docs = Docs()
    """where to read more"""
    messaging: Messaging = Messaging()
    """the channel"""
    voice: str = ""
    """what to know when replies are spoken"""
    heartbeat: str = ""
    """what the default agent is asked at a heartbeat"""
    reactions: Reactions = Reactions()
    """how often to react"""
    extra: str = ""
    """text of the caller's own"""
    model: ModelFacts = ModelFacts()
    """the model"""
    machine: Machine = Machine()
    """the machine"""

    def has_tool(self, *names: str) -> bool:
        """Whether any of these tools is at hand."""
        return any(tool.name in names for tool in self.tools)
