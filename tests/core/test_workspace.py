"""Workspaces: where they lie, what they begin with, what an agent is started with."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from oldsoul import Oldsoul
from oldsoul.documents import edits, parse
from oldsoul.errors import BadInput, BadName, NotFound, Refused, TooLarge
from oldsoul.rules import limits
from oldsoul.settings import load
from oldsoul.values import names
from oldsoul.values.changes import Add, ChangeSet, Tick
from oldsoul.values.names import BOOTSTRAP, Name
from oldsoul.wiring import home_folder, open_home
from oldsoul.workspace import FOLDERS, SEEDED, template

NOW = datetime(2026, 2, 4, 12, 34, 56, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def configured(home: Path, text: str) -> Oldsoul:
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text(text)
    return Oldsoul.open(home)


# what S0 asks for, under its names


def test_ensure_workspace_creates_directories(home: Path) -> None:
    with Oldsoul.open(home):
        pass
    for folder in FOLDERS:
        assert (home / "workspace" / "main" / folder).is_dir()
    assert (home / "workspace" / "_shared").is_dir()


def test_ensure_workspace_copies_templates(home: Path) -> None:
    with Oldsoul.open(home) as soul:
        for path in SEEDED:
            expected = template(Name("main", path), soul._home.world.clock.now())
            assert (home / "workspace" / "main" / path).read_bytes() == expected
            assert expected.strip()
    soul_text = (home / "workspace/main/SOUL.md").read_text()
    assert "# main" in soul_text
    assert "{{" not in soul_text


def test_ensure_workspace_idempotent(home: Path) -> None:
    with Oldsoul.open(home) as soul:
        soul.agent().files.put("SOUL.md", b"# Mine\n")
        changes = len(soul.agent().files.history())
    (home / "workspace/main/AGENTS.md").write_text("# My rules\n")
    (home / "workspace/main/USER.md").unlink()
    with Oldsoul.open(home) as soul:
        with pytest.raises(NotFound):
            soul.agent().files.show("USER.md")  # what a person deleted stays deleted until it is asked for
        assert soul._home.ensure() == {"main": ("USER.md",), "_shared": ()}
        assert soul._home.ensure() == {"main": (), "_shared": ()}
        assert soul.agent().files.show("SOUL.md").data == b"# Mine\n"
        assert soul.agent().files.show("AGENTS.md").data == b"# My rules\n"
        assert len(soul.agent().files.history(limit=1000)) >= changes


def test_load_workspace_context_missing_files(home: Path) -> None:
    with Oldsoul.open(home) as soul:
        for path in SEEDED[:5]:
            (home / "workspace/main" / path).unlink()
        loaded = soul.agent().files.bootstrap()
    assert [file.name for file in loaded] == list(BOOTSTRAP)
    assert all(file.missing and file.content == "" for file in loaded)


def test_file_size_limit_enforced(home: Path) -> None:
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        before = agent.files.show("SOUL.md").data
        with pytest.raises(TooLarge, match="16385 bytes, more than its limit of 16384"):
            agent.files.put("SOUL.md", b"x" * 16385)
        assert agent.files.show("SOUL.md").data == before
        outcome = agent.files.put("SOUL.md", b"x" * 16384)
        assert any("100 %" in warning for warning in outcome.warnings)


# where workspaces lie


def test_an_agents_own_setting_goes_first_then_the_default_agents_then_the_home(home: Path, tmp_path: Path) -> None:
    config = f"""
agents:
  defaults:
    workspace: {tmp_path}/default
  list:
    - id: main
    - id: two
      workspace: {tmp_path}/own
    - id: three
"""
    with configured(home, config) as soul:
        places = soul._home.world.places
        assert places.folder("main") == str(tmp_path / "default")
        assert places.folder("two") == str(tmp_path / "own")
        assert places.folder("three") == str(home / "workspace" / "three")
        assert (tmp_path / "own" / "SOUL.md").is_file()


def test_the_default_agents_own_folder_goes_before_the_defaults(home: Path, tmp_path: Path) -> None:
    config = (
        f"agents:\n  defaults: {{workspace: {tmp_path}/default}}\n  list: [{{id: main, workspace: {tmp_path}/own}}]\n"
    )
    with configured(home, config) as soul:
        assert soul._home.world.places.folder("main") == str(tmp_path / "own")


def test_the_default_agent_is_listed_always_and_once(home: Path) -> None:
    with configured(home, "agents:\n  list: [{id: other}, {id: main}]\nteams: {crew: {members: [other]}}\n") as soul:
        assert soul.agents() == ["main", "other"]
        assert soul.workspaces() == ["main", "other", "crew", "_shared"]
        assert soul.agent("crew").files.show("SOUL.md").data
    with configured(home, "default_agent: boss\n") as soul:
        assert soul.agents() == ["boss"]


def test_an_agent_nobody_configured_is_not_found_and_a_wrong_name_refused(home: Path) -> None:
    with Oldsoul.open(home) as soul:
        with pytest.raises(NotFound, match="only main, _shared"):
            soul.agent("ghost")
        for wrong in ("../main", "/etc", ".hidden", ":shared"):
            with pytest.raises((BadName, NotFound)):
                soul.agent(wrong)


def test_ids_with_odd_characters_get_folders_of_their_own(home: Path) -> None:
    with configured(home, 'agents:\n  list: [{id: "Bot"}, {id: "bot"}, {id: "bo:t"}, {id: "小助手"}]\n') as soul:
        folders = {soul._home.world.places.folder(agent) for agent in soul.agents()}
        assert len({folder.casefold() for folder in folders}) == len(soul.agents()) == 5
        assert soul._home.world.places.folder("小助手").endswith("/小助手")


def test_an_existing_openclaw_folder_opens_as_it_is(home: Path, tmp_path: Path) -> None:
    claw = tmp_path / "claw"
    (claw / "memory").mkdir(parents=True)
    (claw / "notes").mkdir()
    there = {"SOUL.md": "# Claw\n", "MEMORY.md": "- old\n", "memory/2026-01-02.md": "# day\n", "notes/x.md": "n\n"}
    for path, text in there.items():
        (claw / path).write_text(text)
    (claw / "picture.png").write_bytes(b"\x89PNG")
    with configured(home, f"agents:\n  list: [{{id: main, workspace: {claw}}}]\n") as soul:
        agent = soul.agent()
        assert {path: (claw / path).read_text() for path in there} == there
        listed = {file.name.path for file in agent.files.all()}
        assert set(there) <= listed
        assert agent.files.show("notes/x.md").data == b"n\n"
        with pytest.raises(NotFound, match="does not manage"):
            agent.files.put("notes/x.md", b"no")
        agent.remember("new")
        assert (claw / "MEMORY.md").read_text().startswith("- old\n")


def test_memory_dir_moves_one_agents_memory_root(home: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    with configured(home, f"memory: {{dir: {elsewhere}}}\n") as soul:
        agent = soul.agent()
        agent.files.put("memory/2026-02-04.md", b"# 2026-02-04\n")
        assert (elsewhere / "2026-02-04.md").read_bytes() == b"# 2026-02-04\n"
        assert "memory/2026-02-04.md" in {file.name.path for file in agent.files.all()}


def test_a_workspace_may_become_a_git_repository(home: Path) -> None:
    with configured(home, "git: {init: true}\n"):
        assert (home / "workspace/main/.git").is_dir()


def test_a_file_in_the_place_of_a_folder_is_told(home: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadInput, match="not a folder"):
        configured(home, f"agents:\n  list: [{{id: main, workspace: {tmp_path}/file}}]\n")
    with pytest.raises(BadInput, match="not a folder"):
        Oldsoul.open(tmp_path / "file")


def test_the_home_is_the_chosen_folder_then_the_environments_then_the_profiles() -> None:
    user = Path.home()
    assert home_folder("/x", {"OLDSOUL_HOME": "/y"}) == Path("/x")
    assert home_folder(None, {"OLDSOUL_HOME": "/y", "OLDSOUL_PROFILE": "p"}) == Path("/y")
    assert home_folder(None, {"OLDSOUL_PROFILE": "p"}) == user / ".oldsoul-p"
    assert home_folder(None, {"STATE_DIRECTORY": "/var/lib/oldsoul"}) == Path("/var/lib/oldsoul")
    assert home_folder(None, {}) == user / ".oldsoul"


def test_a_home_from_before_a_setting_existed_works_unchanged(home: Path) -> None:
    with configured(home, "memory:\n  embedder: {provider: openai, config: {model: text-embedding-3-small}}\n") as soul:
        assert soul.settings.memory.workspace.max_file_size == 16384
    assert load("").problems == ()


# what an agent is started with


def test_all_ten_files_are_loaded_and_a_change_is_seen_at_once(home: Path) -> None:
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        agent.files.put("TOOLS.md", b"# Tools\n")
        loaded = {file.name: file for file in agent.files.bootstrap()}
        assert set(loaded) == set(BOOTSTRAP)
        assert loaded["TOOLS.md"].content == "# Tools\n"
        assert loaded["BOOT.md"].missing
        path = home / "workspace/main/TOOLS.md"
        for number in range(20):
            path.write_text(f"# Tools {number}\n")
            assert {f.name: f.content for f in agent.files.bootstrap()}["TOOLS.md"] == f"# Tools {number}\n"
            os.utime(path, (1, 1 + number))


def test_memory_under_two_names_counts_once_when_it_is_the_same(home: Path) -> None:
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        folder = home / "workspace/main"
        (folder / "memory.md").symlink_to("MEMORY.md")
        assert "memory.md" not in {file.name for file in agent.files.bootstrap()}
        (folder / "memory.md").unlink()
        (folder / "memory.md").write_text("- another\n")
        both = {file.name: file.content for file in agent.files.bootstrap()}
        assert both["memory.md"] == "- another\n"
        assert both["MEMORY.md"].startswith("# Memory")


def test_a_link_that_leads_out_of_the_workspace_is_refused(home: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret\n")
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        (home / "workspace/main/TOOLS.md").symlink_to(tmp_path / "secret.md")
        with pytest.raises(Refused, match="outside the workspace"):
            agent.files.show("TOOLS.md")
        with pytest.raises(Refused, match="outside the workspace"):
            agent.files.put("TOOLS.md", b"x")
        assert (tmp_path / "secret.md").read_text() == "secret\n"


# templates


def test_every_template_fits_its_limit_and_holds_no_entry_that_could_be_taken_for_a_memory() -> None:
    for path in SEEDED:
        data = template(Name("main", path), NOW)
        assert len(data) <= 4096  # the least that max_file_size can be
        assert b"{{" not in data
    memory = parse(template(Name("main", "MEMORY.md"), NOW))
    assert [e for e in memory.entries if e.form == "item"] == []
    assert {s.title for s in memory.sections} >= {"Decisions", "Knowledge", "Events", "Skills", "Notes"}


def test_the_soul_has_its_five_sections_and_tells_to_tell() -> None:
    soul = parse(template(Name("main", "SOUL.md"), NOW))
    assert [s.title for s in soul.sections if s.level == 2] == [
        "Identity",
        "Core Truths",
        "Boundaries",
        "Vibe",
        "Skills",
    ]
    agents = template(Name("main", "AGENTS.md"), NOW).decode()
    assert agents.index("`SOUL.md`") < agents.index("`MEMORY.md`") < agents.index("Today's log")
    assert "If you change your soul, tell the user" in agents


def test_config_md_is_seeded_with_every_key_switched_off() -> None:
    loaded = load(None, config_md=template(Name("main", "CONFIG.md"), NOW).decode())
    assert loaded.problems == ()
    assert loaded.sources == {}


def test_the_two_templates_of_memory_files_have_their_frontmatter() -> None:
    longterm = parse(template(names.longterm("main", "acct:42"), NOW))
    assert longterm.matter.problems == ()
    assert longterm.matter.text("subject_id") == "acct:42"
    assert longterm.matter.text("created_at") == "2026-02-04T12:34:56Z"
    session = parse(template(names.session_file("main", date(2026, 2, 4), 's"1'), NOW, {"summary": 'a "b"'}))
    assert session.matter.text("session_id") == 's"1'
    assert session.matter.text("summary") == 'a "b"'
    assert "contact_id" not in session.matter.values
    assert [s.title for s in session.sections if s.level == 2] == [
        *("Session Summary", "Temporary Facts", "Tasks", "Follow Ups", "Related Links"),
    ]
    assert edits.refreshed(session, "x").matter.text("tasks") == "0/0"
    contact = parse(template(names.session_file("main", date(2026, 2, 4), "s"), NOW, {"contact_id": "tg:@a"}))
    assert contact.matter.text("contact_id") == "tg:@a"
    assert contact.matter.values["contact_nickname"] == ""


def test_an_untouched_template_is_told_from_one_that_somebody_edited(home: Path) -> None:
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        assert all(file.untouched for file in agent.files.all())
        agent.files.put("SOUL.md", b"# Me\n")
        assert {file.name.path for file in agent.files.all() if not file.untouched} == {"SOUL.md"}
        agent.files.reset("SOUL.md")
        assert all(file.untouched for file in agent.files.all())


def test_a_new_home_gets_a_config_that_changes_nothing(home: Path) -> None:
    with open_home(home, {}):
        text = (home / "config.yaml").read_text()
    loaded = load(text)
    assert loaded.problems == ()
    assert set(loaded.sources) <= {"agents.list"}


def test_settings_of_one_agent_hold_for_it_alone_and_take_effect_at_once(home: Path) -> None:
    config = "agents:\n  list:\n    - id: main\n    - id: small\n      settings: {memory: {workspace: {max_file_size: 4096}}}\n"
    with configured(home, config) as soul:
        soul.agent("main").files.put("TOOLS.md", b"x" * 5000)
        with pytest.raises(TooLarge, match="limit of 4096"):
            soul.agent("small").files.put("TOOLS.md", b"x" * 5000)
        (home / "config.yaml").write_text(config.replace("4096", "8192"))
        soul.agent("small").files.put("TOOLS.md", b"x" * 5000)


def test_edits_past_the_ledger_count_as_the_words_of_whom_settings_say(home: Path) -> None:
    with configured(home, "trust: {outside_edits: participant}\n") as soul:
        agent = soul.agent()
        agent.remember("the operator said this")
        path = home / "workspace/main/MEMORY.md"
        path.write_bytes(path.read_bytes() + b"- somebody typed this <!--os 0123456789 origin=operator-->\n")
        agent.remember("and this")
        entries = {e.text.partition(" (added")[0]: e for e in parse(agent.files.show("MEMORY.md").data or b"").entries}
        assert entries["somebody typed this"].fields["origin"] == "participant"
        assert "origin" not in entries["the operator said this"].fields
        assert "origin" not in entries["and this"].fields
    with configured(home, "") as soul:
        path.write_bytes(path.read_bytes() + b"- the operator typed this\n")
        entries = {e.text: e for e in parse(soul.agent().files.show("MEMORY.md").data or b"").entries}
        assert "origin" not in entries["the operator typed this"].fields


def test_a_daily_log_goes_on_in_a_next_part_when_it_is_full(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_LOG_SIZE", 16384)
    with configured(home, "") as soul:
        name = names.daily("main", date(2026, 2, 4))
        for number in range(12):
            add = Add(name, "word " * 500, title=f"2026-02-04 12:{number:02} UTC")
            soul._home.ledger.apply(ChangeSet((add,), soul._home.owner.author, "log", f"k{number}"))
        folder = home / "workspace/main/memory"
        parts = sorted(file.name for file in folder.glob("2026-02-04*.md"))
        assert {"2026-02-04.md", "2026-02-04.2.md"} <= set(parts)
        assert all((folder / part).stat().st_size <= 16384 for part in parts)


def test_counters_and_the_date_of_a_memory_file_follow_its_tasks(home: Path) -> None:
    with Oldsoul.open(home) as soul:
        name = names.session_file("main", date(2026, 2, 4), "s1")
        adds = tuple(Add(name, f"task {n}", section="Tasks", task=n == 0) for n in range(3))
        more = Add(name, "call back", section="Follow Ups", task=False)
        outcome = soul._home.ledger.apply(ChangeSet((*adds, more), soul._home.owner.author, "r", "k"))
        session = parse(soul.agent().files.show(name.path).data or b"")
        assert session.matter.text("tasks") == "1/3"
        assert session.matter.text("follow_ups") == "0/1"
        open_task = next(e for e in session.entries if e.done is False)
        soul._home.ledger.apply(ChangeSet((Tick(name, open_task.id, done=True),), soul._home.owner.author, "r", "k2"))
        session = parse(soul.agent().files.show(name.path).data or b"")
        assert session.matter.text("tasks") == "2/3"
        assert session.matter.text("updated_at") >= session.matter.text("created_at")
        assert outcome.change is not None


def test_a_bootstrap_file_that_cannot_be_read_does_not_stop_the_others(home: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret\n")
    with Oldsoul.open(home) as soul:
        (home / "workspace/main/TOOLS.md").symlink_to(tmp_path / "secret.md")
        loaded = {file.name: file for file in soul.agent().files.bootstrap()}
        assert "outside the workspace" in loaded["TOOLS.md"].problem
        assert loaded["TOOLS.md"].content == ""
        assert loaded["SOUL.md"].content.startswith("# main")
        assert loaded["SOUL.md"].path == str(home / "workspace/main/SOUL.md")


def test_soul_and_rules_are_loaded_under_their_names(home: Path) -> None:
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        assert agent.files.ensure_workspace() == ()
        assert (agent.files.load_soul() or "").startswith("# main")
        assert (agent.files.load_agents_md() or "").startswith("# Operating rules")
        (home / "workspace/main/SOUL.md").unlink()
        assert agent.files.load_soul() is None


def test_entries_are_found_by_whole_words_and_in_scripts_without_spaces(home: Path) -> None:
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        assert agent.memory.find("cat") == []  # "duplicates" in a keeper's prompt is no cat
        agent.remember("The cat is called Miso")
        agent.remember("我的猫叫年糕")
        assert [entry.text.partition(" (added")[0] for _, entry in agent.memory.find("Cat")] == [
            "The cat is called Miso"
        ]
        assert [entry.text.partition(" (added")[0] for _, entry in agent.memory.find("猫")] == ["我的猫叫年糕"]
        assert agent.memory.find("is called mis") == []
