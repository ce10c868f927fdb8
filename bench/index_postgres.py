"""How fast the index in PostgreSQL is: building it, questions to it, one chunk more in a daily file.

python bench/index_postgres.py postgresql://user@host/database [--rows 10000]
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from oldsoul.adapters.embedders.static import BundledTables
from oldsoul.adapters.postgres.index import PostgresIndex
from oldsoul.ranking.options import SearchOptions
from oldsoul.ranking.order import Wishes, rank
from oldsoul.ranking.question import asked
from oldsoul.recall import CANDIDATES, Recall, Sources
from oldsoul.testing import FrozenClock, MemoryChatLog, MemoryStore
from oldsoul.values.audience import OWNER, Audience, View
from oldsoul.values.recall import Chunk, Filed, Filters

if TYPE_CHECKING:
    from collections.abc import Callable

_SYLLABLES = [consonant + vowel for consonant in "bdklmnr" for vowel in "aeiou"]
_PER_FILE = 50
_QUESTIONS = 200
_COMMON = 30
"""So many words stand for those that say nothing, such as `the`; nobody asks for them."""
_ALL = View(owner=True, every_room=True, rooms=frozenset(), people=frozenset())
_ROOM = View(owner=False, every_room=False, rooms=frozenset({Audience.room("seldom").id}), people=frozenset())


def vocabulary(chance: random.Random, size: int) -> list[str]:
    """Words nobody knows."""
    return ["".join(chance.choice(_SYLLABLES) for _ in range(chance.randrange(2, 5))) for _ in range(size)]


def sentence(chance: random.Random, words: list[str]) -> str:
    """About forty words, few of them often and many seldom, the way words are."""
    picked = (words[min(int(chance.paretovariate(0.7)) - 1, len(words) - 1)] for _ in range(chance.randrange(12, 36)))
    return " ".join(picked).capitalize() + "."


def document(chance: random.Random, words: list[str], number: int) -> Filed:
    """A file of fifty pieces, one of them for a room."""
    path = f"memory/{number}.md"
    time_of = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=number)
    chunks = (
        Chunk(path, line, line, sentence(chance, words), Audience.room("seldom") if line == 7 else OWNER, time=time_of)
        for line in range(1, _PER_FILE + 1)
    )
    return Filed(path, "1", tuple(chunks))


def timed(work: Callable[[int], object], count: int) -> str:
    """The middle and the slow end of doing something so many times, in milliseconds."""
    spent = []
    for number in range(count):
        begun = time.perf_counter()
        work(number)
        spent.append(1000 * (time.perf_counter() - begun))
    return f"p50 {statistics.median(spent):.1f} ms, p95 {sorted(spent)[int(count * 0.95)]:.1f} ms"


def main() -> None:
    """Fill an agent's index and ask it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dsn")
    parser.add_argument("--rows", type=int, default=10_000)
    given = parser.parse_args()
    chance = random.Random(given.rows)  # noqa: S311 - a bench, not a secret
    words = vocabulary(chance, 30_000)
    tables = BundledTables()
    index = PostgresIndex(given.dsn, "home", f"bench {given.rows}", tables.tables())
    index.drop()
    store = MemoryStore()
    sources = Sources("main", store, store, lambda _: None, MemoryChatLog, lambda _: b"", UTC)
    prepare = Recall(index, tables, sources, SearchOptions(), FrozenClock()).prepared
    documents = [document(chance, words, number) for number in range(given.rows // _PER_FILE)]
    begun = time.perf_counter()
    for first in range(0, len(documents), 200):
        index.put(documents[first : first + 200], prepare)
    spent = time.perf_counter() - begun
    print(f"{given.rows} rows in {spent:.1f} s, {given.rows / spent:.0f} a second")
    begun = time.perf_counter()
    index.weigh()
    print(f"weighed anew in {time.perf_counter() - begun:.1f} s")
    texts = [chance.choice([*chance.choice(documents).chunks]).text for _ in range(_QUESTIONS)]
    telling = [[word for word in text.lower().strip(".").split() if word not in words[:_COMMON]] for text in texts]
    questions = [asked(" ".join(chance.sample(found, min(len(found), 5)))) for found in telling]

    def ask(number: int, filters: Filters) -> None:
        with index.steady():
            pool, known = index.look(questions[number], filters, tables.tokens, CANDIDATES)
            ranked = rank(pool, known, questions[number], Wishes())
            index.chunks(pool.row[ranked.order].tolist())

    for view in (_ALL, _ROOM):
        print("ask", "everything:" if view is _ALL else "one room:", timed(lambda n: ask(n, Filters(view)), _QUESTIONS))  # noqa: B023
    one = documents[0]

    def append(number: int) -> None:
        more = Chunk(one.path, _PER_FILE + number + 1, _PER_FILE + number + 1, texts[number], OWNER)
        index.put([Filed(one.path, f"2 {number}", (more,))], prepare, append=True)

    print("one chunk more:", timed(append, 100))
    index.drop()
    index.close()


if __name__ == "__main__":
    main()
