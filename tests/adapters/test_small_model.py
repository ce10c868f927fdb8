"""A real language model on a real server: that questions and answers get through. Never what it says."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from adapters.small_model import running
from oldsoul.adapters.models.metered import Metered
from oldsoul.adapters.models.remote import RemoteModel, UselessReply
from oldsoul.adapters.models.services import OBJECT, PLAIN, SCHEMA, SERVICES, AnswerFormat
from oldsoul.adapters.sqlite.records import SqliteSpending
from oldsoul.errors import Unavailable
from oldsoul.keepers.options import ModelOptions
from oldsoul.keepers.questions import parsed
from oldsoul.testing import FrozenClock
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FORM = {
    "type": "object",
    "additionalProperties": False,
    "required": ["colour", "sure", "number"],
    "properties": {
        "colour": {"type": "string", "enum": ["red", "green", "blue"]},
        "sure": {"type": ["boolean", "null"]},
        "number": {"type": "integer", "enum": [1, 2, 3], "maximum": 3},
    },
}

LONG = {
    "type": "object",
    "required": ["story"],
    "properties": {"story": {"type": "string", "enum": ["Once upon a time. " * 20]}},
}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running() as found:
        yield found


def model_at(address: str, provider: str = "openai", **more: Any) -> RemoteModel:
    usual: dict[str, Any] = {"base_url": address, "model": "small", "max_output_tokens": 200}
    return RemoteModel(SERVICES[provider], ModelOptions(provider=provider, **(usual | more)), {})


@pytest.mark.parametrize("provider", ["openai", "ollama"])
def test_an_answer_has_the_form_of_the_schema_and_its_tokens_are_counted(address: str, provider: str) -> None:
    model = model_at(address, provider)
    reply = model.answer("You like colours.", "Which colour do you like best? 你好 \ud800", FORM)
    assert parsed(reply.text, FORM)["colour"] in ("red", "green", "blue")
    assert 10 < reply.tokens_in < 200
    assert 5 < reply.tokens_out <= 200
    assert reply.model
    assert model._format.form == SCHEMA


def test_an_answer_that_is_too_long_is_told_with_what_it_took(address: str) -> None:
    with pytest.raises(UselessReply, match="max_output_tokens") as caught:
        model_at(address, max_output_tokens=16).answer("You tell stories.", "Tell one.", LONG)
    assert caught.value.reply.tokens_out == 16


@pytest.mark.parametrize("form", [OBJECT, PLAIN])
def test_the_other_ways_to_ask_are_taken_too(address: str, form: str) -> None:
    model = model_at(address, max_output_tokens=16)
    model._format = AnswerFormat(form, "max_tokens")
    try:
        reply = model.answer("You like colours.", "Which one?", FORM)
    except UselessReply as wasted:
        reply = wasted.reply
    assert 0 < reply.tokens_out <= 16
    assert model._format.form == form


def test_a_question_that_is_too_long_for_it_is_told(address: str) -> None:
    with pytest.raises(Unavailable, match="HTTP 400"):
        model_at(address).answer("You like colours.", "red green blue " * 2000, FORM)


def test_a_home_asks_it_and_knows_what_that_took(address: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    own = {"provider": "openai", "base_url": address, "model": "small", "input_price": 1.0, "daily_token_budget": 9999}
    (home / "config.yaml").write_text(f"keepers:\n  model: {json.dumps(own)}\n")
    clock = FrozenClock()
    with open_home(home, {}, clock) as soul:
        model = soul._home.world.models.model()
        assert isinstance(model, Metered)
        reply = model.on_behalf_of("memory-miner").answer("You like colours.", "Which one?", FORM)
    (call,) = SqliteSpending(str(home / "state" / "spending.db")).calls(clock.now().astimezone().date())
    assert (call.keeper, call.tokens_in, call.tokens_out) == ("memory-miner", reply.tokens_in, reply.tokens_out)
    assert call.cost == pytest.approx(reply.tokens_in / 1_000_000)


@pytest.mark.torture
def test_a_chat_holds_two_turns_and_the_next_process_knows_what_was_told(address: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text(
        f"timezone: UTC\nkeepers: {{model: {{provider: openai, base_url: '{address}', model: small, max_output_tokens: 16}}}}\n"
        "context: {prompt_mode: minimal, replies: {tool_rounds: 0}}\n"
    )
    rules = home / "workspace/main/AGENTS.md"
    rules.parent.mkdir(parents=True)
    rules.write_text("Be brief.\n")

    def oldsoul(*words: str, given: str = "") -> str:
        done = subprocess.run(
            [sys.executable, "-m", "oldsoul", "--home", str(home), *words],
            input=given,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    replies = oldsoul("chat", given="My cat is called Milo.\nHow are you?\n")
    assert len(replies.split("\n")) >= 3
    found = json.loads(oldsoul("messages", "--json"))["messages"]
    assert [one["role"] for one in found][:4] == ["assistant", "user", "assistant", "user"]
    assert "My cat is called Milo." in oldsoul("context", "--prompt", "--text", "-m", "what is my cat called?")
    asked = json.loads(oldsoul("ask", "--json", "what is my cat called?"))
    assert asked["text"]
    assert asked["reply"] == 6
