"""`days`: the agent's daily logs, and their archive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from oldsoul.errors import BadInput, NotFound
from oldsoul.faces.cli.output import clean, counted, raw, styled, table
from oldsoul.faces.cli.verbs import Verb, pass_frame
from oldsoul.reading.moments import day as day_of
from oldsoul.views import files

if TYPE_CHECKING:
    from oldsoul.app import Agent
    from oldsoul.app.talk.days import Day
    from oldsoul.faces.cli.frame import Frame


@click.command(cls=Verb)
@click.argument("day", required=False, metavar="[DATE]")
@click.option("--archive", is_flag=True, help="Archive old days now.")
@click.option("--restore", metavar="DATE", help="Restore a day from the archive, byte for byte.")
@pass_frame
def days(frame: Frame, day: str | None, archive: bool, restore: str | None) -> None:
    """List the daily logs, latest first, or print the log of DATE."""
    if (day is not None) + archive + (restore is not None) > 1:
        raise BadInput("give a date, --archive or --restore, one at a time")
    agent = frame.agent
    if archive:
        _archive(frame, agent)
    elif restore is not None:
        _restore(frame, agent, restore)
    elif day is not None:
        _print(frame, agent, day)
    else:
        found = agent.parts.days.all()
        rows = [(one.day, one.entries, f"{one.size:,}", one.name.path, "yes" if one.archived else "–") for one in found]
        text = table(("DAY", "ENTRIES", "BYTES", "FILE", "ARCHIVED"), rows, flexible=3)
        frame.say(text if rows else "No days yet.", [files.day(one) for one in found])


def _print(frame: Frame, agent: Agent, text: str) -> None:
    wanted = day_of(text)
    found = sorted(
        (one for one in agent.parts.days.all() if one.day == wanted), key=lambda one: (one.archived, _part(one))
    )
    if not found:
        raise NotFound(f"there is no log of {wanted}; `oldsoul days` lists those there are")
    here = [one for one in found if not one.archived] or found
    parts = [agent.parts.read(one.name).data or b"" for one in here]
    if frame.wants_json:
        value = [{**files.day(one), "text": files.text(data)} for one, data in zip(here, parts, strict=True)]
        frame.say("", value)
        return
    if here[0].archived:
        frame.note(f"From the archive; `oldsoul days --restore {wanted}` restores it.")
    for data in parts:
        raw(data)


def _part(one: Day) -> int:
    """The number of a file among those of its day."""
    number = one.name.path.removesuffix(".md").rpartition(".")[2]
    return int(number) if number.isdecimal() else 1


def _archive(frame: Frame, agent: Agent) -> None:
    gone = agent.parts.days.archive_old()
    limit = agent.parts.days.kept_for()
    if gone:
        text = "\n".join([f"Archived {counted(len(gone), 'file')}:", *(f"  {name.path}" for name in gone)])
    elif limit is None:
        text = "Nothing is archived, because memory.workspace.daily_log_retention_days is not set."
    else:
        text = f"No day is older than {counted(limit, 'day')}."
    problems = agent.parts.days.problems
    text = "\n".join([text, *(styled(f"Not archived: {clean(problem)}", "red") for problem in problems)])
    frame.say(text, {"archived": [name.path for name in gone], "after_days": limit, "problems": [*problems]})


def _restore(frame: Frame, agent: Agent, text: str) -> None:
    wanted = day_of(text)
    back = agent.restore_day(wanted)
    limit = agent.parts.days.kept_for()
    again = limit is not None and (agent.parts.today().date() - wanted).days > limit
    lines = [f"Restored: {', '.join(name.path for name in back)}"]
    if again:
        lines.append(f"Note: days older than {counted(limit or 0, 'day')} are archived once a day.")
    frame.say("\n".join(lines), {"restored": [name.path for name in back], "archived_again": again})
