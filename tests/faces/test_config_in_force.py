"""A config.yaml that cannot be taken as it is, is not worked around: nothing is done, and everybody is told where."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from oldsoul import Oldsoul, Session
from oldsoul.errors import BadInput, NotFound, Refused, SettingsError
from oldsoul.faces.cli import TABLE, cli
from oldsoul.values.callers import Caller
from oldsoul.values.messages import Wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from click.testing import Result

ARGUMENTS = {
    "show": ["MEMORY.md"],
    "edit": ["MEMORY.md", "--from", "-"],
    "ask": ["what is the cat called?"],
    "remember": ["The cat is called Tom"],
    "forget": ["cat", "--yes"],
    "search": ["cat"],
    "messages": ["log", "hello", "--session", "s"],
    "sessions": ["end", "--all"],
    "correct": ["The cat is called Bo"],
    "keepers": ["run", "memory-miner"],
    "index": ["rebuild"],
    "diff": ["MEMORY.md"],
    "undo": ["1"],
    "backup": ["b.zip"],
}
BROKEN = [
    ("operators: ['acct:1'\nsoul: {growth: auto}\n", "line 2, column 1: this is not valid YAML"),
    ("agents:\n  list:\n    - id: main\n     workspace: elsewhere\n", "line 4, column 6: this is not valid YAML"),
    ("memory:\n  enabled: \ttrue: no\n", "line 2, column 17: this is not valid YAML"),
    ("# fine\ntimezone: Mars/Base\n", "line 2, column 1: timezone: expected an IANA time zone"),
    ("agents: {list: [{id: main, timezone: Mars/Base}]}\n", "line 1, column 28: agents.list.0.timezone: expected"),
    ("memory:\n  soul: {growth: alwys}\n", "line 2, column 10: memory.soul.growth: expected one of ask, auto"),
    ("agents:\n  list: [main, main]\n", "line 2, column 3: agents.list: main is already the name of an agent"),
    ("operators: []\n", "line 1, column 1: operators: a home needs at least one operator"),
    ("timezone: UTC\nx: \udcff\n", "line 2, column 4: this is not valid text"),
    ("policy: {SOUL.md: ask, MEMRY.md: never}\n", "line 1, column 24: policy.MEMRY.md: .* did you mean MEMORY.md"),
    ("policy:\n  '../x': ask\n", r"line 2, column 3: policy\.\.\./x: this is not a file that Oldsoul writes"),
    ("agents: {x: {policy: {notes.md: ask}}}\n", "line 1, column 23: agents.x.policy.notes.md: this is not a file"),
    ("storage:\n  chat: postgres\n", "line 2, column 3: storage.chat: .* set OLDSOUL_POSTGRES_DSN"),
    ("memory: {search: {store: {driver: postgres}}}\n", "line 1, column 27: memory.search.store.driver: .* choose"),
    ("agents: {x: {memory_search: {store: {driver: postgres}}}}\n", "line 1, column 38: agents.x.memory_search.store"),
    ("agents:\n  x: {workspace: /dev/null}\n", "line 2, column 7: agents.x.workspace: /dev/null is not a folder"),
    ("agents: {x: {workspace: /dev/null/x}}\n", "line 1, column 14: agents.x.workspace: /dev/null/x cannot be made"),
    ("agents: {defaults: {workspace: /proc/none/x}}\n", "line 1, column 21: agents.defaults.workspace: .* another fol"),
    ("memory: {dir: /proc/none}\n", "line 1, column 10: memory.dir: /proc/none cannot be made"),
    ("agents: {x: {memory: {dir: /proc/none}}}\n", "line 1, column 23: agents.x.memory.dir: /proc/none cannot"),
]
UNREADABLE = [
    (lambda config: config.mkdir(), "config.yaml is not a file; move it away"),
    (os.mkfifo, "config.yaml is not a file; move it away"),
    (lambda config: config.symlink_to("/dev/full"), "config.yaml is not a file; move it away"),
    (lambda config: config.symlink_to(config), "config.yaml cannot be read .* give yourself permission"),
]


@pytest.fixture
def config() -> Path:
    with Oldsoul.open() as soul:
        soul.agent().remember("The dog is called Rex")
    return Path.home() / ".oldsoul" / "config.yaml"


@pytest.fixture(autouse=True)
def _quiet_log() -> Iterator[None]:
    """Loggers outlive a test."""
    import logging  # noqa: PLC0415 - only here

    yield
    log = logging.getLogger("oldsoul")
    for handler in list(log.handlers):
        log.removeHandler(handler)
        handler.close()


def written(config: Path, text: str) -> None:
    config.write_bytes(text.encode("utf-8", "surrogateescape"))


def run(*words: str) -> Result:
    result = CliRunner().invoke(cli, list(words), input="")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def files(home: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file()}


@pytest.mark.parametrize(("text", "where"), BROKEN)
def test_a_broken_config_is_refused_with_its_line_and_column(config: Path, text: str, where: str) -> None:
    written(config, text)
    before = files(config.parent)
    with pytest.raises(SettingsError, match=f"^config.yaml, {where}"):
        Oldsoul.open()
    assert files(config.parent) == before
    told = run("doctor")
    assert told.exit_code == 1
    assert re.search(f"settings: config.yaml, {where}", told.stdout)
    assert "keep their earlier settings" in told.stdout
    assert {path: data for path, data in files(config.parent).items() if "ledger.db-" not in path} == before
    assert re.search(where, run("config", "show").stdout)


@pytest.mark.parametrize(("made", "message"), UNREADABLE)
def test_a_config_that_cannot_be_read_is_refused_with_what_to_do(
    config: Path, made: Callable[[Path], None], message: str
) -> None:
    config.unlink()
    made(config)
    with pytest.raises(SettingsError, match=f"^{message}"):
        Oldsoul.open()
    told = run("doctor")
    assert told.exit_code == 1
    assert re.search(message, told.stdout)
    assert run("remember", "The cat is called Tom").exit_code == 2


def test_what_settings_say_of_a_file_holds_for_everybody_but_the_operator(config: Path) -> None:
    written(config, "policy: {MEMORY.md: ask}\nagents: {list: [main, {id: strict, policy: {MEMORY.md: never}}]}\n")
    with Oldsoul.open() as soul:
        for name in ("main", "strict"):
            assert soul.agent(name).remember("The dog is called Rex").outcome.change
        by_agent = Caller.agent("acct:owner", session=Session.dm())
        with pytest.raises(BadInput, match="waits for approval"):
            soul.agent("main", caller=by_agent).remember("The cat is called Tom")
        assert len(soul.agent("main").review.proposals()) == 1
        with pytest.raises(Refused):
            soul.agent("strict", caller=by_agent).remember("The cat is called Tom")


@pytest.mark.parametrize("name", sorted(TABLE.keys() - {"config", "demo", "doctor", "tour", "restore", "openapi"}))
def test_every_command_but_doctor_and_config_refuses_a_broken_config(config: Path, name: str) -> None:
    written(config, "operators: [\n")
    result = run(name, *ARGUMENTS.get(name, []))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "config.yaml, line 2, column 1" in result.stderr


def test_a_wrong_setting_is_put_right_by_command(config: Path) -> None:
    written(config, "timezone: Mars/Base\n")
    assert run("show").exit_code == 2
    assert run("config", "set", "timezone", "Moon/Base").exit_code == 2
    assert run("config", "set", "timezone", "Europe/Berlin").exit_code == 0
    assert run("show").exit_code == 0


def test_a_key_that_the_environment_lacks_stops_nobody(config: Path) -> None:
    written(config, "keepers: {model: {provider: openai, model: m, api_key: '${NOT_THERE}'}}\n")
    with Oldsoul.open() as soul:
        assert soul.settings.keepers.model.api_key == ""
    assert "the variable NOT_THERE is not set" in run("doctor").stdout


def test_doctor_looks_at_workspaces_and_records_nothing_while_a_setting_is_wrong(config: Path) -> None:
    written(config, "trust: {outside_edits: nobody}\n")
    memory = config.parent / "workspace/main/MEMORY.md"
    memory.write_text(f"{memory.read_text()}- typed by hand\n")
    checks = json.loads(run("doctor", "--json").stdout)["checks"]
    assert any(check["about"] == "main" and check["level"] == "ok" for check in checks)
    written(config, "")
    with Oldsoul.open() as soul:
        assert "typed by hand" not in "".join(
            soul.agent().files.diff(c.id) for c in soul._home.world.store.changes("main")
        )


def test_a_long_lived_home_sees_a_changed_config(config: Path, tmp_path: Path) -> None:
    written(config, "operators: ['acct:1']\n")
    with Oldsoul.open() as soul:
        agent = soul.agent()
        assert soul._home.owner.author.id == "acct:1"
        assert soul.agents() == ["main"]
        written(config, f"operators: ['acct:2']\nagents: {{list: [main, {{id: new, workspace: {tmp_path}/new}}]}}\n")
        assert soul._home.owner.author.id == "acct:2"
        assert soul._home.people.operators == ("acct:2",)
        assert agent.settings is soul.agent().settings
        assert soul.agents() == ["main", "new"]
        assert soul.agent("new").files.load_soul()
        assert (tmp_path / "new/SOUL.md").is_file()
        assert soul._home.driver.model is None
        written(config, "operators: ['acct:2']\nkeepers: {model: {provider: ollama, model: m}}\n")
        assert soul._home.driver.model is not None
        with pytest.raises(NotFound):
            soul.agent("new")
        written(config, f"agents: {{list: [{{id: main, workspace: {tmp_path}/moved}}]}}\n")
        agent.remember("The boat is called Ida")
        assert "Ida" in (tmp_path / "moved/MEMORY.md").read_text()


@pytest.mark.parametrize("text", [*(text for text, _ in BROKEN), "", None])
def test_a_config_that_breaks_while_it_is_open_leaves_the_last_good_one_in_force(
    config: Path, text: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    written(config, "operators: ['acct:7']\nagents: {list: [main, other]}\nmemory: {soul: {growth: auto}}\n")
    with Oldsoul.open() as soul:
        if text is None:
            config.unlink()
        else:
            written(config, text)
        assert soul.settings.operators == ("acct:7",)
        assert soul.agent("other").settings.memory.soul.growth == "auto"
        soul.agent("other").remember("The cat is called Tom")
        told = [record.getMessage() for record in caplog.records if record.name == "oldsoul"]
        assert len(told) == 1
        assert told[0].startswith("config.yaml")
        assert told[0].endswith("the earlier settings stay in effect")
        written(config, "operators: ['acct:8']\nagents: {list: [main, other]}\n")
        assert soul.settings.operators == ("acct:8",)
        assert soul.agent("other").settings.memory.soul.growth == "ask"


def test_a_setting_of_an_earlier_version_is_named_at_open_with_what_to_do(
    config: Path, caplog: pytest.LogCaptureFixture
) -> None:
    written(config, "memory: {search: {local: {model_cache_dir: ~/models}}}\n")
    with Oldsoul.open() as soul:
        agent = soul.agent("main")
        agent.remember("The cat is called Tom")
        written(config.parent / "workspace/main/CONFIG.md", "memory_search: {local: {model_cache_dir: x}}\n")
        assert agent.settings.memory.enabled
    told = [record.getMessage() for record in caplog.records if record.name == "oldsoul"]
    assert [each.partition(":")[0] for each in told] == [
        "config.yaml, line 1, column 27",
        "CONFIG.md, line 1, column 25",
    ]
    assert all(each.endswith("this setting was removed: it had no effect; remove the line") for each in told)
    assert "memory.search.local.model_cache_dir: this setting was removed" in run("doctor").stdout
    assert run("show").exit_code == 0


def test_conversations_go_where_the_settings_say_they_are_kept(config: Path) -> None:
    with Oldsoul.open() as soul:
        first = soul._home.chat
        soul.agent().hear("hello", session=Session.dm())
        written(config, "storage: {chat: sqlite, postgres_dsn: elsewhere}\n")
        assert soul._home.chat is not first
        assert [message.text for message in soul.agent()._parts.log.messages(Wanted())] == ["hello"]


def test_a_config_that_may_not_be_read_leaves_the_last_good_one_in_force(config: Path) -> None:
    written(config, "operators: ['acct:7']\n")
    with Oldsoul.open() as soul:
        config.unlink()
        os.mkdir(config)  # noqa: PTH102 - what nobody can read, not even root
        assert soul.settings.operators == ("acct:7",)
