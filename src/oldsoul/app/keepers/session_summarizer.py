"""The session summarizer's work: what a conversation said since it was last summarised, part by part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from functools import partial

from oldsoul.app.keepers.work import KeeperInputs, Work
from oldsoul.app.talk.log import SUMMARISED, SessionProgress
from oldsoul.app.talk.session_files import SessionFiles, is_of
from oldsoul.keepers.conversation import Conversation
from oldsoul.keepers.summarize import KEEPER, summarize
from oldsoul.values.history import Record
from oldsoul.values.messages import Message, Wanted

SUMMARISING = "summarising"
"""The kind of record that says up to which message a session is being summarised."""
BATCH = 200
"""How many messages are summarised at once."""
QUIET = timedelta(minutes=30)
"""After so long without a word a conversation counts as over."""


def works(inputs: KeeperInputs, *, dry_run: bool = False) -> Iterator[Work]:
    """What is to be summarised, the oldest conversation first, so that the diary reads in the order things happened."""
    now = inputs.agent.today()
    files = SessionFiles(inputs.agent.home.world.store, inputs.agent.id)
    for held in reversed(inputs.log.sessions()):
        if not held.ended and now - held.thread.last >= QUIET:
            yield from SessionEnds(inputs, files).works(held.thread.session.id, dry_run=dry_run)


class SessionEnds:
    """The ends of an agent's sessions; whoever ends many lists the files there are once, for all of them."""

    def __init__(self, inputs: KeeperInputs, files: SessionFiles | None = None) -> None:
        self._agent = inputs.agent
        self._home = inputs.agent.home
        self._log = inputs.log
        self._files = files or SessionFiles(self._home.world.store, self._agent.id)

    def works(self, session_id: str, *, dry_run: bool = False) -> Iterator[Work]:
        """What the end of a session gives the summarizer to do, part by part; dry, all parts as things stand now."""
        for part in self._shown(session_id) if dry_run else self._waiting(session_id):
            yield Work(
                KEEPER,
                f"end:{session_id}:{part.day}:{part.first}",
                partial(summarize, part),
                opening=[Record(SUMMARISING, session_id, str(part.last))],
                closing=partial(self._closing, session_id, part.last),
            )

    def _closing(self, session_id: str, last: int) -> list[Record]:
        """What says that a part of a session is summarised: up to where its first change went, whoever made that."""
        reached = self._home.world.store.record(self._agent.id, SUMMARISING, session_id)
        return [Record(SUMMARISED, session_id, reached or str(last)), Record(SUMMARISING, session_id, None)]

    def _waiting(self, session_id: str) -> Iterator[Conversation]:
        """What is to be summarised, one part after the other, as the log stands when it is that part's turn."""
        before = -1
        written: tuple[date, ...] = ()
        while True:
            held = self._log.session(session_id)
            if held.summarised == before:
                return  # somebody else is at it
            before = held.summarised
            part = next(self._parts(held), None)
            if part is None:
                return
            self._look(part, *written)
            self._adopt(part)
            written = (self._day(part),)
            yield self._conversation(part)

    def _shown(self, session_id: str) -> Iterator[Conversation]:
        return (self._conversation(part) for part in self._parts(self._log.session(session_id)))

    def _parts(self, held: SessionProgress) -> Iterator[list[Message]]:
        """What was not summarised yet, in the order it came: runs of one local day each, none too long.

        A part whose end was interrupted is the same part when it is ended again.
        """
        zone = self._agent.zone
        wanted = Wanted(session=held.thread.session.id, after=held.summarised, by_number=True)
        begun = int(self._home.world.store.record(self._agent.id, SUMMARISING, held.thread.session.id) or "0")
        part: list[Message] = []
        for message in self._log.every(wanted):
            day = message.time.astimezone(zone).date()
            if part and (len(part) >= BATCH or self._day(part[-1:]) != day or part[-1].id == begun):
                yield part
                part = []
            part.append(message)
        if part:
            yield part

    def _day(self, messages: Sequence[Message]) -> date:
        return messages[0].time.astimezone(self._agent.zone).date()

    def _look(self, messages: Sequence[Message], *also: date) -> None:
        """Know the files there are now of the days that a part goes by."""
        day = self._day(messages)
        self._files.look(day - timedelta(days=self._agent.settings.memory.short_term_days), day, *also)

    def _adopt(self, messages: Sequence[Message]) -> None:
        """Give today's file of the session to the account that its person's name is bound to since."""
        day = self._day(messages)
        for name in self._files.between(day, day):
            if is_of(name, messages[0].session.id):
                self._home.people.adopt(name)

    def _conversation(self, messages: Sequence[Message]) -> Conversation:

        memory = self._agent.settings.memory
        day = self._day(messages)
        return Conversation(
            workspace=self._agent.id,
            agent=self._agent.display_name,
            session=self._home.people.session(messages[-1].session),
            day=day,
            zone=self._agent.zone,
            messages=tuple(self._home.people.message(message) for message in messages),
            recent=tuple(self._files.between(day - timedelta(days=memory.short_term_days), day)),
            previous=self._files.before(messages[0].session.id, day),
            operators=frozenset(self._home.people.operators),
            confidence=memory.confidence,
        )
