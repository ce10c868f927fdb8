"""`files` and `show`: what there is, and what stands in it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from oldsoul.faces.cli import completing
from oldsoul.faces.cli.output import bar, clean, counted, is_terminal, raw, styled, table, to_stderr
from oldsoul.faces.cli.verbs import Verb, pass_frame
from oldsoul.views import files as views

if TYPE_CHECKING:
    from oldsoul.faces.cli.frame import Frame

_COLOUR = {"near limit": "yellow", "over limit": "red", "not ours": "dim"}


@click.command(cls=Verb)
@pass_frame
def files(frame: Frame) -> None:
    """List the agent's files: size, how full they are, and their state.

    \b
    as seeded    still reads as our template
    edited       somebody changed it since
    near limit   over 80 % of what it may hold
    over limit   larger than it may be; nothing can be added
    not ours     a Markdown file we do not know: shown, never written
    """  # noqa: D301 - \b is click's sign for lines that are not to be wrapped
    agent = frame.agent
    found = agent.files()
    value = [views.file(file) for file in found]
    rows = [(each["path"], f"{each['size']:,}", bar(each["size"], each["limit"]), each["state"]) for each in value]
    styles = [_COLOUR.get(each["state"], "") for each in value]
    text = table(("FILE", "BYTES", "OF ITS LIMIT", "STATE"), rows, flexible=0, styles=styles)
    folder = agent.parts.home.world.places.folder(agent.id)
    frame.say(
        f"{text}\n{counted(len(found), 'file')} in {clean(folder)}" if rows else f"No files yet in {folder}", value
    )


@click.command(cls=Verb)
@click.argument("file", shell_complete=completing.files)
@click.option("--plain", is_flag=True, help="Leave out bookkeeping comments.")
@click.option(
    "--version",
    "change",
    type=click.IntRange(min=1),
    metavar="CHANGE",
    shell_complete=completing.changes,
    help="As it stood after that change.",
)
@pass_frame
def show(frame: Frame, file: str, plain: bool, change: int | None) -> None:
    """Print FILE, byte for byte. `soul` or `memory` will do for SOUL.md or MEMORY.md."""
    agent = frame.agent
    snapshot = agent.show(file) if change is None else agent.version_at(file, change)
    data = snapshot.data or b""
    if plain:
        data = agent.parts.plain(file, data).encode("utf-8", "replace")
    if frame.wants_json:
        frame.say("", views.document(agent.parts.name(file).path, snapshot.version, data))
        return
    if is_terminal() and is_terminal(sys.stderr):
        at = f" at change {change}" if change else ""
        to_stderr(styled(f"{agent.id}: {agent.parts.name(file).path}{at}, {counted(len(data), 'byte')}", "dim"))
    raw(data)
    if is_terminal() and data and not data.endswith(b"\n"):
        to_stderr("")
