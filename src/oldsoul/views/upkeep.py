"""What happened, what runs, and what keepers did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from oldsoul.lazy import lazy
from oldsoul.values.frozen import frozen
from oldsoul.views.shape import ChangeNumber, Date, EntryId, Inside, Next, Path, Shown, Time, copied, example, one_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oldsoul.app import Agent
    from oldsoul.app.clock.timetable import CurrentRun, ScheduledJob
    from oldsoul.app.home.services import SpentDay
    from oldsoul.app.services.review import Disagreement, Side
    from oldsoul.driver import Report, RunStep
    from oldsoul.judging.corrections.corrections import Correction
    from oldsoul.ledger import Outcome
    from oldsoul.values.jobs import DueTime, Event, Happened, JobStatus, SlotOutcome


@frozen
class EventShown(Shown):
    """One event: what it is about, and when; who else may know of it is not told."""

    kind: str
    """What it is about: a change, a proposal, a message, a job, the settings."""
    agent: str
    """The agent, team or shared workspace."""
    id: str
    """The id of what it is about."""
    state: str
    """What became of that."""
    time: Time
    """When it happened."""
    cursor: str
    """Where it is among all events."""


@frozen
class HappenedShown(Shown):
    """A page of events."""

    events: tuple[EventShown, ...]
    """The events."""
    cursor: str
    """Where the next page begins."""


def happened(of: Happened) -> HappenedShown:
    """A page of events, and the cursor for the next."""
    return HappenedShown(tuple(map(event, of)), of.cursor)


def event(of: Event) -> EventShown:
    """One event: what it is about, by its id, and when."""
    return copied(EventShown, of, agent=of.workspace)


@frozen
class JobShown(Shown):
    """The state of long work."""

    id: Annotated[str, example("0123456789abcdef")]
    """Its id."""
    kind: Annotated[str, example("run")]
    """The method that was started."""
    agent: str
    """The agent it is for."""
    state: Annotated[str, one_of("queued", "running", "done", "failed", "cancelled")]
    """How far it is."""
    done: int
    """How many steps are done."""
    of: int | None
    """Of how many; null when unknown."""
    result: dict[str, int]
    """Its result, in numbers."""
    error: str
    """Why it failed; empty when it did not."""
    can_cancel: bool
    """Whether it can be stopped now."""
    queued: Time
    """When it was asked for."""
    ended: Time | None
    """When it ended."""


def job(of: JobStatus) -> JobShown:
    """The state of long work."""
    can_cancel = not of.state.is_over and (of.can_stop or of.state == "queued")
    return copied(JobShown, of, of=of.of or None, can_cancel=can_cancel)


@frozen
class JobList(Shown):
    """A page of jobs, the latest first."""

    jobs: tuple[JobShown, ...]
    """The jobs."""
    next: Next
    """Give it as `cursor` for the next page; null after the last."""


@frozen
class Stopping(Shown):
    """Whether a job stops."""

    id: str
    """Its id."""
    stops: bool
    """Whether it will stop at the next safe point, or has been stopped."""


(seals,) = lazy("oldsoul.app.home", "seals")
Keeper = Annotated[str, example("memory-miner")]


@frozen
class PromotedShown(Shown):
    """An entry that went to long-term memory."""

    path: Path
    """The file it went to."""
    text: str
    """What it says."""


@frozen
class StepShown(Shown):
    """One change of a run, made, proposed or refused."""

    files: tuple[Path, ...]
    """The files it is about."""
    reason: str
    """Why."""
    change: ChangeNumber | None
    """The change in the history, where it was made."""
    proposal: str | None
    """The proposal, where it waits for approval."""
    repeated: bool
    """Whether it was made before."""
    promoted: tuple[PromotedShown, ...]
    """The entries that go to long-term memory."""
    masked: int
    """How many secrets were masked."""
    warnings: tuple[str, ...]
    """What else is to be known."""
    problem: str
    """Why it was not done; empty when it was."""
    waits: bool
    """In a dry run: whether it would wait for approval."""
    diff: str
    """In a dry run: what it would change."""


@frozen
class ReportShown(Shown):
    """A run of a keeper: what it did, and what it asked of the language model."""

    keeper: Annotated[str, example("recall-validator")]
    """The keeper."""
    run: Inside
    """What tells this run from others; empty for others than the operator."""
    done: bool
    """Whether it is finished; if not, start it again."""
    steps: tuple[StepShown, ...]
    """Its changes."""
    notes: tuple[str, ...]
    """What else is to be known."""
    problems: tuple[str, ...]
    """What it could not do."""
    asked: int
    """How many questions it asked of the model."""
    tokens_in: int
    """How many tokens these had."""
    tokens_out: int
    """How many tokens the answers had."""
    cost: float
    """What they cost; 0 where no price is set."""
    facts: dict[str, str]
    """Further facts of the run."""


def report(of: Report) -> ReportShown:
    """A keeper's run: its steps, what it could not do, and what it asked of the model."""
    return copied(ReportShown, of, keeper=of.run.keeper, run=seals.inside(of.run.key), steps=map(_step, of.steps))


def _step(of: RunStep) -> StepShown:
    outcome, plan = of.outcome, of.plan
    change = outcome.change if outcome else None
    proposal = outcome.proposal if outcome else None
    return copied(
        StepShown,
        of,
        reason=of.change_set.reason,
        change=seals.change(change.id) if change else None,
        proposal=proposal.id if proposal else None,
        repeated=bool(outcome and outcome.repeated),
        promoted=[PromotedShown(name.path, text) for name, text in of.promoted],
        masked=outcome.masked if outcome else 0,
        warnings=outcome.warnings if outcome else plan.warnings if plan else (),
        waits=plan is not None and str(plan.verdict) == "ask",
        diff=of.difference if plan is not None else "",
    )


@frozen
class DayRun(ReportShown):
    """What became of one day of a session."""

    day: Date
    """The day."""


@frozen
class EndedShown(Shown):
    """A session that was turned into memory."""

    session: str
    """Its id."""
    dry_run: bool
    """Whether nothing was written."""
    done: bool
    """Whether all of it is done; if not, end it again."""
    runs: tuple[DayRun, ...]
    """What became of each of its days."""


def ended(session: str, reports: Sequence[Report], *, dry_run: bool) -> EndedShown:
    """A session that was made memory of: whether all of it is done, and a run for each of its days."""
    runs = tuple(copied(DayRun, report(each), day=day_of(each)) for each in reports)
    return EndedShown(session, dry_run, dry_run or all(each.done for each in reports), runs)


def day_of(of: Report) -> str:
    """The day that a run which ends a session is about."""
    return of.run.key.rsplit(":", 2)[1]


@frozen
class KeeperShown(Shown):
    """A keeper: what looks after memory."""

    keeper: Keeper
    """Its name."""
    does: str
    """What it does."""


@frozen
class KeeperList(Shown):
    """The keepers there are."""

    keepers: tuple[KeeperShown, ...]
    """The keepers."""


@frozen
class KeeperRan(Shown):
    """A keeper that was run, or tried."""

    keeper: Keeper
    """Which."""
    dry_run: bool
    """Whether nothing was written: each step says what it would change (`diff`), and whether that would wait (`waits`)."""
    done: bool
    """Whether all of it is done; if not, run it again."""
    runs: tuple[ReportShown, ...]
    """Its runs, but for those that had nothing to do."""


def ran(keeper: str, reports: Iterable[Report], *, dry_run: bool) -> KeeperRan:
    """A keeper that was run, or tried, and what it did."""
    every = tuple(reports)
    told = tuple(report(each) for each in every if each.steps or each.notes or each.asked)
    return KeeperRan(keeper, dry_run, dry_run or all(each.done for each in every), told)


@frozen
class CorrectionShown(Shown):
    """Something that was corrected."""

    id: EntryId
    """Its id."""
    date: Date
    """The day it was corrected."""
    correct: Annotated[str, example("The meeting is on Thursday")]
    """What holds."""
    wrong: str
    """The wrong value."""
    right: str
    """The right one."""
    embedded: bool
    """Whether search knows it."""
    problem: str
    """Why it does not hold, if it was checked; empty when it does."""


def correction(of: Correction, problem: str = "") -> CorrectionShown:
    """Something that was corrected: what holds, the wrong value and the right one."""
    return copied(CorrectionShown, of, date=of.day, wrong=of.old, right=of.new, problem=problem)


@frozen
class CorrectionList(Shown):
    """A page of corrections, the oldest first."""

    corrections: tuple[CorrectionShown, ...]
    """The corrections."""
    next: Next
    """Give it as `cursor` for the next page; null after the last."""


@frozen
class Withdrawn(Shown):
    """A correction that was taken back."""

    withdrawn: EntryId
    """Its id."""
    changes: tuple[ChangeNumber, ...]
    """The changes that took it back."""


def withdrawn(correction: str, outcomes: Iterable[Outcome]) -> Withdrawn:
    """A correction that was taken back, and the changes that did it."""
    return Withdrawn(correction, tuple(seals.change(one.change.id) for one in outcomes if one.change))


@frozen
class SideShown(Shown):
    """One of two memories that disagree."""

    ref: EntryId
    """The id of the entry, or `m:118` for a message; empty where CONFLICTS.md does not say."""
    path: str | None
    """The file of the entry; null for a message."""
    line: int | None
    """Its line there."""
    text: str
    """What it says; when it is gone, what it said then."""
    standing: bool
    """Whether it is still memory: neither gone nor replaced."""
    seen: str | None
    """The day it was last mentioned."""
    confidence: float | None
    """Its confidence today; null for a message."""
    source: str
    """The message it comes from."""
    origin: str | None
    """Who stated it."""
    audience: str | None
    """Who may see it."""


@frozen
class ConflictShown(Shown):
    """Two memories that cannot both be true."""

    conflict: EntryId
    """Its id."""
    found: Annotated[str, example("2026-02-04 10:00 UTC")]
    """When it was found."""
    state: Annotated[str, one_of("open", "settled")]
    """Whether it was settled."""
    why: str
    """Why they cannot both be true."""
    outcome: str
    """What became of it."""
    proposal: str | None
    """The open proposal that would keep the newer one. Settling the conflict closes it."""
    sides: tuple[SideShown, ...]
    """The two memories."""


def conflict(of: Disagreement) -> ConflictShown:
    """Two memories that disagree: why, what became of it, and both sides as they stand."""
    return copied(
        ConflictShown, of, conflict=of.id, proposal=of.proposal or None, sides=[_side(side) for side in of.sides]
    )


def _side(of: Side) -> SideShown:
    found = {name: getattr(of, name) or None for name in ("path", "line", "origin", "audience")}
    return copied(SideShown, of, **found)


@frozen
class ConflictList(Shown):
    """A page of conflicts, the oldest first."""

    conflicts: tuple[ConflictShown, ...]
    """The conflicts."""
    next: Next
    """Give it as `cursor` for the next page; null after the last."""


@frozen
class Due(Shown):
    """When something is due."""

    slot: str
    """The id of the slot."""
    at: Time
    """When that is."""


def _due(of: DueTime) -> Due:
    return Due(of.id, of.at.isoformat())


@frozen
class PastRun(Due):
    """What came of a scheduled run."""

    status: str
    """How it ended."""
    started: Time | None
    """When it was begun."""
    ended: Time | None
    """When it ended."""
    seconds: float | None
    """How long it took."""
    changes: int
    """How many changes it made."""
    tokens_in: int
    """How many tokens its questions to the model had."""
    tokens_out: int
    """How many tokens the answers had."""
    cost: float
    """What they cost; 0 where no price is set."""
    attempts: int
    """How often it was begun."""
    notes: tuple[str, ...]
    """What else is to be known."""


def past(of: SlotOutcome) -> PastRun:
    """What came of a job's slot: its status, how long it took, what it changed and cost."""
    result = of.result
    seconds = result.duration.total_seconds() if result.duration is not None else None
    return copied(PastRun, result, slot=of.slot.id, at=of.slot.at, seconds=seconds)


@frozen
class PastList(Shown):
    """The scheduled runs of a keeper, the latest first."""

    runs: tuple[PastRun, ...]
    """The runs."""


@frozen
class RunShown(PastRun):
    """A scheduled run, and whose it was."""

    keeper: Keeper
    """The keeper."""


def run(keeper: str, of: SlotOutcome) -> RunShown:
    """What came of a scheduled run, and whose it was."""
    return copied(RunShown, past(of), keeper=keeper)


@frozen
class RunList(Shown):
    """A page of the scheduled runs of all keepers, the latest first."""

    runs: tuple[RunShown, ...]
    """The runs."""
    next: Next
    """Give it as `cursor` for the next page; null after the last."""


@frozen
class RunningNow(Shown):
    """A scheduled run that is under way."""

    what: str
    """What it is at."""
    slot: str
    """The slot it is for."""
    attempt: int
    """How often it was begun."""
    started: str
    """When."""


def _running(of: CurrentRun) -> RunningNow:
    return copied(RunningNow, of)


@frozen
class ScheduledShown(Shown):
    """A keeper of one agent as it is scheduled."""

    agent: str
    """The agent."""
    job: Keeper
    """The keeper."""
    setting: str
    """The setting that says when."""
    when: str
    """What that setting says."""
    zone: str
    """The time zone it is meant in."""
    next: Due | None
    """When it runs next; null for never."""
    running: RunningNow | None
    """The run that is under way."""
    last: PastRun | None
    """What came of the last run."""
    problem: str
    """Why it never runs, when its setting makes no sense."""


def scheduled_job(of: ScheduledJob) -> ScheduledShown:
    """A job of the schedule: when it is due, whether it runs, and its last result."""
    return copied(
        ScheduledShown,
        of.job,
        job=of.job.name,
        next=_due(of.next) if of.next else None,
        running=_running(of.running) if of.running else None,
        last=past(of.last) if of.last else None,
        problem=of.problem,
    )


@frozen
class ScheduleShown(Shown):
    """The schedule of the keepers."""

    schedule: tuple[ScheduledShown, ...]
    """Each keeper of each agent."""


@frozen
class SpentShown(Shown):
    """What questions to language models took on one day."""

    day: Date
    """Which."""
    questions: int
    """How many were asked."""
    tokens_in: int
    """How many tokens they had."""
    tokens_out: int
    """How many tokens the answers had."""
    cost: float
    """In the currency of the prices; 0 where no price is set."""
    costs: dict[str, float]
    """What each keeper's questions cost; `reply` for replies."""


def spent(of: SpentDay) -> SpentShown:
    """What questions to models took on one day, and what each keeper's cost."""
    return copied(SpentShown, of.spent, day=of.day, questions=of.spent.calls, costs=of.costs)


@frozen
class SpendingShown(Shown):
    """What language models cost, day by day, the latest first."""

    since: str
    """The first day that was looked at."""
    until: str
    """The last."""
    days: tuple[SpentShown, ...]
    """The days on which something was asked."""


@frozen
class IndexState(Shown):
    """The state of the search index."""

    agent: str
    """Whose index it is."""
    documents: int
    """How many files are in it."""
    conversations: int
    """How many conversations."""
    chunks: int
    """How many pieces these have."""
    embedder: str
    """What compares meaning; `none` where words alone are compared."""
    file: str | None
    """Where it is; null in PostgreSQL."""
    size: int
    """How many bytes it has."""
    waiting: int
    """How many files and conversations have changed since they were indexed."""
    up_to_date: bool
    """Whether none has."""
    making: str | None
    """What is being rebuilt now."""
    problems: tuple[str, ...]
    """What was left out, and why."""


def index(agent: Agent) -> IndexState:
    """How the index of an agent's memory stands."""
    found = agent.index.status()
    state = found.state
    return copied(
        IndexState,
        state,
        agent=agent.id,
        embedder=found.embedder,
        file=found.file or None,
        size=found.size,
        up_to_date=not state.waiting and not found.making,
        making=found.making or None,
        problems=found.problems,
    )


@frozen
class BrokenCorrection(Shown):
    """A correction that does not hold."""

    correction: EntryId
    """Its id."""
    problem: str
    """What search finds instead."""


@frozen
class IndexRebuilt(IndexState):
    """An index that was rebuilt."""

    broken: tuple[BrokenCorrection, ...]
    """The corrections that do not hold in it."""


def index_rebuilt(agent: Agent, broken: Iterable[tuple[str, str]]) -> IndexRebuilt:
    """How an index stands that was rebuilt, and the corrections that do not hold in it, each with why."""
    return copied(IndexRebuilt, index(agent), broken=[BrokenCorrection(*each) for each in broken])
