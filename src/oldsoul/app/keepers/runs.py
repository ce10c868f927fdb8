"""The keepers of one agent at work: what each is given, and what is noted when it is done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module

from oldsoul.app import jobs
from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.app.keepers.correction_checks import changes_breaking, checked, objection
from oldsoul.app.keepers.open_questions import Questions
from oldsoul.app.keepers.registry import chosen, keepers_of
from oldsoul.app.keepers.work import KeeperInputs, Work
from oldsoul.app.talk.days import Days
from oldsoul.app.talk.log import Log
from oldsoul.driver import Report, Run, WaitPolicy
from oldsoul.errors import Cancelled, OldsoulError, Refused
from oldsoul.values.audience import Audience
from oldsoul.values.changes import Author, ChangeSet, Role
from oldsoul.values.keepers import KeeperRecord

_VALIDATOR = "recall-validator"


class CorrectionWatch:
    """Which corrections held in recall before a keeper wrote anything, so that it can be told which it broke."""

    def __init__(self, agent: AgentWorkspace) -> None:
        self._agent = agent
        self._before: frozenset[str] | None = None

    def look(self) -> None:
        """Find out how they stand; only the first time it is called, since it asks recall for each of them."""
        if self._before is None:
            self._before = self._failing()

    def broken(self) -> list[str]:
        """Those that held when it looked, and do not any more."""
        return [] if self._before is None else sorted(self._failing() - self._before)

    def _failing(self) -> frozenset[str]:
        return frozenset(one.correction.id for one in checked(self._agent) if one.problem)


class KeeperRuns:
    """Runs an agent's keepers."""

    def __init__(self, inputs: KeeperInputs) -> None:
        self.inputs = inputs
        """what their work is prepared from"""
        self._agent = inputs.agent
        self._home = inputs.agent.home

    @classmethod
    def of(cls, agent: AgentWorkspace, log: Log, days: Days, questions: Questions) -> KeeperRuns:
        """The keepers of an agent, by its parts."""
        return cls(KeeperInputs(agent, log, days, questions))

    @property
    def records(self) -> dict[str, KeeperRecord]:
        """The keepers it has, by name."""
        return keepers_of(self._agent.settings.keepers)

    @property
    def is_on(self) -> bool:
        """Whether keepers run at all."""
        return self._agent.settings.keepers.enabled

    def run(
        self,
        job: str,
        *,
        dry_run: bool = False,
        on_progress: Callable[[str], None] = lambda _: None,
        answers: Mapping[str, str] | None = None,
    ) -> Iterator[Report]:
        """Let a keeper do what there is to do, run by run; dry, it shows what it would do and writes nothing.

        `answers` are what somebody answered to questions that wait, by their ids. `on_progress` hears of each run before it is
        made, and may raise `Cancelled`.
        """
        record = chosen(self.records, job)
        self._agent.check_enabled()
        if not self.is_on:
            raise Refused("the keepers are turned off (keepers.enabled)")
        works = record.works or import_module(f"oldsoul.app.keepers.{record.module}").works
        watch = None if job == _VALIDATOR else CorrectionWatch(self._agent)
        made: list[Report] = []

        def done(work: Work, held: frozenset[Audience]) -> Report:
            on_progress(f"{job}: {work.key}")
            report = self.do(work, dry_run=dry_run, watch=watch, patience=(job, answers or {}, held))
            further = None if dry_run else work.after(report)
            return replace(report, notes=(*report.notes, *further)) if further else report

        cancelled: Cancelled | None = None
        try:
            for report in self.in_order(works(self.inputs, dry_run=dry_run), done, dry_run=dry_run):
                made.append(report)
                yield report
        except Cancelled as error:  # between two runs: those that were made are still looked through
            cancelled = error
        if not dry_run and not cancelled:
            self.inputs.questions.ran(job)
        if watch is not None and any(report.changes for report in made):
            yield from self._taken_back(job, watch.broken(), made)
        if cancelled:
            raise cancelled

    def as_job(self, job: str) -> jobs.Work:
        """The same as a job in the background, which may be ended between two runs."""

        def work(progress: jobs.Progress) -> Mapping[str, int]:
            made: list[Report] = []
            made.extend(self.run(job, on_progress=lambda _: progress(len(made))))
            progress.note(len(made), len(made))
            asked, changes = sum(report.asked for report in made), sum(report.changes for report in made)
            return {"runs": len(made), "changes": changes, "asked": asked, "unfinished": sum(not r.done for r in made)}

        return work

    @staticmethod
    def in_order(
        works: Iterable[Work], done: Callable[[Work, frozenset[Audience]], Report], *, dry_run: bool
    ) -> Iterator[Report]:
        """Make runs one after the other, until one cannot be finished.

        Where one waits for answers, those after it are made that ask before other audiences alone: nobody's memory waits
        for an answer that only others can give, and what is said before one audience is read in its order.
        """
        held: set[Audience] = set()
        for work in works:
            report = done(work, frozenset(held))
            if report.done or report.steps or report.notes or report.taken:
                yield report
            held |= {waiting.ask.audience for waiting in report.waiting}
            if not dry_run and not report.done and not held:
                break

    def _taken_back(self, job: str, broken: Sequence[str], made: Sequence[Report]) -> Iterator[Report]:
        """What the runs wrote against corrections that do not hold any more, undone."""
        if not broken:
            return
        notes = [f"corrections that took effect before no longer do: {', '.join(broken)}"]
        author = Author(Role.SYSTEM, "corrections")
        for change in reversed(changes_breaking(self._agent, frozenset(broken), made)):
            try:
                self._home.ledger.undo(change.id, author)
                notes.append(f"change {change.id} was undone")
            except OldsoulError as error:
                notes.append(f"change {change.id} could not be undone: {error}")
        yield Report(Run(self._agent.id, job, f"{made[-1].run.key}:checked"), (), tuple(notes))

    def do(
        self,
        work: Work,
        *,
        dry_run: bool = False,
        watch: CorrectionWatch | None = None,
        patience: tuple[str, Mapping[str, str], frozenset[Audience]] | None = None,
    ) -> Report:
        """Make one run; what watches over corrections looks at them right before the run writes something.

        With patience (for which job, with which answers, behind whom) its questions wait where an agent answers them.
        """
        run = Run(self._agent.id, work.keeper, work.key)
        if dry_run:
            return self._home.driver.dry_run(run, work.begin)

        def objected(change_set: ChangeSet) -> str:
            problem = "" if work.keeper == _VALIDATOR else objection(self._agent, change_set)
            if not problem and watch is not None:
                watch.look()
            return problem

        questions = self.inputs.questions
        job, answers, held = patience or ("", {}, frozenset())
        report = self._home.driver.run(
            run,
            work.begin,
            opening=work.opening,
            closing=work.closing,
            objection=objected,
            wait_policy=WaitPolicy(bool(job) and questions.is_worth_waiting(work.key), answers, held),
        )
        if job:
            questions.settle(job, report)
        return report
