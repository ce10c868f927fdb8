"""Sessions: conversations, their kind, the person they are with, and the room they take place in."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from oldsoul.errors import BadInput
from oldsoul.values.audience import Audience
from oldsoul.values.frozen import frozen
from oldsoul.values.ids import checked_id

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
    """A person, by a canonical id: `acct:42`, or `ext:telegram:7` while it is bound to no account. Else `BadInput`."""

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
        """Whether this is an account, not a name in a channel that is bound to none."""
        return self.id.startswith("acct:")

    def __str__(self) -> str:
        return self.id


@frozen
class Session:
    """One conversation. Make one with `dm`, `group`, `team`, `subagent`, `cron` or `of_kind`."""

    id: str
    """the id of the conversation; short-term memory is kept under it"""
    kind: SessionKind
    """decides what the session may see, and who may see what is said in it"""
    subject: Subject | None = None
    """the person it is with, if it is one person"""
    room: str = ""
    """the room it takes place in, if any"""
    rooms: frozenset[str] = frozenset()
    """for a private session: the rooms its person is in, as the caller says"""
    parent: Session | None = None
    """for a sub-agent or a team: the session it works for"""
    named: tuple[Audience, ...] = ()
    """for a cron session: what its job declares as visible"""

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", checked_id(self.id, "session"))
        if self.room:
            object.__setattr__(self, "room", checked_id(self.room, "room"))
        object.__setattr__(self, "rooms", frozenset(checked_id(room, "room") for room in self.rooms))

    @classmethod
    def dm(cls, subject: Subject | str | None = None, *, id: str = "", rooms: frozenset[str] = frozenset()) -> Session:
        """Make a private conversation with one person.

        Args:
            subject: the person, such as `acct:42`. Default: the operator.
            id: the session's id. Default: made from the person's id.
            rooms: the rooms the person is in, whose memory may be used too.
        """
        person = subject if isinstance(subject, Subject) else Subject(subject or OWNER_SUBJECT)
        return cls(id or f"dm:{person.id}", SessionKind.DM, subject=person, rooms=rooms)

    @classmethod
    def group(cls, room: str, *, id: str = "", subject: Subject | None = None) -> Session:
        """Make a conversation in a room.

        Args:
            room: the room's id; empty for an unknown place, where only public memory is used.
            id: the session's id. Default: made from the room.
            subject: the person who speaks.
        """
        return cls(id or (f"group:{room}" if room else "group"), SessionKind.GROUP, subject=subject, room=room)

    @classmethod
    def in_room(
        cls, room: str, *, subject: Subject | str | None = None, people: int, direct: bool = False, id: str = ""
    ) -> Session:
        """Make the session of a room as a chat server describes it: private only when nothing speaks against it.

        Args:
            room: the room's id.
            subject: the person who speaks.
            people: how many people are in the room, invited ones included, without the agent.
            direct: whether the server marks it as a direct chat.
            id: the session's id. Default: made from the person's id, or from the room.
        """
        person = Subject(subject) if isinstance(subject, str) else subject
        if direct and people == 1 and person is not None:
            return cls.dm(person, id=id)
        return cls.group(room, id=id, subject=person)

    @classmethod
    def team(cls, team: str, within: Session | None = None) -> Session:
        """Make a session for a team that works within a conversation; without one, it sees only what is public."""
        return cls(f"team:{team}:{within.id}" if within else f"team:{team}", SessionKind.TEAM, parent=within)

    @classmethod
    def subagent(cls, parent: Session, *, id: str = "") -> Session:
        """Make a session for a helper that works for another session and sees what that one sees."""
        return cls(id or f"sub:{parent.id}", SessionKind.SUBAGENT, parent=parent)

    @classmethod
    def cron(cls, job: str, *, sees: tuple[Audience, ...] = ()) -> Session:
        """Make a session for a scheduled job; it sees what `sees` names, else only what is public."""
        return cls(f"cron:{job}", SessionKind.CRON, named=sees)

    @classmethod
    def of_kind(cls, kind: str, id: str, *, subject: Subject | None = None, room: str = "") -> Session:
        """Make a session of a kind given as text; an unknown kind becomes a group without a room."""
        if kind == SessionKind.DM and subject is not None:
            return cls(id, SessionKind.DM, subject=subject)
        if kind == SessionKind.CRON:
            return cls(id, SessionKind.CRON)
        if kind == SessionKind.GROUP:
            return cls(id, SessionKind.GROUP, subject=subject, room=room)
        return cls(id, SessionKind.GROUP, subject=subject)

    @classmethod
    def described(cls, kind: str, id: str, subject: Subject | None, room: str) -> Session:
        """Make the session that these values describe; a team or a sub-agent works for the given person or room.

        Raises:
            BadInput: a private session has no subject.
        """
        kind = kind or (SessionKind.GROUP if room else SessionKind.DM)
        if kind == SessionKind.DM and subject is None:
            raise BadInput("a private session needs its person as the subject, such as acct:42 or ext:telegram:7")
        if kind in (SessionKind.TEAM, SessionKind.SUBAGENT):
            within = cls.group(room) if room else cls.dm(subject) if subject else None
            return cls(id, SessionKind(kind), parent=within)
        return cls.of_kind(kind, id, subject=subject, room=room)

    @classmethod
    def viewer(cls, text: str, owner: str) -> Session:
        """Make the session that a text names: `dm` (with the operator), `dm:PERSON`, `group:ROOM` or `cron`.

        Args:
            text: one of these; `BadInput` for anything else.
            owner: the operator's id.
        """
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
        """The conversation that a team or a sub-agent works for; otherwise this one."""
        return self.parent.root if self.parent is not None else self

    def facts(self) -> dict[str, Any]:
        """Return plain values to store; `of_facts` restores the session from them."""
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
        """Restore the session that `facts` returned these values for."""
        return cls(
            facts["id"],
            SessionKind(facts["kind"]),
            subject=Subject(facts["subject"]) if "subject" in facts else None,
            room=facts.get("room", ""),
            rooms=frozenset(facts.get("rooms", ())),
            parent=cls.of_facts(facts["parent"]) if "parent" in facts else None,
            named=tuple(Audience.parse(text) for text in facts.get("named", ())),
        )
