"""What becomes long-term memory: golden cases, look-alikes, capacity."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.test_golden import params
from oldsoul.documents import Form, parse
from oldsoul.keepers import promote
from oldsoul.language.sentences import sentences, shortened
from oldsoul.rules.promotion import asked, surplus
from oldsoul.values.names import longterm, profile
from oldsoul.values.recall import Reuse
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home
from talk_bench import talk

if TYPE_CHECKING:
    from pathlib import Path

    from oldsoul.documents import Entry


@pytest.mark.parametrize(("blocks", "flags"), params("promotion.md"))
def test_a_session_promotes_what_the_golden_file_says(blocks: dict[str, str], flags: str) -> None:
    assert not flags
    t = talk()
    session = Session.dm("acct:7", id="s")
    roles = {"agent": "assistant", "tool": "tool"}
    for who, text in (line.partition(": ")[::2] for line in blocks["messages"].splitlines()):
        t.say(session, text, sender=who, role=roles.get(who, "user"))
    t.end(session)
    places = {
        "index: {section} | {words}": longterm("main", "acct:7"),
        "profile: {section} | {words}": profile("main", "acct:7"),
        "task: {words}": t.agent._parts.name("memory/2026-02-04/s.md"),
    }
    found = [
        form.format(section=entry.section, words=kept(entry))
        for form, name in places.items()
        for entry in t.document(name).entries
        if entry.kind == "task" or (entry.kind == "item" and form[0] != "t")
    ]
    assert sorted(found or ["nothing"]) == sorted(blocks["out"].splitlines())


def kept(entry: Entry) -> str:
    """The words of an entry without the title and the date that we gave it."""
    words = entry.text.partition(" (added ")[0]
    return words.partition("**: ")[2] if entry.title else words


@given(st.text(max_size=300))
@example("0:0´0")
def test_words_that_are_kept_stand_in_the_message(text: str) -> None:
    for said in (text, f"remember that {text}", f"记住，{text}", f"{text}, remember that"):
        for one in asked(said):
            assert one.words in said


def test_what_is_used_least_and_longest_ago_goes_first_until_the_rest_fits() -> None:
    lines = [f"- **F{n}**: fact number {n} (added 2026-01-{n:02}) <!--os {n:010}-->" for n in range(1, 11)]
    entries = parse("\n".join([*lines, ""]).encode()).entries
    now = datetime(2026, 2, 1, tzinfo=UTC)
    reuse = {
        entries[0].id: Reuse(3, 9, now),
        entries[1].id: Reuse(1, 1, now - timedelta(days=30)),
        entries[2].id: Reuse(1, 50, now),
    }
    gone = surplus(entries, reuse, items=5, characters=3000)
    assert [entry.title for entry in gone] == ["F4", "F5", "F6", "F7", "F8"]
    size = sum(len(entry.body) for entry in entries)
    assert [e.title for e in surplus(entries, reuse, items=100, characters=size - 1)] == ["F4"]
    assert surplus(entries, reuse, items=10, characters=size) == []
    everything = surplus(entries, reuse, items=0, characters=0)
    assert [entry.title for entry in everything][-3:] == ["F2", "F3", "F1"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("by Mr. Ortiz. good", ["by Mr. Ortiz.", "good"]),
        ("第一句。第二句！还有", ["第一句。", "第二句！", "还有"]),
        ("version 1.2 is out", ["version 1.2 is out"]),
        ('He said "go." Then left', ['He said "go."', "Then left"]),
        ("a\n\nb\n", ["a", "b"]),
        (" ... ", []),
    ],
)
def test_sentences_are_as_people_type_them(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_a_text_is_cut_between_words() -> None:
    assert shortened("a  short\none", 20) == "a short one"
    assert shortened("a rather long sentence, indeed", 24) == "a rather long sentence…"
    assert len(shortened("没有空格的很长很长的一句话", 8)) == 8


@pytest.mark.parametrize("count", ["²", "٣", "-1", "", "9" * 5000])
def test_a_count_that_is_none_says_nothing_about_an_entrys_worth(count: str) -> None:
    entries = parse(f"- a <!--os aaaaaaaaa1 n={count}-->\n- b <!--os aaaaaaaaa2 n=2-->\n".encode()).entries
    assert [entry.text for entry in surplus(entries, {}, items=1, characters=3000)] == ["a"]


def test_what_is_kept_at_the_operators_word_makes_room_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(promote, "CAPACITY", promote.Capacity(3, 400))
    with open_home(tmp_path, {}) as soul:
        agent = soul.agent()
        for number in range(12):
            agent.memory.promote(f"Boat {number} is moored in harbour number {number} {'x' * (20 * number)}", "acct:7")
            entries = parse(agent._parts.read(longterm("main", "acct:7")).data or b"").entries
            kept = [entry for entry in entries if entry.form is Form.ITEM]
            assert len(kept) <= 3
            assert len(kept) == 1 or sum(len(entry.body) for entry in kept) <= 400
            assert f"Boat {number}" in kept[-1].body
        assert (
            sum(
                "Boat" in hit.chunk.text
                for hit in agent.recall("boat harbour", session=Session.dm("acct:7"), limit=20).hits
            )
            == 12
        )
