"""What rows of docs/spec.md ask for and no other test holds down: names spelt out, templates' words, links, settings."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from oldsoul import Oldsoul
from oldsoul.adapters.folder import disk
from oldsoul.documents import edits, links, parse
from oldsoul.documents.links import relative, resolved
from oldsoul.errors import TooLarge
from oldsoul.settings import load
from oldsoul.values import names
from oldsoul.values.audience import OWNER
from oldsoul.values.changes import Add, Author, ChangeSet, Evidence, Role
from oldsoul.values.keepers import PROMPTED
from oldsoul.values.names import Name
from oldsoul.values.origin import Origin
from oldsoul.workspace import template

NOW = datetime(2026, 2, 4, 12, 34, 56, tzinfo=UTC)
DAY, NEXT_DAY = date(2026, 2, 4), date(2026, 2, 5)
ROOT = Path(__file__).parents[2]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def configured(home: Path, text: str) -> Oldsoul:
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text(text)
    return Oldsoul.open(home)


def seeded(path: str) -> str:
    return template(Name("main", path), NOW).decode()


# what a workspace begins with, by name


@pytest.mark.parametrize(
    "folder",
    [
        *("memory", "memory/_longterms", "rooms", "skills", "SOUL_HISTORY"),
        *("Archive/Chronicles", "Archive/Corrections", "Archive/Daily", "Archive/Memory"),
        *(f"agents/{keeper}" for keeper in PROMPTED),
    ],
)
def test_a_new_workspace_has_this_folder(home: Path, folder: str) -> None:
    with Oldsoul.open(home):
        assert (home / "workspace/main" / folder).is_dir()


@pytest.mark.parametrize(
    "path",
    [
        *("SOUL.md", "AGENTS.md", "USER.md", "MEMORY.md", "CONFIG.md"),
        *("CORRECTIONS.md", "CONFLICTS.md", "CHANGELOG.md", "COMPACTION_LOG.md"),
        *(f"agents/{keeper}/SOUL.md" for keeper in PROMPTED),
    ],
)
def test_a_new_workspace_has_this_file_with_a_title_and_no_frontmatter(home: Path, path: str) -> None:
    with Oldsoul.open(home):
        text = (home / "workspace/main" / path).read_text()
    assert text.startswith("# ")
    assert len(text.splitlines()) >= 5


def test_every_agent_and_team_has_a_folder_and_a_soul_of_its_own(home: Path) -> None:
    with configured(home, "agents: {list: [{id: two}]}\nteams: {crew: {members: [two]}}\n") as soul:
        soul.agent("two").files.put("SOUL.md", b"# Two alone\n")
        for name in ("main", "two", "crew"):
            assert (home / "workspace" / name / "MEMORY.md").is_file()
        assert soul.agent("two").files.show("SOUL.md").data == b"# Two alone\n"
        assert b"Two alone" not in (soul.agent("main").files.show("SOUL.md").data or b"")
        assert b"Two alone" not in (soul.agent("crew").files.show("SOUL.md").data or b"")


def test_a_workspace_folder_is_trimmed_and_its_tilde_expanded(home: Path) -> None:
    with configured(home, 'agents: {list: [{id: main, workspace: "  ~/claw  "}]}\n') as soul:
        assert soul._home.world.places.folder("main") == str(Path.home() / "claw")
        assert (Path.home() / "claw" / "SOUL.md").is_file()


def test_files_that_rest_are_read_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = disk.Disk.read
    asked: list[str] = []

    def counted(self: disk.Disk, path: str, *, follow: bool = True) -> object:
        asked.append(path)
        return read(self, path, follow=follow)

    monkeypatch.setattr(disk, "_TICK", 0)
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        first = agent.files.bootstrap()
        agent.files.bootstrap()
        monkeypatch.setattr(disk.Disk, "read", counted)
        assert agent.files.bootstrap() == first
        assert asked == []
        agent.files.put("SOUL.md", b"# Other\n")
        asked.clear()
        assert {file.name: file.content for file in agent.files.bootstrap()}["SOUL.md"] == "# Other\n"
        assert set(asked) <= {"SOUL.md"}


# what the templates say


def test_agents_md_tells_to_write_down_to_ask_first_and_to_keep_memory_private() -> None:
    rules = seeded("AGENTS.md")
    titles = [section.title for section in parse(rules.encode()).sections]
    assert titles.index("Start of a session") < titles.index("Write it down") < titles.index("Ask first")
    assert "What is not in a file is gone when the session ends" in rules
    assert "touch anything outside the workspace" in rules
    assert "In private conversations only" in rules


def test_the_soul_knows_that_it_is_one_of_several_and_tells_of_its_changes() -> None:
    soul = seeded("SOUL.md")
    assert "one of several agents" in soul
    assert "tells the user what was changed" in soul


def test_the_template_of_long_term_memory_has_its_fields_title_and_sections() -> None:
    document = parse(template(names.longterm("main", "acct:42"), NOW))
    assert list(document.matter.values) == [
        *("created_at", "updated_at", "summary", "tasks", "follow_ups", "subject_id"),
    ]
    assert (document.matter.text("tasks"), document.matter.text("follow_ups")) == ("0/0", "0/0")
    assert document.matter.text("updated_at") == "2026-02-04T12:34:56Z"
    assert document.matter.text("summary")
    assert [(s.level, s.title) for s in document.sections if s.level] == [
        *((1, "Long-Term Memory"), (2, "Long-Term Goals / Projects"), (2, "Key Facts")),
    ]
    for section in ("Long-Term Goals / Projects", "Key Facts"):
        new = edits.NewEntry("text", title="Title", added="2026-02-05", id="0123456789")
        entry = edits.add(document, new, section).find("0123456789")
        assert (entry.section, entry.text) == (section, "**Title**: text (added 2026-02-05)")


def test_the_template_of_a_session_has_its_fields_and_title_and_takes_tasks() -> None:
    values = {"source": "telegram", "channel": "local", "contact_id": "tg:@a", "contact_nickname": "A", "summary": "s"}
    document = parse(template(names.session_file("main", DAY, "telegram:1"), NOW, values))
    assert dict(document.matter.values) == {
        **dict.fromkeys(("created_at", "updated_at"), "2026-02-04T12:34:56Z"),
        **dict.fromkeys(("tasks", "follow_ups"), "0/0"),
        "session_id": "telegram:1",
        **values,
    }
    assert next(s.title for s in document.sections if s.level == 1) == "2026-02-04 Short-Term Memory"
    for section in ("Tasks", "Follow Ups"):
        after = edits.add(document, edits.NewEntry("do it", task=False, id="0123456789"), section)
        assert after.find("0123456789").lines[0].startswith(b"- [ ] do it")
        assert after.count_tasks(section) == (0, 1)


def test_the_sample_frontmatter_is_read_and_gets_its_counters() -> None:
    sample = b"""---
created_at: 2026-02-04T12:34:56Z
updated_at: 2026-02-04T12:34:56Z
summary: "Confirmed directory layout, merge rules, and templates."
session_id: s_20260204_001
source: cli
channel: local
subject_id: acct:42
---
"""
    document = parse(sample)
    assert document.matter.problems == ()
    assert document.matter.text("subject_id") == "acct:42"
    after = edits.refreshed(document, "2026-02-05T00:00:00Z").matter
    assert dict(after.values) == {
        **document.matter.values,
        "updated_at": "2026-02-05T00:00:00Z",
        "tasks": "0/0",
        "follow_ups": "0/0",
    }


# where memory files lie


def test_people_sessions_days_and_rooms_have_the_paths_of_the_layout() -> None:
    assert names.longterm("main", "acct:42").path == "memory/_longterms/acct_42/_index.md"
    assert names.session_file("main", DAY, "s1").path == "memory/2026-02-04/s1.md"
    assert names.session_file("main", NEXT_DAY, "s1").path == "memory/2026-02-05/s1.md"
    assert names.session_file("main", DAY, "s2").path == "memory/2026-02-04/s2.md"
    assert names.daily("main", DAY).path == "memory/2026-02-04.md"
    assert names.room("main", "!den:example.org").path == "rooms/~21den_example~2eorg.md"


def test_all_of_memory_lies_in_the_folder_the_setting_names(home: Path, tmp_path: Path) -> None:
    with configured(home, f"memory: {{dir: {tmp_path}/elsewhere}}\n") as soul:
        for name in (
            names.longterm("main", "acct:42"),
            names.session_file("main", DAY, "s1"),
            names.daily("main", DAY),
        ):
            soul.agent().files.put(name.path, b"# x\n")
            assert (tmp_path / "elsewhere" / name.path.removeprefix("memory/")).read_bytes() == b"# x\n"
            assert not (home / "workspace/main" / name.path).exists()


# links


def test_links_are_found_by_the_parser_with_their_lines() -> None:
    text = (
        b"# A\n\n- [Day](../2026-02-03/s1.md) and [here](#a)\n\n```\n[no](code.md)\n```\n\n![no](p.png) <https://x.y>\n"
    )
    found = [(link.line, link.target, link.text) for link in links(parse(text))]
    assert found == [(2, "../2026-02-03/s1.md", "Day"), (2, "#a", "here")]
    defined = links(parse(b"- [Day][d]\n\n[d]: ../x.md\n"))
    assert [(link.line, link.target) for link in defined] == [(0, "../x.md")]


@pytest.mark.parametrize(
    ("target", "means"),
    [
        ("../2026-02-03/s1.md", "memory/2026-02-03/s1.md"),
        ("s2.md#tasks", "memory/2026-02-04/s2.md#tasks"),
        ("#tasks", "memory/2026-02-04/s1.md#tasks"),
        ("2026-02-03/s1.md", "memory/2026-02-03/s1.md"),
        ("_longterms/acct_42/_index.md", "memory/_longterms/acct_42/_index.md"),
        ("../../MEMORY.md", "MEMORY.md"),
        ("../../../secret.md", None),
        ("/etc/passwd", None),
        ("https://example.org/x.md", None),
        ("file:///etc/passwd", None),
        ("..\\..\\x.md", None),
    ],
)
def test_a_link_is_relative_to_its_file_or_to_memory_and_never_leads_out(target: str, means: str | None) -> None:
    known = {"memory/2026-02-03/s1.md", "memory/_longterms/acct_42/_index.md"}
    assert resolved(target, "memory/2026-02-04/s1.md", known) == means


def test_a_link_that_is_written_is_relative_to_its_file_and_leads_there() -> None:
    index, session = names.longterm("main", "acct:42").path, names.session_file("main", DAY, "s1").path
    for one, other in ((index, session), (session, index), ("MEMORY.md", session), (session, "rooms/r1.md")):
        assert resolved(relative(one, other), one, {other}) == other
    assert relative(index, session) == "../../2026-02-04/s1.md"


# settings that have their effect


def test_the_limit_of_a_file_is_the_one_that_is_set(home: Path) -> None:
    with configured(home, "memory: {workspace: {max_file_size: 8192}}\n") as soul:
        agent = soul.agent()
        agent.files.put("SOUL.md", b"x" * 8192)
        with pytest.raises(TooLarge, match="8193 bytes, more than its limit of 8192"):
            agent.files.put("SOUL.md", b"x" * 8193)
        assert {file.limit for file in agent.files.all() if file.name.path == "SOUL.md"} == {8192}


@pytest.mark.parametrize(("growth", "at_once"), [("ask", False), ("auto", True)])
def test_the_soul_keeper_writes_at_once_only_where_the_setting_says_so(
    home: Path, growth: str, *, at_once: bool
) -> None:
    with configured(home, f"soul: {{growth: {growth}}}\n") as soul:
        evidence = Evidence("main/CORRECTIONS.md#k3f9w2m7qa", Origin.OPERATOR, OWNER)
        wish = Add(Name("main", "SOUL.md"), "Be brief", section="Vibe")
        keeper = Author(Role.KEEPER, "soul-keeper")
        outcome = soul._home.ledger.apply(ChangeSet((wish,), keeper, "a correction", "k", (evidence,)))
        assert (outcome.change is not None, outcome.proposal is None) == (at_once, at_once)
        assert (b"Be brief" in (soul.agent().files.show("SOUL.md").data or b"")) is at_once


def test_config_md_in_the_workspace_sets_what_holds_for_its_agent(home: Path) -> None:
    with configured(home, "agents: {list: [{id: two}]}\n") as soul:
        text = seeded("CONFIG.md").replace("#context_budget_tokens: 6000", "context_budget_tokens: 5000")
        soul.agent().files.put("CONFIG.md", text.encode())
        assert soul.agent().settings.context.budget_tokens == 5000
        assert soul.agent("two").settings.context.budget_tokens == 6000


def test_the_setting_that_was_dropped_is_unknown() -> None:
    (problem,) = load("memory: {injection: {max_chars: 100}}").problems
    assert problem.path == "memory.injection.max_chars"


# documentation


def test_the_page_about_files_names_every_file_of_a_workspace() -> None:
    page = (ROOT / "docs/reference/files.md").read_text(encoding="utf-8")
    paths = (
        *(path for path in names.ROOT_FILES if path != "memory.md"),
        *("memory/2026-02-04.md", "memory/2026-02-04/<session>.md", "memory/_longterms/", "rooms/<room>.md"),
        *("skills/<name>/SKILL.md", "agents/<keeper>/SOUL.md", "Archive/", "SOUL_HISTORY/"),
    )
    assert [path for path in paths if path not in page] == []
