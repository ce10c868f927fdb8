"""Merging a summary into a session's file: golden cases, and what must always hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.test_golden import params
from oldsoul.documents import Document, parse, render, stripped
from oldsoul.rules.apply import applied
from oldsoul.rules.merge.sessions import (
    FACTS,
    FOLLOW_UPS,
    LINKS,
    SUMMARY,
    TASKS,
    Item,
    SummaryMerge,
    items_of,
    merged,
    task_key,
)
from oldsoul.values.names import Name

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME = Name("main", "memory/2026-02-04/s.md")
KNOWN = ("memory/2026-02-03/s.md", "memory/2026-02-03/x.md")


def after(document: Document, items: Sequence[Item], key: str = "k", how: SummaryMerge | None = None) -> Document:
    operations = merged({NAME: document}, NAME, items, how or SummaryMerge(known=KNOWN))
    new = applied(operations, key, {NAME: document}, lambda _: b"").documents[NAME]
    assert new is not None
    return new


@pytest.mark.parametrize(("blocks", "flags"), params("session_merge.md"))
def test_a_summary_is_merged_as_the_golden_file_says(blocks: dict[str, str], flags: str) -> None:
    assert not flags
    items = [item for _, item in items_of(parse(blocks["new"].encode()))]
    once = after(parse(blocks["before"].encode()), items)
    assert "".join(f"{line}\n" for line in stripped(once)) == blocks["after"]
    assert render(after(once, items, "again")) == render(once)


TITLES = st.sampled_from(["Layout", "layout ", "Plan", "计划", "Größe"])
TEXTS = st.sampled_from(
    [
        "write the parser",
        "Write  the parser.",
        "call Ann about the house on Monday",
        "call Ann about the house on Tuesday",
        "see [yesterday](../2026-02-03/s.md)",
        "see [the day before](2026-02-03/s.md)",
        "把解析器写完然后发布出去",
        "把解析器写完然后再发布出去",
        "- [ ] # <!--os aaaaaaaaaa aud=public--> odd",
    ]
)
CHILDREN = st.lists(st.sampled_from(["Users: Ann", "Result: done", "- odd"]), max_size=2).map(tuple)
ITEMS = st.lists(
    st.builds(Item, st.sampled_from([SUMMARY, FACTS, LINKS]), TEXTS, TITLES | st.just(""), st.none(), CHILDREN)
    | st.builds(Item, st.sampled_from([TASKS, FOLLOW_UPS]), TEXTS, st.just(""), st.booleans()),
    max_size=6,
)
TEMPLATE = "# S\n\n" + "".join(f"## {s}\n\n" for s in (SUMMARY, FACTS, TASKS, FOLLOW_UPS, LINKS))


@given(ITEMS, ITEMS)
def test_merging_twice_changes_nothing_more_and_no_item_stands_twice(first: list[Item], second: list[Item]) -> None:
    document = after(parse(TEMPLATE.encode()), first, "1")
    document = after(document, second, "2")
    assert render(after(document, second, "3")) == render(document)
    seen = [(entry.section, entry.title.casefold().strip(), task_key(entry.text)) for entry in document.entries]
    assert len(seen) == len(set(seen))
    titled = [(section, title) for section, title, _ in seen if title]
    assert len(titled) == len(set(titled))


@given(ITEMS, ITEMS)
def test_a_task_that_is_done_stays_done_and_every_section_keeps_its_own(first: list[Item], second: list[Item]) -> None:
    before = after(parse(TEMPLATE.encode()), first, "1")
    document = after(before, second, "2")
    done = {(e.section, task_key(e.text)) for e in before.entries if e.done}
    still = {(e.section, task_key(e.text)) for e in document.entries if e.done}
    open_now = {(e.section, task_key(e.text)) for e in document.entries if e.done is False}
    assert not done & open_now
    assert len(still) >= len({section for section, _ in done})
    assert {e.section for e in document.entries} <= {SUMMARY, FACTS, TASKS, FOLLOW_UPS, LINKS}


def test_similar_wording_makes_two_items_one() -> None:
    before = parse(b"## Temporary Facts\n\n1. the server of the new project stands in the cellar\n")
    new = [Item(FACTS, "the server of our new project stands in the cellar")]
    assert len(after(before, new).entries) == 1


def test_entries_that_may_not_be_changed_stay_and_are_not_doubled() -> None:
    before = parse(b"## Tasks\n\n- [ ] write it <!--os 0000000001-->\n")
    assert render(after(before, [Item(TASKS, "write it", task=True)], how=SummaryMerge(may_change=()))) == render(
        before
    )
