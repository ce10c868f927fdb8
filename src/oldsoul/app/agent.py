"""One agent's verbs: its files, its memory, its history, and what waits for approval."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.app.agent_files import File
from oldsoul.app.agent_recall import AgentRecall, IndexStatus, Making
from oldsoul.errors import BadInput, NotFound, Refused, Unwritable
from oldsoul.values.changes import Add, ChangeSet, Put, SetField
from oldsoul.values.history import Snapshot
from oldsoul.values.names import Name
from oldsoul.values.sessions import Subject
from oldsoul.workspace import checked, template

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from oldsoul.app.conversations import Conversations, Heard
    from oldsoul.app.days import Days
    from oldsoul.app.forgetting import Forgetting
    from oldsoul.app.keepers import Keeping
    from oldsoul.app.prompting import Prompt
    from oldsoul.app.soul import SoulPast
    from oldsoul.app.thinking import Answered, OpenQuestion, Thinking
    from oldsoul.app.tools import Tool
    from oldsoul.context.prompt_facts import PromptFacts
    from oldsoul.documents import Entry
    from oldsoul.driver import Report
    from oldsoul.ledger import BlameLine, Outcome, Proposal
    from oldsoul.values.changes import Operation
    from oldsoul.values.context import Context
    from oldsoul.values.history import Change
    from oldsoul.values.messages import Message
    from oldsoul.values.sessions import Session

__all__ = ["Agent", "File", "IndexStatus", "Making", "Remembered"]

_SECTION_OF = {"decision": "Decisions", "event": "Events", "skill": "Skills", "knowledge": "Knowledge"}
_NOTES = "Notes"


class Remembered(NamedTuple):
    """Something that was written down, durably."""

    change: int
    """the change's number"""
    entry: str
    """the entry's id"""
    name: Name
    """the document"""
    line: int
    """its line there, from 1"""
    repeated: bool
    """whether it was known already, so that only the mention was noted"""
    outcome: Outcome
    """what the ledger said"""


class Agent(AgentRecall):
    """One agent's memory and soul."""

    @cached_property
    def talk(self) -> Conversations:
        """What is said to it."""
        from oldsoul.app.conversations import Conversations  # noqa: PLC0415 - not every command talks

        return Conversations(self)

    @cached_property
    def days(self) -> Days:
        """Its diary."""
        from oldsoul.app.days import Days  # noqa: PLC0415 - as above

        return Days(self)

    @cached_property
    def forgetting(self) -> Forgetting:
        """What is to be nowhere any more."""
        from oldsoul.app.forgetting import Forgetting  # noqa: PLC0415 - as above

        return Forgetting(self)

    @cached_property
    def keeping(self) -> Keeping:
        """Its keepers."""
        from oldsoul.app.keepers import Keeping  # noqa: PLC0415 - as above

        return Keeping(self)

    @cached_property
    def thinking(self) -> Thinking:
        """What its keepers want to know."""
        from oldsoul.app.thinking import Thinking  # noqa: PLC0415 - as above

        return Thinking(self)

    @cached_property
    def past(self) -> SoulPast:
        """Its soul through time."""
        from oldsoul.app.soul import SoulPast  # noqa: PLC0415 - as above

        return SoulPast(self)

    # saving

    def version_at(self, path: str, change_id: int) -> Snapshot:
        """A document as it stood right after a change; `NotFound` when history has it not."""
        name = self.name(path)
        self.change(change_id)
        for change in self._ledger.history(self.id, name=name, before=change_id + 1, limit=1):
            version = next(effect.after for effect in change.effects if effect.name == name)
            data = self._ledger.content(version)
            if data is not None:
                return Snapshot(data, version)
        raise NotFound(f"{name.path} was not there at change {change_id}; `oldsoul log {name.path}` lists its changes")

    def put(
        self, path: str, data: bytes, *, base: str | None = None, reason: str = "edited by the operator"
    ) -> Outcome:
        """Save a whole document as the operator; merged with what changed since `base`, `Conflict` where it cannot be."""
        name = checked(self.name(path))
        versions = {} if base is None else {name: base}
        return self._apply(ChangeSet((Put(name, data),), self.soul.operator, reason, _key(), versions=versions))

    def reset(self, path: str) -> Outcome:
        """Put a document back to its template."""
        name = checked(self.name(path))
        fresh = template(name, self.soul.world.clock.now())
        if not fresh:
            raise BadInput(f"{name.path} has no template to go back to")
        return self._apply(ChangeSet((Put(name, fresh),), self.soul.operator, "back to its template", _key()))

    # memory

    def remember(self, text: str, *, title: str = "", tag: str = "", key: str = "") -> Remembered:
        """Write something the operator said to MEMORY.md. It is durable when this returns."""
        from oldsoul.documents import parse  # noqa: PLC0415 - as above
        from oldsoul.documents.marks import new_id  # noqa: PLC0415
        from oldsoul.judging.conflicts.superseding import with_superseded  # noqa: PLC0415

        self.check_enabled()
        name = Name(self.id, "MEMORY.md")
        today = self.today().date().isoformat()
        known = self._same(name, text, title)
        if known is not None:
            change_set = ChangeSet(self._again(name, known), self.soul.operator, "said again", key or _key())
        else:
            section = _SECTION_OF.get(tag, _NOTES)
            add = Add(name, text, title=title, section=section, tag=tag, added=today)
            made = ChangeSet((add,), self.soul.operator, "remembered at the operator's word", key or _key())
            change_set = with_superseded(made, parse(self.read(name).data or b"").entries)
        outcome = self._apply(change_set)
        if outcome.change is None:
            raise BadInput("this was proposed, not remembered")  # the operator's own words never wait
        written = [entry for effect in outcome.change.effects if effect.name == name for entry in effect.entries]
        if known is None and not written:
            raise BadInput(f"the key {key!r} was spent on another change ({outcome.change.id}); choose another")
        added = new_id(change_set.key, 0)
        entry = known.id if known else added if added in written else written[0]
        repeated = known is not None or outcome.repeated
        return Remembered(outcome.change.id, entry, name, self.line_of(name, entry), repeated, outcome)

    def _same(self, name: Name, text: str, title: str) -> Entry | None:
        """The entry that says just this already."""
        from oldsoul.documents import parse  # noqa: PLC0415 - as above
        from oldsoul.documents.marks import inline  # noqa: PLC0415
        from oldsoul.documents.model import folded  # noqa: PLC0415
        from oldsoul.rules.secrets import mask  # noqa: PLC0415

        data = self.read(name).data
        words = inline(mask(text).text)
        wanted = folded(f"**{mask(title).text}**: {words}" if title else words)
        if data is None or not wanted:
            return None
        for entry in parse(data).entries:
            words = entry.text.partition(" (added ")[0]
            if entry.written and folded(words) == wanted:
                return entry
        return None

    def _again(self, name: Name, known: Entry) -> tuple[Operation, ...]:
        """What notes that the operator said an entry again."""
        from oldsoul.rules.confidence import said_again  # noqa: PLC0415 - as above
        from oldsoul.values.origin import Origin  # noqa: PLC0415

        noted = said_again(known, Origin.OPERATOR, self.today().date(), self.settings.memory.confidence)
        return tuple(SetField(name, field, value, known.id) for field, value in noted.items())

    def correct(self, statement: str, *, wrong: str = "", right: str = "") -> Report:
        """Put something right as the operator: it holds at once, wherever memory says otherwise, and from now on.

        Args:
            statement: what is true, in a sentence.
            wrong: the value that memory has wrong; it is replaced where it stands, and not found any more.
            right: the value in its place, as the statement has it; left out, it is the one of the same type.
        """
        from oldsoul.app.keepers import validating  # noqa: PLC0415 - as above
        from oldsoul.judging.corrections.values import holds, value_like  # noqa: PLC0415
        from oldsoul.keepers.exchange import Given  # noqa: PLC0415
        from oldsoul.values.sessions import Session  # noqa: PLC0415

        self.check_enabled()
        right = right or (value_like(statement, wrong) if wrong else "")
        if wrong and not (right and holds(statement, right)):
            raise BadInput("say which value is right, as the statement has it: right=… (--right)")
        session = Session.dm(self.soul.people.operators[0], id="corrections")
        heard = self.hear(statement, session=session)
        return validating.by_command(self, heard.message, Given(heard.message.text, wrong, right))

    def withdraw(self, correction: str) -> list[Outcome]:
        """Take a correction back with all it changed, by its id in CORRECTIONS.md: what it called wrong holds again."""
        from oldsoul.app.keepers.checks import changes_of  # noqa: PLC0415 - as above

        made = changes_of(self, correction)
        if not made:
            raise NotFound(f"there is no correction {correction!r}; `oldsoul corrections` lists them")
        return [self._ledger.undo(change.id, self.soul.operator) for change in made]

    def line_of(self, name: Name, entry: str) -> int:
        """The line an entry stands on now, from 1; 0 when it is gone."""
        from oldsoul.documents import parse  # noqa: PLC0415 - as above

        data = self.read(name).data or b""
        return next((e.line + 1 for e in parse(data, is_log=name.is_log).entries if e.id == entry), 0)

    def find(self, wanted: str, path: str = "") -> list[tuple[Name, Entry]]:
        """Entries by id, or by whole words they hold: in one document, or in all of the agent's."""
        from oldsoul.documents import parse  # noqa: PLC0415 - as above
        from oldsoul.documents.model import folded  # noqa: PLC0415

        names = [self.name(path)] if path else self.soul.world.store.names(self.id)
        words = folded(wanted)
        found: list[tuple[Name, Entry]] = []
        for name in names:
            data = self.read(name).data
            if data is None:
                continue
            entries = parse(data, is_log=name.is_log).entries
            exact = [(name, entry) for entry in entries if entry.id == wanted]
            if exact:
                return exact
            found += [(name, entry) for entry in entries if words and _holds(folded(entry.body), words)]
        return found

    def forget(self, name: Name, entry: str, reason: str = "forgotten at the operator's word") -> Outcome:
        """Erase an entry for good: from its document, every copy, and history."""
        return self.forgetting.entry(name, entry, reason)

    def promote(self, text: str, subject: Subject | str, section: str = "Key Facts") -> Remembered:
        """Put something into a person's long-term memory at the operator's word. It is durable when this returns."""
        self.check_enabled()
        from oldsoul.documents import parse  # noqa: PLC0415 - as above
        from oldsoul.keepers.promote import Capacity, items, making_room  # noqa: PLC0415
        from oldsoul.rules.promotion import topic  # noqa: PLC0415
        from oldsoul.values.names import longterm, put_away  # noqa: PLC0415

        person = Subject(subject) if isinstance(subject, str) else subject
        person = self.soul.people.resolved(person) or person
        name = longterm(self.id, person.id)
        today = self.today().date()
        title = topic(text)
        known = self._same(name, text, title) or self._same(name, text, "")
        if known is None:
            add = Add(name, text, title=title, section=section, added=today.isoformat())
            entries = items(parse(self.read(name).data or b""))
            reuse = self.soul.usage.reuse(self.id, [entry.id for entry in entries])
            most = Capacity(self.settings.memory.longterm_max_items, self.settings.memory.longterm_max_chars)
            archive = put_away(self.id, person.id, today)
            operations = (add, *making_room(add, entries, reuse, most, archive))
        else:
            operations = self._again(name, known)
        outcome = self._apply(ChangeSet(operations, self.soul.operator, "kept at the operator's word", _key()))
        if outcome.change is None:
            raise BadInput("this was proposed, not kept")  # the operator's own words never wait
        entry = known.id if known else outcome.change.effects[0].entries[0]
        return Remembered(outcome.change.id, entry, name, self.line_of(name, entry), known is not None, outcome)

    # conversations

    def forget_message(self, number: int) -> Message:
        """Erase the words of one message from the chat log for good; gives the message as it was."""
        message = self.talk.message(number)
        self.forgetting.message(number)
        return message

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
        from oldsoul.app.conversations import Said  # noqa: PLC0415 - as above

        person = Subject(subject) if isinstance(subject, str) else subject
        return self.talk.hear(Said(text, session, role, sender, person, time, channel, key))

    def end_session(self, session: Session | str, *, dry_run: bool = False) -> list[Report]:
        """What was said in a session since its last end becomes memory; a dry run only shows what it would become."""
        return self.talk.end(session if isinstance(session, str) else session.id, dry_run=dry_run)

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
        text = content if isinstance(content, str) else "".join(content)
        return self.days.append(text, session=session, user=user, room=room, time=time, key=key or _key())

    def run(self, keeper: str, *, dry_run: bool = False) -> list[Report]:
        """Let a keeper do what there is to do; a dry run asks, shows what it would write and what it costs, and writes nothing."""
        return list(self.keeping.run(keeper, dry_run=dry_run))

    def work(self, *, session: Session, limit: int = 5) -> list[OpenQuestion]:
        """The keepers' questions that wait and that this session may see, for you to answer; for a while nobody else gets them.

        Keepers that are due run first, those that nobody ever ran too. Where the home has a model of its own there are none.
        """
        return self.thinking.work(session, limit)

    def answer(self, question: str, answer: object, *, session: Session) -> Answered:
        """Answer a question that `work` gave, by its id: with JSON of its schema, as a value or as text.

        It goes through the checks that a model's answer goes through. `BadInput` says why it cannot be used, and the
        question waits on; `NotFound` that it does not wait any more.
        """
        return self.thinking.answer(question, answer, session)

    # what it is told

    def context(self, message: str = "", *, session: Session) -> Context:
        """What this session is told of memory before a reply to a message: eight slots, within budget, with a receipt."""
        from oldsoul.app.context import Gathering  # noqa: PLC0415 - as above

        return Gathering(self, session, message).context()

    def load_workspace_memory(self, room_id: str = "", *, is_dm: bool = False, session: Session | None = None) -> str:
        """The text of memory that precedes a message: for a session, else for the operator's own, a room, or nobody."""
        from oldsoul.values.sessions import Session  # noqa: PLC0415 - as above

        return self.context(
            session=session or (Session.dm(self.soul.people.operators[0]) if is_dm else Session.group(room_id))
        ).block.strip("\n")

    def load_room_context(self, room_id: str) -> str:
        """What the file of a room says, for those who are in it; nothing where there is none."""
        from oldsoul.app.context import Gathering  # noqa: PLC0415 - as above
        from oldsoul.values.sessions import Session  # noqa: PLC0415

        return Gathering(self, Session.group(room_id), "").room()

    def prompt(self, message: str = "", *, session: Session, facts: PromptFacts | None = None) -> Prompt:
        """What a model gets for a message in this session: the system prompt, and memory before the message.

        `facts` is what the caller knows: tools, channel, levels, sandbox (see `PromptFacts`).
        """
        from oldsoul.app.prompting import prompt  # noqa: PLC0415 - as above
        from oldsoul.context.prompt_facts import PromptFacts  # noqa: PLC0415

        return prompt(self, message, session, facts or PromptFacts())

    def tools(self) -> list[Tool]:
        """The tools it asks its memory with, none where memory or search is switched off, and the one that reads skills.

        Where its keepers have no model, also the two it thinks for them with.
        """
        from oldsoul.app.skills import SKILL_READ  # noqa: PLC0415 - as above
        from oldsoul.app.thinking import ANSWER, WORK  # noqa: PLC0415
        from oldsoul.app.tools import tools  # noqa: PLC0415

        thinking = (WORK, ANSWER) if self.thinking.is_offered else ()
        return [*tools(self), *thinking, *((SKILL_READ,) if self.settings.context.skills.enabled else ())]

    # history and review

    def history(self, path: str = "", *, before: int | None = None, limit: int = 50) -> list[Change]:
        """Changes, newest first: of all documents or one; edits made outside are noticed first."""
        name = self.name(path) if path else None
        if name is not None:
            self.read(name)
        else:
            with suppress(Unwritable):  # what was done until now can be read
                self._ledger.notice(self.id)
        found: list[Change] = []
        while len(found) < limit and (page := self._ledger.history(self.id, name=name, before=before, limit=limit)):
            found += [change for change in page if change.effects or change.notes]  # the rest is bookkeeping of jobs
            before = page[-1].id
        return found[:limit]

    def change(self, change_id: int) -> Change:
        """One change of this agent."""
        change = self._ledger.change(change_id)
        if change.workspace != self.id:
            raise NotFound(f"change {change_id} belongs to {change.workspace}; use -a {change.workspace}")
        return change

    def diff(self, change_id: int) -> str:
        """What a change did."""
        return self._ledger.diff(self.change(change_id))

    def blame(self, path: str) -> list[BlameLine]:
        """Each line of a document with the change that wrote it."""
        return self._ledger.blame(self.name(path))

    def undo(self, change_id: int) -> Outcome:
        """Take one change back and leave the later ones."""
        self.change(change_id)
        return self._ledger.undo(change_id, self.soul.operator)

    def proposals(self, state: str = "open") -> list[Proposal]:
        """Changes that wait for approval."""
        return self._ledger.proposals(self.id, state=state)

    def proposal(self, proposal_id: str) -> Proposal:
        """One proposal; its id may be shortened while it stays unique."""
        matching = [p for p in self.proposals("") if p.id.startswith(proposal_id)]
        if len(matching) != 1 or not proposal_id:
            problem = "is not one of them" if not matching else "could be several"
            raise NotFound(f"{proposal_id!r} {problem}; `oldsoul review` lists the proposals")
        return matching[0]

    def preview(self, proposal_id: str) -> Mapping[Name, tuple[bytes | None, bytes | None]]:
        """What approving a proposal would do now: each document before and after."""
        return self._ledger.preview(self.id, self.proposal(proposal_id).id)

    def approve(self, proposal_id: str, *, edited: Mapping[Name, bytes] | None = None) -> Outcome:
        """Do what a proposal says, exactly as shown, or the edited text instead.

        What would say again what was corrected is refused: one of the two has to go first. A correction that was
        only suggested may take the place of another.
        """
        from oldsoul.app.keepers.checks import objection, objection_to_texts  # noqa: PLC0415 - keepers are not needed to start
        from oldsoul.keepers.validate_recall import AUTHOR  # noqa: PLC0415
        from oldsoul.ledger.proposals import OPEN  # noqa: PLC0415

        proposal = self.proposal(proposal_id)
        asked = proposal.change_set
        if asked.author != AUTHOR and proposal.state == OPEN:
            problem = objection(self, asked) if edited is None else objection_to_texts(self, edited)
            if problem:
                raise Refused(f"{problem}; edit the text, reject it, or withdraw the correction")
        return self._ledger.approve(self.id, proposal.id, self.soul.operator, edited=edited)

    def reject(self, proposal_id: str, why: str = "") -> Proposal:
        """Close a proposal without doing what it says."""
        return self._ledger.reject(self.id, self.proposal(proposal_id).id, self.soul.operator, why)

    def _apply(self, change_set: ChangeSet) -> Outcome:
        return self._ledger.apply(change_set)


def _holds(text: str, words: str) -> bool:
    """Whether a text holds these words as they stand: `cat` is not in `duplicates`. Scripts without spaces have no edges."""
    before = r"(?<![a-z0-9])" if words[0].isascii() and words[0].isalnum() else ""
    after = r"(?![a-z0-9])" if words[-1].isascii() and words[-1].isalnum() else ""
    return re.search(f"{before}{re.escape(words)}{after}", text) is not None


def _key() -> str:
    return f"op:{os.urandom(16).hex()}"
