"""Keepers: their runs, and the questions they wait to have answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.app.services.rights import Service, needs
from oldsoul.values.callers import Right

if TYPE_CHECKING:
    from oldsoul.app.keepers.answers import Answered, OpenQuestion
    from oldsoul.values.sessions import Session


class Keepers(Service):
    """The keepers of one agent."""

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
