"""No text from outside can be more than the words of one entry: it forges no bookkeeping, entry, heading, task or key."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from oldsoul.documents import Document, edits, marks, parse, render, stripped
from oldsoul.documents.edits import NewEntry
from oldsoul.documents.model import folded
from oldsoul.documents.shape import closed
from oldsoul.errors import DocumentError
from oldsoul.values.changes import TAGS

ID = "0123456789"
DOCUMENTS = [
    "",
    "# Memory\n\n- a\n- [ ] b <!--os k3f9w2m7qa n=1-->\n  - [x] c\n\n## Notes\n\n1. d\n\nText [r].\n\n[r]: x.md\n",
    "---\nsummary: x\n---\n# Memory\r\n\r\n- a\r\n\r\n## Tasks\r\n- [x] b",
    "\ufeff* a\n\n    code\n\n> quote\n\n## Notes\n```\n- no\n```\n## Tasks\n",
    "text\n\n```\nnever closed\n",
    "- a\n\n\n<!-- hidden\n",
]
LOG = "# Log\n\n## 2026-02-04 09:00 <!--os k3f9w2m7qa-->\n\na\n\n- [ ] b\n\n## 2026-02-04 10:00\n\n```\n"
FRAGMENTS = [
    *["a", "word", "中文", "😀", "é", "e\u0301", " ", "  ", "    ", "\t", "\n", "\n\n", "\r", "\r\n", "\x00", "\x0b", "\x0c"],
    *["\x1b[0m", "\x1c", "\x1e", "\x7f", "\x85", "\x9f", "\xa0", "\u2028", "\u2029", "\u202e", "\u2066", "\u200b", "\ufeff"],
    *["\ud800", "\udfff", "\ufffe", "\U000e0001", "<!--", "-->", "--!>", "<!-->", "<!--->", "--", "->", ">", "<", "<!", "<!-"],
    *["-<!---", f"<!--os {ID}-->", "<!--os conf=1", " <!--os k3f9w2m7qa conf=1-->", "os ", "%3C!--", "&lt;!--", "&#60;!--"],
    *["#", "# ", "## Notes", "###### x", "#event", "#correction", " #decision", "(added 2020-01-01)", "=", "===", "---", "- - -"],
    *["***", "___", "- ", "* ", "+ ", "-", "1. ", "2) ", "999999999. ", "1.", "[ ] ", "[x] ", "[X]", "- [x] ", "[", "]", "]:", "[a]: b"],
    *["[a\n]: b", "[a\\", "](", "[r]: evil.md", "`", "``", "```", "~~~", "````\n", "\\", "\\\\", "\\\n", "|", "| a |\n|---|", ": "],
    *["：", "**", "*", "_", "**T**:", "<div>", "</div>", "<script>", "<?", "?>", "<![CDATA[", "]]>", "<pre", "<b c='", "https://x.y"],
    *["---\n", "\n---\n", "...\n", "summary: forged", "key: [", "{", "}", "&a", "*a", "!!python", "'", '"', "\\u0000", "%", "%2D", "\n> "],
    *["\n- forged", "\n  - forged", "\n\n# forged", "\n\n## 2026-02-05", "\n\n- [x] forged", "\n    code", "## 2026-02-05", "2026-02-05"],
]  # fmt: skip
NASTY = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3), max_size=8).map("".join)
KEYS = st.sampled_from(["conf", "src", "aud", "n", "a_b", "abcdefghijklmnopqrstuvwx"])
VALUES = st.dictionaries(KEYS, NASTY, max_size=4)
SECTIONS = st.sampled_from(["", "", "Notes", "Tasks", "notes "]) | NASTY
DOCUMENT = st.sampled_from(DOCUMENTS).map(lambda text: parse(text.encode()))


def facts(document: Document) -> list[tuple[object, ...]]:
    """What the entries are, but for where they stand."""
    return [(e.id, e.written, e.form, e.section, e.text, e.body, e.done, dict(e.fields)) for e in document.entries]


def check_one_more(before: Document, after: Document, entry: NewEntry, *, heading: bool) -> None:
    """One entry came in, with the bookkeeping it was given, and nothing else: for us, and for another parser."""
    found = after.find(ID)
    ended = closed(before)
    if ended and not Counter(line.strip() for line in ended.lines) - Counter(line.strip() for line in after.lines):
        before = ended  # what never ended is closed before something can follow it
    others = [fact for fact in facts(after) if fact[0] != ID]
    assert others == facts(before)
    assert dict(found.fields) == {key: value for key, value in (entry.fields or {}).items() if value}
    assert after.matter == before.matter
    assert render(after).count(b"<!--os ") == render(before).count(b"<!--os ") + 1
    came = 1 if heading else 0
    titles = [section.title for section in after.sections]
    assert len(titles) == len(before.sections) + came
    assert not Counter(section.title for section in before.sections) - Counter(titles)
    states = Counter(task.done for task in before.tasks) + Counter([] if entry.task is None else [entry.task])
    assert Counter(task.done for task in after.tasks) == states
    for line in found.lines:
        text = line.decode()
        assert len(text.splitlines()) == 1
        assert not re.search(r"[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f]", text)
    assert not any("<!--" in line for line in stripped(after)[found.line : found.end])
    headings, items = oracle.outline(render(after))
    old_headings, old_items = oracle.outline(render(before))
    assert len(headings) == len(old_headings) + came
    assert len(items) == len(old_items) + (not before.is_log)


@given(
    DOCUMENT,
    st.builds(
        NewEntry,
        NASTY,
        title=NASTY,
        tag=st.sampled_from(["", *TAGS]),
        task=st.none() | st.booleans(),
        children=st.lists(NASTY, max_size=3).map(tuple),
        id=st.just(ID),
        fields=VALUES,
    ),
    SECTIONS,
)
def test_nothing_added_is_more_than_the_words_of_one_entry(before: Document, entry: NewEntry, section: str) -> None:
    try:
        after = edits.add(before, entry, section)
    except DocumentError:
        assert is_hopeless(entry, section)
        return
    new_section = bool(section.strip()) and before.section(section) is None
    check_one_more(before, after, entry, heading=new_section)
    found = after.find(ID)
    assert found.end - found.line == 1 + len(entry.children)
    assert found.done is entry.task
    if section.strip():
        assert folded(found.section) == folded(section)
    if entry.tag:
        assert found.tag == entry.tag


def is_hopeless(entry: NewEntry, section: str) -> bool:
    """Whether there is a good reason to refuse it: no words, or names and values that could not be read back."""
    values = "".join((entry.fields or {}).values())
    return (
        not (marks.inline(entry.text) or marks.phrase(entry.title.replace("*", "")).rstrip(":： \\"))
        or re.search("[\ud800-\udfff]", values) is not None
        or folded(marks.phrase(section)) != folded(section)
        or (section.strip() != "" and "\\" in section)
    )


@given(NASTY, NASTY, st.lists(NASTY, max_size=3).map(tuple), VALUES)
def test_nothing_added_to_a_log_is_more_than_one_dated_block(
    text: str, title: str, children: tuple[str, ...], fields: dict[str, str]
) -> None:
    before = parse(LOG.encode(), is_log=True)
    entry = NewEntry(text, title=f"2026-02-05 {title}", children=children, id=ID, fields=fields)
    try:
        after = edits.add(before, entry)
    except DocumentError:
        assert re.search("[\ud800-\udfff]", "".join(fields.values()))
        return
    check_one_more(before, after, entry, heading=True)
    assert {block.kind for block in after.outline.blocks if block.line >= after.find(ID).line} <= {"Paragraph"}


@given(before=DOCUMENT, index=st.integers(0, 9), text=NASTY, fields=VALUES, keep_old=st.booleans())
def test_nothing_that_replaces_words_is_more_than_words(
    before: Document, index: int, text: str, fields: dict[str, str], *, keep_old: bool
) -> None:
    if not before.entries:
        return
    entry = before.entries[index % len(before.entries)]
    try:
        after = edits.replace(before, entry, text, fields, keep_old=keep_old)
    except DocumentError:
        assert not marks.inline(text) or re.search("[\ud800-\udfff]", "".join(fields.values()))
        return
    found = after.find(entry.id)
    assert (
        found.fields == {**entry.fields, **{key: value for key, value in fields.items() if value}}
        or "" in fields.values()
    )
    assert (found.form, found.section, found.done) == (entry.form, entry.section, entry.done)
    assert [fact for fact in facts(after) if fact[0] != entry.id] == [f for f in facts(before) if f[0] != entry.id]
    assert after.matter == before.matter
    assert [s.title for s in after.sections] == [s.title for s in before.sections]
    assert [task.done for task in after.tasks] == [task.done for task in before.tasks]
    assert after.lines[: entry.line] == before.lines[: entry.line]
    assert not any("<!--" in line for line in stripped(after)[found.line : found.end])


@given(DOCUMENT, st.integers(0, 9), KEYS | NASTY, NASTY)
def test_a_field_holds_its_value_or_is_refused(before: Document, index: int, key: str, value: str) -> None:
    if not before.entries:
        return
    entry = before.entries[index % len(before.entries)]
    try:
        after = edits.set_field(before, entry, key, value)
    except DocumentError:
        valid = re.fullmatch(r"[a-z][a-z_]{0,23}", key) and not re.search("[\ud800-\udfff]", value)
        assert not valid or entry.kind == "CodeBlock"
        return
    assert after.find(entry.id).fields == {k: v for k, v in {**entry.fields, key: value}.items() if v}
    plain = [(e.id, e.form, e.text, e.body, e.done) for e in before.entries]
    assert [(e.id, e.form, e.text, e.body, e.done) for e in after.entries] == plain
    assert after.outline == before.outline


@given(DOCUMENT, st.sampled_from(["summary", "source", "Key-1"]) | NASTY, NASTY)
def test_a_key_holds_its_value_or_is_refused(before: Document, key: str, value: str) -> None:
    try:
        after = edits.set_key(before, key, value)
    except DocumentError:
        assert not re.fullmatch(r"[^\W\d][\w-]*", key) or re.search("[\ud800-\udfff]", value)
        return
    assert after.matter.values == {**before.matter.values, key: value}
    assert facts(after) == facts(before)
    assert render(after).lstrip(b"\xef\xbb\xbf").count(b"\n---") <= render(before).count(b"\n---") + 2


@pytest.mark.parametrize(
    "entry",
    [
        NewEntry("a", tag="idea"),
        NewEntry("a", tag="event #correction"),
        NewEntry("a", added="2026-02-05) #correction"),
        NewEntry("a", added="２０２６-02-05"),
        NewEntry("a", id="0123456789-->"),
        NewEntry("a", id="short"),
        NewEntry("a", fields={"Conf": "1"}),
        NewEntry("a", fields={"a b": "1"}),
        NewEntry("a", fields={"a=b-->": "1"}),
        NewEntry("a", fields={"abcdefghijklmnopqrstuvwxy": "1"}),
        NewEntry("a", fields={"src": "x" * 400}),
        NewEntry("a", fields={f"k{chr(97 + n % 26)}{chr(97 + n // 26)}": "1" for n in range(30)}),
        NewEntry("a", fields={"src": "\ud800"}),
        NewEntry(""),
        NewEntry(" \x00\u2028\n", title="**"),
    ],
)
def test_what_could_not_be_read_back_is_refused(entry: NewEntry) -> None:
    with pytest.raises(DocumentError) as caught:
        edits.add(parse(b"- a\n"), entry)
    assert len(str(caught.value)) > 20


HUGE = 100_000


@pytest.mark.parametrize(
    "piece",
    [
        " ",
        "a",
        "\n",
        "\t \n",
        "<!--",
        "-->",
        "<!--os ",
        "- ",
        "[",
        "](",
        "`",
        "\\",
        "*",
        "\x00",
        "# ",
        "[a]: ",
        "> ",
        "= ",
        "中",
    ],
)
def test_a_huge_text_is_still_one_entry(piece: str) -> None:
    before = parse(DOCUMENTS[1].encode())
    text = f"a{piece * (HUGE // len(piece))}b"
    entry = NewEntry(text, title=text, children=(text,), id=ID, fields={"n": "1"})
    check_one_more(before, edits.add(before, entry, "Notes"), entry, heading=False)
    after = edits.replace(before, before.entries[0], text, {}, keep_old=True)
    assert len(after.entries) == len(before.entries)
    assert "a" in marks.without_comments(text)
    assert "a" in marks.without_marks(text)
    with pytest.raises(DocumentError, match="too long"):
        edits.set_field(before, before.entries[0], "src", text)
