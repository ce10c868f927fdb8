"""What happened: told once, in one order, to those who may know, and without a word of what was said."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oldsoul.adapters.sqlite.events import SqliteEventLog
from oldsoul.app import events as events_module
from oldsoul.app.events import KEPT
from oldsoul.errors import BadInput, Closed, Conflict, Gone, Unwritable
from oldsoul.testing import FrozenClock
from oldsoul.values.audience import OWNER, PUBLIC, Audience
from oldsoul.values.callers import Caller
from oldsoul.values.changes import Add, Author, ChangeSet, Replace, Role
from oldsoul.values.jobs import Event, EventKind, Happened
from oldsoul.values.names import Name
from oldsoul.values.sessions import Session
from oldsoul.views.shape import plain
from oldsoul.views.upkeep import happened
from oldsoul.wiring import change_config, open_home
from scale import scaled
from talk_bench import talk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from oldsoul.app import Oldsoul

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
OWN, DEV, OPS, ANN = Session.dm(), Session.group("dev"), Session.group("ops"), Session.dm("acct:ann")
SESSIONS = (OWN, DEV, OPS, ANN)
OPERATOR, AGENT = Author(Role.OPERATOR, "acct:owner"), Author(Role.AGENT, "main")
MOST_SECONDS = 600
"""Longer than any test takes: who waits so long was not woken."""


@pytest.fixture(params=["sqlite", "postgres"])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Oldsoul]:
    """Opens one home, with its conversations in either place."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text(f"timezone: UTC\nstorage: {{chat: {request.param}}}\n")
    is_file = request.param == "sqlite"
    environ = {} if is_file else {"OLDSOUL_POSTGRES_DSN": request.getfixturevalue("postgres").fresh()}
    return lambda clock=None: open_home(home, environ, clock=clock or FrozenClock(NOON))


@pytest.fixture
def soul(house: Callable[..., Oldsoul]) -> Iterator[Oldsoul]:
    with house() as opened:
        yield opened


def add(soul: Oldsoul, path: str, text: str, author: Author = OPERATOR, **fields: str) -> str:
    """Add an entry; gives the number of the change, or the id of the proposal."""
    title = "2026-02-04 12:00 — talk" if path.startswith("memory/") else ""
    operation = Add(Name("main", path), text, title=title, fields=fields)
    outcome = soul._home.ledger.apply(ChangeSet((operation,), author, text, f"k{text}"))
    return str(outcome.change.id) if outcome.change else outcome.proposal.id if outcome.proposal else ""


def say(soul: Oldsoul, text: str, session: Session) -> str:
    return str(soul.agent().hear(text, session=session, sender="Ann").message.id)


def brief(told: Happened) -> list[tuple[str, str, str]]:
    return [(str(each.kind), each.id, each.state) for each in told]


# what is told


def test_everything_that_became_durable_is_told_once_and_in_order(soul: Oldsoul, tmp_path: Path) -> None:
    cursor = soul.events("now").cursor
    made = add(soul, "MEMORY.md", "made")
    proposed = add(soul, "SOUL.md", "calm", AGENT)
    told = soul.events(cursor)
    message = say(soul, "hello", OWN)
    approved = soul.agent().review.approve(proposed).change
    rejected = add(soul, "SOUL.md", "rash", AGENT)
    soul.agent().review.reject(rejected)
    undone = soul.agent().undo(int(made)).change
    change_config(tmp_path / "home", lambda text: f"{text}git: {{init: false}}\n")
    assert approved is not None
    assert undone is not None
    assert brief(told) == [("change", made, "written"), ("proposal", proposed, "open")]
    later = soul.events(told.cursor)
    assert sorted(brief(later)) == sorted(
        [
            *(
                ("message", message, "user"),
                ("proposal", proposed, "approved"),
                ("change", str(approved.id), "written"),
            ),
            *(("proposal", rejected, "open"), ("proposal", rejected, "rejected"), ("change", str(undone.id), "undone")),
            ("settings", "", "changed"),
        ]
    )
    assert {(each.workspace, each.time) for each in later} == {("main", NOON), ("", NOON)}
    assert soul.events(later.cursor) == Happened((), later.cursor)
    assert soul.events(cursor).events == (*told, *later)


def test_a_proposal_that_is_brought_up_to_date_or_expires_is_told(soul: Oldsoul) -> None:
    name = Name("main", "SOUL.md")
    made = soul._home.ledger.apply(ChangeSet((Add(name, "calm"),), OPERATOR, "x", "k1")).change
    assert made is not None
    entry = made.effects[0].entries[0]
    proposal = soul._home.ledger.apply(ChangeSet((Replace(name, entry, "calmer"),), AGENT, "x", "k2")).proposal
    assert proposal is not None
    soul._home.ledger.apply(ChangeSet((Replace(name, entry, "calm and kind"),), OPERATOR, "x", "k3"))
    other = soul._home.ledger.apply(ChangeSet((Add(name, "kind"),), AGENT, "y", "k4", suggested=True)).proposal
    assert other is not None
    cursor = soul.events("now").cursor
    with pytest.raises(Conflict, match="look at it again"):
        soul.agent().review.approve(proposal.id)
    soul._home.ledger.expire("main", other.id, "nobody cared")
    states = [(each.id, each.state) for each in soul.events(cursor) if each.kind is EventKind.PROPOSAL]
    assert states == [(proposal.id, "open"), (other.id, "expired")]


def test_edits_made_outside_are_told_once_they_are_noticed(soul: Oldsoul, tmp_path: Path) -> None:
    cursor = soul.events("now").cursor
    (tmp_path / "home/workspace/MEMORY.md").write_text("- by hand\n")
    soul.agent().files.show("MEMORY.md")
    found = soul.events(cursor).events
    names = [soul._home.ledger.change(int(each.id)).effects[0].name.path for each in found]
    assert names in (["MEMORY.md"], [])  # an editor may still be at it


def test_a_new_agent_is_told_of_from_its_first_change_on(soul: Oldsoul, tmp_path: Path) -> None:
    cursor = soul.events("now").cursor
    change_config(tmp_path / "home", lambda text: f"{text}agents: {{list: [{{id: second}}]}}\n")
    long_ago = NOON - timedelta(days=400)
    message = soul.agent("second").hear("imported", session=OWN, sender="Ann", time=long_ago).message
    told = soul.events(cursor)
    assert [each.id for each in told if each.kind is EventKind.MESSAGE] == [str(message.id)]
    assert {each.workspace for each in told} == {"second", ""}
    assert any(each.kind is EventKind.CHANGE for each in told)


def test_a_log_that_is_new_begins_with_what_would_still_be_kept(house: Callable[..., Oldsoul]) -> None:
    with house(FrozenClock(NOON - KEPT * 2)) as soul:
        add(soul, "MEMORY.md", "long ago")
        soul.agent().hear("long ago", session=OWN, sender="Ann")
    with house() as soul:
        lately = [("change", add(soul, "MEMORY.md", "lately"), "written"), ("message", say(soul, "now", OWN), "user")]
        assert sorted(brief(soul.events())) == sorted(lately)


def test_a_page_is_plain_data(soul: Oldsoul) -> None:
    cursor = soul.events("now").cursor
    message = say(soul, "hello", OWN)
    page = soul.events(cursor)
    told = {"kind": "message", "agent": "main", "id": message, "state": "user", "time": "2026-02-04T12:00:00+00:00"}
    assert plain(happened(page)) == {
        "events": [{**told, "cursor": page.cursor}],
        "cursor": page.cursor,
    }


# whose eyes


def test_each_is_told_of_what_they_may_see_and_of_nothing_else(soul: Oldsoul) -> None:
    cursor = soul.events("now").cursor
    said = {session: say(soul, f"in {session.id}", session) for session in SESSIONS}
    room, soul_change = add(soul, "rooms/dev.md", "in the room"), add(soul, "SOUL.md", "for all")
    hidden = add(soul, "rooms/dev.md", "for the owner in the room", aud="owner")
    adds = tuple(Add(Name("main", f"rooms/{each}.md"), "for both") for each in ("dev", "ops"))
    change = soul._home.ledger.apply(ChangeSet(adds, OPERATOR, "x", "kboth")).change
    both = str(change.id) if change else ""
    daily = add(soul, "memory/2026-02-04.md", "what was said in dev", aud="room:dev")
    memory, proposed = add(soul, "MEMORY.md", "the owner's"), add(soul, "SOUL.md", "perhaps", AGENT)

    def seen(session: Session) -> set[tuple[str, str]]:
        return {
            (str(each.kind), each.id) for each in soul.events(cursor, caller=Caller.reader("reader", session=session))
        }

    everyone = {("change", soul_change)}
    audiences = [
        each.audiences for each in soul.events(cursor, caller=Caller.reader("dev", session=DEV)) if each.id == both
    ]
    assert audiences == [(Audience.room("dev"),)]
    assert seen(DEV) == {("message", said[DEV]), *(("change", each) for each in (room, both, daily)), *everyone}
    assert seen(OPS) == {("message", said[OPS]), ("change", both), *everyone}
    assert seen(ANN) == {("message", said[ANN]), *everyone}
    owners = {("change", each) for each in (room, hidden, both, daily, memory)}
    rooms = {("message", said[each]) for each in (OWN, DEV, OPS)}
    assert seen(OWN) == {*owners, *rooms, ("proposal", proposed), *everyone}
    assert len(soul.events(cursor).events) == len(seen(OWN)) + 1


def test_an_entry_that_was_erased_meanwhile_is_told_to_the_owner_alone(soul: Oldsoul) -> None:
    cursor = soul.events("now").cursor
    name = Name("main", "rooms/dev.md")
    add(soul, "rooms/dev.md", "stays")
    made = soul._home.ledger.apply(
        ChangeSet((Add(name, "the secret", fields={"aud": "owner"}),), OPERATOR, "x", "kx")
    ).change
    assert made is not None
    soul.agent().forget(name, made.effects[0].entries[0])
    told = [each.id for each in soul.events(cursor, caller=Caller.reader("reader", session=DEV))]
    assert len(told) == 1
    assert str(made.id) not in told


def test_pages_go_on_though_nothing_on_them_may_be_seen(soul: Oldsoul) -> None:
    cursor = soul.events("now").cursor
    for number in range(10):
        say(soul, f"private {number}", OWN)
    message = say(soul, "at last", DEV)
    told = soul.events(cursor, caller=Caller.reader("reader", session=DEV), limit=3)
    assert [each.id for each in told] == [message]
    assert soul.events(told.cursor, caller=Caller.reader("reader", session=DEV), limit=3) == Happened((), told.cursor)
    say(soul, "and more", OWN)
    assert soul.events(told.cursor, caller=Caller.reader("reader", session=DEV)).cursor != told.cursor


# nothing is left


def test_what_is_forgotten_was_never_in_an_event(soul: Oldsoul, tmp_path: Path) -> None:
    made = soul.agent().remember("My sister is called Philomena")
    number = say(soul, "Philomena lives in Zanzibar", ANN)
    soul.events()
    soul.agent().forget(made.name, made.entry)
    soul.agent().talk.forget_message(int(number))
    states = [each.state for each in soul.events() if each.kind is EventKind.CHANGE]
    assert "erased" in states
    stored = b"".join(path.read_bytes() for path in (tmp_path / "home/state").glob("events.db*"))
    for word in (b"Philomena", b"philomena", b"Zanzibar", made.entry.encode()):
        assert word not in stored


# cursors


@pytest.mark.parametrize("cursor", ["x", "1", "0123456789abcdef", "0123456789abcdef-", "../..", "0123456789abcdef--1"])
def test_what_is_no_cursor_is_told(soul: Oldsoul, cursor: str) -> None:
    with pytest.raises(BadInput, match="not a cursor"):
        soul.events(cursor)


def test_an_older_cursor_is_told_that_what_it_wants_is_gone(house: Callable[..., Oldsoul]) -> None:
    clock = FrozenClock(NOON)
    with house(clock) as soul:
        begin = soul.events("now").cursor
        add(soul, "MEMORY.md", "one")
        first = soul.events(begin).cursor
        clock.advance(KEPT - timedelta(hours=1))
        second = add(soul, "MEMORY.md", "two")
        assert len(soul.events(begin).events) == 2
        clock.advance(timedelta(hours=2))
        third = add(soul, "MEMORY.md", "three")
        assert [each.id for each in soul.events()] == [second, third]
        assert [each.id for each in soul.events(first)] == [second, third]
        with pytest.raises(Gone, match="7 days"):
            soul.events(begin)


def test_a_cursor_of_a_log_that_was_lost_is_told_so(house: Callable[..., Oldsoul], tmp_path: Path) -> None:
    with house() as soul:
        add(soul, "MEMORY.md", "one")
        cursor = soul.events().cursor
    for path in (tmp_path / "home/state").glob("events.db*"):
        path.unlink()
    with house() as soul:
        with pytest.raises(Gone):
            soul.events(cursor)
        assert len(soul.events().events) > 0


# waiting


def test_who_waits_is_woken_by_what_this_process_does(soul: Oldsoul, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events_module, "_LOOK_SECONDS", MOST_SECONDS)
    acts: list[Callable[[], str]] = [lambda: say(soul, "hello", OWN), lambda: add(soul, "MEMORY.md", "made")]
    for act in acts:
        cursor = soul.events("now").cursor
        told: list[Happened] = []

        def wait(cursor: str = cursor, told: list[Happened] = told) -> None:
            told.append(soul.events(cursor, wait=MOST_SECONDS))

        waiting = threading.Thread(target=wait)
        waiting.start()
        done = act()
        waiting.join()
        assert [each.id for each in told[0]] == [done]


def test_what_another_process_does_is_found_by_looking(house: Callable[..., Oldsoul]) -> None:
    with house() as soul, house() as other:
        cursor = soul.events("now").cursor
        told: list[Happened] = []
        waiting = threading.Thread(target=lambda: told.append(soul.events(cursor, wait=MOST_SECONDS)))
        waiting.start()
        made = add(other, "MEMORY.md", "made")
        waiting.join()
        assert [each.id for each in told[0]] == [made]
        assert told[0] == other.events(cursor)


def test_closing_the_home_ends_the_wait(house: Callable[..., Oldsoul], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events_module, "_LOOK_SECONDS", MOST_SECONDS)
    soul = house()
    cursor = soul.events("now").cursor
    ended: list[BaseException] = []

    def wait() -> None:
        try:
            soul.events(cursor, wait=MOST_SECONDS)
        except Closed as error:
            ended.append(error)

    waiting = [threading.Thread(target=wait) for _ in range(3)]
    for thread in waiting:
        thread.start()
    soul.close()
    for thread in waiting:
        thread.join()
    assert len(ended) == 3
    with pytest.raises(Closed):
        soul.events(cursor)


def test_where_nothing_can_be_written_what_stands_is_told(soul: Oldsoul, monkeypatch: pytest.MonkeyPatch) -> None:
    add(soul, "MEMORY.md", "one")
    told = soul.events()

    def full(*_: object) -> bool:
        raise Unwritable("the disk is full")

    monkeypatch.setattr(SqliteEventLog, "append", full)
    say(soul, "hello", OWN)
    assert soul.events() == told
    monkeypatch.undo()
    assert len(soul.events(told.cursor).events) == 1


# any order of things

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.sampled_from(SESSIONS)),
        st.tuples(st.just("write"), st.sampled_from(["MEMORY.md", "rooms/dev.md", "rooms/ops.md", "SOUL.md"])),
        st.tuples(st.just("propose"), st.none()),
        st.tuples(st.just("read"), st.integers(0, 2)),
    ),
    max_size=40,
)


@given(STEPS, st.integers(1, 5))
@settings(max_examples=scaled(15, 200))
def test_every_reader_is_told_the_same_in_the_same_order_whenever_they_read(
    steps: list[tuple[str, object]], limit: int
) -> None:
    bench = talk()
    soul = bench.soul
    readers = (None, Caller.reader("dev", session=DEV), Caller.reader("ann", session=ANN))
    begin = soul.events("now").cursor
    told: dict[int, list[Event]] = {0: [], 1: [], 2: []}
    cursors = dict.fromkeys(told, begin)

    def read(reader: int) -> None:
        page = soul.events(cursors[reader], caller=readers[reader], limit=limit)
        told[reader] += page
        cursors[reader] = page.cursor

    wanted: list[tuple[str, str, Audience]] = []
    for number, (what, how) in enumerate(steps):
        if what == "say" and isinstance(how, Session):
            message = soul.agent().hear(f"word {number}", session=how, sender="Ann").message
            wanted.append(("message", str(message.id), message.audience))
        elif what == "write":
            audience = {"MEMORY.md": OWNER, "SOUL.md": PUBLIC}.get(str(how)) or Audience.room(str(how)[6:-3])
            wanted.append(("change", add(soul, str(how), f"word {number}"), audience))
        elif what == "propose":
            wanted.append(("proposal", add(soul, "SOUL.md", f"word {number}", AGENT), OWNER))
        elif isinstance(how, int):
            read(how)
    for reader in told:
        while soul.events(cursors[reader], caller=readers[reader]).events:
            read(reader)
    whole = soul.events(begin).events
    assert sorted((str(each.kind), each.id) for each in whole) == sorted(each[:2] for each in wanted)
    views = [soul._home.people.view(each.session) if each and each.session else None for each in readers]
    for reader, eyes in enumerate(views):
        visible = [each for each in whole if eyes is None or each.seen_by(eyes)]
        assert [each.cursor for each in told[reader]] == [each.cursor for each in visible]
        assert eyes is None or all(map(eyes.sees, (one for each in told[reader] for one in each.audiences)))
        allowed = {each[:2] for each in wanted if eyes is None or eyes.sees(each[2])}
        assert {(str(each.kind), each.id) for each in told[reader]} == allowed
    for place, each in enumerate(whole, 1):
        assert soul.events(each.cursor).events == whole[place:]
