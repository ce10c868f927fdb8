"""Entries over HTTP: filtered, ordered, looked at with their history, and edited."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from faces.api_home import MAIN, Api, api_of
from oldsoul.values.changes import ChangeSet, Move
from oldsoul.values.names import Name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SURE = b"""# Memory

- The boat is green (added 2026-01-05) #knowledge <!--os aaaaaaaaaa conf=0.4 seen=2026-02-03 origin=participant-->
- The mast is tall (added 2026-01-20) #decision <!--os bbbbbbbbbb conf=0.9 seen=2026-01-20-->
- The anchor is old <!--os cccccccccc conf=0.7 seen=2026-02-01-->
"""


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    with api_of(tmp_path) as made:
        yield made


def listed(api: Api, **wanted: object) -> str:
    """The first letters of the ids of what is listed, in order."""
    found = api.get(f"{MAIN}/entries", path="MEMORY.md", **wanted)["entries"]
    return "".join(each["entry"][0] for each in found)


def test_entries_are_ordered_by_days_and_by_confidence(api: Api) -> None:
    api.soul.agent("main").files.put("MEMORY.md", SURE)
    assert listed(api) == "abc"
    assert listed(api, descending=True) == "cba"
    assert listed(api, order="seen") == "bca"
    assert listed(api, order="seen", descending=True) == "acb"
    assert listed(api, order="confidence") == "acb"
    assert listed(api, order="confidence", descending=True) == "bca"


def test_entries_without_a_date_come_last_in_either_direction(api: Api) -> None:
    api.soul.agent("main").files.put("MEMORY.md", SURE)
    assert listed(api, order="added") == "abc"
    assert listed(api, order="added", descending=True) == "bac"


def test_entries_are_filtered_by_how_sure_they_are(api: Api) -> None:
    api.soul.agent("main").files.put("MEMORY.md", SURE)
    assert listed(api, at_most=0.5) == "a"
    assert listed(api, confidence=0.5, at_most=0.8) == "c"
    api.get(f"{MAIN}/entries", 422, order="length")


def test_ordered_entries_come_page_by_page(api: Api) -> None:
    api.soul.agent("main").files.put("MEMORY.md", SURE)
    first = api.get(f"{MAIN}/entries", path="MEMORY.md", order="seen", limit=2)
    second = api.get(f"{MAIN}/entries", path="MEMORY.md", order="seen", limit=2, cursor=first["next"])
    assert [each["entry"][0] for page in (first, second) for each in page["entries"]] == ["b", "c", "a"]
    assert (first["total"], second["next"]) == (3, None)


def test_an_entry_is_edited_and_keeps_its_date_tag_and_id(api: Api) -> None:
    made = api.post(f"{MAIN}/entries", 201, text="Deploys happen on Tuesdays", tag="decision")
    place = f"{MAIN}/entries/{made['entry']}?path=MEMORY.md"
    seen = api("GET", place)
    assert (seen["words"], seen["tag"]) == ("Deploys happen on Tuesdays", "decision")
    edited = api("PATCH", place, json={"text": "Deploys happen on Thursdays", "base": seen["version"]})
    after = api("GET", place)
    assert after["text"] == "Deploys happen on Thursdays (added 2026-02-04) #decision"
    assert [(step["before"], step["after"]) for step in after["history"]] == [
        (seen["text"], after["text"]),
        (None, seen["text"]),
    ]
    assert after["history"][0]["change"] == edited["change"]
    assert after["history"][0]["author"] == "operator:acct:owner"
    api.post(f"{MAIN}/changes/{edited['change']}/undo")
    assert api("GET", place)["text"] == seen["text"]


def test_an_entry_is_shown_by_its_id_alone(api: Api) -> None:
    made = api.post(f"{MAIN}/entries", 201, text="Deploys happen on Tuesdays")
    assert api("GET", f"{MAIN}/entries/{made['entry']}")["path"] == "MEMORY.md"
    api("GET", f"{MAIN}/entries/zzzzzzzzzz", 404)


def test_the_lines_below_an_entry_stay_when_it_is_edited(api: Api) -> None:
    api.soul.agent("main").files.put("MEMORY.md", b"# Memory\n\n- The boat <!--os aaaaaaaaaa-->\n  - green\n  - old\n")
    place = f"{MAIN}/entries/aaaaaaaaaa?path=MEMORY.md"
    assert api("GET", place)["words"] == "The boat"
    api("PATCH", place, json={"text": "The ship #decision"})
    after = api("GET", place)
    assert after["text"] == "The ship #decision\n  - green\n  - old"
    assert after["tag"] == "decision"


def test_an_entry_that_has_changed_meanwhile_is_not_edited(api: Api) -> None:
    made = api.post(f"{MAIN}/entries", 201, text="Deploys happen on Tuesdays")
    place = f"{MAIN}/entries/{made['entry']}?path=MEMORY.md"
    seen = api("GET", place)["version"]
    api.post(f"{MAIN}/entries", 201, text="The harbour freezes in January")
    api("PATCH", place, 409, json={"text": "Deploys happen on Thursdays", "base": seen})
    assert "Tuesdays" in api("GET", place)["text"]


def test_entries_of_logs_and_unknown_entries_are_not_edited(api: Api) -> None:
    api.post(f"{MAIN}/corrections", 201, statement="The meeting is on Thursday, not on Tuesday")
    (one,) = api.get(f"{MAIN}/corrections")["corrections"]
    place = f"{MAIN}/entries/{one['id']}?path=CORRECTIONS.md"
    assert "Thursday" in api("GET", place)["text"]
    assert "is a log" in api("PATCH", place, 400, json={"text": "The meeting is on Friday"})["detail"]
    api("PATCH", f"{MAIN}/entries/zzzzzzzzzz?path=MEMORY.md", 404, json={"text": "x"})
    api("GET", f"{MAIN}/entries/zzzzzzzzzz?path=MEMORY.md", 404)


def test_the_history_of_an_entry_follows_it_from_the_file_it_came_from(api: Api) -> None:
    made = api.post(f"{MAIN}/entries", 201, text="Deploys happen on Tuesdays")
    agent = api.soul.agent("main")
    name, found = agent.memory.find(made["entry"])[0]
    archive = Name("main", "Archive/Memory/2026-02.md")
    agent._parts.home.ledger.apply(
        ChangeSet((Move(name, found.id, to=archive),), agent.caller.author, "archived", "move:1")
    )
    moved = api("GET", f"{MAIN}/entries/{made['entry']}?path=Archive/Memory/2026-02.md")
    assert [step["reason"] for step in moved["history"]] == ["archived", moved["history"][1]["reason"]]
    assert moved["history"][0]["before"] == moved["history"][0]["after"]
    assert moved["history"][1]["before"] is None
    assert moved["history"][1]["change"] == made["change"]


def test_how_much_an_entry_was_used_is_told(api: Api) -> None:
    made = api.post(f"{MAIN}/entries", 201, text="Deploys happen on Tuesdays")
    place = f"{MAIN}/entries/{made['entry']}?path=MEMORY.md"
    assert api("GET", place)["used"] is None
    api.post(f"{MAIN}/search", query="when do we deploy?")
    assert api("GET", place)["used"]["times"] == 1


def test_a_file_is_shown_as_it_was_after_a_change_and_each_file_has_its_diff(api: Api) -> None:
    first = api.post(f"{MAIN}/entries", 201, text="Deploys happen on Tuesdays")["change"]
    api.post(f"{MAIN}/entries", 201, text="The harbour freezes in January")
    then = api.get(f"{MAIN}/changes/{first}/file", path="MEMORY.md")
    assert "Tuesdays" in then["text"]
    assert "harbour" not in then["text"]
    whole = api.get(f"{MAIN}/changes/{first}")
    assert [each["path"] for each in whole["diffs"]] == [each["path"] for each in whole["files"]]
    assert then["version"] == next(each["after"] for each in whole["files"] if each["path"] == "MEMORY.md")
    api.get(f"{MAIN}/changes/{first}/file", 404, path="rooms/none.md")
