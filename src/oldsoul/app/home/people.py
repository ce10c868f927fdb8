"""Who is who: names in channels bound to accounts, and the memory that follows them."""

from __future__ import annotations

import json
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.app.home.storage import Storage
from oldsoul.documents import parse
from oldsoul.documents.entries import takeable
from oldsoul.errors import BadInput, Damaged, NotFound
from oldsoul.rules.audience import said_in, view_of
from oldsoul.values.audience import Audience, View
from oldsoul.values.changes import Author, ChangeSet, Delete, Move, Operation, SetField
from oldsoul.values.history import Record
from oldsoul.values.ids import id_of
from oldsoul.values.messages import Message
from oldsoul.values.names import SHARED, Kind, Name, longterm, profile
from oldsoul.values.sessions import OWNER_SUBJECT, Session, Subject
from oldsoul.workspace import template

if TYPE_CHECKING:
    from oldsoul.documents import Document

KIND = "binding"
"""The kind of record that says whose a name in a channel is. They belong to the whole home."""


class Person(NamedTuple):
    """Somebody the home knows."""

    id: str
    """the canonical id"""
    operator: bool
    """whether they are an operator"""
    known_as: tuple[str, ...]
    """names in channels that are bound to them"""
    memories: int
    """how many entries their long-term memory and profile have, over all agents"""


class People:
    """The people of one home."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    @property
    def operators(self) -> tuple[str, ...]:
        """Who may correct the agent and change its soul."""
        return self._storage.settings.operators or (OWNER_SUBJECT,)

    def bindings(self) -> dict[str, str]:
        """Names in channels, each with the account it is bound to."""
        try:
            records = self._storage.world.store.records(SHARED, KIND)
        except Damaged:  # who is bound to nobody sees less, never more
            return {}
        return {name: json.loads(value)["account"] for name, value in records.items()}

    def resolved(self, subject: Subject | None) -> Subject | None:
        """The person by their canonical id: the account, where their name is bound to one."""
        if subject is None or subject.bound:
            return subject
        account = self.bindings().get(subject.id)
        return Subject(account) if account else subject

    def session(self, session: Session) -> Session:
        """The session with its person by their canonical id."""
        parent = self.session(session.parent) if session.parent else None
        return replace(session, subject=self.resolved(session.subject), parent=parent)

    def view(self, session: Session, workspace: str = "") -> View:
        """What a session may see, in the workspace of an agent or a team: the rooms of a team share what it learns there."""
        known_as: dict[str, list[str]] = {}
        for name, account in self.bindings().items():
            known_as.setdefault(account, []).append(name)
        found = view_of(self.session(session), self.operators, known_as)
        shared = (team.rooms for team in self._storage.settings.teams if workspace and team.name == workspace)
        return found.sharing(next(shared, ()))

    def audience(self, session: Session) -> Audience:
        """Who may see what is said in a session."""
        return said_in(self.session(session), self.operators)

    def message(self, message: Message) -> Message:
        """A message as it counts now: what was said under a name that is bound since is the account's."""
        bound = {Audience.person(name): Audience.person(account) for name, account in self.bindings().items()}
        if message.audience not in bound:
            return message
        session = self.session(message.session)
        return replace(
            message, session=session, subject=self.resolved(message.subject), audience=bound[message.audience]
        )

    def everyone(self) -> list[Person]:
        """Who the home knows: operators, people with a memory, people who spoke, people whose names are bound."""
        bindings = self.bindings()
        memories: dict[str, int] = dict.fromkeys((*self.operators, *bindings.values()), 0)
        for workspace in self._storage.workspaces():
            for name in self._storage.world.store.names(workspace):
                if name.kind in (Kind.LONGTERM, Kind.PROFILE):
                    person = self._of(name)
                    memories[person] = memories.get(person, 0) + self._count(name)
            for person in self._storage.chat.people(workspace):
                memories.setdefault(bindings.get(person, person), 0)
        return [
            Person(
                person,
                person in self.operators,
                tuple(sorted(name for name, account in bindings.items() if account == person)),
                count,
            )
            for person, count in sorted(memories.items())
            if person not in bindings or count
        ]

    def _of(self, name: Name) -> str:
        """Whose file it is; one whose id was too long for a path says it itself."""
        return id_of(name.owner_segment) or self._parsed(name).matter.text("subject_id") or name.owner_segment

    def _count(self, name: Name) -> int:
        return sum(entry.kind in ("item", "task") for entry in self._parsed(name).entries)

    def _parsed(self, name: Name) -> Document:
        return parse(self._storage.world.store.read(name).data or b"", is_log=name.is_log)

    def bind(self, name: str, account: str, author: Author) -> list[str]:
        """Say that a name in a channel is an account's, and join their memory; gives the agents whose files were joined."""
        channel, person = Subject(name), Subject(account)
        if channel.bound or not person.bound:
            raise BadInput(f"bind a name such as ext:telegram:7 to an account such as acct:42, not {name} to {account}")
        known = self.bindings().get(channel.id)
        if known not in (None, person.id):
            raise BadInput(f"{channel.id} is already bound to {known}; unbind it first")
        if known is None:
            record = Record(KIND, channel.id, json.dumps({"account": person.id}))
            reason = f"{channel.id} bound to {person.id}"
            self._storage.ledger.note(SHARED, author, reason, f"bind:{uuid.uuid4().hex}", [record])
        return [workspace for workspace in self._storage.workspaces() if self.join(workspace, channel, person, author)]

    def unbind(self, name: str, author: Author) -> str:
        """Say that a name is nobody's account any more: what was joined stays, what comes from now on is its own."""
        channel = Subject(name)
        account = self.bindings().get(channel.id)
        if account is None:
            raise NotFound(f"{channel.id} is not bound to an account; `oldsoul people` lists the people")
        record = Record(KIND, channel.id, None)
        reason = f"{channel.id} unbound from {account}"
        self._storage.ledger.note(SHARED, author, reason, f"unbind:{uuid.uuid4().hex}", [record])
        return account

    def adopt(self, name: Name) -> None:
        """Have a file of a session say whose it is now, where it names a person by a name that is bound since."""
        document = self._parsed(name)
        bound = {str(Audience.person(n)): str(Audience.person(account)) for n, account in self.bindings().items()}
        stated = document.matter.text("audience")
        operations: list[Operation] = [SetField(name, "audience", bound[stated])] if stated in bound else []
        operations += [
            SetField(name, "aud", bound[entry.fields["aud"]], entry.id)
            for entry in document.entries
            if entry.fields.get("aud") in bound
        ]
        if operations:
            reason = "a name in this file was bound to an account"
            key = f"adopt:{uuid.uuid4().hex}"
            self._storage.ledger.apply(ChangeSet(tuple(operations), self._storage.owner.author, reason, key))

    def join(self, workspace: str, channel: Subject, person: Subject, author: Author) -> bool:
        """Move what an agent remembers of a name to the account's files; whether there was anything to move."""
        if workspace == SHARED:
            return False
        operations: list[Operation] = []
        for of in (longterm, profile):
            source, to = of(workspace, channel.id), of(workspace, person.id)
            if self._storage.ledger.read(source).data is None:
                continue
            entries = takeable(e for e in self._parsed(source).entries if e.kind in ("item", "task"))
            operations += [Move(source, entry.id, section=entry.section, to=to) for entry in entries]
            by_hand = [e.text for e in self._parsed(source).entries if e.kind not in ("item", "task")]
            ours = [e.text for e in parse(template(source, self._storage.world.clock.now())).entries]
            if by_hand == ours:
                operations.append(Delete(source))
        if not operations:
            return False
        reason = f"{channel.id} bound to {person.id}: their memory merged"
        change_set = ChangeSet(tuple(operations), author, reason, f"join:{uuid.uuid4().hex}")
        self._storage.ledger.apply(change_set)
        return True
