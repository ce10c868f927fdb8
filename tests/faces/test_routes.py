"""Every endpoint, asked with every kind of token: 401, 403, 404 or an answer, as the table in docs/reference/http.md says."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from fastapi.routing import APIRoute
from pydantic import TypeAdapter, ValidationError

from faces.served import serving
from oldsoul.faces.http import login
from oldsoul.faces.http.app import api
from oldsoul.faces.http.door import ServerLimits
from oldsoul.faces.http.routes import routers
from oldsoul.faces.http.routes.given import TEXT, Text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from faces.served import Served

DOCS = (Path(__file__).parents[2] / "docs/reference/http.md").read_text("utf-8")
TABLE = dict(re.findall(r"^\| `([A-Z]+ /\S*)` \| (\w+) \|$", DOCS, re.MULTILINE))
DOCUMENT = api().openapi()
CHANGES_OF_SCOUT = 3
"""So many changes there are at first, and none of them is of another agent."""
LET_IN = 200
"""Stands for whatever is said to who is let in."""


class Kind(NamedTuple):
    """A kind of token."""

    role: str
    person: str = "acct:owner"
    agent: str = ""

    @property
    def rights(self) -> set[str]:
        """What it has of what the table says is needed."""
        found = {"nothing", "token", "see"}
        found |= {"inspect"} if self.person == "acct:owner" else set()
        found |= {"browse"} if self.role in ("operator", "reader") else set()
        found |= {"tell"} if self.role in ("operator", "agent") else set()
        found |= {"decide"} if self.role == "operator" else set()
        return found | ({"home"} if self.role == "operator" and not self.agent else set())


KINDS = {
    "operator": Kind("operator"),
    "operator of main": Kind("operator", agent="main"),
    "operator of scout": Kind("operator", agent="scout"),
    "agent of the owner": Kind("agent"),
    "agent of Ann": Kind("agent", "acct:ann"),
    "agent of Ann for scout": Kind("agent", "acct:ann", "scout"),
    "reader of the owner": Kind("reader"),
    "reader of Ann": Kind("reader", "acct:ann"),
    "reader of Ann for scout": Kind("reader", "acct:ann", "scout"),
}
NOT_VALID = ("none", "wrong", "expired", "revoked")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    config = "agents: {list: [{id: main}, {id: scout}]}\nteams: {crew: {members: [main]}}\n"
    with serving(tmp_path_factory.mktemp("routes"), config, limits=ServerLimits(at_once=100_000)) as made:
        for number in range(CHANGES_OF_SCOUT):
            made.soul.agent("scout").remember(f"the secret plan has part {number}")
        del made.client.headers["authorization"]
        yield made


@pytest.fixture(scope="module")
def secrets(served: Served) -> dict[str, str]:
    soul = served.soul
    found = {
        name: soul.add_token(kind.role, person=kind.person, agent=kind.agent).secret for name, kind in KINDS.items()
    }
    soon = datetime(2026, 2, 4, 12, 1, tzinfo=UTC)
    found |= {"none": "", "wrong": "os_wrong", "expired": soul.add_token("operator", expires=soon).secret}
    revoked = soul.add_token("operator")
    soul.revoke_token(revoked.token.id)
    soul._home.world.clock.advance(timedelta(minutes=2))  # type: ignore[attr-defined]
    return {**found, "revoked": revoked.secret}


def endpoints() -> list[str]:
    routes = [each for router in (login.router, *routers()) for each in router.routes if isinstance(each, APIRoute)]
    shown = [route for route in routes if route.include_in_schema]
    found = [f"{method} {route.path_format}" for route in shown for method in sorted(route.methods or ())]
    return ["GET /", *found]


def expected(kind: Kind, needs: str, path: str) -> int:
    if needs == "nothing":
        return LET_IN
    if re.search(r"\{(agent_name|name|agent)\}", path) and kind.agent not in ("", "main"):
        return 404
    return LET_IN if needs in kind.rights else 403


def test_the_table_has_a_row_for_each_endpoint() -> None:
    assert sorted(TABLE) == sorted(endpoints())


@pytest.mark.parametrize("endpoint", [*TABLE])
def test_an_endpoint_answers_each_token_as_the_table_says(
    endpoint: str, served: Served, secrets: dict[str, str]
) -> None:
    method, path = endpoint.split(" ")
    place, more = example(method.lower(), path)
    for name in (*KINDS, *NOT_VALID):
        wanted = expected(KINDS[name], TABLE[endpoint], path) if name in KINDS else 401
        headers = {"authorization": f"Bearer {secrets[name]}"} if secrets[name] else {}
        headers |= {"last-event-id": "none", "if-match": "*"}  # a stream does not end by itself: it does not begin
        answer = served.client.request(method, place, headers=headers, **more)
        served.client.cookies.clear()
        found = answer.status_code
        if TABLE[endpoint] == "nothing":
            # the dashboard's page, or that nobody has built it; a code that is none
            assert found in (200, 404) or answer.json()["code"] == "no_code", (endpoint, name)
            continue
        if wanted == LET_IN:
            assert found not in (401, 403), (endpoint, name, answer.text)
            assert found < 500, (endpoint, name, answer.text)
            assert not (found == 422 and answer.json()["code"] == "invalid"), (endpoint, answer.text)
        else:
            assert found == wanted, (endpoint, name, answer.text)


ELSEWHERE = ("scout", "crew", "the secret plan", "acct:zoe", "acct:ann")


@pytest.mark.parametrize("endpoint", [each for each in TABLE if each != "GET /"])
def test_that_something_does_not_exist_tells_nothing_of_what_else_does(
    endpoint: str, served: Served, secrets: dict[str, str]
) -> None:
    method, path = endpoint.split(" ")
    place, more = example(method.lower(), path)
    parameters = DOCUMENT["paths"][path][method.lower()].get("parameters", ())
    queries = {each["name"]: "nobody" for each in parameters if each["in"] == "query" and "agent" in each["name"]}
    unknown = re.sub(r"\{(agent_name|name|agent)\}", "nobody", path)
    others = re.sub(r"\{number\}", str(CHANGES_OF_SCOUT), path).replace("{name}", "main")
    headers = {"last-event-id": "none", "if-match": "*"}
    for name in KINDS:
        headers["authorization"] = f"Bearer {secrets[name]}"
        for asked in (place, unknown, *((others,) if "{" not in others and name != "operator" else ())):
            if "{" in asked:
                continue
            given = {**more, "params": {**more.get("params", {}), **queries}}
            answer = served.client.request(method, asked, headers=headers, **given)
            served.client.cookies.clear()
            if answer.status_code == 404:
                assert not [each for each in ELSEWHERE if each in answer.text], (asked, name, answer.text)


# requests made of the OpenAPI document


def example(method: str, path: str) -> tuple[str, dict[str, Any]]:
    """A request that an endpoint understands: its path, and its body."""
    operation = DOCUMENT["paths"].get(path, {}).get(method, {})
    query: dict[str, Any] = {}
    place = path
    for parameter in operation.get("parameters", ()):
        value = value_of({"examples": ["main"], **parameter["schema"]} if _is_agent(parameter) else parameter["schema"])
        value = parameter.get("example", value)
        if parameter["in"] == "path":
            place = place.replace(f"{{{parameter['name']}}}", str(value))
        elif parameter["in"] == "query" and parameter.get("required"):
            query[parameter["name"]] = value
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    return place, {"params": query, **({"json": value_of(content["schema"])} if content else {})}


def _is_agent(parameter: dict[str, Any]) -> bool:
    return parameter["in"] == "path" and parameter["name"] in ("agent_name", "name", "agent")


def value_of(schema: dict[str, Any]) -> Any:
    """A value that fits a schema."""
    if "$ref" in schema:
        return value_of(DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    if schema.get("examples"):
        return schema["examples"][0]
    for key in ("example", "default", "const"):
        if key in schema:
            return schema[key]
    if schema.get("enum"):
        return schema["enum"][0]
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return value_of(schema[key][0])
    if schema.get("type") == "object":
        needed = schema.get("required", ())
        return {name: value_of(each) for name, each in schema.get("properties", {}).items() if name in needed}
    if schema.get("type") == "array":
        return [value_of(schema["items"])] * schema.get("minItems", 0)
    formats = {"date": "2026-02-04", "date-time": "2026-02-04T12:00:00Z"}
    plain = {"integer": schema.get("minimum", 1), "number": schema.get("minimum", 0.5), "boolean": False}
    return plain.get(schema.get("type", ""), formats.get(schema.get("format", ""), "x"))


def test_what_is_a_blank_text_is_the_same_for_the_server_and_for_those_who_read_its_document() -> None:
    for char in (*map(chr, range(1, 0x100)), "\u1680", "\u200b", "\u2028", "\u3000", "\ufeff"):
        told = re.fullmatch(TEXT, char) is not None
        try:
            TypeAdapter(Text).validate_python(char)
        except ValidationError:
            assert not told, ascii(char)
        else:
            assert told, ascii(char)
