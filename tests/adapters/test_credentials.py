"""Tokens of programs: kept by the hash of their secret, checked, expired, revoked; in memory and in SQLite alike."""

from __future__ import annotations

import multiprocessing
import stat
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest

from oldsoul.adapters.sqlite.records import SqliteCredentials
from oldsoul.errors import BadInput, Closed, Conflict, Damaged, NotFound, Refused
from oldsoul.testing import FrozenClock, MemoryCredentials
from oldsoul.values.callers import CallerRole, Login, Token
from oldsoul.values.sessions import Subject
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from oldsoul.app import Oldsoul
    from oldsoul.ports import Credentials

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)


def token(token_id: str = "a1", **more: Any) -> Token:  # noqa: S107 - an id, no password
    usual: dict[str, Any] = {"role": CallerRole.AGENT, "person": Subject("acct:ann"), "agent": "", "name": ""}
    return Token(token_id, **(usual | {"created": NOON} | more))


# Every store of tokens.


class CredentialsContract:
    """The promises. Subclass it, give it `credentials`."""

    def test_there_are_none_at_first(self, credentials: Credentials) -> None:
        assert credentials.all() == []
        assert not credentials.revoke("a1")

    def test_what_is_added_comes_back_the_same_in_its_order(self, credentials: Credentials) -> None:
        every = [
            token("b2", role=CallerRole.READER, agent="main", name="wall \ud800\x00中"),
            token("a1", person=Subject("ext:telegram:7"), expires=NOON + timedelta(days=1)),
        ]
        for number, each in enumerate(every):
            credentials.add(each, f"{number:064}")
        assert credentials.all() == [(each, f"{number:064}") for number, each in enumerate(every)]

    def test_times_are_those_that_were_given_and_need_a_zone(self, credentials: Credentials) -> None:
        there = datetime(2026, 2, 4, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
        credentials.add(token(created=there, expires=there + timedelta(days=1)), "0")
        ((kept, _),) = credentials.all()
        assert (kept.created, kept.created.tzinfo, kept.expires) == (there, UTC, there + timedelta(days=1))
        with pytest.raises(BadInput):
            credentials.add(token("b2", created=datetime(2026, 2, 4)), "1")  # noqa: DTZ001 - what is refused
        assert len(credentials.all()) == 1

    def test_an_id_is_given_once(self, credentials: Credentials) -> None:
        credentials.add(token(name="first"), "0")
        with pytest.raises(Conflict):
            credentials.add(token(name="second"), "1")
        assert [(kept.name, digest) for kept, digest in credentials.all()] == [("first", "0")]

    def test_one_that_is_revoked_is_gone_and_the_others_stay(self, credentials: Credentials) -> None:
        for number, token_id in enumerate("abc"):
            credentials.add(token(token_id), str(number))
        assert credentials.revoke("b")
        assert not credentials.revoke("b")
        assert [kept.id for kept, _ in credentials.all()] == ["a", "c"]

    def test_one_is_found_by_its_hash(self, credentials: Credentials) -> None:
        assert credentials.find("1") is None
        for number, token_id in enumerate("abc"):
            credentials.add(token(token_id), str(number))
        assert credentials.find("1") == token("b")
        assert credentials.find("x") is None
        credentials.revoke("b")
        assert credentials.find("1") is None

    def test_those_made_from_one_go_with_it_and_none_is_made_from_what_is_gone(self, credentials: Credentials) -> None:
        for number, token_id in enumerate(("a", "a.b", "a.b.c", "ab", "b", "b.a")):
            credentials.add(token(token_id, login=Login.TOKEN), str(number))
        assert credentials.revoke("a")
        assert [kept.id for kept, _ in credentials.all()] == ["ab", "b", "b.a"]
        with pytest.raises(Refused):
            credentials.add(token("a.d"), "9")
        assert [kept.login for kept, _ in credentials.all()] == [Login.TOKEN] * 3


class TestMemoryCredentials(CredentialsContract):
    @pytest.fixture
    def credentials(self) -> Credentials:
        return MemoryCredentials()


class TestSqliteCredentials(CredentialsContract):
    @pytest.fixture
    def credentials(self, tmp_path: Path) -> Credentials:
        return SqliteCredentials(str(tmp_path / "tokens.db"))


def test_only_its_owner_may_read_the_file_and_a_look_does_not_create_it(tmp_path: Path) -> None:
    kept = SqliteCredentials(str(tmp_path / "tokens.db"))
    kept.all()
    kept.revoke("a1")
    assert [*tmp_path.iterdir()] == []
    kept.add(token(), "0")
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}
    (tmp_path / "tokens.db").chmod(0o644)
    kept.all()
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}


def _add_many(path: str, first: int) -> None:
    for number in range(first, first + 10):
        SqliteCredentials(path).add(token(f"t{number}"), str(number))


def test_no_token_is_lost_when_processes_add_at_once(tmp_path: Path) -> None:
    path = str(tmp_path / "tokens.db")
    spawned = multiprocessing.get_context("spawn")
    processes = [spawned.Process(target=_add_many, args=(path, first)) for first in (0, 10)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert {kept.id for kept, _ in SqliteCredentials(path).all()} == {f"t{number}" for number in range(20)}


def test_a_damaged_file_is_told_and_lets_nobody_in(tmp_path: Path) -> None:
    path = tmp_path / "tokens.db"
    path.write_bytes(b"not a database at all" * 1000)
    with pytest.raises(Damaged, match="memory is safe"):
        SqliteCredentials(str(path)).all()


# The tokens of a home.


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


@pytest.fixture
def soul(tmp_path: Path, clock: FrozenClock) -> Iterator[Oldsoul]:
    with open_home(tmp_path / "home", {}, clock) as opened:
        yield opened


def test_a_secret_gives_its_token_and_is_nowhere_in_the_home(soul: Oldsoul, tmp_path: Path) -> None:
    made = soul.add_token("agent", person="acct:ann", agent="main", name=" Ann's phone ")
    other = soul.add_token("operator")
    assert made.secret.startswith("os_")
    assert len(made.secret) > 40
    assert made.secret not in repr(made)
    assert soul.check_token(made.secret) == made.token
    assert made.token == Token(
        made.token.id, CallerRole.AGENT, Subject("acct:ann"), "main", "Ann's phone", NOON, expires=None
    )
    assert other.token.person == Subject("acct:owner")
    assert soul.tokens() == [made.token, other.token]
    files = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert not [path for path in files if made.secret.encode() in path.read_bytes()]


def test_unknown_expired_and_revoked_tokens_are_refused_in_the_same_words(soul: Oldsoul, clock: FrozenClock) -> None:
    short = soul.add_token("operator", expires=NOON + timedelta(days=1))
    gone = soul.add_token("operator")
    assert soul.revoke_token(gone.token.id) == gone.token
    clock.advance(timedelta(hours=23))
    assert soul.check_token(short.secret) == short.token
    clock.advance(timedelta(hours=1))
    said = set()
    for secret in (short.secret, gone.secret, "os_nothing", "", "\ud800", short.secret + "x"):
        with pytest.raises(Refused) as caught:
            soul.check_token(secret)
        said.add(str(caught.value))
    assert len(said) == 1


def test_a_person_has_fifty_browsers_at_most_and_none_that_has_expired(soul: Oldsoul, clock: FrozenClock) -> None:
    program, ann = soul.add_token("operator"), soul.add_token("reader", person="acct:ann", name="browser")
    hers = soul.log_in(ann.token)
    every = [soul.log_in(each) for each in (None, program.token) * 40]
    kept = {token.id for token in soul.tokens()}
    assert kept == {program.token.id, ann.token.id, hers.token.id, *(each.token.id for each in every[-50:])}
    assert soul.check_token(every[-1].secret) == every[-1].token
    with pytest.raises(Refused):
        soul.check_token(every[0].secret)
    clock.advance(timedelta(days=31))
    last = soul.log_in()
    assert [token.id for token in soul.tokens()] == [program.token.id, ann.token.id, last.token.id]


def test_a_browser_that_logs_in_again_and_again_stays_logged_in(soul: Oldsoul) -> None:
    first = soul.log_in(soul.add_token("operator").token)
    for _ in range(60):
        assert soul.check_token(soul.log_in(first.token).secret)


def test_a_token_is_checked_without_a_look_at_all_others(soul: Oldsoul, monkeypatch: pytest.MonkeyPatch) -> None:
    made = soul.add_token("operator")
    monkeypatch.setattr(SqliteCredentials, "all", lambda _: pytest.fail("all tokens were read"))
    assert soul.check_token(made.secret) == made.token
    with pytest.raises(Refused):
        soul.check_token("os_nothing")


def test_a_token_is_revoked_by_its_name_where_only_one_has_it(soul: Oldsoul) -> None:
    first, second = soul.add_token("operator", name="phone"), soul.add_token("operator", name="phone")
    with pytest.raises(BadInput, match=first.token.id):
        soul.revoke_token("phone")
    soul.revoke_token(first.token.id)
    assert soul.revoke_token("phone") == second.token
    soul.add_token("operator")
    for which in ("phone", "", "nobody"):
        with pytest.raises(NotFound):
            soul.revoke_token(which)


@pytest.mark.parametrize(
    ("role", "more", "words"),
    [
        ("king", {}, "operator, agent, reader"),
        ("agent", {}, "for which person"),
        ("reader", {}, "for which person"),
        ("operator", {"person": "acct:ann"}, "not an operator"),
        ("agent", {"person": "Ann"}, "not a person's id"),
        ("operator", {"expires": NOON}, "in the past"),
        ("operator", {"expires": datetime(2030, 1, 1)}, "no time zone"),  # noqa: DTZ001 - what is refused
        ("operator", {"name": "two\nlines"}, "one line"),
        ("operator", {"name": "x" * 101}, "one line"),
    ],
)
def test_a_token_that_makes_no_sense_is_not_made(soul: Oldsoul, role: str, more: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        soul.add_token(role, **more)
    assert soul.tokens() == []


def test_a_token_is_for_an_agent_or_a_team_that_there_is(soul: Oldsoul) -> None:
    for agent in ("nobody", "_shared"):
        with pytest.raises(NotFound):
            soul.add_token("operator", agent=agent)


def test_a_closed_home_lets_nobody_in(tmp_path: Path) -> None:
    with open_home(tmp_path / "home", {}) as soul:
        made = soul.add_token("operator")
    for verb in (lambda: soul.check_token(made.secret), soul.tokens, lambda: soul.add_token("operator")):
        with pytest.raises(Closed):
            verb()
