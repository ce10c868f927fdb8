"""The verbs that take long, as work that tells how far it is and can be ended between two of its steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from oldsoul.app.jobs import Progress, Work
from oldsoul.app.parts import AgentServices
from oldsoul.app.services.index import Index
from oldsoul.app.talk.imports import correct_imported, log_lines
from oldsoul.errors import BadInput
from oldsoul.values.callers import Caller
from oldsoul.values.names import Name


class BackgroundVerbs:
    """The verbs of one agent that take long, for one caller."""

    def __init__(self, parts: AgentServices, caller: Caller) -> None:
        self._parts = parts
        self._caller = caller

    def work(self, verb: str, *given: object, **more: object) -> Work:
        """A verb as work, with what the verb is given."""
        known: dict[str, Callable[..., Work]] = {
            "run": self._run,
            "rebuild_index": self._rebuild_index,
            "import_messages": self._import_messages,
            "forget": self._forget,
            "forget_message": self._forget_message,
        }
        if verb not in known:
            raise BadInput(f"{verb!r} cannot be run as a job; choose one of {', '.join(known)}")
        return known[verb](*given, **more)

    def _run(self, keeper: str) -> Work:
        return self._parts.keeping.as_job(keeper)

    def _rebuild_index(self) -> Work:
        """Ended, the old index stays in use, and what was made is gone on with another time."""
        return lambda progress: {"documents": Index(self._parts, self._caller).rebuild(progress)}

    def _import_messages(
        self, lines: Iterable[str | bytes], *, vouched: bool = False, keep_going: bool = False
    ) -> Work:
        """Ended, messages that are logged stay, and an import of the same lines goes on behind them."""

        def work(progress: Progress) -> Mapping[str, int]:
            done = log_lines(self._parts.keeping, lines, vouched=vouched, keep_going=keep_going, on_progress=progress)
            looked = correct_imported(self._parts.keeping, [done], progress.note) if vouched else None
            return {
                "stored": done.stored,
                "repeated": done.repeated,
                "masked": done.masked,
                "bad": len(done.bad),
                "sessions": len(done.sessions),
                "corrected": looked.corrected if looked else 0,
            }

        return work

    def _forget(self, name: Name, entry: str, reason: str = "forgotten by the operator") -> Work:
        """Once it has begun it is finished."""

        def work(_: Progress) -> Mapping[str, int]:
            change = self._parts.forgetting(self._caller.author).entry(name, entry, reason).change
            return {"change": change.id} if change else {}

        return work

    def _forget_message(self, number: int) -> Work:
        """As above."""

        def work(_: Progress) -> Mapping[str, int]:
            message = self._parts.log.message(number)
            self._parts.forgetting(self._caller.author).message(message.id)
            return {"message": message.id}

        return work
