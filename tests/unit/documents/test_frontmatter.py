"""Frontmatter: S2's fields, one key's lines at a time, hostile YAML, and counters that follow the tasks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oldsoul.documents import edits, frontmatter, parse, render
from oldsoul.errors import DocumentError

BOM = b"\xef\xbb\xbf"

SHORT_TERM = b"""---
created_at: 2026-02-04T12:34:56Z
updated_at: 2026-02-04T12:34:56Z
summary: "Discussed memory layout and merge rules."
tasks: "1/3"
follow_ups: "0/1"
session_id: s_20260204_001
source: cli
channel: local
tags: [memory, layout]
subject_id: acct:42
contact_id: tg:@alice
contact_nickname: Alice
---

# 2026-02-04 Short-Term Memory

## Session Summary
1. **Topic**: layout
   - Users: Alice

## Tasks
- [x] one
- [ ] two
  - [ ] three

## Follow Ups
- [ ] four

## Related Links
- [Previous day](../2026-02-03/telegram_12345.md)
"""


def test_every_field_of_the_specification_is_read_as_the_text_it_is() -> None:
    matter = parse(SHORT_TERM).matter
    assert matter.problems == ()
    assert matter.end == 14
    assert dict(matter.values) == {
        "created_at": "2026-02-04T12:34:56Z",
        "updated_at": "2026-02-04T12:34:56Z",
        "summary": "Discussed memory layout and merge rules.",
        "tasks": "1/3",
        "follow_ups": "0/1",
        "session_id": "s_20260204_001",
        "source": "cli",
        "channel": "local",
        "tags": ["memory", "layout"],
        "subject_id": "acct:42",
        "contact_id": "tg:@alice",
        "contact_nickname": "Alice",
    }
    assert matter.text("summary") == "Discussed memory layout and merge rules."
    assert matter.text("tags") == ""
    assert matter.text("nothing") == ""


def test_each_key_has_the_lines_it_is_written_on() -> None:
    lines = parse(b"---\na: 1\n# about b\nb: >-\n  one\n\n  two\n\n# about c\nc:\n- x\n- y # z\nd: {e: f}\n---\n").lines
    matter = frontmatter.read(lines)
    assert matter.values == {"a": "1", "b": "one\ntwo", "c": ["x", "y"], "d": {"e": "f"}}
    assert matter.spans == {"a": (1, 2), "b": (3, 7), "c": (9, 12), "d": (12, 13)}


@pytest.mark.parametrize(
    ("data", "values"),
    [
        (b"---\nempty:\n---\n", {"empty": ""}),
        (b"---\n---\n", {}),
        (b"---\n# nothing\n\n---\n", {}),
        (b"---\r\na: b\r\n---\r\n", {"a": "b"}),
        (BOM + b"---\na: b\n...\n", {"a": "b"}),
        (b"---   \na: 'it''s'\nb: \"x\\ty\"\n---\n", {"a": "it's", "b": "x\ty"}),
        (b"---\na: yes\nb: null\nc: 007\nd: 1:30\ne: -5\nf: 2026-02-05\n---\n", dict(zip("abcdef", ("yes", "null", "007", "1:30", "-5", "2026-02-05"), strict=True))),
        ("---\n摘要: 你好 # 注\n标签: [工作, 家 里]\n---\n".encode(), {"摘要": "你好", "标签": ["工作", "家 里"]}),
        (b"---\na: b#c\nd: e #f\n---\n", {"a": "b#c", "d": "e"}),
        (b"---\na: [x, 'y z', \"w\"]\nb: [[c], {d: e}]\n---\n", {"a": ["x", "y z", "w"], "b": [["c"], {"d": "e"}]}),
    ],
)  # fmt: skip
def test_what_people_write_is_read(data: bytes, values: dict[str, object]) -> None:
    matter = parse(data).matter
    assert matter.values == values
    assert matter.problems == ()


@pytest.mark.parametrize(
    "data",
    [b"", b"a: b\n", b"\n---\na: b\n---\n", b" ---\na: b\n---\n", b"----\na\n---\n", b"---\na: b\n", b"---\ta\n---\n"],
)
def test_what_does_not_begin_with_dashes_and_end_with_them_is_no_frontmatter(data: bytes) -> None:
    assert parse(data).matter == frontmatter.NONE


HOSTILE = {
    "an alias bomb": "a: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*a, *a, *a]\n" for n in range(9)),
    "an alias to itself": "a: &a [*a]\n",
    "deep nesting": "a: " + "[" * 5000 + "]" * 5000 + "\n",
    "deep blocks": "".join("  " * n + f"k{n}:\n" for n in range(200)),
    "a tag": "a: !!python/object/apply:os.system [id]\n",
    "a local tag": "a: !x y\n",
    "a merge key": "a: {b: c}\nd:\n  <<: {e: f}\n",
    "a huge one": "a: " + "x" * 70_000 + "\n",
    "many keys": "".join(f"k{n}: [a]\n" for n in range(3000)),
    "a broken list": "a: [b\n",
    "a broken string": 'a: "b\n',
    "a tab": "a:\n\tb: c\n",
    "the same key twice": "a: 1\nb: 2\na: 3\n",
    "two documents": "a: 1\n--- # second\nb: 2\n",
    "a list": "- a\n- b\n",
    "a word": "word\n",
    "a number": "42\n",
    "a list as key": "? [a]\n: b\n",
    "an empty key": ": b\n",
    "a directive": "%YAML 1.2\na: b\n",
    "keys on one line": "{a: 1, b: 2}\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_yaml_is_reported_and_the_body_is_still_of_use(name: str) -> None:
    data = f"---\n{HOSTILE[name]}---\n\n## Tasks\n\n- [ ] a\n- b\n".encode()
    document = parse(data)
    assert document.matter.problems
    assert all(len(problem) > 20 for problem in document.matter.problems)
    assert [entry.text for entry in document.entries] == ["a", "b"]
    assert document.entries[0].section == "Tasks"
    assert render(document) == data
    assert edits.refreshed(document, "now") == document
    assert len(edits.tick(document, document.entries[0], done=True).entries) == 2
    with pytest.raises(DocumentError, match="summary cannot be set"):
        edits.set_key(document, "summary", "x")


def test_bytes_that_are_no_utf8_are_reported() -> None:
    document = parse(b"---\na: \xff\n---\n- b\n")
    assert "UTF-8" in document.matter.problems[0]
    assert len(document.entries) == 1


def test_a_problem_names_its_line() -> None:
    assert parse(b"---\na: 1\nb: &x 2\n---\n").matter.problems[0].startswith("line 3 ")
    assert parse(b"---\na: 1\nb: 2\na: 3\n---\n").matter.problems[0].startswith("line 4 ")


# Changing one key


NAMES = ["summary", "tags", "a", "b-c", "source_2", "键"]
TEXT = st.text(max_size=20) | st.sampled_from(
    ["", "x", "a b", "true", "0/3", "- x", "a: b", "#x", "x #y", "'", '"', "it's", "[", "{a}", "&a", "*a", "!t", "|", ">", "%", "@", "\\", "\n", "a\nb", "\r", "\t", "---", "...", "\u2028", "\x00", "\x85", "\ufeff", "null", "~", "2026-02-05", "1:30", "中文", " x ", "x:", "?", "-", "<<"],
)  # fmt: skip
WRITTEN = st.sampled_from(
    [
        *[
            "",
            " x",
            " plain words",
            " 'single'",
            ' "double"',
            " x # note",
            "   # only a note",
            " [a, b]",
            " [a, [b]] # c",
        ],
        *[
            " {a: b}",
            " 12",
            " 2026-02-05",
            ' "a \\" b"',
            " 'it''s'",
            "\n  - x\n  - y",
            "\n- x\n-  y # z",
            "\n  a: b\n\n  c: d",
        ],
        *[
            " |\n  one\n   two",
            " >-\n  one\n\n  two",
            " first\n  second\n  third # note",
            " [a,\n  b]",
        ],
        *[' "over\n  lines"', " 中文：词", " https://x.y/z#w", " a:b"],
    ]
)
BETWEEN = st.sampled_from(["", "", "", "# note\n", "\n", "\n# a\n\n"])
ENTRIES = st.lists(st.tuples(BETWEEN, st.sampled_from(NAMES), WRITTEN), max_size=5, unique_by=lambda each: each[1])
HEADS = st.tuples(
    ENTRIES.map(lambda found: "".join(f"{before}{name}:{value}\n" for before, name, value in found)),
    BETWEEN,
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.sampled_from(["---", "...", "---  "]),
).map(lambda head: (BOM if head[3] else b"") + f"---\n{head[0]}{head[1]}{head[4]}\n".replace("\n", head[2]).encode())
BODIES = st.sampled_from([b"", b"\n# T\n\n- a\n", b"- a", b"\r\n", b"---\n", b"key: not frontmatter\n"])


@given(HEADS, BODIES, st.sampled_from(NAMES), st.none() | TEXT)
def test_setting_a_key_leaves_every_other_byte(head: bytes, body: bytes, key: str, value: str | None) -> None:
    document = parse(head + body)
    assert document.matter.problems == ()
    after = edits.set_key(document, key, value)
    assert after.matter.problems == ()
    others = {name: each for name, each in document.matter.values.items() if name != key}
    assert after.matter.values == (others if value is None else {**others, key: value})
    start, end = document.matter.spans.get(key, (document.matter.end - 1, document.matter.end - 1))
    kept_head, kept_tail = b"".join(document.lines[:start]), b"".join(document.lines[end:])
    now = render(after)
    assert now.startswith(kept_head)
    assert now.endswith(kept_tail)
    middle = now[len(kept_head) : len(now) - len(kept_tail)]
    assert middle.count(b"\n") == (0 if value is None else 1)
    assert (b"\r\n" in middle) == (value is not None and b"\r\n" in head)
    assert edits.set_key(after, key, value) == after
    assert [entry.text for entry in after.entries] == [entry.text for entry in document.entries]


@given(BODIES, st.sampled_from([BOM, b""]), TEXT)
def test_a_document_without_frontmatter_gets_one_before_all_its_bytes(body: bytes, bom: bytes, value: str) -> None:
    document = parse(bom + body)
    after = edits.set_key(document, "summary", value)
    assert after.matter.values == {"summary": value}
    assert render(after).startswith(bom + b"---")
    assert render(after).endswith(body)
    assert edits.set_key(document, "summary", None) == document


def test_an_edit_that_would_change_another_key_is_refused() -> None:
    document = parse(b"---\na: |\n  text\nb: x\n  # a note that would become text of a\n---\n")
    assert document.matter.values == {"a": "text\n", "b": "x"}
    with pytest.raises(DocumentError, match="b cannot be set to None"):
        edits.set_key(document, "b", None)
    assert edits.set_key(document, "b", "y").matter.values == {"a": "text\n", "b": "y"}
    with pytest.raises(DocumentError, match="b cannot be set to None"):
        edits.set_key(parse(b"---\na: |+\n  keeps its blank lines\nb: x\n\nc: y\n---\n"), "b", None)


@pytest.mark.parametrize("key", ["", "a b", "a:", "1a", "-", "#", "a\nb", "a: b\nc", "<<", "?", "\u2028", "'a'"])
def test_no_other_name_can_be_a_key(key: str) -> None:
    for data in (b"- a\n", SHORT_TERM):
        with pytest.raises(DocumentError):
            edits.set_key(parse(data), key, "x")


# Counters


def test_the_counters_follow_the_tasks_and_nothing_else_changes() -> None:
    document = parse(SHORT_TERM)
    after = edits.refreshed(document, "2026-02-05T00:00:00Z")
    assert after.matter.text("tasks") == "1/3"
    assert after.matter.text("follow_ups") == "0/1"
    assert render(after) == SHORT_TERM.replace(b"updated_at: 2026-02-04T12:34:56Z", b"updated_at: 2026-02-05T00:00:00Z")
    ticked = edits.tick(after, next(e for e in after.entries if e.section == "Follow Ups"), done=True)
    assert b'follow_ups: "1/1"' in render(edits.refreshed(ticked, "2026-02-05T00:00:00Z"))


@pytest.mark.parametrize(
    ("body", "tasks", "follow_ups"),
    [
        ("", "0/0", "0/0"),
        ("- [x] outside\n", "0/0", "0/0"),
        ("## Tasks\n- no box\n- [ ] a\n1. [X] b\n   - [x] nested\n     * [ ] deeper\n", "2/4", "0/0"),
        ("## TASKS\n- [x] a\n### Later\n- [ ] b\n## Follow  ups\n> - [x] quoted\n", "1/2", "1/1"),
        ("## Tasks\n```\n- [x] code\n```\n- [y] none\n- [x]none\n", "0/0", "0/0"),
        ("# Tasks\n- [x] a\n# Other\n- [x] b\n# Tasks\n- [x] a second section of that name\n", "1/1", "0/0"),
        ("Tasks\n---\n- [ ] setext\n\nFollow Ups\n===\n- [ ] a\n", "0/1", "0/1"),
    ],
)
def test_nested_tasks_count_and_other_sections_do_not(body: str, tasks: str, follow_ups: str) -> None:
    after = edits.refreshed(parse(f"---\nsummary: x\n---\n{body}".encode()), "now")
    assert (after.matter.text("tasks"), after.matter.text("follow_ups")) == (tasks, follow_ups)
    assert after.matter.text("updated_at") == "now"
    assert render(after).endswith(f"---\n{body}".encode())


def test_a_document_without_frontmatter_gets_no_counters() -> None:
    document = parse(b"## Tasks\n- [ ] a\n")
    assert edits.refreshed(document, "now") == document
