"""What faces show is plain data, each value with keys that stay."""

from __future__ import annotations

import inspect
import json
from typing import TYPE_CHECKING

import pytest

from oldsoul import Oldsoul, Session
from oldsoul.app.health import Finding
from oldsoul.judging.triage import triaged
from oldsoul.views import files, history, recall, talk, upkeep

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
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
    held = agent.parts.log.session("dm:acct:owner")
    recalled = agent.recall("who is the cat?", session=Session.dm())
    context = agent.context("who is the cat?", session=Session.dm())
    seen = triaged("No, it is blue", "It is red.", agent.settings.memory.triage)
    memory = next(file for file in agent.files.all() if file.name.path == "MEMORY.md")
    shown: dict[str, tuple[Mapping[str, object], str]] = {
        "file": (files.file(memory), "path kind size limit state version modified"),
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
            "id kind default folder files memory limit proposals",
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
            "message session kind room sender subject role text time channel key origin audience flags repeated masked",
        ),
        "exported": (talk.exported(heard.message), "session kind subject role text time key"),
        "triaged": (talk.triaged(seen), "enabled flags puts_right problems"),
        "session": (
            talk.session(held, 1),
            "session kind with messages first last channel ended new",
        ),
        "recalled": (
            recall.recalled(recalled, agent.parts.zone, explain=False),
            "answer confidence hits",
        ),
        "hit": (
            recall.hit(recalled.hits[0], agent.parts.zone, explain=True),
            "path start_line end_line score heading text source date speaker earlier why",
        ),
        "context": (recall.context(context), "text tokens answer slots receipt"),
        "index": (
            upkeep.index(agent),
            "agent documents conversations chunks embedder file size waiting up_to_date making problems",
        ),
        "health": (upkeep.health([Finding("error", "home", "it is gone")]), "ok checks"),
    }
    for name, (value, keys) in shown.items():
        assert json.loads(json.dumps(value)) == value, name
        assert list(value) == keys.split(), name


@pytest.mark.parametrize("module", [recall, files, history, talk, upkeep], ids=lambda module: module.__name__)
def test_every_view_says_what_it_shows(module: ModuleType) -> None:
    own = [one for _, one in inspect.getmembers(module, inspect.isfunction) if one.__module__ == module.__name__]
    assert own
    assert all(inspect.getdoc(one) for one in own if not one.__name__.startswith("_"))
