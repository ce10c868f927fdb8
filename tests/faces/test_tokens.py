"""`token` and `proxy` on the command line: added, listed, revoked; started, reached and stopped."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from faces.test_cli import answer, ok, refusal, run, start
from oldsoul import Oldsoul

if TYPE_CHECKING:
    from collections.abc import Iterator

FIELDS = {"id", "role", "person", "agent", "name", "created", "expires", "expired"}


def test_a_token_is_printed_once_and_its_id_said_beside_it() -> None:
    result = run("token", "add", "--role", "operator", "--name", "laptop")
    secret = result.stdout.strip()
    (made,) = answer("token", "list")
    assert secret.startswith("os_")
    assert f"Token {made['id']} (operator) for acct:owner, valid. Keep it" in result.stderr
    assert set(made) == FIELDS
    assert (made["role"], made["person"], made["agent"], made["name"]) == ("operator", "acct:owner", None, "laptop")
    with Oldsoul.open() as soul:
        assert soul.check_token(secret).name == "laptop"


def test_what_a_program_gets_has_the_token_and_lists_never_have_it() -> None:
    made = answer("token", "add", "--person", "acct:ann", "--days", "30", "-a", "main")
    assert set(made) == {"secret", *FIELDS}
    assert (made["role"], made["person"], made["agent"], made["expired"]) == ("agent", "acct:ann", "main", False)
    listed = ok("token")
    assert listed.split()[:7] == ["ID", "ROLE", "PERSON", "AGENT", "ADDED", "EXPIRES", "NAME"]
    assert made["id"] in listed
    for shown in (listed, json.dumps(answer("token")), ok("doctor"), ok("log")):
        assert made["secret"] not in shown
        assert made["secret"].removeprefix("os_") not in shown


def test_a_token_is_revoked_by_id_or_name() -> None:
    made = answer("token", "add", "--role", "operator", "--name", "laptop")
    assert ok("token", "revoke", "laptop") == f"Revoked {made['id']} (laptop).\n"
    other = answer("token", "add", "--role", "operator")
    assert answer("token", "revoke", other["id"])["id"] == other["id"]
    assert ok("token") == "There are no tokens; `oldsoul token add` adds one.\n"
    assert answer("token") == []
    assert "oldsoul token list" in refusal(3, "token", "revoke", other["id"])


def test_tokens_that_make_no_sense_are_refused() -> None:
    assert "for which person this agent speaks" in refusal(2, "token", "add")
    assert "not an operator" in refusal(2, "token", "add", "--role", "operator", "--person", "acct:ann")
    assert "not a person's id" in refusal(2, "token", "add", "--person", "ann")
    assert "king" in refusal(2, "token", "add", "--role", "king")
    assert "there is no agent 'nobody'" in refusal(3, "token", "add", "--role", "operator", "-a", "nobody")
    assert refusal(2, "token", "add", "--role", "operator", "--days", "0")


def test_a_token_is_not_shown_on_a_terminal_that_a_name_wants_to_disturb() -> None:
    assert "one line" in refusal(2, "token", "add", "--role", "operator", "--name", "x\x1b[2Jy")
    ok("token", "add", "--role", "operator", "--name", "机器人")
    assert "机器人" in ok("token")


# the proxy


@contextmanager
def started(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A proxy that does not outlive its test."""
    process = start("proxy", "--port", "0", *words)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


@pytest.fixture
def proxy() -> Iterator[subprocess.Popen[bytes]]:
    ok("init")
    with started() as process:
        yield process


def line_of(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().decode().strip()


def asked(url: str, secret: str) -> object:
    request = urllib.request.Request(f"{url}/models", headers={"Authorization": f"Bearer {secret}"})  # noqa: S310 - ours
    with urllib.request.urlopen(request, timeout=300) as answered:  # noqa: S310 - as above
        return json.loads(answered.read())


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_it_says_where_it_is_lets_tokens_in_at_once_and_ends_cleanly(
    proxy: subprocess.Popen[bytes], number: signal.Signals, code: int
) -> None:
    url = line_of(proxy).removeprefix("Base URL: ")
    secret = answer("token", "add", "--role", "operator")["secret"]
    assert [model["id"] for model in asked(url, secret)["data"]] == ["main"]  # type: ignore[index]
    answer("token", "revoke", answer("token")[0]["id"])
    with pytest.raises(urllib.error.HTTPError) as caught:
        asked(url, secret)
    caught.value.close()
    assert caught.value.code == 401
    proxy.send_signal(number)
    out, err = proxy.communicate(timeout=300)
    assert (proxy.returncode, out) == (code, b"")
    said = err.decode().split("\n")
    assert said[0] == "Models: main. Press Ctrl-C to stop."
    assert said[1] == "There is no token yet; clients need one: oldsoul token add --role operator"
    assert [line for line in said[2:] if line] == ["Stopped."]


def test_a_program_that_starts_it_gets_json() -> None:
    ok("config", "set", "agents.scout.role", "looks things up")
    with started("--json", "-a", "scout") as process:
        assert process.stdout is not None
        told = b""
        while not told.endswith(b"}\n"):
            told += os.read(process.stdout.fileno(), 4096)
        assert json.loads(told)["models"] == ["scout"]
        assert json.loads(told)["base_url"].startswith("http://127.0.0.1:")
        process.send_signal(signal.SIGTERM)  # at once, whether it listens to signals by then or not
        assert process.communicate(timeout=300) == (b"", b"")
        assert process.returncode == 0


def test_where_it_cannot_be_started_it_says_why() -> None:
    assert "--public" in refusal(2, "proxy", "--host", "0.0.0.0")  # noqa: S104 - what is refused
    assert "is not a host of this machine" in refusal(2, "proxy", "--host", "no such host")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        told = refusal(1, "proxy", "--port", str(taken.getsockname()[1]))
        assert f"cannot listen on 127.0.0.1, port {taken.getsockname()[1]}: another program uses it" in told


@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_without_its_packages_it_says_which_extra_to_install(missing: str) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; from oldsoul.faces.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code, "proxy"], capture_output=True, check=False)
    assert (done.returncode, b"pip install 'oldsoul[server]'" in done.stderr) == (1, True), done.stderr


def test_help_loads_no_server() -> None:
    script = (
        "import sys\nfrom oldsoul.faces.cli import cli\n"
        "try:\n    cli.main(sys.argv[1:])\nexcept SystemExit:\n    print(*sys.modules, file=sys.stderr)"
    )
    for name in ("proxy", "token", "token add"):
        done = subprocess.run([sys.executable, "-c", script, *name.split(), "--help"], capture_output=True, check=True)
        heavy = {"sqlite3", "starlette", "uvicorn", "anyio", "oldsoul.app", "oldsoul.settings"}
        assert not heavy & set(done.stderr.decode().split()), name
