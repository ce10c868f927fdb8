"""AgentTalk: the public methods for what is said to an agent and what it replies."""

from __future__ import annotations

import json
import uuid
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from oldsoul.app.agent_documents import AgentDocuments
from oldsoul.app.paging import paged
from oldsoul.app.parts import Parts
from oldsoul.errors import BadInput, Refused
from oldsoul.lazy import lazy
from oldsoul.values.callers import Caller, CallerRole, Right
from oldsoul.values.messages import Said
from oldsoul.values.models import ToolCall
from oldsoul.values.sessions import Session, SessionKind, Subject

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from oldsoul.app.replying import replies, teams
    from oldsoul.app.replying.exchange import Exchange, Response
    from oldsoul.app.replying.replies import Stream
    from oldsoul.app.talk import conversations
    from oldsoul.app.talk.conversations import Room
    from oldsoul.app.talk.log import Heard, Held
    from oldsoul.context.prompt_facts import PromptFacts
    from oldsoul.driver import Report
    from oldsoul.ledger import Outcome
    from oldsoul.values.messages import Message, Wanted
    from oldsoul.values.models import Supplied
else:
    replies, teams = lazy("oldsoul.app.replying", "replies", "teams")
    (conversations,) = lazy("oldsoul.app.talk", "conversations")


class AgentTalk(AgentDocuments):
    """The conversations of one agent, for one caller."""

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
        parts = self.allowed(Right.TELL, session, "hear")
        self._check_vouched(person or session.subject, "hear")
        return parts.talk.hear(Said(text, session, role, sender, person, time, channel, self._own_key(key)))

    def _check_vouched(self, person: Subject | None, verb: str) -> None:
        """`Refused` where a caller who sees through one session names somebody it cannot vouch for as the speaker."""
        eyes, people = self.caller.session, self.parts.home.people
        known = people.resolved(person)
        if self.caller.role is CallerRole.OPERATOR or eyes is None or known is None:
            return
        own = people.session(eyes).subject
        if (eyes.kind is SessionKind.DM and known != own) or (
            known.id in people.operators and not people.view(eyes).owner
        ):
            raise Refused(f"{verb}: this caller may not log messages of {known}")

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
        for programs that keep the conversation themselves, or have tools of their own (see `Supplied`).
        """
        said = Said(text, session, "user", sender, _person(subject), None, channel, key)
        return self._streamed(said, facts, keep=keep, verb="stream", supplied=supplied)

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
        self.allowed(Right.TELL, session, "team")
        known = self._members()
        wrong = next((name for name in members if name not in known), "")
        if not known or wrong:
            raise BadInput(
                f"{wrong} is not a member of {self.id}" if known else f"{self.id} is not a team with members"
            )
        said = Said(text, session, "user", sender, _person(subject), None, channel, key)
        return self._streamed(said, None, keep=True, verb="team", speaking=members or known).response

    def call_tool(self, name: str, arguments: Mapping[str, Any], *, session: Session) -> str:
        """Call a tool of `tools()` for a model, and return the result as JSON. What goes wrong is a result too: `error`.

        Args:
            name: the tool.
            arguments: what the model gave.
            session: the conversation. The tool acts as the agent within it, never as the operator.

        Raises:
            Refused: this caller may not see that session.
        """
        parts = self.allowed(Right.SEE, session, "call_tool")
        acting = self._acting(session, writes=self.caller.role is not CallerRole.READER)
        tools = parts.replies(acting, self.caller).tools(parts.home.people.session(session))
        return tools.call(ToolCall("", name, json.dumps(arguments, default=str)))

    def _members(self) -> tuple[str, ...]:
        """The agents of this team that there are; none where it is no team."""
        named = next((team.members for team in self.parts.home.settings.teams if team.name == self.id), ())
        return tuple(name for name in named if name in self.parts.home.agents())

    def _begun(
        self, said: Said, facts: PromptFacts | None, *, keep: bool, verb: str, supplied: Supplied | None = None
    ) -> Exchange:
        parts = self.allowed(Right.TELL if keep else Right.SEE, said.session, verb)
        self._check_vouched(said.subject or said.session.subject, verb)
        if not said.text.strip():
            raise BadInput("a message needs text")
        said = replace(said, key=self._own_key(said.key))
        members = [Parts(parts.home, name) for name in self._members()] if keep else []
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
        made = self.parts.replies(acting, self.caller, [teams.ask_member(members, self._asked)] if members else [])
        if speaking:
            return replies.Stream(made.together(exchange, [(name, partial(self._asked, name)) for name in speaking]))
        return replies.Stream(made.written(exchange))

    def _acting(self, session: Session, *, writes: bool) -> AgentTalk:
        """The agent as it acts itself within a session, through tools: never as the operator."""
        caller = Caller.agent if writes else Caller.reader
        return AgentTalk(self.parts.home, self.id, caller(self.id, session=session))

    def _asked(self, member: str, question: str, session: Session) -> str:
        """What a member of this team replies to a question of its coordinator."""
        within = Session.team(self.id, session)
        said = Said(question, within, "system", self.parts.display_name, None)
        asked = AgentTalk(self.parts.home, member, Caller.agent(member, session=None))
        return asked._streamed(said, None, keep=True, verb="team").response.text

    def end_session(self, session: Session | str, *, dry_run: bool = False) -> list[Report]:
        """Turn what was said in a session since its last end into memory; a dry run only shows the result."""
        named = session if isinstance(session, str) else session.id
        known = session
        if isinstance(known, str) or self.caller.role is not CallerRole.OPERATOR:
            self.allowed(Right.TELL, known if isinstance(known, Session) else None, "end_session")
            known = self.session(named).thread.session
        parts = self.allowed(Right.TELL, known, "end_session")
        return parts.talk.end(named, dry_run=dry_run)

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
        session = session or self.caller.session
        days = self.allowed(Right.TELL, session, "append_daily_log").days
        text = content if isinstance(content, str) else "".join(content)
        key = self._own_key(key) or f"log:{uuid.uuid4().hex}"
        return days.append(text, session=session, user=user, room=room, time=time, key=key)

    def sessions(self, *, offset: int = 0, limit: int | None = None) -> list[Held]:
        """Return the sessions that this caller may see, the one with the latest message first: all, or one page."""
        parts = self.allowed(Right.SEE, None, "sessions")
        people = parts.home.people
        found = [one for one in parts.log.sessions() if self._sees(people.audience(one.thread.session))]
        return [*paged(found, offset, limit)]

    def session(self, session_id: str) -> Held:
        """Return one session by its id; `NotFound` when there is none that this caller may see."""
        parts = self.allowed(Right.SEE, None, "session")
        held = parts.log.session(session_id)
        if not self._sees(parts.home.people.audience(held.thread.session)):
            raise parts.log.no_session(session_id)
        return held

    def rooms(self) -> list[Room]:
        """Return the rooms that this agent knows, by their ids: those with messages, and those with a file."""
        return conversations.rooms(self.allowed(Right.INSPECT, None, "rooms"))

    def messages(self, wanted: Wanted) -> list[Message]:
        """Return the messages that match a query and that this caller may see, one page at a time."""
        log = self.allowed(Right.SEE, None, "messages").log
        found: list[Message] = []
        while page := log.messages(wanted):
            found += [message for message in page if self._sees(message.audience)]
            if len(found) >= wanted.limit or len(page) < wanted.limit:
                break
            wanted = replace(wanted, past=(page[-1].time, page[-1].id))
        return found[: wanted.limit]

    def message(self, number: int) -> Message:
        """Return one message by its number; `NotFound` when there is none that this caller may see."""
        log = self.allowed(Right.SEE, None, "message").log
        message = log.message(number)
        if not self._sees(message.audience):
            raise log.no_message(number)
        return message


def _person(subject: Subject | str | None) -> Subject | None:
    return Subject(subject) if isinstance(subject, str) else subject
