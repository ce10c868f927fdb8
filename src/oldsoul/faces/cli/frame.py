"""What every command stands in: where the home is, how to answer, and how to leave when something goes wrong."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import click

from oldsoul.errors import (
    BadInput,
    Busy,
    Conflict,
    Damaged,
    NotFound,
    OldsoulError,
    Refused,
    Unwritable,
)
from oldsoul.faces.cli.output import ProgressLine, to_stderr, to_stdout
from oldsoul.lazy import lazy

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from oldsoul import wiring
    from oldsoul.app import Agent, Oldsoul
else:
    (wiring,) = lazy("oldsoul", "wiring")  # `--help` needs none of it

FAILED, INTERRUPTED, PIPE_CLOSED = 1, 130, 141
EXIT_CODES: dict[type[BaseException], int] = {
    BadInput: 2,
    NotFound: 3,
    Conflict: 4,
    Refused: 5,
    Busy: 6,
    Damaged: 7,
    Unwritable: 8,
}


class Declined(OldsoulError):
    """The person said no."""


class Frame:
    """One call of the command line."""

    def __init__(self, *, wants_json: bool = False, wants_traceback: bool = False) -> None:
        self.home: str | None = None
        self.agent_id: str | None = None
        self.wants_json = wants_json
        self.wants_traceback = wants_traceback
        self.wants_notes = True
        self.makes = True
        """whether workspaces that are not there yet are made"""
        self._soul: Oldsoul | None = None

    @property
    def home_folder(self) -> Path:
        """Where the home is."""
        return wiring.home_folder(self.home, os.environ)

    @property
    def is_home(self) -> bool:
        """Whether there is a home."""
        return wiring.is_home(self.home_folder)

    @property
    def soul(self) -> Oldsoul:
        """The home, opened; closed when the command ends."""
        if self._soul is None:
            self._soul = wiring.open_home(self.home, make=self.makes)
            self._soul.show_rebuilding(self._rebuilding)
            if any(self._soul.created.values()):
                made = ", ".join(name for name, paths in self._soul.created.items() if paths)
                self.note(f"Created in {self._soul.folder}: {made}.")
        return self._soul

    def _rebuilding(self, done: int, total: int) -> None:
        """Shows the progress of an index that is rebuilt before a search can answer."""
        progress = ProgressLine(total, quiet=self.wants_json)
        if done < total:
            progress.show(done, f"Rebuilding the index: {done:,} of {total:,} files")
        else:
            progress.clear()

    @property
    def agent(self) -> Agent:
        """The agent this call is about."""
        return self.soul.agent(self.agent_id)

    def close(self) -> None:
        """Let go of the home."""
        if self._soul is not None:
            soul, self._soul = self._soul, None
            soul.close()

    def say(self, text: str, value: Any) -> None:
        """The answer: the text for a person, the value (views, too) for a program."""
        if self.wants_json:
            import json  # noqa: PLC0415 - not every call needs it

            from oldsoul.views.shape import plain  # noqa: PLC0415 - the same

            to_stdout(json.dumps(plain(value), ensure_ascii=False, indent=2), exact=True)
        elif text:
            to_stdout(text)

    def note(self, text: str) -> None:
        """Something a person should know beside the answer."""
        if self.wants_notes and not self.wants_json:
            to_stderr(text)

    def ask(self, question: str) -> None:
        """Goes on when the person says yes; `Declined` otherwise."""
        if self.wants_json:
            raise BadInput("this needs a confirmation; with --json, add --yes")
        to_stderr(f"{question} [y/N] ", end="")
        answer = sys.stdin.readline() if sys.stdin else ""
        if not answer:
            to_stderr("")
            raise BadInput("nobody answered; add --yes to confirm")
        if answer.strip().casefold() not in ("y", "yes"):
            raise Declined("nothing was changed")


def leave(frame: Frame, run: Callable[[], None]) -> NoReturn:
    """Runs a command and leaves the program: 0 when it went well, else the error's message and code."""
    try:
        try:
            run()
        finally:
            frame.close()
    except click.exceptions.Exit as exit_:
        sys.exit(exit_.exit_code)
    except BrokenPipeError:
        # Nobody reads any more, which is their right; the interpreter must not complain when it flushes at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(PIPE_CLOSED)
    except (KeyboardInterrupt, click.Abort):
        to_stderr("\nStopped.")
        sys.exit(INTERRUPTED)
    except click.ClickException as error:
        _fail(frame, "Usage", error.format_message(), error.exit_code, _usage(error))
    except OldsoulError as error:
        _maybe_raise(frame)
        code = next((code for kind, code in EXIT_CODES.items() if isinstance(error, kind)), FAILED)
        _fail(frame, type(error).__name__, str(error), code)
    except OSError as error:
        _maybe_raise(frame)
        _fail(frame, type(error).__name__, _of_system(error), FAILED)
    sys.exit(0)


def _maybe_raise(frame: Frame) -> None:
    if frame.wants_traceback:
        raise  # noqa: PLE0704 - called where an error is being handled


def _fail(frame: Frame, kind: str, message: str, code: int, hint: str = "") -> NoReturn:
    if frame.wants_json:
        import json  # noqa: PLC0415 - not every call needs it

        to_stderr(json.dumps({"error": {"kind": kind, "message": message}}, ensure_ascii=False), exact=True)
    else:
        to_stderr(f"{hint}oldsoul: {message}")
    sys.exit(code)


def _usage(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    return f"{context.get_usage()}\nTry '{context.command_path} --help'.\n\n" if context else ""


def _of_system(error: OSError) -> str:
    what = error.strerror or str(error)
    where = f": {os.fsdecode(error.filename)}" if error.filename else ""
    return f"{what}{where}"
