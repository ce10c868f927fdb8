"""Jobs: long work in background threads, whose progress and result every process of a home can see."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import replace

from oldsoul.app.events import KEPT
from oldsoul.app.home.world import Signal
from oldsoul.errors import Cancelled, Closed, Unwritable
from oldsoul.ports import Clock, JobLog, Leases
from oldsoul.values.jobs import JobState, JobStatus

Work = Callable[["Progress"], Mapping[str, int]]

MOST_AT_ONCE = 4
"""So many jobs of one process run at the same time; others wait in a queue."""

_LOOK_SECONDS = 0.5
_NOTE_SECONDS = 0.1
_LEASES = "jobs"


class Job:
    """Long work in the background, started by `Agent.start` in this or another process."""

    def __init__(self, jobs: Jobs, job_id: str) -> None:
        self._jobs = jobs
        self.id = job_id
        """its id"""

    @property
    def status(self) -> JobStatus:
        """Everything known about it now."""
        return self._jobs.status(self.id)

    @property
    def kind(self) -> str:
        """The method that was started."""
        return self.status.kind

    @property
    def agent(self) -> str:
        """The agent whose memory it works on."""
        return self.status.agent

    @property
    def state(self) -> JobState:
        """Queued, running, done, failed or cancelled."""
        return self.status.state

    @property
    def progress(self) -> tuple[int, int]:
        """Steps done and steps in total; the total is 0 when unknown."""
        return self.status.done, self.status.of

    @property
    def result(self) -> Mapping[str, int]:
        """The result in numbers and ids; empty until it is done."""
        return self.status.result

    def cancel(self) -> bool:
        """Stop it at the next safe point; return whether it will stop. A `forget` that has begun does not."""
        return self._jobs.cancel(self.id)

    def wait(self, seconds: float | None = None) -> JobStatus:
        """Wait until it has ended, or for so many seconds; return its status."""
        return self._jobs.wait(self.id, seconds)

    def __repr__(self) -> str:
        return f"Job({self.id!r})"


class Progress:
    """How far work is. Work calls it where it may be ended; it raises `Cancelled` when it shall be."""

    def __init__(self, log: JobLog, job: str) -> None:
        self._log = log
        self._job = job
        self._noted = float("-inf")
        self.is_asked = threading.Event()
        """set when this process wants it to end"""
        self.done = self.of = 0

    def __call__(self, done: int, of: int = 0) -> None:
        """So many steps of so many are done, and it may be ended here."""
        self.note(done, of)
        if self.is_asked.is_set() or self._log.get(self._job).is_asked:
            raise Cancelled("it was cancelled; what was done so far is kept")

    def note(self, done: int, of: int = 0) -> None:
        """So many steps of so many are done; it must not be ended here."""
        self.done, self.of = done, of
        now = time.monotonic()
        if now - self._noted >= _NOTE_SECONDS:
            self._noted = now
            with suppress(Unwritable):  # it stops nobody
                self._log.note(self._job, done, of)


class Jobs:
    """The jobs of one home. Closing the home stops those that this process started, at a safe point."""

    def __init__(self, log: JobLog, leases: Leases, clock: Clock, signal: Signal) -> None:
        self._log = log
        self._leases = leases
        self._clock = clock
        self._signal = signal
        self._guard = threading.Lock()
        self._pool = ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="oldsoul-job")
        self._held = ExitStack()
        self._runner = ""
        self._running: dict[str, Progress] = {}
        self._problems: dict[str, str] = {}  # in words, of what failed here
        self._unwritten: dict[str, JobStatus] = {}  # what is over here, though that could not be written down
        self._is_closed = False

    def start(self, kind: str, agent: str, work: Work, *, can_stop: bool = True) -> Job:
        """Have work done in a thread."""
        with self._guard:
            if self._is_closed:
                raise Closed("this home is closed; open it again with Oldsoul.open")
            now = self._clock.now()
            job = JobStatus(uuid.uuid4().hex[:16], kind, agent, self._here(), now, can_stop)
            self._log.add(job, now - KEPT)
            self._running[job.id] = Progress(self._log, job.id)
            self._pool.submit(self._run, job, work)
        self._signal.give()
        return Job(self, job.id)

    def get(self, job_id: str) -> Job:
        """One job; `NotFound` when there is none of that id."""
        return Job(self, self._log.get(job_id).id)

    def every(self) -> list[Job]:
        """The jobs that run, and those that ended lately, of every process, the latest first."""
        self.settle()
        return [Job(self, job.id) for job in self._log.every()]

    def status(self, job_id: str) -> JobStatus:
        """How a job stands."""
        self.settle()
        job = self._unwritten.get(job_id) or self._log.get(job_id)
        return replace(job, error=self._problems.get(job_id, job.error)) if job.state is JobState.FAILED else job

    def cancel(self, job_id: str) -> bool:
        """Have a job end where nothing is half done; whether it will."""
        job = self.status(job_id)
        if job.state is JobState.QUEUED:
            if self._move(replace(job, state=JobState.CANCELLED), JobState.QUEUED):
                return True
            job = self._log.get(job_id)  # it has begun just now
        if job.state.is_over or not job.can_stop:
            return job.state is JobState.CANCELLED
        self._log.ask(job_id)
        return True

    def wait(self, job_id: str, seconds: float | None) -> JobStatus:
        """How a job stands once it is over, or when so many seconds are."""
        until = float("inf") if seconds is None else time.monotonic() + seconds
        while True:
            count = self._signal.count
            job = self.status(job_id)
            left = until - time.monotonic()
            if job.state.is_over or left <= 0:
                return job
            self._signal.wait(count, min(left, _LOOK_SECONDS))

    def settle(self) -> None:
        """Have jobs whose process was killed count as failed."""
        for job in self._log.every(unfinished=True):
            if job.runner != self._runner and not self._is_alive(job.runner):
                with suppress(Unwritable):
                    self._move(replace(job, state=JobState.FAILED, error="Killed"), job.state)

    def close(self) -> None:
        """End what this process runs, where nothing is half done, and wait for that."""
        with self._guard:
            self._is_closed = True
            for progress in [*self._running.values()]:
                progress.is_asked.set()
        self._pool.shutdown()
        self._held.close()

    def _run(self, job: JobStatus, work: Work) -> None:
        progress = self._running[job.id]
        try:
            begun = JobState.CANCELLED if progress.is_asked.is_set() else JobState.RUNNING
            if not self._move(replace(job, state=begun), JobState.QUEUED) or begun is JobState.CANCELLED:
                return  # it was cancelled before it began
            ended = self._worked(job, work, progress)
            self._move(replace(ended, done=progress.done, of=progress.of), JobState.RUNNING)
        except Unwritable as error:
            self._unwritten[job.id] = replace(job, state=JobState.FAILED, error=f"Unwritable: {error}")
            self._signal.give()
        finally:
            self._running.pop(job.id, None)

    def _worked(self, job: JobStatus, work: Work, progress: Progress) -> JobStatus:
        """What came of the work."""
        try:
            return replace(job, state=JobState.DONE, result=work(progress))
        except Cancelled:
            return replace(job, state=JobState.CANCELLED)
        except Exception as error:  # noqa: BLE001 - the outermost loop of a job: it is recorded
            self._problems[job.id] = f"{type(error).__name__}: {error}"
            return replace(job, state=JobState.FAILED, error=type(error).__name__)

    def _move(self, job: JobStatus, was: JobState) -> bool:
        now = self._clock.now()
        moved = self._log.move(replace(job, ended=now) if job.state.is_over else job, was, now)
        self._signal.give()
        return moved

    def _here(self) -> str:
        """What this process is known by, to those who ask whether it is there. A killed one is not."""
        slot = 0
        while not self._runner:
            lease = self._held.enter_context(self._leases.take(_LEASES, f"runner-{slot}"))
            if lease is not None:
                self._runner = f"{slot}:{uuid.uuid4().hex}"
                lease.note(self._runner)
            slot += 1
        return self._runner

    def _is_alive(self, runner: str) -> bool:
        return self._leases.noted(_LEASES, f"runner-{runner.partition(':')[0]}") == runner
