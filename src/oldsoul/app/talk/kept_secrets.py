"""What the operator asked to be kept as a secret: entries of audience `owner`, outside the files that others read.

They are records beside the ledger. No file of the workspace has them, so no index, embedder, prompt, tool, git repository,
mirror, web hook or export does; a backup of the whole home has them.
"""

from __future__ import annotations

import json
import uuid
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.documents.marks import new_id
from oldsoul.errors import Damaged, NotFound
from oldsoul.rules.kept_secrets import kept_secrets, names, without_secrets
from oldsoul.values.audience import OWNER
from oldsoul.values.changes import Author
from oldsoul.values.history import Record
from oldsoul.values.messages import Said
from oldsoul.values.recall import Chunk, Hit
from oldsoul.values.sessions import Session, SessionKind

KIND = "secret"
"""The kind of record that keeps one."""
PLACE = "secrets"
"""What stands where other hits name their file."""


class KeptSecret(NamedTuple):
    """Something the operator asked to be kept as a secret."""

    id: str
    """its id"""
    text: str
    """the words"""
    added: str
    """the day it was said, such as `2026-02-04`"""


class KeptSecrets:
    """The secrets one agent keeps for the operator."""

    def __init__(self, agent: AgentWorkspace) -> None:
        self._agent = agent
        self._store = agent.home.world.store

    def taken(self, said: Said) -> Said:
        """A message without what the operator asks to be kept as a secret in their own talk; that is kept, durably."""
        asked = kept_secrets(said.text) if said.role == "user" and self._is_operators(said) else []
        if not asked:
            return said
        key = said.key or f"random:{uuid.uuid4().hex}"
        author, day = self._agent.home.owner.author, self._agent.today().date().isoformat()
        made = [
            Record(
                KIND, new_id(f"secret:{key}", number), json.dumps({"text": text, "added": day, "audience": str(OWNER)})
            )
            for number, text in enumerate(asked)
        ]
        self._agent.home.ledger.note(self._agent.id, author, "a secret was kept", f"secret:{key}", made)
        return replace(said, text=without_secrets(said.text, asked))

    def _is_operators(self, said: Said) -> bool:
        person = self._agent.home.people.resolved(said.subject or said.session.subject)
        return self.is_direct(said.session) and person is not None and person.id in self._agent.home.people.operators

    def is_direct(self, session: Session) -> bool:
        """Whether a session is the operator's own direct talk."""
        subject = self._agent.home.people.session(session).subject
        return (
            session.kind is SessionKind.DM and subject is not None and subject.id in self._agent.home.people.operators
        )

    def all(self) -> list[KeptSecret]:
        """All of them, the oldest first."""
        found = [(key, json.loads(value)) for key, value in self._store.records(self._agent.id, KIND).items()]
        return sorted(
            (KeptSecret(key, of["text"], of["added"]) for key, of in found), key=lambda one: (one.added, one.id)
        )

    def named_in(self, question: str) -> list[Hit]:
        """Those that a question names, as hits."""
        with suppress(Damaged):  # without the ledger, files are searched still
            return [
                Hit(Chunk(PLACE, 1, 1, one.text, OWNER, entry=one.id, tag=KIND), 1.0)
                for one in self.all()
                if names(question, one.text)
            ]
        return []

    def forget(self, secret: str, author: Author) -> None:
        """Take one away for good; `NotFound` when there is none of this id."""
        if self._store.record(self._agent.id, KIND, secret) is None:
            raise NotFound(f"there is no secret {secret!r}; `agent.memory.secrets()` lists them")
        self._agent.home.ledger.amend(
            self._agent.id, author, "a secret was forgotten", lambda: [Record(KIND, secret, None)]
        )
