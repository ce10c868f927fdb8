"""Who an agent is: its own files before a built-in persona before the settings, and the gallery of personas."""

from __future__ import annotations

from importlib import resources

from oldsoul.context.bootstrap import SourceFile
from oldsoul.context.options import PERSONAS
from oldsoul.context.persona import (
    Configured,
    From,
    Persona,
    in_character,
    instructions_of,
    persona_of,
    role_of,
)
from oldsoul.context.prompt_facts import Mode, PromptFacts
from oldsoul.context.sections import system_prompt
from oldsoul.values.names import Name
from oldsoul.values.sessions import Session, SessionKind
from unit.context.test_prompt_files import BEN, HELPER, OWNER, ROOM, chosen, file

MADE = Persona("critic", "Critic", "builtin role", "builtin instructions")
BOTH = Configured(MADE, "configured role", "configured instructions")
SETTINGS = Configured(None, " configured role\n", "configured instructions")


def test_soul_overrides_rich_prompts() -> None:
    found = role_of(file("SOUL.md"), BOTH)
    assert (found.text, found.source) == ("own words", From.FILE)


def test_soul_fallback_to_rich_prompts() -> None:
    found = role_of(None, BOTH)
    assert (found.text, found.source) == ("builtin role", From.PERSONA)


def test_agents_md_overrides_yaml_instructions() -> None:
    found = instructions_of(file("AGENTS.md"), SETTINGS)
    assert (found.text, found.source) == ("own words", From.FILE)


def test_the_soul_goes_before_the_persona_and_that_before_the_configured_role() -> None:
    soul, seeded = file("SOUL.md"), file("SOUL.md", "seeded", is_template=True)
    assert (role_of(soul, BOTH).text, role_of(soul, BOTH).source) == ("own words", From.FILE)
    for nothing in (None, seeded, SourceFile(Name("ada", "SOUL.md"), missing=True), file("SOUL.md", " \n")):
        assert (role_of(nothing, BOTH).text, role_of(nothing, BOTH).source) == ("builtin role", From.PERSONA)
        assert (role_of(nothing, SETTINGS).text, role_of(nothing, SETTINGS).source) == (
            "configured role",
            From.SETTINGS,
        )
    assert (role_of(seeded, Configured()).text, role_of(seeded, Configured()).source) == ("seeded", From.TEMPLATE)
    assert role_of(None, Configured()).source is From.NOWHERE


def test_the_rules_go_before_the_personas_and_those_before_the_configured_ones() -> None:
    rules, seeded = file("AGENTS.md"), file("AGENTS.md", "seeded", is_template=True)
    assert instructions_of(rules, BOTH).source is From.FILE
    assert instructions_of(seeded, BOTH).text == "builtin instructions"
    assert instructions_of(None, SETTINGS).text == "configured instructions"
    assert instructions_of(seeded, Configured()).source is From.TEMPLATE


def prompt(session: Session, configured: Configured, *files: SourceFile) -> str:
    found = chosen(session, *in_character(files, "ada", configured)) if files or configured != Configured() else None
    mode = Mode.MINIMAL if session.kind in (SessionKind.SUBAGENT, SessionKind.CRON) else Mode.FULL
    return system_prompt(PromptFacts(mode=mode, files=found.files if found else ())).text


def test_an_agent_without_files_of_its_own_is_as_configured() -> None:
    seeded = (file("SOUL.md", "seeded soul", is_template=True), file("AGENTS.md", "seeded rules", is_template=True))
    for files in ((), seeded):
        for session in (OWNER, BEN, ROOM):
            text = prompt(session, SETTINGS, *files)
            assert "## Role (settings)\n\nconfigured role\n" in text
            assert "## Instructions (settings)\n\nconfigured instructions\n" in text
            assert "seeded" not in text
        assert "builtin role" in prompt(OWNER, BOTH, *files)
        assert "configured" not in prompt(OWNER, BOTH, *files)
    assert "seeded soul" in prompt(OWNER, Configured(), *seeded)


def test_what_is_written_in_the_files_goes_before_all_that_is_configured() -> None:
    text = prompt(ROOM, BOTH, file("SOUL.md", "my soul"), file("AGENTS.md", "my rules"))
    assert "my soul" in text
    assert "my rules" in text
    assert "builtin" not in text
    assert "configured" not in text


def test_configured_instructions_reach_helpers_and_the_role_does_not() -> None:
    text = prompt(HELPER, SETTINGS, file("SOUL.md", "seeded", is_template=True))
    assert "configured instructions" in text
    assert "configured role" not in text


def test_a_soul_that_cannot_be_read_is_reported_and_the_role_stands_in() -> None:
    broken = SourceFile(Name("ada", "SOUL.md"), missing=True, problem="a link that leads out")
    found = chosen(OWNER, *in_character([broken], "ada", SETTINGS))
    assert [shown.path for shown in found.files] == ["Instructions (settings)", "Role (settings)"]
    assert found.warnings == ("SOUL.md could not be read: a link that leads out",)


# the gallery


def test_the_gallery_holds_the_named_personas_each_with_a_role_and_instructions() -> None:
    folder = resources.files("oldsoul").joinpath("templates", "personas")
    texts = {each.name.removesuffix(".md"): each.read_text("utf-8") for each in folder.iterdir()}
    assert tuple(sorted(texts)) == PERSONAS
    made = [persona_of(name, text) for name, text in texts.items()]
    for persona in made:
        assert persona.title.casefold() == persona.name
        assert persona.role.startswith("You ")
        assert 4 <= persona.instructions.count("- ") <= 8
        assert "##" not in persona.role + persona.instructions
        assert len(texts[persona.name]) < 2000
    assert len({persona.role for persona in made}) == len(PERSONAS)
