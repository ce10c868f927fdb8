"""Conversations: their kind, whom they are with, and where they take place."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from oldsoul.errors import BadInput
from oldsoul.values.audience import Audience
from oldsoul.values.frozen import frozen
from oldsoul.values.ids import checked_id

if TYPE_CHECKING:
    from collections.abc import Mapping

OWNER_SUBJECT = "acct:owner"
"""The operator of a fresh home, and the subject of a private session that names none."""


class SessionKind(StrEnum):
    """What kind of conversation a session is."""

    DM = "dm"
    GROUP = "group"
    TEAM = "team"
    SUBAGENT = "subagent"
    CRON = "cron"


@frozen
class Subject:
    """A person, by a canonical id: `acct:42`, or `ext:telegram:7` while no account is bound."""

    id: str
    """the canonical id, NFC"""

    def __post_init__(self) -> None:
        text = checked_id(self.id, "person")
        kind, _, rest = text.partition(":")
        if kind not in ("acct", "ext") or not rest or (kind == "ext" and not all(rest.partition(":")[::2])):
            raise BadInput(f"{self.id!r} is not a person's id; write acct:<account> or ext:<channel>:<user>")
        object.__setattr__(self, "id", text)

    @property
    def bound(self) -> bool:
        """Whether this is an account, not yet-unbound name in some channel."""
        return self.id.startswith("acct:")

    def __str__(self) -> str:
        return self.id


@frozen
class Session:
    """One conversation thread. Make one with `dm`, `group`, `team`, `subagent`, `cron` or `of_kind`."""

    id: str
    """names the thread; short-term memory is kept under it"""
    kind: SessionKind
    """decides what may be seen"""
    subject: Subject | None = None
    """whom it is with, where that is one person"""
    room: str = ""
    """where it takes place, where that is a shared place"""
    rooms: frozenset[str] = frozenset()
    """for a private session: the rooms its person is in, as the caller says"""
    parent: Session | None = None
    """for a sub-agent or a team: the session it works for"""
    named: tuple[Audience, ...] = ()
    """for a cron session: what its job names as visible"""

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", checked_id(self.id, "session"))
        if self.room:
            object.__setattr__(self, "room", checked_id(self.room, "room"))
        object.__setattr__(self, "rooms", frozenset(checked_id(room, "room") for room in self.rooms))

    @classmethod
    def dm(cls, subject: Subject | str | None = None, *, id: str = "", rooms: frozenset[str] = frozenset()) -> Session:
        """A private conversation with one person; with the owner when nobody is named."""
        person = subject if isinstance(subject, Subject) else Subject(subject or OWNER_SUBJECT)
        return cls(id or f"dm:{person.id}", SessionKind.DM, subject=person, rooms=rooms)

    @classmethod
    def group(cls, room: str, *, id: str = "", subject: Subject | None = None) -> Session:
        """A conversation in a shared place; an empty room means a place nobody knows."""
        return cls(id or (f"group:{room}" if room else "group"), SessionKind.GROUP, subject=subject, room=room)

    @classmethod
    def team(cls, team: str, within: Session | None = None) -> Session:
        """A team at work, in the conversation it happens in (public things only when there is none)."""
        return cls(f"team:{team}:{within.id}" if within else f"team:{team}", SessionKind.TEAM, parent=within)

    @classmethod
    def subagent(cls, parent: Session, *, id: str = "") -> Session:
        """A helper that works for another session and sees what that one sees."""
        return cls(id or f"sub:{parent.id}", SessionKind.SUBAGENT, parent=parent)

    @classmethod
    def cron(cls, job: str, *, sees: tuple[Audience, ...] = ()) -> Session:
        """A scheduled job; it sees what it names, else only what is public."""
        return cls(f"cron:{job}", SessionKind.CRON, named=sees)

    @classmethod
    def of_kind(cls, kind: str, id: str, *, subject: Subject | None = None, room: str = "") -> Session:
        """A session of a kind read from outside; a kind nobody knows is a group without a room."""
        if kind == SessionKind.DM and subject is not None:
            return cls(id, SessionKind.DM, subject=subject)
        if kind == SessionKind.CRON:
            return cls(id, SessionKind.CRON)
        if kind == SessionKind.GROUP:
            return cls(id, SessionKind.GROUP, subject=subject, room=room)
        return cls(id, SessionKind.GROUP, subject=subject)

    @classmethod
    def described(cls, kind: str, id: str, subject: Subject | None, room: str) -> Session:
        """The session these words describe; a team or a sub-agent works for the person or the room that is named."""
        kind = kind or (SessionKind.GROUP if room else SessionKind.DM)
        if kind == SessionKind.DM and subject is None:
            raise BadInput("a private session needs its person as the subject, such as acct:42 or ext:telegram:7")
        if kind in (SessionKind.TEAM, SessionKind.SUBAGENT):
            within = cls.group(room) if room else cls.dm(subject) if subject else None
            return cls(id, SessionKind(kind), parent=within)
        return cls.of_kind(kind, id, subject=subject, room=room)

    @classmethod
    def viewer(cls, text: str, owner: str) -> Session:
        """The session through whose eyes it is looked: `dm` (with the owner), `dm:PERSON`, `group:ROOM` or `cron`."""
        kind, colon, rest = text.partition(":")
        if kind == SessionKind.DM and not colon:
            return cls.dm(owner)
        if kind == SessionKind.DM and rest:
            return cls.dm(rest if ":" in rest else f"acct:{rest}")
        if kind == SessionKind.GROUP and bool(rest) == bool(colon):
            return cls.group(rest and checked_id(rest, "room"))
        if kind == SessionKind.CRON and bool(rest) == bool(colon):
            return cls.cron(rest or "search")
        raise BadInput(f"{text!r} is not a session; write dm, dm:acct:42, group:ROOM or cron")

    @property
    def root(self) -> Session:
        """The conversation a team or a sub-agent works for, or this one."""
        return self.parent.root if self.parent is not None else self

    def facts(self) -> dict[str, Any]:
        """Plain values to store; `of_facts` makes the same session of them."""
        found: dict[str, Any] = {"id": self.id, "kind": str(self.kind)}
        if self.subject is not None:
            found["subject"] = self.subject.id
        if self.room:
            found["room"] = self.room
        if self.rooms:
            found["rooms"] = sorted(self.rooms)
        if self.parent is not None:
            found["parent"] = self.parent.facts()
        if self.named:
            found["named"] = [str(audience) for audience in self.named]
        return found

    @classmethod
    def of_facts(cls, facts: Mapping[str, Any]) -> Session:
        """The session these values were taken from."""
        return cls(
            facts["id"],
            SessionKind(facts["kind"]),
            subject=Subject(facts["subject"]) if "subject" in facts else None,
            room=facts.get("room", ""),
            rooms=frozenset(facts.get("rooms", ())),
            parent=cls.of_facts(facts["parent"]) if "parent" in facts else None,
            named=tuple(Audience.parse(text) for text in facts.get("named", ())),
        )
