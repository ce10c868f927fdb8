"""Holds docs/spec.md, the table of everything the specification asks for, against the repository."""

import ast
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "docs" / "spec.md"
IDS = ROOT / "tests" / "core" / "spec_ids.txt"

COLUMNS = ("id", "requirement", "module", "test", "state")
HEADER = "| id | requirement | module | test | state |"
NONE = "–"
ID = re.compile(r"S[0234]-[0-9]+(?:\.[A-Za-z0-9_-]+)*")
STATE = re.compile(r"built|not yet|decided otherwise: \S.*")
TEST = re.compile(r"(?P<file>tests/[\w./-]+\.py)::(?P<name>(?:\w+::)?test_\w+)")
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
        """The comma-separated names of a cell, without their backticks."""
        return [] if self[column] == NONE else [name.strip().strip("`") for name in self[column].split(",")]


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


def test_every_named_test_exists() -> None:
    missing: list[str] = []
    for row in rows():
        for name in row.names("test"):
            match = TEST.fullmatch(name)
            if match is None or match["name"] not in functions_in(match["file"]):
                missing.append(f"{row['id']}: {name}")
    assert not missing, f"docs/spec.md names tests that do not exist: {missing}"


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
