"""Measures the chat log in SQLite: messages one by one (each a durable commit), in batches, and what questions cost.

python bench/chat.py --messages 100000
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import sqlite3
import sys
import tempfile
import time
from array import array
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from oldsoul.adapters.sqlite.chat import SqliteChatLog
from oldsoul.values.audience import OWNER
from oldsoul.values.messages import Flag, Message, Wanted
from oldsoul.values.origin import Origin
from oldsoul.values.sessions import Session, Subject

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

RESULTS = Path(__file__).parent / "results"
START = datetime(2026, 1, 1, tzinfo=UTC)
BATCH = 500
PER_SESSION = 1000
SAMPLES = (0.1, 0.5, 1.0)
VOCABULARY = [f"{sound}{number}" for number in range(4000) for sound in ("lo", "mira", "ten", "usk", "vor")]
LENGTHS = (3, 6, 6, 10, 10, 15, 25, 40, 80, 300)
"""Words of a message: most are short, a few are pages."""


@contextmanager
def folder_on_disk() -> Iterator[Path]:
    """A folder on the project's own disk: a temporary folder may lie in memory."""
    path = Path(tempfile.mkdtemp(prefix=".bench-", dir=Path(__file__).parents[1]))
    try:
        yield path
    finally:
        shutil.rmtree(path)


def messages(count: int) -> Iterator[Message]:
    """A conversation of two, in sessions of a thousand messages, one in twenty Chinese; the same every time."""
    chance = random.Random(1)  # noqa: S311 - a bench's dice
    owner = Subject("acct:owner")
    flags = (Flag("memory", "mine", "high", "remember"),)
    for number in range(count):
        text = " ".join(
            VOCABULARY[min(int(chance.paretovariate(0.7)), len(VOCABULARY) - 1)] for _ in range(chance.choice(LENGTHS))
        )
        asked = number % 2 == 0
        yield Message(
            workspace="main",
            session=Session.dm(id=f"dm:owner:{number // PER_SESSION}"),
            role="user" if asked else "assistant",
            sender="Owner" if asked else "main",
            subject=owner if asked else None,
            text=f"{text} 我喜欢猫和狗，明天见。" if number % 20 == 0 else text,
            time=START + timedelta(seconds=number * 7),
            origin=Origin.OPERATOR if asked else Origin.AGENT,
            audience=OWNER,
            key=f"telegram:{number}",
            channel="telegram",
            flags=flags if number % 100 == 0 else (),
        )


def resident() -> float:
    """Megabytes of memory in use now, where the system tells; else the most there ever were."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 1024)
    return pages * resource.getpagesize() / 2**20


def logged(path: Path, count: int, batch: int) -> dict[str, float]:
    """Log so many messages, so many in each call."""
    log = SqliteChatLog(str(path))
    times = array("d", bytes(8 * -(-count // batch)))  # all of it now, so that what grows is not ours
    calls = 0
    figures: dict[str, float] = {}
    marks = {max(batch, int(count * share) // batch * batch): share for share in SAMPLES}
    pending: list[Message] = []
    for number, message in enumerate(messages(count), 1):
        pending.append(message)
        if len(pending) == batch or number == count:
            start = time.perf_counter()
            log.append(pending)
            times[calls] = time.perf_counter() - start
            calls += 1
            pending = []
        if number in marks:
            figures[f"RSS MB at {marks[number]:.0%}"] = resident()
    log.close()
    sorted_times = sorted(times)
    return {
        "messages/s": count / sum(times),
        "call p50 us": 1e6 * sorted_times[calls // 2],
        "call p99 us": 1e6 * sorted_times[int(calls * 0.99)],
        "call max us": 1e6 * sorted_times[-1],
        **figures,
        "file MB": path.stat().st_size / 1e6,
        "bytes/message": path.stat().st_size / count,
    }


def bare(path: Path, count: int) -> dict[str, float]:
    """The same texts in one plain table, a durable commit each: what SQLite and the disk alone cost."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=FULL")
    db.execute("CREATE TABLE messages (id INTEGER PRIMARY KEY, text TEXT)")
    times = []
    for message in messages(count):
        start = time.perf_counter()
        db.execute("INSERT INTO messages (text) VALUES (?)", (message.text,))
        times.append(time.perf_counter() - start)
    db.close()
    times.sort()
    return {
        "messages/s": count / sum(times),
        "call p50 us": 1e6 * times[len(times) // 2],
        "file MB": path.stat().st_size / 1e6,
        "text MB": sum(len(message.text.encode()) for message in messages(count)) / 1e6,
    }


def asked(path: Path, count: int) -> dict[str, float]:
    """What questions to a full log cost, in milliseconds; the last is what it costs to have words erased for good."""
    log = SqliteChatLog(str(path))
    middle = START + timedelta(seconds=count * 7 // 2)
    late = Wanted(newest_first=True, limit=1)
    newest = log.find("main", late)[0].id
    questions = {
        "newest 100": Wanted(newest_first=True),
        "100 from the middle": Wanted(since=middle),
        "a session's newest 100": Wanted(session="dm:owner:0", newest_first=True),
        "a person's newest 100": Wanted(subject="acct:owner", newest_first=True),
        "10 after a number": Wanted(after=newest - 10),
        "100 after a number in the middle": Wanted(after=newest // 2),
        "flagged, after a number": Wanted(flagged="mine", after=newest - 1000),
        "one rare word": Wanted(words=VOCABULARY[-7]),
        "two words": Wanted(words=f"{VOCABULARY[40]} {VOCABULARY[90]}"),
        "the most common word": Wanted(words=VOCABULARY[1], newest_first=True),
        "two Chinese words": Wanted(words="喜欢 猫"),
        "the most common word in a session": Wanted(words=VOCABULARY[1], session="dm:owner:0"),
    }
    figures: dict[str, float] = {}
    for what, wanted in questions.items():
        figures[f"{what}, ms"] = quickest(partial(log.find, "main", wanted))
    figures["threads, ms"] = quickest(lambda: log.threads("main"))
    figures["redact one, ms"] = quickest(lambda: log.redact("main", {newest: "erased"}), 1)
    log.close()
    return figures


def quickest(work: Callable[[], object], repeat: int = 7) -> float:
    """The least milliseconds of several runs."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def main() -> None:
    """Measure, print, and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000, help="how many to log")
    count = max(1, parser.parse_args().messages)
    results: dict[str, dict[str, float]] = {}
    with folder_on_disk() as folder:
        results["one by one"] = logged(folder / "chat.db", count, 1)
        results["questions"] = asked(folder / "chat.db", count)
        results[f"batches of {BATCH}"] = logged(folder / "batches.db", count, BATCH)
        results["bare table, one by one"] = bare(folder / "bare.db", count)
    for what, figures in results.items():
        print(f"\n{what}")
        for name, value in figures.items():
            print(f"  {name:45} {value:12.2f}")
    RESULTS.mkdir(exist_ok=True)
    record = {"at": datetime.now(UTC).isoformat(), "messages": count, **results}
    (RESULTS / "chat.json").write_text(json.dumps(record, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
