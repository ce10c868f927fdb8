"""What is written down at somebody's word: into MEMORY.md, or a person's long-term memory."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.documents import parse
from oldsoul.documents.marks import inline, new_id
from oldsoul.documents.model import folded
from oldsoul.errors import BadInput, Refused
from oldsoul.judging.contradictions import with_superseded
from oldsoul.keepers.promote import items, making_room
from oldsoul.ledger import Outcome
from oldsoul.rules.audience import seen_by
from oldsoul.rules.confidence import origin_of, said_again
from oldsoul.rules.promotion import topic
from oldsoul.rules.secrets import mask
from oldsoul.values.audience import View
from oldsoul.values.changes import Add, Author, ChangeSet, Evidence, Operation, Role, SetField
from oldsoul.values.names import Kind, Name, archived_profile, longterm, room
from oldsoul.values.origin import Origin
from oldsoul.values.sessions import Session, Subject

if TYPE_CHECKING:
    from oldsoul.documents import Document, Entry


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


class MemoryWriter:
    """Writes down what the operator or the agent wants to be remembered."""

    def __init__(self, agent: AgentWorkspace, author: Author) -> None:
        self._agent = agent
        self._author = author

    def within(self, session: Session, text: str, *, title: str = "", tag: str = "", key: str = "") -> Remembered:
        """Write something to where a session finds it again: MEMORY.md, the file of a room, a person's own.

        `Refused` for a session that has no such place. What it may not see there counts for nothing.
        """
        people = self._agent.home.people
        root = people.session(session.root)
        view = people.view(root, self._agent.id)
        cited = (Evidence(f"session:{session.id}", Origin.AGENT, people.audience(session)),)
        where = _Where(Name(self._agent.id, "MEMORY.md"), view, cited if self._author.role is Role.AGENT else ())
        if root.room:
            where = where._replace(name=room(self._agent.id, root.room))
        elif not view.owner:
            if root.kind != "dm" or root.subject is None:
                raise Refused("nothing can be remembered here: this conversation belongs to no person and no room")
            place = where._replace(name=longterm(self._agent.id, root.subject.id))
            return self._to_person(f"{title}: {text}" if title else text, root.subject, place, key=key)
        return self._noted(text, title, tag, key, where)

    def remember(self, text: str, *, title: str = "", tag: str = "", key: str = "") -> Remembered:
        """Write something to MEMORY.md. It is durable when this returns."""
        return self._noted(text, title, tag, key, _Where(Name(self._agent.id, "MEMORY.md")))

    def promote(self, text: str, person: Subject, section: str = "Key Facts") -> Remembered:
        """Put something into a person's long-term memory at the operator's word. It is durable when this returns."""
        person = self._agent.home.people.resolved(person) or person
        return self._to_person(text, person, _Where(longterm(self._agent.id, person.id)), section)

    def _noted(self, text: str, title: str, tag: str, key: str, where: _Where) -> Remembered:
        self._agent.check_enabled()
        today = self._agent.today().date().isoformat()
        known = self._same(where, text, title, Origin(str(self._author.role)))
        section = _SECTION_OF.get(tag, _NOTES)
        add = Add(where.name, text, title=title, section=section, tag=tag, added=today)
        return self._written((add,), known, key, where)

    def _to_person(
        self, text: str, person: Subject, where: _Where, section: str = "Key Facts", *, key: str = ""
    ) -> Remembered:
        self._agent.check_enabled()
        today = self._agent.today().date()
        title = topic(text)
        known = self._same(where, text, title) or self._same(where, text, "")
        add = Add(where.name, text, title=title, section=section, added=today.isoformat())
        entries = [one for one in items(self._document(where)) if where.sees(one)]
        reuse = self._agent.home.usage.reuse(self._agent.id, [entry.id for entry in entries])
        archive = archived_profile(self._agent.id, person.id, today)
        return self._written((add, *making_room(add, entries, reuse, archive)), known, key, where)

    def _written(self, operations: tuple[Operation, ...], known: Entry | None, key: str, where: _Where) -> Remembered:
        """What is new, written; of what is known, that it was said again."""
        key = key or new_key()
        ledger = self._agent.home.ledger
        reason = f"remembered by the {self._author.role}" if known is None else "mentioned again"
        if known is not None:
            operations = self._again(where, known)
        if not operations:
            outcome = ledger.note(self._agent.id, self._author, reason, key, ())
        else:
            made = ChangeSet(operations, self._author, reason, key, where.evidence)
            if known is None and self._author.role is Role.OPERATOR and where.name.kind is Kind.MEMORY:
                made = with_superseded(made, self._document(where).entries)
            outcome = ledger.apply(made)
        if outcome.change is None:
            raise BadInput("this waits for approval and is not remembered yet")  # the operator's own words never wait
        written = [entry for effect in outcome.change.effects if effect.name == where.name for entry in effect.entries]
        if known is None and not written:
            raise BadInput(f"the key {key!r} was already used for change {outcome.change.id}; choose another")
        added = new_id(key, 0)
        entry = known.id if known else added if added in written else written[0]
        repeated = known is not None or outcome.repeated
        line = self._agent.line_of(where.name, entry)
        return Remembered(outcome.change.id, entry, where.name, line, repeated, outcome)

    def _document(self, where: _Where) -> Document:
        return parse(self._agent.read(where.name).data or b"")

    def _same(self, where: _Where, text: str, title: str, weakest: Origin = Origin.UNTRUSTED) -> Entry | None:
        """The entry that says just this already, and is of nobody who is trusted less than that."""
        words = inline(mask(text).text)
        wanted = folded(f"**{mask(title).text}**: {words}" if title else words)
        if not wanted:
            return None
        for entry in self._document(where).entries:
            words = entry.text.partition(" (added ")[0]
            if (
                entry.written
                and folded(words) == wanted
                and origin_of(entry).rank <= weakest.rank
                and where.sees(entry)
            ):
                return entry
        return None

    def _again(self, where: _Where, known: Entry) -> tuple[Operation, ...]:
        """What notes that an entry was said again; an agent that says it again is no further witness."""
        if self._author.role is Role.AGENT:
            return ()
        noted = said_again(
            known, Origin(str(self._author.role)), self._agent.today().date(), self._agent.settings.memory.confidence
        )
        return tuple(SetField(where.name, field, value, known.id) for field, value in noted.items())


class _Where(NamedTuple):
    """Where something is written, and what is known there."""

    name: Name
    """the document"""
    view: View | None = None
    """who looks there; None for the operator"""
    evidence: tuple[Evidence, ...] = ()
    """what the change rests on"""

    def sees(self, entry: Entry) -> bool:
        """Whether an entry of it counts."""
        return self.view is None or self.view.sees(seen_by(self.name, entry))


def new_key() -> str:
    """A key for a change that is made once."""
    return f"op:{uuid.uuid4().hex}"
