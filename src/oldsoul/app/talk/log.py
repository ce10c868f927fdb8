"""The log of one agent's conversations: each message is checked, secrets are masked, and it is stored at once."""

from __future__ import annotations

import uuid
from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.app.talk.kept_secrets import KeptSecrets
from oldsoul.app.talk.session_files import is_of, listed
from oldsoul.errors import BadInput, NotFound
from oldsoul.language.sentences import name_of, whole
from oldsoul.language.words import is_role, looks_like
from oldsoul.rules.audience import origin_of
from oldsoul.rules.diary import disambiguated, unmarked
from oldsoul.rules.kept_secrets import MASKED, kept_secrets, without_secrets
from oldsoul.rules.secrets import mask
from oldsoul.rules.triage import leads_to, triage
from oldsoul.values.frozen import shortened
from oldsoul.values.ids import checked_id
from oldsoul.values.messages import ERASED, ROLES, Flag, Message, Said, Thread, Wanted
from oldsoul.values.names import Name
from oldsoul.values.sessions import Session, Subject

if TYPE_CHECKING:
    from oldsoul.driver import Report
    from oldsoul.ledger.forgetting import Forgotten

SUMMARISED = "summarised"
"""The kind of record that says up to which message a session was summarised."""
_PAGE = 1000
EARLIEST, LATEST = 1900, 9000
"""The years in which something can have been said."""
_AHEAD = timedelta(days=1)
"""Clocks and zones may be wrong by so much."""


class Heard(NamedTuple):
    """A message that was logged; it is stored durably."""

    message: Message
    """the message as it is stored"""
    repeated: bool
    """whether it was stored already"""
    masked: int
    """how many secrets were masked in it"""
    corrected: Report | None = None
    """the report of the correction it made; None when it made none"""

    def __repr__(self) -> str:
        return f"<Heard m:{self.message.id} {shortened(self.message.text)!r}>"

    @property
    def flags(self) -> tuple[Flag, ...]:
        """What triage found in it."""
        return self.message.flags

    @property
    def keepers(self) -> tuple[str, ...]:
        """The keepers it is for, each once; a soft correction needs a related entry first."""
        found = (leads_to(flag, self.message.origin, related=False) for flag in self.flags)
        return tuple(dict.fromkeys(keeper for keeper in found if keeper))


class SessionProgress(NamedTuple):
    """A session, and how much of it is summarised into memory."""

    thread: Thread
    """the session as it is logged"""
    summarised: int
    """the number of the last message that was summarised"""

    @property
    def ended(self) -> bool:
        """Whether every message in it is summarised."""
        return self.thread.last_id <= self.summarised


class Log:
    """What was said to one agent."""

    def __init__(self, agent: AgentWorkspace) -> None:
        self._agent = agent
        self._home = agent.home
        self._names: tuple[int, frozenset[str]] = (0, frozenset())

    # coming in

    def hear(self, said: Said) -> Heard:
        """Log one message. It is durable when this returns; the caller vouches for who said it."""
        self._agent.check_enabled()
        taken = KeptSecrets(self._agent).taken(self.checked(said))
        message, count = self._message(taken, vouched=True)
        made = message, count + (taken.text != said.text)
        starts = self._home.syncing.starts(self._agent, self._home.chat, made[0].session.id)
        (heard,) = self._logged([made])
        if starts:
            self._home.syncing.started(self._agent)
        return heard

    def hear_all(self, batch: Sequence[Said], *, vouched: bool) -> list[Heard]:
        """Log messages, all of them or none."""
        self._agent.check_enabled()
        return self._logged([self._message(said, vouched=vouched) for said in batch])

    def _logged(self, made: Sequence[tuple[Message, int]]) -> list[Heard]:
        """Messages are stored, durably; then the index may learn of them."""
        logged = self._home.chat.append([message for message, _ in made])
        self._home.syncing.heard(self._agent, (one.message for one in logged if not one.repeated))
        if self._agent.settings.memory.search.mem0.store_enabled:
            self._home.mem0.heard(self._agent.id, self._agent.settings, self._home.chat)
        return [Heard(one.message, one.repeated, count) for one, (_, count) in zip(logged, made, strict=True)]

    def checked(self, said: Said) -> Said:
        """What was said, if it can be logged; `BadInput` says why not."""
        if said.role not in ROLES:
            raise BadInput(f"{said.role!r} is not a role; use one of {', '.join(ROLES)}")
        now = self._home.world.clock.now()
        time = said.time or now
        if time.tzinfo is None:
            raise BadInput("a message's time needs a time zone: write 2026-02-04T10:00:00+01:00, or Z for UTC")
        if not EARLIEST <= time.year <= LATEST:
            raise BadInput(f"the message's time is in the year {time.year}; is that right?")
        if time > now + _AHEAD:
            raise BadInput(f"a message cannot have the time {time.isoformat()}: that is more than a day in the future")
        if not said.text.strip():
            raise BadInput("a message needs text")
        return replace(said, time=time)

    def _message(self, given: Said, *, vouched: bool) -> tuple[Message, int]:
        said = self.checked(given)
        people = self._home.people
        session = people.session(said.session)
        person = people.resolved(said.subject) or (session.subject if said.role == "user" else None)
        asked = kept_secrets(said.text) if said.role == "user" else []
        text = mask(whole(without_secrets(said.text, asked, MASKED)))
        sender, channel = (name_of(mask(name).text) for name in (said.sender, said.channel))
        is_operator = said.role == "user" and person is not None and person.id in people.operators
        if sender and not is_operator and self._is_taken(sender, said.role):
            sender = disambiguated(sender, person.id if person else "" if said.role == "user" else said.role)
        flags = triage(self._agent.settings.memory.triage).flags(text.text) if said.role == "user" else ()
        message = Message(
            workspace=self._agent.id,
            session=session,
            role=said.role,
            sender=sender,
            subject=person,
            text=text.text,
            time=said.time or self._home.world.clock.now(),
            origin=origin_of(said.role, person, people.operators, vouched=vouched),
            audience=people.audience(session),
            key=said.key or f"random:{uuid.uuid4().hex}",
            channel=channel,
            flags=flags,
        )
        return message, sum(count for _, count in text.found) + len(asked)

    def _is_taken(self, name: str, role: str) -> bool:
        """Whether a name looks like the operator's; for a person, like an agent's or a role's too."""
        if looks_like(name, self._operators_names()):
            return True
        if role != "user":
            return False
        named = [one.display_name for one in self._home.settings.agents.list]
        return is_role(name) or looks_like(name, (*self._home.agents(), *self._home.teams(), *named))

    def _operators_names(self) -> frozenset[str]:
        """The operators' ids, and what they were called when they last spoke; read once for a batch."""
        last, operators = self._home.chat.last(self._agent.id), self._home.people.operators
        if self._names[0] != last or not self._names[1]:
            every = (self.messages(Wanted(subject=one, newest_first=True)) for one in operators)
            said = (unmarked(message.sender) for some in every for message in some if message.sender)
            self._names = last, frozenset((*operators, *said))
        return self._names[1]

    # looking

    def messages(self, wanted: Wanted) -> list[Message]:
        """Messages that are asked for, a page at a time."""
        return self._home.chat.find(self._agent.id, wanted)

    def every(self, wanted: Wanted) -> Iterator[Message]:
        """All messages that are asked for, page after page, in the order of their time."""
        wanted = replace(wanted, limit=_PAGE)
        while page := self.messages(wanted):
            yield from page
            wanted = replace(wanted, past=(page[-1].time, page[-1].id))

    def message(self, number: int) -> Message:
        """One message by its number; `NotFound` when there is none."""
        found = self.messages(Wanted(after=number - 1, by_number=True, limit=1)) if number > 0 else []
        if found and found[0].id == number:
            return found[0]
        raise self.no_message(number)

    def sessions(self) -> list[SessionProgress]:
        """The sessions there are, the one with the latest message first."""
        cursors = self._home.world.store.records(self._agent.id, SUMMARISED)
        return [
            SessionProgress(t, int(cursors.get(t.session.id, "0"))) for t in self._home.chat.threads(self._agent.id)
        ]

    def session(self, session_id: str) -> SessionProgress:
        """One session; `NotFound` when the log has none of that id."""
        thread = self._home.chat.thread(self._agent.id, session_id)
        if thread is not None:
            return SessionProgress(
                thread, int(self._home.world.store.record(self._agent.id, SUMMARISED, session_id) or "0")
            )
        raise self.no_session(session_id)

    def new(self, held: SessionProgress) -> int:
        """How many messages of a session are not memory yet; a great many are not counted out."""
        if held.ended:
            return 0
        if not held.summarised:
            return held.thread.count
        return len(self.messages(Wanted(session=held.thread.session.id, after=held.summarised, limit=_PAGE)))

    def files(self, session_id: str) -> list[Name]:
        """What a session left behind, oldest first."""
        return [name for _, name in listed(self._home.world.store, self._agent.id) if is_of(name, session_id)]

    # as people name it

    def meant(self, session: str | None, kind: str | None, room: str | None, subject: str | None) -> Session:
        """The conversation that is meant by what is said of it: one that is there goes on as it is."""
        name = checked_id(session, "session") if session is not None else ""
        place = checked_id(room, "room") if room is not None else ""
        person = Subject(subject) if subject is not None else None
        last = self._last_of(name) if name else None
        if last is not None:
            return self._continued(last, kind, place, person)
        kind = kind or ("group" if place else "dm")
        if place and kind in ("dm", "cron"):
            raise BadInput(f"a session of kind {kind} has no room; leave the room out, or choose another kind")
        if kind == "dm":
            person = person or Subject(self._home.people.operators[0])
            name = name or f"dm:{person.id}"
        if kind == "group":
            name = name or f"group:{place or 'unknown'}"
        if not name:
            raise BadInput(f"a session of kind {kind} needs an id; give one")
        last = None if session is not None else self._last_of(name)
        if last is not None and (str(last.kind), last.root.room) != (kind, place):
            raise self._taken(last)
        return Session.described(kind, name, person, place)

    def _last_of(self, session_id: str) -> Session | None:
        """A conversation as its latest message has it."""
        last = self.messages(Wanted(session=session_id, newest_first=True, limit=1))
        return last[0].session if last else None

    def _continued(self, known: Session, kind: str | None, place: str, person: Subject | None) -> Session:
        """A conversation that goes on; `BadInput` when what is said of it fits another one."""
        people, root = self._home.people, known.root
        other = root.kind == "dm" and person and people.resolved(person) != people.resolved(root.subject)
        if kind not in (None, str(known.kind)) or place not in ("", root.room) or other:
            raise self._taken(known)
        return replace(known, subject=person) if known.kind == "group" else known

    def _taken(self, known: Session) -> BadInput:
        whom = known.root.room or (known.root.subject.id if known.root.subject else "")
        return BadInput(f"{known.id} is already the id of another session ({known.kind} {whom}); choose another id")

    def person(self, text: str) -> str:
        """The id of a person in its one form; of a name that is none, it is said whose it is."""
        try:
            return Subject(text).id
        except BadInput as error:
            found = self._called(text.strip().casefold()) if text.strip() else []
            if not found:
                raise
            raise BadInput(f"{text!r} is a name, not an id; people with this name: {', '.join(found)}") from error

    def _called(self, name: str) -> list[str]:
        """The ids of people who are called so, in small letters: at the end of their id, or in their latest message."""
        found = {
            person.id
            for person in self._home.people.everyone()
            if any(known.casefold().endswith(f":{name}") for known in (person.id, *person.known_as))
        }
        for speaker in self._home.chat.people(self._agent.id):
            latest = self.messages(Wanted(subject=speaker, newest_first=True, limit=1))
            found.update(speaker for message in latest if message.sender.casefold() == name)
        return sorted(found)

    # going

    def erase(self, gone: Forgotten, kept: Container[str]) -> int:
        """Take what is forgotten out of the log for good; says of how many messages.

        Of what it was taken from, all that says it goes; elsewhere its whole sentences go, but not from messages that
        other entries rest on.
        """
        found: dict[int, str] = {}
        for words in gone.copies.sentences:
            for message in self.every(Wanted(words=words)):
                if f"m:{message.id}" not in kept:
                    found[message.id] = gone.cleaned_text(found.get(message.id, message.text))
        for message in self._sources(gone):
            ref = f"m:{message.id}"
            if ref == gone.key:
                found[message.id] = ERASED
            elif ref in gone.sources or gone.copies.spans(message.text, anywhere=True):
                found[message.id] = gone.copies.without_saying(message.text)
        self._home.chat.redact(self._agent.id, found)
        return len(found)

    def saying(self, gone: Forgotten) -> str:
        """The sentences with the words of what is forgotten, in the messages that it was taken from; a line for each."""
        return "\n".join(told for message in self._sources(gone) for told in gone.copies.saying(message.text))

    def _sources(self, gone: Forgotten) -> Iterator[Message]:
        for source in sorted(gone.sources | gone.corrected):
            number = source.removeprefix("m:")
            if source.startswith("m:") and number.isdecimal():
                with suppress(NotFound):
                    yield self.message(int(number))

    @staticmethod
    def no_session(session_id: str) -> NotFound:
        """What is said of a session that is not there, or not for whoever asks."""
        return NotFound(f"there is no session {session_id!r}; `oldsoul sessions` lists the sessions")

    @staticmethod
    def no_message(number: int) -> NotFound:
        """What is said of a message that is not there, or not for whoever asks."""
        return NotFound(f"there is no message {number}; `oldsoul messages` lists the messages")
