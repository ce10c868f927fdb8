"""`edit`: change a file by hand without losing what others write meanwhile, or reset it to its template."""

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
@click.option("--from", "source", metavar="FILE|-", help="Read the new text from a file, or from standard input.")
@click.option("--reset", is_flag=True, help="Replace the file by its template; the old text stays in history.")
@click.option("-y", "--yes", is_flag=True, help="With --reset: do not ask for confirmation.")
@pass_frame
def edit(frame: Frame, file: str, *, source: str | None, reset: bool, yes: bool) -> None:
    """Edit FILE in your editor ($VISUAL, $EDITOR, else vi or nano).

    Changes that others make meanwhile are merged with yours. If they conflict, your text is saved to a file and its path
    is shown.

    Example: oldsoul edit USER.md --reset --yes
    """
    if reset:
        if source is not None:
            raise BadInput("give --from or --reset, not both")
        _reset(frame, file, yes=yes)
        return
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
                        to_stderr(f"Somebody else changed this to: {clean(theirs) or '(removed)'}")
            except OldsoulError:
                draft.keep()
                to_stderr(f"Your text is saved in {draft.path}")
                raise
            else:
                draft.drop()
                _done(frame, agent, path, outcome, merged=_moved(agent, path, data, outcome))
                return


def _from(source: str) -> bytes:
    try:
        return Path(source).expanduser().read_bytes()
    except FileNotFoundError:
        raise NotFound(f"there is no file {source} to read the text from") from None


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
    to_stderr(f"oldsoul: {error}\nYour text is saved in {place}")
    to_stderr("Open it again? [Y/n] ", end="")
    return sys.stdin.readline().strip().casefold() in ("", "y", "yes")


def _with_place(error: OldsoulError, place: str) -> OldsoulError:
    if isinstance(error, TooLarge):
        return TooLarge(f"your text is saved in {place}; it", error.size, error.limit)
    return Conflict(f"{error}. Your text is saved in {place}")


def _moved(agent: Agent, path: str, data: bytes, outcome: Outcome) -> bool:
    return not outcome.masked and agent.show(path).data != data


def _done(frame: Frame, agent: Agent, path: str, outcome: Outcome | None, *, merged: bool = False) -> None:
    change = outcome.change if outcome else None
    value = files.saved(path, outcome, merged=merged)
    if outcome is None or change is None or not change.effects:
        frame.say(f"{path} was not changed.", value)
        return
    did = "Saved and merged with changes of others" if merged else "Saved"
    frame.say("\n".join([f"{did}: {agent.id}/{path} (change {change.id})", *extras(outcome)]), value)


def _reset(frame: Frame, file: str, *, yes: bool) -> None:
    agent = frame.agent
    fresh = agent.parts.template(file)
    path = agent.parts.name(file).path
    if not fresh:
        raise BadInput(f"{path} has no template")
    try:
        now = agent.show(file).data or b""
    except NotFound:
        now = b""
    if now == fresh:
        frame.say(f"{path} already equals its template; nothing was changed.", {"path": path, "change": None})
        return
    lines = counted(now.count(b"\n"), "line")
    frame.note(f"This replaces {agent.id}/{path} ({lines}, {counted(len(now), 'byte')}) with its template.")
    if not yes:
        frame.ask("Continue? The old text stays in history.")
    change = agent.reset(file).change
    number = change.id if change else None
    frame.say(
        f"Reset {path} to its template (change {number}). `oldsoul undo {number}` restores the old text.",
        {"path": path, "change": number},
    )
