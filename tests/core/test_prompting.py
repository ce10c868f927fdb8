"""The prompt of an agent, from its files, settings and memory: the right parts, in the right place, for the right eyes."""

from __future__ import annotations

import re
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from oldsoul.context.prompt_facts import ClockFacts, Levels, Messaging, Mode, PromptFacts, ToolFact
from oldsoul.context.sections import delta
from oldsoul.errors import BadInput
from oldsoul.testing import FrozenClock
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from oldsoul.app import Oldsoul
    from oldsoul.context.sections import Part

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
OWN, DEV, ANN = Session.dm(), Session.group("dev"), Session.dm("acct:7", id="ann")


@contextmanager
def home(tmp_path: Path, config: str = "", clock: FrozenClock | None = None) -> Iterator[Oldsoul]:
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home/config.yaml").write_text(f"timezone: UTC\n{config}")
    with open_home(tmp_path / "home", {"SHELL": "/bin/zsh"}, clock=clock or FrozenClock(NOON)) as soul:
        yield soul


def test_soul_and_rules_stand_in_the_system_prompt_and_memory_before_the_message(tmp_path: Path) -> None:
    with home(tmp_path) as soul:
        agent = soul.agent()
        agent.files.put("SOUL.md", b"# main\n\n- You are dry and kind\n")
        agent.files.put("AGENTS.md", b"# Rules\n\n- Never book before ten\n")
        agent.files.put("USER.md", b"# Operator\n\n- Lives in Lisbon\n")
        agent.remember("The cat is called Mia")
        made = agent.prompt("what is the cat called?", session=OWN)
        assert made.system.text.count("You are dry and kind") == 1
        assert made.system.text.count("Lives in Lisbon") == 1
        assert "Never book before ten" in made.system.text
        assert "Mia" not in made.system.text
        assert made.text.endswith("\n\nwhat is the cat called?")
        assert made.text.count("The cat is called Mia") == 1
        group = agent.prompt("what is the cat called?", session=DEV)
        assert "You are dry and kind" in group.system.text
        assert "Lisbon" not in group.system.text + group.text
        assert "Mia" not in group.text


def test_an_agent_without_files_of_its_own_behaves_as_configured(tmp_path: Path) -> None:
    config = "agents:\n  list:\n    - {id: main, role: You sell tea, instructions: Weigh twice}\n    - {id: ed, persona: editor}\n"
    with home(tmp_path, config) as soul:
        made = soul.agent().prompt(session=OWN)
        assert "You sell tea" in made.system.text
        assert "Weigh twice" in made.system.text
        assert "Core Truths" not in made.system.text
        assert made.context.slots[0].text.strip() == "You sell tea"
        editor = soul.agent("ed").prompt(session=OWN)
        assert "persona editor" in editor.system.text
        soul.agent().files.put("SOUL.md", b"# main\n\n- You are dry and kind\n")
        assert "You sell tea" not in soul.agent().prompt(session=OWN).system.text
        soul.agent("ed").files.put("AGENTS.md", b"# Rules\n\n- Cut every third word\n")
        after = soul.agent("ed").prompt(session=OWN).system.text
        assert "Cut every third word" in after
        assert "Role (persona editor)" in after
        assert "Instructions (persona editor)" not in after
    with (
        pytest.raises(BadInput, match="pirate"),
        home(tmp_path, "agents: {list: [{id: main, persona: pirate}]}\n"),
    ):
        pass


def test_with_workspace_files_switched_off_an_agent_is_what_its_settings_say(tmp_path: Path) -> None:
    config = "agents: {list: [{id: main, role: You sell tea}]}\n"
    with home(tmp_path, config) as soul:
        soul.agent().files.put("SOUL.md", b"# main\n\n- You are dry and kind\n")
        soul.agent().remember("The cat is called Mia")
    with home(tmp_path, f"{config}memory: {{workspace: {{enabled: false}}, search: {{enabled: false}}}}\n") as soul:
        made = soul.agent().prompt("what is the cat called?", session=OWN)
        assert "You sell tea" in made.system.text
        assert "dry and kind" not in made.system.text
        assert "Mia" not in made.text


def test_helpers_get_a_short_prompt_with_rules_and_notes_on_tools(tmp_path: Path) -> None:
    with home(tmp_path) as soul:
        agent = soul.agent()
        (tmp_path / "home/workspace/main/TOOLS.md").write_text("# Tools\n\nThe lathe is loud.\n")
        for session in (Session.subagent(parent=OWN, id="s"), Session.cron("job")):
            short = agent.prompt(session=session).system
            assert "The lathe is loud" in short.text
            assert "Operating rules" in short.text
            assert "Core Truths" not in short.text
            assert "Silent" not in short.text
    with home(tmp_path, "context: {prompt_mode: none}\n") as soul:
        assert soul.agent().prompt(session=OWN).system.text.count("\n") == 0


def test_the_heartbeat_is_the_default_agents_alone(tmp_path: Path) -> None:
    config = "agents:\n  defaults: {heartbeat: {prompt: Look at the inbox}}\n  list: [{id: main}, {id: other}]\n"
    with home(tmp_path, config) as soul:
        assert "Look at the inbox" in soul.agent().prompt(session=OWN).system.text
        assert "Look at the inbox" not in soul.agent("other").prompt(session=OWN).system.text


def test_tools_channel_model_and_machine_are_what_the_caller_and_the_home_say(tmp_path: Path) -> None:
    config = "agents: {defaults: {model: openai/gpt-4o}}\nmemory: {citations: 'off'}\n"
    with home(tmp_path, config) as soul:
        agent = soul.agent()
        plain = agent.prompt(session=OWN).system.text
        assert all(f"- {name}: " in plain for name in ("memory_search", "memory_get", "skill_read"))
        assert "gpt-4o" in plain
        assert "zsh" in plain
        assert "Source: <path#line>" not in plain
        assert "<available_skills>" in plain
        facts = PromptFacts(
            tools=(ToolFact("grep"), ToolFact("message"), ToolFact("read", "reads a file")),
            messaging=Messaging("telegram", ("inlineButtons",), ("Use short messages",)),
            extra="Speak of yourself as we.",
            owner_numbers=("+4912",),
            model_aliases=("fast: openai/gpt-4o-mini",),
            levels=Levels("high"),
            clock=ClockFacts(format="12"),
        )
        told = agent.prompt(session=OWN, facts=facts).system.text
        assert "memory_search" not in told.partition("## Workspace")[0].partition("## Tooling")[2].partition("##")[0]
        assert told.index("- read: reads a file") < told.index("- grep")
        assert "call `read` on its location" in told
        assert "telegram" in told
        assert "Use short messages" in told
        assert "Speak of yourself as we." in told
        assert all(each in told for each in ("+4912", "fast: openai/gpt-4o-mini", "high"))
        assert re.search(r"\d:\d\d [AP]M", told)


def test_what_does_not_change_stays_the_beginning_and_what_does_can_be_appended(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    with home(tmp_path, clock=clock) as soul:
        agent = soul.agent()
        first = agent.prompt("good morning", session=OWN)
        clock.advance(timedelta(hours=2))
        agent.remember("The cat is called Mia")
        agent.hear("The boiler leaks", session=OWN, sender="Ann")
        second = agent.prompt("and the boiler?", session=OWN)
        assert second.system.stable == first.system.stable
        assert second.system.text != first.system.text
        assert delta(_stable(first.system.parts), _stable(second.system.parts)) == ""
        agent.files.put("SOUL.md", b"# main\n\n- You are dry and kind\n")
        third = agent.prompt("", session=OWN)
        told = delta(_stable(second.system.parts), _stable(third.system.parts))
        assert "You are dry and kind" in told
        assert "Operating rules" not in told


def _stable(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    return tuple(part for part in parts if not part.volatile)


def test_a_file_that_is_too_long_is_cut_with_a_mark_and_told(tmp_path: Path) -> None:
    with home(tmp_path, "context: {bootstrap_max_chars: 500, identity_tokens: 60, budget_tokens: 400}\n") as soul:
        agent = soul.agent()
        (tmp_path / "home/workspace/main/TOOLS.md").write_text("# Tools\n\n" + "The lathe is loud today.\n" * 100)
        agent.files.put("SOUL.md", b"# main\n\n" + b"".join(b"- You are number %d of many\n" % n for n in range(60)))
        made = agent.prompt(session=OWN)
        assert "characters left out" in made.system.text
        assert "the rest of this file is left out" in made.system.text
        assert any("TOOLS.md" in note for note in made.notes)
        assert made.context.slots[0].tokens <= 120


def test_shared_files_come_after_the_agents_own(tmp_path: Path) -> None:
    with home(tmp_path) as soul:
        (tmp_path / "home/workspace/_shared").mkdir(exist_ok=True)
        (tmp_path / "home/workspace/_shared/CULTURE.md").write_text("# Culture\n\nWe write things down.\n")
        text = soul.agent().prompt(session=DEV).system.text
        assert text.index("Core Truths") < text.index("We write things down.")


def test_memory_that_precedes_a_message_is_gated_by_the_kind_of_session(tmp_path: Path) -> None:
    with home(tmp_path) as soul:
        agent = soul.agent()
        agent.remember("The cat is called Mia")
        agent.files.put("rooms/dev.md", b"# dev\n\n- The build is green on Fridays\n")
        agent.talk.append_daily_log("Planted tulips", session=DEV)
        own = agent.memory.load_workspace_memory(is_dm=True)
        assert "Mia" in own
        assert "tulips" in own
        room = agent.memory.load_workspace_memory("dev")
        assert "Mia" not in room
        assert "green on Fridays" in room
        assert "tulips" in room
        assert agent.memory.load_workspace_memory() == ""
        assert "Mia" not in agent.memory.load_workspace_memory(session=ANN)


def test_a_caller_who_says_how_much_is_written_is_heard(tmp_path: Path) -> None:
    with home(tmp_path) as soul:
        agent = soul.agent()
        named = {mode: agent.prompt("hi", session=OWN, facts=PromptFacts(mode=mode)).system for mode in Mode}
        assert [part.name for part in named[Mode.NONE].parts] == ["Identity"]
        assert named[Mode.FULL].text == agent.prompt("hi", session=OWN).system.text
        assert "Skills" not in [part.name for part in named[Mode.MINIMAL].parts]
        helper = Session.subagent(OWN, id="helper")
        assert (
            agent.prompt("hi", session=helper, facts=PromptFacts(mode=Mode.NONE)).system.parts == named[Mode.NONE].parts
        )


def test_sessions_and_what_is_known_of_a_person_stand_in_the_prompt_as_blocks_of_memory(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    with home(tmp_path, clock=clock) as soul:
        agent = soul.agent()
        for day in range(2):
            agent.hear(f"The boat was painted in colour number {day}", session=ANN)
            agent.talk.end(ANN)
            clock.advance(timedelta(days=1 - day))
        facts = {f"- **Boat {n}**: Boat {n} is moored in harbour {n} (added 2026-02-05)" for n in range(12)}
        for n in range(12):
            agent.memory.promote(f"Boat {n} is moored in harbour {n}", "acct:7")
        text = agent.prompt("hello", session=ANN).text
        longterm = text[text.index("[Memory:LongTerm:Summary]") :].split("\n\n")[0].splitlines()
        shortterm = text[text.index("[Memory:ShortTerm:Recent]") :].split("\n\n")[0].splitlines()
        assert set(longterm[1:]) <= facts
        assert all(fact.removeprefix("- ").removesuffix(" (added 2026-02-05)") in text for fact in facts)
        assert [line[:12] for line in shortterm[1:]] == ["- 2026-02-05", "- 2026-02-04"]
        assert all(line.endswith(f"(2026-02-0{5 - n}/ann.md)") for n, line in enumerate(shortterm[1:]))
        assert "[Memory:" not in agent.prompt("hello", session=DEV).text


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("Hello!", False),
        ("Thanks a lot.", False),
        ("I bought a kite.", False),
        ("Where is my kite?", True),
        ("hi, where is my kite", True),
        ("Wo ist mein Drachen", True),
        ("Tell me about my kite", True),
    ],
)
def test_that_memory_holds_nothing_is_said_to_those_who_ask(tmp_path: Path, message: str, *, said: bool) -> None:
    with home(tmp_path) as soul:
        assert ("Memory holds nothing about this" in soul.agent().prompt(message, session=OWN).text) is said
