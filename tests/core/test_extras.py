"""Further paths that are searched: the operator's alone, read and never written, and no way out of them."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from oldsoul.adapters.extra_files import FolderExtras
from oldsoul.app.prompts.tools import memory_get, memory_search
from oldsoul.errors import BadName
from oldsoul.testing import FrozenClock
from oldsoul.values.audience import OWNER
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from oldsoul.app import Agent, Oldsoul

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
OWN, DEV, ANN = Session.dm(), Session.group("dev"), Session.dm("acct:7", id="ann")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "garden").mkdir(parents=True)
    (folder / "garden" / "trees.md").write_text("# Trees\n\n- The walnut was planted in 1987\n- The pear is older\n")
    (folder / "2026-01-03.md").write_text("The chimney sweep came.\n")
    (folder / "data.txt").write_text("The walnut of the text file\n")
    return folder


@pytest.fixture
def opened(tmp_path: Path) -> Callable[..., Oldsoul]:
    def opened(*paths: object, more: str = "") -> Oldsoul:
        home = tmp_path / "home"
        home.mkdir(exist_ok=True)
        listed = ", ".join(f'"{path}"' for path in paths)
        (home / "config.yaml").write_text(f"timezone: UTC\nmemory: {{search: {{extra_paths: [{listed}]{more}}}}}\n")
        return open_home(home, {}, clock=FrozenClock(NOON))

    return opened


def paths(agent: Agent, question: str, session: Session = OWN, **only: Any) -> set[str]:
    return {hit.chunk.path for hit in agent.recall(question, session=session, limit=50, **only).hits}


def later(soul: Oldsoul) -> None:
    assert isinstance(soul._home.world.clock, FrozenClock)
    soul._home.world.clock.advance(timedelta(seconds=3))


def test_a_folder_elsewhere_is_searched_and_what_is_cited_can_be_read(
    opened: Callable[..., Oldsoul], notes: Path
) -> None:
    with opened(notes) as soul:
        agent = soul.agent()
        hit = agent.recall("when was the walnut planted?", session=OWN).hits[0]
        assert (hit.chunk.path, hit.chunk.start_line, hit.chunk.source) == (f"{notes}/garden/trees.md", 3, "extra")
        assert hit.chunk.audience == OWNER
        (result, *_) = memory_search(agent._parts, OWN, "when was the walnut planted?")["hits"]
        assert result["citation"] == f"Source: {notes}/garden/trees.md#L3"
        read = memory_get(agent._parts, OWN, result["path"], result["start_line"], 1)
        assert read["text"] == "- The walnut was planted in 1987"
        assert read["next"] == 4
        day = agent.recall("who came to the chimney?", session=OWN).hits[0].chunk
        assert day.time == datetime(2026, 1, 3, 12, tzinfo=UTC)
        assert not day.evergreen


def test_a_single_file_is_searched_and_its_neighbours_are_not(opened: Callable[..., Oldsoul], notes: Path) -> None:
    with opened(notes / "garden" / "trees.md") as soul:
        agent = soul.agent()
        assert paths(agent, "walnut chimney", sources=("extra",)) == {f"{notes}/garden/trees.md"}
        with pytest.raises(BadName):
            memory_get(agent._parts, OWN, f"{notes}/2026-01-03.md")


def test_the_operator_alone_finds_and_reads_it(opened: Callable[..., Oldsoul], notes: Path) -> None:
    (notes / "public.md").write_text(
        "<!--os aaaaaaaaaa aud=public-->\n\n- The walnut <!--os bbbbbbbbbb aud=public-->\n"
    )
    with opened(notes) as soul:
        agent = soul.agent()
        assert paths(agent, "walnut") >= {f"{notes}/public.md"}
        for session in (DEV, ANN, Session.cron("job")):
            assert paths(agent, "walnut", session) == set()
            with pytest.raises(BadName) as unseen:
                memory_get(agent._parts, session, f"{notes}/public.md")
            with pytest.raises(BadName) as missing:
                memory_get(agent._parts, session, f"{notes}/none.md")
            assert str(unseen.value).replace("public", "none") == str(missing.value)


def test_a_mark_in_it_claims_nothing(opened: Callable[..., Oldsoul], notes: Path) -> None:
    with opened(notes) as soul:
        agent = soul.agent()
        made = agent.remember("The cellar is damp")
        claim = f"- The cellar is dry #correction <!--os {made.entry} conf=0.1 supersedes={made.entry}-->\n"
        (notes / "claim.md").write_text(claim)
        hits = agent.recall("how is the cellar?", session=OWN).hits
        (extra,) = [hit.chunk for hit in hits if "dry" in hit.chunk.text]
        assert (extra.entry, extra.correction, extra.confidence) == ("", False, 1.0)
        assert any("damp" in hit.chunk.text for hit in hits)


def test_what_changes_there_is_found_as_it_is_now_and_nothing_is_written(
    opened: Callable[..., Oldsoul], notes: Path
) -> None:
    with opened(notes) as soul:
        agent = soul.agent()
        assert paths(agent, "walnut", sources=("extra",))
        before = {file: file.stat().st_mtime_ns for file in notes.rglob("*")}
        (notes / "new.md").write_text("- The okapi lives in the barn\n")
        (notes / "garden" / "trees.md").unlink()
        later(soul)
        assert f"{notes}/new.md" in paths(agent, "where does the okapi live?")
        assert f"{notes}/garden/trees.md" not in paths(agent, "walnut")
        assert {file: file.stat().st_mtime_ns for file in notes.rglob("*.txt")} == {
            file: stamp for file, stamp in before.items() if file.suffix == ".txt"
        }
        state = agent.index.status()
        assert (state.state.waiting, state.problems) == (0, ())


def test_paths_taken_out_of_the_settings_leave_the_index(opened: Callable[..., Oldsoul], notes: Path) -> None:
    with opened(notes) as soul:
        assert paths(soul.agent(), "walnut")
    with opened() as soul:
        assert paths(soul.agent(), "walnut") == set()
        with pytest.raises(BadName):
            memory_get(soul.agent()._parts, OWN, f"{notes}/garden/trees.md")


def test_paths_are_searched_whatever_the_sources_are(opened: Callable[..., Oldsoul], notes: Path) -> None:
    with opened(notes, more=", sources: [sessions]") as soul:
        agent = soul.agent()
        agent.remember("The walnut of the memory")
        agent.hear("The walnut of the talk", session=OWN)
        found = agent.recall("walnut", session=OWN, limit=50).hits
        assert {hit.chunk.source for hit in found} == {"extra", "sessions"}


def test_missing_and_unreadable_paths_are_told_and_do_not_stop_a_search(
    opened: Callable[..., Oldsoul], notes: Path, tmp_path: Path
) -> None:
    (notes / "large.md").write_text("- The walnut\n" * 700_000)
    gone = (tmp_path / "gone", notes / "data.txt", "~/../oldsoul-none.md")
    with opened(notes, *gone) as soul:
        agent = soul.agent()
        assert f"{notes}/garden/trees.md" in paths(agent, "walnut")
        problems = agent.index.status().problems
        assert [f"{tmp_path}/gone does not exist" in problem for problem in problems].count(True) == 1
        assert any("large.md has 9,100,000 bytes" in problem for problem in problems)
        assert any("data.txt does not exist, or is neither a folder nor a Markdown file" in p for p in problems)
        assert len(problems) == 4


def test_workspaces_and_our_own_files_are_not_searched_from_here(
    opened: Callable[..., Oldsoul], notes: Path, tmp_path: Path
) -> None:
    other = tmp_path / "home/workspace/other"
    other.mkdir(parents=True)
    (other / "MEMORY.md").write_text("- The walnut of somebody else\n")
    (notes / "linked").symlink_to(other)
    (notes / "linked.md").symlink_to(other / "MEMORY.md")
    with opened(tmp_path, other, notes / "linked") as soul:
        agent = soul.agent()
        assert paths(agent, "walnut", sources=("extra",)) == {f"{notes}/garden/trees.md", f"{notes}/2026-01-03.md"}
        assert sum("is in a workspace" in problem for problem in agent.index.status().problems) == 2
        for path in (other / "MEMORY.md", notes / "linked/MEMORY.md", notes / "linked.md"):
            with pytest.raises(BadName):
                memory_get(agent._parts, OWN, str(path))


def test_no_link_dots_or_hidden_name_leads_out(notes: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("- The vault opens at nine\n")
    (notes / "link.md").symlink_to(tmp_path / "secret.md")
    (notes / "up").symlink_to(tmp_path)
    (notes / "inside.md").symlink_to(notes / "garden" / "trees.md")
    (notes / ".hidden").mkdir()
    (notes / ".hidden" / "x.md").write_text("- hidden\n")
    os.mkfifo(notes / "pipe.md")
    extras = FolderExtras([str(notes)], [], 1 << 20)
    found, problems = extras.scan()
    assert set(found) == {f"{notes}/garden/trees.md", f"{notes}/2026-01-03.md"}
    assert problems == ()
    for path in (
        *("link.md", "up/secret.md", "../secret.md", "inside.md", ".hidden/x.md", "pipe.md", "garden//trees.md"),
        *("garden", "garden/../2026-01-03.md", "data.txt", "", "none/none.md", "garden/trees.md/x.md", "\0.md"),
    ):
        assert extras.read(f"{notes}/{path}") is None, path
    assert extras.read("garden/trees.md") is None
    assert extras.read(f"{notes}/garden/trees.md")


def test_a_link_that_is_named_itself_is_the_operators_to_make(notes: Path, tmp_path: Path) -> None:
    (tmp_path / "vault").symlink_to(notes)
    (tmp_path / "one.md").symlink_to(notes / "garden" / "trees.md")
    (tmp_path / "two.md").symlink_to(notes / "data.txt")
    extras = FolderExtras([f"{tmp_path}/vault", f"{tmp_path}/one.md", f"{tmp_path}/two.md"], [], 1 << 20)
    found, problems = extras.scan()
    assert set(found) == {f"{tmp_path}/vault/garden/trees.md", f"{tmp_path}/vault/2026-01-03.md", f"{tmp_path}/one.md"}
    assert len(problems) == 1
    assert extras.read(f"{tmp_path}/vault/garden/trees.md") == extras.read(f"{tmp_path}/one.md")


def test_a_file_that_nobody_may_read_is_told(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from oldsoul.adapters.folder.disk import Disk  # noqa: PLC0415 - only this test looks inside

    whole = Disk.read

    def read(self: Disk, path: str, *, follow: bool = True) -> object:
        if path == "2026-01-03.md":
            raise PermissionError(13, "Permission denied", path)
        return whole(self, path, follow=follow)

    monkeypatch.setattr(Disk, "read", read)
    extras = FolderExtras([str(notes)], [], 1 << 20)
    found, problems = extras.scan()
    assert set(found) == {f"{notes}/garden/trees.md"}
    assert problems == (f"{notes}/2026-01-03.md cannot be read: Permission denied",)
    assert extras.read(f"{notes}/2026-01-03.md") is None
