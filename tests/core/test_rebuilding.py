"""An index that is made anew: beside the one in use, while searches go on, and put in its place in one step."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from adapters.index_material import filed, prepare
from oldsoul.adapters.index import replacement
from oldsoul.adapters.index.engine import SqliteIndex
from oldsoul.app.home.world import RebuildRequest
from oldsoul.errors import Busy, OldsoulError, Unwritable
from oldsoul.recall import Recall
from oldsoul.recall.sources import Filing
from oldsoul.testing import FrozenClock
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from oldsoul.app import Agent, Oldsoul
    from oldsoul.values.recall import Filed

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
OWN, DEV = Session.dm(), Session.group("dev")
LIMIT = 300
"""Seconds after which something that never happens counts as a failure."""
QUIET = "provider: none, sync: {on_session_start: false}"


@pytest.fixture
def opened(tmp_path: Path) -> Callable[..., Oldsoul]:
    def opened(search: str = QUIET) -> Oldsoul:
        home = tmp_path / "home"
        home.mkdir(exist_ok=True)
        (home / "config.yaml").write_text(f"timezone: UTC\nmemory: {{search: {{{search}}}}}\n")
        return open_home(home, {}, clock=FrozenClock(NOON))

    return opened


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / "home/cache/index/main.db"


def texts(agent: Agent, question: str = "zebra", session: Session = OWN) -> str:
    return " ".join(hit.chunk.text for hit in agent.recall(question, session=session, limit=50).hits)


def damaged(index: Path) -> None:
    for ending in ("-wal", "-shm"):
        Path(f"{os.path.realpath(index)}{ending}").unlink(missing_ok=True)
    index.write_bytes(b"garbage" * 1000)


class Halt:
    """Holds the making of an index after its first files, until it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reached, self.go = threading.Event(), threading.Event()
        whole, halted = Recall._supersede, self

        def supersede(recall: Recall) -> None:
            if threading.current_thread().name.startswith("oldsoul-index"):
                halted.reached.set()
                assert halted.go.wait(LIMIT)
            whole(recall)

        monkeypatch.setattr(Recall, "_supersede", supersede)


@pytest.fixture
def halt(monkeypatch: pytest.MonkeyPatch) -> Iterator[Halt]:
    made = Halt(monkeypatch)
    yield made
    made.go.set()


# at the operator's word


def test_the_old_index_answers_until_the_new_one_takes_its_place(opened: Callable[..., Oldsoul], index: Path) -> None:
    with opened() as soul, opened() as other:
        agent = soul.agent()
        agent.remember("The zebra Olga")
        assert "Olga" in texts(agent)
        assert "Olga" in texts(other.agent())
        before = os.path.realpath(index)
        seen: list[tuple[str, str]] = []

        def told(done: int, total: int) -> None:
            seen.append((texts(agent), texts(other.agent())))
            assert (done, total) == (total, total)

        agent.index.rebuild(told)
        assert seen
        assert all("Olga" in one and "Olga" in two for one, two in seen)
        assert os.path.realpath(index) != before
        assert "Olga" in texts(agent)
        assert "Olga" in texts(other.agent())
        left = {name.name.partition(".g-")[2][:12] for name in index.parent.iterdir()} - {""}
        assert left == {os.path.realpath(index).partition(".g-")[2]}


def test_another_process_goes_over_to_the_new_index_and_writes_there(opened: Callable[..., Oldsoul]) -> None:
    with opened() as soul, opened() as other:
        soul.agent().remember("The zebra Olga")
        assert "Olga" in texts(other.agent())
        soul.agent().index.rebuild()
        other.agent().hear("The zebra Anton", session=OWN)
        assert "Anton" in texts(other.agent())
        assert "Anton" in texts(soul.agent())
        soul.agent().hear("The zebra Berta", session=OWN)
        assert "Berta" in texts(other.agent())
    with opened() as soul:
        assert soul.agent().index.sync() == 0
        assert all(name in texts(soul.agent()) for name in ("Olga", "Anton", "Berta"))


def test_what_was_said_while_it_was_made_is_found_afterwards(opened: Callable[..., Oldsoul], halt: Halt) -> None:
    with opened() as soul:
        agent = soul.agent()
        agent.hear("The zebra Olga", session=OWN)
        assert "Olga" in texts(agent)
        making = threading.Thread(target=agent.index.rebuild, name="oldsoul-index-test")
        making.start()
        assert halt.reached.wait(LIMIT)
        agent.hear("The zebra Anton", session=OWN)
        assert "Anton" in texts(agent)
        halt.go.set()
        making.join(LIMIT)
        assert "Olga" in texts(agent)
        assert "Anton" in texts(agent)


def test_only_one_makes_it_at_a_time(opened: Callable[..., Oldsoul], index: Path) -> None:
    with opened() as soul:
        soul.agent().remember("The zebra Olga")
        assert texts(soul.agent())
        with replacement.making(str(index)) as ours, replacement.making(str(index)) as theirs:
            assert (ours, theirs) == (True, False)
            with pytest.raises(Busy, match="another process"):
                soul.agent().index.rebuild()
        assert soul.agent().index.rebuild() >= 1


def test_what_was_interrupted_is_gone_on_with_and_of_no_harm(opened: Callable[..., Oldsoul], index: Path) -> None:
    class Stopped(OldsoulError):
        pass

    def stop(_done: int, _total: int) -> None:
        raise Stopped

    with opened() as soul:
        agent = soul.agent()
        agent.remember("The zebra Olga")
        assert texts(agent)
        before = os.path.realpath(index)
        with pytest.raises(Stopped):
            agent._parts.make_index(RebuildRequest(stop))
        assert os.path.realpath(index) == before
        begun = os.path.realpath(f"{index}.next")
        assert "Olga" in texts(agent)
        assert agent._parts.make_index(RebuildRequest(lambda _done, _total: None))
        assert os.path.realpath(index) == begun
        assert "Olga" in texts(agent)
        with pytest.raises(Stopped):
            agent._parts.make_index(RebuildRequest(stop))
        Path(os.path.realpath(f"{index}.next")).write_bytes(b"garbage" * 1000)
        assert agent._parts.make_index(RebuildRequest(lambda _done, _total: None))
        assert "Olga" in texts(agent)


def test_what_is_forgotten_meanwhile_does_not_come_back(opened: Callable[..., Oldsoul], tmp_path: Path) -> None:
    with opened() as soul, opened() as other:
        made = soul.agent().remember("The zebra knows the word xylophonist")
        assert texts(soul.agent())

        forgotten: list[bool] = []

        def told(_done: int, _total: int) -> None:
            if not forgotten:
                other.agent().forget(made.name, made.entry)
                forgotten.append(True)

        assert soul.agent()._parts.make_index(RebuildRequest(told))
        assert "xylophonist" not in texts(soul.agent())
    for file in (tmp_path / "home/cache").rglob("*"):
        assert b"xylophonist" not in (file.read_bytes() if file.is_file() else b"")


# by itself


def test_a_damaged_index_is_made_anew_while_words_answer(
    opened: Callable[..., Oldsoul], index: Path, halt: Halt
) -> None:
    with opened() as soul:
        soul.agent().remember("The zebra Olga")
        soul.agent().hear("The zebra Dora is in the server room", session=DEV, subject="acct:9")
        assert "Olga" in texts(soul.agent())
    damaged(index)
    with opened() as soul:
        agent = soul.agent()
        found = agent.recall("zebra", session=OWN)
        assert {"Olga", "Dora"} <= set(" ".join(hit.chunk.text for hit in found.hits).split())
        assert "is being rebuilt" in found.notes[0]
        assert halt.reached.wait(LIMIT)
        assert "Olga" not in texts(agent, session=DEV)
        assert "Dora" in texts(agent, session=DEV)
        agent.hear("The zebra Emil", session=OWN)
        assert "Emil" in texts(agent)
        halt.go.set()
        soul._home.rebuilds.join()
        found = agent.recall("zebra", session=OWN)
        assert found.notes == ()
        assert all(name in texts(agent) for name in ("Olga", "Dora", "Emil"))
    assert sorted(name.name for name in index.parent.iterdir() if name.is_symlink()) == ["main.db"]


def test_an_index_for_other_settings_answers_until_there_is_a_new_one(
    opened: Callable[..., Oldsoul], index: Path, halt: Halt
) -> None:
    with opened() as soul:
        soul.agent().remember("The zebra Olga")
        assert "Olga" in texts(soul.agent())
        before = os.path.realpath(index)
    with opened(f"{QUIET}, chunking: {{tokens: 100, overlap: 10}}") as soul:
        agent = soul.agent()
        found = agent.recall("zebra", session=OWN)
        assert "Olga" in found.hits[0].chunk.text
        assert "is being rebuilt" in found.notes[0]
        assert halt.reached.wait(LIMIT)
        assert os.path.realpath(index) == before
        halt.go.set()
        soul._home.rebuilds.join()
        assert agent.recall("zebra", session=OWN).notes == ()
        assert os.path.realpath(index) != before
    with opened(f"{QUIET}, chunking: {{tokens: 100, overlap: 10}}") as soul:
        assert soul.agent().recall("zebra", session=OWN).notes == ()


@pytest.mark.parametrize("providers", [("auto", "none"), ("none", "auto")])
def test_an_index_for_other_tables_answers_until_there_is_a_new_one(
    opened: Callable[..., Oldsoul], halt: Halt, monkeypatch: pytest.MonkeyPatch, providers: tuple[str, str]
) -> None:
    monkeypatch.setattr("oldsoul.app.home.index_upkeep.MOST_FILES", 1)
    before, after = (QUIET.replace("none", provider) for provider in providers)
    with opened(before) as soul:
        soul.agent().remember("The zebra Olga")
        assert "Olga" in texts(soul.agent())
    with opened(after) as soul, opened(after) as other:
        for agent in (soul.agent(), other.agent()):
            found = agent.recall("zebra", session=OWN)
            assert "Olga" in found.hits[0].chunk.text
            assert "until then the old index is searched" in found.notes[0]
            assert not {"vectors", "late"} & set(found.hits[0].why), "only one of the two knows the tables"
        assert halt.reached.wait(LIMIT)
        soul.agent().hear("The zebra Emil", session=OWN)
        assert "Emil" in texts(soul.agent())
        halt.go.set()
        soul._home.rebuilds.join()
        other._home.rebuilds.join()
        for agent in (soul.agent(), other.agent()):
            assert agent.index.status().state.tables == (0 if providers[1] == "none" else 1)
            found = agent.recall("zebra", session=OWN)
            assert found.notes == ()
            assert {"Olga", "Emil"} <= set(" ".join(hit.chunk.text for hit in found.hits).split())


def test_whoever_wants_to_be_told_gets_it_made_before_the_answer(opened: Callable[..., Oldsoul], index: Path) -> None:
    with opened() as soul:
        soul.agent().remember("The zebra Olga")
        assert "Olga" in texts(soul.agent())
    damaged(index)
    with opened() as soul:
        steps: list[tuple[int, int]] = []
        soul._home.rebuilding = lambda done, total: steps.append((done, total))
        found = soul.agent().recall("zebra", session=OWN)
        assert "Olga" in found.hits[0].chunk.text
        assert found.notes == ()
        assert steps[-1][0] == steps[-1][1] > 0
    damaged(index)
    with opened() as soul:
        assert soul.agent().index.status().state.waiting == 0
    damaged(index)
    with opened() as soul:
        soul.agent().index.sync()
        assert soul.agent().recall("zebra", session=OWN).notes == ()


def test_damage_that_is_found_while_searching_is_mended_too(opened: Callable[..., Oldsoul], index: Path) -> None:
    with opened() as soul:
        agent = soul.agent()
        agent.remember("The zebra Olga")
        assert "Olga" in texts(agent)
        for file in Path(f"{os.path.realpath(index)}.arrays").rglob("rows"):
            os.truncate(file, 10)
        found = agent.recall("zebra", session=OWN)
        assert "Olga" in found.hits[0].chunk.text
        soul._home.rebuilds.join()
        assert agent.recall("zebra", session=OWN).notes == ()
        assert "Olga" in texts(agent)


def test_while_another_process_makes_it_words_answer(opened: Callable[..., Oldsoul], index: Path) -> None:
    with opened() as soul:
        soul.agent().remember("The zebra Olga")
        assert texts(soul.agent())
    damaged(index)
    with opened() as soul:
        soul._home.rebuilding = lambda _done, _total: None
        with replacement.making(str(index)):
            found = soul.agent().recall("zebra", session=OWN)
            assert "Olga" in found.hits[0].chunk.text
            assert found.notes
            soul._home.rebuilds.join()
        assert soul.agent().recall("zebra", session=OWN).notes == ()


def test_what_stands_in_is_made_anew_too_when_it_is_damaged(opened: Callable[..., Oldsoul], index: Path) -> None:
    words = Path(f"{index}.words")
    with opened() as soul:
        soul.agent().remember("The zebra Olga")
        assert texts(soul.agent())
    damaged(index)
    with replacement.making(str(index)):
        with opened() as soul:
            assert "Olga" in texts(soul.agent())
        damaged(words)
        with opened() as soul:
            assert "Olga" in texts(soul.agent())
            for file in Path(f"{os.path.realpath(words)}.arrays").rglob("rows"):
                os.truncate(file, 10)
            assert "Olga" in texts(soul.agent())
    with opened() as soul:
        assert "Olga" in texts(soul.agent())
        soul._home.rebuilds.join()
        assert soul.agent().recall("zebra", session=OWN).notes == ()


def test_whoever_looks_at_an_index_that_is_being_made_is_told_so(
    opened: Callable[..., Oldsoul], index: Path, halt: Halt
) -> None:
    with opened() as soul:
        soul.agent().remember("The zebra Olga")
        assert texts(soul.agent())
    damaged(index)
    with opened() as soul, opened() as other:
        agent = soul.agent()
        assert "Olga" in texts(agent)
        assert halt.reached.wait(LIMIT)
        assert agent.index.status().making.startswith("this process is rebuilding this index")
        assert other.agent().index.status().making.startswith("another process")
        with pytest.raises(Busy, match="this process is rebuilding this index"):
            agent.index.rebuild()
        with pytest.raises(Busy, match="another process"):
            other.agent().index.sync()
        going = threading.Timer(0, halt.go.set)
        going.start()
        assert agent.index.sync() == 0
        assert agent.index.status().making == ""
        assert agent.index.status().state.documents == 1
        assert agent.recall("zebra", session=OWN).notes == ()


@pytest.mark.parametrize("real", [False, True])
def test_a_folder_in_the_place_of_the_index_is_no_hindrance(
    opened: Callable[..., Oldsoul], index: Path, *, real: bool
) -> None:
    with opened() as soul:
        soul.agent().remember("The zebra Olga")
        assert texts(soul.agent())
    place = Path(os.path.realpath(index)) if real else index
    for do in (texts, lambda agent: agent.index.rebuild()):
        place.unlink()
        place.mkdir()
        (place / "mine.txt").write_text("kept")
        with opened() as soul:
            assert do(soul.agent())
            soul._home.rebuilds.join()
            assert "Olga" in texts(soul.agent())
            assert soul.agent().recall("zebra", session=OWN).notes == ()
        place = Path(os.path.realpath(index)) if real else index
    assert len(list(index.parent.glob("main.db.aside-*/mine.txt"))) == (0 if real else 2)


@pytest.mark.parametrize("how", ["no folder", "not ours"])
def test_where_the_index_cannot_be_written_one_of_this_process_answers(
    opened: Callable[..., Oldsoul], index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    spare = tmp_path / "spare"
    spare.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spare))
    index.parent.parent.mkdir(parents=True)
    if how == "no folder":
        index.parent.write_text("in the way")
    else:
        allowed = os.access
        monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != index.parent and allowed(path, mode))
    with opened() as soul:
        agent = soul.agent()
        agent.remember("The zebra Olga")
        found = agent.recall("zebra", session=OWN)
        assert "Olga" in found.hits[0].chunk.text
        assert f"{index.parent} cannot be written to" in found.notes[0]
        assert found.notes[0] in agent.index.status().problems
        with pytest.raises(Unwritable, match="cannot be written"):
            agent.index.rebuild()
        assert "Olga" in texts(agent)
        agent.hear("The zebra Emil", session=OWN)
        assert "Emil" in texts(agent)
    assert list(spare.iterdir()) == []
    assert not index.exists()


def test_temporary_indexes_of_processes_that_are_gone_go_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    left = tmp_path / f"oldsoul-index-{int(gone.stdout)}-abc"
    others = [tmp_path / f"oldsoul-index-{os.getpid()}-abc", tmp_path / "oldsoul-index-notes", tmp_path / "else"]
    for folder in (left, *others):
        folder.mkdir()
    replacement.sweep_passing()
    assert not left.exists()
    assert all(folder.exists() for folder in others)


def test_what_finds_no_room_is_taken_away(
    opened: Callable[..., Oldsoul], index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Recall, told: object = None) -> int:  # noqa: ARG001 - the disk is full whatever it is told
        raise OSError(errno.ENOSPC, "No space left on device")

    with opened() as soul:
        agent = soul.agent()
        agent.remember("The attic key is under the lamp")
        assert agent.recall("attic key", session=OWN).hits
        with monkeypatch.context() as patched:
            patched.setattr(Recall, "sync", full)
            with pytest.raises(Unwritable, match="disk is full"):
                agent.index.rebuild()
        assert not [file for file in index.parent.iterdir() if ".next" in file.name]
        assert agent.recall("attic key", session=OWN).hits


def test_closing_a_home_stops_the_making_and_another_goes_on(
    opened: Callable[..., Oldsoul], index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened() as soul:
        soul.agent().remember("The zebra Olga")
        assert texts(soul.agent())
    damaged(index)
    with opened() as soul:
        held = threading.Event()
        whole = Filing.documents

        def documents(filing: Filing, known: dict[str, str]) -> object:
            if threading.current_thread().name.startswith("oldsoul-index"):
                held.wait(LIMIT)
            return whole(filing, known)

        monkeypatch.setattr(Filing, "documents", documents)
        assert "Olga" in texts(soul.agent())
        soul._home.rebuilds._stopping.set()
        held.set()
    monkeypatch.undo()
    assert Path(f"{index}.next").is_symlink()
    with opened() as soul:
        soul._home.rebuilding = lambda _done, _total: None
        assert "Olga" in texts(soul.agent())
        assert not Path(f"{index}.next").is_symlink()


def test_only_some_of_much_is_searched_while_there_is_no_index(
    opened: Callable[..., Oldsoul], index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MOST_FILES", "MOST_MESSAGES"):
        monkeypatch.setattr(f"oldsoul.app.home.index_upkeep.{name}", 10)
    folder = tmp_path / "home/workspace/main/memory"
    with opened() as soul:
        for day in range(1, 20):
            (folder / f"2026-01-{day:02}.md").write_text(f"# 2026-01-{day:02}\n\n- The zebra of day{day:02}\n")
        for number in range(1, 20):
            soul.agent().hear(f"The zebra of message{number:02}", session=OWN)
        assert "day01" in texts(soul.agent())
    damaged(index)
    with opened() as soul, replacement.making(str(index)):
        found = texts(soul.agent())
        assert "day19" in found
        assert "day01" not in found
        assert "message19" in found
        assert "message01" not in found


def test_what_is_long_known_then_what_changed_last_is_searched_while_there_is_no_index(
    opened: Callable[..., Oldsoul], index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("oldsoul.app.home.index_upkeep.MOST_FILES", 9)
    folder = tmp_path / "home/workspace/main"
    with opened() as soul:
        soul.agent().remember("The zebra Olga")
        for number in range(10):
            note = folder / f"note{number}.md"
            note.write_text(f"- The zebra of note{number}\n")
            os.utime(note, (1_000_000, 1_000_000 - number))
        os.utime(folder / "MEMORY.md", (1, 1))
        (folder / "zoo.md").write_text("- The zebra of the zoo\n")
        assert "note9" in texts(soul.agent())
    damaged(index)
    with opened() as soul, replacement.making(str(index)):
        found = texts(soul.agent())
        assert all(word in found for word in ("Olga", "zoo", "note0"))
        assert "note9" not in found
        assert soul.agent().recall("zebra note9", session=OWN).answer != "unknown"
        assert soul.agent().recall("quasar telescope", session=OWN).answer == "unsure"
        assert soul.agent().recall("zebra", session=OWN, path="nowhere.md").answer == "unsure"


def test_what_two_take_in_at_once_is_missed_by_neither(
    opened: Callable[..., Oldsoul], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One has read a message and not yet put it, when the other has read that one and the next."""
    with opened() as soul, opened() as other:
        soul.agent().hear("The zebra begins", session=OWN)
        assert texts(soul.agent())
        assert texts(other.agent())
        read, go = threading.Event(), threading.Event()
        slow = threading.Thread(target=texts, args=(other.agent(),))
        whole = SqliteIndex.put

        def put(index: SqliteIndex, filed: Iterable[Filed], prepare: Any, *, append: bool = False) -> None:
            if threading.current_thread() is slow:
                read.set()
                assert go.wait(LIMIT)
            elif slow.is_alive():
                go.set()
                slow.join(LIMIT)
            whole(index, filed, prepare, append=append)

        monkeypatch.setattr(SqliteIndex, "put", put)
        soul.agent().hear("The zebra counts to quagga1", session=OWN)
        slow.start()
        assert read.wait(LIMIT)
        soul.agent().hear("The zebra counts to quagga2", session=OWN)
        found = soul.agent().recall("zebra", session=OWN, limit=50).hits
        assert sorted(hit.chunk.text for hit in found) == [
            "The zebra begins",
            "The zebra counts to quagga1",
            "The zebra counts to quagga2",
        ]


def test_a_file_that_was_read_earlier_does_not_take_the_place_of_a_newer_one(
    opened: Callable[..., Oldsoul], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One has read a file and not yet put it, when the other has put what was written since."""
    with opened() as soul, opened() as other:
        soul.agent().remember("The zebra Olga")
        assert texts(soul.agent())
        assert texts(other.agent())
        read, go = threading.Event(), threading.Event()
        slow = threading.Thread(target=texts, args=(other.agent(),))
        whole, ask = SqliteIndex.put, Recall.ask

        def put(index: SqliteIndex, filed: Iterable[Filed], prepare: Any, *, append: bool = False) -> None:
            if threading.current_thread() is slow and not append:
                read.set()
                assert go.wait(LIMIT)
            whole(index, filed, prepare, append=append)

        def asked(recall: Recall, *rest: Any, **more: Any) -> Any:
            if threading.current_thread() is not slow and slow.is_alive():
                go.set()
                slow.join(LIMIT)
            return ask(recall, *rest, **more)

        monkeypatch.setattr(SqliteIndex, "put", put)
        monkeypatch.setattr(Recall, "ask", asked)
        soul.agent().remember("The zebra Anton")
        slow.start()
        assert read.wait(LIMIT)
        soul.agent().remember("The zebra Berta")
        found = [hit.chunk.text for hit in soul.agent().recall("zebra", session=OWN, limit=50).hits]
        assert any("Berta" in text for text in found)


@pytest.mark.parametrize("moment", ["fresh", "ask"])
def test_a_thread_misses_nothing_while_another_takes_in_what_a_new_index_lacks(
    opened: Callable[..., Oldsoul], monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    with opened() as soul, opened() as other:
        agent = soul.agent()
        agent.hear("The zebra Olga", session=OWN)
        assert texts(agent)
        reached, go = threading.Event(), threading.Event()
        first = threading.Thread(target=texts, args=(agent,))
        in_place, begun, documents, latest = (
            replacement.put_in_place,
            getattr(Recall, moment),
            Filing.documents,
            Recall._latest,
        )
        hooked: list[str] = []

        def put_in_place(path: str, made: str) -> bool:
            agent.hear("The zebra Anton", session=OWN)  # the new index lacks this, the old one has it
            assert "Anton" in texts(agent)
            return in_place(path, made)

        def replaced_first(recall: Recall, *args: Any, **named: Any) -> Any:
            if not hooked:
                hooked.append(moment)
                assert other.agent()._parts.make_index(RebuildRequest(lambda _done, _total: None))
                first.start()
                assert reached.wait(LIMIT)
            return begun(recall, *args, **named)

        def held(filing: Filing, known: dict[str, str]) -> Any:
            if threading.current_thread() is first:
                reached.set()
                assert go.wait(LIMIT)
            return documents(filing, known)

        def let_go(recall: Recall) -> tuple[int, int, int, int]:
            marks = latest(recall)
            if first.ident and threading.current_thread() is not first:
                go.set()  # it is about to wait for its turn
            return marks

        monkeypatch.setattr(replacement, "put_in_place", put_in_place)
        monkeypatch.setattr(Recall, moment, replaced_first)
        monkeypatch.setattr(Filing, "documents", held)
        monkeypatch.setattr(Recall, "_latest", let_go)
        try:
            assert "Anton" in texts(agent)
        finally:
            go.set()
            first.join(LIMIT)


def test_vectors_of_rows_of_the_old_index_are_not_put_into_the_new_one(tmp_path: Path) -> None:
    path = str(tmp_path / "main.db")
    index = replacement.CurrentIndex(path, lambda file: SqliteIndex(file, []))
    index.put([filed("a.md", "the cat"), filed("b.md", "the dog")], prepare)
    named = index.missing_vectors("embedder", 9)
    made = SqliteIndex(replacement.following(path), [])
    made.put([filed("b.md", "the dog"), filed("a.md", "the cat")], prepare)
    made.close()
    assert replacement.put_in_place(path, os.path.realpath(f"{path}.next"))
    index.fill("embedder", [row for row, _ in named], np.eye(2, 8))
    waiting = index.missing_vectors("embedder", 9)
    assert [chunk.text for _, chunk in waiting] == ["the dog", "the cat"]
    index.fill("embedder", [row for row, _ in waiting], np.eye(2, 8))
    assert index.missing_vectors("embedder", 9) == []
    index.close()


def test_whoever_searches_while_indexes_are_replaced_misses_nothing(opened: Callable[..., Oldsoul]) -> None:
    with opened() as soul, opened() as other:
        soul.agent().hear("The zebra begins", session=DEV, subject="acct:9")
        assert texts(soul.agent())
        ended = threading.Event()
        made: list[int] = []

        def rebuild() -> None:
            while not ended.is_set():
                made.append(other.agent().index.rebuild())

        making = threading.Thread(target=rebuild)
        making.start()
        try:
            for number in range(40):
                soul.agent().hear(f"The zebra counts to quagga{number}", session=OWN)
                assert f"quagga{number}" in texts(soul.agent(), f"quagga{number}")
        finally:
            ended.set()
            making.join(LIMIT)
        assert made
        soul.agent().index.sync()
        rows = [
            hit.chunk.start_line
            for hit in soul.agent().recall("quagga zebra", session=OWN, limit=200, minimum=0.0).hits
        ]
        assert len(rows) == len(set(rows)) == 41
