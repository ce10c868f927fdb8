"""One agent's verbs, each for whoever may call it: its memory, its conversations, its keepers, what it is told."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from oldsoul.app.agent_documents import AgentDocuments
from oldsoul.app.paging import paged
from oldsoul.errors import BadInput, Refused
from oldsoul.values.audience import Audience
from oldsoul.values.callers import CallerRole, Right
from oldsoul.values.messages import Said
from oldsoul.values.recall import Only, WantedEntries
from oldsoul.values.sessions import Session, SessionKind, Subject

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date, datetime

    from oldsoul.app.jobs import Job
    from oldsoul.app.keepers.thinking import Answered, OpenQuestion
    from oldsoul.app.prompts.prompting import Prompt
    from oldsoul.app.prompts.tools import Tool
    from oldsoul.app.remembering import Remembered
    from oldsoul.app.talk.importing import Imported
    from oldsoul.app.talk.log import Heard, Held
    from oldsoul.context.prompt_facts import PromptFacts
    from oldsoul.documents import Entry
    from oldsoul.driver import Report
    from oldsoul.ledger import Outcome
    from oldsoul.values.context import Context
    from oldsoul.values.messages import Message, Wanted
    from oldsoul.values.names import Name
    from oldsoul.values.recall import Entries, Hit, Recalled


class Agent(AgentDocuments):
    """One agent's memory and soul, for one caller."""

    # memory

    def remember(self, text: str, *, title: str = "", tag: str = "", key: str = "") -> Remembered:
        """Write something to MEMORY.md, as the operator or as the agent. It is durable when this returns."""
        parts = self.allowed(Right.TELL, None, "remember")
        return parts.remembering(self.caller.author).remember(text, title=title, tag=tag, key=key)

    def promote(self, text: str, subject: Subject | str, section: str = "Key Facts") -> Remembered:
        """Put something into a person's long-term memory at the operator's word. It is durable when this returns."""
        person = Subject(subject) if isinstance(subject, str) else subject
        parts = self.allowed(Right.DECIDE, None, "promote")
        return parts.remembering(self.caller.author).promote(text, person, section)

    def correct(self, statement: str, *, wrong: str = "", right: str = "") -> Report:
        """Put something right as the operator: it holds at once, wherever memory says otherwise, and from now on.

        Args:
            statement: what is true, in a sentence.
            wrong: the value that memory has wrong; it is replaced where it stands, and not found any more.
            right: the value in its place, as the statement has it; left out, it is the one of the same type.
        """
        parts = self.allowed(Right.DECIDE, None, "correct")
        return parts.talk.correct(statement, Subject(self.caller.subject), wrong=wrong, right=right)

    def withdraw(self, correction: str) -> list[Outcome]:
        """Take a correction back with all it changed, by its id in CORRECTIONS.md: what it called wrong holds again."""
        return self.allowed(Right.DECIDE, None, "withdraw").deciding(self.caller.author).withdraw(correction)

    def find(self, wanted: str, path: str = "") -> list[tuple[Name, Entry]]:
        """Entries by id, or by whole words they hold: in one document, or in all of the agent's."""
        return self.allowed(Right.INSPECT, None, "find").find(wanted, path)

    def entries(
        self,
        path: str = "",
        *,
        session: Session | None = None,
        tag: str = "",
        words: str = "",
        confidence: float = 0.0,
        audience: Audience | str | None = None,
        since: date | None = None,
        until: date | None = None,
        offset: int = 0,
        limit: int = 100,
    ) -> Entries:
        """The entries that a session may see, by document and line, a page at a time.

        Args:
            path: of one document; of all that are memory when left out.
            session: whose eyes; the caller's own when left out. An operator who names none sees everything.
            tag: of one tag.
            words: that hold all of these words.
            confidence: at least so sure today.
            audience: for this audience: `public`, `owner`, `room:<id>`, `person:<id>`.
            since: last mentioned on this day or later; what has no date is left out.
            until: last mentioned on this day or before; what has no date is left out.
            offset: how many are passed by.
            limit: at most so many.
        """
        eyes = session or self.caller.session
        parts = self.allowed(Right.SEE, eyes, "entries")
        if eyes is None and self.caller.role is not CallerRole.OPERATOR:
            raise BadInput("give the session to read as: session=…")
        whom = Audience.parse(audience) if isinstance(audience, str) else audience
        wanted = WantedEntries(path, tag, words, confidence, whom, since, until)
        return parts.entries(parts.home.people.view(eyes) if eyes else None).page(wanted, offset, limit)

    def forget(self, name: Name, entry: str, reason: str = "forgotten by the operator") -> Outcome:
        """Erase an entry for good: from its document, every copy, and history."""
        return self.allowed(Right.DECIDE, None, "forget").forgetting(self.caller.author).entry(name, entry, reason)

    def forget_message(self, number: int) -> Message:
        """Erase the words of one message from the chat log for good; gives the message as it was."""
        parts = self.allowed(Right.DECIDE, None, "forget_message")
        message = parts.log.message(number)
        parts.forgetting(self.caller.author).message(number)
        return message

    # conversations

    def hear(
        self,
        text: str,
        *,
        session: Session,
        role: str = "user",
        sender: str = "",
        subject: Subject | str | None = None,
        time: datetime | None = None,
        channel: str = "",
        key: str = "",
    ) -> Heard:
        """A message comes in: it is logged, durably, before anything else happens. The caller vouches for who said it."""
        person = Subject(subject) if isinstance(subject, str) else subject
        parts = self.allowed(Right.TELL, session, "hear")
        self._check_vouched(person or session.subject)
        return parts.talk.hear(Said(text, session, role, sender, person, time, channel, key))

    def _check_vouched(self, person: Subject | None) -> None:
        """`Refused` where a caller who sees through one session names somebody it cannot vouch for as the speaker."""
        eyes, people = self.caller.session, self.parts.home.people
        known = people.resolved(person)
        if self.caller.role is CallerRole.OPERATOR or eyes is None or known is None:
            return
        own = people.session(eyes).subject
        if (eyes.kind is SessionKind.DM and known != own) or (
            known.id in people.operators and not people.view(eyes).owner
        ):
            raise Refused(f"hear: this caller may not log messages of {known}")

    def end_session(self, session: Session | str, *, dry_run: bool = False) -> list[Report]:
        """What was said in a session since its last end becomes memory; a dry run only shows what it would become."""
        known = self.session(session).thread.session if isinstance(session, str) else session
        parts = self.allowed(Right.TELL, known, "end_session")
        return parts.talk.end(session if isinstance(session, str) else session.id, dry_run=dry_run)

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
        """Write what happened into the diary; a stream is written when it has ended."""
        days = self.allowed(Right.TELL, session, "append_daily_log").days
        text = content if isinstance(content, str) else "".join(content)
        return days.append(text, session=session, user=user, room=room, time=time, key=key or f"log:{uuid.uuid4().hex}")

    def sessions(self, *, offset: int = 0, limit: int | None = None) -> list[Held]:
        """The sessions that this caller may see, the one with the latest message first: all, or a page of them."""
        parts = self.allowed(Right.SEE, None, "sessions")
        people = parts.home.people
        found = [one for one in parts.log.sessions() if self._sees(people.audience(one.thread.session))]
        return [*paged(found, offset, limit)]

    def session(self, session_id: str) -> Held:
        """One session by its id; `NotFound` when there is none that this caller may see."""
        parts = self.allowed(Right.SEE, None, "session")
        held = parts.log.session(session_id)
        if not self._sees(parts.home.people.audience(held.thread.session)):
            raise parts.log.no_session(session_id)
        return held

    def messages(self, wanted: Wanted) -> list[Message]:
        """Messages that are asked for and that this caller may see, a page at a time."""
        log = self.allowed(Right.SEE, None, "messages").log
        found: list[Message] = []
        while page := log.messages(wanted):
            found += [message for message in page if self._sees(message.audience)]
            if len(found) >= wanted.limit or len(page) < wanted.limit:
                break
            wanted = replace(wanted, past=(page[-1].time, page[-1].id))
        return found[: wanted.limit]

    def message(self, number: int) -> Message:
        """One message by its number; `NotFound` when there is none that this caller may see."""
        log = self.allowed(Right.SEE, None, "message").log
        message = log.message(number)
        if not self._sees(message.audience):
            raise log.no_message(number)
        return message

    def _sees(self, audience: Audience) -> bool:
        """Whether this caller may see a text; one who may name any session has named none here, and sees what is public."""
        if self.caller.role is CallerRole.OPERATOR:
            return True
        eyes = self.caller.session or Session.group("")
        return self.parts.home.people.view(eyes).sees(audience)

    # keepers

    def run(self, keeper: str, *, dry_run: bool = False) -> list[Report]:
        """Let a keeper do what there is to do; a dry run asks, shows what it would write and what it costs, and writes nothing."""
        return list(self.allowed(Right.DECIDE, None, "run").keeping.run(keeper, dry_run=dry_run))

    def import_messages(
        self, lines: Iterable[str | bytes], *, vouched: bool = False, keep_going: bool = False
    ) -> Imported:
        """Log messages from JSON lines, each once however often it is run; nobody is an operator unless you vouch for it."""
        parts = self.allowed(Right.DECIDE, None, "import_messages")
        return parts.long(self.caller.author).import_messages(lines, vouched=vouched, keep_going=keep_going)

    def start(self, verb: str, *given: Any, **more: Any) -> Job:
        """Long work in a thread of its own: `run`, `rebuild_index`, `import_messages`, `forget` or `forget_message`.

        It is given what the verb takes. What becomes of it is told by the job, here and by `soul.job` in any process.
        """
        parts = self.allowed(Right.DECIDE, None, "start")
        work = parts.long(self.caller.author).work(verb, *given, **more)
        return parts.home.working.start(verb, self.id, work, can_stop=not verb.startswith("forget"))

    def work(self, *, session: Session, limit: int = 5) -> list[OpenQuestion]:
        """The keepers' questions that wait and that this session may see, for you to answer; for a while nobody else gets them.

        Keepers that are due run first, those that nobody ever ran too. Where the home has a model of its own there are none.
        """
        return self.allowed(Right.TELL, session, "work").thinking.work(session, limit)

    def answer(self, question: str, answer: object, *, session: Session) -> Answered:
        """Answer a question that `work` gave, by its id: with JSON of its schema, as a value or as text.

        It goes through the checks that a model's answer goes through. `BadInput` says why it cannot be used, and the
        question waits on; `NotFound` that it does not wait any more.
        """
        return self.allowed(Right.TELL, session, "answer").thinking.answer(question, answer, session)

    # what it is told

    def recall(
        self,
        query: str,
        *,
        session: Session,
        limit: int | None = None,
        minimum: float | None = None,
        asked: datetime | None = None,
        counted: bool = True,
        sources: tuple[str, ...] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        tag: str = "",
        room: str = "",
        person: str = "",
        path: str = "",
    ) -> Recalled:
        """What memory has to say to a question, for the eyes of this session.

        Args:
            query: a question, or some words to look for.
            session: whose eyes.
            limit: at most so many hits; as the settings say when left out.
            minimum: the least score of a hit; as the settings say when left out.
            asked: when it is asked, from which `last week` counts; now when left out.
            counted: whether what is found counts as used.
            sources: some of `memory`, `sessions`, `extra` only.
            since: nothing older; what has no date is left out.
            until: nothing as young as this or younger; what has no date is left out.
            tag: entries of this tag only.
            room: what was said in this room only.
            person: what is of this person only, by their id.
            path: what stands in this document only.
        """
        parts = self.allowed(Right.SEE, session, "recall")
        only = Only(sources=sources, since=since, until=until, tag=tag, room=room, person=person, path=path)
        return parts.recall(query, session=session, limit=limit, minimum=minimum, asked=asked, counted=counted, **only)

    def search(self, query: str, *, session: Session, limit: int | None = None) -> tuple[Hit, ...]:
        """The hits of `recall`, the best first."""
        return self.recall(query, session=session, limit=limit).hits

    def get(self, path: str, *, session: Session, first: int | None = None, lines: int | None = None) -> dict[str, Any]:
        """A piece of a document or a conversation as this session may see it, with where it goes on."""
        return self.allowed(Right.SEE, session, "get").get(path, session, first, lines)

    def context(self, message: str = "", *, session: Session) -> Context:
        """What this session is told of memory before a reply to a message: eight slots, within budget, with a receipt."""
        return self.allowed(Right.SEE, session, "context").gathering(session, message).context()

    def load_workspace_memory(self, room_id: str = "", *, is_dm: bool = False, session: Session | None = None) -> str:
        """The text of memory that precedes a message: for a session, else for the operator's own, a room, or nobody."""
        operator = self.parts.home.people.operators[0]
        wanted = session or (Session.dm(operator) if is_dm else Session.group(room_id))
        return self.context(session=wanted).block.strip("\n")

    def load_room_context(self, room_id: str) -> str:
        """What the file of a room says, for those who are in it; nothing where there is none."""
        room = Session.group(room_id)
        return self.allowed(Right.SEE, room, "load_room_context").gathering(room, "").room()

    def prompt(self, message: str = "", *, session: Session, facts: PromptFacts | None = None) -> Prompt:
        """What a model gets for a message in this session: the system prompt, and memory before the message.

        `facts` is what the caller knows: tools, channel, levels, sandbox (see `PromptFacts`).
        """
        return self.allowed(Right.SEE, session, "prompt").prompt(message, session, facts)

    def tools(self) -> list[Tool]:
        """The tools it asks its memory with, none where memory or search is switched off, and the one that reads skills.

        Where its keepers have no model, also the two it thinks for them with.
        """
        return self.allowed(Right.SEE, None, "tools").tools()
