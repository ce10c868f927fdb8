"""What the commands on a page print: run in order, compared with what the page shows, written into it when asked to.

`PYTHONPATH=src:tests python -m faces.doc_outputs docs/reference/commands.md` runs a page and puts the real output below each
command whose shown output is not true any more, or that has a line `?` in its place. Trim it with `…` then: alone on a line it stands
for any lines, within a line for any words. Commands with nothing below them are run and not compared.
A page with the comment `<!-- home: demo -->` is run on a demo home, any other on an empty one.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
DEMO = "<!-- home: demo -->"
SHELL = ("set -e", f'oldsoul() {{ {shlex.quote(sys.executable)} -m oldsoul "$@"; }}')
LEFT_OUT = "…"
_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MARK = "\x02"
_ADA = "/home/ada"
_VOLATILE = (
    (r"\d{4}-\d\d-\d\d", "DAY"),
    (r"(?:[T ]|\b)\d\d:\d\d(:\d\d)?(\.\d+)?([+-]\d\d:\d\d|Z)?\b", "TIME"),
    (r"\bDAY-\d{4}\b", "SNAPSHOT"),
    (r"\bos_[\w-]{20,}", "os_SECRET"),
    (r"\b(?:[0-9a-f]{8}|[0-9a-z]{10})\b", "ID"),
    (r"\b\d+(\.\d+)? (s|ms|bytes|KiB|MiB)\b", "SIZE"),
    (r"\b\d+\.\d+\b|\b\d[\d,]*\d{2}\b", "FIGURE"),
    (r"[-─]{3,}", "--"),
    (r"\s+", " "),
)
"""What differs from run to run, or with a word in a prompt: days, times, ids, sizes, scores, tokens, widths of columns."""


class Shown(NamedTuple):
    """A command on a page."""

    command: str
    """what is typed"""
    output: tuple[str, ...]
    """what the page shows below it"""


def commands(text: str) -> list[Shown]:
    """The commands of a page, in order."""
    found: list[Shown] = []
    for block in _CONSOLE.findall(text):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *output = part.rstrip("\n").split("\n")
            found.append(Shown(command, tuple(output)))
    return found


def environment(folder: Path) -> dict[str, str]:
    """Where a page is followed: nobody's home, nobody's settings."""
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("OLDSOUL_")},
        "HOME": str(folder),
        "PYTHONPATH": str(ROOT / "src"),
        "PYTHONUNBUFFERED": "1",
        "NO_COLOR": "1",
    }


def make_demo(folder: Path) -> Path:
    """A demo home in a folder; it can be copied to where it is needed."""
    home = folder / "demo"
    subprocess.run(
        [sys.executable, "-m", "oldsoul", "demo", str(home)], env=environment(folder), capture_output=True, check=True
    )
    return home


def outputs(shown: list[Shown], folder: Path, demo: Path | None) -> list[list[str]]:
    """What each command prints, in an empty folder with an empty home or a demo home; all of them have to end well."""
    if demo is not None:
        shutil.copytree(demo, folder / ".oldsoul")
    typed = [line for each in shown for line in (f"printf '\\n{_MARK}\\n'", each.command)]
    script = "\n".join([*SHELL, "exec 2>&1", *typed, ""])
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environment(folder),
        stdin=subprocess.DEVNULL,  # what reads standard input must not read the commands after it
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    parts = done.stdout.replace(str(folder), _ADA).split(f"\n{_MARK}\n")[1:]
    return [[line.rstrip() for line in part.strip("\n").split("\n")] for part in parts]


def _steady(line: str) -> str:
    for pattern, word in _VOLATILE:
        line = re.sub(pattern, word, line)
    return line.strip()


def is_true(shown: tuple[str, ...], printed: list[str]) -> bool:
    """Whether a page shows what was printed, but for what differs from run to run."""
    lines = ["(?:.*\n)*" if line.strip() == LEFT_OUT else _line(line) for line in shown]
    return re.fullmatch("".join(lines), "".join(_steady(line) + "\n" for line in printed)) is not None


def _line(shown: str) -> str:
    return ".*".join(re.escape(_steady(part)) for part in shown.split(LEFT_OUT)).replace(r"\ .*", ".*") + " *\n"


def untrue(text: str, folder: Path, demo: Path | None) -> list[tuple[Shown, list[str]]]:
    """The commands of a page that print something else than it shows, with what they print."""
    shown = commands(text)
    printed = outputs(shown, folder, demo)
    return [
        (one, real) for one, real in zip(shown, printed, strict=True) if one.output and not is_true(one.output, real)
    ]


def written(text: str, folder: Path, demo: Path | None) -> str:
    """The page with the real output of its commands."""
    shown = commands(text)
    for one, real in zip(shown, outputs(shown, folder, demo), strict=True):
        if one.output and not is_true(one.output, real):
            old = "\n".join([f"$ {one.command}", *one.output, ""])
            text = text.replace(old, "\n".join([f"$ {one.command}", *real, ""]), 1)
    return text


def main(pages: list[str]) -> None:
    """Write the outputs of some pages."""
    with tempfile.TemporaryDirectory() as made:
        demo = make_demo(Path(made))
        for at, page in enumerate(pages):
            folder = Path(made) / str(at)
            folder.mkdir()
            text = (ROOT / page).read_text("utf-8")
            (ROOT / page).write_text(written(text, folder, demo if DEMO in text else None), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
