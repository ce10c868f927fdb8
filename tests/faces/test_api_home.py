"""The home over HTTP: agents, keepers, jobs, schedule, settings, people and tokens; and who may not."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from faces.api_home import MAIN, Api, api_of
from oldsoul.settings import describe

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CONFIG = "agents:\n  list:\n    - id: main\n    - id: ben\nteams:\n  - name: crew\n    members: [main, ben]\n"


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    with api_of(tmp_path, config=CONFIG) as made:
        yield made


def test_a_token_lists_the_agents_it_is_for(api: Api) -> None:
    every = {each["id"]: each["kind"] for each in api.get("/api/agents")["agents"]}
    assert every == {"main": "agent", "ben": "agent", "crew": "team", "_shared": "shared"}
    only = api.of("agent", "acct:ann", agent="ben")
    assert [each["id"] for each in only.get("/api/agents")["agents"]] == ["ben"]
    only.get("/api/agents/main/entries", 404)
    only.get("/api/agents/nobody/entries", 404)


def test_a_keeper_runs_as_a_job_that_can_be_watched(api: Api) -> None:
    names = [each["keeper"] for each in api.get(f"{MAIN}/keepers")["keepers"]]
    assert "memory-miner" in names
    job = api.post(f"{MAIN}/keepers/memory-miner/runs", 202)
    api.soul.job(job["id"]).wait()
    ended = api.get(f"/api/jobs/{job['id']}")
    assert (ended["state"], ended["agent"], ended["kind"]) == ("done", "main", "run")
    assert [each["id"] for each in api.get("/api/jobs")["jobs"]] == [job["id"]]
    assert api.get("/api/jobs", agent="ben")["jobs"] == []
    assert api.post(f"/api/jobs/{job['id']}/cancel") == {"id": job["id"], "stops": False}
    api.get("/api/jobs/0123456789abcdef", 404)
    api.post(f"{MAIN}/keepers/nobody/runs", 404)


def test_an_index_is_rebuilt_as_a_job(api: Api) -> None:
    api.post(f"{MAIN}/entries", 201, text="Deploys happen on Tuesdays")
    job = api.post(f"{MAIN}/index/rebuild", 202)
    assert api.soul.job(job["id"]).wait().result["documents"] > 0


def test_the_schedule_says_what_is_due(api: Api) -> None:
    lines = api.get("/api/schedule")["schedule"]
    assert {each["agent"] for each in lines} == {"main", "ben", "crew"}
    (miner,) = [each for each in api.get("/api/schedule", agent="ben")["schedule"] if each["job"] == "memory-miner"]
    assert miner["next"]["at"] > "2026-02-04"
    assert api.get(f"{MAIN}/keepers/memory-miner/runs")["runs"] == []


def test_a_setting_is_shown_set_and_unset(api: Api) -> None:
    path = "memory.search.query.max_results"
    (before,) = api.get("/api/settings", path=path)["settings"]
    assert before["source"] == "default"
    assert api.put(f"/api/settings/{path}", value=3) == {"path": path, "changed": True, "problems": []}
    (now,) = api.get("/api/settings", path=path)["settings"]
    assert now["value"] == 3
    assert api.soul.settings.memory.search.query.max_results == 3
    api.put(f"/api/settings/{path}", value=1)
    assert api.soul.settings.memory.search.query.max_results == 1
    assert api.delete(f"/api/settings/{path}")["changed"]
    assert api.get("/api/settings", path=path)["settings"] == [before]
    api.put("/api/settings/memory.nothing", 400, value=3)
    api.put(f"/api/settings/{path}", 400, value="many")


def test_a_setting_of_one_agent_is_its_own(api: Api) -> None:
    path = "memory.search.query.max_results"
    api("PUT", f"/api/settings/{path}?agent=ben", json={"value": 4})
    assert api.get("/api/settings", path=path, agent="ben")["settings"][0]["value"] == 4
    assert api.get("/api/settings", path=path)["settings"][0]["source"] == "default"
    api.get("/api/settings", 404, agent="nobody")
    api("PUT", f"/api/settings/{path}?agent=nobody", 404, json={"value": 4})
    assert "nobody" not in api.soul.agents()


def test_a_secret_is_never_returned(api: Api, tmp_path: Path) -> None:
    api = Api(api.client, api.soul, api.soul.log_in().secret)  # a token alone sets none
    with_secret = [each["path"] for each in api.get("/api/settings")["settings"] if each["secret"]]
    assert with_secret
    for path in with_secret:
        is_table = path.endswith("headers")
        api.put(f"/api/settings/{path}", value={"x-key": "hunter-two-hunter"} if is_table else "hunter-two-hunter")
    assert "hunter-two-hunter" in (tmp_path / "home/config.yaml").read_text()
    answer = api.client.get("/api/settings", headers=api.headers)
    assert answer.status_code == 200
    assert "hunter" not in answer.text


GUARDED = [each.path.replace("agents.list[]", "agents.ben") for each in describe() if each.guarded]
SENTENCE = "change it in config.yaml, at the command line, or on the page within 10 minutes of a login link that the command line gave"


def test_what_runs_programs_or_leads_out_of_the_home_is_not_changed_with_a_token(api: Api, tmp_path: Path) -> None:
    config = tmp_path / "home/config.yaml"
    agents = {each for each in describe() if each.guarded and each.where != "home" and "[]" not in each.path}
    given = api.soul.add_token("operator")
    callers = {
        "a token": api,
        "a browser that a token let in": Api(api.client, api.soul, api.soul.log_in(given.token).secret),
        "a browser that a token's link let in": Api(api.client, api.soul, _by_link_of(api)),
        "an agent": api.of("agent", "acct:owner"),
        "a reader": api.of("reader", "acct:owner"),
        "an operator of one agent": api.of("operator", agent="ben"),
    }
    assert len(GUARDED) > 20
    before = config.read_bytes()
    for name, caller in callers.items():
        for path in GUARDED:
            value = {"x": "y"} if path.endswith("headers") else "/etc/passwd"
            told = caller.put(f"/api/settings/{path}", 403, value=value)["detail"]
            told_too = caller.delete(f"/api/settings/{path}", 403)["detail"]
            if caller.secret in (api.secret, callers["a browser that a token let in"].secret):
                assert told.endswith(SENTENCE), name
                assert told_too.endswith(SENTENCE), name
    for each in agents:  # for one agent, by both ways to say so
        api("PUT", f"/api/settings/{each.path}?agent=ben", 403, json={"value": "/etc/passwd"})
        api.put(f"/api/settings/agents.ben.{each.path}", 403, value="/etc/passwd")
    for each in describe():
        for alias in each.aliases if each.guarded and "[]" not in each.path else ():
            api.put(f"/api/settings/{alias}", 403, value="/etc/passwd")
    assert config.read_bytes() == before


def _by_link_of(api: Api) -> str:
    given = {"code": api.post("/api/login-links")["url"].partition("code=")[2]}
    answer = api.client.post("/api/login/code", json=given)
    secret = f"{api.client.cookies['oldsoul']}.{answer.json()['key']}"
    api.client.cookies.clear()
    return secret


def test_it_is_changed_on_the_page_within_minutes_of_a_link_of_the_command_line(api: Api) -> None:
    page = Api(api.client, api.soul, api.soul.log_in().secret)
    path, value = "keepers.recall_handler", ["/usr/bin/true"]
    api.soul._home.world.clock.advance(timedelta(minutes=9, seconds=59))  # type: ignore[attr-defined]
    assert page.put(f"/api/settings/{path}", value=value)["changed"]
    assert page.delete(f"/api/settings/{path}")["changed"]
    # Neither a link nor another login that this page makes lasts any longer.
    later = Api(api.client, api.soul, _by_link_of(page))
    later.put(f"/api/settings/{path}", 403, value=value)
    api.soul._home.world.clock.advance(timedelta(seconds=1))  # type: ignore[attr-defined]
    page.put(f"/api/settings/{path}", 403, value=value)
    page.put("/api/settings/memory.short_term_days", value=9)
    api.put("/api/settings/memory.short_term_days", value=8)


def test_names_are_bound_to_accounts(api: Api) -> None:
    assert api.post("/api/people/bindings", 201, name="ext:telegram:7", account="acct:42")["account"] == "acct:42"
    known = {each["id"]: each["known_as"] for each in api.get("/api/people")["people"]}
    assert known["acct:42"] == ["ext:telegram:7"]
    assert api.delete("/api/people/bindings/ext:telegram:7") == {"name": "ext:telegram:7", "account": "acct:42"}
    api.delete("/api/people/bindings/ext:telegram:7", 404)


def test_a_token_is_made_used_and_revoked(api: Api) -> None:
    made = api.post("/api/tokens", 201, role="agent", person="acct:ann", name="phone", expires="2026-03-01T00:00:00Z")
    ann = Api(api.client, api.soul, made.pop("secret"))
    ann.get(f"{MAIN}/sessions")
    (listed,) = [each for each in api.get("/api/tokens")["tokens"] if each["id"] == made["id"]]
    assert listed == made
    api.delete(f"/api/tokens/{made['id']}")
    ann.get(f"{MAIN}/sessions", 401)
    api.delete(f"/api/tokens/{made['id']}", 404)
    api.post("/api/tokens", 400, role="agent")
    api.post("/api/tokens", 400, role="operator", expires="2020-01-01T00:00:00Z")


OPERATORS_ONLY: list[tuple[str, str, Any]] = [
    ("GET", "/api/jobs", None),
    ("GET", "/api/jobs/0123456789abcdef", None),
    ("POST", "/api/jobs/0123456789abcdef/cancel", None),
    ("GET", "/api/schedule", None),
    ("GET", "/api/settings", None),
    ("PUT", "/api/settings/timezone", {"value": "UTC"}),
    ("DELETE", "/api/settings/timezone", None),
    ("GET", "/api/people", None),
    ("POST", "/api/people/bindings", {"name": "ext:a:1", "account": "acct:1"}),
    ("DELETE", "/api/people/bindings/ext:a:1", None),
    ("GET", "/api/tokens", None),
    ("POST", "/api/tokens", {"role": "operator"}),
    ("DELETE", "/api/tokens/00000000", None),
    ("GET", f"{MAIN}/stats", None),
    ("GET", f"{MAIN}/export", None),
    ("POST", f"{MAIN}/corrections", {"statement": "It is so"}),
    ("DELETE", f"{MAIN}/corrections/abc", None),
    ("POST", f"{MAIN}/changes/1/undo", {}),
    ("POST", f"{MAIN}/soul/rollback", {"version": "1"}),
    ("POST", f"{MAIN}/proposals/abc/approve", {}),
    ("POST", f"{MAIN}/proposals/abc/reject", {}),
    ("POST", f"{MAIN}/keepers/memory-miner/runs", None),
    ("POST", f"{MAIN}/index/rebuild", None),
    ("DELETE", f"{MAIN}/messages/1", None),
    ("DELETE", f"{MAIN}/entries/abc?path=MEMORY.md", None),
]
WHOLE_FILES = [
    *("changes", "changes/1", "blame?path=MEMORY.md", "proposals", "proposals/abc", "soul/versions"),
    *("soul/diff?first=1", "corrections", "keepers", "keepers/memory-miner/runs", "skills"),
]


@pytest.mark.parametrize(("role", "person"), [("agent", "acct:ann"), ("reader", "acct:ann"), ("agent", "acct:owner")])
def test_only_operators_decide(api: Api, role: str, person: str) -> None:
    other = api.of(role, person)
    for method, path, body in OPERATORS_ONLY:
        more = {} if body is None else {"json": body}
        told = other(method, path, 403, **more)
        assert told["code"] == "refused", path


def test_whole_files_are_shown_to_those_who_see_what_is_the_operators(api: Api) -> None:
    ann, own = api.of("agent", "acct:ann"), api.of("agent", "acct:owner")
    for path in WHOLE_FILES:
        ann("GET", f"{MAIN}/{path}", 403)
        if path == "changes/1":  # its token has a number of its own for it
            path = f"changes/{own.get(f'{MAIN}/changes')['changes'][-1]['change']}"  # noqa: PLW2901
        own("GET", f"{MAIN}/{path}", 404 if path == "proposals/abc" else 200)


def test_an_operator_of_one_agent_has_no_hold_of_the_home(api: Api) -> None:
    only = api.of("operator", agent="ben")
    only.get("/api/tokens", 403)
    only.get("/api/agents/ben/changes")
    only.get(f"{MAIN}/changes", 404)


def test_a_field_that_is_not_known_is_refused(api: Api) -> None:
    told = api.post(f"{MAIN}/entries", 422, text="hello", colour="red")
    assert told["errors"] == [{"where": "body.colour", "message": "Extra inputs are not permitted"}]
    api.get(f"{MAIN}/entries", 422, colour="red")
