"""`backup` and `restore`: the home in one file, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from oldsoul.errors import NotFound
from oldsoul.faces.cli.output import clean, counted
from oldsoul.faces.cli.progress import Progress
from oldsoul.faces.cli.verbs import Verb, pass_frame
from oldsoul.views import upkeep

if TYPE_CHECKING:
    from collections.abc import Callable

    from oldsoul.faces.cli.frame import Frame
    from oldsoul.values.runtime import Backup

_KIB = 1024


@click.command(cls=Verb)
@click.argument("file", type=click.Path())
@pass_frame
def backup(frame: Frame, file: str) -> None:
    """Write the home to FILE, a zip file, as it is at one moment; other commands and agents may go on writing.

    The file is read back and checked. It contains everything in plain text, the secrets in config.yaml too.

    Example: oldsoul backup oldsoul.zip
    """
    if not frame.home_folder.is_dir():
        raise NotFound(f"there is no home in {frame.home_folder}; choose another with --home")
    made = _shown(frame, "Backing up", frame.soul.backup, file)
    frame.say(
        f"Wrote {clean(made.file)}: {counted(made.files, 'file')}, {made.size // _KIB:,} KiB; read back and intact.",
        upkeep.backup(made),
    )
    for what in made.left_out:
        frame.note(f"Not in it: {clean(what)}.")
    frame.note("It contains all memory and the secrets in config.yaml in plain text: keep it private.")


@click.command(cls=Verb)
@click.argument("file", type=click.Path())
@pass_frame
def restore(frame: Frame, file: str) -> None:
    """Restore the home from FILE, a backup, or to another folder with --home. The folder must be empty or not exist.

    Restore only what you trust as you trust your home: its config.yaml decides which programs and servers are used.
    """
    from oldsoul import Oldsoul  # noqa: PLC0415 - `--help` needs none of it

    home = frame.home_folder
    made = _shown(frame, "Restoring", lambda given, told: Oldsoul.restore(given, home, told), file)
    frame.say(f"Restored {clean(made.home)}: {counted(made.files, 'file')} of {made.made}.", upkeep.backup(made))
    for was, now in made.moved.items():
        frame.note(f"{clean(was)} was outside the home; its files are now in {clean(now)}.")
    for what in made.left_out:
        frame.note(f"Note: {clean(what)}.")


def _shown(frame: Frame, what: str, verb: Callable[[str, Callable[[int, int], None]], Backup], file: str) -> Backup:
    """Call a verb, and show how far it is."""
    shown: list[Progress] = []

    def told(done: int, total: int) -> None:
        if total and not shown:
            shown.append(Progress(total, quiet=frame.wants_json))
        for progress in shown:
            progress.show(done, f"{what}: {done // _KIB:,} of {total // _KIB:,} KiB")

    try:
        return verb(file, told)
    finally:
        for progress in shown:
            progress.clear()
