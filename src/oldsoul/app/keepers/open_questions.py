"""The keepers' questions that wait for somebody who has a model: which runs ask them, and who has them.

No text of a question is stored. What waits is a run, by its key; the question is asked again, from what is true then, each
time somebody has time for it. So it goes with its evidence, and forgetting leaves nothing of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.driver import Report
from oldsoul.values.changes import Author, Role
from oldsoul.values.history import Record

QUESTION = "question"
"""The kind of record that says that a question waits, and who has it: never what it says."""
WORKED = "worked"
"""The kind of record that says when an agent last came for work, and when each keeper last ran since one does."""
CAME = "came"
"""The key of the record that says when an agent last came for work."""
_AUTHOR = Author(Role.SYSTEM, "thinking")
_REASON = "questions for an agent saved"


class WaitingQuestion(NamedTuple):
    """What is stored of a question that waits."""

    run: str
    """the key of the run that asks it"""
    job: str
    """what is run to ask it again: a keeper, or the end of a session"""
    audience: str
    """who may see it"""
    since: str
    """since when the run waits, ISO 8601"""
    until: str
    """until when somebody has it; empty while nobody had"""
    turn: int
    """how often it was given out"""


class Questions:
    """What an agent's keepers want to know."""

    def __init__(self, agent: AgentWorkspace) -> None:
        self._agent = agent
        self._home = agent.home

    @property
    def is_done_for(self) -> bool:
        """Whether somebody thinks for the keepers: a model, or an agent that came for work lately. Else rules do."""
        if self._home.driver.model is not None:
            return True
        came = self._home.world.store.record(self._agent.id, WORKED, CAME)
        return came is not None and self._home.world.clock.now() - datetime.fromisoformat(came) < self._patience

    def is_worth_waiting(self, run: str) -> bool:
        """Whether the questions of a run wait for an agent, rather than rules doing its work: for a time they do."""
        if self._home.driver.model is not None or not self.is_done_for:
            return False
        since = self._since(run)
        return since is None or self._home.world.clock.now() - since < self._patience

    def settle(self, job: str, report: Report) -> None:
        """Note what a run waits for now, and that it waits for nothing else."""
        run, wanted = report.run.key, {waiting.id: waiting for waiting in report.waiting}
        now = self._home.world.clock.now()

        def made(noted: Mapping[str, WaitingQuestion]) -> list[Record]:
            stored = {key: one for key, one in noted.items() if one.run == run}
            since = min((one.since for one in stored.values()), key=datetime.fromisoformat, default=now.isoformat())
            return [
                *(
                    stored_as(key, WaitingQuestion(run, job, str(one.ask.audience), since, "", 0))
                    for key, one in wanted.items()
                    if key not in stored
                ),
                *(Record(QUESTION, key, None) for key in stored if key not in wanted),
            ]

        self.change(made)

    def ran(self, job: str) -> None:
        """Note that a keeper ran, where an agent comes for work: it has it run when it is due again."""
        if self._home.driver.model is None and self.is_done_for:
            self.note_work(job)

    @property
    def is_offered(self) -> bool:
        """Whether others may do the thinking here: keepers run, they have no model, and they may wait."""
        options = self._agent.settings
        is_on = options.memory.enabled and options.keepers.enabled and bool(self._patience)
        return is_on and self._home.driver.model is None

    @property
    def _patience(self) -> timedelta:
        return timedelta(hours=self._agent.settings.keepers.patience_hours)

    def noted(self) -> dict[str, WaitingQuestion]:
        """The questions that wait, by their ids."""
        records = self._home.world.store.records(self._agent.id, QUESTION)
        return {
            key: WaitingQuestion(*json.loads(value)[: len(WaitingQuestion._fields)]) for key, value in records.items()
        }

    def _since(self, run: str) -> datetime | None:
        """Since when a run waits; None when it does not."""
        return min((datetime.fromisoformat(one.since) for one in self.noted().values() if one.run == run), default=None)

    def note_work(self, key: str) -> None:
        """Note that somebody came for work, or that a keeper ran, now."""
        record = Record(WORKED, key, self._home.world.clock.now().isoformat())
        self._home.ledger.amend(self._agent.id, _AUTHOR, _REASON, lambda: [record])

    def change(self, made: Callable[[Mapping[str, WaitingQuestion]], Sequence[Record]]) -> bool:
        """Store what is made of the questions that wait, while nobody else changes them; whether there was anything."""
        return self._home.ledger.amend(self._agent.id, _AUTHOR, _REASON, lambda: made(self.noted()))


def stored_as(key: str, noted: WaitingQuestion) -> Record:
    """A question that waits, as it is stored."""
    return Record(QUESTION, key, json.dumps(noted))
