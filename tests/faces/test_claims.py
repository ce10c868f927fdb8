"""What a token may claim: of the conversation it speaks in, and of who speaks; at every endpoint that asks for it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from faces.served import serving
from faces.test_routes import DOCUMENT, example
from oldsoul.faces.http.door import ServerLimits
from oldsoul.faces.http.routes.given import CLAIMS
from oldsoul.values.callers import CallerRole
from oldsoul.values.messages import Wanted
from oldsoul.values.sessions import Session, SessionKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from faces.served import Served

DOCS = (Path(__file__).parents[2] / "docs/reference/http.md").read_text("utf-8")
FOREIGN: tuple[dict[str, str], ...] = (
    {"kind": "cron", "id": "x"},
    {"kind": "team", "id": "x"},
    {"kind": "subagent", "id": "x"},
    {"kind": "group", "id": "x"},
    {"kind": "group", "room": "board"},
    {"room": "board"},
    {"room": "board", "subject": "acct:ann"},
    {"kind": "dm", "subject": "acct:ben"},
    {"subject": "acct:owner"},
    {"subject": "ext:telegram:7"},
    {"kind": "dm", "room": "board"},
)
"""Conversations that are not Ann's."""
FIELDS = {"kind", "room", "subject"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("claims"), limits=ServerLimits(at_once=100_000)) as made:
        agent = made.soul.agent("main")
        for session in (Session.dm(), Session.dm("acct:ben"), Session.group("board")):
            agent.hear("The safe is behind the mirror", session=session, sender="Zebulon")
        yield made


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        return resolved(DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    return schema


def asking() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Every endpoint that is told of a conversation, with the way to where its body or query says so."""
    for path, operations in DOCUMENT["paths"].items():
        for method, operation in operations.items():
            if {each["name"] for each in operation.get("parameters", ()) if each["in"] == "query"} >= FIELDS:
                yield method, path, ("query",)
            content = operation.get("requestBody", {}).get("content", {}).get("application/json")
            body = resolved(content["schema"]).get("properties", {}) if content else {}
            if set(body) >= FIELDS:
                yield method, path, ()
            yield from ((method, path, (name,)) for name, each in body.items() if _is_session(each))


def _is_session(schema: dict[str, Any]) -> bool:
    parts = [schema, *schema.get("anyOf", ()), *schema.get("allOf", ())]
    return any(set(resolved(each).get("properties", {})) >= FIELDS for each in parts)


def test_the_endpoints_that_are_told_of_a_conversation_are_found() -> None:
    found = {path.rpartition("/")[2] for _, path, _ in asking()}
    assert {"messages", "chat", "stream", "search", "context", "prompt"} <= found


def said(served: Served) -> list[str]:
    return [repr(message) for message in served.soul.agent("main").talk.messages(Wanted(limit=1000))]


@pytest.mark.parametrize("role", [CallerRole.AGENT, CallerRole.READER])
def test_the_token_of_a_person_claims_no_other_conversation_and_no_other_speaker(
    role: CallerRole, served: Served
) -> None:
    secret = served.soul.add_token(role, person="acct:ann").secret
    before = said(served)
    for method, path, where in asking():
        place, more = example(method, path)
        place = place.replace("dm:acct:owner", "mine")
        for given in FOREIGN:
            if path.endswith("/messages") and given == {"kind": "dm", "room": "board"}:
                continue
            asked = {**more, "params": {**more["params"], **(given if where == ("query",) else {})}}
            if where != ("query",):
                own = {name: one for name, one in given.items() if name != "id"} if not where else given
                asked["json"] = {**more["json"], **({where[0]: given} if where else own)}
            answer = served.ask(method.upper(), place, secret, **asked)
            assert answer.status_code == 403, (role, method, path, given, answer.text)
    assert said(served) == before


def test_only_operators_give_messages_a_name(served: Served) -> None:
    guest = served.soul.add_token("agent", person="acct:ann").secret
    named = {"text": "hello", "sender": "Zebulon"}
    before = said(served)
    for place in ("sessions/mine/messages", "chat", "chat/stream"):
        assert served.ask("POST", f"/api/agents/main/{place}", guest, json=named).status_code == 403
    assert said(served) == before
    made = served.ask("POST", "/api/agents/main/sessions/mine/messages", json=named)
    assert (made.status_code, made.json()["sender"]) == (201, "Zebulon")


def test_the_docs_say_what_a_token_may_claim() -> None:
    rows = {row[0]: row[1:] for row in re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \|$", DOCS, re.MULTILINE)}
    assert {"kind", "room", "subject", "sender"} <= set(rows)
    personal = CLAIMS[CallerRole.AGENT]
    assert CLAIMS[CallerRole.READER] == personal
    assert {kind for kind in SessionKind if f"`{kind}`" in rows["kind"][1]} == set(personal.kinds)
    assert CLAIMS[CallerRole.OPERATOR].kinds == set(SessionKind)
