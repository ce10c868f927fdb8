"""S0's names of the embedder's settings: they choose who embeds, for search and for Mem0 alike."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

import oldsoul.app.home.mem0 as mem0  # noqa: PLR0402 - the module, not the seam that leads to it
from adapters.embedder_server import serving
from oldsoul.settings import load
from oldsoul.testing import FrozenClock
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from pathlib import Path

OWN = Session.dm()
NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
S0 = "embedder: {provider: openai, config: {model: text-embedding-3-small}}"


def config(url: str, more: str = "") -> str:
    return f"timezone: UTC\nmemory:\n  {S0}\n  search: {{remote: {{base_url: {url!r}, api_key: sk-test}}}}\n{more}"


@pytest.mark.parametrize("provider", ["auto", "openai", "gemini", "voyage", "ollama", "local", "none"])
def test_the_provider_may_be_called_as_s0_calls_it(provider: str) -> None:
    loaded = load(f"memory:\n  embedder:\n    provider: {provider}\n")
    assert (loaded.problems, loaded.settings.memory.search.provider) == ((), provider)
    assert "memory.search.provider" in loaded.sources


def test_a_provider_there_is_none_of_is_reported_where_it_stands() -> None:
    loaded = load("memory:\n  embedder:\n    provider: chatty\n")
    assert [(each.severity, each.path, each.line) for each in loaded.problems] == [
        ("error", "memory.embedder.provider", 3)
    ]
    assert loaded.settings.memory.search.provider == "auto"


@pytest.mark.parametrize(
    ("written", "setting", "value"),
    [
        ("model: text-embedding-3-small", "model", "text-embedding-3-small"),
    ],
)
def test_the_model_may_be_called_as_s0_calls_it(written: str, setting: str, value: Any) -> None:
    loaded = load(f"memory:\n  embedder:\n    provider: openai\n    config:\n      {written}\n")
    assert (loaded.problems, getattr(loaded.settings.memory.search, setting)) == ((), value)


def test_who_is_named_so_embeds_what_is_searched(tmp_path: Path) -> None:
    with serving() as server:
        (tmp_path / "config.yaml").write_text(config(server.url))
        with open_home(tmp_path, {}, clock=FrozenClock(NOON)) as soul:
            soul.agent().remember("The cat is called Mia")
            soul.agent().recall("what is the cat called?", session=OWN)
    assert {each.body["model"] for each in server.seen} == {"text-embedding-3-small"}
    assert "what is the cat called?" in [text for each in server.seen for text in each.texts]


def test_who_is_named_so_embeds_for_mem0_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mem0, "OPENING", 120.0)
    with serving() as server:
        both = "  mem0_search: {enabled: true, store_enabled: true}\n"
        (tmp_path / "config.yaml").write_text(config(server.url, both))
        with open_home(tmp_path, {}, clock=FrozenClock(NOON)) as soul:
            soul.agent().hear("The cat is called Mia", session=OWN)
            found = soul.agent().recall("The cat is called Mia", session=OWN)
            assert found.notes == ()
        (state,) = (tmp_path / "cache/mem0").glob("*/oldsoul.json")
        assert "text-embedding-3-small" in state.read_text("utf-8")
    assert {each.body["model"] for each in server.seen} == {"text-embedding-3-small"}
