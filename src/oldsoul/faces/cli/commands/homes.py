"""`init` and `agents`: create the home, and list the agents."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from oldsoul.errors import BadInput, OldsoulError
from oldsoul.faces.cli import cli
from oldsoul.faces.cli.output import ProgressLine, bar, clean, counted, styled, table, to_stdout
from oldsoul.faces.cli.verbs import Verb, pass_frame
from oldsoul.views import files
from oldsoul.wiring import config_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oldsoul.faces.cli.frame import Frame


@click.command(cls=Verb)
@click.option("--git", is_flag=True, help="Make every workspace a git repository.")
@click.option("--claim", is_flag=True, help="Take over messages in PostgreSQL that belong to no home.")
@pass_frame
def init(frame: Frame, git: bool, claim: bool) -> None:
    """Create the home and every workspace: missing files are added, existing ones are not changed.

    Example: oldsoul init --git
    """
    was_there = config_text(frame.home_folder) is not None
    frame.wants_notes = False
    soul = frame.soul
    repositories = soul.ensure_workspaces(git=git)
    claimed = soul.claim([frame.agent.id] if frame.agent_id else ()) if claim else 0
    created = {name: list(paths) for name, paths in soul.created.items() if paths}
    folders = {name: soul.workspace_folder(name) for name in soul.workspaces()}
    value = {
        "home": soul.folder,
        "new": not was_there,
        "created": created,
        "folders": folders,
        "git": repositories,
    }
    value |= {"claimed": claimed} if claim else {}
    lines = [f"Home: {soul.folder}"]
    for name, paths in created.items():
        lines.append(f"  {name}: {counted(len(paths), 'file')} in {folders[name]}")
        lines += [f"    {path}" for path in paths if "/" not in path]
        inner = sum("/" in path for path in paths)
        lines += [f"    and {counted(inner, 'keeper prompt')} in agents/"] if inner else []
    lines += [f"  {name}: now a git repository" for name in repositories]
    lines += [f"  {counted(claimed, 'message')} in PostgreSQL that belonged to no home"] if claim else []
    if not created and not repositories and not claimed:
        lines.append("Everything is there already; nothing was changed.")
    elif created:
        lines += [
            "",
            "Next: oldsoul edit SOUL.md          say who your agent is",
            '      oldsoul remember "…"          tell it something',
        ]
    frame.say("\n".join(lines), value)


@click.command(cls=Verb)
@pass_frame
def agents(frame: Frame) -> None:
    """List agents, teams and the shared workspace.

    An agent is added by its settings: oldsoul config set agents.scout.role "looks things up"
    """
    soul = frame.soul
    wanted = [frame.agent.id] if frame.agent_id else soul.workspaces()
    found = [files.workspace(soul, name) for name in wanted]
    rows = [
        (
            f"{each.id}{' *' if each.default else ''}",
            each.kind,
            each.files,
            bar(each.memory, each.limit or 0) if each.memory is not None else "–",
            each.proposals,
            each.folder,
        )
        for each in found
    ]
    text = table(("NAME", "KIND", "FILES", "MEMORY.md", "TO REVIEW", "FOLDER"), rows)
    if any(each.default for each in found):
        text += "\n* the default agent"
    frame.say(text, found)


_ENDS = 9
"""At this hour the last day of the demo is over."""


@click.command(cls=Verb)
@click.argument("folder", default="oldsoul-demo")
@click.option(
    "--until", metavar="DAY", help="The last day, such as 2026-03-14. Default: today, or yesterday in the morning."
)
@pass_frame
def demo(frame: Frame, folder: str, until: str | None) -> None:
    """Create a home with two weeks of a believable life in it: Juniper, the agent of a bakery.

    It needs no language model. Look around in it with `oldsoul --home FOLDER serve`, or with any other command.
    """
    from oldsoul.faces.cli.demo import DAYS, Life  # noqa: PLC0415 - no other command needs it

    home = Path(folder).expanduser()
    if home.exists() and (not home.is_dir() or any(home.iterdir())):
        raise BadInput(f"{home} is not an empty folder; name one that is empty or does not exist")
    now = datetime.now().astimezone()
    try:
        last = datetime.fromisoformat(until).date() if until else (now - timedelta(hours=_ENDS)).date()
    except ValueError:
        raise BadInput(f"{until!r} is not a day; write it as 2026-03-14") from None
    progress = ProgressLine(DAYS, quiet=frame.wants_json)
    Life(home, last, lambda day: progress.show(day, f"Day {day} of {DAYS}")).play()
    progress.clear()
    text = f"A demo home with {DAYS} days of Juniper's life, until {last}: {home}\n\nNext: oldsoul --home {home} serve"
    frame.say(text, {"home": str(home), "until": str(last), "days": DAYS})


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
