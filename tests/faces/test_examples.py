"""The programs in examples/ do what they say, each in a process and a home of its own, with nothing but loopback."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from adapters.model_server import answering, serving
from oldsoul import Oldsoul, Session

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
TRIED = {"agno_agent.py", "chat_loop.py", "group_bot.py", "fastapi_app.py"}
"""Those that have a test; that of Agno stands in test_agno.py."""


def environment(home: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OLDSOUL_", "OPENAI_"))}
    return {**kept, "OLDSOUL_HOME": str(home), "PYTHONPATH": str(ROOT / "src"), **more}


def ran(example: str, typed: str, home: Path, **more: str) -> str:
    """What an example prints for what is typed."""
    command = [sys.executable, str(ROOT / "examples" / example)]
    done = subprocess.run(
        command, input=typed, env=environment(home, **more), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_example_has_a_test() -> None:
    assert {path.name for path in (ROOT / "examples").glob("*.py")} == TRIED


def test_a_chat_loop_asks_its_own_model_with_what_memory_holds(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Oldsoul.open(home) as soul:
        soul.agent().remember("The boiler is serviced in May")
    with serving() as server:
        server.script.extend([answering("In May."), answering("Noted.")])
        model = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none", "OPENAI_MODEL": "small"}
        typed = "when is the boiler serviced?\nPlease remember that the gate sticks\n"
        assert ran("chat_loop.py", typed, home, **model) == "In May.\nNoted.\n"
        first, second = (seen.body["messages"] for seen in server.seen)
    assert "The boiler is serviced in May" in first[-1]["content"]
    assert [turn["role"] for turn in second] == ["system", "user", "assistant", "user"]
    with Oldsoul.open(home) as soul:
        assert any("gate sticks" in entry.text for entry in soul.agent().memory.entries(session=Session.dm()))


def test_a_chat_loop_says_what_it_lacks(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "examples/chat_loop.py")]
    done = subprocess.run(command, env=environment(tmp_path), capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "OPENAI_MODEL" in done.stderr


def test_a_group_bot_replies_to_its_name_and_tells_a_room_nothing_private(tmp_path: Path) -> None:
    said = [
        {
            "room": "dev",
            "from": "ext:irc:ann",
            "name": "Ann",
            "text": "Please remember that the staging server is called Juno",
        },
        {"from": "ext:irc:ben", "name": "Ben", "text": "Please remember that my cellar is full of cider"},
        {"room": "dev", "from": "ext:irc:ben", "name": "Ben", "text": "main: what is the staging server called?"},
        {"room": "dev", "from": "ext:irc:ann", "name": "Ann", "text": "main: what is in Ben's cellar?"},
        {"from": "ext:irc:ben", "name": "Ben", "text": "what is my cellar full of?"},
    ]
    printed = ran("group_bot.py", "".join(json.dumps(one) + "\n" for one in said), tmp_path / "home")
    replies = [json.loads(line) for line in printed.splitlines()]
    assert [(each["room"], each["to"]) for each in replies[-3:]] == [
        ("dev", "ext:irc:ben"),
        ("dev", "ext:irc:ann"),
        ("", "ext:irc:ben"),
    ]
    assert "Juno" in replies[-3]["text"]
    assert "cider" not in replies[-2]["text"]
    assert "cider" in replies[-1]["text"]
    with Oldsoul.open(tmp_path / "home") as soul:
        assert "the staging server is called Juno" in soul.agent().memory.load_room_context("dev")


@contextmanager
def web_app(home: Path) -> Iterator[str]:
    """The address of the FastAPI application while it runs."""
    command = [sys.executable, str(ROOT / "examples/fastapi_app.py")]
    with subprocess.Popen(command, env=environment(home, PORT="0"), stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        try:
            for line in running.stderr:
                if found := re.search(r"running on (http://\S+)", line):
                    yield found[1]
                    break
            else:
                raise AssertionError("it did not start")
        finally:
            running.terminate()
            running.stderr.read()


def got(url: str, token: str, said: Any = None) -> Any:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    body = None if said is None else json.dumps(said).encode()
    with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as answer:  # noqa: S310 - loopback
        return json.load(answer)


def test_a_web_application_keeps_its_users_apart(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Oldsoul.open(home) as soul:
        ann, ben = (soul.add_token("agent", person=person)[-1] for person in ("acct:ann", "acct:ben"))
    with web_app(home) as url:
        got(f"{url}/chat", ann, {"text": "Please remember that my sister is called Lotte"})
        assert got(f"{url}/end", ann, {})["changes"]
        assert "Lotte" in got(f"{url}/chat", ann, {"text": "what is my sister called?"})["text"]
        assert "Lotte" not in got(f"{url}/chat", ben, {"text": "what is Ann's sister called?"})["text"]
        assert any("Lotte" in each["text"] for each in got(f"{url}/memory", ann))
        assert not any("Lotte" in each["text"] for each in got(f"{url}/memory", ben))
        with pytest.raises(urllib.error.HTTPError, match="401"):
            got(f"{url}/memory", "os_nobody")
