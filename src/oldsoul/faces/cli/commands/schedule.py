"""`keepers start`: keepers on schedule until they are stopped; and lines for the system's own crontab."""

from __future__ import annotations

import gc
import json
import re
import shlex
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import click

from oldsoul.app.clock.timetable import schedule_of
from oldsoul.app.keepers.answers import answer_taken, questions_given
from oldsoul.faces.cli import given
from oldsoul.faces.cli.frame import FAILED
from oldsoul.faces.cli.output import clean, counted, lines_of, styled, table, to_stdout, when
from oldsoul.faces.cli.verbs import Verb, Verbs, Whole, common, pass_frame
from oldsoul.values.keepers import KEEPERS
from oldsoul.views import upkeep
from oldsoul.views.shape import plain

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from oldsoul.app.clock.scheduler import Scheduler, SchedulerEvent
    from oldsoul.app.clock.timetable import ScheduledJob
    from oldsoul.driver import Report
    from oldsoul.faces.cli.frame import Frame
    from oldsoul.values.jobs import Scheduled, SlotOutcome


NONE = "–"
COLOURS = {"failed": "red", "stopped": "yellow", "skipped": "dim"}
_NAMELESS = "local"
"""The zone of a machine that does not name it: the one cron uses anyway."""


def agents_of(frame: Frame) -> list[str]:
    """The agents a call is about."""
    return [frame.agent.id] if frame.agent_id else frame.soul.timetable.agents()


def status_of(past: SlotOutcome | None) -> str:
    """How a slot ended."""
    return str(past.result.status) if past else ""


def length_of(duration: timedelta | None) -> str:
    """How long something took."""
    if duration is None:
        return NONE
    seconds = duration.total_seconds()
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{seconds:.1f} s"
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"  # noqa: PLR2004


def money_of(cost: float) -> str:
    """A cost, if there was any."""
    return f"{cost:.4f}" if cost else NONE


@click.command("start", cls=Verb)
@click.option("--once", is_flag=True, help="Run what is due now, then exit; the exit code is 1 when something failed.")
@pass_frame
def start(frame: Frame, once: bool) -> None:
    """Run the keepers of all agents (or of one, with -a) on schedule, until Ctrl-C or SIGTERM stops it.

    A running keeper is finished first; a second Ctrl-C stops at once. Several processes may do this at the same time: each
    job is run by one of them. With --json, each result is a line.

    Example: oldsoul keepers start --once
    """
    soul = frame.soul
    agents = agents_of(frame)
    scheduler = soul.scheduler(agents, lambda told: _tell(frame, told, several=len(agents) > 1))
    if once:
        told = scheduler.tick()
        if not told:
            frame.note("Nothing is due.")
        if any(each.problem or status_of(each.past) == "failed" for each in told):
            raise click.exceptions.Exit(FAILED)
        return
    _until_told(frame, scheduler, f"Running the keepers of {', '.join(map(clean, agents))}; press Ctrl-C to stop.")


def _until_told(frame: Frame, scheduler: Scheduler, greeting: str) -> None:
    """Run until the first signal, and what is under way to its end; a second one ends it as it usually does."""
    gc.enable()  # this one is not soon over
    came: list[int] = []

    def handle(number: int, _: object) -> None:
        came.append(number)
        for each, before in usual.items():
            signal.signal(each, before)
        # In a thread, since what was interrupted may be the very thing that is to be told.
        threading.Thread(target=scheduler.finish).start()

    usual = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    frame.note(greeting)
    try:
        scheduler.run()
    finally:
        for each, before in usual.items():
            signal.signal(each, before)
    if signal.SIGINT in came:
        raise KeyboardInterrupt
    frame.note("Stopped.")


def _tell(frame: Frame, told: SchedulerEvent, *, several: bool) -> None:
    job, past = told.job, told.past
    now = frame.soul.agent(job.agent if job else None).now()
    if frame.wants_json:
        about = {"time": now.isoformat(), "agent": job.agent if job else None, "job": job.name if job else None}
        more = plain(upkeep.past(past)) if past else {"problem": told.problem}
        to_stdout(json.dumps({**about, **more}, ensure_ascii=False), exact=True)
        return
    whose = f"{clean(job.agent)}: " if several and job else ""
    if job is None or past is None:
        frame.note(f"{whose}{f'{job.name}: ' if job else ''}{clean(told.problem)}")
    else:
        to_stdout(f"{now:%H:%M:%S}  {whose}{_told_line(job, past, now)}")


def _told_line(job: Scheduled, past: SlotOutcome, now: datetime) -> str:
    result = past.result
    day = "" if past.slot.wall.date() == now.date() else f"{past.slot.wall:%Y-%m-%d} "
    facts = [f"{job.name} of {day}{past.slot.wall:%H:%M}: {styled(str(result.status), *_style(past))}"]
    if result.duration is not None:
        facts += [counted(result.changes, "change"), length_of(result.duration)]
    facts += [clean(note) for note in result.notes]
    return ", ".join(facts)


def _style(past: SlotOutcome) -> list[str]:
    return [style for style in [COLOURS.get(status_of(past), "")] if style]


def crontab_of(frame: Frame) -> list[str]:
    """Lines for `crontab -e`: one a job, under the zone it is meant in."""
    soul = frame.soul
    lines = [
        "# Oldsoul's keepers, for `crontab -e`. A cron without CRON_TZ (see `man 5 crontab`) uses the machine's zone.",
        "# If `oldsoul keepers start` or a server runs as well, set keepers.schedule.enabled to false.",
    ]
    zone = ""
    jobs = [job for name in agents_of(frame) for job in soul.timetable.jobs(name)]
    for job in sorted(jobs, key=lambda job: str(job.zone) != _NAMELESS):
        fields = schedule_of(job).fields
        if not fields:
            continue
        if str(job.zone) not in (zone, _NAMELESS):
            zone = str(job.zone)
            lines.append(f"CRON_TZ={zone}")
        command = _command(job, soul.folder)
        if re.search(r"#|\bLW?\b|[0-9]L\b", fields):
            lines.append(f"# cron cannot express {job.when!r}, the schedule of: {command}")
        else:
            lines.append(f"{fields.lower()} {command}")
    return lines


def _command(job: Scheduled, home: str) -> str:
    """What cron is to run; a per cent sign would be a line break to it."""
    beside = Path(sys.executable).with_name("oldsoul")
    program = str(beside) if beside.exists() else "oldsoul"
    words = [program, "keepers", "run", job.name, "--agent", job.agent, "--home", home]
    return shlex.join(words).replace("%", "\\%")


@click.group(cls=Verbs, default="list")
@common
def keepers() -> None:
    """Show the keepers' schedule and results, or run them. Without a command: show the schedule.

    Keepers are background jobs that look after memory: they extract entries from conversations, find conflicts, archive.
    """


keepers.add_command(start)


def _jobs(_context: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """What the shell may complete."""
    return [record.name for record in KEEPERS if record.schedule and record.name.startswith(incomplete)]


@keepers.command("list")
@click.option("--crontab", is_flag=True, help="Print lines for the system's crontab instead.")
@pass_frame
def list_(frame: Frame, crontab: bool) -> None:
    """Show when each keeper runs, for all agents (or one, with -a), and its last result."""
    if crontab:
        lines = crontab_of(frame)
        frame.say("\n".join(lines), lines)
        return
    found = [line for name in agents_of(frame) for line in frame.soul.timetable.lines(name)]
    rows = [_row(frame, line) for line in found]
    styles = ["red" if line.problem else COLOURS.get(status_of(line.last), "") for line in found]
    heads = ("AGENT", "KEEPER", "SCHEDULE", "NEXT", "LAST", "TOOK", "CHANGES", "COST")
    problems = [styled(clean(line.problem), "red") for line in found if line.problem]
    frame.say(
        "\n".join([table(heads, rows, flexible=3, styles=styles), *problems]), list(map(upkeep.scheduled_job, found))
    )


def _row(frame: Frame, line: ScheduledJob) -> tuple[str, ...]:
    job, last = line.job, line.last
    if line.running is not None:
        coming = f"running: {line.running.what}" if line.running.what else "running"
    else:
        coming = f"{line.next.wall:%Y-%m-%d %H:%M}" if line.next else "never"
    said = (job.agent, job.name, job.when, coming)
    if last is None:
        return (*said, NONE, NONE, NONE, NONE)
    result = last.result
    now = frame.soul.agent(job.agent).now()
    then = f", {when(result.ended.isoformat(), now)}" if result.ended else ""
    return (*said, f"{result.status}{then}", length_of(result.duration), str(result.changes), money_of(result.cost))


@keepers.command("history")
@click.argument("job", metavar="KEEPER", shell_complete=_jobs)
@click.option("-n", "--number", type=Whole(1, 1000), default=20, show_default=True, help="How many.")
@pass_frame
def history(frame: Frame, job: str, number: int) -> None:
    """Show the results of a keeper's scheduled runs, latest first."""
    agent = frame.agent
    found = agent.keepers.history(job)[:number]
    rows = [
        (
            f"{past.slot.wall:%Y-%m-%d %H:%M}",
            past.result.status,
            length_of(past.result.duration),
            past.result.changes,
            past.result.tokens_in + past.result.tokens_out,
            money_of(past.result.cost),
            past.result.attempts,
            "; ".join(past.result.notes),
        )
        for past in found
    ]
    heads = ("SLOT", "STATUS", "TOOK", "CHANGES", "TOKENS", "COST", "ATTEMPTS", "NOTES")
    styles = [COLOURS.get(status_of(past), "") for past in found]
    text = table(heads, rows, styles=styles) if rows else f"{job} has not run on schedule yet."
    frame.say(text, [upkeep.past(past) for past in found])


@keepers.command("run")
@click.argument("keeper", required=False, shell_complete=_jobs)
@click.option("--dry-run", is_flag=True, help="Show what would be written and what it costs, and write nothing.")
@pass_frame
def run(frame: Frame, keeper: str | None, dry_run: bool) -> None:
    """Run KEEPER now; without a name, list the keepers.

    Its changes are applied at once or wait for your approval, as the policy says. The exit code is 1 when a run could not
    be finished; run it again to continue.

    Example: oldsoul keepers run memory-miner --dry-run
    """
    if keeper is None:
        rows = [*frame.agent.keepers.all().items()]
        frame.say(table(("KEEPER", "WHAT IT DOES"), rows, flexible=1), [upkeep.KeeperShown(*row) for row in rows])
        return
    agent = frame.agent
    reports = []
    found = False
    for report in agent.keepers.run(keeper, dry_run=dry_run):
        reports.append(report)
        if not (report.steps or report.notes):
            continue  # it only says that there was nothing to do
        found = True
        if not frame.wants_json:
            cost = f", {_cost(report)}" if report.asked else ""
            to_stdout("\n".join([styled(f"{clean(report.run.key)}{cost}", "bold"), *lines_of(report, dry_run=dry_run)]))
    value = upkeep.ran(keeper, reports, dry_run=dry_run)
    ending = "Nothing to do." if not found else "Nothing was written." if dry_run else ""
    frame.say(ending, value)
    if not value.done:
        raise click.exceptions.Exit(FAILED)


def _cost(report: Report) -> str:
    """What a run asked of the model, and what that cost."""
    money = f", {report.cost:.4f}" if report.cost else ""
    return f"{counted(report.asked, 'question')} to the model, {report.tokens_in + report.tokens_out:,} tokens{money}"


@keepers.command()
@click.option("--as", "who", metavar="SESSION", default="dm", help=f"For which session. {given.SESSIONS}")
@click.option("-n", "--limit", type=Whole(1, 20), default=1, help="How many questions at most; 1 by default.")
@click.option("--answer", "question", metavar="ID", help="Answer this question with JSON from standard input.")
@pass_frame
def work(frame: Frame, who: str, limit: int, question: str | None) -> None:
    """Answer the keepers' questions in place of a language model: print open questions, or answer one.

    A question has instructions, evidence and the JSON schema of the answer. For half an hour, nobody else gets it.
    """
    agent = frame.agent
    session = given.viewer(agent, who)
    if question is not None:
        taken = answer_taken(
            agent.keepers.answer(question, given.from_stdin().decode("utf-8", "replace"), session=session)
        )
        frame.say(f"Answer taken, {counted(taken['changes'], 'change')}.", taken)
        return
    found = questions_given(agent.keepers.work(session=session, limit=limit))
    shown = [f"{one['id']}  {one['kind']}\n{one['instructions']}\n{one['evidence']}\n" for one in found["questions"]]
    frame.say("\n".join(clean(line) for one in shown for line in one.split("\n")) or "No open questions.", found)
