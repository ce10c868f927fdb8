"""Conversations of one agent: what is heard is logged at once; when a session ends, it becomes memory."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.app.session_files import SessionFiles, is_of, listed
from oldsoul.errors import BadInput, NotFound, OldsoulError
from oldsoul.values.history import Record
from oldsoul.values.messages import ERASED, ROLES, Message, Wanted
from oldsoul.values.names import Kind
from oldsoul.values.origin import Origin
from oldsoul.values.sessions import Session, Subject  # noqa: TC001 - a tuple's fields are looked at when it is made

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date

    from oldsoul.app.agent import Agent
    from oldsoul.app.keepers import Work
    from oldsoul.context.injection import Block, Known, Past
    from oldsoul.driver import Report
    from oldsoul.keepers.conversation import Conversation
    from oldsoul.values.messages import Flag, Thread
    from oldsoul.values.names import Name

SUMMARISED = "summarised"
"""The kind of record that says up to which message a session was summarised."""
SUMMARISING = "summarising"
"""The kind of record that says up to which message a session is being summarised."""
ENDING = "end "
"""How the end of a session is called among what can be run, before the session's id."""
BATCH = 200
"""How many messages are summarised at once."""
_PAGE = 1000
EARLIEST, LATEST = 1900, 9000
"""The years in which something can have been said."""
_AHEAD = timedelta(days=1)
"""Clocks and zones may be wrong by so much."""
_LISTED = ("item", "task")


class Said(NamedTuple):
    """A message on its way in, as its channel gives it."""

    text: str
    """the words"""
    session: Session
    """the conversation"""
    role: str = "user"
    """`user`, `assistant`, `system` or `tool`"""
    sender: str = ""
    """the name it was sent under"""
    subject: Subject | None = None
    """who said it; in a private session the person it is with, if nobody is named"""
    time: datetime | None = None
    """when; now, if not given"""
    channel: str = ""
    """where it came through"""
    key: str = ""
    """the same key is stored once; a random one, if not given"""


class Heard(NamedTuple):
    """A message that was heard: it is stored, durably."""

    message: Message
    """the message as it is stored"""
    repeated: bool
    """whether it was there already"""
    masked: int
    """how many secrets were masked in it"""
    corrected: Report | None = None
    """what became of what it puts right, where it does"""

    @property
    def flags(self) -> tuple[Flag, ...]:
        """What triage saw in it."""
        return self.message.flags

    @property
    def keepers(self) -> tuple[str, ...]:
        """The keepers it leads to at once, each once; a soft correction needs a related memory first."""
        from oldsoul.rules.triage import leads_to  # noqa: PLC0415 - few look

        found = (leads_to(flag, self.message.origin, related=False) for flag in self.flags)
        return tuple(dict.fromkeys(keeper for keeper in found if keeper))


class Held(NamedTuple):
    """A session, and how much of it is memory already."""

    thread: Thread
    """the session as the log knows it"""
    summarised: int
    """the number of the last message that was summarised"""

    @property
    def ended(self) -> bool:
        """Whether everything that was said in it is summarised."""
        return self.thread.last_id <= self.summarised


class Conversations:
    """What is said to one agent."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        """whose they are"""
        self._soul = agent.soul
        self._names: tuple[int, frozenset[str]] = (0, frozenset())

    # coming in

    def hear(self, said: Said) -> Heard:
        """Log one message. It is durable when this returns; the caller vouches for who said it."""
        self.agent.check_enabled()
        made = self._message(said, vouched=True)
        starts = self._soul.syncing.starts(self.agent, made[0].session.id)
        (heard,) = self._logged([made])
        if starts:
            self._soul.syncing.started(self.agent)
        if heard.message.origin is Origin.OPERATOR and not heard.repeated:
            heard = heard._replace(corrected=self._put_right(heard.message))
        return heard

    @property
    def corrects(self) -> bool:
        """Whether what the operator puts right is acted on."""
        return self.agent.settings.keepers.enabled

    def _put_right(self, message: Message) -> Report | None:
        """Have what the operator puts right hold before anybody replies; the message is logged whatever comes of it."""
        if not self.corrects:
            return None
        from oldsoul.app.keepers import validating  # noqa: PLC0415 - few messages need it

        try:
            return validating.at_once(self.agent, message)
        except OldsoulError as error:  # the validator's own run finds it again
            self._soul.noticed.append(f"m:{message.id} was not looked at: {error}")
            return None

    def hear_all(self, batch: Sequence[Said], *, vouched: bool) -> list[Heard]:
        """Log messages, all of them or none."""
        self.agent.check_enabled()
        return self._logged([self._message(said, vouched=vouched) for said in batch])

    def _logged(self, made: Sequence[tuple[Message, int]]) -> list[Heard]:
        """Messages are stored, durably; then the index may learn of them."""
        logged = self._soul.chat.append([message for message, _ in made])
        self._soul.syncing.heard(self.agent, (one.message for one in logged if not one.repeated))
        if self.agent.settings.memory.search.mem0.store_enabled:
            self._soul.mem0.heard(self.agent)
        return [Heard(one.message, one.repeated, count) for one, (_, count) in zip(logged, made, strict=True)]

    def _message(self, said: Said, *, vouched: bool) -> tuple[Message, int]:
        from oldsoul.language.sentences import called_like, name_of, not_the_operator, whole  # noqa: PLC0415
        from oldsoul.rules.secrets import mask  # noqa: PLC0415 - only incoming messages need these
        from oldsoul.rules.triage import triage  # noqa: PLC0415
        from oldsoul.rules.trust import origin_of  # noqa: PLC0415

        if said.role not in ROLES:
            raise BadInput(f"{said.role!r} is no role; a message has one of {', '.join(ROLES)}")
        time = said.time or self._soul.world.clock.now()
        if time.tzinfo is None:
            raise BadInput("a message's time needs its zone: write 2026-02-04T10:00:00+01:00, or Z for UTC")
        if not EARLIEST <= time.year <= LATEST:
            raise BadInput(f"nobody said anything in the year {time.year}; is the message's time right?")
        if time > self._soul.world.clock.now() + _AHEAD:
            raise BadInput(f"a message cannot be of {time.isoformat()}: that is more than a day ahead")
        if not said.text.strip():
            raise BadInput("a message needs words")
        people = self._soul.people
        session = people.session(said.session)
        person = people.resolved(said.subject) or (session.subject if said.role == "user" else None)
        text = mask(whole(said.text))
        sender, channel = (name_of(mask(name).text) for name in (said.sender, said.channel))
        is_operator = person is not None and person.id in people.operators
        if sender and said.role == "user" and not is_operator and called_like(sender) in self._operators_names():
            sender = not_the_operator(sender)
        flags = triage(self.agent.settings.memory.triage).flags(text.text) if said.role == "user" else ()
        message = Message(
            workspace=self.agent.id,
            session=session,
            role=said.role,
            sender=sender,
            subject=person,
            text=text.text,
            time=time,
            origin=origin_of(said.role, person, people.operators, vouched=vouched),
            audience=people.audience(session),
            key=said.key or f"random:{os.urandom(12).hex()}",
            channel=channel,
            flags=flags,
        )
        return message, sum(count for _, count in text.found)

    def _operators_names(self) -> frozenset[str]:
        """What the operators were called when they last spoke; read once for a batch."""
        from oldsoul.language.sentences import called_like  # noqa: PLC0415 - as above

        last = self._soul.chat.last(self.agent.id)
        if self._names[0] != last:
            every = (self.messages(Wanted(subject=one, newest_first=True)) for one in self._soul.people.operators)
            self._names = last, frozenset(called_like(message.sender) for some in every for message in some)
        return self._names[1]

    # looking

    def messages(self, wanted: Wanted) -> list[Message]:
        """Messages that are asked for, a page at a time."""
        return self._soul.chat.find(self.agent.id, wanted)

    def every(self, wanted: Wanted) -> Iterator[Message]:
        """All messages that are asked for, page after page, in the order of their time."""
        from dataclasses import replace  # noqa: PLC0415 - only whole logs are paged through

        wanted = replace(wanted, limit=_PAGE)
        while page := self.messages(wanted):
            yield from page
            wanted = replace(wanted, past=(page[-1].time, page[-1].id))

    def message(self, number: int) -> Message:
        """One message by its number; `NotFound` when there is none."""
        found = self.messages(Wanted(after=number - 1, by_number=True, limit=1)) if number > 0 else []
        if found and found[0].id == number:
            return found[0]
        raise NotFound(f"there is no message {number}; `oldsoul messages` lists those there are")

    def sessions(self) -> list[Held]:
        """The sessions there are, the one with the latest message first."""
        cursors = self._soul.world.store.records(self.agent.id, SUMMARISED)
        return [Held(t, int(cursors.get(t.session.id, "0"))) for t in self._soul.chat.threads(self.agent.id)]

    def session(self, session_id: str) -> Held:
        """One session; `NotFound` when the log has none of that id."""
        thread = self._soul.chat.thread(self.agent.id, session_id)
        if thread is not None:
            return Held(thread, int(self._soul.world.store.record(self.agent.id, SUMMARISED, session_id) or "0"))
        raise NotFound(f"there is no session {session_id!r}; `oldsoul sessions` lists those there are")

    def erase(self, wordings: Sequence[str], source: int = 0) -> int:
        """Take words out of the log for good, and all of the message they came from; says of how many messages."""
        found: dict[int, str] = {}
        for words in wordings:
            for message in self.every(Wanted(words=words)):
                text = found.get(message.id, message.text)
                if words in text:
                    found[message.id] = text.replace(words, ERASED)
        if source and source not in found:
            with suppress(NotFound):
                found[self.message(source).id] = ERASED
        self._soul.chat.redact(self.agent.id, found)
        return len(found)

    # ending

    def end(self, session_id: str, *, dry_run: bool = False) -> list[Report]:
        """Summarise what a session said since the last time, into its files, the diary and long-term memory."""
        self.agent.check_enabled()
        if not dry_run:
            self.agent.days.keep()
        return list(self.ended(session_id, {}, dry_run=dry_run))

    def ended(self, session_id: str, answers: Mapping[str, str], *, dry_run: bool = False) -> Iterator[Report]:
        """The runs that the end of a session takes; `answers` are what somebody answered to questions that wait."""
        keeping, job = self.agent.keeping, f"{ENDING}{session_id}"
        return keeping.in_order(
            self.works(session_id, dry_run=dry_run),
            lambda work, held: keeping.do(work, dry_run=dry_run, patience=(job, answers, held)),
            dry_run=dry_run,
        )

    def works(self, session_id: str, *, dry_run: bool = False, files: SessionFiles | None = None) -> Iterator[Work]:
        """What the end of a session gives the summarizer to do, part by part; dry, all parts as things stand now.

        Whoever ends many sessions lists the files there are once, for all of them.
        """
        from oldsoul.app.keepers import Work  # noqa: PLC0415 - only the end of a session runs a keeper
        from oldsoul.keepers.summarize import KEEPER, summarize  # noqa: PLC0415

        files = files or self.session_files()
        for part in self._shown(session_id, files) if dry_run else self._waiting(session_id, files):
            yield Work(
                KEEPER,
                f"end:{session_id}:{part.day}:{part.first}",
                partial(summarize, part),
                opening=[Record(SUMMARISING, session_id, str(part.last))],
                closing=partial(self._closing, session_id, part.last),
            )

    def _closing(self, session_id: str, last: int) -> list[Record]:
        """What says that a part of a session is summarised: up to where its first change went, whoever made that."""
        reached = self._soul.world.store.record(self.agent.id, SUMMARISING, session_id)
        return [Record(SUMMARISED, session_id, reached or str(last)), Record(SUMMARISING, session_id, None)]

    def _waiting(self, session_id: str, files: SessionFiles) -> Iterator[Conversation]:
        """What is to be summarised, one part after the other, as the log stands when it is that part's turn."""
        before = -1
        written: tuple[date, ...] = ()
        while True:
            held = self.session(session_id)
            if held.summarised == before:
                return  # somebody else is at it
            before = held.summarised
            part = next(self._parts(held), None)
            if part is None:
                return
            self._look(part, files, *written)
            self._adopt(part, files)
            written = (self._day(part),)
            yield self._conversation(part, files)

    def _shown(self, session_id: str, files: SessionFiles) -> Iterator[Conversation]:
        return (self._conversation(part, files) for part in self._parts(self.session(session_id)))

    def _parts(self, held: Held) -> Iterator[list[Message]]:
        """What was not summarised yet, in the order it came: runs of one local day each, none too long.

        A part whose end was interrupted is the same part when it is ended again.
        """
        zone = self.agent.zone
        wanted = Wanted(session=held.thread.session.id, after=held.summarised, by_number=True)
        begun = int(self._soul.world.store.record(self.agent.id, SUMMARISING, held.thread.session.id) or "0")
        part: list[Message] = []
        for message in self.every(wanted):
            day = message.time.astimezone(zone).date()
            if part and (len(part) >= BATCH or self._day(part[-1:]) != day or part[-1].id == begun):
                yield part
                part = []
            part.append(message)
        if part:
            yield part

    def _day(self, messages: Sequence[Message]) -> date:
        return messages[0].time.astimezone(self.agent.zone).date()

    def _look(self, messages: Sequence[Message], files: SessionFiles, *also: date) -> None:
        """Know the files there are now of the days that a part goes by."""
        day = self._day(messages)
        files.look(day - timedelta(days=self.agent.settings.memory.short_term_days), day, *also)

    def _adopt(self, messages: Sequence[Message], files: SessionFiles) -> None:
        """Give today's file of the session to the account that its person's name is bound to since."""
        day = self._day(messages)
        for name in files.between(day, day):
            if is_of(name, messages[0].session.id):
                self._soul.people.adopt(name)

    def _conversation(self, messages: Sequence[Message], files: SessionFiles) -> Conversation:
        from oldsoul.keepers.conversation import Conversation  # noqa: PLC0415 - as above

        memory = self.agent.settings.memory
        day = self._day(messages)
        return Conversation(
            workspace=self.agent.id,
            agent=self.agent.display_name,
            session=self._soul.people.session(messages[-1].session),
            day=day,
            zone=self.agent.zone,
            messages=tuple(self._soul.people.message(message) for message in messages),
            recent=tuple(files.between(day - timedelta(days=memory.short_term_days), day)),
            previous=files.before(messages[0].session.id, day),
            operators=frozenset(self._soul.people.operators),
            longterm_items=memory.longterm_max_items,
            longterm_characters=memory.longterm_max_chars,
            similar=memory.merge_similarity,
            confidence=memory.confidence,
        )

    # the start of a session

    def block(self, session: Session) -> Block:
        """The memory block of a session's prompt; what is put into it counts as used."""
        from oldsoul.context.injection import Block, injection  # noqa: PLC0415 - only prompts need it

        memory = self.agent.settings.memory
        if not (memory.enabled and memory.injection.enabled):
            return Block("", (), ())
        session = self._soul.people.session(session)
        view = self._soul.people.view(session)
        block = injection(self.known(session), self.past(session), view, memory.injection.max_items)
        self.agent.used(block.entries, session)
        return block

    def known(self, session: Session) -> list[Known]:
        """The long-term memory of the person a private session is with."""
        from oldsoul.context.injection import Known  # noqa: PLC0415 - as above
        from oldsoul.documents import parse  # noqa: PLC0415
        from oldsoul.rules.audience import seen_by  # noqa: PLC0415
        from oldsoul.values.names import longterm  # noqa: PLC0415

        root = session
        while root.parent is not None:
            root = root.parent
        if root.kind != "dm" or root.subject is None:
            return []
        name = longterm(self.agent.id, root.subject.id)
        entries = parse(self.agent.read(name).data or b"").entries
        return [Known(e.id, e.text, seen_by(name, e)) for e in entries if e.kind in _LISTED]

    def past(self, session: Session) -> list[Past]:
        """What the sessions of the last days left behind, and today's file of this one."""
        from oldsoul.context.injection import Past  # noqa: PLC0415 - as above
        from oldsoul.documents import parse  # noqa: PLC0415
        from oldsoul.rules.audience import entry_audience  # noqa: PLC0415

        today = self.agent.today().date()
        start = today - timedelta(days=self.agent.settings.memory.short_term_days)
        found = []
        for day in (start + timedelta(days=number) for number in range((today - start).days + 1)):
            for name in self._soul.world.store.names(self.agent.id, f"memory/{day.isoformat()}"):
                if name.kind is not Kind.SESSION:
                    continue
                current = day == today and is_of(name, session.id)
                matter = parse(self.agent.read(name).data or b"").matter
                audience = entry_audience(name, matter.text("audience"))
                facts = (matter.text("summary"), matter.text("tasks"), matter.text("follow_ups"))
                if facts[0]:
                    found.append(Past(day, name.path.removeprefix("memory/"), *facts, audience, current))
        return found

    def files(self) -> list[tuple[date, Name]]:
        """The files of sessions, each with its day, oldest first."""
        return listed(self._soul.world.store, self.agent.id)

    def session_files(self) -> SessionFiles:
        """The same, for whoever ends many sessions."""
        return SessionFiles(self._soul.world.store, self.agent.id)
