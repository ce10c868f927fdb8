"""`edit` and `reset`: change a file by hand without losing what others write meanwhile."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from oldsoul.app.comparing import reconciled
from oldsoul.errors import BadInput, Conflict, NotFound, OldsoulError, TooLarge
from oldsoul.faces.cli import completing, given
from oldsoul.faces.cli.editor import Draft
from oldsoul.faces.cli.output import clean, counted, is_terminal, to_stderr
from oldsoul.faces.cli.reports import extras
from oldsoul.faces.cli.verbs import Verb, pass_frame
from oldsoul.views import files

if TYPE_CHECKING:
    from oldsoul.app import Agent
    from oldsoul.faces.cli.frame import Frame
    from oldsoul.ledger import Outcome


@click.command(cls=Verb)
@click.argument("file", shell_complete=completing.files)
@click.option("--from", "source", metavar="FILE|-", help="Take the new text from a file, or from standard input.")
@pass_frame
def edit(frame: Frame, file: str, source: str | None) -> None:
    """Change FILE in your editor ($VISUAL, $EDITOR, else vi or nano).

    What others write meanwhile is merged with what you save. Where that cannot be, your text is kept and you are told
    where.
    """
    agent = frame.agent
    path, start, base = _beginning(agent, file)
    if source is not None:
        data = given.from_stdin() if source == "-" else _from(source)
        _done(frame, agent, path, None if data == start else agent.put(path, data, base=base))
        return
    with Draft(path, start) as draft:
        while True:
            draft.open_editor()
            data = draft.text()
            if data == start:
                _done(frame, agent, path, None)
                return
            try:
                outcome = agent.put(path, data, base=base)
            except (Conflict, TooLarge) as error:
                draft.keep()
                if not _again(error, draft.path):
                    raise _with_place(error, draft.path) from error
                if isinstance(error, Conflict):
                    text, standing, clashes = reconciled(agent.parts, path, data, base)
                    draft.put(text)
                    base, start = standing.version, b""
                    for theirs in clashes:
                        to_stderr(f"Somebody else wrote there: {clean(theirs) or '(removed it)'}")
            except OldsoulError:
                draft.keep()
                to_stderr(f"Your text is kept in {draft.path}")
                raise
            else:
                draft.drop()
                _done(frame, agent, path, outcome, merged=_moved(agent, path, data, outcome))
                return


def _from(source: str) -> bytes:
    try:
        return Path(source).expanduser().read_bytes()
    except FileNotFoundError:
        raise NotFound(f"there is no file {source} to take the text from") from None


def _beginning(agent: Agent, file: str) -> tuple[str, bytes, str]:
    """The file's path, the text to start from and the version it has; a file that is not there starts from its template."""
    try:
        snapshot = agent.show(file)
    except NotFound:
        return agent.parts.name(file).path, agent.parts.template(file), ""
    agent.parts.template(file)  # says so when the file is not one of ours to write
    return agent.parts.name(file).path, snapshot.data or b"", snapshot.version


def _again(error: OldsoulError, place: str) -> bool:
    """Whether the person wants another go; asked on a terminal only."""
    if not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        return False
    to_stderr(f"oldsoul: {error}\nYour text is kept in {place}")
    to_stderr("Open it again? [Y/n] ", end="")
    return sys.stdin.readline().strip().casefold() in ("", "y", "yes")


def _with_place(error: OldsoulError, place: str) -> OldsoulError:
    if isinstance(error, TooLarge):
        return TooLarge(f"your text is kept in {place}; it", error.size, error.limit)
    return Conflict(f"{error}. Your text is kept in {place}")


def _moved(agent: Agent, path: str, data: bytes, outcome: Outcome) -> bool:
    return not outcome.masked and agent.show(path).data != data


def _done(frame: Frame, agent: Agent, path: str, outcome: Outcome | None, *, merged: bool = False) -> None:
    change = outcome.change if outcome else None
    value = files.saved(path, outcome, merged=merged)
    if outcome is None or change is None or not change.effects:
        frame.say(f"{path} was not changed.", value)
        return
    did = "Saved, together with what others wrote meanwhile" if merged else "Saved"
    frame.say("\n".join([f"{did}: {agent.id}/{path} (change {change.id})", *extras(outcome)]), value)


@click.command(cls=Verb)
@click.argument("file", shell_complete=completing.files)
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@pass_frame
def reset(frame: Frame, file: str, yes: bool) -> None:
    """Put FILE back to its template. What it says now stays in history."""
    agent = frame.agent
    fresh = agent.parts.template(file)
    path = agent.parts.name(file).path
    if not fresh:
        raise BadInput(f"{path} has no template to go back to")
    try:
        now = agent.show(file).data or b""
    except NotFound:
        now = b""
    if now == fresh:
        frame.say(f"{path} is its template already; nothing was changed.", {"path": path, "change": None})
        return
    lines = counted(now.count(b"\n"), "line")
    frame.note(f"This replaces {agent.id}/{path} ({lines}, {counted(len(now), 'byte')}) by its template.")
    if not yes:
        frame.ask("Go on? What it says now stays in history.")
    change = agent.reset(file).change
    number = change.id if change else None
    frame.say(
        f"{path} is back to its template (change {number}). `oldsoul undo {number}` brings the old text back.",
        {"path": path, "change": number},
    )
