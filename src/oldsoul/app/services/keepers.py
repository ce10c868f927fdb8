"""Keepers: their runs, and the questions they wait to have answered."""

from __future__ import annotations

from collections.abc import Iterator

from oldsoul.app.keepers.answers import Answered, OpenQuestion
from oldsoul.app.services.rights import Service, needs
from oldsoul.driver import Report
from oldsoul.values.callers import Right
from oldsoul.values.jobs import SlotOutcome
from oldsoul.values.sessions import Session


class Keepers(Service):
    """The keepers of one agent."""

    @needs(Right.INSPECT)
    def all(self) -> dict[str, str]:
        """Return the keepers by name, with what each does."""
        return {record.name: record.about for record in self._parts.keeping.records.values()}

    @needs(Right.DECIDE)
    def run(self, keeper: str, *, dry_run: bool = False) -> Iterator[Report]:
        """Run a keeper now like `agent.run`, and return the report of each run as soon as it is made."""
        return self._parts.keeping.run(keeper, dry_run=dry_run)

    @needs(Right.INSPECT)
    def runs(self) -> list[tuple[str, SlotOutcome]]:
        """Return what came of the scheduled runs of all keepers, each with its name, the latest first."""
        return self._parts.home.timetable.runs(self._parts.id)

    @needs(Right.INSPECT)
    def history(self, keeper: str) -> list[SlotOutcome]:
        """Return what came of a keeper's scheduled runs, the latest first."""
        return self._parts.home.timetable.history(self._parts.id, keeper)

    @needs(Right.TELL)
    def work(self, *, session: Session, limit: int = 5) -> list[OpenQuestion]:
        """Return open questions of the keepers that this session may see, reserved for a while for you to answer.

        Runs the keepers that are due first. Returns nothing where the home has a language model.
        """
        return self._parts.thinking.work(session, limit)

    @needs(Right.TELL)
    def answer(self, question: str, answer: object, *, session: Session) -> Answered:
        """Answer a question from `work`, by its id. The answer is checked like a model's answer.

        Args:
            question: its id.
            answer: JSON that fits the question's schema, as a value or as text.
            session: the session you work for.

        Raises:
            BadInput: the answer cannot be used; the message says why, and the question stays open.
            NotFound: the question is no longer open.
        """
        return self._parts.thinking.answer(question, answer, session)
