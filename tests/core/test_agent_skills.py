"""An agent's skills: five sources in order, what each session is offered, and the tool that reads one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from oldsoul.app.prompts.skills import SKILL_READ, skill_read, skills_of, skills_section
from oldsoul.errors import BadInput, NotFound
from oldsoul.values.audience import OWNER
from oldsoul.values.sessions import Session
from oldsoul.values.skills import SOURCES
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oldsoul.app import Agent, Oldsoul

OWN, ANN, DEV = Session.dm(), Session.dm("acct:ann"), Session.group("dev")
BUNDLED = ["remember-well", "write-a-skill"]
PRIVATE = "metadata: {openclaw: {invocation: {allowRemote: false}}}\n"


def put(folder: Path, description: str = "Does something.", more: str = "") -> Path:
    folder.mkdir(parents=True)
    file = folder / "SKILL.md"
    file.write_text(f"---\nname: {folder.name}\ndescription: {description}\n{more}---\nDo it.\n")
    return file


def opened(home: Path, config: str = "", environ: Mapping[str, str] | None = None) -> Oldsoul:
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text(config)
    return open_home(home, environ or {})


def names(agent: Agent, session: Session = OWN) -> list[str]:
    return [skill.name for skill in skills_of(agent._parts, session).skills]


def test_the_four_sources_are_looked_at_in_their_order(tmp_path: Path) -> None:
    home = tmp_path / "home"
    places = {
        "workspace": home / "workspace/main/skills/group",
        "user": home / "skills",
        "plugin": tmp_path / "plugin",
    }
    for source, folder in places.items():
        put(folder / "remember-well", f"From {source}.")
        put(folder / f"only-{source}")
    config = f"context: {{skills: {{plugin_dirs: [{tmp_path}/plugin]}}}}\n"
    with opened(home, config) as soul:
        seen = skills_of(soul.agent()._parts, OWN)
        assert [(skill.source, skill.name) for skill in seen.skills] == [
            ("workspace", "only-workspace"),
            ("workspace", "remember-well"),
            ("user", "only-user"),
            ("plugin", "only-plugin"),
            ("bundled", "write-a-skill"),
        ]
        assert [each.skill.source for each in seen.left_out] == ["user", "plugin", "bundled"]
        assert tuple(dict.fromkeys(skill.source for skill in seen.skills)) == SOURCES
        assert seen.skipped == ()


def test_a_new_home_offers_what_comes_with_oldsoul_to_everybody(tmp_path: Path) -> None:
    with opened(tmp_path / "home") as soul:
        for session in (OWN, ANN, DEV, Session.cron("nightly")):
            seen = skills_of(soul.agent()._parts, session)
            assert [skill.name for skill in seen.skills] == BUNDLED
            assert (seen.left_out, seen.skipped) == ((), ())
            assert all(not skill.notes for skill in seen.skills)
    with opened(tmp_path / "home", "context: {skills: {disabled: [remember-well, write-a-skill]}}\n") as soul:
        assert names(soul.agent()) == []


def test_settings_take_effect_at_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with opened(home) as soul:
        agent = soul.agent()
        assert names(agent) == BUNDLED
        put(tmp_path / "mine" / "bird")
        (home / "config.yaml").write_text(
            f"context: {{skills: {{plugin_dirs: [{tmp_path}/mine], disabled: [write-a-skill]}}}}\n"
        )
        assert names(agent) == ["bird", "remember-well"]
        (home / "config.yaml").write_text("context: {skills: {enabled: false}}\n")
        assert names(agent) == []
        assert len(skills_of(agent._parts, OWN).left_out) == 2
        assert skills_section(agent._parts, OWN, {"read"}).text == ""


def test_a_folder_that_was_named_and_is_not_there_is_told_of(tmp_path: Path) -> None:
    with opened(tmp_path / "home", "context: {skills: {plugin_dirs: [/nowhere/at/all, gone]}}\n") as soul:
        skipped = skills_of(soul.agent()._parts, OWN).skipped
    assert [(each.source, each.location) for each in skipped] == [
        ("plugin", "/nowhere/at/all"),
        ("plugin", f"{tmp_path}/home/gone"),
    ]


def test_a_skill_for_the_operator_alone_is_offered_in_their_own_conversation_alone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    put(home / "skills" / "bird", more=PRIVATE)
    with opened(home, "context: {skills: {disabled: [remember-well, write-a-skill]}}\n") as soul:
        agent = soul.agent()
        for session in (OWN, Session.subagent(OWN), Session.team("crew", OWN)):
            assert names(agent, session) == ["bird"]
        others = (ANN, DEV, Session.group(""), Session.subagent(ANN), Session.team("crew"), Session.cron("nightly"))
        for session in (*others, Session.cron("nightly", sees=(OWNER,))):
            assert names(agent, session) == []
        left_out = next(each for each in skills_of(agent._parts, DEV).left_out if each.skill.name == "bird")
        assert left_out.why == "only for private conversations with the operator (allowRemote)"


def test_variables_have_to_be_set_and_not_empty(tmp_path: Path) -> None:
    home = tmp_path / "home"
    put(home / "skills" / "bird", more="metadata: {openclaw: {requires: {env: [BIRD_KEY]}}}\n")
    for environ, offered in (({}, []), ({"BIRD_KEY": ""}, []), ({"BIRD_KEY": "x"}, ["bird"])):
        with opened(home, "context: {skills: {disabled: [remember-well, write-a-skill]}}\n", environ) as soul:
            assert names(soul.agent()) == offered


def test_a_skill_that_is_listed_can_be_read_and_no_other_file(tmp_path: Path) -> None:
    home = tmp_path / "home"
    file = put(home / "skills" / "bird")
    put(home / "skills" / "cat", more=PRIVATE)
    put(home / "skills" / "dog", more="disable-model-invocation: true\n")
    with opened(home) as soul:
        agent = soul.agent()
        bird = next(skill for skill in skills_of(agent._parts, DEV).skills if skill.name == "bird")
        for wanted in (bird.location, bird.path, " bird "):
            assert skill_read(agent._parts, DEV, wanted) == {
                "name": "bird",
                "location": bird.location,
                "text": file.read_text(),
            }
        assert skill_read(agent._parts, OWN, "cat")["name"] == "cat"
        for session, wanted in ((DEV, "cat"), (OWN, "dog"), (OWN, "/etc/passwd"), (OWN, f"{home}/config.yaml")):
            with pytest.raises(NotFound, match="there is no skill"):
                skill_read(agent._parts, session, wanted)
        for wrong in ("", "  ", None):
            with pytest.raises(BadInput, match="skill: give the location"):
                skill_read(agent, OWN, wrong)  # type: ignore[arg-type]
        assert SKILL_READ.name in skills_section(agent._parts, OWN, {SKILL_READ.name}).text
        assert SKILL_READ.function is skill_read


def test_the_section_is_that_of_the_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    put(tmp_path / ".oldsoul" / "skills" / "bird", "Sings.", PRIVATE)
    with opened(tmp_path / ".oldsoul", "context: {skills: {disabled: [remember-well, write-a-skill]}}\n") as soul:
        text = skills_section(soul.agent()._parts, OWN, ["read"]).text
        assert text.startswith("## Skills\n")
        assert '<skill location="~/.oldsoul/skills/bird/SKILL.md">' in text
        assert skills_section(soul.agent()._parts, DEV, ["read"]).text == ""


@pytest.mark.parametrize("name", BUNDLED)
def test_the_skills_that_come_along_speak_of_what_there_is(name: str) -> None:
    text = (Path(__file__).parents[2] / "src/oldsoul/templates/skills" / name / "SKILL.md").read_text("utf-8")
    words = {
        "remember-well": ("memory_search", "memory_get", "conflicting"),
        "write-a-skill": ("oldsoul skills", "SKILL.md"),
    }
    assert all(word in text for word in words[name])
    assert len(text.splitlines()) < 500
