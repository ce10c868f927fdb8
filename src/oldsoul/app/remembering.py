"""What is written down at somebody's word: into MEMORY.md, or a person's long-term memory."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.documents import parse
from oldsoul.documents.marks import inline, new_id
from oldsoul.documents.model import folded
from oldsoul.errors import BadInput
from oldsoul.judging.conflicts.superseding import with_superseded
from oldsoul.keepers.promote import Capacity, items, making_room
from oldsoul.rules.confidence import origin_of, said_again
from oldsoul.rules.promotion import topic
from oldsoul.rules.secrets import mask
from oldsoul.values.changes import Add, ChangeSet, Role, SetField
from oldsoul.values.names import Name, longterm, put_away
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from oldsoul.app.agent_recall import AgentRecall
    from oldsoul.documents import Entry
    from oldsoul.ledger import Outcome
    from oldsoul.values.changes import Author, Evidence, Operation
    from oldsoul.values.sessions import Subject

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


class Remembering:
    """Writes down what the operator or the agent wants to be remembered."""

    def __init__(self, agent: AgentRecall, author: Author, evidence: tuple[Evidence, ...] = ()) -> None:
        self._agent = agent
        self._author = author
        self._evidence = evidence

    def remember(
        self, text: str, *, title: str = "", tag: str = "", key: str = "", name: Name | None = None
    ) -> Remembered:
        """Write something to MEMORY.md, or the file of a room. It is durable when this returns."""
        self._agent.check_enabled()
        name = name or Name(self._agent.id, "MEMORY.md")
        today = self._agent.today().date().isoformat()
        known = self._same(name, text, title, Origin(str(self._author.role)))
        if known is not None:
            change_set = ChangeSet(
                self._again(name, known), self._author, "mentioned again", key or new_key(), self._evidence
            )
        else:
            section = _SECTION_OF.get(tag, _NOTES)
            add = Add(name, text, title=title, section=section, tag=tag, added=today)
            made = ChangeSet(
                (add,), self._author, f"remembered by the {self._author.role}", key or new_key(), self._evidence
            )
            standing = parse(self._agent.read(name).data or b"").entries
            change_set = with_superseded(made, standing) if self._author.role is Role.OPERATOR else made
        outcome = self._agent.home.ledger.apply(change_set)
        if outcome.change is None:
            raise BadInput("this waits for approval and is not remembered yet")  # the operator's own words never wait
        written = [entry for effect in outcome.change.effects if effect.name == name for entry in effect.entries]
        if known is None and not written:
            raise BadInput(f"the key {key!r} was already used for change {outcome.change.id}; choose another")
        added = new_id(change_set.key, 0)
        entry = known.id if known else added if added in written else written[0]
        repeated = known is not None or outcome.repeated
        return Remembered(outcome.change.id, entry, name, self._agent.line_of(name, entry), repeated, outcome)

    def _same(self, name: Name, text: str, title: str, weakest: Origin = Origin.UNTRUSTED) -> Entry | None:
        """The entry that says just this already, and is of nobody who is trusted less than that."""
        data = self._agent.read(name).data
        words = inline(mask(text).text)
        wanted = folded(f"**{mask(title).text}**: {words}" if title else words)
        if data is None or not wanted:
            return None
        for entry in parse(data).entries:
            words = entry.text.partition(" (added ")[0]
            if entry.written and folded(words) == wanted and origin_of(entry).rank <= weakest.rank:
                return entry
        return None

    def _again(self, name: Name, known: Entry) -> tuple[Operation, ...]:
        """What notes that an entry was said again."""
        noted = said_again(
            known, Origin(str(self._author.role)), self._agent.today().date(), self._agent.settings.memory.confidence
        )
        return tuple(SetField(name, field, value, known.id) for field, value in noted.items())

    def promote(self, text: str, person: Subject, section: str = "Key Facts") -> Remembered:
        """Put something into a person's long-term memory at the operator's word. It is durable when this returns."""
        self._agent.check_enabled()

        person = self._agent.home.people.resolved(person) or person
        name = longterm(self._agent.id, person.id)
        today = self._agent.today().date()
        title = topic(text)
        known = self._same(name, text, title) or self._same(name, text, "")
        if known is None:
            add = Add(name, text, title=title, section=section, added=today.isoformat())
            entries = items(parse(self._agent.read(name).data or b""))
            reuse = self._agent.home.usage.reuse(self._agent.id, [entry.id for entry in entries])
            most = Capacity(
                self._agent.settings.memory.longterm_max_items, self._agent.settings.memory.longterm_max_chars
            )
            archive = put_away(self._agent.id, person.id, today)
            operations = (add, *making_room(add, entries, reuse, most, archive))
        else:
            operations = self._again(name, known)
        outcome = self._agent.home.ledger.apply(
            ChangeSet(operations, self._author, f"remembered by the {self._author.role}", new_key(), self._evidence)
        )
        if outcome.change is None:
            raise BadInput("this waits for approval and is not remembered yet")  # the operator's own words never wait
        entry = known.id if known else outcome.change.effects[0].entries[0]
        return Remembered(outcome.change.id, entry, name, self._agent.line_of(name, entry), known is not None, outcome)


def new_key() -> str:
    """A key for a change that is made once."""
    return f"op:{os.urandom(16).hex()}"
