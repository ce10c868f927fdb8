"""Indexes that are kept up to date as files change: told by the system, debounced, and healed by looking."""

from __future__ import annotations

import queue
import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from oldsoul.adapters.file_watch import FileChanges
from oldsoul.app.clock.watcher import SyncEvent, Watcher
from oldsoul.errors import Busy, Unavailable
from oldsoul.recall import Recall
from oldsoul.testing import FrozenClock, ToldChanges
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from oldsoul.app import Oldsoul

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
OWN = Session.dm()
LIMIT = 300
"""Seconds after which something that never happens counts as a failure."""


class Bench:
    """A home, a watcher of it in a thread, and a test that tells of changes and of time that passes."""

    def __init__(self, soul: Oldsoul, folder: Path) -> None:
        self.changes = ToldChanges()
        self.soul = soul
        vars(self.soul._home.world.host)["changes"] = self.opened
        self.folder = folder
        self.watched: list[str] = []
        self.taken: queue.Queue[SyncEvent] = queue.Queue()
        self.now = 0.0
        self.watcher: Watcher | None = None

    def opened(self, folders: object) -> ToldChanges:
        self.watched = sorted(folders)  # type: ignore[call-overload]
        return self.changes

    def start(self, *agents: str) -> None:
        """Watch; what was there before is taken in when this returns."""
        self.watcher = Watcher(self.soul._home, agents or ("main",), self.taken.put, every=3.0, now=lambda: self.now)
        self.watcher.start()
        assert self.changes.waited(1)

    def next(self) -> SyncEvent:
        return self.taken.get(timeout=LIMIT)

    def settle(self) -> None:
        """Everything that was told so far has been dealt with."""
        assert self.watcher is not None
        self.changes.close()
        self.ended()

    def ended(self) -> None:
        assert self.watcher is not None
        assert self.watcher._thread is not None
        self.watcher._thread.join(LIMIT)
        assert not self.watcher._thread.is_alive()

    def write(self, path: str, text: str) -> str:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return str(file)

    def finds(self, word: str) -> bool:
        return any(word in hit.chunk.text for hit in self.soul.agent().recall(word, session=OWN).hits)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Callable[..., Bench]]:
    made: list[Bench] = []

    def bench(sync: str = "", search: str = "provider: none", more: str = "") -> Bench:
        home = tmp_path / "home"
        home.mkdir()
        (home / "config.yaml").write_text(f"timezone: UTC\nmemory: {{search: {{{search}, sync: {{{sync}}}}}}}\n{more}")
        made.append(Bench(open_home(home, {}, clock=FrozenClock(NOON)), home / "workspace/main"))
        return made[-1]

    yield bench
    for each in made:
        each.soul.close()


def test_what_is_there_at_the_start_is_taken_in_and_then_what_changes_after_some_quiet(
    bench: Callable[..., Bench],
) -> None:
    home = bench()
    home.write("memory/2026-02-01.md", "# 2026-02-01\n\n- The okapi sings\n")
    home.start()
    assert home.next() == SyncEvent("main", 1)
    file = home.write("MEMORY.md", "- The zebra sleeps\n")
    home.changes.tell(file)
    home.changes.tell(file)
    home.changes.tell()
    assert home.next() == SyncEvent("main", 1)
    home.settle()
    assert home.changes.waits == [3.0, 1.5, 1.5, 3.0]
    assert home.taken.empty()


def test_an_edit_of_a_file_that_is_in_no_index_is_an_event_before_anybody_reads_the_file(
    bench: Callable[..., Bench],
) -> None:
    home = bench()
    home.soul.agent().files.put("SOUL.md", b"# Soul\n\n- Kind.\n")
    home.start()
    before = home.soul.events("now").cursor
    home.changes.tell(home.write("SOUL.md", "# Soul\n\n- Kind.\n- Calm.\n"))
    home.changes.tell()
    home.settle()
    changes = [each for each in home.soul.events(before).events if each.kind == "change"]
    assert [
        effect.name.path for each in changes for effect in home.soul.agent().files.change(int(each.id)).effects
    ] == ["SOUL.md"]


def test_changes_that_never_rest_are_taken_in_all_the_same(bench: Callable[..., Bench]) -> None:
    home = bench()
    home.start()
    file = home.write("MEMORY.md", "- The zebra sleeps\n")
    home.changes.tell(file)
    home.changes.tell(f"{home.folder}/.MEMORY.md.swp")
    assert home.changes.waited(3)
    home.now = 15.0
    home.changes.tell(file)
    assert home.next() == SyncEvent("main", 1)


def test_what_is_hidden_ours_or_no_markdown_concerns_nobody(bench: Callable[..., Bench], tmp_path: Path) -> None:
    home = bench(search=f'provider: none, extra_paths: ["{tmp_path}"]')
    home.start()
    home.settle()
    assert home.watcher is not None
    roots = home.watcher._roots()
    assert set(home.watched) == set(roots) == {str(home.folder), str(home.folder.parent / "_shared"), str(tmp_path)}
    for path in ("home/workspace/main/.git/x.md", "picture.png"):
        assert home.watcher._concerned({f"{tmp_path}/{path}"}, roots) == set()
    for path in ("home/workspace/main/MEMORY.md", "notes/x.md", "a/folder", "home/workspace/_shared/x.md"):
        assert home.watcher._concerned({f"{tmp_path}/{path}"}, roots) == {"main"}


def test_nobody_is_told_of_files_of_ours(tmp_path: Path) -> None:
    with open_home(tmp_path / "home", {}) as soul:
        changes = soul._home.world.host.changes([str(tmp_path)])
        try:
            for path in ("home/cache/x.md", "home/state/x.md", "x.md"):
                (tmp_path / path).write_text("ours or not")
            told: set[str] = set()
            while str(tmp_path / "x.md") not in told:
                told.update(changes.wait(LIMIT) or ())
            assert not {
                path for path in told if path.startswith((f"{tmp_path}/home/cache/", f"{tmp_path}/home/state/"))
            }
        finally:
            changes.close()


def test_a_change_that_nobody_told_of_is_found_when_the_interval_is_over(bench: Callable[..., Bench]) -> None:
    home = bench("interval_minutes: 10")
    home.start()
    home.write("MEMORY.md", "- The zebra sleeps\n")
    home.now = 599.0
    home.changes.tell()
    assert home.changes.waited(2)
    assert home.taken.empty()
    home.now = 600.0
    home.changes.tell()
    assert home.next() == SyncEvent("main", 1)


def test_messages_of_other_processes_are_taken_in_with_the_next_look(bench: Callable[..., Bench]) -> None:
    home = bench("on_session_start: false")
    home.start()
    home.soul.agent().hear("The okapi sings", session=OWN)
    home.changes.tell()
    assert home.next() == SyncEvent("main", 1)


def test_searches_of_a_watched_process_look_at_files_only_when_told(
    bench: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch
) -> None:
    home = bench()
    home.write("memory/2026-02-01.md", "# 2026-02-01\n\n- The okapi sings\n")
    home.start()
    home.next()
    assert home.finds("okapi")
    recall = home.soul.agent()._parts.recaller
    assert recall.watched
    scans: list[int] = []
    whole = Recall.sync

    def counted(self: Recall, *args: object, **kwargs: object) -> int:
        scans.append(1)
        return whole(self, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(Recall, "sync", counted)
    clock = home.soul._home.world.clock
    assert isinstance(clock, FrozenClock)
    clock.advance(timedelta(minutes=4))
    file = home.write("MEMORY.md", "- The zebra sleeps\n")
    assert not home.finds("zebra")
    assert scans == []
    home.changes.tell(file)  # a search need not wait for quiet
    assert home.changes.waited(2)
    assert home.finds("zebra")
    assert len(scans) == 1
    home.write("USER.md", "- The heron waits\n")
    clock.advance(timedelta(minutes=6))  # the system may have told nothing
    assert home.finds("heron")
    home.settle()
    assert not recall.watched
    assert home.soul._home.watchers == []


def test_an_index_made_while_somebody_watches_trusts_them(bench: Callable[..., Bench]) -> None:
    home = bench()
    home.write("MEMORY.md", "- The zebra sleeps\n")
    home.start()
    home.next()
    home.soul._home.discard_recall("main")
    assert home.soul.agent()._parts.recaller.watched


def test_a_failure_is_told_once_and_tried_again(bench: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch) -> None:
    home = bench()

    def busy(*_: object, **__: object) -> int:
        raise Busy("somebody else has it")

    with monkeypatch.context() as broken:
        broken.setattr(Recall, "sync", busy)
        home.start()
        assert home.next() == SyncEvent("main", 0, "somebody else has it")
        home.changes.tell()
        home.changes.tell()
        assert home.changes.waited(3)
    home.write("MEMORY.md", "- The zebra sleeps\n")
    home.changes.tell()
    assert home.next() == SyncEvent("main", 1)
    assert home.taken.empty()


def test_where_nobody_tells_of_changes_files_are_looked_at(
    bench: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch
) -> None:
    home = bench()

    def unavailable(_: object) -> ToldChanges:
        raise Unavailable("not here")

    vars(home.soul._home.world.host)["changes"] = unavailable
    monkeypatch.setattr("oldsoul.app.clock.watcher._Looking", lambda: home.changes)
    home.start()
    assert home.next() == SyncEvent("", 0, "not here; files are checked every 3 s instead")
    home.write("MEMORY.md", "- The zebra sleeps\n")
    home.changes.tell()
    assert home.next() == SyncEvent("main", 1)
    assert not home.soul.agent()._parts.recaller.watched


def test_several_agents_are_watched_and_each_takes_in_its_own(bench: Callable[..., Bench]) -> None:
    home = bench(more="agents: {list: [{id: ben}, {id: off, memory: {search: {enabled: false}}}]}\n")
    assert home.soul._home.searched() == ["main", "ben"]
    home.start("main", "ben")
    file = home.write("../ben/MEMORY.md", "- The zebra sleeps\n")
    home.changes.tell(str(home.folder.parent / "ben/MEMORY.md"))
    home.changes.tell()
    assert home.next() == SyncEvent("ben", 1)
    shared = home.write("../_shared/all.md", "- The okapi sings\n")
    assert file != shared
    home.changes.tell(str(home.folder.parent / "_shared/all.md"))
    home.changes.tell()
    assert {home.next(), home.next()} == {SyncEvent("ben", 1), SyncEvent("main", 1)}


def test_closing_a_home_ends_its_watchers(tmp_path: Path) -> None:
    with open_home(tmp_path / "other", {}) as soul:
        home = Bench(soul, tmp_path)
        home.start()
    home.ended()


# the system's own word


@contextmanager
def told_of(folder: Path) -> Iterator[FileChanges]:
    changes = FileChanges([str(folder)])
    try:
        yield changes
    finally:
        changes.close()


def until(changes: FileChanges, path: Path) -> None:
    """The system tells of a change of this path."""
    for _ in range(LIMIT):
        if str(path) in (changes.wait(1.0) or ()):
            return
    raise AssertionError(path)


def test_the_system_tells_of_files_that_are_made_changed_moved_and_deleted(tmp_path: Path) -> None:
    with told_of(tmp_path) as changes:
        file, other = tmp_path / "a.md", tmp_path / "deep" / "b.md"
        file.write_text("one")
        until(changes, file)
        other.parent.mkdir()
        until(changes, other.parent)
        file.rename(other)
        until(changes, other)
        other.unlink()
        until(changes, other)
        assert changes.wait(0) == frozenset()


def test_whoever_waits_is_let_go_when_it_is_closed(tmp_path: Path) -> None:
    changes = FileChanges([str(tmp_path)])
    ended: queue.Queue[object] = queue.Queue()
    waiting = threading.Thread(target=lambda: ended.put(changes.wait(LIMIT * 10)))
    waiting.start()
    changes.close()
    assert ended.get(timeout=LIMIT) is None
    waiting.join(LIMIT)
    assert changes.wait(1) is None


def test_a_folder_that_is_not_there_cannot_be_watched(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="cannot be watched"):
        FileChanges([str(tmp_path / "gone")])


def test_a_real_change_of_a_real_file_reaches_the_index(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text("memory: {search: {provider: none}}\n")
    taken: queue.Queue[SyncEvent] = queue.Queue()
    with open_home(home, {}) as soul:
        (home / "workspace/main/MEMORY.md").write_text("- The zebra sleeps\n")
        watcher = soul.watch(on_event=taken.put, every=0.1)
        watcher.start()
        assert taken.get(timeout=LIMIT) == SyncEvent("main", 1)
        (home / "workspace/main/memory/2026-02-01.md").write_text("# 2026-02-01\n\n- The okapi sings\n")
        assert taken.get(timeout=LIMIT) == SyncEvent("main", 1)
        assert soul.agent().recall("okapi", session=OWN).hits
        watcher.stop()
