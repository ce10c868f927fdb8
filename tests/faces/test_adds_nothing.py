"""Looking adds nothing: whatever only reads leaves an existing folder as it is, to the byte."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner

from faces.every_command import commands
from oldsoul import Oldsoul, Session
from oldsoul.app import Agent
from oldsoul.faces.cli import cli
from oldsoul.testing import ScriptedModel
from oldsoul.values.names import keeper_prompt
from oldsoul.wiring import open_home
from oldsoul.workspace import SEEDED, template

if TYPE_CHECKING:
    from collections.abc import Callable

LOOKING = (
    "agents",
    "show",
    "show MEMORY.md",
    "search 'what is the cat called?'",
    "context --message hello",
    "context --prompt --message hello",
    "show MEMORY.md --as dm",
    "index status",
    "index rebuild",
    "skills",
    "messages list",
    "messages triage 'never do that again'",
    "sessions list",
    "sessions end --all --dry-run",
    "correct",
    "correct --check",
    "keepers run memory-miner --dry-run",
    "keepers run memory-compactor --dry-run",
    "keepers list",
    "keepers history memory-miner",
    "people list",
    "days",
    "days 2020-01-01",
    "log",
    "log MEMORY.md",
    "diff MEMORY.md",
    "log MEMORY.md --lines",
    "soul list",
    "soul show",
    "review list",
    "config show",
    "config explain timezone",
    "doctor",
    "config completion bash",
    "token list",
    "openapi",
)
WRITING = {
    *(
        "init",
        "demo",
        "edit",
        "remember",
        "forget",
        "chat",
        "ask",
        "messages log",
        "messages import",
        "undo",
        "tour",
        "keepers work",
    ),
    *("people bind", "people unbind", "soul rollback", "review approve", "review reject", "config set", "config unset"),
    *("token add", "token revoke", "backup", "restore"),
    *("index watch", "keepers start", "mcp", "proxy", "serve"),  # they go on until they are stopped
    *("soul diff", "review show", "sessions asked"),  # they read, but only what was written before
}

OPERATOR = Session.dm()
READING_VERBS: dict[str, Callable[[Agent], Any]] = {
    "files.bootstrap": lambda agent: agent.files.bootstrap(),
    "files.blame": lambda agent: agent.files.blame("MEMORY.md"),
    "files.change": lambda agent: agent.files.change(agent.files.history()[0].id),
    "context": lambda agent: agent.context("the cat", session=OPERATOR),
    "talk.days": lambda agent: agent._parts.days.all(),
    "files.diff": lambda agent: agent.files.diff(agent.files.history()[0].id),
    "extra_problems": lambda agent: agent._parts.extra_problems(),
    "files.all": lambda agent: agent.files.all(),
    "memory.find": lambda agent: agent.memory.find("cat"),
    "findings": lambda agent: agent._parts.findings(),
    "files.history": lambda agent: agent.files.history(),
    "index.status": lambda agent: agent.index.status(),
    "files.load_agents_md": lambda agent: agent.files.load_agents_md(),
    "memory.load_room_context": lambda agent: agent.memory.load_room_context("dev"),
    "files.load_soul": lambda agent: agent.files.load_soul(),
    "memory.load_workspace_memory": lambda agent: agent.memory.load_workspace_memory(is_dm=True),
    "past": lambda agent: agent.files.soul_versions(),
    "prompt": lambda agent: agent.prompt("the cat", session=OPERATOR),
    "review.proposals": lambda agent: agent.review.proposals(),
    "read": lambda agent: agent._parts.read(agent._parts.name("USER.md")),
    "index.rebuild": lambda agent: agent.index.rebuild(),
    "recall": lambda agent: agent.recall("what is the cat called?", session=OPERATOR),
    "seed_of": lambda agent: agent.files.seed("SOUL.md"),
    "files.show": lambda agent: agent.files.show("MEMORY.md"),
    "index.sync": lambda agent: agent.index.sync(),
    "template": lambda agent: agent._parts.template("SOUL.md"),
    "tools": Agent.tools,
}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder that another program made, and a home whose agent lives in it."""
    folder = tmp_path / "claw"
    (folder / "memory").mkdir(parents=True)
    (folder / "MEMORY.md").write_bytes(b"# Memory\r\n\r\n- The cat is called Tom\r\n")
    (folder / "memory/2020-01-01.md").write_bytes(b"- a quiet day\n")
    (folder / "notes.txt").write_bytes(b"not ours")
    home = Path.home() / ".oldsoul"
    home.mkdir()
    days = "memory: {workspace: {daily_log_retention_days: 30}}"
    (home / "config.yaml").write_text(f"agents: {{list: [{{id: main, workspace: {folder}}}]}}\n{days}\n")
    return folder


def standing(folder: Path) -> dict[str, bytes | None]:
    """Every file with its bytes, every folder with none."""
    return {str(path): path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}


def every_command() -> set[str]:
    return {name for name, command in commands() if not isinstance(command, click.Group)}


def test_every_command_is_known_to_look_or_to_write() -> None:
    looks = {name for name in every_command() for words in LOOKING if f"{words} ".startswith(f"{name} ")}
    assert every_command() == looks | WRITING


@pytest.mark.parametrize("words", LOOKING)
def test_a_command_that_only_looks_leaves_an_existing_folder_as_it_is(workspace: Path, words: str) -> None:
    before = standing(workspace)
    result = CliRunner().invoke(cli, shlex.split(words))
    assert not isinstance(result.exception, Exception) or isinstance(result.exception, SystemExit)
    assert result.exit_code in (0, 3), result.stderr
    assert standing(workspace) == before


def test_every_verb_that_only_reads_leaves_an_existing_folder_as_it_is(workspace: Path) -> None:
    before = standing(workspace)
    for name, verb in READING_VERBS.items():
        with Oldsoul.open() as soul:
            verb(soul.agent())
        assert standing(workspace) == before, name


def test_an_empty_folder_stays_empty_and_a_missing_one_is_made_ready(workspace: Path, tmp_path: Path) -> None:
    del workspace
    (tmp_path / "empty").mkdir()
    config = f"agents: {{list: [{{id: main, workspace: {tmp_path}/empty}}, {{id: new, workspace: {tmp_path}/new}}]}}\n"
    (Path.home() / ".oldsoul/config.yaml").write_text(config)
    with Oldsoul.open() as soul:
        assert standing(tmp_path / "empty") == {}
        assert [path for path in SEEDED if not (tmp_path / "new" / path).is_file()] == []
        assert soul._home.created == {"new": SEEDED, "_shared": ()}


def test_doctor_makes_no_workspace_and_says_which_is_not_there(workspace: Path, tmp_path: Path) -> None:
    config = f"agents: {{list: [{{id: main, workspace: {workspace}}}, {{id: new, workspace: {tmp_path}/new}}]}}\n"
    (Path.home() / ".oldsoul/config.yaml").write_text(config)
    told = CliRunner().invoke(cli, ["doctor"]).stdout
    assert f"new: {tmp_path}/new does not exist yet" in told
    assert not (tmp_path / "new").exists()


def test_a_folder_that_is_gone_is_not_filled_again_by_opening(workspace: Path) -> None:
    with Oldsoul.open() as soul:
        soul.agent().remember("The dog is called Rex")
    workspace.rename(workspace.with_name("unmounted"))
    with Oldsoul.open():
        assert not workspace.exists()


@pytest.mark.parametrize(
    ("write", "made"),
    [
        (lambda agent: agent.remember("The dog is called Rex"), set()),
        (lambda agent: agent.correct("The cat is called Bo", wrong="Tom", right="Bo"), {"CORRECTIONS.md"}),
        (lambda agent: agent.talk.append_daily_log("a walk"), {"memory"}),
        (lambda agent: agent.files.put("SOUL.md", b"# Me\n"), {"SOUL.md"}),
    ],
)
def test_a_write_makes_the_file_it_needs_and_no_other(
    workspace: Path, write: Callable[[Agent], Any], made: set[str]
) -> None:
    (Path.home() / ".oldsoul/config.yaml").write_text(f"agents: {{list: [{{id: main, workspace: {workspace}}}]}}\n")
    before = standing(workspace)
    with Oldsoul.open() as soul:
        write(soul.agent())
    new = {Path(path).relative_to(workspace).parts[0] for path in standing(workspace).keys() - before.keys()}
    assert new == made


def test_a_keeper_whose_prompt_is_not_in_the_folder_asks_with_the_one_it_would_begin_with(workspace: Path) -> None:
    model = ScriptedModel('{"items": []}')
    with open_home(model=model) as soul:
        agent = soul.agent()
        agent.hear("the tulips are out", session=OPERATOR)
        agent.run("memory-miner")
        assert model.asked[0][0].encode() == template(
            keeper_prompt("main", "memory-miner"), soul._home.world.clock.now()
        )
    assert not (workspace / "agents").exists()


def test_a_soul_that_is_not_there_does_not_grow_above_a_configured_role(workspace: Path) -> None:
    config = f"agents: {{list: [{{id: main, workspace: {workspace}, role: a gardener}}]}}\n"
    (Path.home() / ".oldsoul/config.yaml").write_text(config)
    with Oldsoul.open() as soul:
        soul.agent().correct("never use emojis")
        soul.agent().run("soul-keeper")
        assert soul.agent().files.load_soul() is None
        assert "a gardener" in soul.agent().prompt("hello", session=OPERATOR).system.text


@pytest.mark.parametrize("way", ["init", "ensure_workspace"])
def test_what_is_missing_is_put_back_on_request_and_nothing_else_is_touched(workspace: Path, way: str) -> None:
    before = standing(workspace)
    expected = {path for path in SEEDED if path != "MEMORY.md"}
    for once in (expected, {"USER.md"}):
        if way == "init":
            told = json.loads(CliRunner().invoke(cli, ["init", "--json"]).stdout)["created"]["main"]
        else:
            with Oldsoul.open() as soul:
                told = soul.agent().files.ensure_workspace()
        assert set(told) == once
        assert {path: data for path, data in standing(workspace).items() if path in before} == before
        with Oldsoul.open() as soul:
            fresh = template(soul.agent()._parts.name("USER.md"), soul._home.world.clock.now())
        assert (workspace / "USER.md").read_bytes() == fresh
        (workspace / "USER.md").unlink()
