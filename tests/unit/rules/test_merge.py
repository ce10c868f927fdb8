"""Three-way merge: nothing is lost, nothing is doubled, and merging twice changes nothing more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oldsoul.documents import edits, parse, render
from oldsoul.documents.edits import NewEntry
from oldsoul.documents.marks import new_id
from oldsoul.rules.merge import merge, merge_bytes, units

BASE = b"""# Memory

Intro.

## Notes

- one <!--os 0000000001-->
- two <!--os 0000000002-->
- three <!--os 0000000003-->

## Tasks

- [ ] four <!--os 0000000004-->
- five by hand

Last words.
"""

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "remove", "replace", "tick", "retype", "section"]),
        st.integers(0, 9),
        st.integers(0, 99),
    ),
    max_size=5,
)


def changed(data: bytes, steps: list[tuple[str, int, int]], side: str) -> bytes:
    """The text after some edits, as the ledger or a person makes them."""
    document = parse(data)
    for number, (what, which, value) in enumerate(steps):
        entries = document.entries
        entry = entries[which % len(entries)] if entries else None
        if what == "add":
            new = NewEntry(f"{side} {number} {value}", id=new_id(f"{side}{number}", value))
            document = edits.add(document, new, "Notes" if which % 2 else "Tasks")
        elif what == "section":
            document = edits.add(
                document, NewEntry(f"{side} s{number}", id=new_id(f"{side}s{number}", value)), f"S{value % 3}"
            )
        elif entry is None:
            continue
        elif what == "remove":
            document = edits.remove(document, entry)
        elif what == "replace":
            document = edits.replace(document, entry, f"{side} words {value}", {}, keep_old=False)
        elif what == "tick" and entry.done is not None:
            document = edits.tick(document, entry, done=bool(value % 2))
        elif what == "retype":
            line = b"- %s typed %d\n" % (side.encode(), value)
            document = parse(b"".join([*document.lines[: entry.end], line, *document.lines[entry.end :]]))
    return render(document)


def entry_texts(data: bytes) -> set[str]:
    return {e.text for e in parse(data).entries}


@given(STEPS, STEPS)
def test_what_either_side_added_is_there_and_what_one_side_removed_is_gone(
    mine: list[tuple[str, int, int]], other: list[tuple[str, int, int]]
) -> None:
    ours, theirs = changed(BASE, mine, "mine"), changed(BASE, other, "other")
    merged, clashes = merge_bytes(BASE, ours, theirs, is_log=False, prefer="theirs")
    before, a, b, after = map(entry_texts, (BASE, ours, theirs, merged))
    if not clashes:
        assert after >= (a - before) | (b - before)
        assert after >= a & b
        assert after <= a | b
    else:
        lost = ((a - before) | (b - before)) - after
        told = b"".join(c.ours + c.theirs for c in clashes).decode()
        assert all(text in told for text in lost)


@given(STEPS, STEPS, st.sampled_from(["ours", "theirs"]))
def test_merging_twice_changes_nothing_more(
    mine: list[tuple[str, int, int]], other: list[tuple[str, int, int]], prefer: str
) -> None:
    ours, theirs = changed(BASE, mine, "mine"), changed(BASE, other, "other")
    once, _ = merge_bytes(BASE, ours, theirs, is_log=False, prefer=prefer)  # type: ignore[arg-type]
    twice, _ = merge_bytes(BASE, once, theirs, is_log=False, prefer=prefer)  # type: ignore[arg-type]
    assert twice == once


@given(STEPS)
def test_a_side_that_did_nothing_leaves_the_other_as_it_is(steps: list[tuple[str, int, int]]) -> None:
    side = changed(BASE, steps, "x")
    assert merge_bytes(BASE, BASE, side, is_log=False, prefer="ours") == (side, ())
    assert merge_bytes(BASE, side, BASE, is_log=False, prefer="ours") == (side, ())
    assert merge_bytes(BASE, side, side, is_log=False, prefer="ours") == (side, ())


@given(st.binary(max_size=200), st.binary(max_size=200), st.binary(max_size=200))
def test_any_bytes_can_be_merged_and_the_units_cover_every_line(base: bytes, ours: bytes, theirs: bytes) -> None:
    for data in (base, ours, theirs):
        document = parse(data)
        body = b"".join(b"".join(u.lines + u.gap) for u in units(document))
        assert b"".join(document.lines[: document.matter.end]) + body == data
    merge_bytes(base, ours, theirs, is_log=False, prefer="theirs")


def check(ours: str, theirs: str, expected: str, prefer: str = "theirs", clashes: int = 0) -> None:
    base = "- a\n- b <!--os 0000000002 conf=0.5-->\n\n## S\n\n- c\n"
    merged = merge(parse(base.encode()), parse(ours.encode()), parse(theirs.encode()), prefer=prefer)  # type: ignore[arg-type]
    assert render(merged.document).decode() == expected
    assert len(merged.clashes) == clashes


@pytest.mark.parametrize(
    ("ours", "theirs", "expected", "prefer", "clashes"),
    [
        (  # both append to the same list: ours first, tight as before
            "- a\n- b <!--os 0000000002 conf=0.5-->\n- x\n\n## S\n\n- c\n",
            "- a\n- b <!--os 0000000002 conf=0.5-->\n- y\n\n## S\n\n- c\n",
            "- a\n- b <!--os 0000000002 conf=0.5-->\n- x\n- y\n\n## S\n\n- c\n",
            "theirs",
            0,
        ),
        (  # one changes the words, the other the bookkeeping: both count
            "- a\n- b <!--os 0000000002 conf=0.9-->\n\n## S\n\n- c\n",
            "- a\n- B! <!--os 0000000002 conf=0.5-->\n\n## S\n\n- c\n",
            "- a\n- B! <!--os 0000000002 conf=0.9-->\n\n## S\n\n- c\n",
            "theirs",
            0,
        ),
        (  # both change the words: theirs stands, and it is told
            "- a\n- ours <!--os 0000000002 conf=0.5-->\n\n## S\n\n- c\n",
            "- a\n- theirs <!--os 0000000002 conf=0.5-->\n\n## S\n\n- c\n",
            "- a\n- theirs <!--os 0000000002 conf=0.5-->\n\n## S\n\n- c\n",
            "theirs",
            1,
        ),
        (  # moved there, unchanged here: moved
            "- a\n- b <!--os 0000000002 conf=0.5-->\n- x\n\n## S\n\n- c\n",
            "- a\n\n## S\n\n- c\n- b <!--os 0000000002 conf=0.5-->\n",
            "- a\n- x\n\n## S\n\n- c\n- b <!--os 0000000002 conf=0.5-->\n",
            "theirs",
            0,
        ),
        (  # went there, changed here: kept, and told
            "- a\n- b2 <!--os 0000000002 conf=0.5-->\n\n## S\n\n- c\n",
            "- a\n\n## S\n\n- c\n- d\n",
            "- a\n- b2 <!--os 0000000002 conf=0.5-->\n\n## S\n\n- c\n- d\n",
            "theirs",
            1,
        ),
        (  # a new section there, a new entry at the end here
            "- a\n- b <!--os 0000000002 conf=0.5-->\n\n## S\n\n- c\n- mine\n",
            "- a\n- b <!--os 0000000002 conf=0.5-->\n\n## S\n\n- c\n\n## T\n\n- t\n",
            "- a\n- b <!--os 0000000002 conf=0.5-->\n\n## S\n\n- c\n- mine\n\n## T\n\n- t\n",
            "theirs",
            0,
        ),
    ],
)
def test_each_rule_of_the_merge(ours: str, theirs: str, expected: str, prefer: str, clashes: int) -> None:
    check(ours, theirs, expected, prefer, clashes)


def test_frontmatter_is_merged_key_by_key_and_derived_keys_never_clash() -> None:
    base = b'---\nupdated_at: 1\nsummary: "a" # note\ntags: [x]\n---\n\n- a\n'
    ours = base.replace(b"updated_at: 1", b"updated_at: 2").replace(b"[x]", b"[x, y]")
    theirs = base.replace(b"updated_at: 1", b"updated_at: 3").replace(b'"a"', b'"b"') + b"- b\n"
    merged, clashes = merge_bytes(base, ours, theirs, is_log=False, prefer="ours")
    assert clashes == ()
    assert merged == b'---\nupdated_at: 3\nsummary: "b" # note\ntags: [x, y]\n---\n\n- a\n- b\n'


def test_a_line_that_both_reworded_is_not_taken_for_the_one_typed_above_it() -> None:
    base = b"- one <!--os 0000000001-->\n- editor16: something a person typed\n- two <!--os 0000000002-->\n"
    ours = base.replace(b"typed\n", b"typed (edited)\n") + b"- three <!--os 0000000003-->\n"
    theirs = base.replace(
        b"- editor16: something a person typed\n",
        b"- editor33: something a person typed\n- editor16: something a person typed (edited)\n",
    )
    merged, clashes = merge_bytes(base, ours, theirs, is_log=False, prefer="theirs")
    assert [merged.count(word) for word in (b"editor16", b"editor33", b"three")] == [1, 1, 1]
    assert clashes == ()


def test_items_that_both_sides_put_below_one_line_leave_that_line_once() -> None:
    base = b"# Day\n\n## 2026-02-04 10:00 UTC\n\nsomebody wrote this\n\n"
    ours, theirs = (
        base.rstrip(b"\n") + b"\n" + b"".join(b"- %s %d\n" % (side, n) for n in range(5))
        for side in (b"mine", b"other")
    )
    merged, clashes = merge_bytes(base, ours, theirs, is_log=True, prefer="theirs")
    assert clashes == ()
    assert merged.count(b"somebody wrote this") == 1
    assert {*ours.splitlines(), *theirs.splitlines()} <= {*merged.splitlines()}
