"""What a server does beside answering: it keeps indexes up to date, runs the schedule, and hands BOOT.md over."""

from __future__ import annotations

import logging

from oldsoul.app import Oldsoul
from oldsoul.app.clock.scheduler import Scheduler, SchedulerEvent
from oldsoul.app.clock.watcher import SyncEvent, Watcher
from oldsoul.errors import OldsoulError
from oldsoul.values.jobs import Status

_log = logging.getLogger("oldsoul")


class Background:
    """The work of one server in the background."""

    def __init__(self, soul: Oldsoul) -> None:
        self._soul = soul
        self._watcher: Watcher | None = None
        self._scheduler: Scheduler | None = None
        self._problems: dict[str, tuple[str, str, str]] = {}

    def start(self) -> None:
        """Begin: finish what was interrupted, hand BOOT.md over, then watch files and run the schedule."""
        try:
            self._soul.finish_forgetting()
            self._soul.boot()
        except (OldsoulError, OSError) as error:  # the server is of use without it
            self._note("start", str(error))
        self._watcher = self._soul.watch(on_event=self._synced)
        self._watcher.start()
        self._scheduler = self._soul.scheduler(on_event=self._scheduled)
        self._scheduler.start()

    def stop(self) -> None:
        """Begin nothing more, and wait for the end of what is under way."""
        if self._scheduler is not None:
            self._scheduler.finish()
        if self._watcher is not None:
            self._watcher.stop()
        if self._scheduler is not None:
            self._scheduler.stop()

    def problems(self) -> list[tuple[str, str, str]]:
        """What does not work at present: what it is about, why, and what to do."""
        return list(self._problems.values())

    def _synced(self, taken: SyncEvent) -> None:
        self._note(f"watching {taken.agent}".strip(), taken.problem)

    def _scheduled(self, told: SchedulerEvent) -> None:
        about = f"{told.job.name} of {told.job.agent}" if told.job else "schedule"
        result = told.past.result if told.past else None
        failed = "; ".join(result.notes) or "failed" if result and result.status is Status.FAILED else ""
        self._note(about, told.problem or failed)

    def _note(self, about: str, problem: str) -> None:
        """Keep a problem until the same work succeeds."""
        if not problem:
            self._problems.pop(about, None)
            return
        if about not in self._problems:
            _log.warning("%s: %s", about, problem)
        self._problems[about] = (about, problem, "")
