"""The faces use what a Python user can use: public names, and no way around the rights of a caller."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import oldsoul.faces

FACES = Path(oldsoul.faces.__file__).parent
OPEN = {"_replace", "_asdict", "_fields", "_make", "_exit"}
"""What named tuples and `os` call so, and everybody may use."""
OWN = {"self", "cls"}
INTERNAL = "allowed"
"""What an agent lends to the tools that act for it."""


def inside(tree: ast.AST) -> list[str]:
    """The uses of what is not public: attributes of others that begin with `_`, and ways to what an agent is made of."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            private = node.attr.startswith("_") and not node.attr.startswith("__") and node.attr not in OPEN
            own = isinstance(node.value, ast.Name) and node.value.id in OWN
            if (private and not own) or node.attr == INTERNAL:
                found.append(f"{node.lineno}: {ast.unparse(node)}")
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("oldsoul"):
            hidden = [
                alias.name for alias in node.names if alias.name.startswith("_") and not alias.name.startswith("__")
            ]
            found += [f"{node.lineno}: {node.module}.{name}" for name in hidden]
    return found


@pytest.mark.parametrize("path", sorted(FACES.rglob("*.py")), ids=lambda path: str(path.relative_to(FACES)))
def test_a_face_uses_public_names_alone(path: Path) -> None:
    assert inside(ast.parse(path.read_text("utf-8"))) == []


def test_what_is_not_public_would_be_found() -> None:
    lines = ("agent._parts.log", "x = soul.agent().allowed(right)", "soul._home", "from oldsoul.app import _hidden")
    assert all(inside(ast.parse(line)) for line in lines)
    assert inside(ast.parse("self._soul.now(), line._replace(a=1)")) == []
