"""YAML: what is read, what is refused, where things stand, and edits that touch one key alone."""

from __future__ import annotations

from typing import Any

import pytest
import yaml as pyyaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from oldsoul.documents.yaml import (
    KeyValue,
    Mapping,
    Scalar,
    Sequence,
    YamlProblem,
    drop,
    flow,
    parsed,
    plain,
    put,
    read,
)
from oldsoul.errors import DocumentError
from scale import scaled

WIDE = {"max_depth": 20, "max_nodes": 10_000}

SAMPLES = [
    "a: 1\nb: two words # why\nc:\n  d: 'q'\n  e: \"r\"\n",
    "tags: [one, two three, 'four, five', -1]\nempty: []\nnone: {}\n",
    "list:\n- a\n- b\nnext:\n    - id: x\n      y: z\n    - id: w\n",
    "summary: It's done: not. yet\n",
    "summary: a:b http://x/y?z=1&w=[2] acct:42 02:30 100% (x) a, b - c | d > e\n",
    "名前: 日本語 の テキスト\nkey.with-dots: ~/path/to a.md\n",
    "a:\n\n  # note\n  b: 1\n# end\n",
    "a:\nb: ~\nc: null\n",
]


@pytest.mark.parametrize("text", SAMPLES[:3] + SAMPLES[4:])
def test_plain_texts_need_no_pyyaml_and_mean_the_same_without_it(text: str) -> None:
    found = plain(text, **WIDE)
    assert found is not None
    assert found == parsed(text, **WIDE)


KEYS = st.sampled_from(["a", "b-c", "d.e", "名", "f_1"])
VALUES = st.one_of(
    st.sampled_from(
        ["", "1", "-5", "x y", "a:b", "[a, b]", "[]", "{}", "'q: r'", '"s # t"', "a #b", "a # b", "x: y", "~"]
    ),
    st.text(alphabet=st.sampled_from([*"ab1 :#-'\"[]{},&*!|>%@`~?./\\=+_", "é", "语", "\t", "\xa0"]), max_size=10),
)


@st.composite
def yaml_texts(draw: st.DrawFn) -> str:
    """Texts that are mostly valid YAML, of the kinds people write."""
    lines: list[str] = []
    indent = 0
    for _ in range(draw(st.integers(1, 7))):
        head = draw(st.sampled_from(["", "", "", "- ", "-   "]))
        key = draw(KEYS) + ":"
        value = draw(VALUES)
        lines.append(
            " " * indent + head + key + (f" {value}" if value else "") + draw(st.sampled_from(["", "", " # c", " "]))
        )
        lines += draw(st.sampled_from([[], [], [], [""], ["# c"], ["      # c"]]))
        deeper = indent + len(head) + 2
        indent = draw(st.sampled_from([deeper, indent])) if not value else draw(st.sampled_from([indent, indent, 0]))
    return "\n".join(lines) + draw(st.sampled_from(["", "\n", "\n\n"]))


@given(yaml_texts())
@settings(max_examples=scaled(150, 1000))
def test_the_quick_reader_agrees_with_pyyaml_wherever_it_answers(text: str) -> None:
    found = plain(text, **WIDE)
    assert found is None or found == parsed(text, **WIDE)


def test_nodes_know_their_place() -> None:
    text = "a: 1\nb:\n  - 'x'\n  - {c: [d, 2]}\n"
    root = read(text)
    assert isinstance(root, Mapping)
    [one, two] = root.pairs
    assert one == KeyValue(Scalar("a", "", 0, 1, 1), Scalar("1", "", 3, 4, 1))
    assert isinstance(two.value, Sequence)
    assert [(text[each.start : each.end], each.line) for each in two.value.items] == [("'x'", 3), ("{c: [d, 2]}", 4)]
    assert (two.key.line, text[two.key.start : two.end]) == (2, "b:\n  - 'x'\n  - {c: [d, 2]}")


def test_a_value_that_is_not_written_stands_after_its_colon() -> None:
    root = read("a:\n\n# c\nb: {c: , d}\n")
    assert isinstance(root, Mapping)
    assert (root.pairs[0].value.start, root.pairs[0].value.end) == (2, 2)
    assert isinstance(root.pairs[0].value, Scalar)
    assert root.pairs[0].value.is_empty


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("12", 12),
        ("-3", -3),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("yes", "yes"),
        ("off", "off"),
        ("0x10", "0x10"),
        ("0o7", "0o7"),
        ("012", "012"),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("2026-01-01", "2026-01-01"),
        ("1" * 100, "1" * 100),
        ("'12'", "12"),
        ('"true"', "true"),
        ('"a\\tb"', "a\tb"),
        ("'it''s'", "it's"),
    ],
)
def test_scalars_mean_what_yaml_1_2_says(written: str, value: Any) -> None:
    root = read(f"k: {written}\n")
    assert isinstance(root, Mapping)
    assert isinstance(root.pairs[0].value, Scalar)
    assert (root.pairs[0].value.value, type(root.pairs[0].value.value)) == (value, type(value))


def test_a_key_written_twice_is_there_twice_and_the_last_is_found() -> None:
    root = read("a: 1\nb: 2\na: 3\n")
    assert isinstance(root, Mapping)
    assert [(first.key.line, again.key.line) for first, again in root.repeated()] == [(1, 3)]
    found = root.get("a")
    assert found
    assert found.key.line == 3
    assert root.get("z") is None


@pytest.mark.parametrize(
    "text",
    [
        "a: &x 1",
        "a: *x",
        "a: !!str 1",
        "a: ! 1",
        "<<: {a: 1}",
        "a: 1\n---\nb: 2",
        "[a]: 1",
        "a: [",
        "a: \x00",
        "x\udc80: 1",
    ],
)
def test_what_is_dangerous_or_broken_is_refused_with_its_line(text: str) -> None:
    problem = read(f"ok: 1\n{text}\n")
    assert isinstance(problem, YamlProblem)
    assert 2 <= problem.line <= 4


def test_limits_hold() -> None:
    assert isinstance(read("a: b", max_bytes=3), YamlProblem)
    assert isinstance(read("a: {b: {c: 1}}", max_depth=2), YamlProblem)
    assert isinstance(read("a:\n  b:\n    c: 1\n", max_depth=2), YamlProblem)
    assert isinstance(read("[1, 2, 3]", max_nodes=3), YamlProblem)
    assert isinstance(read("a: 1\nb: 2\n", max_nodes=4), YamlProblem)
    assert isinstance(read("a:\n  b:\n    c: 1\n", max_depth=3), Mapping)


@pytest.mark.parametrize(
    "text", [*SAMPLES, "\ufeffa: 1\r\nb: |\r\n  x\r\n", "a: &x 1", "a: [1", "? a\n? b\n", "a: >-\n  x\n\n\nb: 1"]
)
def test_without_the_c_parser_the_result_is_the_same(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with_c = parsed(text, **WIDE)
    monkeypatch.delattr(pyyaml, "CSafeLoader")
    without = parsed(text, **WIDE)
    if isinstance(with_c, YamlProblem):
        assert isinstance(without, YamlProblem)
        assert without.line == with_c.line
    else:
        assert without == with_c


PLAIN_DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(min_size=1, max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(PLAIN_DATA)
@example(5e-324)
@settings(deadline=None)
def test_what_is_written_reads_back_the_same(value: Any) -> None:
    assert drop(put("x: 1\n", ("k",), value), ("k",)) == "x: 1\n"
    assert pyyaml.safe_load(f"k: {flow(value)}") == {"k": value}


@given(yaml_texts(), st.lists(KEYS, min_size=1, max_size=3), PLAIN_DATA)
@settings(max_examples=scaled(100, 600))
def test_an_edit_either_touches_one_key_alone_or_is_refused(text: str, path: list[str], value: Any) -> None:
    steps = tuple(path)
    try:
        edited = put(text, steps, value)
    except DocumentError:
        return
    assert put(edited, steps, value) == edited
    try:
        dropped = drop(edited, steps)
    except DocumentError:
        return
    node = read(dropped)
    assert not isinstance(node, YamlProblem)
    assert drop(dropped, steps) == dropped


def test_a_new_key_does_not_part_a_value_from_its_keys_that_are_switched_off() -> None:
    text = "agents:\n  list:\n    - id: main\n#      workspace: ~/x\n#  defaults: {}\n\n# Time zone\n"
    edited = put(text, ("timezone",), "UTC")
    assert edited == text.replace("{}\n", "{}\ntimezone: UTC\n")
    assert "workspace" in put(edited.replace("#      w", "      w"), ("timezone",), "UTC")


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("- id: 1\n  b: 2\n", (0, "id"), "- b: 2\n"),
        ("a: 1\nb: |\n  x\n\n  y\nc: 1\n", ("b",), "a: 1\nc: 1\n"),
        ("a:\n  b: 1\n", ("a", "b"), "a:\n"),
        ("a: 1\na: 2\nb: 3\n", ("a",), "b: 3\n"),
        ("a: 1\r\nb: 2", ("b",), "a: 1\r\n"),
        ("a: 1\n", ("b", "c"), "a: 1\n"),
    ],
)
def test_drop_removes_the_lines_of_one_key(text: str, path: tuple[str | int, ...], expected: str) -> None:
    assert drop(text, path) == expected


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a: [1, 2]\n", ("a", 0)),
        ("a: 1\n", ("a", "b")),
        ("a: [1]\n", ("a", "b")),
        ("a: &x 1\n", ("b",)),
        ("- a\n", ("b",)),
    ],
)
def test_a_place_that_cannot_take_a_key_is_refused(text: str, path: tuple[str | int, ...]) -> None:
    with pytest.raises(DocumentError):
        put(text, path, 1)


def test_a_lone_list_item_is_not_emptied() -> None:
    with pytest.raises(DocumentError, match="by hand"):
        drop("- id: 1\n", (0, "id"))
