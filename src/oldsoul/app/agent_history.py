"""One agent's documents through time: changes, versions, what waits for approval, and entries as they stand."""

from __future__ import annotations

import re
from functools import cache, partial
from typing import TYPE_CHECKING

from oldsoul.app.agent_files import AgentFiles
from oldsoul.errors import NotFound
from oldsoul.lazy import lazy
from oldsoul.values.history import Change
from oldsoul.values.names import Name
from oldsoul.values.recall import EntryStep

if TYPE_CHECKING:
    from oldsoul import documents
    from oldsoul.documents import Entry, model
    from oldsoul.ledger import Proposal
else:
    (documents,) = lazy("oldsoul", "documents")
    (model,) = lazy("oldsoul.documents", "model")


_LOOKED_AT = 300
"""So many changes of a document are looked through for those of one entry."""


class AgentHistory(AgentFiles):
    """The history of an agent's documents."""

    def change(self, change_id: int) -> Change:
        """One change of this agent."""
        change = self._ledger.change(change_id)
        if change.workspace != self.id:
            raise NotFound(f"change {change_id} belongs to {change.workspace}; use -a {change.workspace}")
        return change

    def proposals(self, state: str = "open") -> list[Proposal]:
        """Changes that wait for approval."""
        return self._ledger.proposals(self.id, state=state)

    def steps_of(self, name: Name, entry: str) -> list[EntryStep]:
        """The changes of one entry, the newest first, also from before it came into this document."""
        words = cache(partial(self._words, entry))
        found: list[EntryStep] = []
        place: Name | None = name
        before: int | None = None
        while place is not None:
            here, place = place, None
            for change in self._ledger.history(self.id, name=here, before=before, limit=_LOOKED_AT):
                effect = next(effect for effect in change.effects if effect.name == here)
                was, now = words(here, effect.before), words(here, effect.after)
                others = [each for each in change.effects if each.name != here and was is None]
                came = next((each for each in others if words(each.name, each.before) is not None), None)
                if came is not None:
                    was, place, before = words(came.name, came.before), came.name, change.id
                if was != now or entry in effect.entries:
                    found.append(EntryStep(change, was, now))
                if was is None or place is not None:
                    break
        return found

    def _words(self, entry: str, name: Name, version: str) -> str | None:
        """What an entry says in a version of a document; None when that has it not."""
        data = self._ledger.content(version) or b""
        entries = documents.parse(data, is_log=name.is_log).entries
        return next((each.body for each in entries if each.id == entry), None)

    def line_of(self, name: Name, entry: str) -> int:
        """The line an entry stands on now, from 1; 0 when it is gone."""
        data = self.read(name).data or b""
        return next((e.line + 1 for e in documents.parse(data, is_log=name.is_log).entries if e.id == entry), 0)

    def find(self, wanted: str, path: str = "") -> list[tuple[Name, Entry]]:
        """Entries by id, or by whole words they hold: in one document, or in all of the agent's."""
        names = [self.name(path)] if path else self.home.world.store.names(self.id)
        words = model.folded(wanted)
        found: list[tuple[Name, Entry]] = []
        for name in names:
            data = self.read(name).data
            if data is None:
                continue
            entries = documents.parse(data, is_log=name.is_log).entries
            exact = [(name, entry) for entry in entries if entry.id == wanted]
            if exact:
                return exact
            found += [(name, entry) for entry in entries if words and holds(model.folded(entry.body), words)]
        return found


def holds(text: str, words: str) -> bool:
    """Whether a text holds these words as they stand: `cat` is not in `duplicates`. Scripts without spaces have no edges."""
    before = r"(?<![a-z0-9])" if words[0].isascii() and words[0].isalnum() else ""
    after = r"(?![a-z0-9])" if words[-1].isascii() and words[-1].isalnum() else ""
    return re.search(f"{before}{re.escape(words)}{after}", text) is not None
