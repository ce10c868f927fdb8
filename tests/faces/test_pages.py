"""The dashboard's files as the server gives them, and how a browser logs in."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from faces.served import code, serving
from oldsoul import __version__
from oldsoul.errors import Refused
from oldsoul.values.callers import CallerRole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from faces.served import Served

FACE = "http://127.0.0.1"
FILES = "/api/workspace/main/files"
PAGE = "<!doctype html><title>Oldsoul</title>"
SCRIPT = "console.log('it runs')\n" * 200


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with a small dashboard, asked without a token."""
    folder = tmp_path_factory.mktemp("pages")
    web = folder / "web"
    (web / "assets").mkdir(parents=True)
    (web / "index.html").write_text(PAGE)
    (web / "favicon.svg").write_text("<svg/>")
    (web / "assets/index-1a2b.js").write_text(SCRIPT)
    (web / "assets/index-1a2b.css").write_text("body {}")
    (folder / "secret.txt").write_text("top secret")
    (web / "link.txt").symlink_to(folder / "secret.txt")
    config = "agents: {list: [{id: main, display_name: Juniper}, {id: scout}]}\n"
    with serving(folder, config, web=web) as made:
        del made.client.headers["authorization"]
        yield made


ROUTER = (Path(__file__).parents[2] / "web/src/router.tsx").read_text("utf-8")
ADDRESSES = [
    *(path.replace("$agent", "main") for path in re.findall(r'path: "(/[^"]*)"', ROUTER)),
    *(f"/agents/main/{name}" for name in re.findall(r'screen\("([a-z]+)"', ROUTER)),
]


@pytest.mark.parametrize("path", [*ADDRESSES, "/agents/caf%C3%A9/days"])
def test_the_page_is_there_for_everybody_at_every_address_of_the_dashboard(served: Served, path: str) -> None:
    answer = served.client.get(f"{FACE}{path}")
    assert (answer.status_code, answer.text) == (200, PAGE)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    again = served.client.get(path, headers={"if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.headers["cache-control"]) == (304, "no-cache")


def test_scripts_and_styles_have_their_type_and_are_kept_for_good(served: Served) -> None:
    script = served.client.get("/assets/index-1a2b.js", headers={"accept-encoding": "gzip"})
    assert script.text == SCRIPT
    assert script.headers["content-encoding"] == "gzip"
    assert script.headers["content-type"] == "text/javascript; charset=utf-8"
    assert script.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert (
        "content-encoding"
        not in served.client.get("/assets/index-1a2b.js", headers={"accept-encoding": "identity"}).headers
    )
    assert served.client.head("/assets/index-1a2b.css").headers["content-type"] == "text/css; charset=utf-8"
    assert served.client.get("/favicon.svg").headers["content-type"] == "image/svg+xml"
    assert served.client.get("/favicon.svg").headers["cache-control"] == "no-cache"


def test_a_script_of_an_earlier_build_is_not_the_page(served: Served) -> None:
    assert code(served.client.get("/assets/index-0000.js")) == (404, "unknown_path")


UNKNOWN = (
    *("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp", "/register", "/authorize"),
    *(
        "/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration",
        "/openapi.json",
        "/docs",
        "/redoc",
    ),
    *("/apis", "//api", "/agents", "/agents/main/files/SOUL.md", "/login/x", "/Login", "/index.htm", "/favicon.ico"),
)


@pytest.mark.parametrize("path", UNKNOWN)
def test_where_nothing_is_everybody_is_told_so_as_json(served: Served, path: str) -> None:
    secret = served.soul.add_token("operator").secret
    for method in ("GET", "HEAD", "POST", "DELETE"):
        for given in ("", secret):
            answer = served.ask(method, f"{FACE}{path}", given, headers={"accept": "text/html"})
            told = code(answer) if method != "HEAD" else (answer.status_code, "unknown_path")
            assert told == (404, "unknown_path"), (method, given)


@pytest.mark.parametrize("path", ["/api", "/api/nothing", "/mcp", "/metrics", "/mcp/x"])
def test_the_rest_of_the_server_still_needs_a_token(served: Served, path: str) -> None:
    assert code(served.client.get(path)) == (401, "no_token")
    secret = served.soul.add_token("operator").secret
    assert code(served.ask("GET", "/api/nothing", secret)) == (404, "unknown_path")
    assert code(served.ask("GET", "/api/logout", secret)) == (405, "wrong_method")


def test_nothing_can_be_sent_to_the_page(served: Served) -> None:
    assert code(served.client.post("/", json={})) == (401, "no_token")
    assert code(served.ask("POST", "/", served.soul.add_token("operator").secret)) == (404, "unknown_path")


def test_pages_of_others_cannot_ask_for_the_page(served: Served) -> None:
    assert code(served.client.get("/", headers={"host": "evil.example"})) == (421, "wrong_host")
    assert code(served.client.get("/", headers={"origin": "http://evil.example"})) == (403, "wrong_origin")


@pytest.mark.parametrize(
    "path",
    [
        *("/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/assets/../../secret.txt", "/link.txt"),
        *("/assets/..%2f..%2fsecret.txt", "/..%5csecret.txt", "/assets/%2fetc%2fpasswd", "//etc/passwd", "/x%00.txt"),
        *("/assets/%00", "/assets/" + "a" * 300, "/%ff%fe", "/assets/%ED%A0%80.js", "/assets", "/assets/", "/~"),
    ],
)
def test_no_path_leads_out_of_the_folder(served: Served, path: str) -> None:
    answer = served.client.get(f"{FACE}{path}")
    assert "secret" not in answer.text
    assert "root:" not in answer.text
    assert answer.text == PAGE or code(answer) == (404, "unknown_path")


def test_without_a_build_the_page_says_what_to_do(tmp_path: Path) -> None:
    with serving(tmp_path, web=tmp_path / "none") as served:
        for path in ("/", "/login", "/agents/main"):
            answer = served.get(path)
            assert answer.status_code == 404
            assert "`make web`" in answer.text
            assert answer.text.count("\n") == 1
            assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        assert served.get(FILES).is_success


# logging in


def test_a_login_link_is_the_page_which_hands_the_code_in(served: Served) -> None:
    assert served.client.get("/login?code=any").text == PAGE
    assert code(served.client.post("/api/login/code", json={"code": "any"})) == (401, "no_code")


@pytest.mark.parametrize(("role", "days"), [("operator", None), ("reader", 3), ("reader", 90)])
def test_a_token_gives_a_browser_its_own_with_the_same_rights(served: Served, role: str, days: int | None) -> None:
    now = served.soul._home.world.clock.now()
    person = "acct:owner" if role == "operator" else "acct:ann"
    given = served.soul.add_token(
        role, person=person, agent="scout", expires=now + timedelta(days=days) if days else None
    )
    answer = served.ask("POST", "/api/login", given.secret)
    assert answer.status_code == 200
    assert "HttpOnly" in answer.headers["set-cookie"]
    assert "SameSite=strict" in answer.headers["set-cookie"]
    assert f"Max-Age={min(days or 30, 30) * 24 * 60 * 60};" in answer.headers["set-cookie"]
    secret = f"{served.client.cookies['oldsoul']}.{answer.json()['key']}"
    served.client.cookies.clear()
    assert secret != given.secret
    made = served.soul.check_token(secret)
    assert (made.role, made.person, made.agent) == (given.token.role, given.token.person, "scout")
    assert made.expires == now + timedelta(days=min(days or 30, 30))
    assert made.name == "browser"
    served.soul.revoke_token(given.token.id)
    with pytest.raises(Refused):
        served.soul.check_token(secret)
    assert made.id not in [token.id for token in served.soul.tokens()]


def test_the_token_of_an_agent_logs_no_browser_in(served: Served) -> None:
    given = served.soul.add_token("agent", person="acct:owner")
    assert code(served.ask("POST", "/api/login", given.secret)) == (403, "refused")
    assert code(served.ask("POST", "/api/login", "os_wrong")) == (401, "no_token")


def test_a_token_is_told_whose_it_is_and_which_agents_it_may_use(served: Served) -> None:
    main = {"id": "main", "display_name": "Juniper", "kind": "agent", "default": True}
    scout = {"id": "scout", "display_name": "scout", "kind": "agent", "default": False}
    one = served.soul.add_token(CallerRole.READER, person="acct:ann", agent="scout").secret
    assert json.loads(served.ask("GET", "/api/me", one).content) == {
        "role": "reader",
        "person": "acct:ann",
        "agent": "scout",
        "agents": [scout],
        "version": __version__,
    }
    every = served.ask("GET", "/api/me", served.soul.add_token("operator").secret).json()
    assert (every["role"], every["person"], every["agent"]) == ("operator", "acct:owner", None)
    assert every["agents"][:2] == [main, scout]
