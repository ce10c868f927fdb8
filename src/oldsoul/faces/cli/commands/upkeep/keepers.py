"""`run`: let a keeper do its work now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from oldsoul.app.keepers.keeping import JOBS
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
