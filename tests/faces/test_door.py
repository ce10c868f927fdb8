"""The door of the server: tokens, hosts, origins, logins and limits."""

from __future__ import annotations

import json
import logging
import select
import socket
import sqlite3
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import faults
from faces.served import LIMIT, PLACE, code, home, running_server, serving, status, until
from oldsoul.errors import BadInput
from oldsoul.faces.http import login
from oldsoul.faces.http.app import api
from oldsoul.faces.http.door import Buckets, ServerLimits
from oldsoul.faces.http.login import MINUTES, Logins
from oldsoul.faces.http.observation import JsonLines
from oldsoul.faces.web import server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from faces.served import Served

SOUL = "/api/workspace/main/file/SOUL.md"
FILES = "/api/workspace/main/files"
FACE = "http://127.0.0.1"
"""The server's own origin."""


# tokens


def test_nobody_comes_in_without_a_valid_token(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        soon = datetime(2026, 2, 4, 12, 1, tzinfo=UTC)
        late = served.soul.add_token("operator", expires=soon).secret
        served.soul._home.world.clock.advance(timedelta(minutes=2))  # type: ignore[attr-defined]
        revoked = served.soul.add_token("operator")
        served.soul.revoke_token(revoked.token.id)
        for secret in ("", "x", "os_x", late, revoked.secret):
            for path in (FILES, "/api/events", "/api/health", "/metrics", "/api/me", "/api/nothing"):
                answer = served.ask("GET", path, secret)
                assert code(answer) == (401, "no_token"), (secret, path)
                assert answer.headers["www-authenticate"] == "Bearer"
        assert served.ask("PUT", SOUL, "x", content=b"{").status_code == 401
        assert served.ask("GET", "/v1/models", "x").json()["error"]["code"] == "invalid_api_key"
        for given in (b"Basic b3M6b3M=", b"Bearer \xc3\xbc", b"Bearer", b"\xff"):
            assert code(served.client.get(FILES, headers={b"authorization": given})) == (401, "no_token")


def test_an_agent_that_a_token_is_not_for_does_not_exist_for_it(tmp_path: Path) -> None:
    with serving(tmp_path, "agents: {list: [{id: main}, {id: scout}]}\n") as served:
        one = served.soul.add_token("operator", agent="scout").secret
        assert served.ask("GET", "/api/workspace/scout/files", one).is_success
        answers = [served.ask("GET", f"/api/workspace/{name}/files", one) for name in ("main", "mainn")]
        assert [code(answer) for answer in answers] == [(404, "not_found")] * 2
        assert answers[0].json()["detail"] == answers[1].json()["detail"].replace("mainn", "main")
        assert code(served.ask("GET", "/metrics", one)) == (403, "refused")
        assert code(served.ask("POST", "/api/login-links", one)) == (403, "refused")
        assert served.ask("GET", "/api/health", one).json()["checks"] == []


def test_a_person_sees_no_whole_files_and_writes_none(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        ann = served.soul.add_token("agent", person="acct:ann").secret
        own = served.soul.add_token("reader", person="acct:owner").secret
        tag = {"If-Match": "*"}
        assert code(served.ask("GET", SOUL, ann)) == (403, "refused")
        assert served.ask("GET", SOUL, own).is_success
        for secret in (ann, own):
            answer = served.ask("PUT", SOUL, secret, json={"content": "x"}, headers=tag)
            assert code(answer) == (403, "refused")
            assert code(served.ask("DELETE", f"{SOUL}?confirm=SOUL.md", secret)) == (403, "refused")
        report = served.ask("GET", "/api/agents/main/context-report", ann).json()
        assert "MEMORY.md" not in [each["name"] for each in report["files"] if each["state"] == "loaded"]


# hosts and origins


HOSTS = {"127.0.0.1": True, "localhost:8765": True, "[::1]:80": True, "evil.example": False, "": False}
ORIGINS = {None: True, "own": True, "http://evil.example": False, "null": False, "http://127.0.0.1:9": False}
WAYS = ("bearer", "cookie", "none")
METHODS = ("GET", "PUT", "POST", "DELETE")


def expected(host: str, origin: str | None, method: str, way: str) -> int:
    """The status that a request gets at the door; 200 when it is let in."""
    if not HOSTS[host]:
        return 421
    if not ORIGINS[origin]:
        return 403
    if way == "cookie" and origin is None and method != "GET":
        return 403
    return 401 if way == "none" else 200


def test_hosts_origins_methods_and_tokens_decide_together_who_comes_in(tmp_path: Path) -> None:
    with serving(tmp_path, limits=ServerLimits(at_once=10_000)) as served:
        del served.client.headers["authorization"]
        made = {role: served.soul.add_token(role, person="acct:owner") for role in ("operator", "agent", "reader")}
        roles = {role: each.secret for role, each in made.items()}
        browsers = {
            role: served.soul.log_in(each.token).secret.split(".") for role, each in made.items() if role != "agent"
        }
        for (role, secret), host, origin, method, way in product(roles.items(), HOSTS, ORIGINS, METHODS, WAYS):
            headers = {"host": host}
            headers |= {"origin": f"http://{host}" if origin == "own" else origin} if origin else {}
            headers |= {"authorization": f"Bearer {secret}"} if way == "bearer" else {}
            if way == "cookie":
                half, rest = browsers.get(role, (secret, secret))
                headers |= {"cookie": f"oldsoul={half}", "oldsoul-key": rest}
            path = FILES if method == "GET" else f"{SOUL}/reset" if method == "POST" else SOUL
            answer = served.client.request(method, path, headers=headers, **_body(method))
            wanted = expected(host, origin, method, way)
            if wanted == 200 and role == "agent" and way == "cookie":
                wanted = 401  # an agent's token logs no browser in
            told = answer.json().get("code")
            if wanted != 200:
                assert answer.status_code == wanted, (role, host, origin, method, way, told)
            elif method == "GET":
                assert answer.status_code == 200
            else:  # let in: then the role decides
                assert told != "no_token"
                assert (answer.status_code == 403) == (role != "operator"), (role, host, origin, method, way, told)


def _body(method: str) -> dict[str, Any]:
    return {"json": {"content": "x"}} if method == "PUT" else {}


def test_further_names_are_given_when_it_is_started(tmp_path: Path) -> None:
    with serving(tmp_path, hosts=["Memory.Example"]) as served:
        assert served.get(FILES, headers={"host": "memory.example:443"}).is_success
        assert code(served.get(FILES, headers={"host": "other.example"})) == (421, "wrong_host")
        assert code(served.get(FILES, headers={"host": "10.0.0.1"})) == (421, "wrong_host")
    with pytest.raises(BadInput, match="--public"):
        server.listening("0.0.0.0", 0, public=False)  # noqa: S104 - what is refused


def test_every_answer_has_headers_that_keep_browsers_safe(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        for answer in (served.get(FILES), served.ask("GET", FILES, ""), served.get("/api/nothing")):
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "script-src 'self';" in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["cache-control"] == "no-store"
            assert "access-control-allow-origin" not in answer.headers


# logging in


def code_of(served: Served) -> str:
    """A new code, as the page reads it from its login link."""
    url: str = served.ask("POST", "/api/login-links").json()["url"]
    return url.partition("/login?code=")[2]


def halves_of(served: Served, given: str) -> tuple[dict[str, str], dict[str, str]]:
    """The two halves that a browser gets for a code, each as the header that it is sent in."""
    answer = served.client.post("/api/login/code", json={"code": given}, headers={"authorization": ""})
    assert answer.status_code == 200, answer.text
    cookie = {"cookie": f"oldsoul={served.client.cookies['oldsoul']}"}
    served.client.cookies.clear()
    return cookie, {"oldsoul-key": answer.json()["key"]}


def test_a_login_link_works_once_and_gives_the_browser_a_token_in_two_halves(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        link = served.ask("POST", "/api/login-links").json()
        assert link["minutes"] == MINUTES
        given = link["url"].removeprefix(f"{FACE}/login?code=")
        del served.client.headers["authorization"]
        answer = served.client.post("/api/login/code", json={"code": given})
        assert "HttpOnly" in answer.headers["set-cookie"]
        assert "SameSite=strict" in answer.headers["set-cookie"]
        again = served.client.post("/api/login/code", json={"code": given}, headers={"origin": FACE})
        assert code(again) == (401, "no_code")
        key = {"oldsoul-key": answer.json()["key"]}
        assert served.client.get(FILES, headers=key).is_success
        assert [token.name for token in served.soul.tokens()][-1] == "browser"
        put: Any = {"json": {"content": "# Soul\n"}, "headers": {"if-match": "*", **key}}
        assert code(served.client.put(SOUL, **put)) == (403, "no_origin")
        put["headers"]["origin"] = FACE
        assert served.client.put(SOUL, **put).is_success
        assert code(served.client.post("/api/logout", headers=key)) == (403, "no_origin")
        cookie = {"cookie": f"oldsoul={served.client.cookies['oldsoul']}"}
        assert served.client.get(FILES, headers={**cookie, **key}).is_success
        assert served.client.post("/api/logout", headers={"origin": FACE, **key}).status_code == 204
        assert code(served.client.get(FILES, headers={**cookie, **key})) == (401, "no_token")


def test_nothing_that_another_port_can_receive_or_read_is_enough(tmp_path: Path) -> None:
    with serving(tmp_path, limits=ServerLimits(at_once=100_000)) as served:
        (cookie, key), (others, _) = (halves_of(served, code_of(served)) for _ in range(2))
        del served.client.headers["authorization"]
        half, rest = cookie["cookie"].removeprefix("oldsoul="), key["oldsoul-key"]
        bearers = [{"authorization": f"Bearer {each}"} for each in (half, rest, f"{rest}.{half}", f"{half}{rest}")]
        poor: list[dict[str, str]] = [cookie, key, *bearers, {**others, **key}, {**cookie, "oldsoul-key": half}]
        poor += [{"cookie": f"oldsoul={half}.{rest}"}, {"oldsoul-key": f"{half}.{rest}"}, {**cookie, "oldsoul-key": ""}]
        operations = [(path, method) for path, methods in api().openapi()["paths"].items() for method in methods]
        for path, method in [*operations, ("/mcp", "post"), ("/v1/models", "get"), ("/v1/chat/completions", "post")]:
            if path == "/api/login/code":
                continue
            for headers in poor:
                answer = served.client.request(method, path, headers={"origin": FACE, **headers})
                assert answer.status_code == 401, (method, path, headers)
        assert served.client.get("/api/me", headers={**cookie, **key}).is_success


def test_a_programs_token_is_no_two_halves(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        secret = served.soul.add_token("operator").secret
        del served.client.headers["authorization"]
        for cut in (1, 3, 10, len(secret) - 1):
            headers = {"cookie": f"oldsoul={secret[:cut]}", "oldsoul-key": secret[cut:]}
            assert code(served.client.get(FILES, headers=headers)) == (401, "no_token")


def test_revoking_a_token_ends_the_browsers_that_its_links_let_in(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        made = served.soul.add_token("operator")
        answer = served.ask("POST", "/api/login-links", made.secret).json()
        before, later = answer["url"].partition("code=")[2], served.ask("POST", "/api/login-links", made.secret).json()
        cookie, key = halves_of(served, before)
        headers = {"authorization": "", **cookie, **key}
        del served.client.headers["authorization"]
        assert served.client.get(FILES, headers={**cookie, **key}).is_success
        served.soul.revoke_token(made.token.id)
        assert code(served.client.get(FILES, headers={**cookie, **key})) == (401, "no_token")
        late = {"code": later["url"].partition("code=")[2]}
        assert code(served.client.post("/api/login/code", json=late)) == (403, "refused")
        assert headers["authorization"] == ""


def test_a_login_code_is_spent_only_when_a_session_was_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = faults.watched(monkeypatch)
    with serving(tmp_path) as served:
        given = {"code": code_of(served)}
        disk.below = "tokens.db"
        disk.fails = lambda sql: faults.failure(sqlite3.SQLITE_FULL) if sql.startswith("insert") else None
        for _ in range(2):
            assert code(served.client.post("/api/login/code", json=given)) == (507, "unwritable")
        disk.nothing()
        assert served.client.post("/api/login/code", json=given).status_code == 200
        assert code(served.client.post("/api/login/code", json=given)) == (401, "no_code")


def test_logging_out_revokes_no_token_but_a_browsers(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        secret = Path(login.ensure_token(served.soul)).read_text().strip()
        for headers in ({}, {"cookie": f"oldsoul={secret}"}):
            assert code(served.ask("POST", "/api/logout", secret, headers=headers)) == (403, "refused")
        assert served.soul.check_token(secret).name == login.NAME


def test_a_login_code_is_good_for_minutes_and_for_nothing_else(tmp_path: Path) -> None:
    time = [0.0]
    logins = Logins(lambda: time[0])
    early, late = logins.new_code(), logins.new_code()
    for given, wanted in ((early, True), (early, False), ("", False)):
        with logins.redeemed(given) as found:
            assert (found is not None) == wanted
    time[0] = MINUTES * 60
    with serving(tmp_path, logins=logins) as served:
        for given in (late, late, "ü", ""):
            assert code(served.ask("POST", "/api/login/code", "", json={"code": given})) == (401, "no_code")


def test_the_server_makes_a_token_on_its_first_run_and_again_when_it_is_not_valid(tmp_path: Path) -> None:
    with home(tmp_path) as soul:
        file = Path(login.ensure_token(soul))
        assert file == tmp_path / "home/state/server.token"
        assert file.stat().st_mode & 0o777 == 0o600
        first = file.read_text().strip()
        assert str(soul.check_token(first).role) == "operator"
        login.ensure_token(soul)
        assert file.read_text().strip() == first
        soul.revoke_token(login.NAME)
        login.ensure_token(soul)
        assert soul.check_token(file.read_text().strip()).name == login.NAME
        assert [each.name for each in file.parent.glob("server.token*")] == ["server.token"]


# limits


def test_requests_are_counted_by_token(tmp_path: Path) -> None:
    time = [0.0]
    buckets = Buckets(ServerLimits(per_second=2, at_once=3), lambda: time[0])
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 0.5]
    assert buckets.take("b") == 0
    time[0] = 1.0
    assert [buckets.take("a") for _ in range(3)] == [0, 0, 0.5]
    with serving(tmp_path, limits=ServerLimits(per_second=0.001, at_once=2)) as served:
        assert [served.get(FILES).status_code for _ in range(3)] == [200, 200, 429]
        answer = served.get(FILES)
        assert code(answer) == (429, "too_many_requests")
        assert int(answer.headers["retry-after"]) >= 1
        other = served.soul.add_token("operator").secret
        assert served.ask("GET", FILES, other).is_success


def test_a_body_that_is_too_large_or_does_not_come_is_refused_while_others_are_served(tmp_path: Path) -> None:
    limits = ServerLimits(body=1000, body_seconds=0.3)
    with home(tmp_path) as soul, running_server(soul, limits=limits) as port:
        secret = soul.add_token("operator").secret
        head = f"PUT {SOUL} HTTP/1.1\r\nHost: {PLACE}\r\nAuthorization: Bearer {secret}\r\nIf-Match: *\r\n"
        assert _answered(port, f"{head}Content-Length: 2000\r\n\r\n{'x' * 2000}".encode()).startswith(b"HTTP/1.1 413")
        assert _answered(port, f"{head}Transfer-Encoding: chunked\r\n\r\n".encode(), endless=True).startswith(
            b"HTTP/1.1 413"
        )
        with socket.create_connection((PLACE, port), LIMIT) as slow:
            slow.sendall(f"{head}Content-Length: 500\r\n\r\nx".encode())
            assert status(port, FILES, secret) == 200
            assert slow.recv(1000).startswith(b"HTTP/1.1 408")


DOORS = {
    "/api/agents/main/search": {"query": "x" * 600},
    "/v1/chat/completions": {"model": "main", "messages": [{"role": "user", "content": "x" * 600}]},
    "/mcp": {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "x" * 600}},
}


def _request(path: str, secret: str) -> bytes:
    body = json.dumps(DOORS[path]).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {PLACE}\r\nAuthorization: Bearer {secret}\r\nContent-Type: application/json\r\n"
        f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


@pytest.mark.parametrize("door", DOORS)
def test_a_body_that_does_not_come_is_given_up_at_every_door(door: str, tmp_path: Path) -> None:
    with home(tmp_path) as soul, running_server(soul, limits=ServerLimits(body_seconds=0.2)) as port:
        whole = _request(door, soul.add_token("reader", person="acct:owner").secret)
        assert _answered(port, whole[:-1]).startswith(b"HTTP/1.1 408")


@pytest.mark.parametrize("door", DOORS)
def test_bodies_at_all_doors_together_have_one_bound_and_one_token_takes_half_at_most(
    door: str, tmp_path: Path
) -> None:
    with home(tmp_path) as soul, running_server(soul, limits=ServerLimits(bodies=2000, body_seconds=LIMIT)) as port:
        greedy, other = (soul.add_token("reader", person="acct:owner").secret for _ in range(2))
        whole = _request(door, greedy)
        with ExitStack() as lines:
            slow = [lines.enter_context(socket.create_connection((PLACE, port), LIMIT))]
            slow[-1].sendall(whole[:-1])

            def is_refused(path: str) -> bool:
                if select.select([slow[-1]], [], [], 0)[
                    0
                ]:  # it came after a request of this loop, and was refused itself
                    slow.append(lines.enter_context(socket.create_connection((PLACE, port), LIMIT)))
                    slow[-1].sendall(whole[:-1])
                return _answered(port, _request(path, greedy)).startswith(b"HTTP/1.1 503")

            for each in DOORS:
                until(partial(is_refused, each))
                assert not _answered(port, _request(each, other)).startswith(b"HTTP/1.1 503")
            slow[-1].sendall(whole[-1:])
            assert not slow[-1].recv(1000).startswith(b"HTTP/1.1 503")
        until(lambda: not _answered(port, _request(door, greedy)).startswith(b"HTTP/1.1 503"))


def test_who_has_no_token_is_read_little_of(tmp_path: Path) -> None:
    with home(tmp_path) as soul, running_server(soul) as port:
        head = f"POST /api/login/code HTTP/1.1\r\nHost: {PLACE}\r\nContent-Type: application/json\r\n"
        body = json.dumps({"code": "x" * 5000})
        assert _answered(port, f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode()).startswith(b"HTTP/1.1 413")


FLOODS: list[tuple[str, str, dict[str, Any]]] = [
    ("GET", FILES, {}),
    ("GET", FILES, {"headers": {"authorization": "Bearer os_wrong"}}),
    ("GET", "/nothing", {}),
    ("POST", "/mcp", {}),
    ("POST", "/v1/chat/completions", {"json": {}}),
    ("POST", "/api/login/code", {"json": {"code": "guess"}}),
    ("GET", "/login", {}),
]


@pytest.mark.parametrize(("method", "path", "more"), FLOODS, ids=str)
def test_a_strangers_flood_keeps_the_operator_from_nothing_else(
    method: str, path: str, more: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "web/assets").mkdir(parents=True)
    (tmp_path / "web/index.html").write_text("page")
    (tmp_path / "web/assets/a.js").write_text("1")
    with serving(tmp_path, limits=ServerLimits(per_second=0.001, at_once=12), web=tmp_path / "web") as served:
        given = {"code": code_of(served)}
        given_headers = dict(served.client.headers)
        del served.client.headers["authorization"]
        while served.client.request(method, path, **more).status_code != 429:
            pass
        if path != "/login":
            for each in ("/", "/login", "/agents/main/home", "/assets/a.js"):
                assert served.client.get(each).status_code == 200, each
        if path != "/api/login/code":
            assert served.client.post("/api/login/code", json=given).status_code == 200
        assert served.client.get(FILES, headers={"authorization": given_headers["authorization"]}).is_success


def _answered(port: int, data: bytes, *, endless: bool = False) -> bytes:
    """How the answer to some bytes begins; with a body without end, if wanted."""
    with socket.create_connection((PLACE, port), LIMIT) as line:
        line.sendall(data)
        while endless:
            try:
                line.sendall(b"3e8\r\n" + b"x" * 1000 + b"\r\n")
            except OSError:
                break
        return line.recv(1000)


# paths


CORPUS = (
    *("..", "../SOUL.md", "../../config.yaml", "..%2f..%2fconfig.yaml", "%2e%2e%2fsecret.md", "%2e%2e/secret.md"),
    *("..%5c..%5csecret.md", "....//secret.md", "rooms/../../secret.md", "rooms/..%00/secret.md", "/secret.md"),
    *("%2Fetc%2Fpasswd", "//etc/passwd.md", "file:///etc/passwd.md", "SOUL.md%00.txt", "SOUL.md%0a", "SOUL.md/"),
    *("SOUL.md%20", "SOUL.md.", ".hidden.md", "rooms/.hidden.md", "CON.md", "rooms/nul.md", "aux.md", "COM1.md"),
    *("rooms/a:b.md", "SOUL.md::$DATA", "%ff%fe.md", "%C0%AE%C0%AE/secret.md", "%EF%BC%8E%EF%BC%8E/secret.md"),
    *("rooms/%E2%80%AE.md", "rooms/%ED%A0%80.md", "rooms/" + "a" * 300 + ".md", "a/" * 300 + "a.md", "~/secret.md"),
    *("state/tokens.db", "..;/secret.md", "rooms/link.md", "outside/secret.md", "SOUL.md?x", "%252e%252e/secret.md"),
)


@pytest.mark.parametrize("path", CORPUS)
def test_no_path_leads_out_of_a_workspace(outside: Served, path: str) -> None:
    before = sorted((each, each.read_bytes()) for each in _secrets(outside))
    for method in ("GET", "PUT", "DELETE"):
        more: dict[str, Any] = {"json": {"content": "changed"}} if method == "PUT" else {}
        suffix = "" if "?" in path or method != "DELETE" else f"?confirm={path}"
        for headers in ({"if-match": "*"}, {"if-none-match": "*"}):
            place = f"/api/workspace/main/file/{path}{suffix}"
            answer = outside.client.request(method, place, headers=headers, **more)
            assert b"top secret" not in answer.content, (method, path)
            assert answer.status_code < 500, (method, path)
    assert sorted((each, each.read_bytes()) for each in _secrets(outside)) == before


def _secrets(served: Served) -> list[Path]:
    top = served.folder.parents[2]
    return [each for each in top.rglob("*secret*") if each.is_file()]


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server whose workspace holds links that lead out."""
    folder = tmp_path_factory.mktemp("paths")
    with serving(folder) as served:
        for place in (folder, folder / "home", folder / "home/workspace", folder / "home/workspace/_shared"):
            (place / "secret.md").write_text("top secret")
        (served.folder / "rooms").mkdir(exist_ok=True)
        (served.folder / "rooms/link.md").symlink_to(folder / "secret.md")
        (served.folder / "outside").symlink_to(folder)
        yield served


@pytest.mark.parametrize(
    "name", ["..", "%2e%2e", "_shared%2f..", "main%2f..%2fmain", "MAIN", "main%00", "ﾏain", "*", "~"]
)
def test_no_name_of_an_agent_leads_out(outside: Served, name: str) -> None:
    for path in (f"/api/workspace/{name}/files", f"/api/workspace/{name}/file/secret.md"):
        answer = outside.get(path)
        assert answer.status_code in (404, 422), path
        assert b"top secret" not in answer.content


# what it tells of itself


def test_every_request_has_an_id_that_stands_in_the_answer_and_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(tmp_path) as served, caplog.at_level(logging.INFO, "oldsoul.http"):
        assert served.get(FILES, headers={"x-request-id": "mine-1"}).headers["x-request-id"] == "mine-1"
        found = served.get("/login?code=secret", headers={"x-request-id": "not {valid}"})
        other = found.headers["x-request-id"]
        assert other.isalnum()
    lines = [json.loads(JsonLines().format(record)) for record in caplog.records]
    assert [(line["method"], line["path"], line["status"]) for line in lines] == [
        ("GET", FILES, 200),
        ("GET", "/login", found.status_code),
    ]
    assert lines[0]["token"]
    assert "secret" not in json.dumps(lines)


def test_metrics_can_be_read_by_prometheus(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        for _ in range(3):
            served.get(FILES)
        answer = served.get("/metrics")
        assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
        lines = answer.text.splitlines()
        path = "/api/workspace/{agent_name}/files"
        assert f'oldsoul_http_requests_total{{method="GET",path="{path}",status="200"}} 3' in lines
        assert f'oldsoul_http_request_seconds_bucket{{path="{path}",le="+Inf"}} 3' in lines
        assert "oldsoul_event_streams 0" in lines


def test_health_tells_what_is_degraded(tmp_path: Path) -> None:
    with serving(tmp_path, background=True) as served:
        (tmp_path / "home").chmod(0o700)
        (tmp_path / "home/config.yaml").chmod(0o600)
        assert served.get("/api/health").json()["degraded"] == []
        assert served.get("/api/health").json()["status"] == "ok"
        reader = served.soul.add_token("reader", person="acct:ann").secret
        (tmp_path / "home").chmod(0o755)
        found = served.get("/api/health").json()
        assert found["status"] == "degraded"
        assert [each["about"] for each in found["degraded"]] == ["permissions"]
        told = served.ask("GET", "/api/health", reader).json()
        assert (told["status"], told["degraded"], told["checks"]) == ("degraded", [], [])
