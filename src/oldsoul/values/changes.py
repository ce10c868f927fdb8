"""What may be done to memory, who does it and why: the one form in which everything reaches the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from oldsoul.errors import BadInput
from oldsoul.values.audience import OWNER, PUBLIC, Audience, merged
from oldsoul.values.frozen import frozen
from oldsoul.values.names import Name
from oldsoul.values.origin import Origin, weakest

TAGS = ("event", "knowledge", "skill", "decision", "correction")
DEFAULT_TAG = "knowledge"
MAX_OPERATIONS = 2000


class Role(StrEnum):
    """In what capacity somebody changes memory."""

    OPERATOR = "operator"
    PARTICIPANT = "participant"
    AGENT = "agent"
    KEEPER = "keeper"
    SYSTEM = "system"
    OUTSIDE = "outside"
    """an edit found on disk"""


_ORIGIN_OF = {
    Role.OPERATOR: Origin.OPERATOR,
    Role.PARTICIPANT: Origin.PARTICIPANT,
    Role.AGENT: Origin.AGENT,
    Role.KEEPER: Origin.AGENT,
    Role.SYSTEM: Origin.SYSTEM,
    Role.OUTSIDE: Origin.UNTRUSTED,
}


@frozen
class Author:
    """Who makes a change. Made from settings and authentication, never from a message's words."""

    role: Role
    """in what capacity"""
    id: str = ""
    """which person, agent or keeper"""

    def __str__(self) -> str:
        return f"{self.role}:{self.id}" if self.id else str(self.role)

    @classmethod
    def parse(cls, text: str) -> Author:
        """The author that `str` wrote."""
        role, _, who = text.partition(":")
        return cls(Role(role), who)


@frozen
class Evidence:
    """What a change rests on: a message, a line of a document, a request."""

    ref: str
    """where it is found: `m:118`, `main/memory/2026-02-04.md#12` …"""
    origin: Origin
    """who caused it"""
    audience: Audience
    """who may see it"""
    quote: str = ""
    """the words themselves, where they may be kept"""


@frozen
class Add:
    """A new entry."""

    name: Name
    """the document it goes into"""
    text: str
    """its words; line breaks are folded"""
    title: str = ""
    """written in bold before the text, or as the heading of a dated block"""
    section: str = ""
    """the heading it is under; the document's first list when empty"""
    tag: str = ""
    """its primary tag, without `#`; `knowledge` when none is written"""
    added: str = ""
    """the date for the `(added …)` suffix"""
    task: bool | None = None
    """for a task: whether it is done"""
    children: tuple[str, ...] = ()
    """lines below it, each a sub-bullet (or a paragraph of a dated block)"""
    fields: Mapping[str, str] = field(default_factory=dict)
    """bookkeeping: conf, seen, n, src, origin, aud …"""


@frozen
class Replace:
    """New words for an entry; its id and bookkeeping stay."""

    name: Name
    """the document"""
    entry: str
    """the entry's id"""
    text: str
    """the new words of its first line, title included"""
    fields: Mapping[str, str] = field(default_factory=dict)
    """bookkeeping to set along with it"""
    keep_old: bool = False
    """keep the old words below it as a comment, as corrections do"""
    children: tuple[str, ...] | None = None
    """the lines below it from now on; None leaves those that are there"""


@frozen
class Remove:
    """An entry goes."""

    name: Name
    """the document"""
    entry: str
    """the entry's id"""
    into: str = ""
    """the entry that says it now, when it was merged into another"""


@frozen
class Tick:
    """A task is done, or is open again."""

    name: Name
    """the document"""
    entry: str
    """the entry's id"""
    done: bool
    """the new state"""


@frozen
class Move:
    """An entry goes under another heading, or into another document of the workspace, bytes unchanged."""

    name: Name
    """the document it is in"""
    entry: str
    """the entry's id"""
    section: str = ""
    """the heading it goes under"""
    to: Name | None = None
    """the document it goes into; None for the same"""


@frozen
class SetField:
    """One frontmatter key, or one bookkeeping field of an entry, gets a value."""

    name: Name
    """the document"""
    key: str
    """the key or field"""
    value: str | None
    """the value; None takes it away"""
    entry: str = ""
    """the entry's id; empty for the frontmatter"""


@frozen
class Put:
    """The whole text, as a person saved it or a template has it. Keepers never use this."""

    name: Name
    """the document"""
    data: bytes
    """the new bytes"""


@frozen
class Rename:
    """The document goes to another place of the workspace, bytes unchanged."""

    name: Name
    """the document"""
    to: Name
    """where it is from now on; nothing may be there yet"""


@frozen
class Delete:
    """The document goes (its history stays)."""

    name: Name
    """the document"""


Operation = Add | Replace | Remove | Tick | Move | SetField | Put | Rename | Delete


@frozen
class ChangeSet:
    """Operations that happen together or not at all, within one workspace."""

    operations: tuple[Operation, ...]
    """what is done, in order"""
    author: Author
    """who does it"""
    reason: str
    """why, in a few words a person can read"""
    key: str
    """the same key is applied once; from the event that caused the change, or random, never from text"""
    evidence: tuple[Evidence, ...] = ()
    """what it rests on"""
    versions: Mapping[Name, str] = field(default_factory=dict)
    """the versions it was based on; a document not named is taken as it is"""
    suggested: bool = False
    """whether it is only a suggestion, which waits for the operator whatever policy says"""

    def __post_init__(self) -> None:
        if not self.key:
            raise BadInput("a change needs a key: the id of the event that caused it, or a random one")
        if len(self.operations) > MAX_OPERATIONS:
            raise BadInput(f"a change has at most {MAX_OPERATIONS} operations; this one has {len(self.operations)}")
        if len(self.workspaces) > 1:
            raise BadInput(f"a change touches one workspace only; this one names {', '.join(sorted(self.workspaces))}")

    @property
    def workspaces(self) -> set[str]:
        """The workspaces its operations name: one, or none when there is nothing to do."""
        return {name.workspace for name in self.names}

    @property
    def names(self) -> tuple[Name, ...]:
        """The documents it touches, each once, in order."""
        touched: dict[Name, None] = {}
        for operation in self.operations:
            touched[operation.name] = None
            if isinstance(operation, Move | Rename) and operation.to is not None:
                touched[operation.to] = None
        return tuple(touched)

    @property
    def origin(self) -> Origin:
        """The weakest origin among its evidence; the author's own when it rests on nothing else.

        Other people than the operator speak for themselves: what they cite makes their words no stronger.
        """
        own = _ORIGIN_OF[self.author.role]
        cited = weakest(e.origin for e in self.evidence)
        if cited is None:
            return own
        return cited.weaker(own) if self.author.role in (Role.PARTICIPANT, Role.OUTSIDE) else cited

    @property
    def audience(self) -> Audience:
        """Who may see what it rests on: its evidence's audiences, merged.

        Words that rest on nothing are the speaker's own for a person, and the owner's where nobody can say whose.
        """
        if self.evidence:
            return merged(e.audience for e in self.evidence)
        match self.author.role:
            case Role.SYSTEM:
                return PUBLIC
            case Role.PARTICIPANT if self.author.id:
                return Audience.person(self.author.id)
            case _:
                return OWNER
