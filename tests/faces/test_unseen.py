"""Every door, for callers who may not see all: what they may not see changes no answer, and no call changes it.

Two homes hold the same for a caller; in one of them others have memory too. The same calls are made in both: every
endpoint, every MCP tool and every method of an agent, each found in its table, with arguments made of its parameters.
"""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import json
import operator
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from core.every_verb import verbs
from faces.served import asked, home, listening, running_server, serving
from faces.test_routes import DOCUMENT, endpoints, value_of
from good_model import good_answer
from oldsoul.documents import parse
from oldsoul.errors import NotFound, OldsoulError
from oldsoul.faces.http.door import ServerLimits
from oldsoul.faces.mcp import documents
from oldsoul.faces.mcp.documents import desk
from oldsoul.faces.mcp.tools import TOOLS
from oldsoul.rules.audience import seen_by
from oldsoul.values.callers import Caller
from oldsoul.values.ids import segment
from oldsoul.values.messages import Wanted
from oldsoul.values.sessions import Session
from scale import scaled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from faces.served import Served
    from oldsoul.app import Oldsoul
    from oldsoul.faces.mcp.documents import McpClient

OWN, ANN, BEN = Session.dm(), Session.dm("acct:ann"), Session.dm("acct:ben")
DEV, BOARD = Session.group("dev"), Session.group("board")
JOB, NOWHERE = Session.cron("job"), Session.group("")
KNOWN, UNKNOWN, NEW = "The lamp in the hall is green", "The safe is behind the mirror", "The boat has two masts"
PEOPLE = {"a person": ANN, "a room": DEV, "a job": JOB, "nowhere": NOWHERE}
ROLES = {"agent": Caller.agent, "reader": Caller.reader}


class Home(NamedTuple):
    """A home that is served."""

    served: Served
    secrets: dict[str, str]
    """what each role's token of Ann is, the same in both"""

    @property
    def soul(self) -> Oldsoul:
        return self.served.soul


def told(soul: Oldsoul, session: Session, text: str) -> None:
    """Something is said, noted and written in a session, where it has a memory."""
    agent = soul.agent("main", caller=Caller.agent("main", session=session))
    agent.hear(f"Please remember: {text}", session=session)
    agent.talk.append_daily_log(text, session=session)
    agent.call_tool("write_memory", {"content": text}, session=session)
    agent.talk.end(session)


def unseen(soul: Oldsoul) -> None:
    """What nobody but the operator may see, and what belongs to other people and rooms."""
    mine = soul.agent("main")
    for session in (OWN, BEN, BOARD):
        told(soul, session, UNKNOWN)
    mine.remember(UNKNOWN, key="key")
    mine.remember(KNOWN)
    mine.memory.promote(UNKNOWN, "acct:ben")
    for number in range(12):
        mine.remember(f"Box {number} stands in cellar {number + 3}")
    mine.hear(UNKNOWN, session=OWN, key="key", sender="Zebulon")
    mine.hear("The safe is not behind the mirror but under the stairs", session=OWN)
    told(soul, BEN, "Ben's bicycle is red")
    mine.call_tool("propose_soul_change", {"text": "Be brief", "reason": "asked"}, session=OWN)


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Home, Home]]:
    """The two homes: one in which the callers are alone, and one with what they may not see."""
    with ExitStack() as stack:
        bare, more = (_home(stack, tmp_path_factory.mktemp(name), more=name == "more") for name in ("bare", "more"))
        made = {role: bare.soul.add_token(role, person="acct:ann", agent="main") for role in ROLES}
        theirs = {one.token.id for one in made.values()}
        for token, digest in bare.soul._home.world.records.credentials.all():
            if token.id in theirs:
                more.soul._home.world.records.credentials.add(token, digest)
        secrets = {role: one.secret for role, one in made.items()}
        yield bare._replace(secrets=secrets), more._replace(secrets=secrets)


def _home(stack: ExitStack, folder: Path, *, more: bool) -> Home:
    config = "agents: {list: [{id: main}]}\nkeepers: {schedule: {enabled: false}}\nmemory: {citations: 'on', search: {"
    config += "provider: none, sources: [memory, sessions]}}\n"
    served = stack.enter_context(serving(folder, config, limits=ServerLimits(at_once=100_000)))
    soul = served.soul
    if more:
        unseen(soul)
    for session in (ANN, DEV):
        told(soul, session, KNOWN)
    if more:
        unseen(soul)
    return Home(served, {})


# what is compared


class Plain:
    """Answers without what differs by chance: each random id by the order in which ids came."""

    def __init__(self, home: Home, masked: frozenset[str]) -> None:
        self._masked = masked
        self._home = home.soul._home.world.home
        self._ids: dict[str, str] = {}

    def __call__(self, answer: object) -> str:
        text = json.dumps(_value(answer, self._masked), sort_keys=True, default=repr, ensure_ascii=False)
        text = re.sub(r"[A-Za-z0-9_-]{144}", "CURSOR", text.replace(self._home, "HOME"))
        text = re.sub(r"(?<=\.md)#L\d+(-L\d+)?", "#LINE", text)
        if self._masked is NUMBERS:
            text = re.sub(r"\b(m|reply|\d\d-\d\d):\d+\b|#(L\d+(-L\d+)?|\d+ )|\b(change|message) \d+", "NUMBER", text)
        text = re.sub(r"(?<=\")[\w-]{43}(?=\")", self._numbered, text)  # a browser's half of a secret
        return re.sub(r"\b[0-9a-z]{10,}\b|(?<=L)\d{16}\b", self._numbered, text)

    def _numbered(self, found: re.Match[str]) -> str:
        return self._ids.setdefault(found[0], f"<{len(self._ids)}>")


LINES = frozenset({"line", "start_line", "end_line"})
"""Lines of files keep their numbers, those that may not be seen counted."""
NUMBERS = LINES | {"message", "reply", "change", "id", "number", "last_id", "from", "summarised", "reverts"}
"""What counts in this process."""


def _value(found: Any, masked: frozenset[str]) -> Any:
    if dataclasses.is_dataclass(found) and not isinstance(found, type):
        found = {each.name: getattr(found, each.name) for each in dataclasses.fields(found)}
    if hasattr(found, "_asdict"):
        found = found._asdict()
    if isinstance(found, Mapping):
        return {
            str(key): 0 if key in masked and isinstance(one, int) and one < 2**52 else _value(one, masked)
            for key, one in found.items()
        }
    if isinstance(found, list | tuple | set | frozenset | Iterator):
        return [_value(each, masked) for each in found]
    return found if isinstance(found, str | int | float | bool | None) else repr(type(found))


def hidden(soul: Oldsoul, session: Session) -> list[str]:
    """All that a session may not see: entries with their bookkeeping, whole files, messages, and how it stands."""
    agent = soul.agent("main")._parts
    view = agent.home.people.view(session, "main")
    found = []
    for name in agent.home.world.store.names("main"):
        data = agent.read(name).data or b""
        entries = parse(data, is_log=name.is_log).entries
        found += [f"{name.path} {b''.join(e.lines)!r}" for e in entries if not view.sees(seen_by(name, e))]
    found += [repr(m) for m in soul.agent("main").talk.messages(Wanted(limit=10_000)) if not view.sees(m.audience)]
    return sorted(found)


def check(
    homes: tuple[Home, Home],
    session: Session,
    calls: Iterable[tuple[str, Callable[[Home], object]]],
    masked: frozenset[str] = NUMBERS,
) -> None:
    """Make each call in both homes."""
    before = [hidden(home.soul, session) for home in homes]
    plain = [Plain(home, masked) for home in homes]
    wrong = []
    for what, call in calls:
        alone, beside = (read(call(home)) for read, home in zip(plain, homes, strict=True))
        if alone != beside:
            wrong.append(f"{what[:150]}\n{_difference(alone, beside)}")
    assert not wrong, "\n".join(wrong[:10])
    for one, stood in zip(homes, before, strict=True):
        stands = hidden(one.soul, session)
        assert stands == stood, [*set(stood) ^ set(stands)][:5]


def _difference(alone: str, beside: str) -> str:
    """Where two answers begin to differ."""
    first = next((n for n, (one, two) in enumerate(zip(alone, beside, strict=False)) if one != two), len(alone))
    return "\n".join(f"  …{text[max(first - 80, 0) : first + 80]}" for text in (alone, beside))


# values to call with: what is there and may not be seen, what may be seen, and what is new


def strings(soul: Oldsoul) -> list[str]:
    """Words, ids, paths and names to try wherever a text is taken; those of what may not be seen before all."""
    mine = soul.agent("main")
    (_, entry), *_ = mine.memory.find(UNKNOWN, "MEMORY.md")
    proposal = mine.review.proposals()[0].id
    paths = ("MEMORY.md", "memory/_longterms/acct_ben/_index.md")
    names = ("acct:ben", "board", "dm:acct:owner", "chat/dm_acct_ben", "key")
    found = [UNKNOWN, KNOWN, entry.id, proposal, paths[1], names[0], paths[0], *names[1:]]
    return found[: scaled(6, len(found))]


@pytest.fixture(scope="module")
def tried(homes: tuple[Home, Home]) -> tuple[list[str], list[int]]:
    """Texts and numbers to try."""
    return strings(homes[1].soul), [10**6]


# routes


def requests(method: str, path: str, tried: tuple[list[str], list[int]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Requests that an endpoint understands: one plain, and one for each parameter and value to try."""
    operation = DOCUMENT["paths"].get(path, {}).get(method, {})
    parameters = {each["name"]: each for each in operation.get("parameters", ()) if each["in"] in ("path", "query")}
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    schema = _whole(content["schema"]) if content else {}
    plain: dict[str, Any] = {name: each.get("example", value_of(each["schema"])) for name, each in parameters.items()}
    plain |= {name: tried[1][0] for name, each in parameters.items() if each["schema"].get("type") == "integer"}
    plain |= {name: "main" for name in ("agent_name", "name", "agent") if name in parameters}
    needed = {name for name, each in parameters.items() if each.get("required")}
    body: Any = value_of(schema) if content else {}

    def made(given: dict[str, Any], more: Any) -> tuple[str, dict[str, Any]]:
        place = path
        for name, each in parameters.items():
            if each["in"] == "path":
                place = place.replace(f"{{{name}}}", str(given[name]))
        query = {name: one for name, one in given.items() if parameters[name]["in"] == "query"}
        return place, {"params": query, **({"json": more} if content else {})}

    base = {name: one for name, one in plain.items() if name in needed}
    yield made(base, body)
    for name, each in parameters.items():
        if name not in ("agent_name", "name", "agent"):
            for one in _values(each["schema"], tried):
                yield made(base | {name: one}, body)
    for name, each in schema.get("properties", {}).items():
        for one in _values(_whole(each), tried):
            yield made(base, body | {name: one})


def _whole(schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        return _whole(DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    found = next((each for key in ("anyOf", "oneOf", "allOf") for each in schema.get(key, ())), None)
    return _whole(found) if found and "type" not in schema else schema


def _values(schema: dict[str, Any], tried: tuple[list[str], list[int]]) -> list[Any]:
    """Values for one parameter."""
    schema = _whole(schema)
    texts, numbers = tried
    if schema.get("enum"):
        return [*schema["enum"]]
    match schema.get("type"):
        case "string":
            form = schema.get("pattern", "")
            fits = [text for text in texts if re.search(form, text) and "format" not in schema]
            return fits or [text for text in texts[2:4] if "format" not in schema]
        case "integer":
            return [*numbers]
        case "boolean":
            return [True, False]
        case "object":
            return list(_objects(schema, tried))
    return []


def _objects(schema: dict[str, Any], tried: tuple[list[str], list[int]]) -> Iterator[dict[str, Any]]:
    base = value_of(schema) or {}
    properties = schema.get("properties", {})
    for name, each in properties.items():
        yield from ({**base, name: one} for one in _values(each, tried))
    kinds = _whole(properties["kind"]).get("enum", ()) if "kind" in properties else ()
    yield from ({"kind": kind, "id": "board"} for kind in kinds if "id" in properties)


@pytest.mark.parametrize("role", ROLES)
def test_no_endpoint_tells_of_or_touches_what_a_token_may_not_see(
    role: str, homes: tuple[Home, Home], tried: tuple[list[str], list[int]]
) -> None:
    mine = homes[1].soul.agent("main")
    counted = [mine.talk.messages(Wanted(newest_first=True))[0].id, mine.files.history()[0].id]

    def calls() -> Iterator[tuple[str, Callable[[Home], object]]]:
        for endpoint in endpoints():
            method, path = endpoint.split(" ")
            if path == "/api/logout":
                continue  # it would be the token's last call
            for place, more in requests(method.lower(), path, (tried[0], counted)):
                yield f"{method} {place} {more}", lambda home, m=method, p=place, r=more: _answer(home, role, m, p, r)  # type: ignore[misc]

    check(homes, ANN, calls(), LINES)


def _answer(home: Home, role: str, method: str, place: str, more: dict[str, Any]) -> object:
    headers = {"last-event-id": "none", "if-match": "*"}  # a stream does not end by itself: it does not begin
    answer = home.served.ask(method, place, home.secrets[role], headers=headers, **more)
    kind = answer.headers.get("content-type", "")
    lines = [line.partition(": ") for line in answer.text.splitlines() if "event-stream" in kind]
    body = answer.json() if "json" in kind else answer.text
    body = [json.loads(value) if name == "data" else value for name, _, value in lines] or body
    return [answer.status_code, body if place != "/metrics" else ""]


# MCP


@pytest.mark.parametrize("who", PEOPLE)
@pytest.mark.parametrize("role", ROLES)
def test_no_tool_tells_of_or_touches_what_a_client_may_not_see(
    role: str, who: str, homes: tuple[Home, Home], tried: tuple[list[str], list[int]]
) -> None:
    session = PEOPLE[who]
    caller = ROLES[role]("client", session=session)

    def called(home: Home, name: str, given: dict[str, Any]) -> object:
        tool = next(each for each in TOOLS if each.name == name)
        try:
            return tool.call(desk(home.soul, caller), given)
        except OldsoulError as error:
            return str(error)

    def calls() -> Iterator[tuple[str, Callable[[Home], object]]]:
        for tool in TOOLS:
            if tool.is_for(caller.role):
                for given in _arguments(tool.parameters, tried):
                    yield f"{tool.name} {given}", lambda home, n=tool.name, g=given: called(home, n, g)  # type: ignore[misc]

    check(homes, session, calls(), LINES)


def _arguments(schema: Mapping[str, Any], tried: tuple[list[str], list[int]]) -> Iterator[dict[str, Any]]:
    texts, numbers = tried
    base = {name: value_of(schema["properties"][name]) for name in schema["required"]}
    base |= {name: NEW for name in schema["required"] if "enum" not in schema["properties"][name]}
    yield base
    for name, each in schema["properties"].items():
        kinds = each["type"] if isinstance(each["type"], list) else [each["type"]]
        values = each.get("enum") or (
            texts if "string" in kinds else [n for n in numbers if n <= each.get("maximum", n)]
        )
        yield from ({**base, name: one} for one in values)


@pytest.mark.parametrize("who", ["a person", "a room"])
def test_ids_of_messages_that_a_model_gets_count_nothing_and_are_taken_back(who: str, homes: tuple[Home, Home]) -> None:
    session = PEOPLE[who]
    path = f"chat/{segment(session.id)}"

    def at(home: Home) -> McpClient:
        return desk(home.soul, Caller.agent("client", session=session))

    def called(home: Home, name: str, **given: Any) -> dict[str, Any]:
        return next(each for each in TOOLS if each.name == name).call(at(home), given)

    def numbers(home: Home) -> list[int]:
        return [m.id for m in home.soul.agent("main").talk.messages(Wanted(session=session.id))]

    def further(home: Home) -> dict[str, Any]:
        following = called(home, "memory_get", path=path, lines=1)["next"]
        return called(home, "memory_get", path=path, lines=100, **{"from": following})

    def fetched(home: Home) -> list[dict[str, Any]]:
        found = [one for one in called(home, "search", query=KNOWN)["results"] if one["id"].startswith("chat/")]
        return [called(home, "fetch", id=one["id"]) for one in found]

    def by_the_library(home: Home, name: str, given: dict[str, Any]) -> object:
        agent = home.soul.agent("main", caller=Caller.agent("bot", session=session))
        tool = next(each for each in agent.tools() if each.name == name)
        by_name = json.loads(home.soul.agent("main").call_tool(name, given, session=session))
        return [tool.call(agent, session, given), by_name]

    for each in homes:
        for text in (KNOWN, NEW):
            each.soul.agent("main").hear(text, session=session)
    assert numbers(homes[0]) != numbers(homes[1])
    calls: list[tuple[str, Callable[[Home], object]]] = [
        ("from the beginning", lambda home: called(home, "memory_get", path=path)),
        ("from an id", further),
        ("search", lambda home: called(home, "memory_search", query=KNOWN)),
        ("fetch", fetched),
        ("context", lambda home: called(home, "memory_context", message=KNOWN)),
        ("resource", lambda home: documents.text(at(home), path)),
        ("search by the library", lambda home: by_the_library(home, "memory_search", {"query": KNOWN})),
        ("get by the library", lambda home: by_the_library(home, "memory_get", {"path": path})),
        ("a reply", lambda home: [home.soul.agent("main").respond("which lamp is green?", session=session).text]),
    ]
    check(homes, session, calls, LINES)
    more = homes[1]
    assert NEW in further(more)["text"]
    assert any(KNOWN in one["text"] for one in fetched(more))
    for number in numbers(more):
        with pytest.raises(NotFound):
            called(more, "memory_get", path=path, **{"from": number})
        with pytest.raises(NotFound):
            called(more, "fetch", id=f"{path}#L{number}")


def test_the_operator_keeps_the_numbers_of_messages(tmp_path: Path) -> None:
    sessions = "memory: {search: {provider: none, sources: [memory, sessions]}}"
    arguments = {"path": f"chat/{segment(OWN.id)}"}
    for is_on in (True, False):
        config = f"{sessions}\nmcp: {{operator: {str(is_on).lower()}}}\n"
        with home(tmp_path / str(is_on), config) as soul:
            mine = soul.agent("main")
            heard = mine.hear(KNOWN, session=OWN).message.id
            (get,) = (tool for tool in mine.tools() if tool.name == "memory_get")
            assert (
                get.call(mine, OWN, arguments)["from"]
                == json.loads(mine.call_tool(get.name, arguments, session=OWN))["from"]
                == heard
            )
            client = next(each for each in TOOLS if each.name == get.name).call(desk(soul, mine.caller), arguments)
            assert (client["from"] == heard) is is_on


def test_the_questions_of_keepers_number_messages_from_one(tmp_path: Path) -> None:
    asked = []
    for name, more in (("bare", 0), ("more", 7)):
        with home(tmp_path / name) as soul:
            mine = soul.agent("main")
            ann = desk(soul, Caller.agent("client", session=ANN))
            work = next(each for each in TOOLS if each.name == "memory_work")
            assert work.call(ann, {}) == {"questions": []}
            for _ in range(more):
                mine.hear(UNKNOWN, session=BEN)
            mine.hear(f"Please remember: {KNOWN}", session=ANN)
            mine.talk.end(ANN)
            (question,) = work.call(ann, {})["questions"]
            asked.append((question["instructions"], question["evidence"]))
            answer = good_answer(question["evidence"], question["schema"])
            assert [each["message"] for each in answer["items"]] == [1]
            answered = work.call(ann, {"id": question["id"], "answer": answer})["answered"]
            assert answered["done"]
            assert answered["notes"] == []
    assert asked[0] == asked[1]


# the library


def _library(soul: Oldsoul, session: Session, tried: tuple[list[str], list[int]]) -> Iterator[Any]:
    """Each public method with arguments of the types it takes: its name, and the call."""
    texts = [UNKNOWN, tried[0][2], "acct:ben", "key"]
    values: dict[str, list[Any]] = {
        "str": texts,
        "int": [10**6],
        "SessionProgress": soul.agent("main").talk.sessions()[:1],
        "Session": [session],
        "datetime": [datetime(2026, 2, 4, 12, tzinfo=UTC)],
        "date": [date(2026, 2, 4)],
        "Name": [soul.agent("main").memory.find(UNKNOWN, "MEMORY.md")[0][0]],
        "Wanted": [Wanted()],
        "bytes": [b"- one\n"],
        "object": ["{}"],
        "Subject": ["acct:ben"],
    }
    for verb, made in sorted(verbs().items()):
        if isinstance(made, property):
            yield verb, {}
            continue
        taken = dict(itertools.islice(inspect.signature(made).parameters.items(), 1, None))
        fits = {
            name: next((v for k, v in values.items() if k in str(one.annotation)), []) for name, one in taken.items()
        }
        asked = {name for name, one in taken.items() if one.default is one.empty and one.kind is not one.VAR_POSITIONAL}
        asked -= {name for name, one in taken.items() if one.kind is one.VAR_KEYWORD}
        base = {name: fits[name][0] if fits[name] else {} for name in asked}
        yield verb, base
        for name, some in fits.items():
            yield from ((verb, {**base, name: one}) for one in some if "bool" not in str(taken[name].annotation))


@pytest.mark.parametrize("who", PEOPLE)
@pytest.mark.parametrize("role", ROLES)
def test_no_method_tells_of_or_touches_what_a_caller_may_not_see(
    role: str, who: str, homes: tuple[Home, Home], tried: tuple[list[str], list[int]]
) -> None:
    session = PEOPLE[who]
    caller = ROLES[role]("bot", session=session)

    def called(home: Home, verb: str, given: dict[str, Any]) -> object:
        agent = home.soul.agent("main", caller=caller)
        try:
            found = operator.attrgetter(verb)(agent)
            made = found(**given) if callable(found) else found
            return [*made] if isinstance(made, Iterator) else made
        except OldsoulError as error:
            return [type(error).__name__, str(error)]

    def calls() -> Iterator[tuple[str, Callable[[Home], object]]]:
        for verb, given in _library(homes[1].soul, session, tried):
            yield f"{verb} {given}", lambda home, v=verb, g=given: called(home, v, g)  # type: ignore[misc]

    check(homes, session, calls())


# many calls


def test_what_a_token_writes_often_is_no_surer_and_takes_no_room_from_others(homes: tuple[Home, Home]) -> None:
    home = homes[1]
    mine = home.soul.agent("main")
    before = mine.files.show("MEMORY.md").data
    place = "/api/agents/main/entries"

    def sent(text: str) -> Any:
        return home.served.ask("POST", place, home.secrets["agent"], json={"text": text}).json()

    first = sent("The kettle is blue")
    assert first["path"] == "memory/_longterms/acct_ann/_index.md"
    sure = mine.memory.entry(first["path"], first["entry"]).entry
    for _ in range(5):
        again = sent("The kettle is blue")
        assert (again["entry"], again["repeated"]) == (first["entry"], True)
    assert mine.memory.entry(first["path"], first["entry"]).entry == sure
    for number in range(40):
        sent(f"Box {number} {'is large and ' * 30}stands in the cellar")
    assert mine.files.show("MEMORY.md").data == before
    archived = [file.name.path for file in mine.files.all() if file.name.path.startswith("Archive/Memory/")]
    assert all(path.startswith("Archive/Memory/acct_ann/") for path in archived)


# what is told of numbers


def test_ids_and_cursors_of_others_than_the_operator_count_nothing(homes: tuple[Home, Home]) -> None:
    one = homes[1]
    mine, main = one.soul.agent("main"), "/api/agents/main"

    def got(role: str | None, path: str, **more: Any) -> Any:
        secret = None if role is None else one.secrets[role]
        return one.served.get(f"{main}/{path}", secret=secret, **more).json()

    mine.hear(UNKNOWN, session=OWN)
    for _ in range(4):
        mine.hear(KNOWN, session=ANN)
    latest = mine.talk.messages(Wanted(newest_first=True, limit=1))[0].id
    page = got("reader", "messages", params={"limit": 2})
    assert got(None, "messages", params={"limit": 1})["messages"][0]["message"] == latest
    named = page["messages"][0]["message"]
    assert 2**52 <= named < 2**53
    assert got("agent", f"messages/{named}")["text"] == KNOWN
    assert got("reader", f"messages/{latest}")["code"] == "not_found"
    assert got(None, f"messages/{latest}")["text"] == KNOWN
    assert str(page["messages"][-1]["message"]) not in page["next"]
    further = got("reader", "messages", params={"limit": 2, "cursor": page["next"]})["messages"]
    assert not {each["message"] for each in further} & {each["message"] for each in page["messages"]}
    assert got("reader", "messages", params={"cursor": f"2026-02-04T12:00:00Z/{latest}"})["status"] == 400
    assert {each["source"] for each in got("reader", "entries")["entries"]} == {""}


def test_events_of_others_than_the_operator_count_nothing_and_are_resumed(tmp_path: Path) -> None:
    with home(tmp_path) as soul, running_server(soul) as port:
        secret = soul.add_token("reader", person="acct:ann").secret
        agent = soul.agent("main")
        with listening(port, secret) as client:
            agent.hear(UNKNOWN, session=OWN)
            heard = agent.hear(KNOWN, session=ANN).message.id
            told = client.event()
            assert told["kind"] == "message"
            assert re.fullmatch(r"[\w-]{144}", told["cursor"]), "the operator's is a name and a number"
            assert 2**52 <= int(told["id"]) < 2**53
        agent.hear(UNKNOWN, session=OWN)
        agent.hear(NEW, session=ANN)
        with listening(port, secret, told["cursor"]) as client:
            again = client.event()
            assert again["id"] != told["id"]
        for cursor in (f"6f1c0a9be2d34785-{heard}", "A" * 144):
            with asked(port, "GET", "/api/events", secret, Last_Event_ID=cursor) as answer:
                assert answer.status == 400
