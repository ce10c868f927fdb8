"""Long work: how far it is, what it came to and its end are seen everywhere; what is ended early leaves nothing half done."""

from __future__ import annotations

import json
import os
import queue
import signal as signals
import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oldsoul.adapters.sqlite.events import SqliteJobLog
from oldsoul.app.home.storage import FORGETTING
from oldsoul.app.home.world import Signal
from oldsoul.app.jobs import MOST_AT_ONCE, Jobs
from oldsoul.app.keepers.runs import KeeperRuns
from oldsoul.app.talk import imports
from oldsoul.errors import BadInput, Closed, NotFound, Unwritable
from oldsoul.testing import FrozenClock, MemoryEventLog, MemoryJobLog, MemoryLeases
from oldsoul.values.jobs import EventKind
from oldsoul.values.messages import ERASED, Wanted
from oldsoul.values.sessions import Session
from oldsoul.views.shape import plain
from oldsoul.views.upkeep import job as plain_job
from oldsoul.wiring import open_home
from scale import scaled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from oldsoul.app import Oldsoul
    from oldsoul.app.jobs import Job, Progress

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
OWN = Session.dm()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/config.yaml").write_text("timezone: UTC\n")
    return tmp_path / "home"


@pytest.fixture
def soul(home: Path) -> Iterator[Oldsoul]:
    with open_home(home, {}, clock=FrozenClock(NOON)) as opened:
        yield opened


class Gate:
    """Work that goes on when a test says so."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.taken = threading.Semaphore(0)
        """lets one through for each step that was taken"""
        self._words: queue.SimpleQueue[str] = queue.SimpleQueue()

    def say(self, word: str) -> None:
        self._words.put(word)

    def __call__(self, progress: Progress) -> Mapping[str, int]:
        self.begun.set()
        steps = 0
        while (word := self._words.get()) == "step":
            steps += 1
            try:
                progress(steps, 100)
            finally:
                self.taken.release()
        if word == "fail":
            raise BadInput("Philomena is no number")
        return {"steps": steps}


def lines(count: int) -> list[str]:
    said = ({"session": f"s{n % 3}", "kind": "dm", "subject": "acct:ann", "text": f"word {n}"} for n in range(count))
    return [json.dumps({**each, "role": "user", "time": "2026-02-04T10:00:00Z"}) for each in said]


def states(soul: Oldsoul, job: Job) -> list[str]:
    return [each.state for each in soul.events() if each.kind is EventKind.JOB and each.id == job.id]


# what can be started


def test_a_started_verb_does_what_the_plain_one_does_and_tells_what_it_came_to(soul: Oldsoul) -> None:
    agent = soul.agent()
    job = agent.start("import_messages", lines(7))
    status = job.wait()
    assert (status.state, status.kind, status.agent) == ("done", "import_messages", "main")
    assert dict(job.result) == {"stored": 7, "repeated": 0, "masked": 0, "bad": 0, "sessions": 3, "corrected": 0}
    assert len(soul._home.chat.find("main", Wanted())) == 7
    assert agent.talk.import_messages(lines(7)).repeated == 7
    made = agent.remember("My sister is called Philomena")
    job = agent.start("rebuild_index")
    assert job.wait().state == "done"
    assert job.result["documents"] > 0
    done, of = job.progress
    assert done == of > 0
    job = agent.start("forget", made.name, made.entry)
    job.wait()
    assert soul._home.ledger.change(job.result["change"]).notes["erased"] == made.entry
    job = agent.start("forget_message", 1)
    assert dict(job.wait().result) == {"message": 1}
    assert soul._home.chat.find("main", Wanted())[0].text == ERASED
    job = agent.start("run", "memory-miner")
    assert job.wait().state == "done"
    assert set(job.result) == {"runs", "changes", "asked", "unfinished"}
    assert [each.kind for each in soul.jobs()].count("forget") == 1
    with pytest.raises(BadInput, match="rebuild_index"):
        agent.start("remember", "x")
    with pytest.raises(NotFound):
        soul.job("nothing")


def test_every_state_is_told_as_an_event_and_seen_from_another_process(soul: Oldsoul, home: Path) -> None:
    gate = Gate()
    job = soul._home.working.start("run", "main", gate)
    gate.begun.wait()
    gate.say("step")
    with open_home(home, {}, clock=FrozenClock(NOON)) as other:
        theirs = other.job(job.id)
        assert theirs.state == "running"
        assert other.jobs()[0].id == job.id
        gate.say("done")
        assert theirs.wait().state == "done"
        assert dict(theirs.result) == {"steps": 1}
        assert theirs.progress == (1, 100)
        assert states(other, job) == states(soul, job) == ["queued", "running", "done"]


def test_an_error_is_told_in_words_here_and_by_its_kind_elsewhere(soul: Oldsoul, home: Path) -> None:
    gate = Gate()
    gate.say("fail")
    job = soul._home.working.start("run", "main", gate)
    assert job.wait().error == "BadInput: Philomena is no number"
    assert soul.agent().start("run", "nobody").wait().error.startswith("NotFound: there is no keeper")
    with open_home(home, {}, clock=FrozenClock(NOON)) as other:
        assert (other.job(job.id).state, other.job(job.id).status.error) == ("failed", "BadInput")
    stored = b"".join(path.read_bytes() for path in (home / "state").glob("events.db*"))
    assert b"Philomena" not in stored


def test_work_whose_end_cannot_be_written_down_is_over_all_the_same(
    soul: Oldsoul, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate()
    job = soul._home.working.start("run", "main", gate)
    gate.begun.wait()

    def full(*_: object) -> bool:
        raise Unwritable("the disk is full")

    monkeypatch.setattr(SqliteJobLog, "move", full)
    gate.say("done")
    status = job.wait()
    assert (status.state, status.error) == ("failed", "Unwritable: the disk is full")
    other = soul._home.working.start("run", "main", Gate())
    assert other.wait().error == "Unwritable: the disk is full"


# the end


def test_work_is_ended_from_another_process_where_nothing_is_half_done(soul: Oldsoul, home: Path) -> None:
    gate = Gate()
    job = soul._home.working.start("run", "main", gate)
    gate.begun.wait()
    with open_home(home, {}, clock=FrozenClock(NOON)) as other:
        assert other.job(job.id).cancel()
        assert other.job(job.id).state == "running"
        gate.say("step")
        assert other.job(job.id).wait().state == "cancelled"
        assert states(other, job) == ["queued", "running", "cancelled"]
    assert job.cancel()  # it is
    wanted = {"id": job.id, "kind": "run", "agent": "main", "state": "cancelled", "done": 1, "of": 100, "result": {}}
    times = {"queued": NOON.isoformat(), "ended": NOON.isoformat()}
    assert plain(plain_job(job.status)) == {**wanted, **times, "error": "", "can_cancel": False}
    assert job.status.ended == NOON


def test_what_waits_in_the_queue_is_cancelled_at_once(soul: Oldsoul) -> None:
    gates = [Gate() for _ in range(MOST_AT_ONCE)]
    running = [soul._home.working.start("run", "main", gate) for gate in gates]
    for gate in gates:
        gate.begun.wait()
    never = Gate()
    job = soul._home.working.start("forget", "main", never, can_stop=False)
    assert job.state == "queued"
    assert job.cancel()
    assert job.wait().state == "cancelled"
    for gate in gates:
        gate.say("done")
    assert {each.wait().state for each in running} == {"done"}
    assert not never.begun.is_set()


def test_a_forget_that_has_begun_is_finished(soul: Oldsoul, monkeypatch: pytest.MonkeyPatch) -> None:
    number = soul.agent().hear("Philomena", session=OWN, sender="Ann").message.id
    begun, goes_on = threading.Event(), threading.Event()
    redact = soul._home.chat.redact

    def slowly(*given: Any) -> None:
        begun.set()
        goes_on.wait()
        redact(*given)

    monkeypatch.setattr(soul._home.chat, "redact", slowly)
    job = soul.agent().start("forget_message", number)
    begun.wait()
    assert not job.cancel()
    goes_on.set()
    assert job.wait().state == "done"
    assert soul._home.chat.find("main", Wanted())[0].text == ERASED


def test_a_home_opens_though_what_was_to_be_forgotten_went_with_another_entry_that_said_the_same(home: Path) -> None:
    with open_home(home, {}, clock=FrozenClock(NOON)) as soul:
        soul.agent()._parts.forgetting(soul._home.owner.author)._note(
            {"0123456789": "MEMORY.md"}
        )  # as a process that is killed leaves it
    with open_home(home, {}, clock=FrozenClock(NOON)) as soul:
        assert soul._home.world.store.records("main", FORGETTING) == {}


def test_an_import_that_is_ended_goes_on_when_it_is_run_again(soul: Oldsoul, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imports, "BATCH", 10)
    handed = threading.Event()
    started: list[Job] = []

    def until_cancelled() -> Iterator[str]:
        handed.wait()
        for number, line in enumerate(lines(100)):
            if number == 35:
                started[0].cancel()
            yield line

    started.append(soul.agent().start("import_messages", until_cancelled()))
    handed.set()
    assert started[0].wait().state == "cancelled"
    assert started[0].progress == (40, 0)
    assert len(soul._home.chat.find("main", Wanted(limit=1000))) == 40
    assert dict(soul.agent().start("import_messages", lines(100)).wait().result)["stored"] == 60
    assert len({each.text for each in soul._home.chat.find("main", Wanted(limit=1000))}) == 100


def test_an_index_that_is_not_made_to_the_end_leaves_the_old_one(soul: Oldsoul, home: Path) -> None:
    agent = soul.agent()
    for number in range(9):
        (home / f"workspace/note{number}.md").write_text(f"# Crate {number}\n\nIt is in bay {number}.\n")
        agent.hear(f"Parcel {number} is in bay {number}", session=Session.dm(id=f"talk{number}"), sender="Ann")

    def found() -> list[str]:
        return [hit.chunk.text for hit in agent.recall("which bay is parcel 7 in?", session=OWN).hits]

    before, seen = found(), []

    def work(progress: Progress) -> Mapping[str, int]:
        def told(done: int, of: int) -> None:
            seen.append(done)
            if len(seen) == 5:
                soul.jobs()[0].cancel()
            progress(done, of)

        return {"documents": agent.index.rebuild(told)}

    assert "Parcel 7 is in bay 7" in before
    assert soul._home.working.start("rebuild_index", "main", work).wait().state == "cancelled"
    assert len(seen) == 5
    assert found() == before
    assert agent.start("rebuild_index").wait().state == "done"
    assert found()[0] == before[0]


def test_a_keeper_is_ended_between_two_of_its_runs(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FrozenClock(NOON)
    with open_home(home, {}, clock=clock) as soul:
        for person in ("ann", "bob", "cid"):
            for text in ("Please remember that the key is under the mat.", "We decided to paint the shed on Sunday."):
                soul.agent().hear(text, session=Session.dm(f"acct:{person}"), sender=person, subject=f"acct:{person}")
        clock.advance(timedelta(hours=2))
        do, runs = KeeperRuns.do, []

        def done(self: KeeperRuns, work: Any, **more: Any) -> Any:
            runs.append(work.key)
            if len(runs) == 1:
                soul.jobs()[0].cancel()
            return do(self, work, **more)

        monkeypatch.setattr(KeeperRuns, "do", done)
        job = soul.agent().start("run", "session-summarizer")
        assert job.wait().state == "cancelled"
        assert (len(runs), job.progress) == (1, (1, 0))
        again = soul.agent().start("run", "session-summarizer")
        assert again.wait().state == "done"
        assert again.result["runs"] == 2
        assert len(runs) == len(set(runs)) == 3


def test_closing_the_home_ends_work_and_waits_for_it(home: Path) -> None:
    soul = open_home(home, {}, clock=FrozenClock(NOON))
    begun = threading.Event()

    def endless(progress: Progress) -> Mapping[str, int]:
        for number in range(10**12):
            progress(number)
            begun.set()
        return {}

    jobs = [soul._home.working.start("run", "main", endless) for _ in range(MOST_AT_ONCE + 2)]
    begun.wait()
    working = soul._home.working
    soul.close()
    with pytest.raises(Closed):
        working.start("run", "main", endless)
    with pytest.raises(Closed):
        soul.agent()
    with open_home(home, {}, clock=FrozenClock(NOON)) as again:
        assert {again.job(job.id).state for job in jobs} == {"cancelled"}


def test_work_of_a_killed_process_has_failed(soul: Oldsoul, home: Path) -> None:
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        other = open_home(home, {}, clock=FrozenClock(NOON))
        gate = Gate()
        job = other._home.working.start("run", "main", gate)
        gate.begun.wait()
        os.write(writing, f"{job.id}\n".encode())
        signals.pause()
    cursor = soul.events("now").cursor
    theirs = soul.job(os.read(reading, 100).decode().strip())
    assert theirs.state == "running"
    gate = Gate()
    mine = soul._home.working.start("run", "main", gate)
    os.kill(process, signals.SIGKILL)
    os.waitpid(process, 0)
    assert [each.state for each in soul.events(cursor) if each.id == theirs.id][-1] == "failed"
    status = theirs.wait()
    assert (status.state, status.error) == ("failed", "Killed")
    assert states(soul, theirs) == ["queued", "running", "failed"]
    assert not mine.status.state.is_over
    assert not theirs.cancel()
    gate.say("done")
    os.close(reading)
    os.close(writing)


# any order of things


class Bench:
    """Jobs, and what is expected of each: what it is, or has to become once it goes on."""

    def __init__(self) -> None:
        self.events = MemoryEventLog()
        self.log = MemoryJobLog(self.events)
        self.jobs = Jobs(self.log, MemoryLeases(), FrozenClock(NOON), Signal())
        self.made: list[tuple[Job, Gate]] = []
        self.expected: dict[str, str] = {}

    def start(self) -> None:
        gate = Gate()
        job = self.jobs.start("run", "main", gate)
        self.made.append((job, gate))
        self.expected[job.id] = "queued"

    def cancel(self, job: Job) -> None:
        now = self.expected[job.id]
        assert job.cancel() == (now in ("queued", "running", "cancelling", "cancelled"))
        self.expected[job.id] = {"queued": "cancelled", "running": "cancelling"}.get(now, now)

    def go_on(self, job: Job, gate: Gate, word: str) -> None:
        now = self.expected[job.id]
        if now in ("running", "cancelling"):
            gate.say(word)
            if word == "step":
                gate.taken.acquire()  # else what is done next may come before it
            if word != "step" or now == "cancelling":
                assert job.wait().state == {"step": "cancelled", "done": "done", "fail": "failed"}[word]
                self.expected[job.id] = str(job.state)

    def begin(self) -> int:
        """Those that can run do; how many there are then."""
        running = sum(state in ("running", "cancelling") for state in self.expected.values())
        waiting = [pair for pair in self.made if self.expected[pair[0].id] == "queued"]
        for job, gate in waiting[: MOST_AT_ONCE - running]:
            gate.begun.wait()
            self.expected[job.id] = "running"
            running += 1
        return running


@given(
    st.lists(st.tuples(st.sampled_from(["start", "step", "cancel", "done", "fail"]), st.integers(0, 9)), max_size=40)
)
@settings(max_examples=scaled(15, 200))
def test_each_job_comes_to_one_end_whatever_is_done_to_it(steps: list[tuple[str, int]]) -> None:
    bench = Bench()
    for what, which in steps:
        if what == "start":
            bench.start()
        elif bench.made and what == "cancel":
            bench.cancel(bench.made[which % len(bench.made)][0])
        elif bench.made:
            bench.go_on(*bench.made[which % len(bench.made)], what)
        bench.begin()
    while bench.begin():
        for job, gate in bench.made:
            bench.go_on(job, gate, "done")
    bench.jobs.close()
    for job, gate in bench.made:
        status = bench.log.get(job.id)
        assert (str(status.state), status.ended) == (bench.expected[job.id], NOON)
        told = [each.state for _, each in bench.events.after(0, 10_000) if each.id == job.id]
        assert told == ["queued", *(["running"] if gate.begun.is_set() else []), status.state]
        assert bool(status.result) == (status.state == "done")
