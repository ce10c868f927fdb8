"""Agent: one agent's memory and soul for one caller; the daily methods, and the services that have the others."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from oldsoul.app.home import Home
from oldsoul.app.parts import AgentServices
from oldsoul.app.services.rights import Service, needs
from oldsoul.app.talk.kept_secrets import KeptSecrets
from oldsoul.errors import BadInput, Refused
from oldsoul.lazy import lazy
from oldsoul.settings import Settings
from oldsoul.values.callers import Caller, CallerRole, Right
from oldsoul.values.messages import Said
from oldsoul.values.models import Supplied, ToolCall
from oldsoul.values.names import Name
from oldsoul.values.recall import Only, Recalled
from oldsoul.values.sessions import Session, SessionKind, Subject

if TYPE_CHECKING:
    from oldsoul.app import background
    from oldsoul.app.jobs import Job
    from oldsoul.app.memory_requests import Remembered
    from oldsoul.app.prompts import skills
    from oldsoul.app.prompts.prompt import Prompt
    from oldsoul.app.prompts.tools import Tool
    from oldsoul.app.replying import replies, teams
    from oldsoul.app.replying.exchange import Exchange, Response
    from oldsoul.app.replying.replies import Stream
    from oldsoul.app.services import files, index, keepers, memory, review, talk
    from oldsoul.app.services.files import Files
    from oldsoul.app.services.index import Index
    from oldsoul.app.services.keepers import Keepers
    from oldsoul.app.services.memory import Memory
    from oldsoul.app.services.review import Review
    from oldsoul.app.services.talk import Talk
    from oldsoul.app.talk.log import Heard
    from oldsoul.context.prompt_facts import PromptFacts
    from oldsoul.context.skills import Offered, SkillsSection
    from oldsoul.driver import Report
    from oldsoul.ledger import Outcome
    from oldsoul.values.context import Context
else:
    (background,) = lazy("oldsoul.app", "background")
    (skills,) = lazy("oldsoul.app.prompts", "skills")
    replies, teams = lazy("oldsoul.app.replying", "replies", "teams")
    files, index, keepers, memory, review, talk = lazy(
        "oldsoul.app.services", "files", "index", "keepers", "memory", "review", "talk"
    )


class Agent(Service):
    """The memory and soul of one agent, for one caller. Get one with `Oldsoul.agent(agent_id)`.

    Every method raises `Refused` when the caller may not call it, and `Closed` when the home is closed.
    """

    def __init__(self, home: Home, agent_id: str, caller: Caller) -> None:
        self.id = agent_id
        """the agent's id"""
        self.caller = caller
        """the caller"""
        super().__init__(AgentServices(home, agent_id), caller)

    @cached_property
    def memory(self) -> Memory:
        """The entries, what was corrected in them, and what a session may read of them."""
        return memory.Memory(self._parts, self._caller)

    @cached_property
    def talk(self) -> Talk:
        """The conversations, the rooms and the diary."""
        return talk.Talk(self._parts, self._caller)

    @cached_property
    def files(self) -> Files:
        """The files, whole, and their history."""
        return files.Files(self._parts, self._caller)

    @cached_property
    def index(self) -> Index:
        """The search index: its state, and how it is kept up to date."""
        return index.Index(self._parts, self._caller)

    @cached_property
    def review(self) -> Review:
        """What waits for the operator's decision: proposals, and memories that disagree."""
        return review.Review(self._parts, self._caller)

    @cached_property
    def keepers(self) -> Keepers:
        """The keepers: their runs, and the questions they wait to have answered."""
        return keepers.Keepers(self._parts, self._caller)

    def allowed(self, right: Right, session: Session | None, verb: str) -> AgentServices:
        """Return the internal parts if the caller has this right in this session; otherwise raise `Refused`."""
        self._check(right, session, verb)
        return self._parts

    @property
    @needs(Right.DECIDE)
    def settings(self) -> Settings:
        """The current settings for this agent, its CONFIG.md included; they may contain secrets."""
        return self._parts.settings

    @property
    @needs(Right.SEE)
    def display_name(self) -> str:
        """What people see it called."""
        return self._parts.display_name

    @property
    @needs(Right.SEE)
    def model(self) -> str:
        """The language model it answers with, as far as the settings say; empty when they do not."""
        return self._parts.model

    @property
    @needs(Right.SEE)
    def replies_by_model(self) -> bool:
        """Whether a language model replies; otherwise replies come from memory."""
        return self._parts.home.talker is not None

    @property
    @needs(Right.SEE)
    def price(self) -> float:
        """What a million tokens of its prompts cost; 0 where the settings do not say."""
        return self._parts.price

    @property
    @needs(Right.SEE)
    def budget(self) -> int:
        """How many tokens a context may have."""
        return self._parts.settings.context.budget_tokens

    @property
    @needs(Right.SEE)
    def zone(self) -> tzinfo:
        """The time zone of its days."""
        return self._parts.zone

    @needs(Right.SEE)
    def now(self) -> datetime:
        """Return the time now, in its time zone."""
        return self._parts.today()

    @needs(Right.SEE)
    def count_tokens(self, text: str) -> int:
        """Return how many tokens a text has for its language model."""
        return self._parts.home.world.host.tokens(self._parts.model)(text)

    # talking

    @needs(Right.TELL)
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
        """Log a message. It is stored durably before anything else happens. You vouch for who said it.

        Args:
            text: the message.
            session: the conversation it belongs to.
            role: `user`, `assistant`, `system` or `tool`.
            sender: the sender's display name.
            subject: the person who said it. Default: for a user's message, the person of the session.
            time: when it was said, with a time zone. Default: now.
            channel: the channel it came through, such as `telegram`.
            key: an id of yours for the message; a repeated key is stored once.

        Raises:
            BadInput: the text is empty, or the role or the time is not valid.
            Refused: memory is turned off, or this caller may not log messages of that person.
        """
        person = _person(subject)
        self._check_vouched(person or session.subject, "hear")
        return self._parts.talk.hear(Said(text, session, role, sender, person, time, channel, self._own_key(key)))

    @needs(Right.TELL, unkept=Right.SEE)
    def respond(
        self,
        text: str,
        *,
        session: Session,
        sender: str = "",
        subject: Subject | str | None = None,
        channel: str = "",
        key: str = "",
        facts: PromptFacts | None = None,
        keep: bool = True,
    ) -> Response:
        """Log a message, reply to it, and log the reply. Without a language model the reply comes from memory alone.

        Args:
            text: the message.
            session: the conversation it belongs to; the reply uses only what it may see.
            sender: the sender's display name.
            subject: the person who said it. Default: the person of the session.
            channel: the channel it came through, such as `telegram`.
            key: an id of yours for the message; a repeated key gets the reply it got before.
            facts: what you know of the channel and the model (see `PromptFacts`).
            keep: whether message and reply are logged and may become memory.

        Raises:
            BadInput: the text is empty.
            Unavailable: the model does not answer, or not in time. The message is logged.
            OutOfBudget: today's budget for the model is spent. The message is logged.
            Refused: memory is turned off, or this caller may not log messages of that person.
        """
        said = Said(text, session, "user", sender, _person(subject), None, channel, key)
        return self._streamed(said, facts, keep=keep, verb="respond").response

    @needs(Right.TELL, unkept=Right.SEE)
    def stream(
        self,
        text: str,
        *,
        session: Session,
        sender: str = "",
        subject: Subject | str | None = None,
        channel: str = "",
        key: str = "",
        facts: PromptFacts | None = None,
        keep: bool = True,
        supplied: Supplied | None = None,
    ) -> Stream:
        """Do what `respond` does, and return the reply as it comes: iterate over its pieces, then read `response`.

        The message is logged when this returns; errors of the model are raised while the pieces are read. `supplied` is
        for programs that keep the conversation themselves, or have their own tools (see `Supplied`).
        """
        said = Said(text, session, "user", sender, _person(subject), None, channel, key)
        return self._streamed(said, facts, keep=keep, verb="stream", supplied=supplied)

    @needs(Right.TELL, unkept=Right.SEE)
    def exchange(
        self,
        text: str,
        *,
        session: Session,
        sender: str = "",
        subject: Subject | str | None = None,
        channel: str = "",
        key: str = "",
        facts: PromptFacts | None = None,
        keep: bool = True,
    ) -> Exchange:
        """Log a message and return what its reply needs, for a program that asks the model itself.

        Give the model `turns()`, or `prompt`, and hand its reply to `answered`. The arguments are those of `respond`.
        """
        said = Said(text, session, "user", sender, _person(subject), None, channel, key)
        return self._begun(said, facts, keep=keep, verb="exchange")

    @needs(Right.TELL)
    def team(
        self,
        text: str,
        *,
        session: Session,
        members: Sequence[str] = (),
        sender: str = "",
        subject: Subject | str | None = None,
        channel: str = "",
        key: str = "",
    ) -> Response:
        """Do what `respond` does, with members of this team who each reply, one after the other.

        Args:
            text: the message.
            session: the conversation it belongs to.
            members: who replies. Default: all members, as the settings name them.
            sender: the sender's display name.
            subject: the person who said it. Default: the person of the session.
            channel: the channel it came through.
            key: an id of yours for the message; a repeated key gets the reply it got before.

        Raises:
            BadInput: this is no team, or somebody named is not a member.
        """
        known = self._members()
        wrong = next((name for name in members if name not in known), "")
        if not known or wrong:
            raise BadInput(
                f"{wrong} is not a member of {self._parts.id}"
                if known
                else f"{self._parts.id} is not a team with members"
            )
        said = Said(text, session, "user", sender, _person(subject), None, channel, key)
        return self._streamed(said, None, keep=True, verb="team", speaking=members or known).response

    # remembering

    @needs(Right.TELL)
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
        eyes = session or self._caller.session
        if eyes is None and self._caller.role is not CallerRole.OPERATOR:
            raise BadInput("give the session to remember it in: session=…")
        writing = self._parts.remembering(self._author)
        key = self._own_key(key)
        if eyes is None:
            return writing.remember(text, title=title, tag=tag, key=key)
        return writing.within(eyes, text, title=title, tag=tag, key=key)

    @needs(Right.SEE)
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
        only = Only(sources=sources, since=since, until=until, tag=tag, room=room, person=person, path=path)
        found = self._parts.recall(
            query, session=session, limit=limit, minimum=minimum, asked=asked, counted=counted, **only
        )
        secrets = KeptSecrets(self._parts)
        if self._caller.role is not CallerRole.OPERATOR or any(only.values()) or not secrets.is_direct(session):
            return found
        named = secrets.named_in(query)
        return replace(found, answer="found", hits=(*named, *found.hits)) if named else found

    @needs(Right.SEE)
    def context(self, message: str = "", *, session: Session) -> Context:
        """Return what memory gives this session before a reply: eight slots within their budgets, and a receipt."""
        return self._parts.gathering(session, message).context()

    @needs(Right.SEE)
    def prompt(self, message: str = "", *, session: Session, facts: PromptFacts | None = None) -> Prompt:
        """Return what a model gets for a message in this session: the system prompt, then memory and the message.

        `facts` is what the caller knows: tools, channel, levels, sandbox (see `PromptFacts`).
        """
        return self._parts.prompt(message, session, facts)

    @needs(Right.DECIDE)
    def correct(self, statement: str, *, wrong: str = "", right: str = "") -> Report:
        """Correct something as the operator. It takes effect at once, wherever memory says otherwise.

        Args:
            statement: what is true, in one sentence.
            wrong: the wrong value in memory. It is replaced everywhere and no longer found.
            right: the value that replaces it, as in the statement. Default: the value of the same type.
        """
        return self._parts.talk.correct(statement, Subject(self._caller.subject), wrong=wrong, right=right)

    @needs(Right.DECIDE)
    def forget(self, name: Name, entry: str, reason: str = "forgotten by the operator") -> Outcome:
        """Erase an entry for good, in all its versions.

        With it go what was derived from its evidence alone, the records about it, and copies of its whole sentences.
        An entry that says the same on separate evidence stays, and stands in `alike` of the outcome. `name` and the
        entry's id are what `find` returns.
        """
        return self._parts.forgetting(self._author).entry(name, entry, reason)

    @needs(Right.DECIDE)
    def undo(self, change_id: int, *, bases: Mapping[Name, str] | None = None) -> Outcome:
        """Undo one change and keep the later ones.

        Args:
            change_id: the number of the change.
            bases: if given, raise `Conflict` unless these are the current versions of the files.

        Raises:
            Conflict: later changes are in the way; the message says which to undo first.
            NotFound: there is no such change.
        """
        self._parts.change(change_id)
        return self._parts.home.ledger.undo(change_id, self._author, bases=bases or {})

    # keepers and tools

    @needs(Right.DECIDE)
    def run(self, keeper: str, *, dry_run: bool = False) -> list[Report]:
        """Run a keeper now; a dry run shows what it would write and what it costs, and writes nothing."""
        return list(self._parts.keeping.run(keeper, dry_run=dry_run))

    @needs(Right.DECIDE)
    def start(self, verb: str, *given: Any, **more: Any) -> Job:
        """Start a job in a background thread. `Oldsoul.job` finds it by its id in any process.

        Args:
            verb: `run`, `rebuild_index`, `import_messages`, `forget` or `forget_message`.
            *given: the arguments of that method.
            **more: its keyword arguments.
        """
        work = background.BackgroundVerbs(self._parts, self._caller).work(verb, *given, **more)
        return self._parts.home.working.start(verb, self._parts.id, work, can_stop=not verb.startswith("forget"))

    @needs(Right.INSPECT)
    def skills(self, *, session: Session) -> Offered:
        """Return the skills that a session is offered, those it is not, and what looks like a skill and is none."""
        return skills.skills_of(self._parts, session)

    @needs(Right.INSPECT)
    def skills_section(self, tools: Collection[str], *, session: Session) -> SkillsSection:
        """Return what the prompt of this session says of skills, to an agent that has these tools."""
        return skills.skills_section(self._parts, session, tools)

    @needs(Right.SEE)
    def tools(self) -> list[Tool]:
        """Return the tools for this agent: search memory, write to it, propose changes, and read skills.

        None of memory where memory is turned off. Where the keepers have no model, also the two tools that answer
        their questions.
        """
        return self._parts.tools()

    @needs(Right.SEE)
    def call_tool(self, name: str, arguments: Mapping[str, Any], *, session: Session) -> str:
        """Call a tool of `tools()` for a model, and return the result as JSON. What goes wrong is a result too: `error`.

        Args:
            name: the tool.
            arguments: what the model gave.
            session: the conversation. The tool acts as the agent within it, never as the operator.

        Raises:
            Refused: this caller may not see that session.
        """
        acting = self._acting(session, writes=self._caller.role is not CallerRole.READER)
        tools = self._parts.replies(acting, self._caller).tools(self._parts.home.people.session(session))
        return tools.call(ToolCall("", name, json.dumps(arguments, default=str)))

    # what they are made of

    def _check_vouched(self, person: Subject | None, verb: str) -> None:
        """`Refused` where a caller who sees through one session names somebody it cannot vouch for as the speaker."""
        eyes, people = self.caller.session, self._parts.home.people
        known = people.resolved(person)
        if self.caller.role is CallerRole.OPERATOR or eyes is None or known is None:
            return
        own = people.session(eyes).subject
        if (eyes.kind is SessionKind.DM and known != own) or (
            known.id in people.operators and not people.view(eyes).owner
        ):
            raise Refused(f"{verb}: this caller may not log messages of {known}")

    def _members(self) -> tuple[str, ...]:
        """The agents of this team that there are; none where it is no team."""
        named = next((team.members for team in self._parts.home.settings.teams if team.name == self.id), ())
        return tuple(name for name in named if name in self._parts.home.agents())

    def _begun(
        self, said: Said, facts: PromptFacts | None, *, keep: bool, verb: str, supplied: Supplied | None = None
    ) -> Exchange:
        parts = self._parts
        self._check_vouched(said.subject or said.session.subject, verb)
        if not said.text.strip():
            raise BadInput("a message needs text")
        said = replace(said, key=self._own_key(said.key))
        members = [AgentServices(parts.home, name) for name in self._members()] if keep else []
        return parts.exchange(said, facts, keep=keep, members=members, supplied=supplied)

    def _streamed(
        self,
        said: Said,
        facts: PromptFacts | None,
        *,
        keep: bool,
        verb: str,
        speaking: Sequence[str] = (),
        supplied: Supplied | None = None,
    ) -> Stream:
        exchange = self._begun(said, facts, keep=keep, verb=verb, supplied=supplied)
        acting = self._acting(said.session, writes=keep)
        members = self._members() if keep else ()
        made = self._parts.replies(acting, self.caller, [teams.ask_member(members, self._asked)] if members else [])
        if speaking:
            return replies.Stream(made.together(exchange, [(name, partial(self._asked, name)) for name in speaking]))
        return replies.Stream(made.written(exchange))

    def _acting(self, session: Session, *, writes: bool) -> Agent:
        """The agent as it acts itself within a session, through tools: never as the operator."""
        caller = Caller.agent if writes else Caller.reader
        return Agent(self._parts.home, self.id, caller(self.id, session=session))

    def _asked(self, member: str, question: str, session: Session) -> str:
        """What a member of this team replies to a question of its coordinator."""
        within = Session.team(self.id, session)
        said = Said(question, within, "system", self._parts.display_name, None)
        asked = Agent(self._parts.home, member, Caller.agent(member, session=None))
        return asked._streamed(said, None, keep=True, verb="team").response.text


def _person(subject: Subject | str | None) -> Subject | None:
    return Subject(subject) if isinstance(subject, str) else subject
