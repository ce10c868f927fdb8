"""Agent: the public methods for one agent's memory, conversations, keepers and prompts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from oldsoul.app.agent_talk import AgentTalk
from oldsoul.app.talk.kept_secrets import KeptSecrets
from oldsoul.errors import BadInput
from oldsoul.lazy import lazy
from oldsoul.values.audience import Audience
from oldsoul.values.callers import CallerRole, Right
from oldsoul.values.recall import FILE, Only, WantedEntries
from oldsoul.values.sessions import Session, Subject

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date, datetime

    from oldsoul.app import background
    from oldsoul.app.jobs import Job
    from oldsoul.app.keepers.answers import Answered, OpenQuestion
    from oldsoul.app.memory_requests import Remembered
    from oldsoul.app.prompts.prompt import Prompt
    from oldsoul.app.prompts.tools import Tool
    from oldsoul.app.replying import replies, teams
    from oldsoul.app.talk import imports
    from oldsoul.app.talk.imports import Imported
    from oldsoul.app.talk.kept_secrets import KeptSecret
    from oldsoul.context.prompt_facts import PromptFacts
    from oldsoul.documents import Entry
    from oldsoul.driver import Report
    from oldsoul.ledger import Outcome
    from oldsoul.values.context import Context
    from oldsoul.values.messages import Message
    from oldsoul.values.names import Name
    from oldsoul.values.recall import Entries, EntryPast, Hit, Recalled
else:
    (background,) = lazy("oldsoul.app", "background")
    (imports,) = lazy("oldsoul.app.talk", "imports")
    replies, teams = lazy("oldsoul.app.replying", "replies", "teams")


class Agent(AgentTalk):
    """The memory and soul of one agent, for one caller. Get one with `Oldsoul.agent(agent_id)`.

    Every method raises `Refused` when the caller may not call it, and `Closed` when the home is closed.
    """

    # memory

    def remember(
        self, text: str, *, title: str = "", tag: str = "", key: str = "", session: Session | None = None
    ) -> Remembered:
        """Add an entry to memory, as the operator or as the agent. It is durable when this returns.

        It goes where the session finds it again: to MEMORY.md for the operator, to the file of a room, or to the
        long-term memory of the person.

        Args:
            text: what to remember. If an entry already says the same, only the new mention is recorded.
            title: a bold title for the entry.
            tag: the entry's tag, such as `decision` or `event`; in MEMORY.md and rooms it also selects the section.
            key: an id of yours for this write; repeating a key adds nothing.
            session: the conversation. Default: the caller's; an operator who names none writes to MEMORY.md.

        Raises:
            Refused: the session has no place for it, such as a job or a group without a room.
        """
        eyes = session or self.caller.session
        parts = self.allowed(Right.TELL, eyes, "remember")
        if eyes is None and self.caller.role is not CallerRole.OPERATOR:
            raise BadInput("give the session to remember it in: session=…")
        writing = parts.remembering(self.caller.author)
        key = self._own_key(key)
        if eyes is None:
            return writing.remember(text, title=title, tag=tag, key=key)
        return writing.within(eyes, text, title=title, tag=tag, key=key)

    def promote(self, text: str, subject: Subject | str, section: str = "Key Facts") -> Remembered:
        """Add an entry to a person's long-term memory, as the operator. It is durable when this returns.

        Args:
            text: what to remember.
            subject: the person, such as `acct:42`.
            section: the heading to put it under.
        """
        person = Subject(subject) if isinstance(subject, str) else subject
        parts = self.allowed(Right.DECIDE, None, "promote")
        return parts.remembering(self.caller.author).promote(text, person, section)

    def correct(self, statement: str, *, wrong: str = "", right: str = "") -> Report:
        """Correct something as the operator. It takes effect at once, wherever memory says otherwise.

        Args:
            statement: what is true, in one sentence.
            wrong: the wrong value in memory. It is replaced everywhere and no longer found.
            right: the value that replaces it, as in the statement. Default: the value of the same type.
        """
        parts = self.allowed(Right.DECIDE, None, "correct")
        return parts.talk.correct(statement, Subject(self.caller.subject), wrong=wrong, right=right)

    def withdraw(self, correction: str) -> list[Outcome]:
        """Take a correction back, with everything it changed, by its id in CORRECTIONS.md. Raises `NotFound`."""
        return self.allowed(Right.DECIDE, None, "withdraw").deciding(self.caller.author).withdraw(correction)

    def find(self, wanted: str, path: str = "") -> list[tuple[Name, Entry]]:
        """Return the entries with this id, or with these whole words: in one file, or in all of the agent's."""
        return self.allowed(Right.INSPECT, None, "find").find(wanted, path)

    def entries(
        self,
        path: str = "",
        *,
        session: Session | None = None,
        tag: str = "",
        words: str = "",
        confidence: float = 0.0,
        at_most: float = 1.0,
        audience: Audience | str | None = None,
        since: date | None = None,
        until: date | None = None,
        order: str = FILE,
        descending: bool = False,
        offset: int = 0,
        limit: int = 100,
    ) -> Entries:
        """Return the entries that a session may see, one page at a time.

        Args:
            path: only this file. Default: all memory files.
            session: read as this session. Default: the caller's; an operator who names none sees everything.
            tag: only entries with this tag.
            words: only entries that contain all of these words.
            confidence: only entries with at least this confidence today.
            at_most: only entries with at most this confidence today.
            audience: only entries for this audience: `public`, `owner`, `room:<id>` or `person:<id>`.
            since: only entries last mentioned on or after this day; entries without a date are left out.
            until: only entries last mentioned on or before this day; entries without a date are left out.
            order: `file` (by file and line), `added`, `seen` (by day) or `confidence`.
            descending: the newest or the surest first. Entries without a date come last.
            offset: how many entries to skip.
            limit: the largest number of entries to return.
        """
        eyes = session or self.caller.session
        parts = self.allowed(Right.SEE, eyes, "entries")
        if eyes is None and self.caller.role is not CallerRole.OPERATOR:
            raise BadInput("give the session to read as: session=…")
        whom = Audience.parse(audience) if isinstance(audience, str) else audience
        wanted = WantedEntries(path, tag, words, confidence, whom, since, until, at_most, order, descending)
        return parts.entries(parts.home.people.view(eyes, parts.id) if eyes else None).page(wanted, offset, limit)

    def entry(self, path: str, entry: str) -> EntryPast:
        """Return one entry of a file with its changes, the newest first; `NotFound` when there is none."""
        parts = self.allowed(Right.INSPECT, None, "entry")
        return parts.entries(None).past(parts.name(path), entry)

    def edit(
        self, path: str, entry: str, text: str, *, base: str | None = None, reason: str = "edited by the operator"
    ) -> Outcome:
        """Give an entry other words, as the operator. Its date and its tag stay, and so do the lines below it.

        Args:
            path: the file; logs cannot be edited.
            entry: the id of the entry; `NotFound` when there is none.
            text: the new words of its first line. A date or tag at their end replaces those of the entry.
            base: if given, raise `Conflict` unless this is the current version of the file.
            reason: why, for the history.
        """
        parts = self.allowed(Right.DECIDE, None, "edit")
        return parts.deciding(self.caller.author).edit(path, entry, text, base=base, reason=reason)

    def forget(self, name: Name, entry: str, reason: str = "forgotten by the operator") -> Outcome:
        """Erase an entry for good, in all its versions.

        With it go what was derived from its evidence alone, the records about it, and copies of its whole sentences.
        An entry that says the same on evidence of its own stays, and stands in `alike` of the outcome. `name` and the
        entry's id are what `find` returns.
        """
        return self.allowed(Right.DECIDE, None, "forget").forgetting(self.caller.author).entry(name, entry, reason)

    def forget_message(self, number: int) -> Message:
        """Erase the words of one message for good, and entries made from it alone; return the message as it was."""
        parts = self.allowed(Right.DECIDE, None, "forget_message")
        message = parts.log.message(number)
        parts.forgetting(self.caller.author).message(number)
        return message

    # keepers

    def run(self, keeper: str, *, dry_run: bool = False) -> list[Report]:
        """Run a keeper now; a dry run shows what it would write and what it costs, and writes nothing."""
        return list(self.allowed(Right.DECIDE, None, "run").keeping.run(keeper, dry_run=dry_run))

    def import_messages(
        self, lines: Iterable[str | bytes], *, vouched: bool = False, keep_going: bool = False
    ) -> Imported:
        """Log messages from JSON lines. Importing a line again does not log it twice.

        Args:
            lines: one JSON object each.
            vouched: whether you vouch for the senders. Otherwise nobody in it counts as an operator.
            keep_going: skip invalid lines and report them, instead of raising `BadInput` at the first.
        """
        parts = self.allowed(Right.DECIDE, None, "import_messages")
        return imports.import_lines(parts.keeping, lines, vouched=vouched, keep_going=keep_going)

    def start(self, verb: str, *given: Any, **more: Any) -> Job:
        """Start a job in a background thread. `Oldsoul.job` finds it by its id in any process.

        Args:
            verb: `run`, `rebuild_index`, `import_messages`, `forget` or `forget_message`.
            *given: the arguments of that method.
            **more: its keyword arguments.
        """
        parts = self.allowed(Right.DECIDE, None, "start")
        work = background.BackgroundVerbs(parts, self.caller).work(verb, *given, **more)
        return parts.home.working.start(verb, self.id, work, can_stop=not verb.startswith("forget"))

    def work(self, *, session: Session, limit: int = 5) -> list[OpenQuestion]:
        """Return open questions of the keepers that this session may see, reserved for a while for you to answer.

        Runs the keepers that are due first. Returns nothing where the home has a language model.
        """
        return self.allowed(Right.TELL, session, "work").thinking.work(session, limit)

    def answer(self, question: str, answer: object, *, session: Session) -> Answered:
        """Answer a question from `work`, by its id. The answer is checked like a model's answer.

        Args:
            question: its id.
            answer: JSON that fits the question's schema, as a value or as text.
            session: the session you work for.

        Raises:
            BadInput: the answer cannot be used; the message says why, and the question stays open.
            NotFound: the question is no longer open.
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
        """Search memory as this session; return the hits, the best first, and how well they answer.

        Args:
            query: a question or some words.
            session: the session to search as; only what it may see is found.
            limit: the largest number of hits. Default: from the settings.
            minimum: the lowest score of a hit. Default: from the settings.
            asked: when it is asked, for words such as `last week`. Default: now.
            counted: whether the hits count as used.
            sources: only these of `memory`, `sessions` and `extra`.
            since: only what is at or after this time; what has no date is left out.
            until: only what is before this time; what has no date is left out.
            tag: only entries with this tag.
            room: only what was said in this room.
            person: only what belongs to this person, by their id.
            path: only this file.
        """
        parts = self.allowed(Right.SEE, session, "recall")
        only = Only(sources=sources, since=since, until=until, tag=tag, room=room, person=person, path=path)
        found = parts.recall(query, session=session, limit=limit, minimum=minimum, asked=asked, counted=counted, **only)
        secrets = KeptSecrets(parts)
        if self.caller.role is not CallerRole.OPERATOR or any(only.values()) or not secrets.is_direct(session):
            return found
        named = secrets.named_in(query)
        return replace(found, answer="found", hits=(*named, *found.hits)) if named else found

    def secrets(self) -> list[KeptSecret]:
        """Return what the operator asked to be kept as a secret, the oldest first."""
        return KeptSecrets(self.allowed(Right.DECIDE, None, "secrets")).all()

    def forget_secret(self, secret: str) -> None:
        """Erase a secret for good, by its id; `NotFound` when there is none."""
        KeptSecrets(self.allowed(Right.DECIDE, None, "forget_secret")).forget(secret, self.caller.author)

    def search(self, query: str, *, session: Session, limit: int | None = None) -> tuple[Hit, ...]:
        """Return the hits of `recall`, the best first."""
        return self.recall(query, session=session, limit=limit).hits

    def get(self, path: str, *, session: Session, first: int | None = None, lines: int | None = None) -> dict[str, Any]:
        """Return part of a file or a conversation, as this session may see it; `NotFound` when there is nothing to see.

        Args:
            path: a memory file, or `chat/<session>`.
            session: the session to read as.
            first: the first line, from 1, or the number of the first message.
            lines: how many lines or messages.

        Returns:
            `path`, `text`, `from`, `lines`, and `next` when there is more.
        """
        return self.allowed(Right.SEE, session, "get").get(path, session, first, lines)

    def readable(self, *, session: Session) -> list[str]:
        """Return the paths of the files that `get` can read as this session, shared ones after the agent's own."""
        return self.allowed(Right.SEE, session, "readable").readable(session)

    def context(self, message: str = "", *, session: Session) -> Context:
        """Return what memory gives this session before a reply: eight slots within their budgets, and a receipt."""
        return self.allowed(Right.SEE, session, "context").gathering(session, message).context()

    def load_workspace_memory(self, room_id: str = "", *, is_dm: bool = False, session: Session | None = None) -> str:
        """Return memory as text to put before a message: for a session, else the operator (`is_dm`), or a room."""
        operator = self.parts.home.people.operators[0]
        wanted = session or (Session.dm(operator) if is_dm else Session.group(room_id))
        return self.context(session=wanted).block.strip("\n")

    def load_room_context(self, room_id: str) -> str:
        """Return the text of a room's file, as people in the room may see it; empty when there is none."""
        room = Session.group(room_id)
        return self.allowed(Right.SEE, room, "load_room_context").gathering(room, "").room()

    def prompt(self, message: str = "", *, session: Session, facts: PromptFacts | None = None) -> Prompt:
        """Return what a model gets for a message in this session: the system prompt, then memory and the message.

        `facts` is what the caller knows: tools, channel, levels, sandbox (see `PromptFacts`).
        """
        return self.allowed(Right.SEE, session, "prompt").prompt(message, session, facts)

    def tools(self) -> list[Tool]:
        """Return the tools for this agent: search memory, write to it, propose changes, and read skills.

        None of memory where memory is turned off. Where the keepers have no model, also the two tools that answer
        their questions.
        """
        return self.allowed(Right.SEE, None, "tools").tools()
