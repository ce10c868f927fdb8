"""Who sees what: the one place that turns a session into a view and a document into an audience."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from oldsoul.errors import BadInput
from oldsoul.values.audience import OWNER, PUBLIC, Audience, Reach, View
from oldsoul.values.frozen import frozen
from oldsoul.values.ids import token, token_of
from oldsoul.values.names import Kind, Name
from oldsoul.values.origin import Origin
from oldsoul.values.sessions import Session, SessionKind, Subject

if TYPE_CHECKING:
    from oldsoul.documents import Document, Entry


_TWO = 2


@frozen
class ChannelSignals:
    """What a channel tells about a conversation; None where it does not say."""

    marked_direct: bool | None = None
    """whether the account marks it as a direct chat"""
    members: int | None = None
    """how many take part, the agent included"""
    named: bool | None = None
    """whether it has its own name"""
    invited_direct: bool | None = None
    """whether the invitation called it direct"""


def is_dm(signals: ChannelSignals) -> bool:
    """Whether it is certain that only one person reads along."""
    if signals.members is not None and signals.members > _TWO:
        return False
    if False in (signals.marked_direct, signals.invited_direct) and signals.members is None:
        return False
    says_so = signals.marked_direct or signals.invited_direct
    return bool(says_so) and (signals.members is not None or not signals.named)


def origin_of(role: str, subject: Subject | None, operators: Collection[str], *, vouched: bool) -> Origin:
    """The origin of a message said in this role by this person; `vouched` when somebody we trust says it was them."""
    match role:
        case "user" if subject is not None and subject.id in operators and vouched:
            return Origin.OPERATOR
        case "user":
            return Origin.PARTICIPANT
        case "assistant":
            return Origin.AGENT
        case "system":
            return Origin.SYSTEM
        case _:
            return Origin.UNTRUSTED


PUBLIC_KINDS = frozenset(
    {
        *(Kind.SOUL, Kind.AGENTS, Kind.TOOLS, Kind.IDENTITY, Kind.HEARTBEAT, Kind.BOOTSTRAP, Kind.BOOT),
        *(Kind.SKILL, Kind.SHARED),
    },
)
WIDENING_KINDS = frozenset({Kind.DAILY, Kind.SESSION})
"""Documents in which a mark may widen an entry: the kind of the conversation put it there."""

_ARCHIVED_DAYS = "Archive/Daily/"
_NOTHING_PRIVATE = View(owner=False, every_room=False, rooms=frozenset(), people=frozenset())


def view_of(session: Session, operators: Collection[str], known_as: Mapping[str, Collection[str]]) -> View:
    """What this session may see. Who is an operator, and who is known as whom, never comes from the session.

    `known_as` gives the further ids of a person: the names in channels that are bound to an account.
    """
    match session.kind:
        case SessionKind.DM if session.subject is not None:
            person = session.subject.id
            people = frozenset(token(name) for name in (person, *known_as.get(person, ())))
            if person in operators:
                return View(owner=True, every_room=True, rooms=frozenset(), people=people)
            rooms = frozenset(token(room) for room in session.rooms)
            return View(owner=False, every_room=False, rooms=rooms, people=people)
        case SessionKind.GROUP if session.room:
            return View(owner=False, every_room=False, rooms=frozenset({token(session.room)}), people=frozenset())
        case SessionKind.TEAM | SessionKind.SUBAGENT if session.parent is not None:
            return view_of(session.parent, operators, known_as)
        case SessionKind.CRON:
            return _named(session.named, known_as)
        case _:
            return _NOTHING_PRIVATE


def _named(audiences: tuple[Audience, ...], known_as: Mapping[str, Collection[str]]) -> View:
    named = {a.id for a in audiences if a.reach is Reach.PERSON}
    also = (token(name) for person, names in known_as.items() if token(person) in named for name in names)
    return View(
        owner=OWNER in audiences,
        every_room=False,
        rooms=frozenset(a.id for a in audiences if a.reach is Reach.ROOM),
        people=frozenset({*named, *also}),
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


def seen_entries(name: Name, document: Document, view: View) -> list[Entry]:
    """The entries of a document that may be shown: the one filter that context, search and every face use."""
    return [e for e in document.entries if view.sees(seen_by(name, e))]


def seen_by(name: Name, entry: Entry) -> Audience:
    """The audience of one entry: as its own mark says, narrowed by those on its further lines."""
    found = entry_audience(name, entry.fields.get("aud", ""))
    for mark in entry.inner_audiences:
        try:
            found = found.merge(Audience.parse(mark))
        except BadInput:
            return OWNER
    return found


def entry_audience(name: Name, mark: str) -> Audience:
    """The audience of one entry: its mark widens in daily and session files, elsewhere it may only narrow."""
    default = audience_of(name)
    if not mark:
        return default
    try:
        marked = Audience.parse(mark)
    except BadInput:
        return OWNER
    if name.kind in WIDENING_KINDS or (marked.reach is Reach.PERSON and name.path.startswith(_ARCHIVED_DAYS)):
        return marked  # what a person said alone stays theirs when it is archived
    return default.merge(marked)
