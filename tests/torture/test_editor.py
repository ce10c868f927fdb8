"""The ledger against an editor that takes no locks: every save is in history, and nobody's words are lost.

The editors save in place, by rename, or by removing and creating, from buffers up to fifty versions old. Each save waits
until history has the one before, as nobody could know of one that the next replaced before anyone looked; the ledger goes
on writing meanwhile. What editors may do to each other, and the ledger to them, is in `core/test_ledger_editors.py`.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from oldsoul.adapters.clock import SystemClock
from oldsoul.adapters.folder.store import FolderStore, WorkspacePath
from oldsoul.ledger import Ledger
from oldsoul.rules.merge.lines import diff
from oldsoul.values.changes import Add, Author, ChangeSet, Role
from oldsoul.values.history import ABSENT, version_of
from oldsoul.values.names import Name
from scale import TORTURE, scaled

if TYPE_CHECKING:
    from pathlib import Path

MAIN = "main"
OPERATOR = Author(Role.OPERATOR, "acct:owner")
SAVES = 100
ROUNDS = scaled(1, 5)
OLDEST_BUFFER = 50
PATIENCE = 120.0
SEED = b"# Session\n\n## Facts\n\n- the first line, typed by hand\n"


def opened(home: Path) -> tuple[FolderStore, Ledger]:
    store = FolderStore(str(home / "state"), lambda workspace: WorkspacePath(str(home / "workspace" / workspace)))
    return store, Ledger(store, SystemClock(), lambda _: SEED)


def writer(home: Path, name: Name, who: str, saying: int) -> None:
    """Adds entries, one after the other, and says which are acknowledged."""
    _, ledger = opened(home)
    number = 0
    while True:
        key = f"{who}{number}"
        ledger.apply(
            ChangeSet((Add(name, f"ledger {key}.", section="Facts" if number % 4 else ""),), OPERATOR, "r", key)
        )
        os.write(saying, f"{key}\n".encode())
        number += 1


class Editor:
    """A program that opens a file, keeps what it read, and writes it back when it likes."""

    def __init__(self, file: Path, chance: random.Random) -> None:
        self.file = file
        self.chance = chance
        self.buffers: deque[bytes] = deque(maxlen=OLDEST_BUFFER)
        self.words: list[str] = []
        self.saved: list[bytes] = []

    def look(self) -> None:
        """Keep what stands there, when it is something new."""
        with suppress(FileNotFoundError):
            data = self.file.read_bytes()
            if data and (not self.buffers or self.buffers[-1] != data):
                self.buffers.append(data)

    def save(self, how: str) -> bytes:
        """One more word into an old buffer, and the buffer into the file."""
        lines = self.chance.choice(self.buffers).splitlines(keepends=True)
        word = f"editor{len(self.words)}x"
        mine = [number for number, line in enumerate(lines) if line.startswith(b"- editor")]
        if mine and self.chance.random() < 0.3:
            line = self.chance.choice(mine)
            lines[line] = lines[line].rstrip(b"\n") + f" (edited for {word})\n".encode()  # no two edits are the same
        items = [number for number, line in enumerate(lines) if line.startswith(b"- ")]
        place = self.chance.choice([*items, len(lines)]) if items else len(lines)
        # Words of its own: a line that is another's but for one word is that line, reworded.
        typed = " ".join(f"{word}{letter}" for letter in "abc")
        lines.insert(place, f"- {word}: {typed}\n".encode())
        data = b"".join(lines)
        getattr(self, how)(data)
        self.words.append(word)
        self.saved.append(data)
        return data

    def in_place(self, data: bytes) -> None:
        self._written(os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), data)

    def by_rename(self, data: bytes) -> None:
        beside = self.file.with_name(f"{self.file.name}~")
        self._written(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), data)
        beside.replace(self.file)

    def by_removing(self, data: bytes) -> None:
        self.file.unlink(missing_ok=True)
        self.in_place(data)

    def _written(self, fd: int, data: bytes) -> None:
        pieces = self.chance.randrange(1, 5)
        size = len(data) // pieces + 1
        for start in range(0, len(data), size):
            os.write(fd, data[start : start + size])
            for _ in range(self.chance.randrange(3000)):
                pass
        os.close(fd)


@pytest.mark.parametrize("writers", [1, 2])
@pytest.mark.parametrize("round_", range(ROUNDS))
def test_no_save_and_no_entry_is_lost(tmp_path: Path, writers: int, round_: int) -> None:
    seed = int.from_bytes(os.urandom(4)) if TORTURE else 10 * writers + round_
    print(f"seed {seed}")  # noqa: T201 - shown when the test fails
    name = Name(MAIN, "memory/2026-02-04/dm.md")
    store, ledger = opened(tmp_path)
    ledger.apply(ChangeSet((Add(name, "the beginning"),), OPERATOR, "r", "begin"))
    editor = Editor(tmp_path / "workspace" / MAIN / name.path, random.Random(seed))  # noqa: S311 - a test's dice
    listening, saying = os.pipe()
    children = [start(tmp_path, name, f"w{number}-", saying, listening) for number in range(writers)]
    os.close(saying)
    os.set_blocking(listening, False)
    said = b""
    try:
        for number in range(SAVES):
            editor.look()
            how = ("in_place", "by_rename", "in_place", "by_rename", "by_removing")[number % 5]
            version = version_of(editor.save(how))
            give_up = time.monotonic() + PATIENCE
            while store.content(version) is None:
                with suppress(BlockingIOError):
                    said += os.read(listening, 65536)
                editor.look()
                assert time.monotonic() < give_up, f"save {number} ({how}) never came into history"
                time.sleep(0.001)
    finally:
        for child in children:
            os.kill(child, signal.SIGTERM)
            os.waitpid(child, 0)
    os.set_blocking(listening, True)
    while more := os.read(listening, 65536):
        said += more
    os.close(listening)
    ledger.notice(MAIN)
    store.close()
    check(tmp_path, name, editor, said.decode().split())


def start(home: Path, name: Name, who: str, saying: int, listening: int) -> int:
    process = os.fork()
    if process:
        return process
    with suppress(BaseException):
        os.close(listening)
        writer(home, name, who, saying)
    os._exit(1)


def lost(store: FolderStore, name: Name, words: bytes) -> str:
    """Which changes took these words away, and from what they were made."""
    told = []
    for change in store.changes(MAIN, name=name, limit=100_000):
        (effect,) = (effect for effect in change.effects if effect.name == name)
        before, after = (store.content(version) or b"" for version in (effect.before, effect.after))
        if words in before and words not in after:
            saved = store.content(change.notes.get("saved", ABSENT)) or after
            told.append(f"change {change.id} by {change.author}, {change.reason}, {dict(change.notes)}")
            told.append(diff(before, saved, "what was saved"))
            told.append(diff(before, after, "what came of it"))
    return "\n".join(told)


def check(home: Path, name: Name, editor: Editor, acknowledged: list[str]) -> None:
    store, ledger = opened(home)
    ledger.notice(MAIN)
    data = (store.read(name).data or b"").decode()
    missing = [word for word in editor.words if f"- {word}:" not in data]
    assert missing == [], lost(store, name, f"- {missing[0]}:".encode())
    assert [key for key in acknowledged if data.count(f"ledger {key}.") != 1] == []
    assert all(store.content(version_of(saved)) == saved for saved in editor.saved)
    latest = ABSENT
    for change in reversed(store.changes(MAIN, name=name, limit=100_000)):
        (effect,) = (effect for effect in change.effects if effect.name == name)
        assert effect.before == latest
        latest = effect.after
    assert latest == version_of(store.read(name).data)
    store.close()
    assert [path for path in (home / "workspace").rglob(".*") if path.is_file()] == []
