"""`correct`: correct a wrong memory, and see whether every correction still holds."""

from __future__ import annotations

import click

from oldsoul.app.keepers import checks
from oldsoul.errors import BadInput
from oldsoul.faces.cli.frame import FAILED, Frame
from oldsoul.faces.cli.output import clean, styled, table
from oldsoul.faces.cli.reports import correction_lines
from oldsoul.faces.cli.verbs import Telling, pass_frame
from oldsoul.views import upkeep


@click.command(cls=Telling)
@click.argument("statement", required=False)
@click.option("--wrong", default="", help="The wrong value, as memory has it.")
@click.option("--right", default="", help="The right value, as STATEMENT has it.")
@click.option("--check", is_flag=True, help="Ask memory for each correction, and report those that do not hold.")
@click.option("--withdraw", metavar="ID", help="Withdraw a correction and undo everything it changed.")
@pass_frame
def correct(frame: Frame, statement: str | None, wrong: str, right: str, *, check: bool, withdraw: str | None) -> None:
    """Correct a wrong memory: STATEMENT is a sentence that says what is true.

    The correction is logged in CORRECTIONS.md and applied to every file that has the wrong value, which stays there as a
    comment; search no longer finds it. Without STATEMENT, the corrections are listed, newest last.

    With --check, each correction is asked for as a question: search must find the right value, and not the wrong one. The
    exit code is 1 when a correction does not hold.

    Example: oldsoul correct "The meeting is on Thursday, not on Tuesday"
    """
    if (statement is not None) + check + (withdraw is not None) > 1:
        raise BadInput("give a statement, --check or --withdraw, one at a time")
    if statement is not None:
        report = frame.agent.correct(statement, wrong=wrong, right=right)
        lines = correction_lines(report)
        if lines and not any(line.startswith(("Corrected", "Possible")) for line in lines):
            lines.append("No other file was changed: none of them has the wrong value.")
        frame.say("\n".join(lines), upkeep.report(report))
    elif withdraw is not None:
        _withdraw(frame, withdraw)
    else:
        _list(frame, check=check)


def _withdraw(frame: Frame, correction: str) -> None:
    undone = [outcome.change.id for outcome in frame.agent.withdraw(correction) if outcome.change]
    frame.say(
        f"Withdrawn: {clean(correction)}. What it changed is as it was before.",
        {"withdrawn": correction, "changes": undone},
    )


def _list(frame: Frame, *, check: bool) -> None:
    agent = frame.agent
    problems = {one.correction.id: one.problem for one in checks.checked(agent.parts)} if check else {}
    found = checks.standing(agent.parts)
    value = [{**upkeep.correction(one), **({"problem": problems.get(one.id, "")} if check else {})} for one in found]
    rows = [
        (one.id, one.day, one.old or "–", one.new or "–", one.correct, *([_state(one.id, problems)] if check else []))
        for one in found
    ]
    heads = ("ID", "DATE", "WRONG", "RIGHT", "STATEMENT", *(["HOLDS"] if check else []))
    text = table(heads, rows, flexible=4)
    broken = [one for one in found if problems.get(one.id)]
    told = "\n".join([text, *(styled(f"{one.id}: {clean(problems[one.id])}", "red") for one in broken)])
    frame.say(told if rows else "There are no corrections yet.", value)
    if broken:
        raise click.exceptions.Exit(FAILED)


def _state(correction: str, problems: dict[str, str]) -> str:
    if correction not in problems:
        return "–"
    return "no" if problems[correction] else "yes"
