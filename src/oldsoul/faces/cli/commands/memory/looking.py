"""`show`: the agent's files, and what is in them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from oldsoul.errors import BadInput
from oldsoul.faces.cli import completing, given
from oldsoul.faces.cli.output import bar, clean, counted, is_terminal, raw, styled, table, to_stderr, to_stdout
from oldsoul.faces.cli.verbs import Verb, pass_frame
from oldsoul.views import files as views

if TYPE_CHECKING:
    from oldsoul.app import Agent
    from oldsoul.faces.cli.frame import Frame
    from oldsoul.values.sessions import Session

_LINES = 200
_COLOUR = {"near limit": "yellow", "over limit": "red", "not ours": "dim"}


@click.command(cls=Verb)
@click.argument("file", required=False, shell_complete=completing.files)
@click.option("--plain", is_flag=True, help="Leave out bookkeeping comments.")
@click.option(
    "--version",
    "change",
    type=click.IntRange(min=1),
    metavar="CHANGE",
    shell_complete=completing.changes,
    help="The file as it was after that change.",
)
@click.option("--as", "who", metavar="SESSION", help=f"Only what a session may see. {given.SESSIONS}")
@click.option("--from", "first", type=click.IntRange(min=1), metavar="N", help="Start at this line (or message).")
@click.option("--lines", "count", type=click.IntRange(1, 2000), metavar="N", help="How many lines; 200 by default.")
@pass_frame
def show(
    frame: Frame,
    file: str | None,
    *,
    plain: bool,
    change: int | None,
    who: str | None,
    first: int | None,
    count: int | None,
) -> None:
    """Print FILE byte for byte, or list the agent's files. `soul` or `memory` is enough for SOUL.md or MEMORY.md.

    With --as, FILE (or a conversation, chat/…) is printed as a session sees it, without bookkeeping comments. Lines it may
    not see are left empty, so that the others keep their numbers.

    \b
    States of a file:
    as seeded    unchanged since it was created from its template
    edited       changed since
    near limit   over 80 % of its limit
    over limit   larger than its limit; nothing can be added
    not ours     a Markdown file Oldsoul does not know: shown, never written

    Example: oldsoul show MEMORY.md --plain
    """  # noqa: D301 - \b is click's sign for lines that are not to be wrapped
    if file is None:
        if plain or any(given_ is not None for given_ in (change, who, first, count)):
            raise BadInput("name a file; without one, `oldsoul show` lists them")
        _list(frame)
    elif who is not None or file.startswith(("chat/", "/")):
        if plain or change:
            raise BadInput("--plain and --version are for files, and not for what a session sees")
        _part(frame, file, given.viewer(frame.agent, "dm" if who is None else who), first, count)
    else:
        _whole(frame, file, change, (first, count), plain=plain)


def _list(frame: Frame) -> None:
    agent = frame.agent
    found = agent.files()
    value = [views.file(file) for file in found]
    rows = [(each["path"], f"{each['size']:,}", bar(each["size"], each["limit"]), each["state"]) for each in value]
    styles = [_COLOUR.get(each["state"], "") for each in value]
    text = table(("FILE", "BYTES", "OF LIMIT", "STATE"), rows, flexible=0, styles=styles)
    folder = agent.parts.home.world.places.folder(agent.id)
    frame.say(
        f"{text}\n{counted(len(found), 'file')} in {clean(folder)}" if rows else f"No files yet in {folder}", value
    )


def _whole(frame: Frame, file: str, change: int | None, part: tuple[int | None, int | None], *, plain: bool) -> None:
    agent = frame.agent
    snapshot = agent.show(file) if change is None else agent.version_at(file, change)
    data = snapshot.data or b""
    if plain:
        data = agent.parts.plain(file, data).encode("utf-8", "replace")
    if any(part):
        lines = data.splitlines(keepends=True)
        first = part[0] or 1
        if first > max(len(lines), 1):
            raise BadInput(f"{file} has {counted(len(lines), 'line')}; --from {first} is beyond the end")
        data = b"".join(lines[first - 1 :][: part[1] or _LINES])
    if frame.wants_json:
        frame.say("", views.document(agent.parts.name(file).path, snapshot.version, data))
        return
    if is_terminal() and is_terminal(sys.stderr):
        at = f" at change {change}" if change else ""
        to_stderr(styled(f"{agent.id}: {agent.parts.name(file).path}{at}, {counted(len(data), 'byte')}", "dim"))
    raw(data)
    if is_terminal() and data and not data.endswith(b"\n"):
        to_stderr("")


def _part(frame: Frame, path: str, session: Session, first: int | None, count: int | None) -> None:
    agent = frame.agent
    found = agent.get(path, session=session, first=first, lines=count)
    if first and first > 1 and not found["lines"]:
        raise BadInput(
            f"{path} has {counted(_lines_of(agent, session, path), 'line')}; --from {first} is beyond the end"
        )
    if frame.wants_json:
        frame.say("", found)
        return
    lines = str(found["text"]).split("\n")
    to_stdout("\n".join(clean(line) for line in lines) if is_terminal() else str(found["text"]))
    if "next" in found:
        frame.note(f"More: --from {found['next']}")


def _lines_of(agent: Agent, session: Session, path: str) -> int:
    """How many lines of a file a session may see."""
    total, following = 0, 1
    while following:
        piece = agent.get(path, session=session, first=following)
        total, following = total + piece["lines"], piece.get("next", 0)
    return total
