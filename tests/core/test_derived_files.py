"""What another program does to an index in use ends no process and fails no verb."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from scale import scaled

if TYPE_CHECKING:
    from pathlib import Path

# A process of its own: reading a mapped file that was cut short would end it. SQLite maps the files whose names end in
# `-shm`, which many processes share: those are left alone, and docs/guides/backup.md says so.
_PROGRAM = """
import os, random, shutil, sys, threading
from pathlib import Path
from oldsoul import Oldsoul, Session
from oldsoul.app.health import findings
from oldsoul.wiring.doctor import HomeSite

home, tries = Path(sys.argv[1]), int(sys.argv[2])
chance = random.Random(5)
cache = home / "cache"

def cut(file): os.truncate(file, chance.randrange(os.path.getsize(file) or 1))
def empty(file): os.truncate(file, 0)
def blank(file): file.write_bytes(bytes(os.path.getsize(file)))
def gone(file): shutil.rmtree(cache)

with Oldsoul.open(home) as soul:
    agent = soul.agent()
    for number in range(40):
        agent.hear(f"The key of house {number} hangs on hook {number + 7}", session=Session.dm(id=f"s{number % 5}"))
    agent.remember("The boat is called Ida")
    agent.index.sync()
    for number in range(tries):
        verbs = [
            lambda: agent.recall("what is the boat called?", session=Session.dm()),
            agent.index.status,
            agent.index.sync,
            lambda: agent.hear(f"The cat number {number} is called Tom", session=Session.dm()),
            lambda: agent.context("what is the boat called?", session=Session.dm()),
        ]
        files = [file for file in cache.rglob("*") if file.is_file() and not file.name.endswith(("-shm", ".lock"))]
        harm = chance.choice([cut, empty, blank, gone])
        if files:
            def damage(file=chance.choice(files), harm=harm):
                try:
                    harm(file)
                except OSError:
                    pass
            other = threading.Thread(target=damage)
            other.start()
        for verb in chance.sample(verbs, len(verbs)):
            verb()
        other.join()
        for verb in chance.sample(verbs, len(verbs)):
            verb()
        agent.index.sync()
        found = agent.recall("what is the boat called?", session=Session.dm())
        assert any("Ida" in hit.chunk.text for hit in found.hits), (number, harm, found)
    told = [each.message for each in findings(HomeSite(home, os.environ), lambda: soul, None, lambda _: None)]
    assert any("index was damaged" in message for message in told), told
    print("whole")
"""


def test_nothing_that_happens_to_an_open_index_ends_a_process_or_fails_a_verb(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(tmp_path / "home"), str(scaled(3, 150))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "whole\n"), done.stderr[-2000:]
