"""Edits touch only the lines they mean to, on any text."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from oldsoul.documents import Document, edits, parse, render
from oldsoul.documents.edits import NewEntry
from oldsoul.errors import DocumentError

PIECES = st.sampled_from(
    [
        *["# T\n", "## Notes\n", "## Tasks\n", "\n", "\n\n", "- a\n", "* b\n", "1. c\n", "  - child\n", "   more\n"],
        *["para\n", "lazy", "```\n", "~~~\n", "<!--\n", "-->\n", "<div>\n", "</div>\n", "    code\n", "> q\n", "---\n"],
        *["===\n", "- [ ] t\n", "- [x] d\n", "[a]: b\n", "- **T**: x <!--os k3f9w2m7qa-->\n", "\t- tab\n", "\r\n"],
        *[
            "- \n",
            "-\n",
            "10) x\n",
            "***\n",
            "+ plus\r\n",
            "`",
            "中文\n",
            "- 中文 #event\n",
            "<pre>\n",
            "a\n---\n",
            "| a |\n",
        ],
    ],
)
CLOSES = re.compile(rb"`{3,}|~{3,}|-->|</pre>")
TEXTS = st.lists(PIECES, max_size=14).map("".join).map(str.encode)
WORDS = st.text(min_size=1, max_size=30).filter(lambda t: t.strip() != "")


def entry_lines(document: Document) -> list[bytes]:
    return [b"".join(document.lines[e.line : e.end]).strip() for e in document.entries]


@given(st.binary(max_size=300))
def test_any_bytes_come_back_unchanged(data: bytes) -> None:
    document = parse(data)
    assert render(document) == data
    assert document.entries is not None


@given(TEXTS)
def test_any_markdown_comes_back_unchanged_with_its_entries_in_order_and_apart(data: bytes) -> None:
    for is_log in (False, True):
        document = parse(data, is_log=is_log)
        assert render(document) == data
        ends = [0] + [e.end for e in document.entries]
        assert all(e.line >= end for e, end in zip(document.entries, ends, strict=False))
        assert len({e.id for e in document.entries}) == len(document.entries)


@given(
    data=TEXTS,
    text=WORDS,
    section=st.sampled_from(["", "Notes", "Tasks", "New"]),
    task=st.sampled_from([None, True, False]),
)
def test_an_added_entry_is_there_and_every_other_line_stands_as_it_stood(
    *, data: bytes, text: str, section: str, task: bool | None
) -> None:
    before = parse(data)
    entry = NewEntry(f"{text}x", title="T", tag="event", task=task, id="0123456789", children=("c", text))
    try:
        after = edits.add(before, entry, section)
    except DocumentError:
        return
    found = after.find("0123456789")
    assert found.written
    assert found.title == "T"
    assert found.done is task
    assert found.end - found.line == 3
    if section:
        assert found.section == section
    heading = f"## {section}".encode()
    kept = [line.strip() for line in after.lines[: found.line] + after.lines[found.end :]]
    others = [line for line in kept if line and line != heading]
    old = [line.strip() for line in before.lines if line.strip() and line.strip() != heading]
    closing = others[len(old) :]
    assert others == old + closing
    assert not closing or (len(closing) == 1 and CLOSES.fullmatch(closing[0]))
    if closing:  # a fence or comment that never ends is closed before something can follow it
        before = parse(data + (b"" if data.endswith(b"\n") else before.newline) + closing[0])
    assert [lines for lines in entry_lines(after) if b"0123456789" not in lines] == entry_lines(before)


@given(TEXTS, st.integers(0, 20), WORDS)
def test_replacing_an_entry_changes_no_other_line(data: bytes, index: int, text: str) -> None:
    document = parse(data)
    if not document.entries:
        return
    entry = document.entries[index % len(document.entries)]
    try:
        after = edits.replace(document, entry, text, {"conf": "0.5"}, keep_old=bool(index % 2))
    except DocumentError:
        return
    assert after.lines[: entry.line] == document.lines[: entry.line]
    tail = len(document.lines) - entry.end
    assert tail == 0 or after.lines[-tail:] == document.lines[-tail:]


@given(TEXTS, st.integers(0, 20))
def test_removing_an_entry_takes_away_its_lines_alone(data: bytes, index: int) -> None:
    document = parse(data)
    if not document.entries:
        return
    entry = document.entries[index % len(document.entries)]
    try:
        after = edits.remove(document, entry)
    except DocumentError:
        return
    kept = document.lines[: entry.line] + document.lines[entry.end :]
    # An empty comment may stand where it stood, when its neighbours would run into one another without it.
    now = [
        line for n, line in enumerate(after.lines) if line.strip() and (n < entry.line or line.strip() != b"<!-- -->")
    ]
    assert now == [line for line in kept if line.strip()]
    others = list(entry_lines(document))
    others.pop(document.entries.index(entry))
    assert entry_lines(after) == others


@given(TEXTS, st.sets(st.integers(0, 13), min_size=2), st.booleans())
def test_entries_taken_out_together_are_gone_and_the_others_stand(data: bytes, which: set[int], is_log: bool) -> None:  # noqa: FBT001 - as drawn
    document = parse(data, is_log=is_log)
    gone = [entry for place, entry in enumerate(document.entries) if place in which]
    if len(gone) < 2:
        return
    try:
        after = edits.remove(document, *gone)
    except DocumentError:
        return
    assert entry_lines(after) == [
        lines for entry, lines in zip(document.entries, entry_lines(document), strict=True) if entry not in gone
    ]


@given(TEXTS, TEXTS, st.sampled_from(["", "Notes", "New"]), st.booleans())
def test_entries_put_in_together_are_there_in_order_and_the_others_stand(
    data: bytes,
    other: bytes,
    section: str,
    is_log: bool,  # noqa: FBT001 - as drawn
) -> None:
    document, source = parse(data, is_log=is_log), parse(other, is_log=is_log)
    new = [entry.lines for entry in source.entries]
    if not new:
        return
    try:
        after = edits.insert(document, new, section)
    except DocumentError:
        return
    there, old, wanted = entry_lines(after), entry_lines(document), [b"".join(lines).strip() for lines in new]
    assert comes_in(old, there)
    if len({entry.form for entry in source.entries}) == 1:  # else items go to a list, and paragraphs to the end
        assert comes_in(wanted, there)
    for lines in sorted((*old, *wanted), key=len, reverse=True):
        there.remove(next(one for one in there if one.startswith(lines)))
    assert there == []


def comes_in(some: list[bytes], every: list[bytes]) -> bool:
    """Whether some entries are among others, in their order; what never ended may have been closed."""
    left = iter(every)
    return all(any(one.startswith(lines) for one in left) for lines in some)


@given(data=TEXTS, done=st.booleans())
def test_ticking_changes_one_byte(*, data: bytes, done: bool) -> None:
    document = parse(data)
    for entry in document.entries:
        if entry.done is None:
            continue
        after = edits.tick(document, entry, done=done)
        assert after.find(entry.id).done is done or not entry.written
        assert sum(a != b for a, b in zip(render(document), render(after), strict=True)) <= 1


@given(TEXTS, st.text(min_size=1, max_size=20))
def test_a_field_survives_writing_and_reading_and_is_never_text(data: bytes, value: str) -> None:
    document = parse(data)
    for entry in document.entries[:3]:
        try:
            after = edits.set_field(document, entry, "src", value)
        except DocumentError:
            continue
        found = after.find(entry.id)
        assert found.fields["src"] == value
        assert found.body == entry.body


@given(TEXTS, st.booleans())
def test_after_values_were_set_the_entries_are_those_of_the_whole_text(data: bytes, is_log: bool) -> None:  # noqa: FBT001 - a drawn value
    document = parse(data, is_log=is_log)
    for entry in document.entries:
        for key, value in (("seen", "2026-02-01"), ("n", "2"), ("seen", None)):
            try:
                document = edits.set_field(document, document.find(entry.id), key, value)
            except DocumentError:
                continue
            assert document.entries == parse(render(document), is_log=is_log).entries


def test_a_value_is_set_without_reading_all_entries_again() -> None:
    document = parse(b"# T\n\n- a <!--os k3f9w2m7qa-->\n- b <!--os k3f9w2m7qb-->\n")
    first, second = document.entries
    after = edits.set_field(document, first, "n", "2")
    assert (after.entries[0].fields, after.entries[1]) == ({"n": "2"}, second)
    assert after.entries[1] is second
