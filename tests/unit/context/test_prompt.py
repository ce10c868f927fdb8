"""The system prompt: its sections and modes as the golden files show them, and what holds whatever the facts are."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.prompt_material import facts_of, rich
from core.test_golden import GOLDEN, cases, params
from oldsoul.context.prompt_facts import (
    AgentFacts,
    ClockFacts,
    ContextFile,
    Messaging,
    Mode,
    ModelFacts,
    PromptFacts,
    ToolFact,
    WorkspaceFacts,
    clock_facts,
    model_facts,
)
from oldsoul.context.sections import SECTIONS, TOOL_ORDER, Part, cli_reference, delta, ordered, system_prompt
from oldsoul.faces.cli import TABLE

BY_NAME = {section.name: section for section in SECTIONS}
words = st.text(max_size=30)
facts = st.builds(
    PromptFacts,
    mode=st.sampled_from(Mode),
    agent=st.builds(AgentFacts, id=words, name=words, is_default=st.booleans()),
    tools=st.lists(st.builds(ToolFact, st.sampled_from([*TOOL_ORDER, "memory_search", "odd"]), words)).map(tuple),
    clock=st.builds(ClockFacts, words, words, st.sampled_from(["12", "24"])),
    files=st.lists(st.builds(ContextFile, st.sampled_from(["SOUL.md", "AGENTS.md", "USER.md"]), words, words)).map(
        tuple
    ),
    skills=words,
    citations=st.sampled_from(["on", "off", "auto"]),
    workspace=st.builds(WorkspaceFacts, words, st.lists(words, max_size=2).map(tuple)),
    owner_numbers=st.lists(words, max_size=2).map(tuple),
    messaging=st.builds(
        Messaging, words, st.lists(words, max_size=2).map(tuple), st.lists(words, max_size=2).map(tuple)
    ),
    heartbeat=words,
    extra=words,
)

# golden


@pytest.mark.parametrize(("blocks", "name"), params("prompt/sections.md"))
def test_a_section_reads_as_the_golden_file_says(blocks: dict[str, str], name: str) -> None:
    section = BY_NAME[name.strip()]
    given_facts = facts_of(blocks["facts"])
    text = "\n\n".join(part.text for part in section.parts(given_facts))
    assert text == blocks["out"].removesuffix("\n")


def test_every_section_has_a_golden_case_and_none_is_overlooked() -> None:
    shown = {flags.strip() for _, blocks, flags in cases("prompt/sections.md") if blocks["out"]}
    assert shown == set(BY_NAME)
    text = (GOLDEN / "prompt/sections.md").read_text("utf-8")
    assert len(cases("prompt/sections.md")) == len(re.findall(r"^````facts", text, re.MULTILINE))


@pytest.mark.parametrize("mode", Mode)
def test_a_prompt_of_each_mode_reads_as_its_golden_file(mode: Mode) -> None:
    assert system_prompt(rich(mode)).text == (GOLDEN / f"prompt/{mode}.md").read_text("utf-8").removesuffix("\n")


def parts_of(text: str) -> tuple[Part, ...]:
    found = re.findall(r"^@ (.+)\n((?:(?!@ ).*\n)*)", text, re.MULTILINE)
    return tuple(Part(name, body.removesuffix("\n")) for name, body in found)


@pytest.mark.parametrize(("blocks", "_flags"), params("prompt/delta.md"))
def test_a_change_is_told_as_the_golden_file_says(blocks: dict[str, str], _flags: str) -> None:
    assert delta(parts_of(blocks["before"]), parts_of(blocks["after"])) == blocks["out"].removesuffix("\n")


# the table


def test_the_sections_stand_in_the_order_of_their_numbers_but_for_what_changes_per_turn() -> None:
    steady = [section.number for section in SECTIONS if not section.volatile]
    assert steady == sorted(steady)
    assert sorted(section.number for section in SECTIONS) == list(range(1, 26))
    tail = [section.number for section in SECTIONS if section.volatile]
    assert (tail, [section.number for section in SECTIONS[-2:]]) == ([14, 24], [14, 24])


def test_a_full_prompt_has_every_section_that_applies() -> None:
    names = [part.name.partition(": ")[0] for part in system_prompt(rich(Mode.FULL)).parts]
    assert list(dict.fromkeys(names)) == [section.name for section in SECTIONS]


def test_a_minimal_prompt_has_tools_workspace_runtime_safety_and_the_two_files() -> None:
    names = [part.name for part in system_prompt(rich(Mode.MINIMAL)).parts]
    files = [f"Project Context: /srv/ada/{name}" for name in ("AGENTS.md", "TOOLS.md")]
    rest = ["Further Instructions", "Runtime"]
    assert names == ["Identity", "Tooling", "Safety", "Workspace", "Project Context", *files, *rest]


def test_the_least_prompt_is_the_identity_line_alone() -> None:
    text = system_prompt(rich(Mode.NONE)).text
    assert text.startswith("You are Ada, ")
    assert "\n" not in text


def test_a_small_call_is_small() -> None:
    prompt = system_prompt(PromptFacts(workspace=WorkspaceFacts("/w")))
    assert [part.name for part in prompt.parts] == [
        *("Identity", "Tooling", "Safety", "CLI Quick Reference", "Workspace", "Silent Replies", "Runtime")
    ]


def test_the_commands_it_names_exist() -> None:
    named = set(re.findall(r"`oldsoul ([a-z-]+)", cli_reference(PromptFacts()))) - {"--help"}
    assert named
    assert named <= set(TABLE)


def test_tools_have_the_specified_order() -> None:
    mixed = [ToolFact(name) for name in ("zoo", *reversed(TOOL_ORDER), "alpha", "read")]
    assert [tool.name for tool in ordered(mixed)] == [*TOOL_ORDER, "alpha", "zoo"]
    assert TOOL_ORDER[:4] == ("read", "write", "edit", "apply_patch")
    assert (len(TOOL_ORDER), TOOL_ORDER[-1]) == (24, "image")


# the facts


@pytest.mark.parametrize(
    ("hour", "form", "text"),
    [
        (0, "12", "Sunday, 15 November 2026, 12:05 AM"),
        (12, "12", "Sunday, 15 November 2026, 12:05 PM"),
        (23, "12", "Sunday, 15 November 2026, 11:05 PM"),
        (9, "24", "Sunday, 15 November 2026, 09:05"),
        (23, "auto", "Sunday, 15 November 2026, 23:05"),
    ],
)
def test_the_time_is_written_in_the_form_that_is_set(hour: int, form: str, text: str) -> None:
    told = clock_facts(datetime(2026, 11, 15, hour, 5, 59, tzinfo=UTC), "UTC", form)
    assert told == ClockFacts("UTC", text, "12" if form == "12" else "24")


def test_a_model_is_named_with_its_provider_or_without() -> None:
    assert model_facts("openrouter/anthropic/claude") == ModelFacts("openrouter", "anthropic/claude")
    assert model_facts(" local ") == ModelFacts("", "local")
    assert model_facts("") == ModelFacts()


def test_what_a_channel_can_do_is_understood_in_its_own_words() -> None:
    assert Messaging(capabilities=("inline-buttons", "Native Replies")).has_buttons
    assert Messaging(capabilities=("inline-buttons", "Native Replies")).has_replies
    assert not Messaging(capabilities=("polls",)).has_buttons
    assert not Messaging(capabilities=("polls",)).has_replies


# what always holds


@given(facts)
def test_the_same_facts_give_the_same_bytes_and_no_change(some: PromptFacts) -> None:
    first, again = system_prompt(some), system_prompt(replace(some))
    assert first.text == again.text
    assert first.parts == again.parts
    assert delta(first.parts, again.parts) == ""


@given(facts, st.sampled_from(SECTIONS))
def test_dropping_a_section_leaves_the_others_unchanged(some: PromptFacts, dropped: object) -> None:
    rest = tuple(section for section in SECTIONS if section is not dropped)
    gone = next(section for section in SECTIONS if section is dropped).parts(some)
    assert [part for part in system_prompt(some).parts if part not in gone] == list(system_prompt(some, rest).parts)


@given(facts, st.builds(ClockFacts, words, words))
def test_what_changes_per_turn_changes_the_tail_alone(some: PromptFacts, later: ClockFacts) -> None:
    before, after = system_prompt(some), system_prompt(replace(some, clock=later))
    assert before.stable == after.stable
    assert after.text.startswith(after.stable)
    assert [part.volatile for part in after.parts] == sorted(part.volatile for part in after.parts)


@given(facts)
def test_a_section_in_parts_reads_like_the_section(some: PromptFacts) -> None:
    for section in SECTIONS:
        if some.mode in section.modes:
            assert "\n\n".join(part.text for part in section.parts(some)) == section.write(some)


@given(facts)
def test_a_minimal_prompt_holds_no_other_file(some: PromptFacts) -> None:
    secret = ContextFile("USER.md", "/w/USER.md", "the owner's cat is called Mia")
    assert "Mia" not in system_prompt(replace(some, mode=Mode.MINIMAL, files=(secret,))).text


@given(st.lists(st.builds(Part, words, words), unique_by=lambda part: part.name), st.data())
def test_a_change_is_told_exactly_when_there_is_one(parts: list[Part], data: st.DataObject) -> None:
    now = [Part(part.name, data.draw(st.sampled_from([part.text, "new"]))) for part in parts]
    assert bool(delta(parts, now)) == (parts != now)
    told = delta(parts, now)
    assert all(part.name in told for part, old in zip(now, parts, strict=True) if part != old)


def test_a_fence_in_a_text_does_not_end_ours() -> None:
    told = delta([], [Part("Tools", "```sh\nls\n```\n  `````\nmore")])
    assert told.endswith("Tools is new:\n\n``````\n```sh\nls\n```\n  `````\nmore\n``````")


def test_every_fact_has_its_place_in_the_prompt() -> None:
    """Taking away any one topic changes the full prompt: none is asked for in vain."""
    whole = rich(Mode.FULL)
    for topic in fields(whole):
        default = getattr(PromptFacts(), topic.name)
        if topic.name not in ("mode", "citations"):
            assert system_prompt(replace(whole, **{topic.name: default})).text != system_prompt(whole).text, topic.name
