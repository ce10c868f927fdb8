"""Whatever is called, the locks that this process holds on the home's databases stay.

A process that lost them is not seen by another one, which then removes the write-ahead log as the last to leave; both
write past each other, and what was acknowledged is gone.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner

import oldsoul
from core.every_verb import HOME_VERBS, NO_HOME_VERBS, WITH_SESSION, WITHOUT
from faces.every_command import commands
from faces.served import serving
from faces.test_routes import endpoints, example
from oldsoul import Oldsoul, Session
from oldsoul.errors import OldsoulError
from oldsoul.faces.cli import cli
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oldsoul.app import Agent

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads which locks a process holds from /proc")

OPERATOR = Session.dm()
WORDS = {
    "agents": "",
    "ask": "what is the cat called?",
    "backup": "{tmp}/{number}.tar",
    "chat": "",
    "config completion": "bash",
    "config explain": "timezone",
    "config set": "timezone UTC",
    "config show": "",
    "config unset": "timezone",
    "context": "--message hello",
    "correct": "'the cat is called Mia'",
    "days": "",
    "demo": "{tmp}/demo{number}",
    "diff": "1",
    "doctor": "",
    "edit": "MEMORY.md",
    "forget": "nothing",
    "index rebuild": "",
    "index status": "",
    "init": "",
    "keepers history": "memory-miner",
    "keepers list": "",
    "keepers run": "memory-miner",
    "keepers work": "",
    "log": "",
    "messages import": "{tmp}/none.jsonl",
    "messages list": "",
    "messages log": "hello",
    "messages triage": "hello",
    "openapi": "",
    "people bind": "ann acct:ann",
    "people list": "",
    "people unbind": "ann",
    "remember": "'the dog is called Rex'",
    "restore": "{tmp}/none.tar",
    "review approve": "x",
    "review list": "",
    "review reject": "x",
    "review show": "x",
    "search": "cat",
    "sessions asked": "x",
    "sessions end": "--all",
    "sessions list": "",
    "show": "MEMORY.md",
    "skills": "",
    "soul diff": "",
    "soul list": "",
    "soul rollback": "1",
    "soul show": "",
    "token add": "",
    "token list": "",
    "token revoke": "x",
    "tour": "",
    "undo": "1",
}
GO_ON = {"index watch", "keepers start", "mcp", "proxy", "serve"}
"""Commands that go on until they are stopped: tests/faces/test_two_programs.py has a server beside a second program."""


class Watched:
    """The databases of a home, as long as something runs that must not touch their locks."""

    folder: str = ""
    opened: list[str] = []  # noqa: RUF012 - one for the process, as the hook is
    """databases that were opened although this process had locks on them"""


def _watch(event: str, given: tuple[Any, ...]) -> None:
    if event != "open" or not Watched.folder or not isinstance(given[0], str | bytes):
        return
    path = os.fsdecode(given[0])
    if re.search(r"\.db(-wal|-shm)?$", path) and os.path.realpath(path) in _held():
        Watched.opened.append(path)


sys.addaudithook(_watch)


def _held() -> set[str]:
    """The files below the watched folder that this process has locks on."""
    found = set()
    for fd in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            path = str(fd.readlink())
            is_database = path.startswith(Watched.folder) and path.endswith((".db", ".db-shm"))
            if is_database and "lock:" in Path(f"/proc/self/fdinfo/{fd.name}").read_text():
                found.add(path)
    return found


@contextmanager
def keeping_locks(folder: Path, what: str) -> Iterator[None]:
    """Fails when a lock that was held before the block is gone after it, or a locked file was opened beside SQLite."""
    Watched.folder = os.path.realpath(folder)
    Watched.opened = []
    before = _held()
    try:
        assert any(path.endswith("ledger.db") for path in before), "nothing is held, so nothing is tried"
        yield
        assert before - _held() == set(), f"{what} dropped locks"
        assert Watched.opened == [], f"{what} opened databases that are locked"
    finally:
        Watched.folder = ""


def lived_in(soul: Oldsoul) -> Agent:
    """An agent of a home all of whose databases are open."""
    agent = soul.agent()
    agent.remember("The cat is called Tom")
    agent.hear("The tulips are out", session=OPERATOR)
    agent.keepers.work(session=OPERATOR)
    agent.recall("cat", session=OPERATOR)
    soul.events()
    soul.jobs()
    soul.tokens()
    return agent


@pytest.fixture
def soul(tmp_path: Path) -> Iterator[Oldsoul]:
    with open_home(tmp_path / "home", {}) as made:
        yield made


def test_every_verb_of_an_agent_keeps_the_locks(soul: Oldsoul, tmp_path: Path) -> None:
    agent = lived_in(soul)
    calls: dict[str, Callable[[], Any]] = {verb: lambda call=call: call(agent) for verb, call in WITHOUT.items()}  # type: ignore[misc]
    calls |= {verb: lambda call=call: call(agent, OPERATOR) for verb, call in WITH_SESSION.items()}  # type: ignore[misc]
    for verb, call in calls.items():
        with keeping_locks(tmp_path / "home", verb), suppress(OldsoulError):
            call()


def test_every_verb_of_a_home_keeps_the_locks(soul: Oldsoul, tmp_path: Path) -> None:
    lived_in(soul)
    verbs = {name for name in dir(Oldsoul) if not name.startswith("_")}
    assert verbs == {*HOME_VERBS, *NO_HOME_VERBS}
    for verb, call in HOME_VERBS.items():
        with keeping_locks(tmp_path / "home", verb), suppress(OldsoulError):
            call(soul, tmp_path)


def test_a_second_opening_of_the_home_keeps_the_locks(soul: Oldsoul, tmp_path: Path) -> None:
    lived_in(soul)
    for number in range(2):
        with keeping_locks(tmp_path / "home", "open"), open_home(tmp_path / "home", {}) as second:
            second.agent().remember(f"The boat has {number} sails")


def test_every_route_keeps_the_locks(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        lived_in(served.soul)
        for endpoint in endpoints():
            method, path = endpoint.split(" ")
            place, more = example(method.lower(), path)
            headers = {"last-event-id": "none", "if-match": "*"}  # a stream does not end by itself: it does not begin
            with keeping_locks(tmp_path / "home", endpoint):
                served.client.request(method, place, headers=headers, **more)


def test_every_command_keeps_the_locks_of_the_process_it_runs_in(
    soul: Oldsoul, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLDSOUL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("EDITOR", "true")
    lived_in(soul)
    names = {name for name, command in commands() if not isinstance(command, click.Group)}
    assert names == {*WORDS, *GO_ON}
    for number, (name, words) in enumerate(WORDS.items()):
        given = shlex.split(f"{name} {words.format(tmp=tmp_path, number=number)}")
        with keeping_locks(tmp_path / "home", name):
            CliRunner().invoke(cli, given)


def test_a_backup_whose_home_links_to_its_own_database_keeps_the_locks(soul: Oldsoul, tmp_path: Path) -> None:
    lived_in(soul)
    (tmp_path / "home/workspace/main/beside.md").symlink_to(tmp_path / "home/state/ledger.db")
    (tmp_path / "home/beside.db").symlink_to(tmp_path / "home/state/ledger.db")
    with keeping_locks(tmp_path / "home", "backup"):
        made = soul.backup(tmp_path / "one.tar")
    assert [why for why in made.left_out if "is a link to a database of the home" in why]


def test_databases_are_opened_in_these_places_alone() -> None:
    """`connections` knows which are alive; a copy that is being made and a probe are files that nobody else has."""
    source = Path(str(oldsoul.__file__)).parent
    places = [path for path in source.rglob("*.py") if "sqlite3.connect(" in path.read_text("utf-8")]
    found = {str(path.relative_to(source)) for path in places}
    assert found == {"adapters/sqlite/file.py", "adapters/machine.py"}
