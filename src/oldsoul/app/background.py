"""The verbs that take long, as work that tells how far it is and can be ended between two of its steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.app.talk.imports import import_lines, log_lines, put_right
from oldsoul.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from oldsoul.app.forgetting import Forgetting
    from oldsoul.app.jobs import Progress, Work
    from oldsoul.app.keepers.runs import Keeping
    from oldsoul.app.talk.imports import Imported
    from oldsoul.app.talk.log import Log
    from oldsoul.driver import Report
    from oldsoul.values.names import Name


class LongVerbs:
    """What of an agent takes long."""

    def __init__(
        self,
        keeping: Keeping,
        log: Log,
        forgetting: Forgetting,
        rebuild: Callable[[Callable[[int, int], None]], int],
    ) -> None:
        self._keeping = keeping
        self._log = log
        self._forgetting = forgetting
        self._rebuild = rebuild

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

    def import_messages(self, lines: Iterable[str | bytes], *, vouched: bool, keep_going: bool) -> Imported:
        """Log messages of JSON lines, and put right what the operator put right in them."""
        return import_lines(self._keeping, lines, vouched=vouched, keep_going=keep_going)

    def _run(self, keeper: str) -> Work:
        """It may be ended between two runs of the keeper."""

        def work(progress: Progress) -> Mapping[str, int]:
            made: list[Report] = []
            made.extend(self._keeping.run(keeper, told=lambda _: progress(len(made))))
            progress.note(len(made), len(made))
            asked, changes = sum(report.asked for report in made), sum(report.changes for report in made)
            return {"runs": len(made), "changes": changes, "asked": asked, "unfinished": sum(not r.done for r in made)}

        return work

    def _rebuild_index(self) -> Work:
        """Ended, the old index stays in use, and what was made is gone on with another time."""
        return lambda progress: {"documents": self._rebuild(progress)}

    def _import_messages(
        self, lines: Iterable[str | bytes], *, vouched: bool = False, keep_going: bool = False
    ) -> Work:
        """Ended, messages that are logged stay, and an import of the same lines goes on behind them."""

        def work(progress: Progress) -> Mapping[str, int]:
            done = log_lines(self._keeping, lines, vouched=vouched, keep_going=keep_going, told=progress)
            looked = put_right(self._keeping, [done], progress.note) if vouched else None
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
            change = self._forgetting.entry(name, entry, reason).change
            return {"change": change.id} if change else {}

        return work

    def _forget_message(self, number: int) -> Work:
        """As above."""

        def work(_: Progress) -> Mapping[str, int]:
            message = self._log.message(number)
            self._forgetting.message(message.id)
            return {"message": message.id}

        return work
