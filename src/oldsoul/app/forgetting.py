"""Forgetting: what is to go is written down first, by its id alone, so that the next open finishes what was interrupted."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from oldsoul.errors import NotFound
from oldsoul.values.history import Record
from oldsoul.values.messages import ERASED
from oldsoul.values.names import Name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oldsoul.app.agent import Agent
    from oldsoul.ledger import Outcome

BEGUN = "forgetting"
"""The kind of record that says what is to be forgotten: an entry with the path of its document, or a message."""


class Forgetting:
    """What an agent's operator wants to be nowhere any more. Every step may be taken twice."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    def entry(self, name: Name, entry: str, reason: str) -> Outcome:
        """Erase an entry, and the corrections that say what it says: from documents, history, conversations, indexes."""
        from oldsoul.app.keepers.checks import blocks_of  # noqa: PLC0415 - few commands forget

        ledger = self._agent.soul.ledger
        try:
            ledger.wordings(name, entry)
        except NotFound:
            return ledger.forget(name, entry, self._agent.soul.operator, reason)  # which tells a second time from none
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
        begun = self._agent.soul.world.store.records(self._agent.id, BEGUN)
        for key, path in begun.items():
            if key.startswith("m:"):
                self._erase_message(int(key[2:]))
            else:
                self._erase(Name(self._agent.id, path), key, "what was to be forgotten, and was interrupted")
        self._end(begun)

    def _erase(self, name: Name, entry: str, reason: str) -> Outcome:
        soul = self._agent.soul
        with suppress(NotFound):  # the words are gone already
            self._agent.talk.erase(soul.ledger.wordings(name, entry), self._source(name, entry))
        soul.usage.forget(self._agent.id, [entry])
        return soul.ledger.forget(name, entry, soul.operator, reason)

    def _erase_message(self, number: int) -> None:
        self._agent.soul.chat.redact(self._agent.id, {number: ERASED})

    def _source(self, name: Name, entry: str) -> int:
        """The number of the message an entry was taken from; 0 when none is known."""
        from oldsoul.documents import parse  # noqa: PLC0415 - as above

        entries = parse(self._agent.read(name).data or b"", is_log=name.is_log).entries
        source = next((e.fields.get("src", "") for e in entries if e.id == entry), "")
        return int(source[2:]) if source.startswith("m:") and source[2:].isdecimal() else 0

    def _end(self, keys: Iterable[str]) -> None:
        """No index tells of it any more, and no answer of a model; then there is nothing left to be done."""
        self._agent.unindex()
        self._agent.soul.ledger.drop_answers(self._agent.id, self._agent.soul.operator)
        self._note(dict.fromkeys(keys))

    def _note(self, records: Mapping[str, str | None]) -> None:
        kept = [Record(BEGUN, key, value) for key, value in records.items()]
        author = self._agent.soul.operator
        self._agent.soul.ledger.note(self._agent.id, author, "forgetting", f"forget:{os.urandom(16).hex()}", kept)
