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
from oldsoul.faces.cli.frame import FAILED
from oldsoul.faces.cli.output import clean, counted, styled, to_stdout
from oldsoul.faces.cli.verbs import Verb, pass_frame
from oldsoul.views import upkeep

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from oldsoul.app.clock.scheduling import Scheduler, Told
    from oldsoul.faces.cli.frame import Frame
    from oldsoul.values.jobs import Past, Scheduled

NONE = "–"
COLOURS = {"failed": "red", "stopped": "yellow", "skipped": "dim"}
_NAMELESS = "local"
"""The zone of a machine that does not name it: the one cron uses anyway."""


def agents_of(frame: Frame) -> list[str]:
    """The agents a call is about."""
    return [frame.agent.id] if frame.agent_id else frame.soul.parts.timetable.agents()


def status_of(past: Past | None) -> str:
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
        facts += [counted(result.changes, "change"), length_of(result.duration)]
    facts += [clean(note) for note in result.notes]
    return ", ".join(facts)


def _style(past: Past) -> list[str]:
    return [style for style in [COLOURS.get(status_of(past), "")] if style]


def crontab_of(frame: Frame) -> list[str]:
    """Lines for `crontab -e`: one a job, under the zone it is meant in."""
    soul = frame.soul
    lines = [
        "# Oldsoul's keepers, for `crontab -e`. A cron without CRON_TZ (see `man 5 crontab`) uses the machine's zone.",
        "# If `oldsoul keepers start` or a server runs as well, set keepers.schedule.enabled to false.",
    ]
    zone = ""
    jobs = [job for name in agents_of(frame) for job in soul.parts.timetable.jobs(name)]
    for job in sorted(jobs, key=lambda job: str(job.zone) != _NAMELESS):
        fields = schedule_of(job).fields
        if not fields:
            continue
        if str(job.zone) not in (zone, _NAMELESS):
            zone = str(job.zone)
            lines.append(f"CRON_TZ={zone}")
        command = _command(job, soul.parts.world.home)
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
