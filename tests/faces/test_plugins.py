"""Other packages add keepers, embedders, models and stores by entry point; only what config.yaml names is loaded."""

from __future__ import annotations

import shutil
import sys
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from faces.served import code, serving
from faces.test_cli import ok
from oldsoul import Session
from oldsoul.errors import SettingsError, Unavailable
from oldsoul.settings import guarded
from oldsoul.testing import FrozenClock
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oldsoul.app import Oldsoul

EXAMPLE = Path(__file__).parents[2] / "examples/week_keeper"
MONDAY = datetime(2026, 2, 2, 12, tzinfo=UTC)
TOYS = '''"""An embedder, a model and a store of another package."""

import numpy as np

from oldsoul.testing import MemoryChatLog
from oldsoul.values.models import Reply, Usage

LOADED = []


class Letters:
    """Texts as how often each letter stands in them."""

    name = "letters"

    def __init__(self, options):
        LOADED.append("embedder")

    def embed(self, texts, *, question=False):
        return np.array([[1.0 + text.lower().count(chr(97 + n)) for n in range(26)] for text in texts])

    def close(self):
        pass


class Parrot:
    """Says the last line it was told."""

    def __init__(self, options):
        LOADED.append("model")

    def answer(self, system, text, schema):
        return Reply("{}", 1, 1, "parrot")

    def talk(self, request):
        yield request.turns[-1].text.splitlines()[-1]
        yield Usage(1, 1, "parrot")


def shelf(folder, on_change):
    LOADED.append("store")
    return MemoryChatLog()


class Broken:
    pass
'''
ENTRIES = """[oldsoul.embedders]
letters = toys_of_tests:Letters
[oldsoul.models]
parrot = toys_of_tests:Parrot
[oldsoul.stores]
shelf = toys_of_tests:shelf
[oldsoul.keepers]
broken = toys_of_tests:Broken
lost = no_such_module:KEEPER
"""


def installed(site: Path, name: str, entries: str) -> None:
    """What an installer leaves of a package beside its code."""
    info = site / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entries)


@pytest.fixture(autouse=True)
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder where the example package and one with toys are installed."""
    folder = tmp_path / "site"
    declared = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]["entry-points"]
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in names.items()) for group, names in declared.items()]
    installed(folder, "week_keeper", "".join(lines))
    shutil.copy(EXAMPLE / "week_keeper.py", folder)
    installed(folder, "toys_of_tests", ENTRIES)
    (folder / "toys_of_tests.py").write_text(TOYS)
    monkeypatch.syspath_prepend(str(folder))
    yield folder
    for name in ("week_keeper", "toys_of_tests"):
        sys.modules.pop(name, None)


def opened(tmp_path: Path, config: str = "", clock: FrozenClock | None = None) -> Oldsoul:
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text(f"timezone: UTC\n{config}")
    return open_home(home, {}, clock or FrozenClock(MONDAY))


def test_the_example_keeper_runs_dry_and_by_hand_and_on_its_day(tmp_path: Path) -> None:
    clock = FrozenClock(MONDAY - timedelta(days=3))
    with opened(tmp_path, "keepers: {plugins: {week-keeper: Monday 12:30}}\n", clock) as soul:
        agent, scheduler = soul.agent(), soul.scheduler()
        scheduler.tick()
        for text in ("the boiler is on", "the gate is open"):
            agent.hear(text, session=Session.dm(id="own"))
        clock.advance(timedelta(days=3))
        (shown,) = agent.run("week-keeper", dry_run=True)
        assert "2 messages in 1 conversations" in str(shown.steps)
        clock.advance(timedelta(hours=1))
        due = [told.job.name for told in scheduler.tick() if told.job]
        assert "week-keeper" in due
        agent.run("week-keeper")  # that week is done
        memory = (tmp_path / "home/workspace/main/MEMORY.md").read_text()
        assert memory.count("2 messages in 1 conversations before 2026-02-02") == 1


def test_a_keeper_that_is_named_is_listed_on_the_command_line_and_over_http(tmp_path: Path) -> None:
    named = "keepers: {plugins: {week-keeper: Monday 05:00}}\n"
    with serving(tmp_path, named) as served:
        listed = served.get("/api/agents/main/keepers").json()["keepers"]
        assert "week-keeper" in {each["keeper"] for each in listed}
        assert {"week-keeper": "Monday 05:00"}.items() <= {
            job["job"]: job["when"] for job in served.get("/api/schedule").json()["schedule"]
        }.items()
        assert served.ask("POST", "/api/agents/main/keepers/week-keeper/dry-run").status_code == 200
        assert code(served.ask("POST", "/api/agents/main/keepers/tea-keeper/runs")) == (404, "not_found")
    home = str(tmp_path / "home")
    assert "Writes down on Mondays" in ok("--home", home, "keepers", "run")
    assert "Monday 05:00" in ok("--home", home, "keepers")


def test_what_is_installed_and_not_named_is_never_loaded(tmp_path: Path) -> None:
    with opened(tmp_path) as soul:
        agent = soul.agent()
        agent.remember("The boiler is serviced in May")
        agent.recall("boiler", session=Session.dm(id="own"))
        agent.run("memory-miner")
        soul.scheduler().tick()
        assert "week-keeper" not in agent._parts.keeping.records
    with opened(tmp_path, "keepers: {plugins: {week-keeper: Monday 05:00}}\n") as soul:
        soul.scheduler().tick()  # it is not due
    assert not {"week_keeper", "toys_of_tests"} & {*sys.modules}


def test_a_config_md_names_no_plugin(tmp_path: Path) -> None:
    with opened(tmp_path) as soul:
        soul.agent().files.put("CONFIG.md", b"```yaml\nkeepers: {plugins: {week-keeper: '05:00'}}\n```\n")
    with opened(tmp_path) as soul:
        assert soul.settings.keepers.plugins == ()


@pytest.mark.parametrize(("name", "said"), [("broken", "not a KeeperRecord"), ("lost", "no_such_module")])
def test_a_keeper_that_cannot_be_loaded_says_so_and_stops_no_other(tmp_path: Path, name: str, said: str) -> None:
    with opened(tmp_path, f"keepers: {{plugins: {{{name}: Monday 05:00}}}}\n") as soul:
        agent = soul.agent()
        assert said in agent._parts.keeping.records[name].about
        with pytest.raises(Unavailable, match=said):
            agent.run(name)
        agent.run("memory-miner")


def test_a_keeper_that_nobody_installed_is_a_mistake_in_the_settings(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"no installed package has a keeper of this name; there is .*week-keeper"):
        opened(tmp_path, "keepers: {plugins: {tea-keeper: Monday 05:00}}\n")


def test_an_embedder_a_model_and_a_store_are_used_where_settings_name_them(tmp_path: Path) -> None:
    config = "memory: {search: {provider: letters}}\nkeepers: {model: {provider: parrot}}\nstorage: {chat: shelf}\n"
    with opened(tmp_path, config) as soul:
        agent = soul.agent()
        agent.remember("The boiler is serviced in May")
        assert "boiler" in agent.recall("boiler", session=Session.dm(id="own")).hits[0].text
        assert agent.index.status().embedder.startswith("letters")
        agent.hear("the gate is open", session=Session.dm(id="own"))
        assert agent.respond("say this", session=Session.dm(id="own")).text.endswith("say this")
        assert not (tmp_path / "home/state/chat.db").exists()
    assert {*sys.modules["toys_of_tests"].LOADED} == {"embedder", "model", "store"}


def test_a_name_that_nobody_has_is_refused_with_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="or the name of a plugin, found the text"):
        opened(tmp_path, "memory: {search: {provider: lettres}}\n")


def test_a_token_names_no_plugin_and_may_choose_among_ours(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        for path in ("memory.search.provider", "keepers.model.provider", "storage.chat"):
            assert guarded(path, "letters")
            assert not guarded(path, "none" if "provider" in path else "sqlite")
        refused = served.ask("PUT", "/api/settings/memory.search.provider", json={"value": "letters"})
        assert refused.status_code in (401, 403)
        assert served.ask("PUT", "/api/settings/memory.search.provider", json={"value": "none"}).status_code == 200
        refused = served.ask("PUT", "/api/settings/keepers.plugins", json={"value": "{week-keeper: '05:00'}"})
        assert refused.status_code in (401, 403)
