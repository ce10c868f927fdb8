"""The files of a prompt: which a session gets, and as much of each as it may see and as there is room for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oldsoul.context.bootstrap import (
    LEAST,
    BootstrapLimits,
    BootstrapSelection,
    FileStatus,
    SourceFile,
    context_files,
    cut,
    seen_text,
)
from oldsoul.context.options import ContextOptions
from oldsoul.context.prompt_facts import Mode, PromptFacts
from oldsoul.context.sections import system_prompt
from oldsoul.rules.audience import audience_of, view_of
from oldsoul.values.names import BOOTSTRAP, Name
from oldsoul.values.sessions import Session

OPERATORS = ("acct:owner",)
OWNER, BEN, ROOM = Session.dm(), Session.dm("acct:7"), Session.group("garden")
TEAM = Session.team("crew", ROOM)
HELPER, JOB = Session.subagent(OWNER), Session.cron("tidy")
SESSIONS = (OWNER, BEN, ROOM, TEAM, HELPER, JOB, Session.subagent(ROOM))
SHARED = SourceFile(Name("_shared", "CULTURE.md"), "shared culture")
FILES = (*(SourceFile(Name("ada", path), f"text of {path}", f"/w/{path}") for path in BOOTSTRAP), SHARED)
MANY = BootstrapLimits()


def chosen(session: Session, *files: SourceFile, limits: BootstrapLimits = MANY) -> BootstrapSelection:
    return context_files(files or FILES, session.kind, view_of(session, OPERATORS, {}), limits)


def names(found: BootstrapSelection) -> list[str]:
    return [file.name for file in found.files]


def state(found: BootstrapSelection, name: str) -> FileStatus:
    return next(note.state for note in found.notes if note.name == name)


def file(path: str, text: str = "own words", *, is_template: bool = False) -> SourceFile:
    return SourceFile(Name("ada", path), text, is_template=is_template)


# which files


def test_a_main_session_gets_every_file_but_memory_and_the_shared_ones_after_its_own() -> None:
    found = chosen(OWNER, *reversed(FILES))
    own = [name for name in BOOTSTRAP if name not in ("MEMORY.md", "memory.md")]
    assert names(found) == [*own, "_shared/CULTURE.md"]
    assert found.files[0].path == "/w/AGENTS.md"
    assert len(found.notes) == len(FILES)


def test_memory_is_never_in_the_system_prompt() -> None:
    for session in SESSIONS:
        assert not {"MEMORY.md", "memory.md"} & set(names(chosen(session)))
    assert state(chosen(OWNER), "MEMORY.md") is FileStatus.ELSEWHERE


@pytest.mark.parametrize("session", [HELPER, JOB, Session.subagent(ROOM)], ids=str)
def test_sub_agents_and_scheduled_jobs_get_the_rules_and_the_notes_on_tools(session: Session) -> None:
    assert names(chosen(session)) == ["AGENTS.md", "TOOLS.md"]


@pytest.mark.parametrize("session", [BEN, ROOM, TEAM], ids=lambda session: session.id)
def test_only_the_operators_own_conversation_sees_the_operators_profile(session: Session) -> None:
    assert "USER.md" in names(chosen(OWNER))
    assert "USER.md" not in names(chosen(session))
    assert "SOUL.md" in names(chosen(session))
    assert state(chosen(session), "USER.md") is FileStatus.PRIVATE


@given(st.sampled_from(SESSIONS), st.sampled_from(Mode), st.permutations(FILES))
def test_no_mode_ever_holds_a_file_the_session_may_not_see(
    session: Session, mode: Mode, files: list[SourceFile]
) -> None:
    view = view_of(session, OPERATORS, {})
    found = context_files(files, session.kind, view, MANY)
    text = system_prompt(PromptFacts(mode=mode, session=session.kind, files=found.files)).text
    for source in files:
        if not view.sees(audience_of(source.name)):
            assert source.text not in text
    if mode is Mode.NONE:
        assert not any(source.text in text for source in files)


def test_an_entry_that_is_marked_as_private_stays_out_of_a_public_file() -> None:
    soul = file(
        "SOUL.md", "# Ada\n\n- for all <!--os aaaaaaaaaa-->\n- hush <!--os bbbbbbbbbb aud=owner-->\n  - more\n\nend"
    )
    assert chosen(ROOM, soul).files[0].text == "# Ada\n\n- for all\n\nend"
    assert chosen(OWNER, soul).files[0].text == "# Ada\n\n- for all\n- hush\n  - more\n\nend"


def test_comments_are_for_people_and_stay_out() -> None:
    text = "# Tools\n\n<!-- a note\nto myself -->\nUse grep.\n\n```\n<!-- kept -->\n```\n"
    assert chosen(OWNER, file("TOOLS.md", text)).files[0].text == "# Tools\n\nUse grep.\n\n```\n<!-- kept -->\n```"


@given(st.text(alphabet="ab#-* \n\r\ufeff>`1.記", max_size=60), st.sampled_from(SESSIONS))
def test_a_file_without_comments_is_shown_as_it_stands(text: str, session: Session) -> None:
    view = view_of(session, OPERATORS, {})
    marked = f"{text}\n\n<!-- the long way -->"
    plain = seen_text(Name("ada", "SOUL.md"), text, view)
    assert plain.split() == text.removeprefix("\ufeff").split()
    if "`" not in text and "\ufeff" not in text[1:]:  # in code, a comment is no comment
        assert seen_text(Name("ada", "SOUL.md"), marked, view) in (plain, f"{plain}\n\n<!-- the long way -->")


def test_other_files_of_a_workspace_are_none_of_the_prompts_business() -> None:
    others = [file(path) for path in ("CORRECTIONS.md", "notes.md", "memory/2026-02-04.md")]
    found = chosen(OWNER, *others, SourceFile(Name("_shared", "deep/inside.md"), "x"))
    assert not found.files
    assert {note.state for note in found.notes} == {FileStatus.NOT_HERE}


def test_files_that_are_missing_unreadable_empty_or_unfilled_are_noted() -> None:
    found = chosen(
        OWNER,
        SourceFile(Name("ada", "AGENTS.md"), missing=True),
        SourceFile(Name("ada", "TOOLS.md"), missing=True, problem="no permission"),
        SourceFile(Name("ada", "HEARTBEAT.md"), missing=True),
        file("IDENTITY.md", "\n<!-- nothing -->\n"),
        file("USER.md", "(empty)", is_template=True),
    )
    assert not found.files
    assert [note.state for note in found.notes] == [
        *(FileStatus.MISSING, FileStatus.UNREADABLE, FileStatus.EMPTY, FileStatus.TEMPLATE, FileStatus.MISSING)
    ]
    assert found.warnings == ("AGENTS.md is missing", "TOOLS.md could not be read: no permission")


# how much of them


def test_the_limits_are_settings_with_the_specified_defaults() -> None:
    options = ContextOptions()
    assert (
        BootstrapLimits()
        == BootstrapLimits(options.bootstrap_max_chars, options.bootstrap_total_max_chars)
        == BootstrapLimits(20_000, 150_000)
    )


def test_a_file_over_the_limit_keeps_its_beginning_and_its_end_and_says_so() -> None:
    text = "\n".join(f"line {number:04}" for number in range(3000))
    found = chosen(OWNER, file("AGENTS.md", text))
    shown = found.files[0].text
    head, _, rest = shown.partition("\n[… ")
    said, _, tail = rest.partition(" …]\n")
    assert text.startswith(head)
    assert text.endswith(tail)
    assert len(head) / 20_000 == pytest.approx(0.7, abs=0.001)
    assert len(tail) / 20_000 == pytest.approx(0.2, abs=0.001)
    assert head.endswith(" 1399")
    assert tail.startswith("line ")
    gone = len(text) - len(head) - len(tail)
    assert said == f"{gone} of {len(text)} characters of AGENTS.md are left out here; read the file for them"
    assert found.notes[0].state is FileStatus.CUT
    assert found.warnings == (
        f"AGENTS.md has 29,999 characters; {len(shown):,} of them are in the prompt, including the mark where it was cut",
    )


texts = st.one_of(
    st.text(max_size=400),
    st.text(alphabet="记忆 \n。", min_size=200, max_size=2000),
    st.integers(100, 3000).map(lambda size: "x" * size),
    st.lists(st.text(alphabet="ab 漢", max_size=80), max_size=60).map("\n".join),
)


@given(texts, st.integers(LEAST, 900))
def test_a_cut_text_is_within_its_limit_and_says_what_is_gone(text: str, limit: int) -> None:
    shown = cut(text, limit, "SOUL.md")
    assert len(shown) <= limit
    if len(text) <= limit:
        assert shown == text
        return
    head, _, rest = shown.rpartition("\n[… ")
    gone, _, tail = rest.partition(" …]\n")
    assert text.startswith(head)
    assert text.endswith(tail)
    assert int(gone.split()[0]) == len(text) - len(head) - len(tail)
    assert len(head) >= limit * 0.6 * 0.7 / 2


@given(st.integers(0, LEAST), texts)
def test_even_without_room_nothing_goes_over_the_limit(limit: int, text: str) -> None:
    assert len(cut(text, limit, "SOUL.md")) <= limit


@given(st.lists(texts, min_size=8, max_size=8), st.integers(100, 1500), st.integers(100, 3000))
def test_all_files_together_stay_within_the_total(contents: list[str], per_file: int, total: int) -> None:
    paths = [path for path in BOOTSTRAP if path not in ("MEMORY.md", "memory.md")]
    files = [SourceFile(Name("ada", path), text) for path, text in zip(paths, contents, strict=True)]
    found = chosen(OWNER, *files, limits=BootstrapLimits(per_file, total))
    assert sum(len(shown.text) for shown in found.files) <= total
    assert all(len(shown.text) <= per_file for shown in found.files)
    for note in found.notes:
        assert bool(note.warning) == (note.state in (FileStatus.CUT, FileStatus.NO_ROOM) or note.is_near)


def test_the_agents_own_files_have_the_room_before_the_shared_ones() -> None:
    long = SourceFile(Name("_shared", "A.md"), "s" * 150)
    found = chosen(OWNER, long, file("AGENTS.md", "a" * 190), limits=BootstrapLimits(200, 200))
    assert names(found) == ["AGENTS.md"]
    assert state(found, "_shared/A.md") is FileStatus.NO_ROOM
    assert found.warnings == (
        "AGENTS.md has 190 of 200 characters and will soon be cut",
        "_shared/A.md is left out: the files before it used up the limit",
    )


def test_a_file_is_near_its_limit_from_four_fifths_on() -> None:
    assert not chosen(OWNER, file("SOUL.md", "a" * 799), limits=BootstrapLimits(1000)).warnings
    assert chosen(OWNER, file("SOUL.md", "a" * 800), limits=BootstrapLimits(1000)).warnings
