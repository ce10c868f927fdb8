"""README, docs and help are true: each block is followed in order on an empty home, each example works as written."""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from faces.doc_outputs import DEMO, SHELL, environment, is_true, make_demo, untrue
from faces.every_command import commands
from oldsoul import __version__
from oldsoul.settings import describe

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
PAGES = [
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"),
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md") if path.parent.name != "decisions"),
]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: str, kind: str) -> list[str]:
    """The code blocks of one kind on a page, in order."""
    return [text for found, text in _BLOCK.findall((ROOT / page).read_text("utf-8")) if found == kind]


def followed(folder: Path, *command: str, typed: str = "") -> None:
    """Run a program in an empty folder with an empty home; it has to end well."""
    done = subprocess.run(
        command, input=typed, cwd=folder, env=environment(folder), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


CONSOLE = [page for page in PAGES if any("$ " in block for block in blocks(page, "console"))]
PYTHON = [page for page in PAGES if blocks(page, "python")]


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with two weeks in it, to be copied."""
    return make_demo(tmp_path_factory.mktemp("demo"))


@pytest.mark.parametrize("page", CONSOLE)
def test_what_a_page_tells_to_type_works_in_its_order_and_prints_what_it_shows(
    page: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    text = (ROOT / page).read_text("utf-8")
    home = request.getfixturevalue("demo") if DEMO in text else None
    assert [(one.command, real) for one, real in untrue(text, tmp_path, home)] == []


def test_an_output_that_is_not_what_is_printed_is_noticed() -> None:
    printed = ["Found:", "", "MEMORY.md:15  0.88  2026-11-17", "  The cat is called Miso", "more"]
    assert is_true(("Found:", "", "MEMORY.md:15  0.91  2026-12-01", "  The cat …", "…"), printed)
    assert is_true(("…", "more"), printed)
    assert not is_true(("Found:", "…", "less"), printed)
    assert not is_true(("Found:", "", "MEMORY.md:16  0.88  2026-11-17", "…"), printed)


@pytest.mark.parametrize("page", PYTHON)
def test_the_python_of_a_page_runs_in_its_order(page: str, tmp_path: Path) -> None:
    followed(tmp_path, sys.executable, "-", typed="\n".join(blocks(page, "python")))


def test_the_examples_in_help_work(tmp_path: Path) -> None:
    examples = [line for _, command in commands() for line in re.findall(r"Example: (.*)", command.help or "")]
    assert len(examples) > 15
    made = [f"oldsoul remember {shlex.quote(text)}" for text in ("my sister's address is 4 Elm Road", *"abcdef")]
    followed(tmp_path, "bash", "-x", "-c", "\n".join([*SHELL, "oldsoul init", *made, *examples, ""]))


def _methods() -> set[str]:
    """`agent.recall`, `agent.talk.end`, `soul.people` …, as the page of the Python API has them, and the settings."""
    found = {
        "soul." + leaf.path.removeprefix("memory.soul.") for leaf in describe() if leaf.path.startswith("memory.soul.")
    }
    for part in (ROOT / "docs/reference/python.md").read_text("utf-8").split("\n## ")[1:]:
        of = {"Oldsoul": "soul", "Agent": "agent"}.get(heading := part.partition("\n")[0], heading)
        found.update(f"{of}.{name}" for name in re.findall(r"^\| `(\w+)", part, re.MULTILINE))
    return found


@pytest.mark.parametrize("page", [page for page in PAGES if page not in ("CHANGELOG.md", "docs/spec.md")])
def test_a_method_that_a_page_names_exists(page: str) -> None:
    text, known = (ROOT / page).read_text("utf-8"), _methods()
    assert not [name for name in re.findall(r"`((?:agent|soul)(?:\.[a-z_]+)+)", text) if name not in known]


_GROUP = "|".join(sorted({leaf.path.partition(".")[0] for leaf in describe() if "." in leaf.path} - {"teams[]"}))


@pytest.mark.parametrize("page", [page for page in PAGES if page not in ("CHANGELOG.md", "docs/spec.md")])
def test_a_setting_that_a_page_names_exists(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    for name in re.findall(rf"`((?:{_GROUP})(?:\.(?!md`)\w+)+)(?:`|:)", text):
        if f"agent.{name}" not in _methods():  # a method of a service, in a table of methods
            assert describe(re.sub(r"^agents\.(?!list|defaults)\w+", "agents.list", name))


def test_the_latest_release_in_the_changelog_is_the_version_of_the_package() -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert re.fullmatch(rf"{re.escape(__version__)} - \d{{4}}-\d\d-\d\d", headings[1])


# links

ALL = sorted({*PAGES, *(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))})
OFF_THE_SITE = ("docs/architecture.md", "docs/spec.md", "docs/wording.md", "docs/decisions/")


def _anchors(page: str) -> set[str]:
    """What the headings of a page are called in addresses."""
    text = re.sub(r"^```.*?^```", "", (ROOT / page).read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return {
        re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip())
        for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    }


@pytest.mark.parametrize("page", ALL)
def test_every_link_leads_somewhere_and_those_of_the_site_stay_on_it(page: str) -> None:
    on_site = page.startswith("docs/") and not page.startswith(OFF_THE_SITE)
    for target in re.findall(r"\]\(([^)\s]+)\)", (ROOT / page).read_text("utf-8")):
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        there = os.path.relpath((ROOT / page).parent / path, ROOT) if path else page
        assert (ROOT / there).exists(), target
        assert not on_site or (there.startswith("docs/") and not there.startswith(OFF_THE_SITE)), target
        assert not anchor or anchor in _anchors(there), target


# words


def _replaced() -> re.Pattern[str]:
    """The words that we replace by others."""
    rows = re.findall(r"^\|[^|]*\|([^|]*)\|$", (ROOT / "docs/wording.md").read_text("utf-8"), re.MULTILINE)[2:]
    words = [word.strip() for row in rows for word in row.split(",") if word.strip()]
    assert len(words) > 20
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b", re.IGNORECASE)


def _messages(path: Path) -> Iterator[str]:
    """What a module may say to people: its texts, without docstrings and patterns."""
    tree = ast.parse(path.read_text("utf-8"))
    silent = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield node.value


RULES = ("language", "judging", "ranking", "reading", "recall", "rules/triage", "context/sections")
"""Rooms whose texts are patterns for what people write, or for a model, and not messages."""
SAYING = sorted(
    path
    for path in (ROOT / "src/oldsoul").rglob("*.py")
    if not str(path.relative_to(ROOT / "src/oldsoul")).startswith(RULES)
)


def test_nobody_is_told_words_that_we_replace() -> None:
    replaced = _replaced()
    said = [(path.name, text) for path in SAYING for text in _messages(path)]
    said += [(name, command.help or "") for name, command in commands()]
    said += [(each.path, each.help) for each in describe()]
    pages = [page for page in PAGES if page not in ("docs/wording.md", "docs/spec.md")]
    said += [(page, (ROOT / page).read_text("utf-8")) for page in pages]
    found = [(where, word) for where, text in said for word in replaced.findall(text)]
    assert not found


FOR_A_MODEL = ROOT / "src/oldsoul/context/sections.py"
"""What it says is a prompt."""


@pytest.mark.parametrize(
    "room", sorted(path for path in (ROOT / "src/oldsoul").iterdir() if path.suffix in ("", ".py"))
)
def test_the_source_uses_no_words_that_we_replace(room: Path) -> None:
    """In docstrings, comments, identifiers and names of files."""
    replaced = _replaced()
    for path in [room] if room.is_file() else sorted(room.rglob("*.py")):
        text = "" if path == FOR_A_MODEL else path.read_text("utf-8")
        plain = re.sub(r"(?<=[a-z\d])(?=[A-Z])|[_/]", " ", f"{path.relative_to(ROOT)}\n{text}")
        assert replaced.findall(re.sub(r"\n *(?:# )?", " ", plain)) == [], path


GONE = (
    "whose a name is",
    "In what part it is said",
    "one of its own if not named",
    "BEFORE IT",
    "shows words of",
    "the id of a agent",
    "both speak of",
    "tasks 0/0",
)


@pytest.mark.parametrize("words", GONE)
def test_what_made_people_read_twice_is_gone(words: str) -> None:
    places = [ROOT / page for page in PAGES if page != "docs/spec.md"] + [*(ROOT / "src").rglob("*.py")]
    assert not [path.name for path in places if words in path.read_text("utf-8")]
