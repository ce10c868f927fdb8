"""`tour`: a few real steps, each with its command and what it printed."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from typing import TYPE_CHECKING

import click

from oldsoul.errors import OldsoulError
from oldsoul.faces.cli import cli
from oldsoul.faces.cli.output import clean, styled, to_stdout
from oldsoul.faces.cli.verbs import Verb, pass_frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oldsoul.faces.cli.frame import Frame

_STEPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("A home is a folder of Markdown files. This creates one.", ("init",)),
    (
        "Tell the agent something. It is on the disk when the command returns.",
        ("remember", "Deploys happen on Tuesdays.", "--tag", "decision"),
    ),
    ("Secrets are masked before anything is written.", ("remember", "The staging login is password=hunter2-Xy7!q")),
    (
        "This is the file itself. Edit it in any editor: Oldsoul notices.",
        ("show", "MEMORY.md"),
    ),
    ("Every change is in the log: what changed, who changed it, and why.", ("log", "-n", "3")),
    ("Each change can be undone alone, even when others came later.", ("undo", "{last}")),
    ("List the agents, and check that everything is in order.", ("agents",)),
    ("", ("doctor",)),
)


@click.command(cls=Verb)
@pass_frame
def tour(frame: Frame) -> None:
    """Walk through the main commands with real output.

    The tour uses a temporary home and removes it at the end; with --home, it uses that one and keeps it.
    """
    if frame.home:
        value = _walk(frame, frame.home)
        end = f"This home is kept: {frame.home}"
    else:
        with tempfile.TemporaryDirectory(prefix="oldsoul-tour-") as folder:
            value = _walk(frame, os.path.join(folder, "home"))  # noqa: PTH118 - a plain path
        end = "This was a temporary home; it is removed. `oldsoul init` creates your own, in ~/.oldsoul."
    closing = (
        f"\n{end}\n\nTry next:\n"
        "  oldsoul edit SOUL.md          say who your agent is\n"
        "  oldsoul config explain        every setting, explained\n"
        "  oldsoul --help                all commands"
    )
    frame.say(closing, {"steps": value})


def _walk(frame: Frame, home: str) -> list[dict[str, object]]:
    steps: list[dict[str, object]] = []
    last = "1"
    for saying, words in _STEPS:
        given = [word.replace("{last}", last) for word in words]
        code, output = _run(home, given)
        shown = " ".join(f'"{word}"' if " " in word or "!" in word else word for word in given)
        steps.append({"command": f"oldsoul {shown}", "code": code, "output": output})
        if not frame.wants_json:
            to_stdout((f"\n{saying}\n" if saying else "") + styled(f"$ oldsoul {shown}", "bold"))
            to_stdout(clean_lines(output).rstrip("\n"))
        if code:
            raise OldsoulError(f"`oldsoul {shown}` ended with code {code}")
        if words[0] == "remember":
            last = output.partition("(change ")[2].partition(",")[0] or last
    return steps


def clean_lines(text: str) -> str:
    """The text, line by line without what would disturb a terminal."""
    return "\n".join(clean(line) for line in text.split("\n"))


def _run(home: str, words: Sequence[str]) -> tuple[int, str]:
    """One command, in this process, with what it wrote."""
    written = io.BytesIO()
    stdout, stderr = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = io.TextIOWrapper(written, "utf-8", "replace", write_through=True)
    try:
        cli.main(["--home", home, *words])
    except SystemExit as ended:
        return int(ended.code or 0), written.getvalue().decode("utf-8", "replace")
    finally:
        sys.stdout, sys.stderr = stdout, stderr
