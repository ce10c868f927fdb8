"""What faces show is plain data, each value with keys that stay."""

from __future__ import annotations

import dataclasses
import inspect
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from pydantic import TypeAdapter

from oldsoul import Oldsoul, Session
from oldsoul.app.health import Finding
from oldsoul.judging.triage import triaged
from oldsoul.views import access, files, history, home, recall, talk, upkeep
from oldsoul.views.recall import HitShown, RecalledShown
from oldsoul.views.shape import Shown, described, key, plain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import ModuleType


@pytest.fixture
def soul(tmp_path: Path) -> Iterator[Oldsoul]:
    with Oldsoul.open(tmp_path / "home") as opened:
        yield opened


def test_values_are_plain_data_with_keys_that_stay(soul: Oldsoul) -> None:
    agent = soul.agent()
    made = agent.remember("Mia is the cat", tag="knowledge")
    heard = agent.hear("remember that the shop opens on May 4", session=Session.dm())
    held = agent._parts.log.session("dm:acct:owner")
    recalled = agent.recall("who is the cat?", session=Session.dm())
    context = agent.context("who is the cat?", session=Session.dm())
    seen = triaged("No, it is blue", "It is red.", agent.settings.memory.triage)
    memory = next(file for file in agent.files.all() if file.name.path == "MEMORY.md")
    shown: dict[str, tuple[object, str]] = {
        "file": (files.file(memory), "filename kind size_bytes limit_bytes state version last_modified"),
        "document": (files.document("A.md", "v", b"caf\xe9"), "path version size text"),
        "entries": (files.entries(agent.memory.entries("MEMORY.md")), "entries total next"),
        "entry": (
            files.entry(agent.memory.entries("MEMORY.md").page[0]),
            (
                "entry path line text title section tag stored confidence seen added mentions source origin audience "
                "superseded searched"
            ),
        ),
        "remembered": (
            files.remembered(made, agent.id),
            "change entry path line agent repeated masked warnings",
        ),
        "workspace": (
            files.workspace(soul, agent.id),
            "id display_name kind default folder files memory limit proposals",
        ),
        "change": (
            history.change(agent.files.history()[0]),
            "change at author reason files evidence notes",
        ),
        "blamed": (
            history.blamed(agent.files.blame("MEMORY.md")[0]),
            "line text change at author reason evidence",
        ),
        "heard": (
            talk.heard(heard),
            (
                "message session kind room sender subject role text time channel key origin audience flags repeated "
                "masked corrected"
            ),
        ),
        "exported": (talk.exported(heard.message), "session kind subject role text time key"),
        "triaged": (talk.triaged(seen), "enabled flags corrects problems"),
        "session": (
            talk.session(held, 1),
            "session kind with messages first last channel ended new",
        ),
        "recalled": (
            recall.recalled(recalled, agent._parts.zone, explain=False),
            "answer confidence hits notes",
        ),
        "hit": (
            recall.hit(recalled.hits[0], agent._parts.zone, explain=True),
            "path start_line end_line score heading text source date speaker earlier entry audience citation why",
        ),
        "context": (recall.context(context, 4000, 0.0), "text tokens budget cost answer slots receipt"),
        "index": (
            upkeep.index(agent),
            "agent documents conversations chunks embedder file size waiting up_to_date making problems",
        ),
        "health": (home.health([Finding("error", "home", "it is gone")], "1.0"), "status version degraded checks"),
    }
    for name, (value, keys) in shown.items():
        told = plain(value)
        assert json.loads(json.dumps(told)) == told, name
        assert list(told) == keys.split(), name


MODULES = (access, upkeep, files, history, home, recall, talk, upkeep)
VIEWS = [
    one
    for module in MODULES
    for _, one in inspect.getmembers(module, inspect.isclass)
    if one.__module__ == module.__name__ and issubclass(one, Shown)
]


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.__name__)
def test_every_field_of_a_view_is_described_for_every_face(view: type[Shown]) -> None:
    names = [field.name for field in dataclasses.fields(view)]  # type: ignore[arg-type]  # each is a dataclass
    assert inspect.getdoc(view)
    assert set(described(view)) == set(names)
    properties = TypeAdapter(view).json_schema(mode="serialization")["properties"]
    assert [properties[key(name)]["description"] for name in names] == [described(view)[name] for name in names]


def test_a_hit_of_a_tool_has_names_that_every_face_has(soul: Oldsoul) -> None:
    agent = soul.agent()
    agent.remember("Mia is the cat")
    found = json.loads(agent.call_tool("memory_search", {"query": "who is the cat?"}, session=Session.dm()))
    assert set(found) <= set(described(RecalledShown))
    assert set(found["hits"][0]) <= set(described(HitShown))


def test_views_need_no_pydantic() -> None:
    names = ", ".join(f"oldsoul.views.{module.__name__.rpartition('.')[2]}" for module in MODULES)
    code = f"import sys, oldsoul.faces.cli, {names}; print('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_view_says_what_it_shows(module: ModuleType) -> None:
    own = [one for _, one in inspect.getmembers(module, inspect.isfunction) if one.__module__ == module.__name__]
    assert all(inspect.getdoc(one) for one in own if not one.__name__.startswith("_"))
