"""What `import oldsoul` gives, and that docs/reference/python.md says all of it and nothing else."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
import textwrap
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

import oldsoul
from oldsoul import errors
from oldsoul.app.asynchronous import SERVICES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/python.md").read_text()
ERRORS = sorted(name for name, kind in vars(errors).items() if inspect.isclass(kind))
KINDS = [name for name in oldsoul.__all__ if name not in ERRORS and name != "__version__"]


def members(kind: type) -> dict[str, str]:
    """The public names of a class, each as the page shows it: a verb with its parameters."""
    found = {name: name for name in _attributes(kind)}
    for name in dir(kind):
        verb: Any = getattr(kind, name)
        inherited = (issubclass(kind, tuple) and hasattr(tuple, name)) or hasattr(Exception, name)
        if name.startswith("_") or name in found or inherited or _is_awaited(verb):
            continue  # what is made for an event loop is made of the verbs there are
        found[name] = f"{name}({_parameters(verb)})" if callable(verb) else name
    return found


def _is_awaited(verb: Any) -> bool:
    return hasattr(verb, "__wrapped__") and (inspect.iscoroutinefunction(verb) or isinstance(verb, property))


def _attributes(kind: type) -> list[str]:
    """What an instance holds: fields, and what `__init__` sets."""
    if is_dataclass(kind):
        return [each.name for each in fields(kind)]
    if issubclass(kind, tuple):
        return [*getattr(kind, "_fields", ())]
    tree = ast.parse(textwrap.dedent(inspect.getsource(kind.__init__)))
    targets = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store))
    return [node.attr for node in targets if not node.attr.startswith("_")]


def _parameters(verb: Any) -> str:
    shown: list[str] = []
    for each in inspect.signature(verb).parameters.values():
        if each.name == "self":
            continue
        if each.kind is each.KEYWORD_ONLY and not any(one.startswith("*") for one in shown):
            shown.append("*")
        stars = "**" if each.kind is each.VAR_KEYWORD else "*" if each.kind is each.VAR_POSITIONAL else ""
        shown.append(f"{stars}{each.name}")
    return ", ".join(shown)


def rows(title: str) -> list[str]:
    """The names in the table under a heading of the page."""
    section = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    return re.findall(r"^\| `([^`]+)` \| \S", section[1], re.MULTILINE) if section else []


@pytest.mark.parametrize("name", KINDS)
def test_the_page_says_what_a_class_has_and_nothing_else(name: str) -> None:
    assert sorted(rows(name)) == sorted(members(getattr(oldsoul, name)).values())


@pytest.mark.parametrize("name", SERVICES)
def test_the_page_says_what_a_service_has_and_nothing_else(name: str) -> None:
    assert sorted(rows(f"agent.{name}")) == sorted(members(SERVICES[name]).values())


def test_the_page_has_a_section_for_each_class_and_a_row_for_each_error() -> None:
    titled = re.findall(r"^## (\w+)$", PAGE, re.MULTILINE)
    assert sorted(titled) == sorted([*KINDS, "Errors"])
    assert sorted(rows("Errors")) == ERRORS


def test_everything_that_is_named_is_there_and_everything_there_is_named() -> None:
    assert {"Oldsoul", "AsyncOldsoul", "Agent", "Session", "Subject", "Caller", "Context", "Recalled", "Hit"} <= {
        *KINDS
    }
    assert {"Heard", "Entry", "Change", "Proposal", "Report", "Job", "Event"} <= {*KINDS}
    assert {*ERRORS} <= {*oldsoul.__all__}
    for name in oldsoul.__all__:
        assert getattr(oldsoul, name) is not None
    with pytest.raises(AttributeError):
        _ = oldsoul.Nobody  # type: ignore[attr-defined]


def test_importing_the_package_loads_nothing_of_it() -> None:
    code = "import sys, oldsoul; print([name for name in sys.modules if name.startswith('oldsoul.')])"
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert made.stdout == "[]\n"


def test_the_package_says_that_it_is_typed() -> None:
    assert (Path(oldsoul.__file__).parent / "py.typed").is_file()


def test_the_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    examples = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(examples) == 2
    for example in examples:
        exec(compile(example, "docs/reference/python.md", "exec"), {})  # noqa: S102 - our own page
