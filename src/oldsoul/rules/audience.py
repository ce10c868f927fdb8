"""Who sees what: the one place that turns a session into a view and a document into an audience."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.errors import BadInput
from oldsoul.values.audience import OWNER, PUBLIC, Audience, Reach, View
from oldsoul.values.ids import token, token_of
from oldsoul.values.names import Kind
from oldsoul.values.sessions import SessionKind

if TYPE_CHECKING:
    from collections.abc import Collection

    from oldsoul.values.names import Name
    from oldsoul.values.sessions import Session

PUBLIC_KINDS = frozenset(
    {
        *(Kind.SOUL, Kind.AGENTS, Kind.TOOLS, Kind.IDENTITY, Kind.HEARTBEAT, Kind.BOOTSTRAP, Kind.BOOT),
        *(Kind.SKILL, Kind.SHARED),
    },
)
WIDENING_KINDS = frozenset({Kind.DAILY, Kind.SESSION})
"""Documents in which a mark may widen an entry: the kind of the conversation put it there."""

_NOTHING_PRIVATE = View(owner=False, every_room=False, rooms=frozenset(), person="")


def view_of(session: Session, operators: Collection[str]) -> View:
    """What this session may see. Who is an operator comes from settings, never from the session."""
    match session.kind:
        case SessionKind.DM if session.subject is not None:
            if session.subject.id in operators:
                return View(owner=True, every_room=True, rooms=frozenset(), person=token(session.subject.id))
            rooms = frozenset(token(room) for room in session.rooms)
            return View(owner=False, every_room=False, rooms=rooms, person=token(session.subject.id))
        case SessionKind.GROUP if session.room:
            return View(owner=False, every_room=False, rooms=frozenset({token(session.room)}), person="")
        case SessionKind.TEAM | SessionKind.SUBAGENT if session.parent is not None:
            return view_of(session.parent, operators)
        case SessionKind.CRON:
            return _named(session.named)
        case _:
            return _NOTHING_PRIVATE


def _named(audiences: tuple[Audience, ...]) -> View:
    people = [a.id for a in audiences if a.reach is Reach.PERSON]
    return View(
        owner=OWNER in audiences,
        every_room=False,
        rooms=frozenset(a.id for a in audiences if a.reach is Reach.ROOM),
        person=people[0] if len(people) == 1 else "",
    )


def said_in(session: Session, operators: Collection[str]) -> Audience:
    """The audience of words said in this session, as they are marked when they come in."""
    match session.kind:
        case SessionKind.DM if session.subject is not None:
            return OWNER if session.subject.id in operators else Audience.person(session.subject.id)
        case SessionKind.GROUP if session.room:
            return Audience.room(session.room)
        case SessionKind.TEAM | SessionKind.SUBAGENT if session.parent is not None:
            return said_in(session.parent, operators)
        case _:
            return OWNER


def audience_of(name: Name) -> Audience:
    """The audience of a document's text where no mark says otherwise."""
    kind = name.kind
    if kind in PUBLIC_KINDS:
        return PUBLIC
    owner = token_of(name.owner_segment) if name.owner_segment else None
    if owner is None:
        return OWNER
    return Audience(Reach.ROOM if kind is Kind.ROOM else Reach.PERSON, owner)


def entry_audience(name: Name, mark: str) -> Audience:
    """The audience of one entry: its mark widens in daily and session files, elsewhere it may only narrow."""
    default = audience_of(name)
    if not mark:
        return default
    try:
        marked = Audience.parse(mark)
    except BadInput:
        return OWNER
    if name.kind in WIDENING_KINDS:
        return marked
    return default.merge(marked)
