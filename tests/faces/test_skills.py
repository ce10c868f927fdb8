"""The command that lists skills: for people, for programs, and through anybody's eyes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from faces.test_cli import answer, folder, ok, on_a_terminal, refusal, run

if TYPE_CHECKING:
    from pathlib import Path

FIELDS = {
    *("name", "description", "source", "location", "path", "offered", "why", "primary_env", "requires_env"),
    *("disable_model_invocation", "allow_remote", "license", "compatibility", "allowed_tools", "notes"),
}


def put(name: str, more: str = "", description: str = "Does something.") -> Path:
    file = folder() / "skills" / name / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text(f"---\nname: {file.parent.name}\ndescription: {description}\n{more}---\nDo it.\n")
    return file


@pytest.fixture(autouse=True)
def _a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BIRD_KEY", raising=False)
    ok("init")
    ok("config", "set", "context.skills.disabled", f"[{', '.join(sorted(SHIPPED))}]")


SHIPPED = {"remember-well", "write-a-skill"}
"""The skills that come with Oldsoul: turned off here, and listed as such."""


def by_name(*words: str) -> dict[str, dict[str, Any]]:
    return {skill["name"]: skill for skill in answer("skills", *words)["skills"] if skill["name"] not in SHIPPED}


def test_skills_are_listed_with_where_they_are_and_why_not() -> None:
    put("group/bird", "homepage: https://bird.example\n")
    put("cat", "disable-model-invocation: true\n")
    put("liar").write_text("---\nname: other\ndescription: x\n---\n")
    text = ok("skills")
    every = [" ".join(line.split()) for line in text.splitlines()]
    lines = [line for line in every if line.partition(" ")[0] not in SHIPPED]
    assert [line.endswith("turned off (context.skills.disabled)") for line in every if line not in lines] == [True] * 2
    place = "~/.oldsoul/workspace/main/skills"
    why = "its name is other, but its folder is called 'liar'; they must be the same"
    assert lines[:4] == [
        "NAME SOURCE LOCATION STATE",
        f"bird workspace {place}/group/bird/SKILL.md offered",
        f"cat workspace {place}/cat/SKILL.md only a person may select it (disableModelInvocation)",
        f"– workspace {place}/liar/SKILL.md skipped: {why}",
    ]
    assert lines[5:7] == ["2 notes:", "bird: the format has no key homepage; put other keys under metadata"]


def test_programs_get_every_field() -> None:
    put("bird", "license: MIT\nmetadata: {openclaw: {primaryEnv: node, requires: {env: [BIRD_KEY]}}}\n")
    put("liar").write_text("no frontmatter")
    made = answer("skills")
    assert set(made) == {"skills", "skipped"}
    (bird,) = [skill for skill in made["skills"] if skill["name"] not in SHIPPED]
    assert set(bird) == FIELDS
    assert (bird["offered"], bird["why"]) == (False, "needs BIRD_KEY in the environment")
    assert (bird["primary_env"], bird["requires_env"], bird["license"]) == ("node", ["BIRD_KEY"], "MIT")
    assert bird["path"] == str(folder() / "skills/bird/SKILL.md")
    (skipped,) = made["skipped"]
    assert set(skipped) == {"location", "source", "why"}
    assert skipped["why"].startswith("it must begin with frontmatter")


def test_a_variable_that_is_set_makes_the_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    put("bird", "metadata: {openclaw: {requires: {env: [BIRD_KEY]}}}\n")
    assert not by_name()["bird"]["offered"]
    monkeypatch.setenv("BIRD_KEY", "secret-value")
    assert by_name()["bird"]["offered"]
    assert "secret-value" not in ok("skills", "--json") + ok("skills") + ok("skills", "--section")


def test_each_session_sees_what_it_is_offered() -> None:
    put("bird", "metadata: {openclaw: {invocation: {allowRemote: false}}}\n")
    put("cat")
    seen = {
        (): True,
        ("--as", "dm"): True,
        ("--as", "dm:alice"): False,
        ("--as", "group:dev"): False,
        ("--as", "cron"): False,
    }
    for who, offered in seen.items():
        skills = by_name(*who)
        assert (skills["bird"]["offered"], skills["cat"]["offered"]) == (offered, True)
    assert "is not a session" in refusal(2, "skills", "--as", "somebody")


def test_the_section_is_printed_as_a_prompt_has_it() -> None:
    put("bird", description="Sings & flies.")
    text = ok("skills", "--section")
    assert text.startswith("## Skills\n")
    assert "call `read` on its location" in text
    listed = '<skill location="~/.oldsoul/workspace/main/skills/bird/SKILL.md">\n    <description>Sings &amp; flies.<'
    assert listed in text
    assert text.endswith("</available_skills>\n")
    assert "call `skill_read`" in ok("skills", "--section", "--tool", "exec", "--tool", "skill_read")
    made = answer("skills", "--section")
    assert made == {"section": text.removesuffix("\n"), "listed": 1, "left_out": 0, "notes": []}


def test_a_section_that_is_empty_says_why() -> None:
    put("bird")
    result = run("skills", "--section", "--tool", "exec")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "the agent has no tool to read them with" in result.stderr
    made = answer("skills", "--section", "--tool", "exec")
    assert (made["section"], made["listed"], made["left_out"], len(made["notes"])) == ("", 0, 1, 1)


def test_another_agent_has_skills_of_its_own() -> None:
    put("bird")
    ok("config", "set", "agents.scout.role", "looks around")
    ok("init")
    assert by_name("-a", "scout") == {}
    assert set(by_name()) == {"bird"}


def test_a_name_that_would_move_the_cursor_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    put("\x1b[2Jgroup/bird")
    put("cat", '"\x1b[31modd": 1\n')
    put("dog", '"\\e[31modd": 1\n')
    assert "\x1b" not in ok("skills")
    monkeypatch.setenv("TERM", "xterm")
    _, seen = on_a_terminal("skills", typed=b"")
    assert "\x1b[2J" not in seen
    assert "\x1b[31m" not in seen


def test_skills_can_be_listed_in_a_home_that_may_only_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    put("bird")
    opened = os.open

    def read_only(path: Any, flags: int, *more: Any, **further: Any) -> int:
        if str(path).endswith(".lock") and ".oldsoul/" in str(path):
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, flags, *more, **further)

    monkeypatch.setattr(os, "open", read_only)
    assert by_name()["bird"]["offered"]
