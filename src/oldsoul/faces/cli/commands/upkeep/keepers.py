"""`run`: let a keeper do its work now. `work`: do its thinking."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from oldsoul.app.keepers.keeping import JOBS
from oldsoul.app.keepers.thinking import memory_answer, memory_work
from oldsoul.faces.cli import given
from oldsoul.faces.cli.frame import FAILED, Frame
from oldsoul.faces.cli.output import clean, counted, styled, table, to_stdout
from oldsoul.faces.cli.reports import lines_of
from oldsoul.faces.cli.verbs import Verb, pass_frame
from oldsoul.views import upkeep

if TYPE_CHECKING:
    from oldsoul.driver import Report


@click.command(cls=Verb)
@click.argument("keeper", required=False)
@click.option("--dry-run", is_flag=True, help="Show what would be written and what it costs, and write nothing.")
@pass_frame
def run(frame: Frame, keeper: str | None, dry_run: bool) -> None:
    """Let a keeper do what there is to do; without a name, list the keepers.

    Its changes are made at once or wait for your approval, as the policy says. The exit code is 1 when a run could not
    be finished; started again, it goes on where it stopped.
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
    ending = "There is nothing to do." if not values else "Nothing was written." if dry_run else ""
    frame.say(ending, {"keeper": keeper, "dry_run": dry_run, "done": is_done, "runs": values})
    if not is_done:
        raise click.exceptions.Exit(FAILED)


def _cost(report: Report) -> str:
    """What a run asked of the model, and what that cost."""
    money = f", {report.cost:.4f}" if report.cost else ""
    return f"{counted(report.asked, 'question')} to the model, {report.tokens_in + report.tokens_out:,} tokens{money}"


@click.command(cls=Verb)
@click.option(
    "--as", "who", metavar="SESSION", default="dm", help="Whose eyes: dm, dm:PERSON, group:ROOM; yours if not given."
)
@click.option(
    "-n", "--limit", type=click.IntRange(1, 20), default=1, help="How many questions at most; 1 if not given."
)
@click.option("--answer", "question", metavar="ID", help="Answer this question, with JSON from standard input.")
@pass_frame
def work(frame: Frame, who: str, limit: int, question: str | None) -> None:
    """Do the keepers' thinking: print questions that wait for an agent, or answer one.

    Each has its instructions, its evidence and the JSON schema of its answer. For half an hour nobody else gets it.
    """
    agent = frame.agent
    session = given.viewer(agent, who)
    if question is not None:
        taken = memory_answer(agent.parts, session, question, given.from_stdin().decode("utf-8", "replace"))
        frame.say(f"Taken, {counted(taken['changes'], 'change')}.", taken)
        return
    found = memory_work(agent.parts, session, limit)
    shown = [f"{one['id']}  {one['kind']}\n{one['instructions']}\n{one['evidence']}\n" for one in found["questions"]]
    frame.say("\n".join(clean(line) for one in shown for line in one.split("\n")) or "There is nothing to do.", found)
