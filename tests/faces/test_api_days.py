"""Days and rooms over HTTP: what was said, learnt and changed on each day, and one day whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from faces.api_home import MAIN, Api, api_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SESSION = b"""---
created_at: 2026-02-03T12:00:00Z
summary: "The ovens"
tasks: "1/3"
follow_ups: "0/1"
session_id: "one"
---

# 2026-02-03 Short-Term Memory

## Tasks

- [x] Clean the oven
- [ ] Order flour
- [ ] Call the mill

## Follow Ups

- [ ] Ask how the rye turned out
"""


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    with api_of(tmp_path) as made:
        yield made


def test_days_are_counted_and_quiet_ones_left_out(api: Api) -> None:
    api.soul.agent("main").files.put("memory/2026-02-03/one.md", SESSION)
    api.post(f"{MAIN}/sessions/one/messages", 201, text="The rye is good", time="2026-02-03T23:59:00Z")
    api.post(f"{MAIN}/sessions/one/messages", 201, text="The rye is better", time="2026-02-04T00:00:00Z")
    api.post(f"{MAIN}/sessions/two/messages", 201, text="Good morning", time="2026-02-04T08:00:00Z")
    api.post(f"{MAIN}/entries", 201, text="The meeting is on Tuesday")
    api.post(f"{MAIN}/corrections", 201, statement="The meeting is on Thursday, not on Tuesday")
    found = api.get(f"{MAIN}/days", since="2026-02-01")
    assert (found["since"], found["until"]) == ("2026-02-01", "2026-02-04")
    today, before = found["days"]
    assert (today["day"], today["messages"], today["sessions"]) == ("2026-02-04", 3, 3)  # the correction too
    assert (today["learnt"], today["corrected"]) == (1, 1)
    assert today["changes"] >= 2
    assert (before["day"], before["messages"], before["sessions"]) == ("2026-02-03", 1, 1)
    assert (before["open_tasks"], before["open_follow_ups"]) == (2, 1)


def test_a_day_begins_when_it_does_where_the_agent_is(tmp_path: Path) -> None:
    with api_of(tmp_path, config="agents: {list: [{id: main}]}\n") as api:
        (tmp_path / "home/config.yaml").write_text("timezone: Asia/Kathmandu\n")
        api.post(f"{MAIN}/sessions/one/messages", 201, text="Good night", time="2026-02-03T18:14:00Z")
        api.post(f"{MAIN}/sessions/one/messages", 201, text="Good morning", time="2026-02-03T18:16:00Z")
        days = api.get(f"{MAIN}/days")["days"]
    assert [(each["day"], each["messages"]) for each in days if each["messages"]] == [
        ("2026-02-04", 1),
        ("2026-02-03", 1),
    ]


def test_one_day_has_its_log_sessions_tasks_and_what_was_learnt(api: Api) -> None:
    agent = api.soul.agent("main")
    agent.files.put("memory/2026-02-04/one.md", SESSION)
    agent.talk.append_daily_log("The oven was cleaned")
    api.post(f"{MAIN}/sessions/one/messages", 201, text="The rye is better")
    api.post(f"{MAIN}/sessions/two/messages", 201, text="Good morning")
    made = api.post(f"{MAIN}/entries", 201, text="Rye comes from the mill")
    found = api.get(f"{MAIN}/days/2026-02-04")
    assert [(each["path"], "oven was cleaned" in each["text"]) for each in found["logs"]] == [
        ("memory/2026-02-04.md", True)
    ]
    one, two = found["sessions"]
    assert (one["session"], one["messages"], one["summary"]) == ("one", 1, "The ovens")
    assert [(task["text"], task["done"]) for task in one["tasks"]] == [
        ("Clean the oven", True),
        ("Order flour", False),
        ("Call the mill", False),
    ]
    assert [task["text"] for task in one["follow_ups"]] == ["Ask how the rye turned out"]
    assert (two["session"], two["path"], two["tasks"]) == ("two", None, [])
    assert [each["entry"] for each in found["learnt"]] == [made["entry"]]


def test_a_day_on_which_nothing_happened_is_empty(api: Api) -> None:
    assert api.get(f"{MAIN}/days/2020-01-01") == {"day": "2020-01-01", "logs": [], "sessions": [], "learnt": []}
    api.get(f"{MAIN}/days/0001-01-01", 400)
    api.get(f"{MAIN}/days/9999-12-31", 400)


def test_only_so_many_days_are_counted_at_once_and_in_order(api: Api) -> None:
    api.get(f"{MAIN}/days", 400, since="2020-01-01")
    api.get(f"{MAIN}/days", 400, since="2026-02-04", until="2026-02-03")
    api.get(f"{MAIN}/days", 400, until="0001-01-02")


def test_rooms_with_messages_and_rooms_with_files_are_listed(api: Api) -> None:
    api.soul.agent("main").files.put("rooms/bakery.md", b"# Room\n\n- Rye on Sundays\n")
    api.post(f"{MAIN}/sessions/g1/messages", 201, text="Hello all", room="dev", subject="acct:ann")
    api.post(f"{MAIN}/sessions/g2/messages", 201, text="Hello bakers", room="bakery", subject="acct:ann")
    found = api.get(f"{MAIN}/rooms")["rooms"]
    assert [(each["room"], each["messages"], each["path"]) for each in found] == [
        ("bakery", 1, "rooms/bakery.md"),
        ("dev", 1, None),
    ]
