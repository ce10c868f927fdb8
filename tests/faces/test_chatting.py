"""`chat` and `ask` on the command line: from a pipe, on a terminal, and when the model does not answer."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from adapters.model_server import raw, saying, serving
from oldsoul.faces.cli import cli
from oldsoul.values.messages import Wanted
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from adapters.model_server import Server

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    monkeypatch.setenv("OLDSOUL_HOME", str(folder))
    monkeypatch.setenv("HOME", str(tmp_path))
    return folder


@pytest.fixture
def server(home: Path) -> Iterator[Server]:
    with serving() as running:
        home.mkdir(exist_ok=True)
        model = f"provider: openai, base_url: '{running.url}', model: mine, timeout_seconds: 20"
        (home / "config.yaml").write_text(f"timezone: UTC\nkeepers: {{model: {{{model}}}}}\n")
        yield running


def run(*words: str, given: str | None = None) -> Any:
    return CliRunner().invoke(cli, words, input=given)


def reply(*pieces: str, end: str = "stop") -> Any:
    chunks: list[Any] = [{"choices": [{"delta": {"content": piece}, "finish_reason": None}]} for piece in pieces]
    chunks += [{"choices": [{"delta": {}, "finish_reason": end}]}] if end else []
    return raw(HEAD + b"".join(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks))


def logged(home: Path) -> list[tuple[str, str]]:
    with open_home(home) as soul:
        return [(each.role, each.text) for each in soul.agent().talk.messages(Wanted())]


def test_ask_answers_from_memory_in_a_new_process_with_file_and_line() -> None:
    assert run("ask", "what is Ann's dog called?").stdout == "I do not know: memory holds nothing about this.\n"
    run("remember", "The staging server is called Juno")
    asked = [sys.executable, "-m", "oldsoul", "ask", "what is the staging server called?"]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    assert "The staging server is called Juno" in done.stdout
    assert "MEMORY.md#L19" in done.stdout
    assert "(added" not in done.stdout


def test_ask_logs_the_question_unless_it_is_told_not_to(home: Path) -> None:
    run("ask", "hello", "there")
    run("ask", "--no-log", "and again")
    assert [text for role, text in logged(home) if role == "user"] == ["hello there"]


def test_ask_gives_the_whole_reply_as_json(home: Path) -> None:
    run("remember", "The staging server is called Juno")
    value = json.loads(run("ask", "--json", "what is the staging server called?").stdout)
    assert value["answer"] == "found"
    assert (value["message"], value["reply"], value["silent"]) == (1, 2, False)
    assert any(one["document"] == "MEMORY.md" for one in value["receipt"]["included"])
    assert len(logged(home)) == 2


def test_why_shows_where_the_memory_came_from_and_nothing_of_the_soul() -> None:
    run("remember", "The staging server is called Juno")
    for shown in (
        run("ask", "--why", "what is the staging server called?").stdout,
        run("chat", given="what is the staging server called?\n/why\n").stdout,
    ):
        assert "MEMORY.md:19" in shown
        assert "SOUL.md" not in shown


def test_a_session_that_may_not_see_it_is_not_told() -> None:
    run("remember", "The staging server is called Juno")
    for who in ("group:dev", "dm:acct:7"):
        assert "Juno" not in run("ask", "--as", who, "what is the staging server called?").output


def test_each_line_of_a_pipe_is_a_message_and_a_bad_one_stops_nobody(home: Path) -> None:
    run("remember", "The staging server is called Juno")
    done = run("chat", given="what is the staging server called?\n\n/nonsense\nhello\n")
    assert done.exit_code == 1
    assert "Juno" in done.stdout
    assert "/nonsense is not a command" in done.stderr
    assert done.stdout.rstrip().endswith("from memory.")
    assert [text for role, text in logged(home) if role == "user"] == ["what is the staging server called?", "hello"]


def test_a_pipe_gets_a_line_of_json_for_each_reply() -> None:
    done = run("chat", "--json", given="hello\nhow are you?\n")
    assert [json.loads(line)["reply"] for line in done.stdout.splitlines()] == [2, 4]


def test_commands_of_a_chat_do_what_the_commands_do(home: Path) -> None:
    run("remember", "The meeting is on Tuesday")
    given = "/memory\n/soul\n/correct The meeting is on Thursday, not on Tuesday\n/help\n"
    done = run("chat", given=given)
    assert "The meeting is on Tuesday" in done.stdout
    assert run("show", "SOUL.md").stdout in done.stdout
    assert "/forget WORDS" in done.stdout
    with open_home(home) as soul:
        assert b"Thursday" in (soul.agent().files.show("MEMORY.md").data or b"")


def test_a_session_goes_on_by_its_id() -> None:
    run("messages", "log", "hello", "--room", "dev", "--session", "standup", "--subject", "acct:7")
    run("chat", "--session", "standup", given="hi all\n")
    assert "hi all" in run("messages", "--session", "standup").output
    assert run("chat", "--session", "nobody", given="x\n").exit_code == 3


def test_the_model_replies_and_what_it_sends_cannot_move_the_cursor(server: Server) -> None:
    server.script.append(reply("It is \x1b[2J", "Milo.\nReally."))
    assert run("ask", "what is the cat called?").stdout == "It is \ufffd[2JMilo.\nReally.\n"


def test_a_model_that_fails_is_told_and_the_next_line_is_tried(server: Server, home: Path) -> None:
    server.script += [saying(401, {"error": {"message": "bad key"}}), reply("Half a", end=""), reply("Fine.")]
    done = run("chat", given="one\ntwo\nthree\n")
    assert done.exit_code == 1
    assert "bad key" in done.stderr
    assert "stopped in the middle" in done.stderr
    assert done.stdout.endswith("Fine.\n")
    assert logged(home) == [
        ("user", "one"),
        ("user", "two"),
        ("assistant", "Half a [interrupted]"),
        ("user", "three"),
        ("assistant", "Fine."),
    ]


def test_a_chat_on_a_terminal_shows_a_prompt_and_ends_with_the_input(home: Path) -> None:
    run("remember", "The staging server is called Juno")
    mine, theirs = pty.openpty()
    environ = {**os.environ, "TERM": "xterm", "OLDSOUL_HOME": str(home)}
    words = [sys.executable, "-m", "oldsoul", "chat"]
    shown = b""
    with subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, env=environ) as process:
        os.close(theirs)
        for number, line in enumerate((b"what is the staging server called?", b"/why", b"/nonsense", b"/quit"), 1):
            while shown.count(b"you> ") < number:
                shown += os.read(mine, 65536)
            os.write(mine, line + b"\n")
        assert process.wait() == 0
    os.close(mine)
    text = shown.decode()
    assert "no language model: replies come from memory" in text
    assert "you> " in text
    assert "The staging server is called Juno" in text
    assert "MEMORY.md:19" in text
    assert "/nonsense is not a command" in text
