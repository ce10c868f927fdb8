"""`keepers`: the jobs that look after memory: their schedule and results, running one now, and answering their questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from oldsoul.app.clock.timetable import JOBS as SCHEDULED
from oldsoul.app.keepers.keeping import JOBS
from oldsoul.app.keepers.thinking import memory_answer, memory_work
from oldsoul.faces.cli import given
from oldsoul.faces.cli.commands.upkeep.scheduling import (
    COLOURS,
    NONE,
    agents_of,
    crontab_of,
    length_of,
    money_of,
    start,
    status_of,
)
from oldsoul.faces.cli.frame import FAILED
from oldsoul.faces.cli.output import clean, counted, styled, table, to_stdout, when
from oldsoul.faces.cli.reports import lines_of
from oldsoul.faces.cli.verbs import Verbs, common, pass_frame
from oldsoul.views import upkeep

if TYPE_CHECKING:
    from oldsoul.app.clock.timetable import Line
    from oldsoul.driver import Report
    from oldsoul.faces.cli.frame import Frame


@click.group(cls=Verbs, default="list")
@common
def keepers() -> None:
    """Show the keepers' schedule and results, or run them. Without a command: show the schedule.

    Keepers are background jobs that look after memory: they extract entries from conversations, find conflicts, archive.
    """


keepers.add_command(start)


def _jobs(_context: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """What the shell may complete."""
    return [job for job in SCHEDULED if job.startswith(incomplete)]


@keepers.command("list")
@click.option("--crontab", is_flag=True, help="Print lines for the system's crontab instead.")
@pass_frame
def list_(frame: Frame, crontab: bool) -> None:
    """Show when each keeper runs, for all agents (or one, with -a), and its last result."""
    if crontab:
        lines = crontab_of(frame)
        frame.say("\n".join(lines), lines)
        return
    found = [line for name in agents_of(frame) for line in frame.soul.parts.timetable.lines(name)]
    rows = [_row(frame, line) for line in found]
    styles = ["red" if line.problem else COLOURS.get(status_of(line.last), "") for line in found]
    heads = ("AGENT", "KEEPER", "SCHEDULE", "NEXT", "LAST", "TOOK", "CHANGES", "COST")
    problems = [styled(clean(line.problem), "red") for line in found if line.problem]
    frame.say("\n".join([table(heads, rows, flexible=3, styles=styles), *problems]), list(map(upkeep.job, found)))


def _row(frame: Frame, line: Line) -> tuple[str, ...]:
    job, last = line.job, line.last
    if line.running is not None:
        coming = f"running: {line.running.what}" if line.running.what else "running"
    else:
        coming = f"{line.next.wall:%Y-%m-%d %H:%M}" if line.next else "never"
    said = (job.agent, job.name, job.when, coming)
    if last is None:
        return (*said, NONE, NONE, NONE, NONE)
    result = last.result
    now = frame.soul.agent(job.agent).parts.today()
    then = f", {when(result.ended.isoformat(), now)}" if result.ended else ""
    return (*said, f"{result.status}{then}", length_of(result.duration), str(result.changes), money_of(result.cost))


@keepers.command("history")
@click.argument("job", metavar="KEEPER", shell_complete=_jobs)
@click.option("-n", "--number", type=click.IntRange(1, 1000), default=20, show_default=True, help="How many.")
@pass_frame
def history(frame: Frame, job: str, number: int) -> None:
    """Show the results of a keeper's scheduled runs, latest first."""
    agent = frame.agent
    found = frame.soul.parts.timetable.history(agent.id, job)[:number]
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
        rows = [(name, about) for name, (_, about) in JOBS.items()]
        frame.say(table(("KEEPER", "WHAT IT DOES"), rows, flexible=1), [{"keeper": n, "does": a} for n, a in rows])
        return
    agent = frame.agent
    values = []
    is_done = True
    for report in agent.parts.keeping.run(keeper, dry_run=dry_run):
        is_done = is_done and (dry_run or report.done)
        if not (report.steps or report.notes):
            continue  # it only says that there was nothing to do
        values.append(upkeep.report(report))
        if not frame.wants_json:
            cost = f", {_cost(report)}" if report.asked else ""
            to_stdout("\n".join([styled(f"{clean(report.run.key)}{cost}", "bold"), *lines_of(report, dry_run=dry_run)]))
    ending = "Nothing to do." if not values else "Nothing was written." if dry_run else ""
    frame.say(ending, {"keeper": keeper, "dry_run": dry_run, "done": is_done, "runs": values})
    if not is_done:
        raise click.exceptions.Exit(FAILED)


def _cost(report: Report) -> str:
    """What a run asked of the model, and what that cost."""
    money = f", {report.cost:.4f}" if report.cost else ""
    return f"{counted(report.asked, 'question')} to the model, {report.tokens_in + report.tokens_out:,} tokens{money}"


@keepers.command()
@click.option("--as", "who", metavar="SESSION", default="dm", help=f"For which session. {given.SESSIONS}")
@click.option("-n", "--limit", type=click.IntRange(1, 20), default=1, help="How many questions at most; 1 by default.")
@click.option("--answer", "question", metavar="ID", help="Answer this question with JSON from standard input.")
@pass_frame
def work(frame: Frame, who: str, limit: int, question: str | None) -> None:
    """Answer the keepers' questions in place of a language model: print open questions, or answer one.

    A question has instructions, evidence and the JSON schema of the answer. For half an hour, nobody else gets it.
    """
    agent = frame.agent
    session = given.viewer(agent, who)
    if question is not None:
        taken = memory_answer(agent.parts, session, question, given.from_stdin().decode("utf-8", "replace"))
        frame.say(f"Answer taken, {counted(taken['changes'], 'change')}.", taken)
        return
    found = memory_work(agent.parts, session, limit)
    shown = [f"{one['id']}  {one['kind']}\n{one['instructions']}\n{one['evidence']}\n" for one in found["questions"]]
    frame.say("\n".join(clean(line) for one in shown for line in one.split("\n")) or "No open questions.", found)
