"""A private copy of a text in the person's own editor."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Self

from oldsoul.errors import BadInput

if TYPE_CHECKING:
    from types import TracebackType

_FALLBACKS = ("vi", "nano")


class Draft:
    """A copy of a text in a separate folder, under the document's own name, so that editors know what it is."""

    def __init__(self, name: str, text: bytes) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="oldsoul-"))
        self._file = self._folder / Path(name).name
        self._kept = False
        self._start = text
        self._file.write_bytes(text)

    @property
    def path(self) -> str:
        """Where it lies."""
        return str(self._file)

    def put(self, text: bytes) -> None:
        """Another text to go on from."""
        self._start = text
        self._file.write_bytes(text)

    def text(self) -> bytes:
        """What stands in it now."""
        try:
            return self._file.read_bytes()
        except FileNotFoundError:
            raise BadInput("the editor removed the file; nothing was changed") from None

    def keep(self) -> None:
        """Leave it lying there at the end."""
        self._kept = True

    def drop(self) -> None:
        """Remove it at the end after all."""
        self._kept = False

    def open_editor(self) -> None:
        """Runs the editor and waits for it; `BadInput` when there is none or it fails."""
        command = editor()
        try:
            code = _run([*command, self.path])
        except FileNotFoundError:
            raise BadInput(f"the editor {command[0]!r} is not there; set $EDITOR, or use --from") from None
        except PermissionError:
            raise BadInput(f"the editor {command[0]!r} cannot be run; set $EDITOR, or use --from") from None
        if code:
            self._kept = self._kept or self.text() != self._start
            kept = f"; what you wrote is saved in {self.path}" if self._kept else ""
            raise BadInput(f"the editor {command[0]!r} ended with code {code}, so nothing was changed{kept}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._kept:
            shutil.rmtree(self._folder, ignore_errors=True)


def _run(command: list[str]) -> int:
    """Runs it to its end. Ctrl-C meanwhile is for the editor, not for us."""
    with subprocess.Popen(command) as process:  # noqa: S603 - the person's own editor
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            return process.wait()
        finally:
            signal.signal(signal.SIGINT, before)


def editor() -> list[str]:
    """The command to edit with: $VISUAL, $EDITOR, else what there is."""
    for name in ("VISUAL", "EDITOR"):
        chosen = os.environ.get(name, "").strip()
        if chosen:
            try:
                return shlex.split(chosen)
            except ValueError:
                raise BadInput(f"${name} cannot be understood: {chosen}") from None
    found = next((name for name in _FALLBACKS if shutil.which(name)), None)
    if found is None or not sys.stdin.isatty():
        raise BadInput("there is no editor to use; set $EDITOR, or give the new text with --from FILE (or --from -)")
    return [found]
