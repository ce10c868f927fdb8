"""The house stands as drawn: imports follow the floors, and the middle reads no clock, file, network or environment."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "oldsoul"
PURE = ("values", "documents", "language", "reading", "rules", "judging", "ranking", "context", "keepers")
WORLD = {
    *("os", "pathlib", "shutil", "tempfile", "io", "glob", "fcntl", "mmap", "time", "random", "secrets", "uuid"),
    *("socket", "ssl", "http", "urllib.request", "subprocess", "sqlite3", "threading", "multiprocessing", "asyncio"),
    *("logging", "platform", "getpass", "signal", "ctypes", "sys"),
}
CALLS = {"open", "input", "print", "exec", "eval", "__import__"}
CLOCKS = {"now", "utcnow", "today"}


def pure_files() -> list[Path]:
    return [path for room in PURE for path in sorted((SOURCE / room).rglob("*.py"))]


def imported(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
    return found


def called(tree: ast.AST) -> set[str]:
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    plain = {func.id for func in calls if isinstance(func, ast.Name)}
    clocks = {
        func.attr
        for func in calls
        if isinstance(func, ast.Attribute)
        and isinstance(func.value, ast.Name)
        and func.value.id in ("datetime", "date")
    }
    return (plain & CALLS) | (clocks & CLOCKS)


def test_imports_follow_the_floors() -> None:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("path", pure_files(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_the_middle_is_pure(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    allowed = {"oldsoul.documents.yaml"}
    outside = {name for name in imported(tree) - allowed if name in WORLD or name.split(".")[0] in WORLD - {"urllib"}}
    assert not outside
    compiles = {"exec"} if path.relative_to(SOURCE) == Path("values/frozen.py") else set()
    assert not called(tree) - compiles


FOLDERS = {"os", "pathlib", "shutil", "tempfile", "glob", "fcntl", "mmap", "sqlite3"}
ENVIRONMENT = {"os.environ", "os._exit"}
GIVEN = {
    "app/__init__.py": {"pathlib.Path"},  # a home or backup that a caller names; handed on unread
    "app/asynchronous.py": {"pathlib.Path"},  # as above
    "faces/cli/__init__.py": {"os.O_RDWR", "os.devnull", "os.fstat", "os.open"},  # closed standard streams
    "faces/cli/commands/entries.py": {"pathlib.Path"},  # a text given as a file
    "faces/cli/commands/homes.py": {"os.path", "pathlib.Path", "tempfile"},  # the folder of a demo, and of the tour
    "faces/cli/commands/messages.py": {"open", "os.stat"},  # the files of an import
    "faces/cli/commands/schedule.py": {"pathlib.Path"},  # the program that cron is to run
    "faces/cli/demo.py": {"os.utime", "pathlib.Path"},  # an editor that saves past Oldsoul
    "faces/cli/editor.py": {"pathlib.Path", "shutil", "tempfile"},  # the draft in a person's editor
    "faces/cli/frame.py": {"os.O_WRONLY", "os.devnull", "os.dup2", "os.open", "pathlib.Path"},  # --home; a closed pipe
    "faces/cli/output.py": {"shutil.get_terminal_size"},
    "faces/http/app.py": {"pathlib.Path"},  # the files of the dashboard
    "faces/http/pages.py": {"os.PathLike", "os.stat_result", "pathlib.Path"},  # as above
}
"""Where a face or a caller deals with files that are not the home's, and which."""


def used_of_folders(tree: ast.AST) -> set[str]:
    """What a file uses of folders, databases and locks, but for the environment and the coding of arguments."""
    modules = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name.partition(".")[0] in FOLDERS
    }
    named = {
        f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] in FOLDERS
        for alias in node.names
    }
    of_os = {
        f"os.{node.attr}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os"
    }
    coding = {"os.fsdecode", "os.fsencode"}
    return (modules - {"os"}) | named | of_os - ENVIRONMENT - coding | (called(tree) & {"open"})


def test_app_and_faces_do_not_know_that_a_home_is_a_folder() -> None:
    found = {
        str(path.relative_to(SOURCE)): used
        for room in ("app", "faces", "views")
        for path in sorted((SOURCE / room).rglob("*.py"))
        if (used := used_of_folders(ast.parse(path.read_text("utf-8"))))
    }
    assert found == GIVEN


def test_a_file_that_knows_folders_would_be_found() -> None:
    tree = ast.parse("import os, sqlite3\nfrom pathlib import Path\nopen(os.path.join('x'), os.environ['y'])\n")
    assert used_of_folders(tree) == {"os.path", "sqlite3", "pathlib.Path", "open"}


def test_a_file_that_reads_the_world_would_be_found() -> None:
    tree = ast.parse("import os.path\nfrom datetime import datetime\ndef f():\n    return datetime.now(), open('x')\n")
    assert imported(tree) >= {"os.path", "datetime"}
    assert called(tree) == {"now", "open"}


MOST_LINES, MOST_FILES, MOST_INNER = 700, 20, 30


def modules() -> dict[str, Path]:
    found = {}
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def ours(node: ast.AST, known: dict[str, Path]) -> set[str]:
    """Which of our modules a statement imports; from a package, the module that is named."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names} & set(known)
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        full = {f"{node.module}.{alias.name}" for alias in node.names}
        return (full & set(known)) or ({node.module} & set(known))
    return set()


def test_no_files_import_each_other_in_a_circle_for_typing_either() -> None:
    known = modules()
    edges = {
        name: {to for node in ast.walk(ast.parse(path.read_text("utf-8"))) for to in ours(node, known)} - {name}
        for name, path in known.items()
    }
    while leaves := [name for name, to in edges.items() if not to & set(edges)]:
        for name in leaves:
            del edges[name]
    assert sorted(edges) == []


def test_few_of_our_imports_stand_inside_functions() -> None:
    known = modules()
    inner = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in known.values()
        for function in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom) and ours(node, known)
    ]
    assert len(set(inner)) <= MOST_INNER, inner


def test_no_file_and_no_folder_is_too_large() -> None:
    files = list(modules().values())
    long = {path.name: lines for path in files if (lines := path.read_text("utf-8").count("\n")) > MOST_LINES}
    assert long == {}
    folders = Counter(str(path.parent.relative_to(SOURCE)) for path in files)
    assert {folder: count for folder, count in folders.items() if count > MOST_FILES} == {}


def test_the_page_of_the_architecture_names_every_room_and_no_file_that_is_gone() -> None:
    page = (ROOT / "docs/architecture.md").read_text("utf-8")
    listed = set(re.findall(r"^(\w+)/? ", page.split("```")[1], re.MULTILINE))
    rooms = {path.stem for path in SOURCE.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert rooms - listed - {"__init__", "__main__", "__pycache__", "py", "tables", "templates", "web"} == set()
    in_app = {
        path.stem for path in (SOURCE / "app").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    shown = set(re.findall(r"\w+", "".join(re.findall(r"^  .*\n", page.split("```")[1], re.MULTILINE))))
    assert in_app - shown == {"__init__"}
    places = set(re.findall(r"`((?:app|adapters|faces|keepers|rules|settings|values|wiring)/[\w/.]+?)(?:\.py)?`", page))
    assert len(places) > 10
    assert [each for each in sorted(places) if not any(SOURCE.glob(f"{each.rstrip('/')}*"))] == []


JOBS = {"app/jobs.py", "app/home/mem0.py", "app/clock/scheduler.py"}
"""Where the outermost loop of a job stands, which records what it catches."""


def test_only_the_outermost_loop_of_a_job_catches_everything() -> None:
    broad = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in sorted(SOURCE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or (isinstance(node.type, ast.Name) and node.type.id == "Exception"))
    ]
    assert [place for place in broad if place.partition(":")[0] not in JOBS] == []


def test_nothing_but_the_project_stands_at_its_root() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout: git tells what belongs to the project")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    folders = {path.partition("/")[0] for path in listed.split("\0") if "/" in path}
    files = {path for path in listed.split("\0") if path and "/" not in path}
    assert folders == {".ci", ".github", "bench", "docs", "examples", "scripts", "src", "tests", "web"}
    assert files == {
        *(".gitattributes", ".gitignore", "Makefile", "mkdocs.yml", "pyproject.toml", "LICENSE", "README.md"),
        *("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"),
    }
