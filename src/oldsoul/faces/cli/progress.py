"""How far something is, on one line of a terminal; nothing where nobody looks."""

from __future__ import annotations

import os
import sys

from oldsoul.faces.cli.output import bar, is_terminal, to_stderr


class Progress:
    """A line on standard error that is written over until it is cleared."""

    def __init__(self, total: int, *, quiet: bool = False) -> None:
        self._total = total
        self._shown = is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb" and not quiet

    def show(self, done: int, text: str) -> None:
        """So much is done."""
        if self._shown:
            share = f"{bar(min(done, self._total), self._total)}  " if self._total else ""
            to_stderr(f"\r\x1b[K{share}{text}", end="")

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            to_stderr("\r\x1b[K", end="")
