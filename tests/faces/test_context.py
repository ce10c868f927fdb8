"""`context` and `prompt`: what a session is told, and what it costs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from oldsoul.faces.cli import cli

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path) -> str:
    folder = str(tmp_path / "home")
    run(folder, "remember", "The cat is called Mia")
    run(folder, "remember", "Always answer in English")
    return folder


def run(home: str, *words: str) -> str:
    result = CliRunner().invoke(cli, ["--home", home, *words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def value(home: str, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(home, "--json", *words))
    return found


def test_the_slots_are_shown_with_what_each_costs(home: str) -> None:
    text = run(home, "context", "--message", "what is the cat called?")
    assert "identity" in text
    assert "of 6000 tokens" in text
    assert "Recall: found" in text
    assert "The cat is called Mia" in text


def test_programs_get_text_tokens_slots_and_receipt(home: str) -> None:
    found = value(home, "context", "-m", "what is the cat called?")
    assert set(found) == {"text", "tokens", "budget", "cost", "answer", "slots", "receipt"}
    assert [slot["slot"] for slot in found["slots"]] == list(range(1, 9))
    assert found["tokens"] == sum(slot["tokens"] for slot in found["slots"]) <= 6000
    assert found["text"] == "".join(slot["text"] for slot in found["slots"])
    (line,) = [
        one for one in found["receipt"]["included"] if one["slot"] == "recall" and one["document"] == "MEMORY.md"
    ]
    assert line["tokens"] > 0
    assert line["start_line"] > 1


def test_another_session_sees_what_is_its_own(home: str) -> None:
    for who in ("group:dev", "dm:acct:42", "cron"):
        found = run(home, "--json", "context", "-m", "what is the cat called?", "--as", who)
        assert "Mia" not in found
        assert "MEMORY.md" not in found.replace("MEMORY.md`", "")
        assert "Mia" not in run(home, "context", "--prompt", "-m", "what is the cat called?", "--as", who, "--text")


def test_the_receipt_and_the_bare_text_can_be_asked_for(home: str) -> None:
    receipt = run(home, "context", "-m", "what is the cat called?", "--receipt")
    assert "MEMORY.md:" in receipt
    assert "left out: MEMORY.md" in receipt
    text = run(home, "context", "--text")
    assert "SLOT" not in text
    assert "Always answer in English" in text


def test_a_prompt_is_shown_by_sections_and_files(home: str) -> None:
    shown = run(home, "context", "--prompt")
    assert "Tooling" in shown
    assert "AGENTS.md" in shown
    assert "missing" in shown
    found = value(home, "context", "--prompt", "-m", "hello")
    assert set(found) == {
        *("system", "stable_characters", "text", "tokens", "cost", "sections", "files", "context", "warnings"),
    }
    assert found["text"].endswith("hello")
    assert found["system"][: found["stable_characters"]].startswith("You are main")
    agents = next(file for file in found["files"] if file["name"] == "AGENTS.md")
    assert agents["tokens"] > 100
    whole = run(home, "context", "--prompt", "--text")
    assert "Operating rules" in whole
    assert "Always answer in English" in whole
