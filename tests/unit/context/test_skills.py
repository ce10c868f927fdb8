"""Skills: what a SKILL.md says, which skills a session is offered, and what its prompt says of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.test_golden import cases, params
from oldsoul.context.options import SkillsOptions
from oldsoul.context.skills import READERS, SkillLocation, compacted, escaped, offered, one_line, read, section
from oldsoul.values.skills import SOURCES, Skill, SkillLimits

if TYPE_CHECKING:
    from collections.abc import Sequence

DEFAULTS = SkillsOptions()
USUAL = Skill("", "", "", "", "")
FIELDS = (
    *("name", "description", "primary_env", "requires_env", "disable_model_invocation", "allow_remote"),
    *("license", "compatibility", "allowed_tools"),
)


def made(name: str, source: str = "workspace", description: str = "Does something.", **more: object) -> Skill:
    below = f"{source}/{name}/SKILL.md"
    skill = Skill(name, description, source, f"~/{below}", f"/home/ada/{below}")
    return replace(skill, **more)  # type: ignore[arg-type]


def taken(
    *found: Skill, options: SkillsOptions = DEFAULTS, variables: Sequence[str] = (), remote: bool = False
) -> tuple[list[str], dict[str, str]]:
    """The names of those offered, and why the others are not."""
    skills, left_out = offered(found, options, variables=variables, remote=remote)
    return [skill.name for skill in skills], {each.skill.path: each.why for each in left_out}


def listing(text: str) -> ET.Element:
    return ET.fromstring(text[text.index("<available_skills>") :])  # noqa: S314 - our own words


# what a SKILL.md says


def said(text: str, folder: str = "weather") -> Skill | tuple[str, ...]:
    return read(
        text.encode(),
        SkillLocation(folder, "user", f"~/skills/{folder}/SKILL.md", f"/home/ada/skills/{folder}/SKILL.md"),
    )


def shown(result: Skill | tuple[str, ...]) -> str:
    """A result as the golden file has it: fields that are as usual are left out."""
    if not isinstance(result, Skill):
        return "".join(f"why: {why}\n" for why in result)
    lines = []
    for field in FIELDS:
        value = getattr(result, field)
        if value != getattr(USUAL, field):
            lines.append(f"{field}: {' | '.join(value) if isinstance(value, tuple) else value}\n")
    return "".join([*lines, *(f"note: {note}\n" for note in result.notes)])


@pytest.mark.parametrize(("blocks", "flags"), params("skills.md"))
def test_a_file_says_of_its_skill_what_the_golden_file_says(blocks: dict[str, str], flags: str) -> None:
    assert shown(said(blocks["in"], flags.strip() or "weather")) == blocks["out"]


def test_the_golden_file_has_enough_cases() -> None:
    assert len(cases("skills.md")) >= 30


def test_a_skill_keeps_its_whole_frontmatter_and_where_it_was_found() -> None:
    skill = said("---\nname: weather\ndescription: Tells it.\nmetadata: {author: Ada}\nodd: 1\n---\n")
    assert isinstance(skill, Skill)
    assert skill.raw == {"name": "weather", "description": "Tells it.", "metadata": {"author": "Ada"}, "odd": "1"}
    assert (skill.source, skill.location) == ("user", "~/skills/weather/SKILL.md")
    assert skill.path == "/home/ada/skills/weather/SKILL.md"


@pytest.mark.parametrize(("key", "most"), [("description", 1024), ("compatibility", 500)])
def test_a_field_takes_its_limit_to_the_character_and_not_one_more(key: str, most: int) -> None:
    fields = {"name": "weather", "description": "Tells it.", key: "天" * most}
    text = "---\n" + "".join(f"{name}: {value}\n" for name, value in fields.items()) + "---\n"
    assert isinstance(said(text), Skill)
    longer = text.replace(f"{key}: ", f"{key}: 天")
    assert said(longer) == (f"its {key} has {most + 1} characters, more than {most}",)


def test_a_name_may_have_64_characters_and_not_one_more() -> None:
    for length in (1, 64):
        name = "a" * length
        assert isinstance(said(f"---\nname: {name}\ndescription: x\n---\n", name), Skill)
    name = "a" * 65
    assert said(f"---\nname: {name}\ndescription: x\n---\n", name) == ("its name has 65 characters, more than 64",)


def test_long_instructions_are_noted_and_no_error() -> None:
    head = "---\nname: weather\ndescription: Tells it.\n---\n"
    for lines, notes in ((499, ()), (500, ("its instructions have 500 lines; fewer than 500 are advised",))):
        skill = said(head + "x\n" * lines)
        assert isinstance(skill, Skill)
        assert skill.notes == notes


def test_what_is_not_utf8_is_no_skill_wherever_the_byte_stands() -> None:
    place = SkillLocation("weather", "user", "~/s", "/s")
    for data in (b"---\nname: weather\ndescription: \xff\n---\n", b"---\nname: weather\ndescription: x\n---\n\xff"):
        (why,) = read(data, place)  # type: ignore[misc]
        assert "not valid UTF-8" in why


def test_frontmatter_that_is_too_long_is_no_skill() -> None:
    (why,) = said("---\n" + "# filler\n" * 20_000 + "name: weather\n---\n")  # type: ignore[misc]
    assert "not closed" in why
    (why,) = said("---\n" + "# filler\n" * 7300 + "name: weather\n---\n")  # type: ignore[misc]
    assert "more than 65536 bytes" in why


def test_a_bom_and_windows_line_ends_do_no_harm() -> None:
    skill = said("\ufeff---\r\nname: weather\r\ndescription: Tells it.\r\n---\r\nText\r\n")
    assert isinstance(skill, Skill)
    assert (skill.name, skill.description) == ("weather", "Tells it.")


KEYS = st.sampled_from(
    ["name", "description", "license", "compatibility", "metadata", "allowed-tools", "disable-model-invocation", "x"]
)
VALUES = st.one_of(
    st.sampled_from(
        ["weather", "{openclaw: {requires: {env: [A]}}}", "{openclaw: [x]}", '"\\ud800\\u0000"', "[[", "]"]
    ),
    st.text(max_size=40),
)
FRONT = st.lists(st.tuples(KEYS, VALUES), max_size=6).map(
    lambda pairs: ("---\n" + "".join(f"{key}: {value}\n" for key, value in pairs) + "---\nBody\n").encode(
        "utf-8", "ignore"
    )
)


@given(st.one_of(st.binary(max_size=300), FRONT), st.text(max_size=8))
def test_whatever_a_file_holds_it_is_a_skill_or_there_is_a_reason(data: bytes, folder: str) -> None:
    result = read(data, SkillLocation(folder, "user", f"~/{folder}/SKILL.md", f"/home/ada/{folder}/SKILL.md"))
    if isinstance(result, Skill):
        assert result.name == folder
        assert 1 <= len(result.name) <= 64
        assert 1 <= len(result.description) <= 1024
    else:
        assert result
        assert all(result)


# which are offered


def test_skills_are_offered_source_by_source_then_by_name_however_they_were_found() -> None:
    found = [made(f"{letter}-{source}", source) for source in reversed(SOURCES) for letter in "cab"]
    names, _ = taken(*found)
    assert names == [f"{letter}-{source}" for source in SOURCES for letter in "abc"]
    assert names == taken(*sorted(found, key=lambda skill: skill.name))[0]


def test_of_one_name_the_first_source_counts_and_the_others_are_told_of() -> None:
    skills, left_out = offered(
        [made("git", "bundled"), made("git", "plugin"), made("git", "user")], DEFAULTS, variables=(), remote=False
    )
    assert [skill.source for skill in skills] == ["user"]
    assert [each.skill.source for each in left_out] == ["plugin", "bundled"]
    assert {each.why for each in left_out} == {"another skill of this name takes precedence: ~/user/git/SKILL.md"}


def test_one_that_is_switched_off_hides_the_others_of_its_name() -> None:
    found = made("git", "workspace", disable_model_invocation=True), made("git", "bundled")
    names, left_out = taken(*found)
    assert names == []
    assert left_out[found[0].path] == "only a person may select it (disableModelInvocation)"
    assert left_out[found[1].path].startswith("another skill of this name")


def test_names_can_be_switched_off_and_so_can_all() -> None:
    found = made("git"), made("mail")
    names, left_out = taken(*found, options=replace(DEFAULTS, disabled=("git", "nothing")))
    assert names == ["mail"]
    assert left_out == {found[0].path: "turned off (context.skills.disabled)"}
    names, left_out = taken(*found, options=replace(DEFAULTS, enabled=False))
    assert names == []
    assert set(left_out.values()) == {"skills are turned off (context.skills.enabled)"}


def test_a_skill_is_offered_when_all_variables_it_needs_are_set() -> None:
    skill = made("git", requires_env=("GIT_TOKEN", "GIT_HOST"), primary_env="node")
    assert taken(skill, variables=["GIT_TOKEN", "GIT_HOST"])[0] == ["git"]
    assert taken(skill, variables=["GIT_HOST"]) == ([], {skill.path: "needs GIT_TOKEN in the environment"})
    assert taken(skill)[1] == {skill.path: "needs GIT_TOKEN, GIT_HOST in the environment"}


def test_a_skill_that_is_not_for_others_is_left_out_when_they_talk() -> None:
    skill = made("git", allow_remote=False)
    assert taken(skill)[0] == ["git"]
    assert taken(made("git"), remote=True)[0] == ["git"]
    why = "only for private conversations with the operator (allowRemote)"
    assert taken(skill, remote=True) == ([], {skill.path: why})


# what the prompt says


SECTION = """\
## Skills

A skill is a SKILL.md with instructions for one kind of work. Before each reply, compare the task with the descriptions
below.

- One skill clearly fits: call `read` on its location, then do as the file says.
- Several could fit: decide on the most specific of them first, and open only that one.
- No skill clearly fits: open none.

Decide before you open anything. Never open more than one skill up front.

<available_skills>
  <skill location="~/workspace/git/SKILL.md">
    <description>Issues &amp; branches, &lt;fast&gt;</description>
  </skill>
  <skill location="~/bundled/mail/SKILL.md">
    <description>Does something.</description>
  </skill>
</available_skills>"""


def test_the_section_tells_how_to_choose_and_ends_with_the_listing() -> None:
    found = [made("git", description="Issues & branches, <fast>"), made("mail", "bundled")]
    told = section(found, {"read", "write"})
    assert told.text == SECTION
    assert (told.listed, told.left_out, told.notes) == (2, 0, ())


def test_the_section_names_the_tool_the_agent_has() -> None:
    for tools, tool in ((("exec", "skill_read", "read"), "read"), (("skill_read", "memory_get"), "skill_read")):
        assert f"call `{tool}` on its location" in section([made("git")], tools).text
    assert READERS == ("read", "skill_read")


def test_an_agent_that_cannot_read_a_skill_is_told_of_none() -> None:
    told = section([made("git")], {"memory_get", "exec"})
    assert (told.text, told.listed, told.left_out) == ("", 0, 1)
    assert told.notes == ("no skills are listed: the agent has no tool to read them with (read or skill_read)",)


def test_without_skills_there_is_no_section() -> None:
    assert section([], {"read"}).text == ""
    assert section([], ()).notes == ()


def test_at_most_150_skills_are_named_and_the_others_counted() -> None:
    found = [made(f"skill-{number:03}") for number in range(160)]
    told = section(found, {"read"})
    assert len(listing(told.text)) == told.listed == 150
    assert told.left_out == 10
    assert "<!-- 10 more, left out for want of room -->" in told.text
    assert told.notes[0].startswith("10 of 160 skills do not fit")


def test_the_listing_is_cut_between_skills_at_30000_characters() -> None:
    found = [made(f"skill-{number:03}", description="x" * 1000) for number in range(100)]
    told = section(found, {"read"})
    block = told.text[told.text.index("<available_skills>") :]
    one_more = len(section(found, {"read"}, SkillLimits(prompt_chars=40_000)).text)
    assert 28_000 < len(block) <= 30_000 < one_more
    assert [len(item[0].text or "") for item in listing(told.text)] == [1000] * told.listed
    assert told.listed + told.left_out == 100


def test_when_none_fits_nothing_is_said() -> None:
    for limits in (SkillLimits(in_prompt=0), SkillLimits(prompt_chars=100)):
        told = section([made("git")], {"read"}, limits)
        assert (told.text, told.listed, told.left_out) == ("", 0, 1)
        assert told.notes


ANY = st.text(st.characters(exclude_categories=()), max_size=30)


@given(st.lists(ANY, max_size=12), st.integers(0, 1500), st.integers(0, 12))
def test_whatever_skills_say_the_listing_is_xml_within_its_limits(texts: list[str], most: int, count: int) -> None:
    found = [made(f"s{number}", description=text, location=f"~/{text}") for number, text in enumerate(texts)]
    told = section(found, {"read"}, SkillLimits(prompt_chars=most, in_prompt=count))
    assert told.listed + told.left_out == len(texts)
    if not told.text:
        assert told.listed == 0
        return
    told.text.encode()
    block = told.text[told.text.index("<available_skills>") :]
    assert len(block) <= most
    items = list(listing(block))
    assert len(items) == told.listed <= count
    assert [item[0].text or "" for item in items] == [one_line(text) for text in texts[: told.listed]]
    assert [item.get("location") for item in items] == [one_line(f"~/{text}") for text in texts[: told.listed]]


def test_what_deceives_the_eye_is_dropped_and_what_people_write_stays() -> None:
    assert one_line("a\u202eb\u2066c\ufeff\x1b[0m\U000e0041d\x00 \n e") == "abc[0md e"
    for text in ("日本語と中文", "👩\u200d🚀 go", "नमस्ते", "café – “so”"):
        assert one_line(text) == text
    assert escaped('<a b="c">&amp;') == "&lt;a b=&quot;c&quot;&gt;&amp;amp;"


@pytest.mark.parametrize(
    ("path", "home", "expected"),
    [
        ("/home/ada/x/SKILL.md", "/home/ada", "~/x/SKILL.md"),
        ("/home/ada/x/SKILL.md", "/home/ada/", "~/x/SKILL.md"),
        ("/home/ada", "/home/ada", "~"),
        ("/home/adam/x", "/home/ada", "/home/adam/x"),
        ("/opt/x", "/home/ada", "/opt/x"),
        ("/opt/x", "/", "/opt/x"),
        ("/opt/x", "", "/opt/x"),
    ],
)
def test_the_home_folder_is_written_short(path: str, home: str, expected: str) -> None:
    assert compacted(path, home) == expected
