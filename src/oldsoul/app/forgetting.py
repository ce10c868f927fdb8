"""Forgetting: what is to go is written down first, by its id alone, so that the next open finishes what was interrupted."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from oldsoul.app.home.storage import FORGETTING
from oldsoul.app.keepers.checks import blocks_of
from oldsoul.documents import parse
from oldsoul.errors import NotFound
from oldsoul.values.history import Record
from oldsoul.values.messages import ERASED
from oldsoul.values.names import Name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oldsoul.app.agent_recall import AgentRecall
    from oldsoul.app.talk.log import Log
    from oldsoul.ledger import Outcome
    from oldsoul.values.changes import Author


class Forgetting:
    """What an agent's operator wants to be nowhere any more. Every step may be taken twice."""

    def __init__(self, agent: AgentRecall, log: Log, author: Author) -> None:
        self._agent = agent
        self._author = author
        self._log = log

    def entry(self, name: Name, entry: str, reason: str) -> Outcome:
        """Erase an entry, and the corrections that say what it says: from documents, history, conversations, indexes."""
        ledger = self._agent.home.ledger
        try:
            ledger.wordings(name, entry)
        except NotFound:
            return ledger.forget(name, entry, self._author, reason)  # which tells a second time from none
        places = [*blocks_of(self._agent, name, entry), (name, entry)]
        self._note({key: place.path for place, key in places})
        *_, outcome = [self._erase(place, key, reason) for place, key in places]
        self._end(key for _, key in places)
        return outcome

    def message(self, number: int) -> None:
        """Erase the words of one message."""
        self._note({f"m:{number}": ""})
        self._erase_message(number)
        self._end([f"m:{number}"])

    def finish(self) -> None:
        """Finish what another process began and did not come to the end of."""
        begun = self._agent.home.world.store.records(self._agent.id, FORGETTING)
        for key, path in begun.items():
            if key.startswith("m:"):
                self._erase_message(int(key[2:]))
            else:
                with suppress(NotFound):  # it went with another entry that said the same
                    self._erase(Name(self._agent.id, path), key, "completion of a forget that was interrupted")
        self._end(begun)

    def _erase(self, name: Name, entry: str, reason: str) -> Outcome:
        home = self._agent.home
        with suppress(NotFound):  # the words are gone already
            self._log.erase(home.ledger.wordings(name, entry), self._source(name, entry))
        home.usage.forget(self._agent.id, [entry])
        return home.ledger.forget(name, entry, self._author, reason)

    def _erase_message(self, number: int) -> None:
        self._agent.home.chat.redact(self._agent.id, {number: ERASED})

    def _source(self, name: Name, entry: str) -> int:
        """The number of the message an entry was taken from; 0 when none is known."""
        entries = parse(self._agent.read(name).data or b"", is_log=name.is_log).entries
        source = next((e.fields.get("src", "") for e in entries if e.id == entry), "")
        return int(source[2:]) if source.startswith("m:") and source[2:].isdecimal() else 0

    def _end(self, keys: Iterable[str]) -> None:
        """No index tells of it any more, and no answer of a model; then there is nothing left to be done."""
        self._agent.unindex()
        self._agent.home.ledger.drop_answers(self._agent.id, self._author)
        self._note(dict.fromkeys(keys))

    def _note(self, records: Mapping[str, str | None]) -> None:
        kept = [Record(FORGETTING, key, value) for key, value in records.items()]
        author = self._author
        self._agent.home.ledger.note(self._agent.id, author, "forgetting", f"forget:{os.urandom(16).hex()}", kept)
