"""Conflicts over HTTP: both sides are shown, and the operator keeps one, the other or both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from faces.api_home import MAIN, Api, api_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MEMORY = b"""# Memory

- The proofing room is at 26 degrees <!--os aaaaaaaaaa seen=2026-02-03-->
- The proofing room is at 28 degrees <!--os bbbbbbbbbb seen=2026-02-04-->
"""


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    with api_of(tmp_path) as made:
        yield made


def found(api: Api, path: str = "MEMORY.md", text: bytes = MEMORY) -> dict[str, Any]:
    """The conflict that the detector finds in a file."""
    agent = api.soul.agent("main")
    agent.files.put(path, text)
    agent.run("conflict-detector")
    (one,) = api.get(f"{MAIN}/conflicts")["conflicts"]
    assert isinstance(one, dict)
    return one


def settled(api: Api, one: dict[str, Any], keep: str, status: int = 200) -> Any:
    return api.post(f"{MAIN}/conflicts/{one['conflict']}/settle", status, keep=keep)


def stands(api: Api, path: str = "MEMORY.md") -> list[str]:
    """The ids of the entries that were not replaced."""
    entries = api.get(f"{MAIN}/entries", path=path)["entries"]
    return [each["entry"][0] for each in entries if not each["superseded"]]


def test_a_conflict_is_shown_with_both_sides_as_they_stand(api: Api) -> None:
    one = found(api)
    assert (one["state"], one["outcome"]) == ("open", "open, for the operator to decide")
    assert {side["ref"]: (side["path"], side["line"], side["standing"]) for side in one["sides"]} == {
        "aaaaaaaaaa": ("MEMORY.md", 3, True),
        "bbbbbbbbbb": ("MEMORY.md", 4, True),
    }
    assert {side["seen"] for side in one["sides"]} == {"2026-02-03", "2026-02-04"}
    assert {side["audience"] for side in one["sides"]} == {"owner"}
    assert [each["id"] for each in api.get(f"{MAIN}/proposals")["proposals"]] == [one["proposal"]]


@pytest.mark.parametrize("keep", ["aaaaaaaaaa", "bbbbbbbbbb"])
def test_one_side_is_kept_and_the_other_goes_to_the_archive(api: Api, keep: str) -> None:
    one = found(api)
    change = settled(api, one, keep)
    assert change["author"] == "operator:acct:owner"
    assert stands(api) == [keep[0]]
    assert api.get(f"{MAIN}/conflicts")["conflicts"] == []
    (after,) = api.get(f"{MAIN}/conflicts", state="settled")["conflicts"]
    assert after["outcome"] == f"settled: the operator decided, {keep} stays"
    assert [side["standing"] for side in after["sides"]] == [side["ref"] == keep for side in one["sides"]]
    assert api.get(f"{MAIN}/proposals")["proposals"] == []
    texts = [hit["text"] for hit in api.post(f"{MAIN}/search", query="how warm is the proofing room?")["hits"]]
    assert not any("28" in text if keep[0] == "a" else "26" in text for text in texts if "Outcome" not in text)


def test_both_sides_are_kept_and_not_found_again(api: Api) -> None:
    one = found(api)
    settled(api, one, "both")
    assert stands(api) == ["a", "b"]
    api.soul.agent("main").run("conflict-detector")
    assert api.get(f"{MAIN}/conflicts")["conflicts"] == []


def test_what_was_settled_can_be_undone(api: Api) -> None:
    one = found(api)
    change = settled(api, one, "bbbbbbbbbb")["change"]
    api.post(f"{MAIN}/changes/{change}/undo")
    assert sorted(stands(api)) == ["a", "b"]
    assert api.get(f"{MAIN}/conflicts")["conflicts"][0]["state"] == "open"


def test_a_conflict_of_a_room_is_settled_in_its_file(api: Api) -> None:
    one = found(api, "rooms/bakery.md", MEMORY)
    settled(api, one, "bbbbbbbbbb")
    assert stands(api, "rooms/bakery.md") == ["b"]


def test_a_conflict_is_settled_once_and_by_its_own_sides(api: Api) -> None:
    one = found(api)
    assert "keep one of" in settled(api, one, "zzzzzzzzzz", 400)["detail"]
    settled(api, one, "both")
    settled(api, one, "both", 409)
    api.post(f"{MAIN}/conflicts/zzzzzzzzzz/settle", 404, keep="both")


def test_a_block_that_a_person_wrote_is_settled_too(api: Api) -> None:
    agent = api.soul.agent("main")
    agent.files.put("CONFLICTS.md", b"# Conflicts\n\n## 2026-02-04 10:00 UTC\n\n**One:** a\n**Other:** b\n")
    (one,) = api.get(f"{MAIN}/conflicts")["conflicts"]
    settled(api, one, "both")
    assert b"**Outcome:** settled: the operator decided, both stay" in (agent.files.show("CONFLICTS.md").data or b"")
