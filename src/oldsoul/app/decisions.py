"""What the operator decides: whole documents, what is taken back, what was proposed. Everything is signed by who did it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.app.keepers.correction_checks import changes_of
from oldsoul.app.memory_requests import new_key
from oldsoul.documents import parse
from oldsoul.errors import BadInput, NotFound
from oldsoul.values.changes import ChangeSet, Replace
from oldsoul.workspace import checked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oldsoul.app.agent_recall import AgentRecall
    from oldsoul.ledger import Outcome
    from oldsoul.values.changes import Author, Operation
    from oldsoul.values.names import Name


class Deciding:
    """What one author decides about an agent's memory."""

    def __init__(self, agent: AgentRecall, author: Author) -> None:
        self._agent = agent
        self._ledger = agent.home.ledger
        self._author = author

    def edit(self, path: str, entry: str, text: str, *, base: str | None, reason: str) -> Outcome:
        """Give an entry other words; its date and tag stay unless the words bring others, and so does what is below it."""
        name = checked(self._agent.name(path))
        if name.is_log:
            raise BadInput(f"{name.path} is a log, whose entries are not edited; correct what is wrong instead")
        found = next((e for e in parse(self._agent.read(name).data or b"").entries if e.id == entry), None)
        if found is None:
            raise NotFound(f"there is no entry {entry} in {name.path}")
        (given,) = parse(f"- {' '.join(text.split())}".encode("utf-8", "replace")).entries[:1] or (found,)
        whole = text if given.ending else f"{' '.join(text.split())}{found.ending}"
        return self._done(Replace(name, entry, whole), reason, base)

    def _done(self, operation: Operation, reason: str, base: str | None) -> Outcome:
        bases = {} if base is None else {operation.name: base}
        return self._ledger.apply(ChangeSet((operation,), self._author, reason, new_key()), bases=bases)

    def undo(self, change_id: int, bases: Mapping[Name, str]) -> Outcome:
        """Take one change back and leave the later ones."""
        self._agent.change(change_id)
        return self._ledger.undo(change_id, self._author, bases=bases)

    def withdraw(self, correction: str) -> list[Outcome]:
        """Take a correction back with all it changed."""
        made = changes_of(self._agent, correction)
        if not made:
            raise NotFound(f"there is no correction {correction!r}; `oldsoul correct` lists the corrections")
        return [self._ledger.undo(change.id, self._author) for change in made]
