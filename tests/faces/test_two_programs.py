"""A server and a second program write to one home, with everything between them that looks at it: nothing is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from faces.served import LIMIT, SRC, asked, started
from oldsoul import Oldsoul, Session
from oldsoul.values.messages import Wanted
from oldsoul.wiring import open_home
from scale import scaled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WRITES = 2
DOCTOR_SCREEN = ("me", "health", "jobs", "settings")
ENDS = (signal.SIGKILL, signal.SIGTERM)


def command(tmp_path: Path, *words: str, status: int = 0) -> str:
    """What a command of the second program said."""
    environment = {**os.environ, "PYTHONPATH": str(SRC), "OLDSOUL_HOME": str(tmp_path / "home")}
    done = subprocess.run(
        [sys.executable, "-m", "oldsoul", *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == status, done.stderr
    return done.stdout


class Acknowledged:
    """What each side was told that it is kept."""

    def __init__(self) -> None:
        self.messages: dict[int, str] = {}
        self.changes: dict[int, str] = {}

    def message(self, number: int, text: str) -> None:
        assert number not in self.messages, f"two messages have the number {number}"
        self.messages[number] = text

    def change(self, number: int, text: str) -> None:
        assert number not in self.changes, f"two changes have the number {number}"
        self.changes[number] = text


@pytest.mark.parametrize("number", range(scaled(1, 50)))
def test_what_two_programs_were_told_is_kept_is_there(tmp_path: Path, number: int) -> None:
    kept, end = Acknowledged(), ENDS[number % 2]
    with open_home(tmp_path / "home", {}) as soul:
        secret = soul.add_token("operator").secret
    with started(tmp_path) as (process, port):

        def ask(method: str, path: str, body: Any = None) -> Any:
            sent = None if body is None else json.dumps(body).encode()
            with asked(port, method, path, secret, sent, Content_Type="application/json") as answer:
                told = json.loads(answer.read())
                assert answer.status < 300, told
                return told

        def server_writes(when: str) -> None:
            for each in range(WRITES):
                text = f"{number} the server was told {when} {each}"
                told = ask("POST", "/api/agents/main/sessions/one/messages", {"text": text})
                kept.message(told["message"], text)
                made = ask("POST", "/api/agents/main/entries", {"text": text})
                kept.change(made["change"], text)

        def command_writes(when: str) -> None:
            text = f"{number} the command was told {when}"
            if (len(kept.messages) + len(kept.changes) + number) % 2:
                kept.message(json.loads(command(tmp_path, "messages", "log", text, "--json"))["message"], text)
            else:
                kept.change(json.loads(command(tmp_path, "remember", text, "--json"))["change"], text)

        between: dict[str, Callable[[], Any]] = {
            "at the start": lambda: None,
            "after health": lambda: ask("GET", "/api/health"),
            "after the Doctor screen": lambda: [ask("GET", f"/api/{path}") for path in DOCTOR_SCREEN],
            "after a second open": lambda: Oldsoul.open(tmp_path / "home").close(),
            "after doctor": lambda: command(tmp_path, "doctor"),
            "after a backup": lambda: command(tmp_path, "backup", str(tmp_path / "one.tar")),
        }
        for when, look in between.items():
            look()
            server_writes(when)
            command_writes(when)
            server_writes(f"{when} and the command")
        with started(tmp_path) as (second, _):
            server_writes("beside a second server")
            command_writes("beside a second server")
            second.send_signal(end)
            second.communicate(timeout=LIMIT)
        server_writes("to the server at the end")
        process.send_signal(end)
        process.communicate(timeout=LIMIT)
    last = f"{number} the last"
    kept.change(json.loads(command(tmp_path, "remember", last, "--json"))["change"], last)
    whole(tmp_path / "home", kept)


def whole(home: Path, kept: Acknowledged) -> None:
    """All that was acknowledged is there, once, under its number."""
    with open_home(home, {}) as soul:
        agent = soul.agent()
        found = {message.id: message.text for message in agent.talk.messages(Wanted(limit=10_000))}
        assert {number: found.get(number) for number in kept.messages} == kept.messages
        written = (home / "workspace/main/MEMORY.md").read_text("utf-8")
        for number, text in kept.changes.items():
            assert text in written
            assert f"+- {text}" in agent.files.diff(number)
        numbers = [change.id for change in agent.files.history(limit=10_000)]
        assert len(numbers) == len(set(numbers))
    command(home.parent, "doctor")


def test_doctor_names_what_was_lost_when_a_log_was_overwritten(tmp_path: Path) -> None:
    state = tmp_path / "home/state"
    with open_home(tmp_path / "home", {}) as soul:
        soul.agent().remember("The cat is called Tom")
        soul.agent().hear("The tulips are out", session=Session.dm())
    earlier = {name: (state / name).read_bytes() for name in ("ledger.db", "chat.db")}
    with open_home(tmp_path / "home", {}) as soul:
        gone = soul.agent().remember("The dog is called Rex").change
        heard = soul.agent().hear("The roses are out", session=Session.dm()).message.id
        soul.events()
    assert "lost" not in command(tmp_path, "doctor")
    for name, content in earlier.items():
        (state / name).write_bytes(content)
    said = command(tmp_path, "doctor", status=1)
    assert f"1 change that was stored and announced was lost: {gone} of main" in said
    assert f"1 message that was stored and announced was lost: {heard} of main" in said
    with open_home(tmp_path / "home", {}) as soul:
        soul.agent().remember("The boat is green")
    assert "another one has this number now" in command(tmp_path, "doctor", status=1)
