"""`schedule`: what runs when and what came of it; running it; lines for the system's own crontab."""

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

from oldsoul.app.clock.timetable import JOBS, schedule_of
from oldsoul.faces.cli.frame import FAILED, Frame
from oldsoul.faces.cli.output import clean, counted, styled, table, to_stdout, when
from oldsoul.faces.cli.verbs import Verbs, common, pass_frame
from oldsoul.views import upkeep

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from oldsoul.app.clock.scheduling import Scheduler, Told
    from oldsoul.app.clock.timetable import Line
    from oldsoul.values.jobs import Past, Scheduled

_NONE = "–"
_NAMELESS = "local"
"""The zone of a machine that does not say what it is called: the one cron goes by anyway."""
_COLOURS = {"failed": "red", "stopped": "yellow", "skipped": "dim"}


def _jobs(_context: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """What the shell may complete."""
    return [job for job in JOBS if job.startswith(incomplete)]


@click.group(cls=Verbs, invoke_without_command=True)
@click.option("--crontab", is_flag=True, help="Print lines for the system's crontab instead.")
@common
@click.pass_context
def schedule(context: click.Context, crontab: bool) -> None:
    """Show what keepers run when, for all agents (or one, with -a), and what came of it last."""
    if context.invoked_subcommand is not None:
        return
    frame = context.ensure_object(Frame)
    if crontab:
        lines = _crontab(frame)
        frame.say("\n".join(lines), lines)
        return
    found = [line for name in _agents(frame) for line in frame.soul.parts.timetable.lines(name)]
    rows = [_row(frame, line) for line in found]
    styles = ["red" if line.problem else _COLOURS.get(_status(line.last), "") for line in found]
    heads = ("AGENT", "JOB", "WHEN", "NEXT", "LAST", "TOOK", "CHANGES", "COST")
    problems = [styled(clean(line.problem), "red") for line in found if line.problem]
    frame.say("\n".join([table(heads, rows, flexible=3, styles=styles), *problems]), list(map(upkeep.job, found)))


def _agents(frame: Frame) -> list[str]:
    return [frame.agent.id] if frame.agent_id else frame.soul.parts.timetable.agents()


def _row(frame: Frame, line: Line) -> tuple[str, ...]:
    job, last = line.job, line.last
    if line.running is not None:
        coming = f"running: {line.running.what}" if line.running.what else "running"
    else:
        coming = f"{line.next.wall:%Y-%m-%d %H:%M}" if line.next else "never"
    said = (job.agent, job.name, job.when, coming)
    if last is None:
        return (*said, _NONE, _NONE, _NONE, _NONE)
    result = last.result
    now = frame.soul.agent(job.agent).parts.today()
    then = f", {when(result.ended.isoformat(), now)}" if result.ended else ""
    return (*said, f"{result.status}{then}", _length(result.duration), str(result.changes), _money(result.cost))


def _status(past: Past | None) -> str:
    return str(past.result.status) if past else ""


def _length(duration: timedelta | None) -> str:
    """How long something took."""
    if duration is None:
        return _NONE
    seconds = duration.total_seconds()
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{seconds:.1f} s"
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"  # noqa: PLR2004


def _money(cost: float) -> str:
    return f"{cost:.4f}" if cost else _NONE


@schedule.command("history")
@click.argument("job", shell_complete=_jobs)
@click.option("-n", "--number", type=click.IntRange(1, 1000), default=20, show_default=True, help="How many.")
@pass_frame
def history(frame: Frame, job: str, number: int) -> None:
    """Show what came of a JOB's slots, the latest first."""
    agent = frame.agent
    found = frame.soul.parts.timetable.history(agent.id, job)[:number]
    rows = [
        (
            f"{past.slot.wall:%Y-%m-%d %H:%M}",
            past.result.status,
            _length(past.result.duration),
            past.result.changes,
            past.result.tokens_in + past.result.tokens_out,
            _money(past.result.cost),
            past.result.attempts,
            "; ".join(past.result.notes),
        )
        for past in found
    ]
    heads = ("SLOT", "STATUS", "TOOK", "CHANGES", "TOKENS", "COST", "ATTEMPTS", "NOTES")
    styles = [_COLOURS.get(_status(past), "") for past in found]
    text = table(heads, rows, styles=styles) if rows else f"{job} has not been due yet."
    frame.say(text, [upkeep.past(past) for past in found])


@schedule.command("run")
@click.option("--once", is_flag=True, help="Do what is due now, and end; the exit code is 1 when something failed.")
@pass_frame
def run(frame: Frame, once: bool) -> None:
    """Run the keepers of all agents (or of one, with -a) by the clock, until Ctrl-C or SIGTERM.

    What is under way then is brought to its end; a second Ctrl-C does not wait for it. Several may run at once: each job
    is run by one of them. With --json: a line for each result.
    """
    soul = frame.soul
    agents = _agents(frame)
    scheduler = soul.scheduler(agents, lambda told: _tell(frame, told, several=len(agents) > 1))
    if once:
        told = scheduler.tick()
        if not told:
            frame.note("Nothing is due.")
        if any(each.problem or _status(each.past) == "failed" for each in told):
            raise click.exceptions.Exit(FAILED)
        return
    _until_told(frame, scheduler, f"Running the keepers of {', '.join(map(clean, agents))}; Ctrl-C ends it.")


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


def _tell(frame: Frame, told: Told, *, several: bool) -> None:
    job, past = told.job, told.past
    now = frame.soul.agent(job.agent if job else None).parts.today()
    if frame.wants_json:
        about = {"time": now.isoformat(), "agent": job.agent if job else None, "job": job.name if job else None}
        more = upkeep.past(past) if past else {"problem": told.problem}
        to_stdout(json.dumps({**about, **more}, ensure_ascii=False), exact=True)
        return
    whose = f"{clean(job.agent)}: " if several and job else ""
    if job is None or past is None:
        frame.note(f"{whose}{f'{job.name}: ' if job else ''}{clean(told.problem)}")
    else:
        to_stdout(f"{now:%H:%M:%S}  {whose}{_told_line(job, past, now)}")


def _told_line(job: Scheduled, past: Past, now: datetime) -> str:
    result = past.result
    day = "" if past.slot.wall.date() == now.date() else f"{past.slot.wall:%Y-%m-%d} "
    facts = [f"{job.name} of {day}{past.slot.wall:%H:%M}: {styled(str(result.status), *_style(past))}"]
    if result.duration is not None:
        facts += [counted(result.changes, "change"), _length(result.duration)]
    facts += [clean(note) for note in result.notes]
    return ", ".join(facts)


def _style(past: Past) -> list[str]:
    return [style for style in [_COLOURS.get(_status(past), "")] if style]


def _crontab(frame: Frame) -> list[str]:
    """Lines for `crontab -e`: one a job, under the zone it is meant in."""
    soul = frame.soul
    lines = [
        "# Oldsoul's keepers, for `crontab -e`. Where cron does not know CRON_TZ (see `man 5 crontab`), it goes by the",
        "# machine's zone. Set keepers.schedule.enabled to false where `oldsoul schedule run` or a server runs as well.",
    ]
    zone = ""
    jobs = [job for name in _agents(frame) for job in soul.parts.timetable.jobs(name)]
    for job in sorted(jobs, key=lambda job: str(job.zone) != _NAMELESS):
        fields = schedule_of(job).fields
        if not fields:
            continue
        if str(job.zone) not in (zone, _NAMELESS):
            zone = str(job.zone)
            lines.append(f"CRON_TZ={zone}")
        command = _command(job, soul.parts.world.home)
        if re.search(r"#|\bLW?\b|[0-9]L\b", fields):
            lines.append(f"# cron cannot say {job.when!r}, which is when this is due: {command}")
        else:
            lines.append(f"{fields.lower()} {command}")
    return lines


def _command(job: Scheduled, home: str) -> str:
    """What cron is to run; a per cent sign would be a line break to it."""
    beside = Path(sys.executable).with_name("oldsoul")
    program = str(beside) if beside.exists() else "oldsoul"
    words = [program, "run", job.name, "--agent", job.agent, "--home", home]
    return shlex.join(words).replace("%", "\\%")
