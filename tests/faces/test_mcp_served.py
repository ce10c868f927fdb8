"""MCP on the server: the same door, and the tools of the token's role."""

from __future__ import annotations

from traceback import format_exception
from typing import TYPE_CHECKING, Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from faces.mcp_clients import call
from faces.served import LIMIT, PLACE, home, running_server, serving

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MEMORY = "oldsoul://main/MEMORY.md"
START = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
LISTENS = "2026-07-28"
"""The version that can listen. A client that is to find out itself takes a server that is slow to answer for an old one."""
ACCEPT = {"accept": "application/json, text/event-stream"}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_token_decides_what_an_mcp_client_may_do_and_see(tmp_path: Path, mode: Any) -> None:
    with home(tmp_path, "agents: {list: [{id: main}, {id: ann}]}") as soul, running_server(soul) as port:
        soul.agent().remember("The big tent is called Aurora")
        soul.agent("ann").remember("The cat is called Milo")
        secrets = {
            "operator": soul.add_token("operator").secret,
            "agent": soul.add_token("agent", person="acct:owner").secret,
            "reader": soul.add_token("reader", person="acct:owner").secret,
            "guest": soul.add_token("agent", person="acct:7").secret,
            "ann": soul.add_token("agent", person="acct:owner", agent="ann").secret,
        }

        async def asked(secret: str, agent: str = "") -> tuple[set[str], str]:
            url = f"http://{PLACE}:{port}/mcp{agent and f'?agent={agent}'}"
            web = httpx2.AsyncClient(headers={"Authorization": f"Bearer {secret}"}, timeout=LIMIT)
            async with web, Client(streamable_http_client(url, http_client=web), mode=mode) as client:
                names = {tool.name for tool in (await client.list_tools()).tools}
                if "write_memory" in names:
                    assert (await call(client, "write_memory", content=f"{len(names)} tools"))["done"]
                else:
                    with pytest.raises(MCPError, match="there is no tool"):
                        await client.call_tool("write_memory", {"content": "no"})
                question = "what is the big tent called, and what is the cat called?"
                return names, str(await call(client, "memory_search", query=question))

        async def run() -> None:
            found = {name: await asked(secret) for name, secret in secrets.items()}
            assert "memory_propose" in found["agent"][0]
            assert found["operator"][0] == found["agent"][0]
            assert not {"review_decide", "review_list"} & found["agent"][0]
            assert not {"write_memory", "memory_correct", "memory_propose"} & found["reader"][0]
            told = {name: {word for word in ("Aurora", "Milo") if word in said} for name, (_, said) in found.items()}
            every = {
                "operator": {"Aurora"},
                "agent": {"Aurora"},
                "reader": {"Aurora"},
                "guest": set[str](),
                "ann": {"Milo"},
            }
            assert told == every
            assert "Milo" in (await asked(secrets["agent"], "ann"))[1]
            with pytest.raises(BaseExceptionGroup) as group:
                await asked(secrets["ann"], "main")
            assert "no agent 'main'" in "".join(format_exception(group.value))

        anyio.run(run)


def test_a_client_whose_token_is_revoked_is_told_of_changes_no_more(tmp_path: Path) -> None:
    with home(tmp_path) as soul, running_server(soul) as port:
        revoked, other = soul.add_token("operator"), soul.add_token("operator")  # two tokens of one person

        async def heard(secret: str, change: Callable[[], object]) -> list[Any]:
            web = httpx2.AsyncClient(headers={"Authorization": f"Bearer {secret}"}, timeout=LIMIT)
            transport = streamable_http_client(f"http://{PLACE}:{port}/mcp", http_client=web)
            connecting = Client(transport, mode=LISTENS)
            async with web, connecting as client, client.listen(resource_subscriptions=[MEMORY]) as events:
                await anyio.to_thread.run_sync(change)
                async for event in events:
                    return [event]
                return []

        async def run() -> None:
            def change() -> None:
                soul.revoke_token(revoked.token.id)
                soul.agent().remember("The cat is called Milo")

            assert await heard(revoked.secret, change) == []
            assert await heard(other.secret, lambda: soul.agent().remember("The dog is called Rex"))

        anyio.run(run)


def test_mcp_stands_behind_the_door(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        assert served.ask("POST", "/mcp", json=START, headers=ACCEPT).status_code == 200
        assert served.ask("POST", "/mcp", "", json=START, headers=ACCEPT).status_code == 401
        assert served.ask("POST", "/mcp", "os_wrong", json=START, headers=ACCEPT).status_code == 401
        assert served.ask("POST", "/mcp", json=START, headers={**ACCEPT, "host": "evil.example"}).status_code == 421
        evil = {**ACCEPT, "origin": "http://evil.example"}
        assert served.ask("POST", "/mcp", json=START, headers=evil).status_code == 403
        assert served.ask("POST", "/mcp", content=b"x" * (11 << 20), headers=ACCEPT).status_code == 413
