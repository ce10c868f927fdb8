"""Keepers, jobs, spending, tools and services over HTTP, as a page about them needs it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from faces.api_home import MAIN, NOON, Api, api_of
from oldsoul.errors import Unavailable
from oldsoul.testing import ScriptedModel
from oldsoul.values.models import Call

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TWO = "agents: {list: [{id: main}, {id: scout}]}\n"


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    with api_of(tmp_path, config=TWO) as made:
        yield made


def test_a_dry_run_shows_what_a_keeper_would_write_and_writes_nothing(api: Api) -> None:
    text = b"# Memory\n\n- The room is at 26 degrees <!--os aaaaaaaaaa-->\n- The room is at 28 degrees <!--os bbbbbbbbbb-->\n"
    api.soul.agent("main").files.put("MEMORY.md", text)
    (report,) = api.post(f"{MAIN}/keepers/conflict-detector/dry-run")["runs"]
    first = report["steps"][0]
    assert (first["files"], first["waits"], first["change"]) == (["CONFLICTS.md"], False, None)
    assert "+**One:**" in first["diff"]
    assert api.get(f"{MAIN}/conflicts")["conflicts"] == []
    assert api.get(f"{MAIN}/proposals")["proposals"] == []


def test_runs_of_all_keepers_are_listed_the_latest_first(api: Api) -> None:
    scheduler = api.soul.scheduler()
    scheduler.tick()
    api.soul._home.world.clock.advance(timedelta(days=1))  # type: ignore[attr-defined]
    scheduler.tick()
    first = api.get(f"{MAIN}/runs", limit=2)
    rest = api.get(f"{MAIN}/runs", cursor=first["next"])
    runs = [*first["runs"], *rest["runs"]]
    assert len({each["keeper"] for each in runs}) > 1
    assert [each["at"] for each in runs] == sorted((each["at"] for each in runs), reverse=True)
    assert all(each["cost"] == 0 for each in runs)


def test_a_token_for_one_agent_sees_the_jobs_and_the_schedule_of_that_agent(api: Api) -> None:
    ours = api.post(f"{MAIN}/index/rebuild", 202)["id"]
    theirs = api.post("/api/agents/scout/index/rebuild", 202)["id"]
    one = api.of("operator", agent="main")
    assert [each["id"] for each in one.get("/api/jobs")["jobs"]] == [ours]
    assert one.get(f"/api/jobs/{ours}")["agent"] == "main"
    unknown = one.get(f"/api/jobs/{'0' * 16}", 404)["detail"].replace("0" * 16, theirs)
    assert one.get(f"/api/jobs/{theirs}", 404)["detail"] == unknown
    one.post(f"/api/jobs/{theirs}/cancel", 404)
    one.get("/api/jobs", 404, agent="scout")
    assert {each["agent"] for each in one.get("/api/schedule")["schedule"]} == {"main"}
    assert {each["agent"] for each in api.get("/api/schedule")["schedule"]} == {"main", "scout"}
    assert {each["id"] for each in api.get("/api/jobs")["jobs"]} == {ours, theirs}


def test_spending_is_told_day_by_day_and_keeper_by_keeper(api: Api) -> None:
    spending = api.soul._home.world.records.spending
    spending.note(Call(NOON, "m", 100, 10, 0.25, "memory-miner"))
    spending.note(Call(NOON, "m", 200, 20, 0.5, "reply"))
    spending.note(Call(NOON - timedelta(days=2), "m", 1, 2, 0.125, "reply"))
    spending.note(Call(NOON - timedelta(days=99), "m", 1, 2, 1.0, "reply"))
    today, before = api.get("/api/spending")["days"]
    assert today == {
        "day": "2026-02-04",
        "questions": 2,
        "tokens_in": 300,
        "tokens_out": 30,
        "cost": 0.75,
        "costs": {"memory-miner": 0.25, "reply": 0.5},
    }
    assert (before["day"], before["cost"]) == ("2026-02-02", 0.125)
    assert len(api.get("/api/spending", since="2025-10-01")["days"]) == 3
    api.get("/api/spending", 400, since="2020-01-01")


def test_the_tools_of_an_agent_are_listed(api: Api) -> None:
    found = {each["name"]: each for each in api.get(f"{MAIN}/tools")["tools"]}
    assert found["memory_search"]["parameters"]["required"] == ["query"]
    assert found["memory_search"]["needs"] == "see"
    assert found["write_memory"]["needs"] == "tell"


def test_without_a_model_the_bundled_embedder_works_and_the_model_is_off(api: Api) -> None:
    embedder, model = api.post("/api/health/try")["tried"]
    assert (embedder["about"], embedder["state"]) == ("embedder", "works")
    assert embedder["message"] == "bundled; no text leaves this machine"
    assert (model["about"], model["state"]) == ("model", "off")
    assert embedder["seconds"] >= 0


def test_a_model_that_answers_works_and_one_that_does_not_says_why(api: Api) -> None:
    world: Any = api.soul._home.world
    world.models.own_model = ScriptedModel(
        '{"ready": true}', "Certainly!", Unavailable("the model is out of reach; start it")
    )
    works, chats, fails = (api.post("/api/health/try")["tried"][1] for _ in range(3))
    assert works["state"] == "works"
    assert (chats["state"], "choose another" in chats["message"]) == ("failed", True)
    assert (fails["state"], fails["message"]) == ("failed", "the model is out of reach; start it")


def test_an_embedder_that_cannot_be_reached_says_why(tmp_path: Path) -> None:
    config = (
        "memory: {search: {provider: ollama, model: none, fallback: none, remote: {base_url: 'http://127.0.0.1:9'}}}\n"
    )
    with api_of(tmp_path, config=config) as api:
        embedder = api.post("/api/health/try")["tried"][0]
    assert embedder["state"] == "failed"
    assert "127.0.0.1:9" in embedder["message"]
