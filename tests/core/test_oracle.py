"""Tests of the oracle itself, on inputs counted by hand, so that it cannot agree with everything."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hostile import SHAPES
from oracle import outline, readable_lines

CORPUS = Path(__file__).parent.parent / "corpus"


def test_headings_and_items_are_counted_from_line_zero() -> None:
    data = b"# One\n\n- a\n- b\n  more\n\nTwo\n===\n\n1) c\n\n###### Six\n"
    assert outline(data) == ([(0, 1), (6, 1), (11, 6)], [(2, 3), (3, 5), (9, 10)])


def test_blank_lines_at_the_end_of_an_item_are_not_part_of_it() -> None:
    assert outline(b"- a\n\n\n- b\n  \n\t\n\n\nend\n") == ([], [(0, 1), (3, 4)])


def test_blank_lines_inside_an_item_are_part_of_it() -> None:
    assert outline(b"- a\n\n  b\n\n      code\n\n\n- c\n") == ([], [(0, 5), (7, 8)])


def test_an_item_without_any_text_has_one_line() -> None:
    assert outline(b"-\n-\n\n*\n\n  not in it\n\n1.") == ([], [(0, 1), (1, 2), (3, 4), (7, 8)])


def test_what_is_nested_is_not_top_level() -> None:
    data = b"> # quoted\n> - quoted\n\n- item\n  # in the item\n  - nested\n\n## out\n"
    assert outline(data) == ([(7, 2)], [(3, 6)])


def test_code_and_html_hide_headings_and_items() -> None:
    data = b"```\n# no\n- no\n```\n\n    # no\n\n<!--\n# no\n- no\n-->\n# yes\n"
    assert outline(data) == ([(11, 1)], [])


def test_a_setext_heading_starts_at_its_first_text_line() -> None:
    assert outline(b"one\ntwo\n---\n\n- a\n---\n") == ([(0, 2)], [(4, 5)])


def test_lines_end_at_newlines_only() -> None:
    data = "a\u2028# no\u2029- no\u0085# no\r# no\x0b# no\x0c- no\n# yes\n".encode()
    assert outline(data) == ([(1, 1)], [])
    assert len(readable_lines(data)) == 3


def test_carriage_returns_read_as_spaces() -> None:
    assert outline(b"# a\r\n\r\n- b\r\n\r\n- c\r\n") == ([(0, 1)], [(2, 3), (4, 5)])
    assert outline(b"-\ra\n\r- b\n") == ([], [(0, 1), (1, 2)])


def test_control_characters_read_as_letters() -> None:
    assert readable_lines(b"\x00\x01\t\x1f\x7f") == ["aa\taa"]
    assert outline(b"\x00# no\n\n-\x0cno\n\n- \x00\n") == ([], [(4, 5)])


def test_every_byte_that_is_not_utf8_reads_as_one_letter() -> None:
    assert readable_lines(b"\xff\xfe\n\xe4\xb8\n\xed\xa0\x80\n\xc0\x8a") == ["éé", "éé", "ééé", "éé"]
    assert outline(b"\xff\n# a\n- \xe4\xb8\n") == ([(1, 1)], [(2, 3)])


def test_spaces_outside_ascii_are_not_spaces() -> None:
    assert outline("-\u00a0no\n\n#\u3000no\n\n- a\n\n\u3000- no\n".encode()) == ([], [(4, 5)])
    assert outline("- a\n\n  \u00a0\n".encode()) == ([], [(0, 3)])


def test_one_bom_at_the_start_is_dropped() -> None:
    bom = b"\xef\xbb\xbf"
    assert outline(bom + b"# yes\n" + bom + b"# no\n") == ([(0, 1)], [])
    assert outline(bom + bom + b"# no\n") == ([], [])


@pytest.mark.parametrize("close", [b"---", b"...", b"---  ", b"...\r"])
def test_frontmatter_is_blank_and_keeps_its_lines(close: bytes) -> None:
    assert outline(b"--- \r\n# no\n- no\n" + close + b"\n# yes\n- yes") == ([(4, 1)], [(5, 6)])


@pytest.mark.parametrize("first", [b"----", b" ---", b"---\t", b"--- a", b"\n---"])
def test_any_other_first_line_opens_no_frontmatter(first: bytes) -> None:
    before = first.count(b"\n")
    assert outline(first + b"\n# yes\n---\n")[0] == [(before + 1, 1)]


def test_frontmatter_that_is_never_closed_is_a_thematic_break() -> None:
    assert outline(b"---\na: b\n# yes\n") == ([(2, 1)], [])


def test_only_the_first_line_can_open_frontmatter() -> None:
    assert outline(b"---\na: b\n---\n---\n# yes\n---\n") == ([(4, 1)], [])


def test_nesting_is_followed_to_any_depth() -> None:
    limit = sys.getrecursionlimit()
    depth = 2000
    nested = b"".join(b"  " * level + b"- a\n" for level in range(60))
    assert outline(nested + b"# out\n") == ([(60, 1)], [(0, 60)])
    assert outline(b"> " * depth + b"- a\n\n- b\n") == ([], [(2, 3)])
    assert outline(b"- " * depth + b"a\n- b\n") == ([], [(0, 1), (1, 2)])
    assert sys.getrecursionlimit() == limit


@pytest.mark.parametrize("data", [b"", b"\n", b"\n\n\n", b"   ", b"\t", b"\xef\xbb\xbf", b"a", b"\x00", b"\xff"])
def test_a_file_with_next_to_nothing_in_it_has_no_outline(data: bytes) -> None:
    assert outline(data) == ([], [])


def test_the_corpus_still_holds_its_nasty_bytes() -> None:
    files = {path.name: path.read_bytes() for path in CORPUS.glob("*.md")}
    assert len(files) >= 70
    everything = b"".join(files.values())
    for nasty in (b"\r\n", b"\r-", b"\x00", b"\x0c", b"\xff", b"\xe2\x80\xa8", b"  \n", b"\t\n", b"\xef\xbb\xbf---"):
        assert nasty in everything, nasty
    assert any(not data.endswith(b"\n") for data in files.values())
    assert files["bytes-empty.md"] == b""


@pytest.mark.parametrize("name", SHAPES)
def test_a_hostile_shape_has_about_the_size_that_was_asked_for(name: str) -> None:
    for size in (0, 100, 5_000):
        data = SHAPES[name](size)
        assert size <= len(data) <= size + 2_048, (name, size)
        assert data == SHAPES[name](size)
