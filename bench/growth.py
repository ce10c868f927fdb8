"""Measures how cost grows: each thing at 1, 4 and 16 times a size, with how many times the step before. 4 is linear, 1 flat.

make bench-growth
"""

from __future__ import annotations

import argparse
import json
import math
import random
import resource
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.context import sentence
from bench.ground import RESULTS, folder_on_disk

from oldsoul import Oldsoul, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Took = dict[str, tuple[float, float, float]]

MEGABYTE = 1_000_000
MOST = 400
"""MB of memory that indexing may take, whatever lies in a folder"""
OWN = Session.dm()


class Watch:
    """What each part of some work took: seconds on the clock and of all threads, and the most MB of memory meanwhile."""

    def __init__(self) -> None:
        self.took: Took = {}

    @contextmanager
    def __call__(self, what: str) -> Iterator[None]:
        """Have this part measured."""
        with suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5", "utf-8")  # the most so far is what is held now
        clock, own = time.perf_counter(), time.process_time()
        yield
        self.took[what] = time.perf_counter() - clock, time.process_time() - own, _most()


def saved(home: Path, path: str, text: str) -> None:
    """A file made by hand."""
    file = home / "workspace" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def listed(entries: int) -> str:
    """A list of so many entries."""
    chance = random.Random(entries)  # noqa: S311 - a bench
    return "".join(f"- {sentence(chance)} (note {number})\n" for number in range(entries))


# what is measured, each in a home of its own


def remembering(home: Path, entries: int, watch: Watch) -> None:
    """The first entry in a MEMORY.md made by hand."""
    saved(home, "main/MEMORY.md", f"# Memory\n\n{listed(entries)}")
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        with watch("first remember, by entries in a MEMORY.md made by hand"):
            agent.remember("The cat is called Mia")


def listing(home: Path, changes: int, watch: Watch) -> None:
    """The files after a history of whole files, entries and days."""
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        for number in range(math.ceil(changes / 3)):
            agent.files.put("SOUL.md", f"# I am {number}\n".encode())
            agent.remember(f"Box {number} holds {number * 3} apples")
            agent.talk.append_daily_log(f"Box {number} was counted")
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        with watch("files() once opened, by changes in history"):
            agent.files.all()
        with watch("files() again"):
            agent.files.all()


def opening(home: Path, agents: int, watch: Watch) -> None:
    """A folder of workspaces made by hand is opened for the first time, and each looked at."""
    home.mkdir(parents=True)
    names = [f"a{number}" for number in range(agents)]
    (home / "config.yaml").write_text("agents:\n  list:\n" + "".join(f"    - id: {name}\n" for name in names), "utf-8")
    for name in ("main", "shared", *names):
        saved(home, f"{name}/SOUL.md", f"# {name}\n\n- I speak plainly\n")
        saved(home, f"{name}/MEMORY.md", f"# Memory\n\n{listed(40)}")
        saved(home, f"{name}/memory/2026-01-05.md", f"# 2026-01-05\n\n## 10:00 UTC\n\n{listed(5)}")
    with watch("first open, by agents with workspaces made by hand"):
        soul = Oldsoul.open(home)
    with soul, watch("files() of each"):
        for name in names:
            soul.agent(name).files.all()


def making(home: Path, agents: int, watch: Watch) -> None:
    """A home is opened whose agents have no workspace yet."""
    home.mkdir(parents=True)
    config = "agents:\n  list:\n" + "".join(f"    - id: a{number}\n" for number in range(agents))
    (home / "config.yaml").write_text(config, "utf-8")
    with watch("first open, by agents whose workspaces it makes"):
        soul = Oldsoul.open(home)
    soul.close()


def correcting(home: Path, corrections: int, watch: Watch) -> None:
    """A prompt's memory with a long CORRECTIONS.md, before and after it is in the index."""
    saved(home, "main/MEMORY.md", f"# Memory\n\n{listed(100)}")
    blocks = (
        f"\n## 2026-01-{1 + number % 28:02} 10:00 UTC\n\n**Correct:** Box {number} holds {number * 3 + 1} apples\n"
        f"**Wrong value:** {number * 3} apples\n**Right value:** {number * 3 + 1} apples\n**Re-embedded:** true\n"
        for number in range(corrections)
    )
    saved(home, "main/CORRECTIONS.md", "# Corrections\n" + "".join(blocks))
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        with watch("first context, by corrections"):
            agent.context("how many apples are in box 7?", session=OWN)
        with watch("context again"):
            agent.context("how many apples are in box 9?", session=OWN)


def hearing(home: Path, sentences: int, watch: Watch) -> None:
    """A correction comes after ten replies of the agent."""
    told = " ".join(f"The meeting of team {team} is at 4, in room {team}." for team in range(sentences))
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        agent.context("when is the meeting?", session=OWN)
        for _ in range(9):
            agent.hear(told, session=OWN, role="assistant")
        with watch("hear of a reply, by its sentences"):
            agent.hear(told, session=OWN, role="assistant")
        with watch("hear of a correction after it"):
            agent.hear("No, that is wrong, the meeting is not at 4 but at 5.", session=OWN)


def indexing(home: Path, megabytes: float, watch: Watch) -> None:
    """A folder of notes: every second file a list, the others paragraphs."""
    chance = random.Random(1)  # noqa: S311 - a bench
    for number in range(math.ceil(megabytes)):
        noted(home, f"{number}.md", min(megabytes, 1), "- {}.\n" if number % 2 else "\n{}.\n", chance)
    searching(home, watch, "index, by MB of notes in files of 1 MB")


def indexing_list(home: Path, megabytes: float, watch: Watch) -> None:
    """One long list."""
    noted(home, "list.md", megabytes, "- {}.\n", random.Random(1))  # noqa: S311 - a bench
    searching(home, watch, "index, one list of MB")


def indexing_line(home: Path, megabytes: float, watch: Watch) -> None:
    """One long line."""
    noted(home, "line.md", megabytes, "{}. ", random.Random(1))  # noqa: S311 - a bench
    searching(home, watch, "index, one line of MB")


def indexing_short(home: Path, megabytes: float, watch: Watch) -> None:
    """As many entries as a file can have: the most memory for its size."""
    saved(home, "main/notes/short.md", "".join(f"- cat {number}\n" for number in range(int(megabytes * 85_000))))
    searching(home, watch, "index, one list of MB, three words to an entry")


def indexing_bytes(home: Path, megabytes: float, watch: Watch) -> None:
    """A file that is no text."""
    saved(home, "main/notes/bytes.md", "")
    data = random.Random(1).randbytes(int(megabytes * MEGABYTE))  # noqa: S311 - any bytes
    (home / "workspace/main/notes/bytes.md").write_bytes(data)
    searching(home, watch, "index, random bytes of MB")


def noted(home: Path, name: str, megabytes: float, form: str, chance: random.Random) -> None:
    """A note of this size, written line by line: its whole text must not count as memory."""
    saved(home, f"main/notes/{name}", "# Notes\n\n")
    with (home / "workspace/main/notes" / name).open("a", encoding="utf-8") as file:
        while file.tell() < megabytes * MEGABYTE:
            file.write("".join(form.format(sentence(chance)) for _ in range(50)))
            if "\n" in form:
                file.write(f"\n## Part {file.tell()}\n\n")


def searching(home: Path, watch: Watch, what: str) -> None:
    """Have the index up to date, and ask it."""
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        with watch(what):
            agent.index.sync()
        with watch("first search after it"):
            agent.recall("what does the boiler need?", session=OWN)


WORK: dict[str, tuple[Callable[[Path, int, Watch], None], tuple[int, ...]]] = {
    "remember": (remembering, (125, 500, 2000)),
    "files": (listing, (150, 600, 2400)),
    "open": (opening, (4, 16, 64)),
    "make": (making, (4, 16, 64)),
    "context": (correcting, (190, 750, 3000)),
    "hear": (hearing, (5, 20, 80)),
    "hear more": (hearing, (320, 1280)),
    "index": (indexing, (4, 16, 64)),
    "list": (indexing_list, (2, 8)),
    "line": (indexing_line, (2, 8)),
    "short": (indexing_short, (1, 4)),
    "large list": (indexing_list, (50,)),
    "large line": (indexing_line, (40,)),
    "bytes": (indexing_bytes, (3,)),
}


def once(name: str, size: int, folder: Path) -> None:
    """What a process of its own does: first a little, for what is loaded once, then the work; prints what it took."""
    work, _ = WORK[name]
    work(folder / "little", 1, Watch())
    watch = Watch()
    work(folder / "home", size, watch)
    print(json.dumps(watch.took))


def _most() -> float:
    """The most memory this process ever had, files it mapped included."""
    status = Path("/proc/self/status")
    if status.exists():  # what getrusage says on Linux may be the parent's
        return int(status.read_text("utf-8").partition("VmHWM:")[2].split()[0]) * 1024 / MEGABYTE
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most * (1 if sys.platform == "darwin" else 1024) / MEGABYTE


def measured(name: str, size: int) -> Took:
    """What it took in a process and a home of its own."""
    with folder_on_disk() as folder:
        command = [sys.executable, __file__, "--only", name, "--size", str(size), "--folder", str(folder)]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{name} at {size}: {done.stderr}")
    found: Took = json.loads(done.stdout)
    return found


def told(every: dict[int, Took]) -> Iterator[str]:
    """The lines of the table for one kind of work."""
    for what in next(iter(every.values())):
        before: tuple[float, ...] = ()
        for size, found in every.items():
            clock, own, most = found[what]
            growth = [f"{now / then:.1f}" for now, then in zip(found[what], before, strict=False)] or ["", ""]
            label, much = "" if before else what, " !" if most > MOST else ""
            yield f"{label:55} {size:5} {clock:9.3f} {growth[0]:>6} {own:9.3f} {growth[1]:>6} {most:8.0f}{much}"
            before = found[what]


def main() -> None:
    """Measure, print, and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(WORK), help="which of the kinds of work")
    parser.add_argument("--size", type=int, help="do one of them at this size, in this process")
    parser.add_argument("--folder", type=Path, help="where")
    given = parser.parse_args()
    if given.size:
        once(given.only, given.size, given.folder)
        return
    record: dict[str, dict[int, Took]] = {}
    print(f"{'':55} {'size':>5} {'s':>9} {'ratio':>6} {'CPU s':>9} {'ratio':>6} {'most MB':>8}")
    for name in given.only.split(","):
        record[name] = {size: measured(name, size) for size in WORK[name][1]}
        print("\n".join(told(record[name])), flush=True)
    RESULTS.mkdir(exist_ok=True)
    at = datetime.now(UTC).isoformat()
    (RESULTS / "growth.json").write_text(json.dumps({"at": at, **record}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
