"""`files` and `show`: what there is, and what stands in it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from oldsoul.faces.cli import completing
from oldsoul.faces.cli.output import bar, clean, counted, is_terminal, raw, styled, table, to_stderr
from oldsoul.faces.cli.verbs import Verb, pass_frame

if TYPE_CHECKING:
    from oldsoul.app import File
    from oldsoul.faces.cli.frame import Frame

_NEAR = 0.8
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
    states = [_state(file) for file in found]
    value = [
        {
            "path": file.name.path,
            "kind": str(file.name.kind),
            "size": file.size,
            "limit": file.limit,
            "state": state,
            "version": file.version,
        }
        for file, state in zip(found, states, strict=True)
    ]
    rows = [
        (file.name.path, f"{file.size:,}", bar(file.size, file.limit), state)
        for file, state in zip(found, states, strict=True)
    ]
    styles = [_COLOUR.get(state, "") for state in states]
    text = table(("FILE", "BYTES", "OF ITS LIMIT", "STATE"), rows, flexible=0, styles=styles)
    folder = agent.soul.world.places.folder(agent.id)
    frame.say(
        f"{text}\n{counted(len(found), 'file')} in {clean(folder)}" if rows else f"No files yet in {folder}", value
    )


def _state(file: File) -> str:
    if str(file.name.kind) == "other":
        return "not ours"
    if file.size > file.limit:
        return "over limit"
    if file.size > file.limit * _NEAR:
        return "near limit"
    return "as seeded" if file.untouched else "edited"


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
        data = agent.plain(file, data).encode("utf-8", "replace")
    if frame.wants_json:
        text = data.decode("utf-8", "surrogateescape")
        frame.say("", {"path": agent.name(file).path, "version": snapshot.version, "size": len(data), "text": text})
        return
    if is_terminal() and is_terminal(sys.stderr):
        at = f" at change {change}" if change else ""
        to_stderr(styled(f"{agent.id}: {agent.name(file).path}{at}, {counted(len(data), 'byte')}", "dim"))
    raw(data)
    if is_terminal() and data and not data.endswith(b"\n"):
        to_stderr("")
