"""The MCP server, asked by the SDK's client: every call in both modes, roles, sessions, errors, resources and notices."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourceUpdated
from mcp_types import PromptReference, ResourceTemplateReference

from faces.mcp_clients import MODES, call, command, environment, inside, on_server, on_stdio, refused, web_server
from faces.served import LIMIT
from oldsoul.app import Agent
from oldsoul.errors import Busy, Damaged, Refused, SettingsError, Unavailable, Unwritable
from oldsoul.faces.mcp.documents import desk
from oldsoul.faces.mcp.notices import Notices
from oldsoul.faces.mcp.tools import TOOLS, tools_of
from oldsoul.testing import FrozenClock
from oldsoul.values.callers import Caller, CallerRole
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home
from scale import scaled

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from starlette.requests import Request

    from oldsoul.app import Oldsoul

BOTH = {"memory_search", "memory_get", "write_memory", "memory_context", "memory_correct", "memory_work"}
BOTH |= {"search", "fetch"}
READING = {"memory_search", "memory_get", "memory_context", "search", "fetch"}
OWN = Caller.agent("test", session=Session.dm())
ANN, BEN = Session.dm("acct:ann"), Session.dm("acct:ben")
DEV, OPS, NOWHERE = Session.group("dev"), Session.group("ops"), Session.group("")
MEMORY = "oldsoul://main/MEMORY.md"


@pytest.fixture
def soul(tmp_path: Path) -> Iterator[Oldsoul]:
    with open_home(tmp_path / "home", {}) as opened:
        yield opened


DECIDING = "mcp: {operator: true}\n"


@pytest.fixture
def deciding(tmp_path: Path) -> Iterator[Oldsoul]:
    """A home whose operator lets clients decide."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home/config.yaml").write_text(DECIDING)
    with open_home(tmp_path / "home", {}) as opened:
        yield opened


# every call


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("client_of", [on_stdio, on_server])
def test_the_client_of_the_sdk_makes_every_call_of_an_agent(client_of: Any, mode: Any, tmp_path: Path) -> None:
    async def talk() -> None:
        async with client_of(tmp_path, mode=mode) as client:
            listed = (await client.list_tools()).tools
            assert {tool.name for tool in listed} == BOTH | {"memory_propose"}
            assert client.instructions
            assert await call(client, "write_memory", content="Deploys happen on Tuesdays", tag="decision") == {
                "done": True
            }
            again = await call(client, "write_memory", content="Deploys happen on Tuesdays")
            assert again == {"done": True, "known": True}
            found = await call(client, "memory_search", query="when do we deploy?", maxResults=3.0)
            assert found["answer"] == "found"
            first = found["hits"][0]
            piece = await call(client, "memory_get", path=first["path"], **{"from": first["start_line"]}, lines=1)
            assert "Tuesdays" in piece["text"]
            await call(client, "memory_correct", quote="Deploys happen on Tuesdays", text="Deploys happen on Fridays")
            one = (await call(client, "search", query="deploys"))["results"][0]
            assert one["url"].startswith(f"{MEMORY}#L")
            assert "Fridays" in (await call(client, "fetch", id=one["id"]))["text"]
            assert "Fridays" in (await call(client, "fetch", id="MEMORY.md"))["text"]
            told = await call(client, "memory_context", message="when do we deploy?")
            assert "Fridays" in told["text"]
            assert any(source["document"] == "MEMORY.md" for source in told["sources"])
            assert await call(client, "memory_work") == {"questions": []}
            soul_change = await call(client, "memory_propose", kind="soul", text="Be brief", reason="asked to")
            forget = await call(client, "memory_propose", kind="forget", text="Deploys happen", reason="wrong")
            assert not soul_change["done"]
            assert not forget["done"]
            addresses = {each.uri for each in (await client.list_resources()).resources}
            assert {MEMORY, "oldsoul://main/SOUL.md"} <= addresses
            for address in addresses:
                assert (await client.read_resource(address)).contents
            template = (await client.list_resource_templates()).resource_templates[0]
            assert template.uri_template == "oldsoul://main/{+path}"
            assert [prompt.name for prompt in (await client.list_prompts()).prompts] == ["session_start"]
            started: Any = await client.get_prompt("session_start", {"message": "when do we deploy?"})
            assert "Fridays" in started.messages[0].content.text
            assert started.messages[0].content.text.endswith("when do we deploy?")

    asyncio.run(talk())


@pytest.mark.parametrize("mode", MODES)
def test_an_operator_lists_and_decides_proposals_where_a_setting_says_so(mode: Any, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(DECIDING)
    with open_home(tmp_path, {}) as soul:
        agent = soul.agent("main", caller=OWN)
        for line in ("Be brief", "Be loud"):
            wanted = {"text": line, "reason": "asked to"}
            agent.call_tool("propose_soul_change", wanted, session=Session.dm())

    async def talk() -> None:
        async with on_stdio(tmp_path, "--role", "operator", mode=mode) as client:
            assert {tool.name for tool in (await client.list_tools()).tools} == BOTH | {"review_list", "review_decide"}
            waiting = await call(client, "review_list")
            assert waiting["total"] == 2
            brief, loud = waiting["proposals"]
            assert "+- Be brief" in brief["diff"]
            done = await call(client, "review_decide", id=brief["id"], decision="approve")
            assert done["state"] == "approved"
            assert "SOUL.md" in done["files"]
            await call(client, "review_decide", id=loud["id"], decision="reject", why="no")
            assert (await call(client, "review_list"))["total"] == 0
            assert (await call(client, "review_list", state="rejected", limit=1))["proposals"][0]["note"] == "no"
            assert "no proposal" in await refused(client, "review_decide", id="zzz", decision="approve")

    asyncio.run(talk())
    with open_home(tmp_path, {}) as soul:
        assert "Be brief" in (soul.agent().files.load_soul() or "")
        assert "Be loud" not in (soul.agent().files.load_soul() or "")
        made = soul.agent().files.history("SOUL.md")[0]
        assert made.notes["approved_by"] == "operator:acct:owner"


def test_over_mcp_an_operator_is_an_agent_who_decides_nothing(soul: Oldsoul, tmp_path: Path) -> None:
    soul.agent().remember("The cat is called Mia")

    async def talk() -> None:
        async with inside(soul, Caller.operator("acct:owner")) as client:
            assert {tool.name for tool in (await client.list_tools()).tools} == {*tools_of(CallerRole.AGENT)}
            for name in tools_of(CallerRole.OPERATOR).keys() - tools_of(CallerRole.AGENT).keys():
                with pytest.raises(MCPError, match="there is no tool"):
                    await client.call_tool(name, {})
            found = await call(client, "memory_search", query="what is the cat called?")
            assert "Mia" in json.dumps(found)
            made = await call(client, "memory_correct", quote="The cat is called Mia", text="The cat is called Tom")
            assert not made["done"]

    asyncio.run(talk())
    assert [each.state for each in soul.agent().review.proposals("")] == ["open"]
    made = subprocess.run(command(tmp_path / "home", "--role", "operator"), capture_output=True, check=False)
    assert (made.returncode, b"mcp.operator" in made.stderr) == (2, True)


def test_keepers_ask_the_connected_model_and_take_its_answer(soul: Oldsoul) -> None:
    agent = soul.agent()
    agent.hear("Please remember that the staging server is called Juno", session=Session.dm())
    agent.hear("We should also think about moving it next spring", session=Session.dm())
    agent.talk.end(Session.dm())

    async def talk() -> None:
        async with inside(soul, OWN) as client:
            asked = (await call(client, "memory_work", limit=5))["questions"]
            assert asked
            assert asked[0]["schema"]
            assert "together" in await refused(client, "memory_work", id=asked[0]["id"])
            assert await refused(client, "memory_work", id=asked[0]["id"], answer="this is no answer")
            assert "waits" in await refused(client, "memory_work", id="nothing-1", answer={})

    asyncio.run(talk())


# roles and sessions


@pytest.mark.parametrize("role", CallerRole)
def test_each_role_has_its_tools_and_at_most_ten(role: CallerRole) -> None:
    more = {
        CallerRole.OPERATOR: BOTH | {"review_list", "review_decide"},
        CallerRole.AGENT: BOTH | {"memory_propose"},
        CallerRole.READER: READING,
    }
    assert {*tools_of(role)} == more[role]
    assert len(more[role]) <= 10


@pytest.mark.parametrize("role", CallerRole)
def test_a_role_cannot_call_the_tool_of_another(role: CallerRole, deciding: Oldsoul) -> None:
    session = None if role is CallerRole.OPERATOR else Session.dm()

    async def talk() -> None:
        async with inside(deciding, Caller(role, "acct:owner", session)) as client:
            for tool in TOOLS:
                if not tool.is_for(role):
                    with pytest.raises(MCPError, match="there is no tool"):
                        await client.call_tool(tool.name, {})

    asyncio.run(talk())


def test_every_tool_says_whether_it_changes_something(deciding: Oldsoul) -> None:
    async def talk() -> None:
        async with inside(deciding, Caller.operator("acct:owner")) as client:
            for tool in (await client.list_tools()).tools:
                assert tool.annotations is not None
                writes = {"write_memory", "memory_correct", "memory_work", "review_decide"}
                assert tool.annotations.read_only_hint == (tool.name not in writes)
                assert tool.annotations.open_world_hint is False
                assert tool.output_schema

    asyncio.run(talk())


WORDS = {
    "owner": "quincebush",
    "person:acct:ann": "marigoldleaf",
    "person:acct:ben": "thistledown",
    "room:dev": "larkspurseed",
    "room:ops": "foxglovebell",
}
SEEN = {
    Session.dm(): {"owner", "room:dev", "room:ops"},
    ANN: {"person:acct:ann"},
    BEN: {"person:acct:ben"},
    DEV: {"room:dev"},
    OPS: {"room:ops"},
    NOWHERE: set[str](),
}


SAID = {"owner": Session.dm(), "person:acct:ann": ANN, "person:acct:ben": BEN, "room:dev": DEV, "room:ops": OPS}


def filled(soul: Oldsoul, *audiences: str) -> None:
    """Each word is said where only its audience hears it: in memory, in the log of the day, and in a conversation."""
    for audience in audiences:
        session = SAID[audience]
        agent = soul.agent("main", caller=Caller.agent("main", session=session))
        for target in ("memory", "daily"):
            text = f"The plant in {target} is called {WORDS[audience]}"
            assert "error" not in json.loads(
                agent.call_tool("write_memory", {"content": text, "target": target}, session=session)
            )
        agent.hear(f"Please remember that my flower is called {WORDS[audience]}", session=session)
        agent.talk.end(session)


async def everything(client: Client) -> str:
    """All that a client gets to see, by every way there is."""
    seen: list[str] = []
    for query in ("what is the plant called?", "my flower", *WORDS.values()):
        for name in ("memory_search", "search"):
            made = await call(client, name, query=query)
            seen.append(json.dumps(made))
            ids = [one["id"] for one in made["results"]] if name == "search" else []
            seen += [json.dumps(await call(client, "fetch", id=each)) for each in ids]
        seen.append(json.dumps(await call(client, "memory_context", message=query)))
        made_prompt: Any = await client.get_prompt("session_start", {"message": "what is the plant called?"})
        seen.append(made_prompt.messages[0].content.text)
    for resource in (await client.list_resources()).resources:
        got: Any = await client.read_resource(resource.uri)
        seen += [resource.uri, got.contents[0].text]
    if "memory_work" in {tool.name for tool in (await client.list_tools()).tools}:
        made_work: Any = await client.call_tool("memory_work", {"limit": 20})  # refused where nothing can be added
        seen.append(made_work.content[0].text)
    for path in PATHS:
        made_piece: Any = await client.call_tool("memory_get", {"path": path})
        seen.append(made_piece.content[0].text)
    return "\n".join(seen)


PATHS = (
    "MEMORY.md",
    "rooms/dev.md",
    "rooms/ops.md",
    "memory/2026-02-04.md",
    "memory/_longterms/acct_ann/_index.md",
    "memory/_longterms/acct_ben/_index.md",
    "memory/_longterms/acct_ann/profile.md",
    "memory/_longterms/acct_ben/profile.md",
    "CONFLICTS.md",
)


def test_a_client_sees_the_words_of_its_session_and_no_others(tmp_path: Path) -> None:
    clock = FrozenClock(datetime(2026, 2, 4, 12, tzinfo=UTC))
    with open_home(tmp_path / "home", {}, clock) as soul:
        filled(soul, *SAID)

        async def talk() -> None:
            for session, audiences in SEEN.items():
                makes = Caller.reader if session in (ANN, OPS) else Caller.agent
                async with inside(soul, makes("test", session=session)) as client:
                    # What a client asks for stands in no answer, so that every word in one comes from memory.
                    shown = await everything(client)
                    for audience, word in WORDS.items():
                        assert (f"called {word}" in shown) == (audience in audiences), (session.id, audience)

        asyncio.run(talk())


def test_what_others_say_changes_nothing_that_a_room_gets(tmp_path: Path) -> None:
    with open_home(tmp_path / "home", {}, FrozenClock(datetime(2026, 2, 4, 12, tzinfo=UTC))) as soul:

        async def shown() -> str:
            async with inside(soul, Caller.reader("test", session=DEV)) as client:
                return await everything(client)

        filled(soul, "room:dev")
        before = asyncio.run(shown())
        filled(soul, "owner", "person:acct:ann", "room:ops")
        assert asyncio.run(shown()) == before


def test_a_caller_without_a_session_sees_what_is_public(soul: Oldsoul) -> None:
    soul.agent().remember("The plant is called quincebush")

    async def talk() -> None:
        async with inside(soul, Caller.agent("test", session=None)) as client:
            assert "called quincebush" not in await everything(client)

    asyncio.run(talk())


def test_what_an_operator_writes_by_tools_is_written_by_the_agent(deciding: Oldsoul) -> None:
    soul = deciding
    soul.agent().remember("The cat is called Mia")

    async def talk() -> None:
        async with inside(soul, Caller.operator("acct:owner")) as client:
            await call(client, "write_memory", content="It rained on Sunday")
            made = await call(client, "memory_correct", quote="The cat is called Mia", text="The cat is called Tom")
            assert not made["done"]
            await call(client, "review_decide", id=made["proposal"], decision="approve")

    asyncio.run(talk())
    approved, written = soul.agent().files.history("MEMORY.md")[:2]
    assert str(written.author) == "agent:main"
    assert approved.notes["approved_by"] == "operator:acct:owner"
    assert b"Tom" in (soul.agent().files.show("MEMORY.md").data or b"")


@pytest.mark.parametrize("session", ["group:dev", "dm:ann"])
def test_an_operator_cannot_look_through_the_session_of_others(session: str, tmp_path: Path) -> None:
    made = subprocess.run(
        command(tmp_path, "--as", session, "--role", "operator"),
        env=environment(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 2
    assert "--as dm only" in made.stderr
    assert made.stdout == ""


def test_each_operator_acts_in_their_own_session(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("operators: [acct:owner, acct:eve]\n")
    with open_home(tmp_path, {}) as soul:
        for subject, own in (("acct:eve", "acct:eve"), ("acct:owner", "acct:owner"), ("laptop", "acct:owner")):
            assert desk(soul, Caller.operator(subject)).session == Session.dm(own)


def test_without_its_package_the_command_says_what_to_install(tmp_path: Path) -> None:
    code = "import sys; sys.modules['mcp'] = None; from oldsoul.faces.cli import main; main()"
    made = subprocess.run(
        [sys.executable, "-c", code, "--home", str(tmp_path), "mcp"],
        env=environment(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 1
    assert "pip install 'oldsoul[mcp]'" in made.stderr
    assert made.stdout == ""


# errors

WRONG: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("memory_search", {}, "query is missing; it takes query, maxResults, minScore"),
    ("memory_search", {"query": 5}, "query has to be a text"),
    ("memory_search", {"query": "cat", "maxResults": 0}, "maxResults has to be from 1 to 100"),
    ("memory_search", {"query": "cat", "maxResults": 2.5}, "maxResults has to be a whole number"),
    ("memory_search", {"query": "cat", "minScore": True}, "minScore has to be a number"),
    ("memory_search", {"query": "cat", "more": 1}, "unknown parameter 'more'"),
    ("memory_get", {"path": "../../etc/passwd"}, "is not a valid file name"),
    ("memory_get", {"path": "NOTHING.md"}, "there is nothing to read"),
    ("memory_get", {"path": "MEMORY.md", "from": 0}, "from has to be at least 1"),
    ("write_memory", {"content": " "}, "give the text to write"),
    ("write_memory", {"content": "x", "target": "soul"}, "target has to be one of memory, daily"),
    ("write_memory", {"content": "x" * 20_000}, "more than its limit"),
    ("memory_correct", {"quote": "nobody said this", "text": "x"}, "no entry"),
    ("memory_work", {"limit": 21}, "limit has to be from 1 to 20"),
    ("memory_work", {"id": "x", "answer": 5}, "answer has to be an object or a text"),
    ("memory_propose", {"kind": "soul", "text": "x"}, "reason is missing"),
    ("memory_propose", {"kind": "user", "text": "x", "reason": "y"}, "kind has to be one of soul, forget"),
    ("memory_propose", {"kind": "forget", "text": "x", "reason": "y", "section": "z"}, "section goes with"),
    ("fetch", {"id": "MEMORY.md#L9-L3"}, "lines"),
    ("fetch", {"id": ""}, "give an id"),
    ("fetch", {"id": "chat/nothing#L1"}, "there is nothing to read"),
)


def test_wrong_arguments_get_one_line_that_says_what_to_give(soul: Oldsoul) -> None:
    async def talk() -> None:
        async with inside(soul, OWN) as client:
            for name, arguments, told in WRONG:
                assert told in await refused(client, name, **arguments), (name, arguments)

    asyncio.run(talk())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    tool = draw(st.sampled_from(TOOLS))
    names = st.sampled_from([*tool.parameters["properties"], "other"])
    return tool.name, draw(st.dictionaries(names, JSON, max_size=4))


@settings(max_examples=scaled(6, 60))
@given(st.lists(calls(), min_size=1, max_size=40))
def test_whatever_a_model_gives_it_gets_a_result_or_one_line(
    tmp_path_factory: pytest.TempPathFactory, made: list[tuple[str, dict[str, Any]]]
) -> None:
    async def talk(soul: Oldsoul) -> None:
        async with inside(soul, Caller.operator("acct:owner")) as client:
            for name, arguments in made:
                try:
                    result: Any = await client.call_tool(name, arguments)
                except MCPError as error:
                    assert error.code == -32602, error  # noqa: PT017 - a tool of another role
                    continue
                assert result.structured_content if not result.is_error else "\n" not in result.content[0].text

    with open_home(tmp_path_factory.mktemp("fuzz"), {}) as soul:
        asyncio.run(talk(soul))


@pytest.mark.parametrize("makes", [lambda: OWN, lambda: Caller.operator("acct:owner")])
@pytest.mark.parametrize(
    "error",
    [
        Busy("workspace /srv/secret is held"),
        Unavailable("http://secret.example does not answer"),
        Unwritable("/srv/secret is full"),
        Damaged("/srv/secret/ledger.db is damaged"),
        SettingsError("/srv/secret/config.yaml: wrong"),
        OSError(5, "Input/output error", "/srv/secret"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_servers_and_folders_are_told_to_the_operator_alone(
    makes: Any, error: Exception, deciding: Oldsoul, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise error

    caller = makes()
    monkeypatch.setattr(Agent, "context", fail)

    async def talk() -> None:
        async with inside(deciding, caller) as client:
            told = await refused(client, "memory_context")
            assert ("secret" in told) == (caller.role is CallerRole.OPERATOR)
            with pytest.raises(MCPError) as raised:
                await client.get_prompt("session_start")
            assert ("secret" in str(raised.value)) == (caller.role is CallerRole.OPERATOR)

    asyncio.run(talk())


def test_what_is_turned_off_is_refused_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("memory:\n  enabled: false\n")

    async def talk(soul: Oldsoul) -> None:
        async with inside(soul, OWN) as client:
            assert "turned off" in await refused(client, "memory_search", query="cat")
            assert "turned off" in await refused(client, "write_memory", content="x")
            assert (await client.list_tools()).tools

    with open_home(tmp_path, {}) as soul:
        asyncio.run(talk(soul))


# resources

ODD = (
    "oldsoul://main/../../etc/passwd",
    "oldsoul://main/%2e%2e/%2e%2e/etc/passwd",
    "oldsoul://main//etc/passwd",
    "oldsoul://main/memory/..%2f..%2fSOUL.md",
    "oldsoul://main/MEMORY.md%00",
    "oldsoul://main/CON.md",
    "oldsoul://main/",
    "oldsoul://main/config.yaml",
    "oldsoul://main/CONFIG.md",
    "oldsoul://main/link.md",
    "oldsoul://other/MEMORY.md",
    "file:///etc/passwd",
    "",
)


def test_no_address_leads_out_of_the_workspace(soul: Oldsoul, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("- the treasure is here\n")
    (tmp_path / "home/workspace/main/link.md").symlink_to(outside)

    async def talk() -> None:
        async with inside(soul, OWN) as client:
            for uri in ODD:
                with pytest.raises(MCPError):
                    await client.read_resource(uri)
                assert "treasure" not in await refused(client, "fetch", id=uri.removeprefix("oldsoul://main/"))

    asyncio.run(talk())


def test_a_long_list_of_resources_comes_in_pages(soul: Oldsoul, tmp_path: Path) -> None:
    notes = tmp_path / "home/workspace/main/notes"
    notes.mkdir()
    for number in range(230):
        (notes / f"ä note {number:03}.md").write_text(f"- the number is {number}\n")

    async def talk() -> None:
        async with inside(soul, OWN) as client:
            found: list[str] = []
            cursor = None
            for _ in range(5):
                page = await client.list_resources(cursor=cursor)
                assert len(page.resources) <= 100
                found += [each.uri for each in page.resources]
                cursor = page.next_cursor
                if cursor is None:
                    break
            assert cursor is None
            assert len(found) == len({*found})
            own = [uri for uri in found if "/notes/" in uri]
            assert len(own) == 230
            got: Any = await client.read_resource(own[7])
            assert got.contents[0].text == "- the number is 7"
            for wrong in ("x", "-1", "9" * 20):
                with pytest.raises(MCPError, match="cursor"):
                    await client.list_resources(cursor=wrong)

    asyncio.run(talk())


def test_the_paths_of_files_are_completed(soul: Oldsoul) -> None:
    soul.agent().talk.append_daily_log("It rained")

    async def talk() -> None:
        async with inside(soul, OWN) as client:
            template = ResourceTemplateReference(uri="oldsoul://main/{+path}")
            for begun, found in (
                ("MEM", ["MEMORY.md"]),
                ("memory/", [soul.agent().talk.days()[0].name.path]),
                ("x", []),
            ):
                made = await client.complete(template, {"name": "path", "value": begun})
                assert made.completion.values == found
            prompt = PromptReference(name="session_start")
            assert not (await client.complete(prompt, {"name": "message", "value": "M"})).completion.values

    asyncio.run(talk())


# notices


def test_nobody_follows_what_no_client_wants_any_more(soul: Oldsoul) -> None:
    async def talk() -> None:
        notices, at = Notices(soul, lambda: False), desk(soul, OWN)
        async with notices.following(at, [MEMORY]), notices.following(at, [MEMORY, "oldsoul://main/USER.md"]):
            assert len(notices._followers) == 1
        assert not notices._followers

    asyncio.run(talk())


def test_a_client_is_told_of_what_changed_and_may_be_seen(soul: Oldsoul) -> None:
    room = "oldsoul://main/rooms/dev.md"
    seen: dict[str, list[Any]] = {"own": [], "dev": []}

    async def listened(name: str, caller: Caller, ready: asyncio.Event, last: str) -> None:
        async with (
            inside(soul, caller) as client,
            client.listen(resources_list_changed=True, resource_subscriptions=[MEMORY, room]) as events,
        ):
            ready.set()
            async for event in events:
                seen[name].append(event)
                if event == ResourceUpdated(last):
                    return

    def write(session: Session, text: str) -> None:
        agent = soul.agent("main", caller=Caller.agent("main", session=session))
        agent.call_tool("write_memory", {"content": text}, session=session)

    async def talk() -> None:
        ready = [asyncio.Event(), asyncio.Event()]
        dev = Caller.agent("dev", session=DEV)
        own = asyncio.create_task(listened("own", OWN, ready[0], room))
        group = asyncio.create_task(listened("dev", dev, ready[1], room))
        for each in ready:
            await each.wait()
        await asyncio.to_thread(write, Session.dm(), "The plant is called quincebush")
        await asyncio.to_thread(write, DEV, "The plant is called larkspurseed")
        await asyncio.wait_for(asyncio.gather(own, group), 300)

    asyncio.run(talk())
    assert ResourceUpdated(MEMORY) in seen["own"]
    assert ResourceUpdated(room) in seen["own"]
    assert ResourceUpdated(MEMORY) not in seen["dev"]


def test_an_edit_by_hand_is_a_change_too(soul: Oldsoul, tmp_path: Path) -> None:
    async def talk() -> None:
        odd = [MEMORY, *ODD]  # addresses that lead nowhere disturb nobody
        async with inside(soul, OWN) as client, client.listen(resource_subscriptions=odd) as events:
            path = tmp_path / "home/workspace/main/MEMORY.md"
            path.write_text(f"{path.read_text()}- typed by hand\n")
            async for event in events:
                assert event == ResourceUpdated(MEMORY)
                break
            got: Any = await client.read_resource(MEMORY)
            assert "typed by hand" in got.contents[0].text

    asyncio.run(asyncio.wait_for(talk(), 300))


@pytest.mark.filterwarnings("ignore:resources/")  # the client warns that newer ones do it otherwise
def test_a_client_of_the_older_protocol_subscribes_and_is_told(tmp_path: Path) -> None:
    told: list[str] = []

    async def talk() -> None:
        came = asyncio.Event()

        async def hear(message: Any) -> None:
            told.append(getattr(message, "method", ""))
            if len({*told} & {"notifications/resources/updated", "notifications/resources/list_changed"}) == 2:
                came.set()

        async with on_stdio(tmp_path, mode="legacy", message_handler=hear) as client:
            await client.list_resources()
            await client.subscribe_resource(MEMORY)
            await call(client, "write_memory", content="Deploys happen on Tuesdays")
            await call(client, "write_memory", content="It rained", target="daily")
            await asyncio.wait_for(came.wait(), 300)
            await client.unsubscribe_resource(MEMORY)

    asyncio.run(talk())


def test_too_many_resources_cannot_be_followed(soul: Oldsoul) -> None:
    async def talk() -> None:
        async with inside(soul, OWN) as client:
            with pytest.raises(MCPError, match="at most 1000"):
                async with client.listen(resource_subscriptions=[f"{MEMORY}{n}" for n in range(1001)]):
                    pass

    asyncio.run(talk())


# over HTTP


@pytest.mark.parametrize("mode", MODES)
def test_over_http_each_request_has_the_caller_of_its_token(mode: Any, soul: Oldsoul) -> None:
    soul.agent().remember("The plant is called quincebush")
    callers = {
        "own": OWN,
        "dev": Caller.agent("dev", session=DEV),
        "boss": Caller.operator("acct:owner"),
        "eye": Caller.reader("eye", session=Session.dm()),
    }

    def caller_of(request: Request) -> Caller:
        name = str(request.headers.get("authorization", ""))
        if name not in callers:
            raise Refused("no valid token")
        return callers[name]

    async def talk(url: str) -> None:
        for name, caller in callers.items():
            web = httpx2.AsyncClient(headers={"Authorization": name}, timeout=LIMIT)
            async with web, Client(streamable_http_client(url, http_client=web), mode=mode) as client:
                role = CallerRole.AGENT if caller.role is CallerRole.OPERATOR else caller.role
                assert {tool.name for tool in (await client.list_tools()).tools} == {*tools_of(role)}
                found = await call(client, "memory_search", query="what is the plant called?")
                assert ("quincebush" in json.dumps(found)) == (name != "dev")

        with pytest.raises(BaseExceptionGroup) as raised:
            async with Client(url, mode=mode) as client:
                await client.list_tools()
        assert raised.group_contains(MCPError, match="no valid token")

    with web_server(soul, caller_of) as url:
        asyncio.run(talk(url))


def test_over_http_a_client_is_told_of_changes(soul: Oldsoul) -> None:
    async def talk(url: str) -> None:
        async with Client(url, mode="2026-07-28") as client, client.listen(resource_subscriptions=[MEMORY]) as events:
            await asyncio.to_thread(soul.agent().remember, "The plant is called quincebush")
            async for event in events:
                assert event == ResourceUpdated(MEMORY)
                break

    with web_server(soul, lambda _: OWN) as url:
        asyncio.run(asyncio.wait_for(talk(url), 300))


def test_a_server_that_stops_lets_go_of_those_who_listen(soul: Oldsoul) -> None:
    async def talk() -> None:
        running = web_server(soul, lambda _: OWN)
        async with (
            Client(running.__enter__()) as client,
            client.listen(resource_subscriptions=[MEMORY]) as events,
        ):
            stopped = asyncio.create_task(asyncio.to_thread(running.__exit__, None, None, None))
            assert [event async for event in events] == []
            await stopped

    asyncio.run(asyncio.wait_for(talk(), 300))
