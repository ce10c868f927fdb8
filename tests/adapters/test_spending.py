"""What models cost: written down for each question, by all processes of a home, and budgets that stop."""

from __future__ import annotations

import multiprocessing
import sqlite3
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.model_server import answering, saying, serving
from oldsoul import Oldsoul
from oldsoul.adapters.models.metered import Metered
from oldsoul.adapters.models.remote import UselessReply
from oldsoul.adapters.sqlite.records import SqliteSpending
from oldsoul.errors import BadInput, Busy, Damaged, OutOfBudget, Unavailable
from oldsoul.keepers.options import ModelOptions
from oldsoul.rules.limits import estimated
from oldsoul.testing import FrozenClock, MemorySpending, ScriptedModel
from oldsoul.values.models import Call, Reply, Spent
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from adapters.model_server import Server, Step
    from oldsoul.ports import Spending

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
TODAY = NOON.date()
SCHEMA = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}
PRICES = ModelOptions(provider="openai", model="m", input_price=2.0, output_price=10.0)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


class Told:
    """A model that gives one reply, or fails one way, again and again."""

    def __init__(self, outcome: Reply | Exception) -> None:
        self.outcome = outcome
        self.asked = 0

    def answer(self, system: str, text: str, schema: Mapping[str, Any]) -> Reply:
        del system, text, schema
        self.asked += 1
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


def call(at: datetime = NOON, **more: Any) -> Call:
    usual: dict[str, Any] = {"model": "m", "tokens_in": 3, "tokens_out": 2, "cost": 0.5}
    return Call(at, **(usual | more))


def metered(model: Any, spending: Spending, options: ModelOptions = PRICES, at: datetime = NOON) -> Metered:
    return Metered(model, spending, lambda: options, lambda: at)


def ask(model: Metered) -> Reply:
    return model.answer("system", "text", SCHEMA)


# Every record of spending.


class SpendingContract:
    """The promises. Subclass it, give it a `spending`."""

    def test_nothing_is_spent_at_first(self, spending: Spending) -> None:
        assert spending.spent(TODAY) == Spent()
        assert spending.calls(TODAY) == []

    def test_calls_add_up_by_day_and_keep_their_order(self, spending: Spending) -> None:
        calls = [call(keeper="memory-miner"), call(model="\x00\ud800中", tokens_in=0, answered=False), call(cost=0.0)]
        for each in calls:
            spending.note(each)
        spending.note(call(NOON + timedelta(days=1)))
        assert spending.spent(TODAY) == Spent(3, 6, 6, 1.0)
        assert spending.spent(TODAY).tokens == 12
        assert spending.calls(TODAY) == calls

    def test_a_day_is_that_of_the_zone_the_time_is_given_in(self, spending: Spending) -> None:
        late = datetime(2026, 2, 4, 23, 30, tzinfo=timezone(timedelta(hours=-5)))  # the fifth in UTC
        spending.note(call(late))
        assert spending.spent(TODAY).calls == 1
        assert spending.calls(TODAY)[0].time == late

    def test_a_time_without_a_zone_is_refused(self, spending: Spending) -> None:
        with pytest.raises(BadInput):
            spending.note(call(datetime(2026, 2, 4)))  # noqa: DTZ001 - what is refused
        assert spending.spent(TODAY) == Spent()


class TestMemorySpending(SpendingContract):
    @pytest.fixture
    def spending(self) -> Spending:
        return MemorySpending()


class TestSqliteSpending(SpendingContract):
    @pytest.fixture
    def spending(self, tmp_path: Path) -> Spending:
        return SqliteSpending(str(tmp_path / "spending.db"))


def _note_many(path: str) -> None:
    spending = SqliteSpending(path)
    for _ in range(20):
        spending.note(call())


def test_no_call_is_lost_when_processes_write_at_once(tmp_path: Path) -> None:
    path = str(tmp_path / "spending.db")
    processes = [multiprocessing.get_context("spawn").Process(target=_note_many, args=(path,)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert SqliteSpending(path).spent(TODAY) == Spent(60, 180, 120, 30.0)


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "spending.db"
    path.write_bytes(b"not a database at all" * 1000)
    with pytest.raises(Damaged, match="memory is safe"):
        SqliteSpending(str(path)).spent(TODAY)


# The meter.


def test_a_call_is_written_down_with_its_keeper_model_tokens_and_cost() -> None:
    spending = MemorySpending()
    model = metered(Told(Reply("{}", 1000, 200, "m-1")), spending)
    assert ask(model) == Reply("{}", 1000, 200, "m-1", cost=0.004)
    ask(model.on_behalf_of("memory-miner"))
    assert [(c.keeper, c.model, c.tokens_in, c.tokens_out, c.answered) for c in spending.all] == [
        ("", "m-1", 1000, 200, True),
        ("memory-miner", "m-1", 1000, 200, True),
    ]
    assert spending.all[0].cost == pytest.approx(0.004)
    assert spending.all[0].time == NOON


@pytest.mark.parametrize("given", [Reply("some words"), Reply("some words", -5, 10**30)])
def test_tokens_nobody_counted_are_estimated(given: Reply) -> None:
    spending = MemorySpending()
    found = ask(metered(Told(given), spending))
    assert found.tokens_out == estimated("some words")
    assert found.tokens_in >= estimated("system") + estimated("text")
    assert (spending.all[0].tokens_in, spending.all[0].tokens_out) == (found.tokens_in, found.tokens_out)


def test_a_failed_call_counts_when_it_is_known_what_it_took() -> None:
    spending = MemorySpending()
    with pytest.raises(UselessReply):
        ask(metered(Told(UselessReply("cut off", Reply("{", 50, 4096, "m-1"))), spending))
    assert [(c.tokens_in, c.tokens_out, c.answered) for c in spending.all] == [(50, 4096, False)]
    with pytest.raises(Unavailable):
        ask(metered(Told(Unavailable("nobody there")), spending))
    assert len(spending.all) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ModelOptions(daily_budget=0.01, input_price=2.0, output_price=10.0),
            (
                "0.012 of 0.01 are spent today (2026-02-04), so the model is not asked again before tomorrow; "
                "raise keepers.model.daily_budget in config.yaml to allow more"
            ),
        ),
        (
            ModelOptions(daily_token_budget=3600),
            (
                "3,600 of 3,600 tokens are spent today (2026-02-04), so the model is not asked again before tomorrow; "
                "raise keepers.model.daily_token_budget in config.yaml to allow more"
            ),
        ),
    ],
)
def test_a_spent_budget_stops_and_says_how_much_and_which_setting_and_is_new_the_next_day(
    options: ModelOptions, words: str
) -> None:
    spending, model = MemorySpending(), Told(Reply("{}", 1000, 200))
    for _ in range(3):
        ask(metered(model, spending, options))
    with pytest.raises(OutOfBudget) as caught:
        ask(metered(model, spending, options))
    assert str(caught.value) == words
    assert model.asked == 3
    ask(metered(model, spending, options, NOON + timedelta(days=1)))
    assert model.asked == 4


def test_raising_the_budget_counts_at_once() -> None:
    options = ModelOptions(daily_token_budget=1)
    model = Metered(Told(Reply("{}", 10, 10)), MemorySpending(), lambda: options, lambda: NOON)
    ask(model)
    with pytest.raises(OutOfBudget):
        ask(model)
    options = ModelOptions(daily_token_budget=100)
    ask(model)


def test_a_budget_of_money_without_prices_asks_nobody() -> None:
    model = Told(Reply("{}", 10, 10))
    with pytest.raises(Unavailable, match=r"keepers\.model\.input_price"):
        ask(metered(model, MemorySpending(), ModelOptions(daily_budget=1.0)))
    assert model.asked == 0


class Broken(MemorySpending):
    """Cannot be read, or not be written."""

    def __init__(self, error: Exception, *, reading: bool) -> None:
        super().__init__()
        self.error, self.reading = error, reading

    def note(self, call: Call) -> None:
        if not self.reading:
            raise self.error
        super().note(call)

    def spent(self, day: date) -> Spent:
        if self.reading:
            raise self.error
        return super().spent(day)


@pytest.mark.parametrize("error", [Damaged("broken"), Busy("held"), OSError(28, "no space left")])
@pytest.mark.parametrize("reading", [True, False])
def test_without_a_meter_nobody_is_asked_or_believed(error: Exception, *, reading: bool) -> None:
    model = Told(Reply("{}", 10, 10))
    with pytest.raises(Unavailable):
        ask(metered(model, Broken(error, reading=reading), ModelOptions(daily_token_budget=5)))
    assert model.asked == (0 if reading else 1)


@given(
    st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 5000)), max_size=30),
    st.integers(1, 20_000),
    st.floats(0.001, 50),
)
def test_a_budget_is_passed_by_one_call_at_most(calls: list[tuple[int, int]], tokens: int, money: float) -> None:
    options = ModelOptions(daily_token_budget=tokens, daily_budget=money, input_price=1.0, output_price=500.0)
    spending = MemorySpending()
    for tokens_in, tokens_out in calls:
        before = spending.spent(TODAY)
        spent = before.tokens >= tokens or before.cost >= money
        model = Told(Reply("{}", tokens_in, tokens_out))
        try:
            ask(metered(model, spending, options))
        except OutOfBudget:
            assert spent
            assert model.asked == 0
        else:
            assert not spent
    whole = spending.spent(TODAY)
    assert whole.cost == pytest.approx((whole.tokens_in + 500 * whole.tokens_out) / 1_000_000)


# A whole home.


def home_with(tmp_path: Path, server: Server | None, *lines: str) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    where = [] if server is None else ["provider: openai", f"base_url: {server.url}", "model: mine"]
    config = ["timezone: Asia/Tokyo", "keepers:", "  model:", *(f"    {line}" for line in [*where, *lines])]
    (home / "config.yaml").write_text("\n".join(config) + "\n")
    return home


def test_a_home_has_the_model_of_its_settings_with_a_meter_by_the_day_of_its_zone(
    tmp_path: Path, server: Server
) -> None:
    home = home_with(tmp_path, server, "input_price: 1", "daily_token_budget: 10")
    late = datetime(2026, 2, 4, 16, tzinfo=UTC)  # past midnight in Tokyo
    with open_home(home, {"OPENAI_API_KEY": "k" * 20}, FrozenClock(late)) as soul:
        model = soul._home.world.models.model()
        assert model is not None
        server.script.append(answering('{"a": "b"}'))
        assert model.answer("s", "t", SCHEMA).text == '{"a": "b"}'
        with pytest.raises(OutOfBudget):
            model.answer("s", "t", SCHEMA)
    assert server.seen[0].headers["authorization"] == f"Bearer {'k' * 20}"
    found = SqliteSpending(str(home / "state" / "spending.db"))
    assert found.spent(date(2026, 2, 5)) == Spent(1, 11, 3, 11 / 1_000_000)
    assert found.spent(date(2026, 2, 4)) == Spent()


def test_a_home_with_a_model_that_cannot_be_asked_opens_and_says_what_is_missing(tmp_path: Path) -> None:
    home = home_with(tmp_path, None, "provider: anthropic")
    with open_home(home, {}) as soul:
        model = soul._home.world.models.model()
        assert model is not None
        with pytest.raises(Unavailable, match=r"keepers\.model\.model"):
            model.answer("s", "t", SCHEMA)


def test_ones_own_model_has_a_meter_too(tmp_path: Path) -> None:
    home = home_with(tmp_path, None, "daily_token_budget: 1")
    with Oldsoul.open(home, model=ScriptedModel("{}", "{}")) as soul:
        model = soul._home.world.models.model()
        assert model is not None
        model.answer("s", "some text", SCHEMA)
        with pytest.raises(OutOfBudget):
            model.answer("s", "t", SCHEMA)


@pytest.mark.parametrize(
    ("steps", "told", "calls"),
    [
        ([answering('{"summary": "a ho')] * 3, "the model's answer was rejected", 3),
        ([answering("", finish_reason="length")], "max_output_tokens", 1),
        ([saying(401, {"error": "who are you?"})], "who are you?", 0),
    ],
)
def test_a_session_ends_by_rules_when_the_model_fails_and_what_it_took_is_known(
    tmp_path: Path, server: Server, steps: list[Step], told: str, calls: int
) -> None:
    home = home_with(tmp_path, server)
    server.script.extend(steps)
    with open_home(home, {}, FrozenClock(NOON)) as soul:
        agent = soul.agent()
        agent.hear("We will buy the house", session=Session.dm("acct:7", id="ann"), sender="Ann")
        (ended,) = agent.talk.end("ann")
        assert any(told in note for note in ended.notes)
        (file,) = [each for each in agent.files.all() if each.name.path.endswith("/ann.md")]
        assert b"We will buy the house" in (agent._parts.read(file.name).data or b"")
    assert SqliteSpending(str(home / "state" / "spending.db")).spent(TODAY).calls == calls


def test_a_home_without_a_model_has_none_and_loads_nothing_for_one(tmp_path: Path) -> None:
    code = (
        "import sys; from oldsoul.wiring import open_home\n"
        f"with open_home({str(tmp_path / 'home')!r}, {{}}) as soul: print(soul._home.world.models.model())\n"
        "print([name for name in sys.modules if name.startswith(('httpx', 'oldsoul.adapters.models'))])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == ["None", "[]"]


def test_a_home_with_a_model_loads_no_http_before_it_is_asked(tmp_path: Path, server: Server) -> None:
    home = home_with(tmp_path, server)
    code = (
        "import sys; from oldsoul.wiring import open_home\n"
        f"with open_home({str(home)!r}, {{}}) as soul: print(soul._home.world.models.model() is None)\n"
        "print([name for name in sys.modules if name.startswith(('httpx', 'numpy'))])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == ["False", "[]"]


def test_what_was_written_down_says_no_word_of_what_was_asked(tmp_path: Path, server: Server) -> None:
    home = home_with(tmp_path, server)
    server.script.extend([answering('{"a": "zebra"}'), saying(400, {"error": {"message": "no"}})])
    with open_home(home, {}) as soul:
        model = soul._home.world.models.model()
        assert model is not None
        model.answer("giraffe", "elephant", SCHEMA)
    db = sqlite3.connect(home / "state" / "spending.db")
    rows = str(db.execute("SELECT * FROM calls").fetchall())
    db.close()
    assert "imitated-1" in rows
    assert not any(word in rows for word in ("zebra", "giraffe", "elephant"))
