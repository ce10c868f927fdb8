"""The memory compactor, vector hygiene and the soul's history: golden cases, with a model and without, and what must always hold."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import sys
import time
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.test_golden import cases, params
from oldsoul.app.keepers.old_days import old_days
from oldsoul.documents import Form, parse
from oldsoul.driver import conducted
from oldsoul.errors import Conflict
from oldsoul.keepers.compact import MOST, affordable, compact_days
from oldsoul.keepers.tidy import covers
from oldsoul.rules import limits
from oldsoul.rules.audience import seen_by
from oldsoul.rules.confidence import origin_of
from oldsoul.rules.options import RetentionOptions
from oldsoul.rules.retention import is_out, is_settled, said
from oldsoul.testing import FrozenClock, ScriptedModel
from oldsoul.values.names import Name
from oldsoul.values.origin import Origin
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home
from oldsoul.workspace import template
from scale import scaled
from talk_bench import START, Talk, talk

if TYPE_CHECKING:
    from pathlib import Path

    from oldsoul.app import Agent
    from oldsoul.documents import Entry
    from oldsoul.driver import Report

_NEW = re.compile(r"<!--os [0-9a-z]{10}( |-->)")
LOG = Name("main", "COMPACTION_LOG.md")


def home(day: str, *config: str, model: ScriptedModel | None = None) -> Talk:
    """A home at three in the morning of this day."""
    lines = "".join(f"{key}: {value}\n" for key, _, value in (one.partition("=") for one in config))
    t = talk(f"timezone: UTC\n{lines}", model)
    t.clock.advance(datetime.fromisoformat(f"{day}T03:00").replace(tzinfo=UTC) - START)
    return t


def files(text: str) -> dict[str, str]:
    """The files of a block."""
    pieces = re.split(r"(?m)^=== (.+)\n", text)[1:]
    return dict(zip(pieces[::2], pieces[1::2], strict=True))


def run(t: Talk, job: str) -> list[Report]:
    reports = list(t.agent._parts.keeping.run(job))
    for report in reports:
        assert report.done, report.problems
        assert not report.problems
    return reports


def standing(t: Talk) -> dict[str, bytes]:
    return {name.path: t.store.read(name).data or b"" for name in t.store.names("main")}


def shown(path: str, data: bytes) -> str:
    """A file as the golden cases have it: what begins anew has no ids, and the log not its introduction."""
    text = data.decode()
    if path == LOG.path:
        text = text.removeprefix(template(LOG, START).decode()).lstrip("\n")
    if path == LOG.path or path.startswith("Archive/Chronicles/"):
        text = re.sub(r" ver=[0-9a-f]{12}", "", text)
        text = _NEW.sub(lambda found: "<!--os " if found[1] == " " else "", text)
    return text


@pytest.mark.parametrize(("blocks", "flags"), params("compaction.md"))
def test_memory_is_tidied_as_the_golden_file_says(blocks: dict[str, str], flags: str) -> None:
    job, day, *config = flags.split()
    t = home(day, *config)
    for path, text in files(blocks["before"]).items():
        t.store.save_outside(Name("main", path), text.encode())
    t.soul._home.ledger.notice("main")
    before = standing(t)
    first = t.agent.files.history(limit=1)[0].id
    run(t, job)
    after = standing(t)
    changed = {path: shown(path, data) for path, data in after.items() if before.get(path) != data}
    gone = {f"{path} is gone": "" for path in before if path not in after}
    assert changed | gone == files(blocks["after"])
    run(t, job)
    assert standing(t) == after
    for change in t.agent.files.history(limit=100):
        if change.id > first and change.effects:
            t.agent.undo(change.id)
    assert standing(t) == before


# days


DIARY = "# {day}\n\n## {day} 10:00 UTC <!--os {one}-->\n\n**User:** Ann\n\nThe roof of the barn was mended for 300 euros.\n\n## {day} 11:00 UTC <!--os {two} aud=room:dev origin=participant-->\n\n**Room:** dev\n\nBen merged the parser and went home.\n"


def day(t: Talk, when: str, number: int = 0) -> bytes:
    """A day's log with an entry of the owner's and one of a room."""
    data = DIARY.format(day=when, one=f"{number:09d}a", two=f"{number:09d}b").encode()
    t.store.save_outside(Name("main", f"memory/{when}.md"), data)
    return data


MONTH = "Archive/Chronicles/2026-February.md"


def chronicle(t: Talk) -> str:
    return shown(MONTH, t.store.read(Name("main", MONTH)).data or b"")


def test_days_put_away_without_the_keeper_are_told_as_well_and_nobody_asks_a_model() -> None:
    model = ScriptedModel("{}")
    t = home("2026-04-01", model=model)
    for n, when in enumerate(("2026-02-04", "2026-02-05", "2026-02-04.2")):
        day(t, when, n)
    assert len(t.agent._parts.days.archive_old()) == 3
    assert (t.agent._parts.days.problems, model.asked) == ((), [])
    assert chronicle(t).count("The roof of the barn") == 3
    sources = set(re.findall(r"src=(\S+)", chronicle(t)))
    assert sources == {f"memory/2026-02-{end}.md" for end in ("04", "05", "04.2")}
    assert t.text("COMPACTION_LOG.md").count("→") == 3
    run(t, "memory-compactor")
    assert chronicle(t).count("The roof of the barn") == 3


def test_days_may_be_left_to_the_keeper_for_a_while() -> None:
    t = home("2026-04-01")
    day(t, "2026-02-22")
    day(t, "2026-02-28", 1)
    assert [name.path for name in t.agent._parts.days.archive_old(longer=timedelta(days=7))] == ["memory/2026-02-22.md"]


def test_a_day_that_came_back_is_told_once_and_anew_where_it_changed() -> None:
    t = home("2026-04-01")
    data = day(t, "2026-02-04")
    run(t, "memory-compactor")
    before = chronicle(t)
    assert t.agent.talk.restore_day(date(2026, 2, 4)) == [Name("main", "memory/2026-02-04.md")]
    assert t.store.read(Name("main", "memory/2026-02-04.md")).data == data
    run(t, "memory-compactor")
    assert chronicle(t) == before
    t.agent.talk.restore_day(date(2026, 2, 4))
    t.store.save_outside(Name("main", "memory/2026-02-04.md"), data.replace(b"300", b"350"))
    run(t, "memory-compactor")
    assert chronicle(t) == before.replace("300", "350")


def test_a_day_that_lies_in_the_archive_already_is_not_doubled() -> None:
    t = home("2026-04-01")
    data = day(t, "2026-02-04")
    t.store.save_outside(Name("main", "Archive/Daily/2026-02-04.md"), data)
    run(t, "memory-compactor")
    assert t.paths("Archive/Daily") == ["Archive/Daily/2026-02-04.md"]
    assert t.paths("memory/2026") == []
    assert "The roof of the barn" in chronicle(t)


def test_an_empty_day_is_told_too_and_a_secret_is_not() -> None:
    t = home("2026-04-01")
    t.store.save_outside(Name("main", "memory/2026-02-04.md"), b"# nothing\n")
    t.store.save_outside(Name("main", "memory/2026-02-05.md"), b"- the password: hunter2hunter2 is for the shop\n")
    run(t, "memory-compactor")
    assert "- **2026-02-04**: no entries" in chronicle(t)
    assert "2026-02-05" in chronicle(t)
    assert "hunter2" not in chronicle(t)


def test_another_persons_private_words_are_not_told_in_the_owners_chronicle() -> None:
    model = ScriptedModel(answer(OURS), answer(ROOMS))
    t = home("2026-04-01", model=model)
    data = day(t, "2026-02-04")
    more = b"\n## 2026-02-04 12:00 UTC <!--os 000000000c aud=person:acct:7 origin=participant-->\n\n**User:** Alice\n\nI am allergic to walnuts.\n"
    t.store.save_outside(Name("main", "memory/2026-02-04.md"), data + more)
    t.store.save_outside(Name("main", "memory/2026-02-05.md"), more.lstrip().replace(b"02-04", b"02-05"))
    run(t, "memory-compactor")
    assert not [text for _, text in model.asked if "walnuts" in text]
    assert "walnuts" not in chronicle(t)
    assert "Alice" not in chronicle(t)
    assert "- **2026-02-04**: Ann; 1 private entry of others, in the archive alone <!--os" in chronicle(t)
    assert "- **2026-02-05**: 1 private entry of others, in the archive alone <!--os" in chronicle(t)
    assert b"walnuts" in (t.store.read(Name("main", "Archive/Daily/2026-02-05.md")).data or b"")


def test_a_day_with_untrusted_words_makes_no_other_day_untrusted() -> None:
    t = home("2026-04-01")
    day(t, "2026-02-04")
    page = b"## 2026-02-05 10:00 UTC <!--os 000000000d origin=untrusted-->\n\nA page said that all keys are to be mailed.\n"
    t.store.save_outside(Name("main", "memory/2026-02-05.md"), page)
    run(t, "memory-compactor")
    found = {(entry.title, entry.fields["origin"], entry.fields["conf"]) for entry in entries(t, MONTH)}
    assert found == {("2026-02-04", "agent", "0.6"), ("2026-02-05", "untrusted", "0.6")}


def test_what_was_put_right_is_not_told_wrong_again() -> None:
    t = home("2026-04-01")
    day(t, "2026-02-04")
    text = "# 2\n\n## 2026-02-05 10:00 UTC <!--os cccccccccc-->\n\nThe oven was bought for 900 euros.\n"
    t.store.save_outside(Name("main", "memory/2026-02-05.md"), text.encode())
    corrections = (
        "# Corrections\n\n## 2026-03-30 10:00 UTC <!--os aaaaaaaaaa-->\n\n**Correct:** the roof of the barn was 350 euros\n"
        "**Old value:** 300\n**New value:** 350\n\n## 2026-03-30 11:00 UTC <!--os bbbbbbbbbb supersedes=cccccccccc-->\n\n"
        "**Correct:** there is no oven\n"
    )
    t.store.save_outside(Name("main", "CORRECTIONS.md"), corrections.encode())
    run(t, "memory-compactor")
    assert "300" not in chronicle(t)
    assert "oven" not in chronicle(t)
    assert "- **2026-02-05**: the diary" in chronicle(t)
    assert b"300 euros" in (t.store.read(Name("main", "Archive/Daily/2026-02-04.md")).data or b"")


def test_a_long_day_is_told_in_a_few_lines_of_its_own_words() -> None:
    t = home("2026-04-01")
    said = [f"On shelf {n} we found {n * 7} jars of plum jam and put them into box {n + 100}." for n in range(60)]
    blocks = "".join(f"## 2026-02-04 {9 + n // 10:02d}:{n % 10:02d} UTC\n\n{line}\n\n" for n, line in enumerate(said))
    t.store.save_outside(Name("main", "memory/2026-02-04.md"), blocks.encode())
    run(t, "memory-compactor")
    lines = [line.strip() for line in chronicle(t).split("\n") if line.startswith("  - ")]
    assert 5 <= len(lines) <= 12
    for line in lines:
        for sentence in line[8:].rstrip("…").split(". "):
            assert any(sentence.strip(". ") in one for one in said), sentence


def test_a_day_that_is_written_to_while_somebody_thinks_is_not_put_away() -> None:
    t = home("2026-04-01")
    data = day(t, "2026-02-04")
    name = Name("main", "memory/2026-02-04.md")
    old = old_days(t.agent._parts, t.agent._parts.days.kept_for())
    findings = conducted(compact_days(old), t.agent._parts.days._answer)
    t.store.save_outside(name, data + b"\n## 2026-02-04 12:00 UTC\n\nSomething more.\n")
    with pytest.raises(Conflict):
        t.soul._home.ledger.apply(findings.sets[0])
    assert t.store.read(name).data is not None
    assert t.paths("Archive/") == []
    assert len(t.agent._parts.days.archive_old()) == 1
    assert "Something more." in chronicle(t)


# with a model


def line(day: str, text: str, entry: str, quote: str) -> dict[str, object]:
    return {"day": day, "text": text, "entries": [entry], "quote": quote}


def answer(*lines: object) -> str:
    return json.dumps({"lines": lines})


OURS = line("2026-02-04", "Ann had the barn roof repaired.", "000000000a", "roof of the barn")
ROOMS = line("2026-02-04", "The parser is in.", "000000000b", "merged the parser")


def test_a_model_tells_each_audience_by_itself() -> None:
    model = ScriptedModel(answer(OURS), answer(ROOMS))
    t = home("2026-04-01", model=model)
    day(t, "2026-02-04")
    run(t, "memory-compactor")
    assert len(model.asked) == 2
    assert [("roof" in text, "parser" in text) for _, text in model.asked] == [(True, False), (False, True)]
    assert model.asked[0][0].startswith("# Memory Compactor")
    assert chronicle(t).split("\n")[2:6] == [
        "- **2026-02-04**: Ann <!--os conf=0.6 seen=2026-02-04 src=memory/2026-02-04.md origin=agent-->",
        "  - 10:00 Ann had the barn roof repaired.",
        "- **2026-02-04**: dev <!--os conf=0.6 seen=2026-02-04 src=memory/2026-02-04.md aud=room:dev origin=agent-->",
        "  - 11:00 The parser is in.",
    ]


@pytest.mark.parametrize(
    "bad",
    [
        *("", "{", "[]", "null", '{"lines": 3}', '{"lines": [{}]}', answer(), "no JSON at all"),
        answer({**OURS, "quote": "roof of the castle"}),
        answer({**OURS, "quote": "roof"}),
        answer({**OURS, "entries": ["zzzzzzzzzz"]}),
        answer({**OURS, "entries": []}),
        answer({**OURS, "entries": ["000000000a", "000000000b"]}),
        answer({**OURS, "day": "2026-02-05"}),
        answer({**OURS, "text": "The barn roof cost 900 euros."}),
        answer({**OURS, "text": " "}),
        answer(ROOMS),
    ],
)
def test_what_a_model_makes_up_is_refused_and_the_diary_speaks_for_itself(bad: str) -> None:
    t = home("2026-04-01", model=ScriptedModel(*[bad] * 6))
    day(t, "2026-02-04")
    reports = run(t, "memory-compactor")
    assert "10:00 The roof of the barn was mended for 300 euros." in chronicle(t)
    assert "11:00 Ben merged the parser and went home." in chronicle(t) or bad == answer(ROOMS)
    assert t.paths("memory/2026") == []
    assert any(report.notes for report in reports) or bad == answer()


def test_a_dry_run_shows_what_would_happen_and_writes_nothing() -> None:
    t = home("2026-04-01", model=ScriptedModel(answer(OURS), answer(ROOMS)))
    day(t, "2026-02-04")
    t.soul._home.ledger.notice("main")
    before = standing(t)
    reports = list(t.agent._parts.keeping.run("memory-compactor", dry_run=True))
    plans = [step.plan for report in reports for step in report.steps]
    assert [plan is not None and plan.verdict.value for plan in plans] == ["auto"]
    assert standing(t) == before


def test_a_killed_run_pays_once() -> None:
    model = ScriptedModel(answer(OURS), Killed(), answer(ROOMS))
    t = home("2026-04-01", model=model)
    day(t, "2026-02-04")
    with pytest.raises(Killed):
        list(t.agent._parts.keeping.run("memory-compactor"))
    run(t, "memory-compactor")
    assert len(model.asked) == 3
    assert "Ann had the barn roof repaired." in chronicle(t)
    assert "The parser is in." in chronicle(t)


class Killed(Exception):
    """The process ended here."""


# lists of memories


def memory(t: Talk, text: str, path: str = "MEMORY.md") -> None:
    t.store.save_outside(Name("main", path), text.encode())
    t.soul._home.ledger.notice("main")


def entries(t: Talk, path: str) -> list[Entry]:
    name = Name("main", path)
    return list(t.document(name).entries)


def full(count: int = 40, more: str = "") -> str:
    """A list that is nearly full for a limit of 4096 bytes."""
    lines = (
        f"- box {n} of the cellar holds {n * 13} old {word} and a key <!--os {n:010d} seen=2026-0{1 + n % 9}-01-->"
        for n, word in zip(range(count), itertools.cycle(("maps", "pans", "hats", "bells", "lamps")), strict=False)
    )
    return "# Memory\n\n" + "\n".join(lines) + f"\n{more}"


@pytest.mark.parametrize("path", ["MEMORY.md", "rooms/dev.md"])
def test_the_coldest_entries_make_room_before_a_file_is_full(path: str) -> None:
    t = home("2026-11-15", "memory={workspace: {max_file_size: 4096}}")
    keep = "- the lid is blue #correction <!--os aaaaaaaaaa seen=2020-01-01-->\n- [ ] dust it <!--os bbbbbbbbbb seen=2020-01-01-->\n"
    memory(t, full(more=keep), path)
    every = {entry.id: entry.lines for entry in entries(t, path)}
    run(t, "memory-compactor")
    left = {entry.id: entry.lines for entry in entries(t, path)}
    archived = {entry.id: entry.lines for entry in entries(t, "Archive/Memory/2026-11.md")}
    assert left | archived == every
    assert not set(left) & set(archived)
    assert {"aaaaaaaaaa", "bbbbbbbbbb"} <= set(left)
    assert len(t.store.read(Name("main", path)).data or b"") <= 4096 * 0.8
    days = {
        entry.id: entry.fields["seen"] for where in (path, "Archive/Memory/2026-11.md") for entry in entries(t, where)
    }
    assert max(days[one] for one in archived) <= min(days[one] for one in left if one[0] == "0")
    section = "" if path == "MEMORY.md" else path
    assert {entry.section for entry in entries(t, "Archive/Memory/2026-11.md")} == {
        section or "Archive / Memory / 2026-11"
    }
    if path != "MEMORY.md":
        run(t, "memory-compactor")
        assert {entry.id for entry in entries(t, path)} == set(left)


def test_a_room_that_has_space_is_left_alone() -> None:
    t = home("2026-11-15")
    memory(t, full(5, "- a\n- a\n"), "rooms/dev.md")
    before = standing(t)
    run(t, "memory-compactor")
    assert standing(t) == before


def test_an_archive_that_is_full_goes_on_in_its_next_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_LOG_SIZE", 65536)
    t = home("2026-11-15", "memory={workspace: {max_file_size: 4096}}")
    memory(t, "# x\n" + "- filler words to fill a file\n" * 2180, "Archive/Memory/2026-11.md")
    memory(t, full())
    run(t, "memory-compactor")
    assert entries(t, "Archive/Memory/2026-11.2.md")


def test_however_alike_vectors_find_them_different_facts_stay_two() -> None:
    blocks = next(b for title, b, _ in cases("compaction.md") if title.startswith("other numbers"))
    t = home("2026-11-15")
    t.soul._home.driver.alike = lambda pairs: [1.0] * len(pairs)
    memory(t, files(blocks["before"])["MEMORY.md"])
    before = standing(t)
    run(t, "memory-compactor")
    assert standing(t) == before


def test_vectors_alone_do_not_merge_what_shares_too_few_words() -> None:
    t = home("2026-11-15")
    t.soul._home.driver.alike = lambda pairs: [0.89] * len(pairs)
    memory(t, "- the spare key of the garden shed is with Maya\n- The spare key of the garden shed is with Maya.\n")
    run(t, "memory-compactor")
    assert len(entries(t, "MEMORY.md")) == 2


def test_what_was_said_three_times_becomes_one_entry_that_says_the_most() -> None:
    t = home("2026-11-15")
    texts = (
        "the spare key of the garden shed is with Maya",
        "the spare key of the garden shed is still with Maya",
        "The spare key of the garden shed is with Maya.",
    )
    memory(t, "".join(f"- {text}\n" for text in texts))
    run(t, "memory-compactor")
    run(t, "memory-compactor")
    (one,) = entries(t, "MEMORY.md")
    assert "still" in one.text
    assert one.fields["n"] == "3"


def test_equal_lines_typed_by_hand_are_merged_without_losing_any_other() -> None:
    t = home("2026-11-15")
    memory(t, "- bread\n- milk\n- bread\n- eggs\n- bread\n- milk\n")
    run(t, "memory-compactor")
    run(t, "memory-compactor")
    assert sorted((entry.text, entry.fields.get("n", "1")) for entry in entries(t, "MEMORY.md")) == [
        *(("bread", "3"), ("eggs", "1"), ("milk", "2")),
    ]


def test_a_huge_list_of_another_program_is_tidied_over_some_runs() -> None:
    assert affordable(100) == MOST
    assert affordable(1_000) == 200
    assert affordable(10**7) == 50


def test_the_log_itself_is_archived_when_it_is_nearly_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_LOG_SIZE", 65536)
    t = home("2026-11-15")
    blocks = "".join(f"## 2026-{1 + n % 9:02d}-01 03:00 UTC\n\n{'x' * 900}\n\n" for n in range(60))
    memory(t, f"# Compaction log\n\n{blocks}", "COMPACTION_LOG.md")
    run(t, "memory-compactor")
    left, gone = entries(t, "COMPACTION_LOG.md"), entries(t, "Archive/Daily/compaction-2026.md")
    assert len([e for e in (*left, *gone) if e.form is Form.DATED]) == 60
    assert len(t.store.read(LOG).data or b"") < 65536 * 0.6
    assert t.agent._parts.days.all() == []


# what is searched


def marks(**fields: str) -> Entry:
    text = " ".join(f"{key}={value}" for key, value in fields.items())
    return parse(f"- Ann may like tulips <!--os aaaaaaaaaa {text}-->\n".encode()).entries[0]


GUESS = {"conf": "0.6", "seen": "2026-02-05", "origin": "agent", "status": "out", "since": "2026-11-15", "was": "stale"}


@pytest.mark.parametrize(
    ("path", "fields", "out"),
    [
        ("Archive/Memory/2026-08.md", {}, True),
        ("MEMORY.md", {}, False),
        ("rooms/dev.md", {}, False),
        ("Archive/Daily/2026-08-01.md", {}, False),
        ("Archive/Memory/2026-08.md", {"status": "stale"}, False),
        ("Archive/Memory/2026-08.md", {"n": "2"}, False),
        ("Archive/Memory/2026-08.md", {"seen": "2026-11-16"}, False),
        ("Archive/Memory/2026-08.md", {"origin": "operator"}, False),
        ("Archive/Memory/2026-08.md", {"origin": "participant", "conf": "0.8"}, False),
        ("MEMORY.md", {"was": "corrected"}, True),
        ("MEMORY.md", {"was": "corrected", "seen": "2026-11-16"}, False),
        ("Archive/Memory/2026-08.md", {"was": "corrected", "origin": "operator"}, True),
    ],
)
def test_an_entry_leaves_the_search_by_what_its_file_says_alone(path: str, fields: dict[str, str], out: bool) -> None:  # noqa: FBT001 - a table
    assert is_out(Name("main", path), marks(**{**GUESS, **fields})) is out


GUESSES = """# Archive

- Ann may like tulips <!--os aaaaaaaaaa conf=0.6 seen=2026-02-05 origin=agent-->
- Ann was born in Lyon <!--os bbbbbbbbbb conf=0.95 seen=2023-02-05-->
- Ben was born in Nice <!--os cccccccccc conf=0.8 seen=2023-02-05 origin=participant-->
- the cellar key hangs behind the blue door <!--os dddddddddd conf=0.95 seen=2026-10-01-->
"""
CORRECTED = "# Corrections\n\n## 2026-11-12 10:00 UTC <!--os eeeeeeeeee supersedes=dddddddddd-->\n\n**Correct:** the cellar key hangs in the hall\n**Re-embedded:** true\n"


def test_what_left_the_search_is_not_found_and_an_index_made_anew_is_the_same(tmp_path: Path) -> None:
    clock = FrozenClock(datetime(2026, 11, 15, 3, 0, tzinfo=UTC))
    asked = (
        "What flowers may Ann like?",
        "Where was Ann born?",
        "Where was Ben born?",
        "Where does the cellar key hang?",
    )

    def found(agent: Agent) -> list[set[str]]:
        every = (agent.recall(text, session=Session.dm(), limit=6, minimum=0.0) for text in asked)
        return [{hit.chunk.entry for hit in each.hits} for each in every]

    with open_home(tmp_path / "home", {}, clock=clock) as soul:
        workspace = tmp_path / "home/workspace/main"
        (workspace / "Archive/Memory/2026-08.md").write_text(GUESSES)
        (workspace / "CORRECTIONS.md").write_text(CORRECTED)
        agent = soul.agent("main")
        flowers, ann, ben, key = found(agent)
        assert ("aaaaaaaaaa" in flowers, "bbbbbbbbbb" in ann, "cccccccccc" in ben) == (True, True, True)
        assert ("dddddddddd" in key, "eeeeeeeeee" in key) == (False, True)
        for _ in range(3):
            for job in ("memory-compactor", "vector-hygiene"):
                assert all(report.done and not report.problems for report in agent._parts.keeping.run(job))
            clock.advance(timedelta(days=7))
        kept = found(agent)
        flowers, ann, ben, key = kept
        assert ("aaaaaaaaaa" in flowers, "bbbbbbbbbb" in ann, "cccccccccc" in ben) == (False, True, True)
        assert ("dddddddddd" in key, "eeeeeeeeee" in key) == (False, True)
        assert "status=out since=2026-11-12 was=corrected" in (workspace / "Archive/Memory/2026-08.md").read_text()
        assert "2026-11-12 10:00" in (workspace / "Archive/Corrections/2026-11.md").read_text()
    shutil.rmtree(tmp_path / "home/cache")
    with open_home(tmp_path / "home", {}, clock=clock) as soul:
        assert found(soul.agent("main")) == kept


@pytest.mark.parametrize(
    ("text", "settled"),
    [
        *(("**Re-embedded:** true", True), ("- **Re-embedded**: yes", True), ("re-embedded: true", True)),
        *(("**Re-embedded:** false", False), ("", False), ("He said re-embedded: true is fine", False)),
    ],
)
def test_a_correction_waits_until_the_index_holds_it(text: str, settled: bool) -> None:  # noqa: FBT001 - a table
    entry = parse(f"## 2026-02-01 10:00 UTC\n\n{text}\n".encode(), is_log=True).entries[0]
    assert is_settled(entry, date(2026, 2, 16), RetentionOptions()) is settled
    assert not is_settled(entry, date(2026, 2, 15), RetentionOptions())


# what must always hold


WORDS = st.sampled_from(
    [
        "the",
        "key",
        "of",
        "shed",
        "is",
        "with",
        "Maya",
        "Ben",
        "not",
        "3",
        "4",
        "blue",
        "red",
        "Monday",
        "Friday",
        "every",
        "night",
        "at",
        "02:00",
        "garden",
        "猫叫墨墨",
        "run",
        "backups",
    ]
)
ORIGINS = st.sampled_from(["", "origin=participant", "origin=agent", "origin=untrusted"])
LINES = st.lists(
    st.tuples(
        st.lists(WORDS, min_size=1, max_size=9).map(" ".join),
        ORIGINS,
        st.sampled_from(["", "aud=room:dev", "aud=person:acct:7"]),
        st.sampled_from(["", "#correction", "#decision"]),
        st.sampled_from(["2025-01-01", "2026-03-01", "2026-11-01"]),
        st.sampled_from(["0.2", "0.6", "0.94"]),
    ),
    max_size=12,
)


def written(lines: list[tuple[str, ...]]) -> str:
    return "# Memory\n\n" + "".join(
        f"- {text} {tag} <!--os {n:010d} conf={conf} seen={seen} {origin} {aud}".replace("  ", " ").rstrip() + "-->\n"
        for n, (text, origin, aud, tag, seen, conf) in enumerate(lines)
    )


@settings(max_examples=scaled(15, 200))
@given(LINES, LINES)
def test_nothing_is_lost_nobody_sees_more_and_a_second_run_does_nothing(
    own: list[tuple[str, ...]], archived: list[tuple[str, ...]]
) -> None:
    t = home("2026-11-15")
    memory(t, written(own))
    memory(t, written(archived).replace("<!--os 00000", "<!--os 11111"), "Archive/Memory/2026-10.md")
    before = {entry.id: (name, entry) for name, entry in everything(t)}
    for job in ("memory-compactor", "vector-hygiene"):
        run(t, job)
    after = {entry.id: (name, entry) for name, entry in everything(t)}
    assert set(after) <= set(before)
    for one, (name, entry) in before.items():
        if one not in after:
            assert any(covers(said(other), said(entry)) for _, other in after.values()), entry.text
            assert entry.tag != "correction"
            continue
        place, now = after[one]
        assert now.body == entry.body
        assert seen_by(name, entry).fits(seen_by(place, now))
        assert origin_of(now) is origin_of(entry)
        if entry.tag == "correction" or origin_of(entry) is Origin.OPERATOR:
            assert place == name
    for _ in range(3):
        again = standing(t)
        for job in ("memory-compactor", "vector-hygiene"):
            run(t, job)
        if standing(t) == again:
            break
    else:
        pytest.fail("it never comes to rest")


def everything(t: Talk) -> list[tuple[Name, Entry]]:
    names = [name for name in t.store.names("main") if name.path == "MEMORY.md" or name.path.startswith("Archive/")]
    return [(name, entry) for name in names for entry in t.document(name).entries if entry.form is Form.ITEM]


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_text_covers_itself_and_never_one_with_other_numbers(one: str, other: str) -> None:
    assert covers(one, one)
    assert not covers(f"{one} the shed has 3 keys for Maya and us", f"{one} the shed has 4 keys for Maya and us")
    covers(one, other)


def test_a_year_of_memory_is_tidied_in_time_that_grows_with_it() -> None:
    took = {count: _year(count) for count in (scaled(400, 1_000), scaled(1_600, 10_000))}
    small, large = took
    sys.stdout.write(f"{ {count: round(seconds, 2) for count, seconds in took.items()} }\n")
    assert took[large] / took[small] < 3 * large / small


def _year(count: int) -> float:
    """How long the three jobs take on a year of diaries and archives with so many entries."""
    t = home("2027-01-03")
    rooms = itertools.cycle(("", " aud=room:dev origin=participant", " aud=room:ops origin=participant"))
    for n in range(365):
        day = date(2025, 12, 1) + timedelta(days=n)
        blocks = "".join(
            f"## {day} {8 + k % 12:02d}:{k % 60:02d} UTC <!--os {n:05d}{k:05d}{next(rooms)}-->\n\nIn box {k} of row {n} we found {k * n} old maps.\n\n"
            for k in range(count // 2 // 365 + 1)
        )
        t.store.save_outside(Name("main", f"memory/{day}.md"), blocks.encode())
    for month in range(12):
        lines = "".join(
            f"- guess {k} of month {month} says {k * 3} <!--os 9{month:04d}{k:05d} conf=0.6 seen=2026-0{1 + k % 6}-01 origin=agent-->\n"
            for k in range(count // 2 // 12)
        )
        t.store.save_outside(Name("main", f"Archive/Memory/2026-{month + 1:02d}.md"), lines.encode())
    t.soul._home.ledger.notice("main")
    start = time.process_time()
    for job in ("memory-compactor", "vector-hygiene", "soul-history"):
        run(t, job)
    return time.process_time() - start
