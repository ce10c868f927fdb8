"""`log`, `diff`, `blame` and `undo`: what happened, who did it, and how to take it back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from oldsoul.app.comparing import difference
from oldsoul.errors import BadInput, NotFound
from oldsoul.faces.cli import completing
from oldsoul.faces.cli.output import clean, coloured_diff, columns, counted, shortened, styled, table, when
from oldsoul.faces.cli.reports import who
from oldsoul.faces.cli.verbs import Verb, pass_frame
from oldsoul.views import history as views

if TYPE_CHECKING:
    from oldsoul.faces.cli.frame import Frame
    from oldsoul.values.history import Change


class Number(click.ParamType[int]):
    """A change's number, as `7` or `#7`."""

    name = "change"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number."""
        text = str(value).removeprefix("#")
        if not (text.isascii() and text.isdigit() and int(text) > 0):
            self.fail(f"{value!r} is not a change's number; `oldsoul log` lists them.", param, ctx)
        return int(text)


@click.command(cls=Verb)
@click.argument("file", required=False, shell_complete=completing.files)
@click.option("-n", "--number", type=click.IntRange(1, 100_000), default=20, show_default=True, help="How many.")
@click.option("--before", type=Number(), metavar="CHANGE", help="Only changes older than that one.")
@pass_frame
def log(frame: Frame, file: str | None, number: int, before: int | None) -> None:
    """List changes, newest first: all of the agent's, or those of FILE."""
    agent = frame.agent
    if file and not agent.history(file, limit=1):
        agent.show(file)
    found = agent.history(file or "", before=before, limit=number)
    now = agent.parts.today()
    rows = [
        (change.id, when(change.at, now), who(change.author, agent), change.reason, _files(change)) for change in found
    ]
    text = table(("CHANGE", "WHEN", "WHO", "WHY", "FILES"), rows, flexible=3) if rows else "Nothing has changed yet."
    if len(found) == number and found[-1].id > 1:
        text += styled(f"\nOlder ones: --before {found[-1].id}", "dim")
    frame.say(text, [views.change(change) for change in found])


def _files(change: Change) -> str:
    paths = [effect.name.path for effect in change.effects]
    return counted(len(paths), "file") if len(paths) > 2 else ", ".join(paths) or "–"  # noqa: PLR2004 - more would not fit


@click.command(cls=Verb)
@click.argument("what", metavar="CHANGE|FILE", shell_complete=completing.changes_and_files)
@click.option("--from", "first", type=Number(), metavar="CHANGE", help="FILE as it stood after that change.")
@click.option("--to", "last", type=Number(), metavar="CHANGE", help="FILE as it stood after that one.")
@pass_frame
def diff(frame: Frame, what: str, first: int | None, last: int | None) -> None:
    """Show what CHANGE did, or how FILE differs from what it was seeded with.

    With --from and --to, FILE is compared between two changes; without --to, with how it stands now.
    """
    agent = frame.agent
    if what.removeprefix("#").isdecimal():
        if first or last:
            raise BadInput("--from and --to go with a file, as in `oldsoul diff MEMORY.md --from 3`")
        change = agent.change(int(what.removeprefix("#")))
        text = agent.diff(change.id)
        value: dict[str, Any] = {**views.change(change), "diff": text}
        head = styled(f"Change {change.id} by {who(change.author, agent)}: {clean(change.reason)}", "bold")
        frame.say(f"{head}\n{coloured_diff(text) or 'It changed no file.'}", value)
        return
    path = agent.parts.name(what).path
    before = agent.version_at(what, first).data if first else agent.parts.seed_of(what)
    after = agent.version_at(what, last).data if last else agent.show(what).data
    text = difference(what, before, after)
    frame.say(coloured_diff(text) or f"{path} is the same.", {"path": path, "from": first, "to": last, "diff": text})


@click.command(cls=Verb)
@click.argument("file", shell_complete=completing.files)
@pass_frame
def blame(frame: Frame, file: str) -> None:
    """Show, line by line, which change wrote FILE, when, and who made it."""
    agent = frame.agent
    lines = agent.blame(file)
    now = agent.parts.today()
    heads = [
        (str(c.id), when(c.at, now)[:16], who(c.author, agent)) if c else ("–", "–", "–")
        for c in (each.change for each in lines)
    ]
    widths = [max((len(head[i]) for head in heads), default=0) for i in range(3)]
    room = columns()
    shown = []
    for each, head in zip(lines, heads, strict=True):
        left = f"{head[0]:>{widths[0]}}  {head[1]:<{widths[1]}}  {head[2]:<{widths[2]}}  {each.line:>4}  "
        text = clean(each.text)
        shown.append(styled(left, "dim") + (shortened(text, max(20, room - len(left))) if room else text))
    frame.say(
        "\n".join(line.rstrip() for line in shown) or f"{agent.parts.name(file).path} is empty.",
        list(map(views.blamed, lines)),
    )


@click.command(cls=Verb)
@click.argument("change", type=Number(), shell_complete=completing.changes)
@pass_frame
def undo(frame: Frame, change: int) -> None:
    """Take CHANGE back and leave later ones. What it takes back is shown; undo the undo to have it again."""
    agent = frame.agent
    reason = agent.change(change).reason
    outcome = agent.undo(change)
    if outcome.change is None:
        raise NotFound(f"change {change} could not be taken back")
    text = agent.diff(outcome.change.id)
    frame.say(
        f"{coloured_diff(text)}\n\nTook back change {change} ({clean(reason)}); that is change {outcome.change.id}.",
        {**views.change(outcome.change), "undone": change, "diff": text},
    )
