"""The language files: their form, and that all of them are shipped and read."""

from __future__ import annotations

from pathlib import Path

import pytest

from oldsoul.language.lexicon import ANY, read_languages, word_list

FOLDER = Path(__file__).parents[3] / "src" / "oldsoul" / "language"
FILES = sorted(path for path in FOLDER.glob("*.txt") if path.stem == ANY or len(path.stem) == 2)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_language_file_is_lines_of_section_kind_and_items_that_are_read_back(file: Path) -> None:
    text = file.read_text("utf-8")
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    read = read_languages(FOLDER)
    for line in filter(None, text.splitlines()):
        head, _, items = line.partition(": ")
        section, kind = head.split(" ")
        assert items == items.strip()
        assert read[section][file.stem][kind] == items


def test_a_line_of_another_form_or_a_second_one_is_refused(tmp_path: Path) -> None:
    for wrong in ("talk little a b\n", "little: a b\n", "talk little: \n", "talk little: a\ntalk little: b\n"):
        (tmp_path / "xx.txt").write_text(wrong)
        with pytest.raises(ValueError, match=r"xx\.txt"):
            read_languages(tmp_path)


def test_languages_come_in_the_order_that_is_given_the_others_after_them(tmp_path: Path) -> None:
    (tmp_path / "any.txt").write_text("languages order: nl de\n")
    for code in ("aa", "de", "nl"):
        (tmp_path / f"{code}.txt").write_text("talk little: a\n")
    assert list(read_languages(tmp_path)["talk"]) == ["nl", "de", "aa"]


def test_what_nobody_lists_is_empty() -> None:
    assert word_list("nothing") == {}
    assert ANY not in word_list("talk")
