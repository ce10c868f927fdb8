"""Holds docs/spec.md, the table of everything the specification asks for, against the repository."""

from __future__ import annotations

import ast
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from golden_home import GOLDEN, cases

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "docs" / "spec.md"
IDS = ROOT / "tests" / "core" / "spec_ids.txt"

COLUMNS = ("id", "requirement", "module", "test", "state")
HEADER = "| id | requirement | module | test | state |"
NONE = "–"
ID = re.compile(r"S[0234]-[0-9]+(?:\.[A-Za-z0-9_-]+)*")
STATE = re.compile(r"built|not yet|decided otherwise: \S.*")
TEST = re.compile(r"(?P<file>tests/[\w./-]+\.py)::(?P<name>(?:\w+::)?test_\w+)")
CASE = re.compile(r"golden (?P<file>[\w-]+\.md)#(?P<title>.+)")
SEVERAL = re.compile(r", (?=`|golden `)")
SHOWN = re.compile(r"S4-(?:2|5|8|9|10|11|12|13|14)(?:\..+)?")
"""The sections whose rules each have a golden case."""
NOT_IN_MARKDOWN: dict[str, str] = {}
"""Rules of these sections that no Markdown can show, each with the reason; at present every one can be shown."""
MARK = re.compile(r"\[(reply|stream|team|start)\]")
VERBS = {
    "reply": re.compile(r"\.respond\("),
    "stream": re.compile(r"\.stream\("),
    "team": re.compile(r"teams: ?\{"),
    "start": re.compile(r"\bserve\("),
}
"""What a test calls, or has in its home, that goes through what a row has the mark of."""
SPEAKS = {
    "reply": re.compile(r"\brepl(?:y|ies)\b|gives it to the model", re.IGNORECASE),
    "stream": re.compile(r"\bstreamed\b", re.IGNORECASE),
    "team": re.compile(r"\bteam(?:'s)?\b", re.IGNORECASE),
    "start": re.compile(r"\bserver starts\b", re.IGNORECASE),
}
"""How a requirement speaks of them."""
WRITTEN = {"S3-1.param.ttsHint", "S3-1.sec.6.scan", "S3-1.sec.16", "S3-1.sec.20"}
"""Rows that speak of replies and ask for nothing but a text in the prompt."""
OUTSIDE_THE_PACKAGE = ("web", "docs", "tests", "bench", "Makefile", "pyproject.toml", "README.md", "CHANGELOG.md")


@dataclass(frozen=True, slots=True)
class Row:
    line: int
    """Its line in the page."""
    cells: tuple[str, ...]
    """What stands between the bars, trimmed."""

    def __getitem__(self, column: str) -> str:
        return self.cells[COLUMNS.index(column)]

    def names(self, column: str) -> list[str]:
        """The comma-separated names of a cell, without their backticks; a golden case's has `golden` before it."""
        return [] if self[column] == NONE else [name.replace("`", "") for name in SEVERAL.split(self[column])]


@cache
def rows() -> tuple[Row, ...]:
    """Every row of every table of the page that has our header."""
    found: list[Row] = []
    inside = False
    for number, line in enumerate(SPEC.read_text(encoding="utf-8").splitlines(), start=1):
        inside = line.startswith("|") and (inside or line == HEADER)
        if inside and line != HEADER and set(line) - set("|- :"):
            cells = line.removeprefix("|").removesuffix("|").split("|")
            found.append(Row(number, tuple(cell.strip() for cell in cells)))
    return tuple(found)


@cache
def functions_in(file: str) -> frozenset[str]:
    """Names of the functions of a file: `test_name`, or `Class::test_name`."""
    path = ROOT / file
    if not path.is_file():
        return frozenset()
    names: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.ClassDef):
            inner = (child for child in node.body if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef))
            names.update(f"{node.name}::{child.name}" for child in inner)
    return frozenset(names)


@cache
def sources_in(file: str) -> dict[str, str]:
    """The source of each function of a file, by its name."""
    path = ROOT / file
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    lines = text.split("\n")
    defined = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef))
    return {node.name: "\n".join(lines[node.lineno - 1 : node.end_lineno]) for node in defined}


def unproven(table: Iterable[Row]) -> list[str]:
    """The marks of rows that are built without a test through the verb of the mark."""
    found = []
    for row in table:
        tests = [test for name in row.names("test") if (test := TEST.fullmatch(name))]
        bodies = [sources_in(test["file"]).get(test["name"].rpartition("::")[2], "") for test in tests]
        marks = MARK.findall(row["requirement"]) if row["state"] == "built" else ()
        found += [f"{row['id']} [{mark}]" for mark in marks if not any(map(VERBS[mark].search, bodies))]
    return found


def unmarked(table: Iterable[Row]) -> list[str]:
    """The rows that are built or to be built and speak of a reply, a stream, a team or a start without its mark."""
    return [
        f"{row['id']} [{mark}]"
        for row in table
        if not row["state"].startswith("decided otherwise") and row["id"] not in WRITTEN
        for mark, speaks in SPEAKS.items()
        if speaks.search(MARK.sub("", row["requirement"])) and f"[{mark}]" not in row["requirement"]
    ]


@cache
def titles_in(file: str) -> frozenset[str]:
    """The headings of the cases of a golden file; none where it is not there, or where no test reads it."""
    tests = (path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    is_read = (GOLDEN / file).is_file() and any(f'"{file}"' in text for text in tests)
    return frozenset(cases(file)) if is_read else frozenset()


def is_there(name: str) -> bool:
    """Whether a named test or golden case exists."""
    if case := CASE.fullmatch(name):
        return case["title"] in titles_in(case["file"])
    test = TEST.fullmatch(name)
    return test is not None and test["name"] in functions_in(test["file"])


def unknown(table: Iterable[Row]) -> list[str]:
    """What rows name as their tests and is not there."""
    return [f"{row['id']}: {name}" for row in table for name in row.names("test") if not is_there(name)]


def not_shown(table: Iterable[Row]) -> list[str]:
    """The rules that are built, can be shown in Markdown, and name no golden case."""
    built = [row for row in table if row["state"] == "built" and SHOWN.fullmatch(row["id"])]
    named = {row["id"]: any(CASE.fullmatch(name) for name in row.names("test")) for row in built}
    return [name for name, is_named in named.items() if not is_named and name not in NOT_IN_MARKDOWN]


def module_exists(name: str) -> bool:
    outside = name.split("/", maxsplit=1)[0] in OUTSIDE_THE_PACKAGE
    return ((ROOT if outside else ROOT / "src" / "oldsoul") / name).exists()


def test_every_row_has_its_five_columns_filled() -> None:
    wrong = [row.line for row in rows() if len(row.cells) != len(COLUMNS) or not all(row.cells)]
    assert not wrong, f"docs/spec.md, lines {wrong}: a row is {HEADER}, with {NONE} for nothing and no bar in a cell"


def test_every_id_is_well_formed_and_stands_once() -> None:
    ids = [row["id"] for row in rows()]
    malformed = [name for name in ids if not ID.fullmatch(name)]
    repeated = [name for name, times in Counter(ids).items() if times > 1]
    assert not malformed, f"malformed ids in docs/spec.md: {malformed}"
    assert not repeated, f"ids that stand more than once in docs/spec.md: {repeated}"


def test_every_state_is_one_of_the_three() -> None:
    wrong = {row["id"]: row["state"] for row in rows() if not STATE.fullmatch(row["state"])}
    assert not wrong, f"a state is `built`, `not yet` or `decided otherwise: reason`, not {wrong}"


def test_every_named_test_and_golden_case_exists() -> None:
    missing = unknown(rows())
    assert not missing, f"docs/spec.md names tests or golden cases that do not exist, or that no test reads: {missing}"


def test_every_rule_of_the_keepers_sections_has_a_golden_case() -> None:
    missing = not_shown(rows())
    assert not missing, f"built rules of S4 without a golden case (or a reason in NOT_IN_MARKDOWN): {missing}"
    unneeded = [row["id"] for row in rows() if row["id"] in NOT_IN_MARKDOWN and "golden `" in row["test"]]
    assert not unneeded, f"in NOT_IN_MARKDOWN, and shown by a golden case all the same: {unneeded}"
    assert NOT_IN_MARKDOWN.keys() <= {row["id"] for row in rows() if row["state"] == "built"}


def test_a_rule_without_its_case_does_not_get_past_these_checks() -> None:
    def row(test: str, state: str = "built", name: str = "S4-5.1.tag") -> Row:
        return Row(1, (name, "a rule", "`keepers/mine.py`", test, state))

    there, test = "golden `mining.md#a decision with its date`", "`tests/core/test_spec.py::test_x, y`"
    again = "golden `mining.md#said again: the mention counts, and nothing is doubled`"
    assert row(f"{there}, {again}, {test}").names("test") == [name.replace("`", "") for name in (there, again, test)]
    assert unknown([row(f"{there}, {again}")]) == not_shown([row(there)]) == []
    for wrong in (
        "golden `mining.md#no such case`",
        "golden `mine.md#x`",
        "`mining.md#a decision with its date`",
        test,
    ):
        assert len(unknown([row(f"{there}, {wrong}")])) == 1
    assert titles_in("README.md") == frozenset()
    assert not_shown([row(test), row(NONE, name="S4-14.1"), row(test, name="S4-8")]) == [
        "S4-5.1.tag",
        "S4-14.1",
        "S4-8",
    ]
    assert not_shown([row(test, "not yet"), row(test, name="S4-6.1"), row(test, name="S2-5.1")]) == []


def test_what_only_a_running_agent_can_show_has_a_mark_and_is_built_with_a_test_through_its_verb() -> None:
    assert unmarked(rows()) == []
    assert unproven(rows()) == []
    assert {mark for row in rows() for mark in MARK.findall(row["requirement"])} == VERBS.keys()

    def row(requirement: str, state: str = "built") -> Row:
        here = "`tests/core/test_spec.py::test_what_is_built_names_a_test_and_modules_that_exist`"
        return Row(1, ("S0-1", requirement, "`app`", here, state))

    assert unmarked([row("A team reply [team]")]) == ["S0-1 [reply]"]
    assert unproven([row("A team reply [reply] [team]")]) == ["S0-1 [reply]", "S0-1 [team]"]
    assert unproven([row("A team reply [reply] [team]", "not yet"), row("A file")]) == []


def test_what_is_built_names_a_test_and_modules_that_exist() -> None:
    built = [row for row in rows() if row["state"] == "built"]
    untested = [row["id"] for row in built if not row.names("test")]
    homeless = [
        row["id"] for row in built if not row.names("module") or not all(map(module_exists, row.names("module")))
    ]
    assert not untested, f"built, but no test is named: {untested}"
    assert not homeless, f"built, but a module is not named or not there: {homeless}"


def test_the_rows_are_exactly_the_listed_ids_in_their_order() -> None:
    listed = IDS.read_text(encoding="utf-8").split()
    present = [row["id"] for row in rows()]
    missing = [name for name in listed if name not in set(present)]
    extra = [name for name in present if name not in set(listed)]
    assert not missing, f"listed in tests/core/spec_ids.txt, but without a row in docs/spec.md: {missing}"
    assert not extra, f"in docs/spec.md, but not listed in tests/core/spec_ids.txt: {extra}"
    assert present == listed, "docs/spec.md and tests/core/spec_ids.txt hold the same ids in a different order"
