"""Messages, conversations, days, and the people in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from oldsoul.lazy import lazy
from oldsoul.values.frozen import frozen
from oldsoul.views.files import EntryShown, entry
from oldsoul.views.shape import (
    Date,
    EntryId,
    Inside,
    MessageNumber,
    Next,
    Path,
    SessionId,
    Shown,
    Time,
    Version,
    copied,
    example,
)
from oldsoul.views.upkeep import EndedShown, ReportShown, report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oldsoul.app.home.people import Person
    from oldsoul.app.keepers.recall_validator import ImportedCorrections
    from oldsoul.app.talk.conversations import MemoryRequest, Room
    from oldsoul.app.talk.days import CalendarDay as Day
    from oldsoul.app.talk.days import DayCounts, SessionDay, SessionTask
    from oldsoul.app.talk.imports import Imported
    from oldsoul.app.talk.log import Heard, SessionProgress
    from oldsoul.judging.triage import Triaged
    from oldsoul.values.audience import Audience
    from oldsoul.values.history import Snapshot
    from oldsoul.values.messages import Flag, Message
    from oldsoul.values.sessions import Session

(seals,) = lazy("oldsoul.app.home", "seals")


@frozen
class FlagShown(Shown):
    """Something triage saw in a message."""

    trigger: Annotated[str, example("memory")]
    """Which table saw it."""
    route: Annotated[str, example("memory-miner")]
    """The keeper it leads to."""
    confidence: str
    """How sure it is."""
    phrase: str
    """The words."""


def flag(of: Flag) -> FlagShown:
    """Something triage saw: which table, the keeper it leads to, how sure it is, and the words."""
    return copied(FlagShown, of)


@frozen
class MessageShown(Shown):
    """A logged message."""

    message: MessageNumber
    """Its number."""
    session: str
    """The session it belongs to."""
    kind: str
    """What kind of session that is."""
    room: str
    """The room it takes place in."""
    sender: str
    """The display name of who said it."""
    subject: str | None
    """The person who said it, by their id."""
    role: str
    """What they are in the conversation: `user`, `assistant`, `system` or `tool`."""
    text: str
    """What they said."""
    time: Time
    """When they said it."""
    channel: str
    """The channel it came through."""
    key: Inside
    """An id that was given with it."""
    origin: str
    """Who caused it."""
    audience: str
    """Who may see it."""
    flags: tuple[FlagShown, ...]
    """What triage saw in it."""


def message(of: Message) -> MessageShown:
    """A logged message: its number, conversation, sender, text and time, and what triage saw in it."""
    return copied(
        MessageShown,
        of,
        message=seals.message(of.id),
        session=of.session.id,
        kind=of.session.kind,
        room=of.session.room,
        subject=of.subject.id if of.subject else None,
        key=seals.reference(of.key),
        flags=map(flag, of.flags),
    )


@frozen
class MessageList(Shown):
    """A page of messages."""

    messages: tuple[MessageShown, ...]
    """The messages."""
    next: Next
    """Give it as `cursor` for the next page; null after the last."""


@frozen
class HeardShown(MessageShown):
    """A message that was logged; it is durable."""

    repeated: bool
    """Whether it was logged already."""
    masked: int
    """How many secrets were masked in it."""
    corrected: ReportShown | None
    """What it corrected, if it did."""


def heard(of: Heard) -> HeardShown:
    """A message that came in, whether it was known before, how many secrets were masked, and what it corrected."""
    made = of.corrected
    return copied(
        HeardShown,
        message(of.message),
        repeated=of.repeated,
        masked=of.masked,
        corrected=report(made) if made and made.steps else None,
    )


@frozen
class MessageErased(Shown):
    """A message whose words were erased for good."""

    message: MessageNumber
    """Its number."""
    session: str
    """The session it belongs to."""


def message_erased(of: Message) -> MessageErased:
    """A message whose words were erased."""
    return MessageErased(seals.message(of.id), of.session.id)


def exported(of: Message) -> dict[str, str]:
    """A message as an import reads it; what is empty is left out."""
    root = of.session.root
    person = of.subject or root.subject
    line = {
        "session": of.session.id,
        "kind": str(of.session.kind),
        "room": root.room,
        "sender": of.sender,
        "subject": person.id if person else "",
        "role": of.role,
        "text": of.text,
        "time": of.time.isoformat(),
        "key": of.key,
        "channel": of.channel,
    }
    return {field: value for field, value in line.items() if value}


@frozen
class LeadShown(FlagShown):
    """A flag, and where it leads."""

    operator: str
    """What happens if the operator says it."""
    others: str
    """What happens if anybody else says it."""
    needs_related: bool
    """Whether it happens only if there is a related memory."""


@frozen
class CorrectionFound(Shown):
    """What a message would correct."""

    old: str
    """The wrong value."""
    new: str
    """The right one."""


@frozen
class TriagedShown(Shown):
    """What a message would be flagged for, and what it would correct."""

    enabled: bool
    """Whether triage is turned on."""
    flags: tuple[LeadShown, ...]
    """What it would be flagged for."""
    corrects: CorrectionFound | None
    """What it would correct, if anything."""
    problems: tuple[str, ...]
    """What is wrong with the settings of triage."""


def triaged(of: Triaged) -> TriagedShown:
    """What a message would be flagged for, where each flag leads, and what it would correct."""
    flags = [
        copied(
            LeadShown,
            lead,
            trigger=lead.flag.trigger,
            route=lead.flag.route,
            confidence=lead.flag.confidence,
            phrase=lead.flag.phrase,
        )
        for lead in of.leads
    ]
    return copied(
        TriagedShown, of, flags=flags, corrects=copied(CorrectionFound, of.correction) if of.correction else None
    )


@frozen
class SessionShown(Shown):
    """A session as it is logged."""

    session: SessionId
    """Its id."""
    kind: str
    """What kind of conversation it is."""
    with_: str
    """The person or the room."""
    messages: int
    """How many messages it has."""
    first: Time
    """When the first was said."""
    last: Time
    """When the last was."""
    channel: str
    """The channel it came through."""
    ended: bool
    """Whether every message is in memory."""
    new: int
    """How many messages are not in memory yet."""


def session(of: SessionProgress, new: int) -> SessionShown:
    """A conversation: whom or where it is with, its messages, and how many are not memory yet."""
    thread = of.thread
    return copied(
        SessionShown,
        thread,
        session=thread.session.id,
        kind=thread.session.kind,
        with_=_with(thread.session),
        messages=thread.count,
        ended=of.ended,
        new=new,
    )


def _with(of: Session) -> str:
    root = of.root
    return root.room or (root.subject.id if root.subject and root.kind == "dm" else "")


@frozen
class SessionList(Shown):
    """A page of sessions, the one with the latest message first."""

    sessions: tuple[SessionShown, ...]
    """The sessions."""
    next: Next
    """Give it as `cursor` for the next page; null after the last."""


@frozen
class SessionWhole(SessionShown):
    """A session, who may see it, and its files."""

    audience: str
    """Who may see what is said in it."""
    files: tuple[Path, ...]
    """The files of its summaries."""


def session_whole(of: SessionProgress, new: int, audience: Audience, files: tuple[str, ...]) -> SessionWhole:
    """A conversation, who may see it, and its files."""
    return copied(SessionWhole, session(of, new), audience=audience, files=files)


@frozen
class BadLineShown(Shown):
    """A line that could not be imported."""

    file: str
    """The file it is in."""
    line: int
    """Its number."""
    problem: str
    """What is wrong with it."""


@frozen
class ImportedShown(Shown):
    """Files of messages that were imported."""

    stored: int
    """How many messages were logged."""
    repeated: int
    """How many were logged already."""
    masked: int
    """How many secrets were masked."""
    vouched: bool
    """Whether the files were trusted to say who the operator is."""
    bad: tuple[BadLineShown, ...]
    """The lines that were left out."""
    sessions: tuple[str, ...]
    """The sessions that they belong to."""
    corrected: int | None
    """How many corrections of the operator were applied; null where nobody was trusted, so none was looked for."""
    proposed: int | None
    """How many messages may correct something, and wait for approval."""
    waiting: int | None
    """How many were not searched for corrections yet."""
    ended: tuple[EndedShown, ...] | None
    """The sessions that were ended; null where that was not asked for."""


def imported(
    done: Sequence[tuple[str, Imported]],
    looked: ImportedCorrections | None,
    ended: Sequence[EndedShown] | None,
    *,
    vouched: bool,
) -> ImportedShown:
    """Files that were imported, each with its name: how many messages they had, lines that were left out, what was corrected."""
    every = [each for _, each in done]
    return ImportedShown(
        stored=sum(each.stored for each in every),
        repeated=sum(each.repeated for each in every),
        masked=sum(each.masked for each in every),
        vouched=vouched,
        bad=tuple(BadLineShown(file, bad.line, bad.problem) for file, each in done for bad in each.bad),
        sessions=tuple(dict.fromkeys(one for each in every for one in each.sessions)),
        corrected=looked.corrected if looked else None,
        proposed=looked.proposed if looked else None,
        waiting=looked.waiting if looked else None,
        ended=None if ended is None else tuple(ended),
    )


@frozen
class AskedShown(Shown):
    """Something a person asked to be remembered."""

    message: MessageNumber
    """The message they asked it with."""
    time: Time
    """When."""
    subject: str | None
    """The person."""
    words: str
    """What is to be remembered."""
    kind: str
    """What kind of memory it is."""
    section: str
    """The heading it goes under."""
    files: tuple[Path, ...]
    """The files it goes to."""
    state: str
    """What became of it."""
    why: str
    """Why it is left."""


def asked(of: MemoryRequest) -> AskedShown:
    """Something a person asked to be remembered: the words, the files it goes to, its state, and why it is left."""
    said = of.message
    return copied(
        AskedShown,
        of,
        message=seals.message(said.id),
        time=said.time,
        subject=said.subject.id if said.subject else None,
        files=[name.path for name in of.names],
    )


@frozen
class RoomShown(Shown):
    """A room that the agent knows."""

    room: Annotated[str, example("dev")]
    """Its id."""
    messages: int
    """How many messages were logged in it."""
    last: Time | None
    """When something was last said in it."""
    path: str | None
    """The file of what it knows; null when there is none."""


def room(of: Room) -> RoomShown:
    """A room: how much was said in it, when last, and its file."""
    return copied(RoomShown, of, room=of.id, path=of.path or None)


@frozen
class RoomList(Shown):
    """The rooms of an agent, by their ids."""

    rooms: tuple[RoomShown, ...]
    """The rooms."""


@frozen
class DayShown(Shown):
    """One day in numbers."""

    day: Date
    """Which."""
    messages: int
    """How many messages were logged."""
    sessions: int
    """How many sessions they belong to."""
    learnt: int
    """How many entries were added to long-term memory, of those that are there."""
    corrected: int
    """How many things were corrected."""
    changes: int
    """How many changes were made to files."""
    entries: int
    """How many entries the daily log has."""
    open_tasks: int
    """How many tasks of its sessions are open."""
    open_follow_ups: int
    """How many follow-ups of its sessions are open."""


def day_counts(of: DayCounts) -> DayShown:
    """A day in numbers."""
    return copied(DayShown, of)


@frozen
class DayList(Shown):
    """The days on which something happened, the latest first."""

    since: str
    """The first day that was looked at."""
    until: str
    """The last."""
    days: tuple[DayShown, ...]
    """The days."""


@frozen
class DayLog(Shown):
    """A file of a daily log."""

    path: Path
    """The file."""
    archived: bool
    """Whether it is in the archive."""
    version: Version
    """Its version."""
    text: str
    """Its text."""


@frozen
class TaskShown(Shown):
    """A task or a follow-up of a session."""

    entry: EntryId
    """Its id."""
    line: int
    """Its line in the session's file."""
    text: str
    """What is to be done."""
    done: bool
    """Whether it is done."""


@frozen
class DaySession(Shown):
    """A session on one day."""

    session: SessionId
    """Its id."""
    messages: int
    """How many messages it had on that day."""
    path: str | None
    """The file of its summary; null when it has none."""
    summary: str
    """What it was about."""
    tasks: tuple[TaskShown, ...]
    """Its tasks."""
    follow_ups: tuple[TaskShown, ...]
    """Its follow-ups."""


@frozen
class DayWhole(Shown):
    """One day: its log, its sessions, and what was learnt."""

    day: Date
    """Which."""
    logs: tuple[DayLog, ...]
    """The files of its log; several where it was long."""
    sessions: tuple[DaySession, ...]
    """Its sessions."""
    learnt: tuple[EntryShown, ...]
    """The entries that were added to long-term memory."""


def day_whole(of: Day, logs: Sequence[Snapshot]) -> DayWhole:
    """One day: the files of its log as they stand, its sessions, and what was learnt."""
    return DayWhole(
        day=of.day.isoformat(),
        logs=tuple(
            DayLog(one.name.path, one.archived, found.version, (found.data or b"").decode("utf-8", "replace"))
            for one, found in zip(of.logs, logs, strict=True)
        ),
        sessions=tuple(map(_day_session, of.sessions)),
        learnt=tuple(map(entry, of.learnt)),
    )


def _day_session(of: SessionDay) -> DaySession:
    """A session on one day: what it was about, its tasks and follow-ups."""
    return copied(
        DaySession, of, path=of.path or None, tasks=map(_task, of.tasks), follow_ups=map(_task, of.follow_ups)
    )


def _task(of: SessionTask) -> TaskShown:
    return copied(TaskShown, of)


@frozen
class PersonShown(Shown):
    """Somebody the home knows."""

    id: Annotated[str, example("acct:42")]
    """Their id."""
    operator: bool
    """Whether they are an operator."""
    known_as: tuple[str, ...]
    """Names in channels that are bound to them."""
    memories: int
    """How many entries are about them."""


def person(of: Person) -> PersonShown:
    """Somebody a home knows: the id, whether an operator, the names they are known by, how many memories."""
    return copied(PersonShown, of)


@frozen
class PersonList(Shown):
    """A page of people, by their ids."""

    people: tuple[PersonShown, ...]
    """The people."""
    next: Next
    """Give it as `cursor` for the next page; null after the last."""


@frozen
class Unbound(Shown):
    """A name that was unbound from its account."""

    name: str
    """The name in a channel."""
    account: str
    """The account."""


@frozen
class Bound(Unbound):
    """A name that was bound to an account."""

    joined: tuple[str, ...]
    """The agents in which their memory was merged."""
