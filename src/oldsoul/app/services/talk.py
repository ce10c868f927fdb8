"""Talk: the conversations of one agent, its rooms and its diary."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.app.services.rights import Service, needs
from oldsoul.app.talk.log import SessionProgress
from oldsoul.lazy import lazy
from oldsoul.values.audience import Audience
from oldsoul.values.callers import CallerRole, Right
from oldsoul.values.messages import Message, Wanted
from oldsoul.values.names import Name
from oldsoul.values.pages import paged
from oldsoul.values.sessions import Session

if TYPE_CHECKING:
    from oldsoul.app.keepers import recall_validator
    from oldsoul.app.keepers.recall_validator import ImportedCorrections
    from oldsoul.app.talk import conversations, imports
    from oldsoul.app.talk.conversations import MemoryRequest, Room
    from oldsoul.app.talk.days import CalendarDay, Day, DayCounts
    from oldsoul.app.talk.imports import Imported
    from oldsoul.driver import Report
    from oldsoul.ledger import Outcome
else:
    (recall_validator,) = lazy("oldsoul.app.keepers", "recall_validator")
    conversations, imports = lazy("oldsoul.app.talk", "conversations", "imports")


class ArchivedDays(NamedTuple):
    """Days that were moved to the archive."""

    names: list[Name]
    """their files, as they were called"""
    problems: tuple[str, ...]
    """what could not be moved, and why"""


class Talk(Service):
    """The conversations of one agent, its rooms and its diary."""

    # conversations

    @needs(Right.SEE)
    def sessions(self, *, offset: int = 0, limit: int | None = None) -> list[SessionProgress]:
        """Return the sessions that this caller may see, the one with the latest message first: all, or one page."""
        people = self._parts.home.people
        found = [one for one in self._parts.log.sessions() if self._sees(people.audience(one.thread.session))]
        return [*paged(found, offset, limit)]

    @needs(Right.SEE)
    def session(self, session_id: str) -> SessionProgress:
        """Return one session by its id; `NotFound` when there is none that this caller may see."""
        held = self._parts.log.session(session_id)
        if not self._sees(self._parts.home.people.audience(held.thread.session)):
            raise self._parts.log.no_session(session_id)
        return held

    @needs(Right.TELL)
    def end(self, session: Session | str, *, dry_run: bool = False) -> list[Report]:
        """Turn what was said in a session since its last end into memory; a dry run only shows the result."""
        named = session if isinstance(session, str) else session.id
        known = session
        if isinstance(known, str) or self._caller.role is not CallerRole.OPERATOR:
            self._check(Right.TELL, known if isinstance(known, Session) else None, "talk.end")
            known = self.session(named).thread.session
        self._check(Right.TELL, known, "talk.end")
        return self._parts.talk.end(named, dry_run=dry_run)

    @needs(Right.SEE)
    def conversation(
        self, id: str | None = None, kind: str | None = None, room: str | None = None, subject: str | None = None
    ) -> Session:
        """Return the session that is meant by what is said of it; one that exists goes on as it is.

        Args:
            id: its id; `NotFound` when it is not the operator who asks, and there is none that this caller may see.
            kind: `dm`, `group`, `team`, `subagent` or `cron`. Default: `group` with a room, else `dm`.
            room: the room it is in.
            subject: the person in it. Default: for a `dm`, the operator.
        """
        if id is not None and self._caller.role is not CallerRole.OPERATOR:
            self.session(id)
        return self._parts.log.meant(id, kind, room, subject)

    @needs(Right.SEE)
    def unsummarised(self, held: SessionProgress) -> int:
        """Return how many messages of a session are not memory yet; no more than 1000 are counted."""
        if not self._sees(self._parts.home.people.audience(held.thread.session)):
            raise self._parts.log.no_session(held.thread.session.id)
        return self._parts.log.new(held)

    @needs(Right.SEE)
    def audience(self, session: Session) -> Audience:
        """Return who may see what is said in a session."""
        return self._parts.home.people.audience(session)

    @needs(Right.INSPECT)
    def files(self, session_id: str) -> list[Name]:
        """Return the files of a session's short-term memory, the oldest first."""
        return self._parts.log.files(session_id)

    @needs(Right.INSPECT)
    def asked(self, session_id: str) -> list[MemoryRequest]:
        """Return what was asked to be remembered in a session, and what becomes of it."""
        return self._parts.talk.asked(session_id)

    @needs(Right.INSPECT)
    def person(self, text: str) -> str:
        """Return the id of a person in its one form; of a name, `BadInput` says whose it is."""
        return self._parts.log.person(text)

    @needs(Right.INSPECT)
    def rooms(self) -> list[Room]:
        """Return the rooms that this agent knows, by their ids: those with messages, and those with a file."""
        return conversations.rooms(self._parts)

    # messages

    @needs(Right.SEE)
    def messages(self, wanted: Wanted) -> list[Message]:
        """Return the messages that match a query and that this caller may see, one page at a time."""
        log = self._parts.log
        found: list[Message] = []
        while page := log.messages(wanted):
            found += [message for message in page if self._sees(message.audience)]
            if len(found) >= wanted.limit or len(page) < wanted.limit:
                break
            wanted = replace(wanted, past=(page[-1].time, page[-1].id))
        return found[: wanted.limit]

    @needs(Right.SEE)
    def every(self, wanted: Wanted) -> Iterator[Message]:
        """Return all messages that match a query and that this caller may see, in the order of their time."""
        return (message for message in self._parts.log.every(wanted) if self._sees(message.audience))

    @needs(Right.SEE)
    def message(self, number: int) -> Message:
        """Return one message by its number; `NotFound` when there is none that this caller may see."""
        log = self._parts.log
        message = log.message(number)
        if not self._sees(message.audience):
            raise log.no_message(number)
        return message

    @needs(Right.DECIDE)
    def forget_message(self, number: int) -> Message:
        """Erase the words of one message for good, and entries made from it alone; return the message as it was."""
        message = self._parts.log.message(number)
        self._parts.forgetting(self._author).message(number)
        return message

    @needs(Right.DECIDE)
    def import_messages(
        self, lines: Iterable[str | bytes], *, vouched: bool = False, keep_going: bool = False
    ) -> Imported:
        """Log messages from JSON lines. Importing a line again does not log it twice.

        Args:
            lines: one JSON object each.
            vouched: whether you vouch for the senders. Otherwise nobody in it counts as an operator.
            keep_going: skip invalid lines and report them, instead of raising `BadInput` at the first.
        """
        return imports.import_lines(self._parts.keeping, lines, vouched=vouched, keep_going=keep_going)

    @needs(Right.DECIDE)
    def log_lines(
        self,
        lines: Iterable[str | bytes],
        *,
        vouched: bool = False,
        keep_going: bool = False,
        on_progress: Callable[[int], None] | None = None,
    ) -> Imported:
        """Log messages like `import_messages`, and correct nothing yet; `on_progress` is called with how many are done."""
        return imports.log_lines(
            self._parts.keeping, lines, vouched=vouched, keep_going=keep_going, on_progress=on_progress
        )

    @needs(Right.DECIDE)
    def correct_imported(
        self, every: Iterable[Imported], on_progress: Callable[[int, int], None] = lambda _done, _total: None
    ) -> ImportedCorrections | None:
        """Apply what the operator corrected in messages that were logged, in the order in which it was said.

        Args:
            every: what `log_lines` returned.
            on_progress: called with the number of messages done and the total.

        Returns:
            The result; None where the operator said nothing, or the keepers are turned off.
        """
        return imports.correct_imported(self._parts.keeping, every, on_progress)

    @needs(Right.DECIDE)
    def correct_again(self) -> None:
        """Apply the corrections that stand to what was written since."""
        recall_validator.again(self._parts.keeping)

    # the diary

    @needs(Right.TELL)
    def append_daily_log(
        self,
        content: str | Iterable[str],
        *,
        session: Session | None = None,
        user: str = "",
        room: str = "",
        time: datetime | None = None,
        key: str = "",
    ) -> Outcome:
        """Write what happened into the diary.

        Args:
            content: the text, or a stream of pieces, which is written when it has ended.
            session: the conversation, which sets who may see the entry. Default: the caller's; the operator's own entry
                is for the operator alone.
            user: the name of the user to show.
            room: the room to show. Default: the room of the session.
            time: when it happened, with a time zone. Default: now.
            key: an id of yours for this write; a repeated key is written once.
        """
        session = session or self._caller.session
        days = self._parts.days
        text = content if isinstance(content, str) else "".join(content)
        key = self._own_key(key) or f"log:{uuid.uuid4().hex}"
        return days.append(text, session=session, user=user, room=room, time=time, key=key)

    @needs(Right.INSPECT)
    def days(self) -> list[Day]:
        """Return the days that have a diary, the latest first, archived ones included."""
        return self._parts.days.all()

    @needs(Right.INSPECT)
    def day(self, day: date) -> CalendarDay:
        """Return one day: its log, its sessions with their tasks and follow-ups, and what was learnt."""
        return self._parts.calendar.day(day)

    @needs(Right.INSPECT)
    def calendar(self, since: date, until: date) -> list[DayCounts]:
        """Return how much was said, learnt and changed on each day from one to another, the latest first.

        Days on which nothing happened are left out; at most 400 days are asked for.
        """
        return self._parts.calendar.counts(since, until)

    @property
    @needs(Right.INSPECT)
    def days_kept(self) -> int | None:
        """How many days a diary stays before it is archived; None when it always stays."""
        return self._parts.days.kept_for()

    @needs(Right.DECIDE)
    def archive_days(self) -> ArchivedDays:
        """Move the days that are older than the settings say to the archive."""
        return ArchivedDays(self._parts.days.archive_old(), tuple(self._parts.days.problems))

    @needs(Right.DECIDE)
    def restore_day(self, day: date) -> list[Name]:
        """Move a day back from the archive, byte for byte; `NotFound` when the archive does not have it."""
        return self._parts.days.restore(day, self._author)
