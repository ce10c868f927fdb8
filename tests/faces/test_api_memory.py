"""Memory over HTTP: entries, corrections, search, context, skills, history, review and the soul."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

import pytest

from faces.api_home import MAIN, Api, api_of
from oldsoul.values.audience import PUBLIC
from oldsoul.values.changes import Add, Author, ChangeSet, Evidence, Role
from oldsoul.values.names import Name
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    with api_of(tmp_path) as made:
        yield made


def proposed(api: Api) -> str:
    """The id of a proposal to change SOUL.md."""
    api.soul.agent("main").files.put("SOUL.md", b"# Soul\n\n- Kind.\n")
    evidence = (Evidence("m:1", Origin.OPERATOR, PUBLIC),)
    change = ChangeSet(
        (Add(Name("main", "SOUL.md"), "Calm."),), Author(Role.KEEPER, "soul-keeper"), "calm", "p:1", evidence
    )
    api.soul.agent("main")._parts.home.ledger.apply(change)
    return str(api.get(f"{MAIN}/proposals")["proposals"][0]["id"])


def test_what_is_remembered_is_listed_and_found(api: Api) -> None:
    made = api.post(f"{MAIN}/entries", 201, text="Deploys happen on Tuesdays", tag="decision")
    listed = api.get(f"{MAIN}/entries", tag="decision")
    found = api.post(f"{MAIN}/search", query="when do we deploy?", explain=True)
    assert [each["entry"] for each in listed["entries"]] == [made["entry"]]
    assert listed["total"] == 1
    assert listed["next"] is None
    assert found["hits"][0]["text"].startswith("Deploys happen on Tuesdays")
    assert found["hits"][0]["why"]
    assert (found["hits"][0]["entry"], found["hits"][0]["audience"]) == (made["entry"], "owner")


def test_a_repeated_key_adds_nothing(api: Api) -> None:
    first = api.post(f"{MAIN}/entries", 201, text="Mia is the cat", key="one")
    again = api.post(f"{MAIN}/entries", 201, text="Mia is the cat", key="one")
    assert (first["entry"], first["repeated"]) == (again["entry"], False)
    assert again["repeated"]


def test_entries_come_page_by_page(api: Api) -> None:
    for number in range(5):
        api.post(f"{MAIN}/entries", 201, text=f"Fact number {number} about the harbour of town {number}")
    texts, cursor = [], ""
    while cursor is not None:
        page = api.get(f"{MAIN}/entries", path="MEMORY.md", limit=2, cursor=cursor)
        assert len(page["entries"]) <= 2
        texts += [each["text"] for each in page["entries"]]
        cursor = page["next"]
    assert len(texts) == len(set(texts)) == 5


def test_a_forgotten_entry_is_gone_for_good(api: Api) -> None:
    made = api.post(f"{MAIN}/entries", 201, text="The code of the bicycle lock is on the blue note")
    gone = api.delete(f"{MAIN}/entries/{made['entry']}", path="MEMORY.md")
    assert "MEMORY.md" in gone["files"]
    assert api.get(f"{MAIN}/entries")["total"] == 0
    assert "bicycle" not in api.soul.agent("main").files.diff(made["change"])
    api.delete(f"{MAIN}/entries/{made['entry']}", 404, path="MEMORY.md")


def test_a_correction_takes_effect_and_is_withdrawn(api: Api) -> None:
    api.post(f"{MAIN}/entries", 201, text="The meeting is on Tuesday")
    report = api.post(f"{MAIN}/corrections", 201, statement="The meeting is on Thursday, not on Tuesday")
    assert report["done"]
    (one,) = api.get(f"{MAIN}/corrections", check=True)["corrections"]
    assert (one["wrong"], one["right"], one["problem"]) == ("Tuesday", "Thursday", "")
    assert "Thursday" in api.get(f"{MAIN}/entries", path="MEMORY.md")["entries"][0]["text"]
    assert api.delete(f"{MAIN}/corrections/{one['id']}")["changes"]
    assert api.get(f"{MAIN}/corrections")["corrections"] == []
    api.delete(f"{MAIN}/corrections/{one['id']}", 404)


def test_conflicts_are_listed_as_the_file_has_them(api: Api) -> None:
    agent = api.soul.agent("main")
    text = (
        agent.files.show("CONFLICTS.md").data or b""
    ) + b"\n## 2026-02-04 10:00\n**One:** a\n**Other:** b\n**Status:** open\n"
    agent.files.put("CONFLICTS.md", text)
    (found,) = api.get(f"{MAIN}/conflicts")["conflicts"]
    assert (found["state"], [side["text"] for side in found["sides"]]) == ("open", ["a", "b"])


def test_a_context_and_a_prompt_can_be_looked_at(api: Api) -> None:
    api.post(f"{MAIN}/entries", 201, text="Deploys happen on Tuesdays")
    context = api.post(f"{MAIN}/context", message="when do we deploy?")
    prompt = api.post(f"{MAIN}/prompt", message="when do we deploy?")
    assert "Tuesdays" in context["text"]
    assert len(context["slots"]) == 8
    assert prompt["context"]["text"] == context["text"]
    assert prompt["tokens"] > context["tokens"] > 0


def test_a_context_tells_what_each_line_says_and_what_each_slot_costs(tmp_path: Path) -> None:
    with api_of(tmp_path, config="keepers: {model: {input_price: 3}}\n") as api:
        api.post(f"{MAIN}/entries", 201, text="Deploys happen on Tuesdays")
        shown = api.post(f"{MAIN}/context", message="when do we deploy?")
    (line,) = [each for each in shown["receipt"]["included"] if "Tuesdays" in each["text"]]
    assert (line["document"], line["start_line"] > 0, line["audience"]) == ("MEMORY.md", True, "owner")
    assert line["text"] in shown["text"]
    assert shown["cost"] == pytest.approx(shown["tokens"] * 3 / 1_000_000)
    assert sum(slot["cost"] for slot in shown["slots"]) == pytest.approx(shown["cost"])
    assert shown["tokens"] <= shown["budget"]
    assert all(each["text"] for each in shown["receipt"]["left_out"])


@pytest.mark.parametrize(
    "session",
    [
        {"kind": "group", "room": "dev"},
        {"kind": "dm", "subject": "acct:ann"},
        {"kind": "cron"},
        {"kind": "team"},
        {"kind": "subagent"},
        {"room": "dev", "subject": "acct:ann"},
    ],
)
def test_what_others_are_told_names_nothing_private(api: Api, session: dict[str, str]) -> None:
    api.post(f"{MAIN}/entries", 201, text="The surprise party for Ann is in June")
    api.post(f"{MAIN}/corrections", 201, statement="The party is in June, not in July")
    api.soul.agent("main").files.put("USER.md", b"# User\n\n- Plans a party in secret\n")
    message = "when is the party in June?"
    assert "party" in str(api.post(f"{MAIN}/context", message=message)["receipt"])
    told = api.post(f"{MAIN}/context", message=message, session=session)
    assert "party" not in str(told)
    assert {each["audience"] for each in told["receipt"]["included"]} <= {"public"}
    prompt = api.post(f"{MAIN}/prompt", message=message, session=session)
    assert "party" not in str({**prompt, "text": ""})


def test_skills_are_listed(api: Api) -> None:
    folder = "skills/brew/SKILL.md"
    api.soul.agent("main").files.put(folder, b"---\nname: brew\ndescription: Makes tea.\n---\nBoil water.\n")
    assert "brew" in [each["name"] for each in api.get(f"{MAIN}/skills")["skills"]]


def test_a_change_is_shown_blamed_and_undone(api: Api) -> None:
    made = api.post(f"{MAIN}/entries", 201, text="Deploys happen on Tuesdays")
    newest = api.get(f"{MAIN}/changes", limit=1)
    assert newest["changes"][0]["change"] == made["change"]
    assert newest["changes"][0]["what"][0].startswith("+ ")
    older = api.get(f"{MAIN}/changes", cursor=newest["next"])
    assert all(each["change"] < made["change"] for each in older["changes"])
    assert "Tuesdays" in api.get(f"{MAIN}/changes/{made['change']}")["diff"]
    lines = api.get(f"{MAIN}/blame", path="MEMORY.md")["lines"]
    assert [each["change"] for each in lines if "Tuesdays" in each["text"]] == [made["change"]]
    undone = api.post(f"{MAIN}/changes/{made['change']}/undo")
    assert undone["undone"] == made["change"]
    assert api.get(f"{MAIN}/entries")["total"] == 0


def test_a_change_is_not_undone_when_the_file_has_moved_on(api: Api) -> None:
    made = api.post(f"{MAIN}/entries", 201, text="Deploys happen on Tuesdays")
    seen = made["change"] and api.get(f"{MAIN}/changes/{made['change']}")["files"][0]["after"]
    api.post(f"{MAIN}/entries", 201, text="The harbour freezes in January")
    api.post(f"{MAIN}/changes/{made['change']}/undo", 409, bases={"MEMORY.md": seen})


def test_a_proposal_is_looked_at_edited_and_approved(api: Api) -> None:
    which = proposed(api)
    whole = api.get(f"{MAIN}/proposals/{which}")
    assert "+- Calm." in whole["diff"]
    (preview,) = [each for each in whole["previews"] if each["path"] == "SOUL.md"]
    assert "- Calm." in preview["text"]
    done = api.post(
        f"{MAIN}/proposals/{which}/approve",
        edited={"SOUL.md": "# Soul\n\nCalm and kind.\n"},
        bases={"SOUL.md": preview["version"]},
    )
    assert "SOUL.md" in done["files"]
    assert api.soul.agent("main").files.load_soul() == "# Soul\n\nCalm and kind.\n"
    assert api.get(f"{MAIN}/proposals/{which}")["state"] == "approved"
    assert api.soul.agent("main").files.change(done["change"]).notes["approved_by"] == "operator:acct:owner"


def test_a_proposal_is_rejected_with_a_reason(api: Api) -> None:
    which = proposed(api)
    assert api.post(f"{MAIN}/proposals/{which}/reject", why="too calm")["state"] == "rejected"
    assert api.get(f"{MAIN}/proposals")["proposals"] == []
    (one,) = api.get(f"{MAIN}/proposals", state="rejected")["proposals"]
    assert one["note"] == "too calm"


def test_the_soul_goes_back_to_a_version(api: Api) -> None:
    first = api.get(f"{MAIN}/soul/versions")["versions"][0]["version"]
    api.soul.agent("main").files.put("SOUL.md", b"# Soul\n\nCalm.\n")
    assert "+Calm." in api.get(f"{MAIN}/soul/diff", first=first)["diff"]
    back = api.post(f"{MAIN}/soul/rollback", version=str(first))
    assert back["snapshot"].startswith("SOUL_HISTORY/")
    assert "Calm." not in (api.soul.agent("main").files.load_soul() or "")
    api.post(f"{MAIN}/soul/rollback", 400, version=str(first))


def test_an_export_holds_every_file_byte_for_byte(api: Api) -> None:
    api.post(f"{MAIN}/entries", 201, text="Deploys happen on Tuesdays")
    answer = api.client.get(f"{MAIN}/export", headers={"authorization": f"Bearer {api.secret}"})
    agent = api.soul.agent("main")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    assert held == {f"main/{file.name.path}": agent.files.show(file.name.path).data for file in agent.files.all()}


def test_stats_count_what_there_is(api: Api) -> None:
    api.post(f"{MAIN}/entries", 201, text="Deploys happen on Tuesdays")
    api.post(f"{MAIN}/sessions/one/messages", 201, text="Good morning")
    found = api.get(f"{MAIN}/stats")
    assert (found["entries"], found["sessions"], found["messages"], found["proposals"]) == (1, 1, 1, 0)
    assert found["index"]["agent"] == "main"


def test_bytes_that_are_no_text_hinder_nobody(api: Api, tmp_path: Path) -> None:
    (tmp_path / "home/workspace/main/MEMORY.md").write_bytes(b"# Memory\n\n- caf\xe9 at the harbour\n")
    (found,) = api.get(f"{MAIN}/entries", path="MEMORY.md")["entries"]
    assert found["text"].endswith(" at the harbour")
    assert api.get(f"{MAIN}/blame", path="MEMORY.md")["lines"][2]["text"].endswith(" at the harbour")
