"""All records of a home under one contract, in memory and in its folder."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from oldsoul.errors import Closed
from oldsoul.settings.home import StorageOptions
from oldsoul.testing import MemoryRecords
from oldsoul.values.audience import OWNER
from oldsoul.values.callers import CallerRole, Token
from oldsoul.values.jobs import Event, EventKind, JobState, JobStatus
from oldsoul.values.models import Call
from oldsoul.values.recall import Reuse, Use
from oldsoul.values.sessions import Subject
from oldsoul.wiring.stores import HomeRecords

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from oldsoul.ports import Records

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
LONG_AGO = NOON - timedelta(days=100)


class RecordsContract:
    """The promises. Subclass it, give it `records`."""

    def test_each_record_keeps_what_it_is_given(self, records: Records) -> None:
        records.usage.note("main", [Use("a", "s", NOON)])
        records.credentials.add(Token("a1", CallerRole.AGENT, Subject("acct:ann"), "", "", NOON, None), "digest")
        records.spending.note(Call(NOON, "m", 3, 2, 0.5))
        records.events.append([Event(EventKind.MESSAGE, "main", "1", "user", NOON, (OWNER,))], {}, NOON, LONG_AGO)
        assert records.usage.reuse("main", ["a"]) == {"a": Reuse(1, 1, NOON)}
        assert [token.id for token, _ in records.credentials.all()] == ["a1"]
        assert records.spending.spent(NOON.date()).calls == 1
        assert [event.kind for _, event in records.events.after(0, 10)] == [EventKind.MESSAGE]
        assert records.chat.threads("main") == []

    def test_what_becomes_of_a_job_is_an_event(self, records: Records) -> None:
        job = JobStatus(uuid.uuid4().hex[:16], "sync", "main", "0:x", NOON, can_stop=True)
        records.jobs.add(job, LONG_AGO)
        records.jobs.move(replace(job, state=JobState.RUNNING), JobState.QUEUED, NOON)
        assert [event.state for _, event in records.events.after(0, 10)] == ["queued", "running"]

    def test_a_lease_taken_in_one_place_is_held_in_every_other(self, records: Records) -> None:
        with records.leases.take("main", "miner") as first:
            assert first is not None
            with records.leases.take("main", "miner") as second:
                assert second is None

    def test_nothing_is_to_be_claimed_where_everything_belongs_to_the_home(self, records: Records) -> None:
        assert records.claim(["main"], dry_run=True) == 0


class TestMemoryRecords(RecordsContract):
    @pytest.fixture
    def records(self) -> MemoryRecords:
        return MemoryRecords()


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[[], HomeRecords]]:
    (tmp_path / "state").mkdir()
    made: list[HomeRecords] = []

    def opened() -> HomeRecords:
        made.append(HomeRecords(tmp_path, StorageOptions, lambda: None))
        return made[-1]

    yield opened
    for each in made:
        each.close()


class TestHomeRecords(RecordsContract):
    @pytest.fixture
    def records(self, opened: Callable[[], HomeRecords]) -> HomeRecords:
        return opened()

    def test_a_look_makes_no_file(self, opened: Callable[[], HomeRecords], tmp_path: Path) -> None:
        opened()
        assert list((tmp_path / "state").iterdir()) == []

    def test_another_who_opens_them_sees_the_same(self, opened: Callable[[], HomeRecords]) -> None:
        one, other = opened(), opened()
        one.usage.note("main", [Use("a", "s", NOON)])
        assert other.usage.reuse("main", ["a"]) == {"a": Reuse(1, 1, NOON)}
        with one.leases.take("main", "miner") as first, other.leases.take("main", "miner") as second:
            assert (first is None, second is None) == (False, True)

    def test_closing_closes_what_was_opened_and_a_second_time_is_fine(self, opened: Callable[[], HomeRecords]) -> None:
        records = opened()
        usage, chat = records.usage, records.chat
        records.close()
        records.close()
        for use in (lambda: usage.reuse("main", ["a"]), lambda: chat.threads("main")):
            with pytest.raises(Closed):
                use()
