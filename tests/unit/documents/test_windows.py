"""The structure carried over an edit is the structure the whole text has."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oldsoul.documents import parse, render
from oldsoul.documents.shape import exchanged

PIECES = st.sampled_from(
    [
        *[
            "# T\n",
            "## Notes\n",
            "\n",
            "\n\n",
            "- a\n",
            " - a1\n",
            "* b\n",
            "1. c\n",
            "2. d\n",
            "  - child\n",
            "   more\n",
        ],
        *["para\n", "lazy", "```\n", "~~~\n", "<!--\n", "-->\n", "<div>\n", "</div>\n", "    code\n", "> q\n", "---\n"],
        *["===\n", "- [ ] t\n", "- [x] d\n", "[a]: b\n", "[a]:\n", "- **T**: x <!--os k3f9w2m7qa-->\n", "\t- tab\n"],
        *[
            "- \n",
            "-\n",
            "10) x\n",
            "***\n",
            "+ plus\r\n",
            "`",
            "中文\n",
            "<pre>\n",
            "</pre>\n",
            "a\n---\n",
            "\ufeff",
            "---\nk: v\n---\n",
        ],
    ],
)
TEXTS = st.lists(PIECES, max_size=24).map("".join).map(str.encode)
CORPUS = sorted((Path(__file__).parents[2] / "corpus").glob("*.md"))


def check(data: bytes, start: int, end: int, new: bytes, *, is_log: bool = False) -> None:
    document = parse(data, is_log=is_log)
    assert document.outline is not None
    start, end = sorted((start % (len(document.lines) + 1), end % (len(document.lines) + 1)))
    lines = parse(new).lines
    result = exchanged(document, start, end, lines)
    assert result.lines == (*document.lines[:start], *lines, *document.lines[end:])
    whole = type(document)(result.lines, is_log)
    assert result.outline == whole.outline
    assert result.matter == whole.matter


@given(TEXTS, st.integers(0, 60), st.integers(0, 60), TEXTS)
def test_any_exchange_of_lines_gives_the_structure_of_the_whole(data: bytes, start: int, end: int, new: bytes) -> None:
    check(data, start, end, new)


@given(
    TEXTS, st.integers(0, 60), st.sampled_from([b"- new\n", b"\n- new\n", b"- [ ] new\n\n", b"", b"text\n", b"2. n\n"])
)
def test_an_added_line_gives_the_structure_of_the_whole(data: bytes, place: int, new: bytes) -> None:
    check(data, place, place, new)


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_lines_put_into_every_corpus_file_give_the_structure_of_the_whole(path: Path) -> None:
    data = path.read_bytes()
    count = len(parse(data).lines)
    for place in range(0, count + 1, max(1, count // 12)):
        check(data, place, place, b"- new <!--os 0123456789-->\n")
        check(data, place, min(place + 1, count), b"")


def test_the_structure_is_carried_over_and_not_parsed_again() -> None:
    document = parse(b"# A\n\n- a\n- b\n\n## B\n\n- c\n\ntext\n")
    assert document.outline is not None
    result = exchanged(document, 4, 4, [b"- new\n"])
    assert "outline" in result.__dict__
    assert render(result) == b"# A\n\n- a\n- b\n- new\n\n## B\n\n- c\n\ntext\n"
