"""Forgetting: what is to go is written down first, by its id alone, so that the next open finishes what was interrupted."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.app.home.storage import FORGETTING
from oldsoul.app.keepers.correction_checks import blocks_about, corrected_with
from oldsoul.app.talk.log import Log
from oldsoul.errors import NotFound
from oldsoul.ledger import Outcome
from oldsoul.ledger.forgetting import ForgetPlan, Forgotten, ForgottenMessages
from oldsoul.values.changes import Author
from oldsoul.values.history import Record
from oldsoul.values.names import Name


class Forgetting:
    """What an agent's operator wants to be nowhere any more. Every step may be taken twice."""

    def __init__(self, agent: AgentWorkspace, log: Log, author: Author) -> None:
        self._agent = agent
        self._author = author
        self._log = log

    def entry(self, name: Name, entry: str, reason: str) -> Outcome:
        """Erase an entry: all its versions, what rests on its evidence alone, the records of it, copies of its sentences."""
        ledger = self._agent.home.ledger
        try:
            going = ledger.going(name, entry)
        except NotFound:
            return ledger.forget(name, entry, self._author, reason)  # which tells a second time from none
        also = [*((place, one.id) for place, one in going.derived), *self._blocks(going)]
        self._note({key: place.path for place, key in [*also, (name, entry)]})
        self._erase_said(name, entry, reason)
        outcome = self._erase(name, entry, reason, also)
        self._end(key for _, key in [*also, (name, entry)])
        return outcome

    def message(self, number: int) -> None:
        """Erase the words of one message, what rests on it alone, and copies of its sentences."""
        key = f"m:{number}"
        also = [(place, one.id) for place, one in self._agent.home.ledger.made_of(self._agent.id, key)]
        also += [block for place in also for block in self._blocks(self._agent.home.ledger.going(*place))]
        self._note({key: "", **{one: place.path for place, one in also}})
        self._erase_message(number, also)
        self._end([key, *(one for _, one in also)])

    def finish(self) -> None:
        """Finish what another process began and did not come to the end of."""
        begun = self._agent.home.world.store.records(self._agent.id, FORGETTING)
        entries = [(Name(self._agent.id, path), key) for key, path in begun.items() if not key.startswith("m:")]
        for place in entries:  # before anything goes that tells which messages said it
            self._erase_said(*place, "completion of a forget that was interrupted")
        for key in begun:
            if key.startswith("m:"):
                self._erase_message(int(key[2:]), ())
        for name, key in entries:
            with suppress(NotFound):  # it went with another entry that said the same
                self._erase(name, key, "completion of a forget that was interrupted", ())
        self._end(begun)

    def _blocks(self, going: ForgetPlan) -> list[tuple[Name, str]]:
        """The records of what goes: of the entry, and of those that go with it."""
        ledger = self._agent.home.ledger
        every = [going, *(ledger.going(name, entry.id) for name, entry in going.derived)]
        return list(dict.fromkeys(block for one in every for block in blocks_about(self._agent, one)))

    def _erase(self, name: Name, entry: str, reason: str, also: Sequence[tuple[Name, str]]) -> Outcome:
        home = self._agent.home
        home.usage.forget(self._agent.id, [entry, *(one for _, one in also)])
        return home.ledger.forget(name, entry, self._author, reason, also)

    def _erase_said(self, name: Name, entry: str, reason: str) -> None:
        """Take what says it out of conversations, and what tells of that out of documents."""
        ledger = self._agent.home.ledger
        with suppress(NotFound):  # the words are gone already
            going = ledger.going(name, entry)
            gone = replace(going.gone, corrected=corrected_with(self._agent, going))
            told = ForgottenMessages(entry, self._log.saying(gone), gone.sources | gone.corrected)
            if told.text:  # first, since the log is what tells it
                ledger.forget_said(name.workspace, told, self._author, reason)
            self._log.erase(gone, {one.fields.get("src", "") for _, one in going.alike})

    def _erase_message(self, number: int, also: Sequence[tuple[Name, str]]) -> None:
        home, workspace = self._agent.home, self._agent.id
        with suppress(NotFound):
            text = self._log.message(number).text
            key = f"m:{number}"
            said, why = ForgottenMessages(key, text), "message forgotten by the operator"
            alike = home.ledger.forget_said(workspace, said, self._author, why, also).alike
            self._log.erase(Forgotten.of_said(key, text), {one.fields.get("src", "") for _, one in alike})
        home.usage.forget(workspace, [one for _, one in also])

    def _end(self, keys: Iterable[str]) -> None:
        """No index tells of it any more, and no answer of a model; then there is nothing left to be done."""
        self._agent.unindex()
        self._agent.home.ledger.drop_answers(self._agent.id, self._author)
        self._note(dict.fromkeys(keys))

    def _note(self, records: Mapping[str, str | None]) -> None:
        kept = [Record(FORGETTING, key, value) for key, value in records.items()]
        author = self._author
        self._agent.home.ledger.note(self._agent.id, author, "forgetting", f"forget:{uuid.uuid4().hex}", kept)
