"""`correct` and `corrections`: put something right, and see whether everything that was put right still holds."""

from __future__ import annotations

import click

from oldsoul.app.keepers import checks
from oldsoul.faces.cli.frame import FAILED, Frame
from oldsoul.faces.cli.output import clean, styled, table
from oldsoul.faces.cli.reports import lines_of
from oldsoul.faces.cli.verbs import Telling, Verb, pass_frame
from oldsoul.views import upkeep


@click.command(cls=Telling)
@click.argument("statement")
@click.option("--wrong", default="", help="The value that memory has wrong.")
@click.option("--right", default="", help="The value in its place, as the statement has it.")
@pass_frame
def correct(frame: Frame, statement: str, wrong: str, right: str) -> None:
    """Put something right: say in a sentence what is true.

    It is logged in CORRECTIONS.md, corrected where it stands with the old value kept as a comment, and not found any more.
    """
    agent = frame.agent
    report = agent.correct(statement, wrong=wrong, right=right)
    frame.say("\n".join(lines_of(report, dry_run=False)), upkeep.report(report))


@click.command(cls=Verb)
@click.option("--check", is_flag=True, help="Ask memory for each, and say what does not hold.")
@click.option("--withdraw", metavar="ID", help="Take one back, with all it changed.")
@pass_frame
def corrections(frame: Frame, check: bool, withdraw: str | None) -> None:
    """List what was put right, the latest last.

    With --check, each is asked for as you would: the right value must be found, the wrong one must not. The exit code is 1
    when one does not hold.
    """
    agent = frame.agent
    if withdraw is not None:
        undone = [outcome.change.id for outcome in agent.withdraw(withdraw) if outcome.change]
        frame.say(
            f"Withdrawn {clean(withdraw)}: what it called wrong holds again.",
            {"withdrawn": withdraw, "changes": undone},
        )
        return
    problems = {one.correction.id: one.problem for one in checks.checked(agent.parts)} if check else {}
    found = checks.standing(agent.parts)
    value = [{**upkeep.correction(one), **({"problem": problems.get(one.id, "")} if check else {})} for one in found]
    rows = [
        (
            one.id,
            one.day,
            one.old or "–",
            one.new or "–",
            one.correct,
            *([_state(one.id, problems)] if check else []),
        )
        for one in found
    ]
    heads = ("ID", "DATE", "WRONG", "RIGHT", "CORRECT", *(["HOLDS"] if check else []))
    text = table(heads, rows, flexible=4)
    broken = [one for one in found if problems.get(one.id)]
    told = "\n".join([text, *(styled(f"{one.id}: {clean(problems[one.id])}", "red") for one in broken)])
    frame.say(told if rows else "Nothing was corrected yet.", value)
    if broken:
        raise click.exceptions.Exit(FAILED)


def _state(correction: str, problems: dict[str, str]) -> str:
    if correction not in problems:
        return "–"
    return "no" if problems[correction] else "yes"
