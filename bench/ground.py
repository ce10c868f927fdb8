"""Measures the ground floor: documents, ledger, start time, bootstrap. One run prints everything; ratios are of one run.

make bench
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from hostile import SHAPES
from oldsoul import Oldsoul
from oldsoul.adapters.clock import SystemClock
from oldsoul.adapters.folder.store import FolderStore, WorkspacePath
from oldsoul.documents import parse, render
from oldsoul.ledger import Ledger, LedgerOptions
from oldsoul.rules.merge import units
from oldsoul.values.changes import Add, Author, ChangeSet, Role
from oldsoul.values.names import Name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

RESULTS = Path(__file__).parent / "results"
REALISTIC = "memory"
MEGABYTE = 1_000_000
APPENDS = 400
WARM_LOADS = 400


@contextmanager
def folder_on_disk() -> Iterator[Path]:
    """A folder on the project's own disk: a temporary folder may lie in memory."""
    path = Path(tempfile.mkdtemp(prefix=".bench-", dir=Path(__file__).parents[1]))
    try:
        yield path
    finally:
        shutil.rmtree(path)


def cpu(work: Callable[[], object], repeat: int = 5) -> float:
    """The least CPU seconds of several runs."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def documents() -> dict[str, float]:
    """Parsing and rendering one realistic megabyte."""
    data = SHAPES[REALISTIC](MEGABYTE)

    def structure() -> None:
        document = parse(data)
        _ = document.outline
        assert render(document) == data  # noqa: S101 - a bench that measured the wrong thing would lie

    def everything() -> None:
        structure()
        _ = parse(data).entries

    size = len(data) / 1e6
    return {
        "parse+render MB/s": size / cpu(structure),
        "parse+render+every entry MB/s": size / cpu(everything),
    }


def memory_file(size: int) -> bytes:
    """A MEMORY.md of about that size."""
    head = b"# Memory\n\n## Knowledge\n\n- Known (added 2026-01-01) #knowledge\n\n## Notes\n\n"
    line = b"- **Topic %d**: something that was said and is worth keeping (added 2026-02-05) #decision\n"
    lines = [line % number for number in range(size // 80)]
    return head + b"".join(lines)[: size - len(head)].rpartition(b"\n")[0] + b"\n"


def appends(folder: Path) -> dict[str, float]:
    """One entry appended to a 16 KiB file through the ledger, beside a bare durable rewrite of the same bytes."""
    store = FolderStore(str(folder / "state"), lambda workspace: WorkspacePath(str(folder / workspace)))
    ledger = Ledger(store, SystemClock(), lambda _: b"", LedgerOptions(max_file_size=65536))
    name = Name("main", "MEMORY.md")
    path = folder / "main" / "MEMORY.md"
    path.parent.mkdir(parents=True)
    author = Author(Role.OPERATOR, "acct:owner")
    ours, bare = [], []
    for number in range(APPENDS):
        if number % 20 == 0:
            path.write_bytes(memory_file(16 * 1024))
            ledger.read(name)
        change = ChangeSet((Add(name, f"fact number {number}", section="Notes"),), author, "bench", f"k{number}")
        start = time.perf_counter()
        ledger.apply(change)
        ours.append(time.perf_counter() - start)
        bare.append(bare_write(folder / "bare", path.read_bytes()))
    store.close()
    ours.sort()
    bare.sort()
    return {
        "append p50 ms": 1e3 * statistics.median(ours),
        "append p99 ms": 1e3 * ours[int(len(ours) * 0.99)],
        "bare write+fsync+rename+fsync p50 ms": 1e3 * statistics.median(bare),
        "bare p99 ms": 1e3 * bare[int(len(bare) * 0.99)],
        "append / bare, p50": statistics.median(ours) / statistics.median(bare),
    }


def bare_write(path: Path, data: bytes) -> float:
    """Seconds of the least that makes a file durable."""
    start = time.perf_counter()
    temporary = f"{path}.tmp"
    file = os.open(temporary, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    os.write(file, data)
    os.fsync(file)
    os.close(file)
    os.rename(temporary, path)  # noqa: PTH104 - the bare calls are what is measured
    parent = os.open(path.parent, os.O_RDONLY)
    os.fsync(parent)
    os.close(parent)
    return time.perf_counter() - start


def child_cpu(command: list[str], environment: dict[str, str], repeat: int = 10) -> float:
    """The least CPU milliseconds of a command."""
    best = float("inf")
    for _ in range(repeat):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, env=environment, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best * 1e3


def starting(folder: Path) -> dict[str, float]:
    """What starting a command costs above starting Python."""
    oldsoul = str(Path(sys.executable).parent / "oldsoul")
    environment = {**os.environ, "OLDSOUL_HOME": str(folder / "home")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # with it every start compiles again, as no installed command does
    subprocess.run([oldsoul, "init"], env=environment, check=True, capture_output=True)
    nothing = child_cpu([sys.executable, "-c", "pass"], environment)
    return {
        "python -c pass, CPU ms": nothing,
        "oldsoul --help, CPU ms above that": child_cpu([oldsoul, "--help"], environment) - nothing,
        "oldsoul show SOUL.md, CPU ms above that": child_cpu([oldsoul, "show", "SOUL.md"], environment) - nothing,
    }


def bootstrap(folder: Path) -> dict[str, float]:
    """Loading the ten files an agent is started with, when nothing changed."""
    with Oldsoul.open(folder / "home") as soul:
        agent = soul.agent()
        for path, text in (("TOOLS.md", b"# Tools\n"), ("IDENTITY.md", b"# Identity\n"), ("HEARTBEAT.md", b"ok\n")):
            agent.files.put(path, text)
        time.sleep(0.2)  # a file that changed a moment ago is read again, which is not what is measured here
        agent.files.bootstrap()
        times = []
        for _ in range(WARM_LOADS):
            start = time.perf_counter()
            agent.files.bootstrap()
            times.append(time.perf_counter() - start)
    return {"bootstrap warm p50 us": 1e6 * statistics.median(times)}


def growth() -> dict[str, dict[str, float]]:
    """CPU of each hostile shape from a quarter of a megabyte to one: near 4 is linear."""
    table = {}
    for shape, make in sorted(SHAPES.items()):
        small, large = make(MEGABYTE // 4), make(MEGABYTE)

        def work(data: bytes) -> None:
            units(parse(data))

        first, second = cpu(lambda data=small: work(data), 2), cpu(lambda data=large: work(data), 2)  # type: ignore[misc]
        table[shape] = {"0.25 MB ms": 1e3 * first, "1 MB ms": 1e3 * second, "ratio": second / max(first, 1e-4)}
    return table


def main() -> None:
    """Measure, print, and keep the figures."""
    results: dict[str, dict[str, float]] = {"documents": documents()}
    with folder_on_disk() as folder:
        results["append"] = appends(folder)
        results["start"] = starting(folder)
        results["bootstrap"] = bootstrap(folder)
    for figures in results.values():
        for what, value in figures.items():
            print(f"{what:45} {value:10.2f}")
    shapes = growth()
    print(f"\n{'hostile shape (parse, outline, entries, units)':48} {'0.25 MB':>9} {'1 MB':>9} {'ratio':>6}")
    for shape, figures in sorted(shapes.items(), key=lambda item: -item[1]["ratio"]):
        print(f"{shape:48} {figures['0.25 MB ms']:9.1f} {figures['1 MB ms']:9.1f} {figures['ratio']:6.1f}")
    RESULTS.mkdir(exist_ok=True)
    record = {"at": datetime.now(UTC).isoformat(), **results, "growth": shapes}
    (RESULTS / "ground.json").write_text(json.dumps(record, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
