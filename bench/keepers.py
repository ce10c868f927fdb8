"""What one run of each keeper costs over a year of memory without a model, and how that grows with the memory.

python -m bench.keepers [--sizes 1000,3000,10000] [--keepers memory-miner,conflict-detector]
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import subprocess
import sys
import time
from datetime import UTC, date, datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bench.chat import folder_on_disk, resident

from oldsoul.app.keepers.memory_miner import MINED
from oldsoul.app.keepers.recall_validator import VALIDATED
from oldsoul.app.keepers.soul_keeper import GROWN
from oldsoul.app.talk.log import SUMMARISED
from oldsoul.documents import parse
from oldsoul.testing import FrozenClock
from oldsoul.values.history import Record
from oldsoul.values.keepers import KEEPERS
from oldsoul.values.messages import Said, Wanted
from oldsoul.values.names import longterm
from oldsoul.values.sessions import Session, Subject
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oldsoul.app import Agent

RESULTS = Path(__file__).parent / "results"
NOW = datetime(2026, 2, 1, 3, 0, tzinfo=UTC)
"""A Sunday, when every keeper is due."""
DAYS = 365
FIRST = NOW.date() - timedelta(days=DAYS)
KEPT = 37
"""So many days have logs that no run has put away yet: a month, and the week since the last run."""
CASES = ("a day is new", "all is new")
_IN_MEMORY, _IN_ROOM, _OF_PERSON = 80, 60, 24
_ROOMS, _PEOPLE = 0.25, 0.25
_CORRECTED = 0.01
_IN_SESSION = 20
_BATCH = 500
_TAGS = ("knowledge", "event", "decision")
_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"
_SOUNDS = ("ba", "den", "ko", "li", "mar", "ne", "os", "pri", "ra", "sel", "tu", "ven", "wi", "yor", "zan", "ther")
_THINGS = (
    "boiler",
    "server",
    "garden",
    "contract",
    "budget",
    "kitchen",
    "piano",
    "bicycle",
    "roof",
    "fence",
    "invoice",
    "passport",
    "router",
    "dentist",
    "school",
    "holiday",
    "warranty",
    "printer",
    "tenant",
    "bakery",
    "orchard",
    "clinic",
    "studio",
    "harbour",
    "library",
    "workshop",
)
_WHERE = ("cellar", "attic", "office", "hall", "garage", "safe", "drawer", "shed")
_VERBS = ("repaired", "painted", "sold", "insured", "measured", "cleaned", "booked", "renewed")
_CHAT = (
    "ok, thanks a lot",
    "what do you think about that?",
    "haha, that is funny",
    "I am on my way, back in ten minutes",
    "could you look at this again later?",
    "hm, maybe we should wait and see what happens",
)


class Size(NamedTuple):
    """What a keeper's run took."""

    wall: float
    """seconds on the clock"""
    cpu: float
    """seconds of all threads"""
    grown: float
    """megabytes that the process had at most, over what it had before"""
    changes: int
    """how many changes were made or proposed"""


class Teller:
    """Says things that somebody might note; no two lives are the same, and the more is said the more names there are."""

    def __init__(self, size: int) -> None:
        self.chance = random.Random(size)  # noqa: S311 - a bench's dice
        self.names = ["".join(self.chance.choices(_SOUNDS, k=3)).capitalize() for _ in range(20 + size // 10)]

    def fact(self) -> str:
        """One statement that can be true for long."""
        pick, number = self.chance.choice, self.chance.randrange
        name, thing = pick(self.names), pick(_THINGS)
        return pick(
            (
                f"{name}'s {thing} costs {number(20, 9000)} euros a year",
                f"the {thing} of {name} opens at {number(6, 12)}:{number(10, 59)} every Tuesday",
                f"{name} keeps the key of the {thing} in the {pick(_WHERE)} of {pick(self.names)}",
                f"we decided that {name} gets the {thing} {pick(_VERBS)} by {pick(self.names)}",
                f"the inspection of {name}'s {thing} is on {number(1, 28)} March {number(2026, 2030)}",
                f"my cousin {name} lives in {pick(self.names)} and is allergic to {pick(_THINGS)} dust",
                f"{name} never takes the {thing} to {pick(self.names)} without {pick(self.names)}",
                f"the code of {name}'s {thing} is {number(1000, 99999)}",
            )
        )

    def mark(self, day: date) -> str:
        """An entry's bookkeeping."""
        sure = self.chance.choice(("0.95", "0.8", "0.6 origin=agent"))
        return f"<!--os {''.join(self.chance.choices(_LETTERS, k=10))} conf={sure} seen={day} n={self.chance.choice('1112')}-->"

    def entry(self, first: date = FIRST, days: int = DAYS - 2) -> str:
        """A line of memory."""
        day = first + timedelta(days=self.chance.randrange(days))
        return f"- {self.fact()} (added {day}) #{self.chance.choice(_TAGS)} {self.mark(day)}"

    def block(self, day: date, number: int) -> str:
        """A block of a day's log."""
        said = ". ".join(self.fact() for _ in range(2))
        return f"## {day} {8 + number % 12:02}:{number % 60:02} UTC\n\n**User:** {self.chance.choice(self.names)}\n\n{said}.\n"

    def correction(self, day: date) -> str:
        """A block of CORRECTIONS.md."""
        name, thing = self.chance.choice(self.names), self.chance.choice(_THINGS)
        old, new = self.chance.sample(range(100, 99999), 2)
        lines = (
            f"**Correct:** no, the number of {name}'s {thing} is {new}",
            f"**Means:** the number of {name}'s {thing} is {new}",
            f"**Wrong value:** {old}",
            f"**Right value:** {new}",
            f"**Check:** the number of {name}'s {thing}",
            f"**Re-embedded:** true {self.mark(day).replace(' n=', ' x=')}",
        )
        return f"## {day} 09:{self.chance.randrange(10, 59)} UTC\n\n" + "\n".join(lines) + "\n"


# a year


def _write(folder: Path, path: str, title: str, lines: Sequence[str]) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text("\n".join([f"# {title}\n", *lines, ""]), "utf-8")


def write_memory(folder: Path, size: int, *, worst: bool) -> None:
    """So many entries where users have them: what the agent works with, mentioned lately or over the year, and the archive."""
    teller = Teller(size)
    write, lately = partial(_write, folder), NOW.date() - timedelta(days=1)
    entry = partial(teller.entry, lately, 1) if worst else teller.entry
    write("MEMORY.md", "Memory\n\n## Knowledge", [entry() for _ in range(_IN_MEMORY)])
    rooms, people = int(size * _ROOMS), int(size * _PEOPLE)
    for number in range(-(-rooms // _IN_ROOM)):
        lines = [entry() for _ in range(min(_IN_ROOM, rooms - number * _IN_ROOM))]
        write(f"rooms/room{number}.md", f"Room room{number}\n\n## Knowledge", lines)
    for number in range(-(-people // _OF_PERSON)):
        lines = [entry() for _ in range(min(_OF_PERSON, people - number * _OF_PERSON))]
        write(longterm("main", f"acct:{number}").path, "Long-term memory\n\n## Key Facts", lines)
    months = [FIRST + timedelta(days=30 * number) for number in range(12)]
    left = size - _IN_MEMORY - rooms - people
    for number, month in enumerate(months):
        lines = [teller.entry(month, 28) for _ in range(left * number // 12, left * (number + 1) // 12)]
        write(f"Archive/Memory/{month:%Y-%m}.md", f"Memory of {month:%Y-%m}\n\n## Knowledge", lines)
    corrected = int(size * _CORRECTED)
    for number, month in enumerate(months):
        those = range(corrected * number // 12, corrected * (number + 1) // 12)
        blocks = [teller.correction(month + timedelta(days=n % 28)) for n in those]
        path = "CORRECTIONS.md" if month == months[-1] else f"Archive/Corrections/{month:%Y-%m}.md"
        write(path, "Corrections", blocks)


def write_days(folder: Path, size: int, *, worst: bool) -> None:
    """The log of every day; all stand where they were written, or the old ones were put away."""
    teller = Teller(size + 2)
    for number in range(DAYS):
        day = FIRST + timedelta(days=number)
        blocks = [teller.block(day, n) for n in range(size * number // DAYS, size * (number + 1) // DAYS)]
        kept = worst or number >= DAYS - KEPT
        _write(folder, f"{'memory' if kept else 'Archive/Daily'}/{day}.md", str(day), blocks)


def talk(size: int) -> Iterator[Said]:
    """Twice as many messages, evenly over the year: the operator's and rooms', with the agent's replies."""
    teller = Teller(size + 1)
    rooms = -(-int(size * _ROOMS) // _IN_ROOM)
    for number in range(size):
        place, turn = divmod(number, _IN_SESSION // 2)
        day = FIRST + timedelta(days=DAYS * (number - turn) // size)
        when = datetime(day.year, day.month, day.day, 8 + place % 12, turn, tzinfo=UTC)
        if place % 3:
            session, who = Session.dm(id=f"own-{place}"), "acct:owner"
        else:
            session, who = Session.group(f"room{place // 3 % rooms}", id=f"room-{place}"), f"acct:{place % 50}"
        name, thing = teller.chance.choice(teller.names), teller.chance.choice(_THINGS)
        asked, reply = teller.chance.choice(_CHAT), "Fine, I have it."
        if number % int(1 / _CORRECTED) == 50:
            asked, reply = (
                f"what is the number of {name}'s {thing}?",
                f"The number of {name}'s {thing} is {1000 + number}.",
            )
        elif number % int(1 / _CORRECTED) == 51:
            asked = f"no, it is {7 * number}, not {999 + number}"
        elif number % 5 == 0:
            asked = f"Remember that {teller.fact()}."
        elif number % 5 == 1:
            asked = f"{teller.fact().capitalize()}."
        user = "Nora" if who == "acct:owner" else name
        yield Said(asked, session, sender=user, subject=Subject(who), time=when, key=f"q{number}")
        later = when + timedelta(seconds=20)
        yield Said(reply, session, role="assistant", sender="main", time=later, key=f"a{number}")


def build(home: Path, size: int, *, worst: bool) -> None:
    """A home with a year of memory. Keepers ran until yesterday, or never."""
    folder = home / "workspace/main"
    folder.mkdir(parents=True)
    (home / "config.yaml").write_text("timezone: UTC\n", "utf-8")
    write_memory(folder, size, worst=worst)
    with open_home(home, {}, clock=FrozenClock(NOW - timedelta(days=3))) as soul:
        agent = soul.agent()
        soul._home.ledger.notice(agent.id)
        said = talk(size)
        while some := list(islice(said, _BATCH)):
            agent._parts.log.hear_all(some, vouched=True)
        write_days(folder, size, worst=worst)  # after the talk: whatever is heard puts old days away
        soul._home.ledger.notice(agent.id)
        agent.index.sync()
        if not worst:
            _looked_at(agent)


def _looked_at(agent: Agent) -> None:
    """Note that everything was looked at but the last day's talk, which is one conversation at least."""
    said = list(agent._parts.log.every(Wanted(by_number=True)))
    old = said[: -max(len(said) // DAYS, _IN_SESSION)]
    reached = {message.session.id: message.id for message in old}
    last = max(reached.values())
    names = agent._parts.home.world.store.names(agent.id)
    entries = [e.id for name in names for e in parse(agent._parts.read(name).data or b"", is_log=name.is_log).entries]
    records = [
        *(Record(MINED, key, str(last)) for key in ("done", "upto")),
        Record(VALIDATED, "cursor", str(last)),
        Record(GROWN, "messages", str(last)),
        Record(GROWN, "corrections", json.dumps(sorted(entries))),
        *(Record(SUMMARISED, session, str(number)) for session, number in reached.items()),
    ]
    agent._parts.home.ledger.note(agent.id, agent._parts.home.owner.author, "a year went by", "bench", records)


# one run


def measure(home: Path, keeper: str) -> Size:
    """Run a keeper once on this home."""
    clock = FrozenClock(datetime(FIRST.year, FIRST.month, FIRST.day, tzinfo=UTC))
    with open_home(home, {}, clock=clock) as soul:
        clock.advance(NOW - clock.now())  # a home that is opened puts old days away; the compactor shall find them
        agent = soul.agent()
        agent.recall("what is where", session=Session.dm(), counted=False)  # vectors and the index are at hand
        before, start, begun = resident(), time.perf_counter(), time.process_time()
        reports = list(agent.run(keeper))
        wall, cpu = time.perf_counter() - start, time.process_time() - begun
        if not all(report.done for report in reports):
            raise SystemExit(f"{keeper} was not done: {[(r.notes, r.problems) for r in reports if not r.done]}")
        return Size(wall, cpu, max(_most() - before, 0.0), sum(report.changes for report in reports))


def _most() -> float:
    """The most memory this process had, in MB."""
    status = Path("/proc/self/status")
    if status.exists():  # what getrusage says on Linux may be the parent's
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 1024)


def measured(home: Path, keeper: str) -> Size:
    """The same in a process of its own, on a copy: every keeper finds the same home."""
    copy = home.with_name("copy")
    shutil.copytree(home, copy, symlinks=True)
    try:
        command = [sys.executable, "-m", "bench.keepers", "--measure", str(copy), "--keepers", keeper]
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=RESULTS.parent.parent)
        return Size(*json.loads(done.stdout))
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"{keeper}: {error.stderr}") from None
    finally:
        shutil.rmtree(copy)


def table(found: dict[int, dict[str, Size]]) -> str:
    """A line for each keeper: what it took at each size, and how much longer at the last than at the first."""
    sizes = sorted(found)
    times = sizes[-1] / sizes[0]
    heads = [f"{size:,} entries: wall s | CPU s | RSS +MB | changes" for size in sizes]
    lines = [f"| keeper | {' | '.join(heads)} | wall, CPU for {times:g}x entries |"]
    lines.append("|---" * (4 * len(sizes) + 2) + "|")
    for keeper in found[sizes[0]]:
        every = [found[size][keeper] for size in sizes]
        cells = [f"{one.wall:.2f} | {one.cpu:.2f} | {one.grown:.0f} | {one.changes}" for one in every]
        growth = f"{every[-1].wall / every[0].wall:.1f}x, {every[-1].cpu / every[0].cpu:.1f}x"
        lines.append(f"| {keeper} | {' | '.join(cells)} | {growth} |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,3000,10000", help="how many entries")
    parser.add_argument("--keepers", default=",".join(record.name for record in KEEPERS), help="which keepers")
    parser.add_argument("--cases", default=",".join(CASES), help="what is new since the last run")
    parser.add_argument("--measure", type=Path, help="run one keeper on this home, in this process")
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure(given.measure, given.keepers)))
        return
    result: dict[str, dict[int, dict[str, Size]]] = {}
    for case in given.cases.split(","):
        found = result[case] = {}
        for size in map(int, given.sizes.split(",")):
            with folder_on_disk() as folder:
                build(folder / "home", size, worst=case == CASES[1])
                found[size] = {}
                for keeper in given.keepers.split(","):
                    found[size][keeper] = one = measured(folder / "home", keeper)
                    print(f"{case}, {size:,}, {keeper}: {one.wall:.2f} s, {one.changes} changes", file=sys.stderr)
        print(f"\n{case}:\n\n{table(found)}")
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "keepers.json").write_text(json.dumps(result, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
