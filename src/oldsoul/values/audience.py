"""Who may see a text: public, one room, one person, or the owner alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum

from oldsoul.errors import BadInput
from oldsoul.values.frozen import frozen
from oldsoul.values.ids import checked_id, token, token_of


class Reach(StrEnum):
    """The four kinds of audience."""

    PUBLIC = "public"
    ROOM = "room"
    PERSON = "person"
    OWNER = "owner"


@frozen
class Audience:
    """Who may see a text. Written `public`, `room:<id>`, `person:<subject>` or `owner`."""

    reach: Reach
    """which of the four kinds"""
    id: str = ""
    """the room or the person; empty for public and owner"""

    def __post_init__(self) -> None:
        if (self.reach in (Reach.ROOM, Reach.PERSON)) != bool(self.id):
            raise BadInput(f"an audience of kind {self.reach} {'needs an' if not self.id else 'has no'} id")

    @classmethod
    def room(cls, room: str) -> Audience:
        """The people in one room."""
        return cls(Reach.ROOM, token(checked_id(room, "room")))

    @classmethod
    def person(cls, subject: str) -> Audience:
        """One person (and the owner, by command)."""
        return cls(Reach.PERSON, token(checked_id(subject, "person")))

    @classmethod
    def parse(cls, text: str) -> Audience:
        """The audience that `str` wrote; `BadInput` for anything else."""
        kind, colon, rest = text.partition(":")
        if not colon and kind in (Reach.PUBLIC, Reach.OWNER):
            return cls(Reach(kind))
        if rest and kind in (Reach.ROOM, Reach.PERSON):
            if rest.startswith("~~") and token_of(rest[2:]) == rest:
                return cls(Reach(kind), rest)
            return cls(Reach(kind), token(checked_id(rest, kind)))
        raise BadInput(f"{text!r} is not an audience; write public, owner, room:<id> or person:<id>")

    def __str__(self) -> str:
        return f"{self.reach}:{self.id}" if self.id else str(self.reach)

    def merge(self, other: Audience) -> Audience:
        """The audience of a text made from both: of public and another it is the other, equal stays, any other pair is the owner's."""
        if other in (self, PUBLIC):
            return self
        return other if self == PUBLIC else OWNER

    def fits(self, document: Audience) -> bool:
        """Whether a text of this audience may be in a document of that one, without being shown to more people."""
        return self.merge(document) == document


PUBLIC = Audience(Reach.PUBLIC)
OWNER = Audience(Reach.OWNER)


def merged(audiences: Iterable[Audience]) -> Audience:
    """The audience of a text that rests on all of these; public when there are none."""
    result = PUBLIC
    for audience in audiences:
        result = result.merge(audience)
    return result


@frozen
class View:
    """What one session may see. There is no default: a view is always made from a session."""

    owner: bool
    """sees what is the owner's"""
    every_room: bool
    """sees every room"""
    rooms: frozenset[str]
    """the rooms it sees, as audience ids"""
    people: frozenset[str]
    """the people whose own memory it sees, as audience ids: one person by all their names, or those a job names"""

    def within(self, other: View) -> bool:
        """Whether everything this view sees is seen by another one."""
        return (
            self.owner <= other.owner
            and self.every_room <= other.every_room
            and (other.every_room or self.rooms <= other.rooms)
            and self.people <= other.people
        )

    def sharing(self, rooms: Iterable[str]) -> View:
        """The view from a room among several that share what they know; any other stays as it is."""
        shared = frozenset(token(room) for room in rooms)
        return replace(self, rooms=self.rooms | shared) if self.rooms & shared else self

    def sees(self, audience: Audience) -> bool:
        """Whether a text of this audience may be shown."""
        match audience.reach:
            case Reach.PUBLIC:
                return True
            case Reach.OWNER:
                return self.owner
            case Reach.ROOM:
                return self.every_room or audience.id in self.rooms
            case Reach.PERSON:
                return audience.id in self.people
