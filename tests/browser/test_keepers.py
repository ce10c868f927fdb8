"""Keepers in the browser: try one dry, run it, stop it, see what its runs did and cost."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from browser.ground import AGENT, NARROW

if TYPE_CHECKING:
    from playwright.sync_api import Route

    from browser.ground import Opened, Server

KEEPERS = f"/agents/{AGENT}/keepers"
JOB = {
    "id": "0123456789abcdef",
    "kind": "run",
    "agent": AGENT,
    "state": "running",
    "done": 3,
    "of": 12,
    "result": {},
    "error": "",
    "can_cancel": True,
    "queued": "2026-03-14T09:00:00+00:00",
    "ended": None,
}


def test_a_keeper_is_tried_dry_and_then_run(opened: Opened, server: Server) -> None:
    log = server.workspace / "memory/2020-01-02.md"
    log.write_text("# 2020-01-02\n\n- The old oven was sold to a school.\n")
    page = opened(f"{KEEPERS}?keeper=memory-compactor")
    page.get_by_role("button", name="Dry run", exact=True).click()
    dry = page.get_by_role("region", name=re.compile("^Dry run"))
    expect(dry.get_by_role("figure", name="Difference in memory/2020-01-02.md")).to_be_visible()
    assert log.exists(), "a dry run writes nothing"

    page.keyboard.press("n")
    expect(page.get_by_text(re.compile(r"^Done: \d+ change"))).to_be_visible()
    assert not log.exists()
    changed = page.get_by_role("region", name=re.compile("^What it changed"))
    latest = changed.get_by_role("listitem").filter(has_text="Archive/Daily/2020-01-02.md").first
    latest.get_by_role("button").click()
    expect(latest.get_by_text("The old oven was sold to a school.").first).to_be_visible()


def test_a_run_shows_how_far_it_is_and_stops(opened: Opened) -> None:
    page = opened(f"{KEEPERS}?keeper=memory-miner")
    state = dict(JOB)

    def jobs(route: Route) -> None:
        if route.request.url.endswith("/cancel"):
            state.update(state="cancelled", can_cancel=False)
            answer: object = {"id": state["id"], "stops": True}
        else:
            answer = {"jobs": [state], "next": None} if route.request.method == "GET" else state
        route.fulfill(status=200, content_type="application/json", body=json.dumps(answer))

    page.route("**/api/jobs*", jobs)
    page.route("**/api/jobs/**", jobs)
    page.route(
        "**/keepers/memory-miner/runs",
        lambda route: jobs(route) if route.request.method == "POST" else route.fallback(),
    )
    page.get_by_role("button", name="Run now").click()
    expect(page.get_by_text("memory-miner runs, step 3 of 12")).to_be_visible()
    expect(page.get_by_role("button", name="Run now")).to_be_disabled()
    state["done"] = 4
    expect(page.get_by_text("memory-miner runs, step 4 of 12")).to_be_visible()
    page.reload()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Stopped. What was done so far is kept.")).to_be_visible()
    expect(page.get_by_role("button", name="Run now")).to_be_enabled()


def test_runs_say_what_went_wrong_and_what_they_cost(opened: Opened) -> None:
    page = opened(KEEPERS)
    expect(page.get_by_role("img", name=re.compile("^Cost of each day"))).to_be_visible()
    page.get_by_text("As a table").click()
    table = page.get_by_role("table", name="Cost of each day")
    assert table.get_by_role("row").count() > 5
    expect(table.get_by_role("columnheader", name="Questions")).to_be_visible()
    failed = page.get_by_role("region", name="Last runs").get_by_role("listitem").filter(has_text="Failed").first
    expect(failed).to_contain_text("language model")
    failed.get_by_role("button").click()
    expect(page).to_have_url(re.compile(r"\?keeper="))
    expect(page.get_by_role("region", name=re.compile("^Runs"))).to_be_visible()


def test_on_a_phone_there_is_one_pane(opened: Opened) -> None:
    page = opened(KEEPERS, size=NARROW)
    page.get_by_role("button", name="soul-keeper").first.click()
    expect(page.get_by_role("heading", name="soul-keeper")).to_be_visible()
    expect(page.get_by_role("navigation", name="Keepers")).to_be_hidden()
    page.get_by_role("button", name="All keepers").click()
    expect(page.get_by_role("navigation", name="Keepers")).to_be_visible()
