"""No regular expression is long: what is a list of words stands in a language file."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "oldsoul"
LONGEST = 200
"""So many characters the literal parts of a pattern may have, joined pieces included."""
SECRETS = "rules/secrets.py"
"""The table of secrets, which is one of shapes and not of words."""
LOOKS_LIKE_PATTERN = re.compile(r"\(\?[:P<=!]|\\[bswdWSDAZ]|\[[^\]\s]+\][*+?]|\w\|\w")
FILES = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))


@cache
def constants(file: str) -> dict[str, ast.expr]:
    """What names of a module stand for, where they are set once at its top; imported ones too."""
    found: dict[str, ast.expr] = {}
    for node in ast.parse((SOURCE / file).read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            found[node.target.id] = node.value
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("oldsoul."):
            path = "/".join((node.module or "").split(".")[1:]) + ".py"
            if (SOURCE / path).exists():
                there = constants(path)
                found |= {(name.asname or name.name): there[name.name] for name in node.names if name.name in there}
    return found


def literal(node: ast.AST, names: dict[str, ast.expr], depth: int = 0) -> str:
    """The literal parts of an expression that gives a text, joined; what is read from a file gives nothing."""
    if depth > 8:
        return ""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(literal(part, names, depth + 1) for part in parts)
        case ast.FormattedValue(value=value):
            return literal(value, names, depth + 1)
        case ast.BinOp(left=left, op=ast.Add() | ast.Mod(), right=right):
            return literal(left, names, depth + 1) + literal(right, names, depth + 1)
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return "".join(literal(item, names, depth + 1) for item in items)
        case ast.Call(func=ast.Attribute(attr="join", value=between), args=[joined]):
            return literal(between, names, depth + 1) + literal(joined, names, depth + 1)
        case ast.Call(func=ast.Attribute(attr="split" | "replace" | "strip", value=text)):
            return literal(text, names, depth + 1)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr="compile"), args=[first, *_]):
            return literal(first, names, depth + 1)
        case ast.Name(id=name) if name in names:
            return literal(names[name], names, depth + 1)
    return ""


def patterns(file: str) -> list[tuple[int, str]]:
    """Where the texts of a module stand that look like patterns, with their literal parts."""
    tree = ast.parse((SOURCE / file).read_text("utf-8"))
    documents = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    names = constants(file)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp | ast.Call) and id(node) not in documents:
            text = literal(node, names)
            if LOOKS_LIKE_PATTERN.search(text) and "\n\n" not in text:
                found.append((node.lineno, text))
    return found


@pytest.mark.parametrize("file", FILES)
def test_no_pattern_is_long(file: str) -> None:
    if file == SECRETS:
        return
    long = {line: text[:60] for line, text in patterns(file) if len(text) > LONGEST}
    assert not long


def test_joined_pieces_count_and_words_of_a_file_do_not() -> None:
    names = {"_ONE": ast.parse("'x' * 3 + 'a|b'", mode="eval").body, "_TWO": ast.parse("'c|d'", mode="eval").body}
    read = {
        "rf'(?:{_TWO}|e)' + r'\\b'": "(?:c|d|e)\\b",
        "'|'.join(('a', 'b'))": "|ab",
        "'(?:%s)' % '|'.join(word_list('x'))": "(?:%s)|",
        "re.compile(_TWO)": "c|d",
    }
    for code, text in read.items():
        assert literal(ast.parse(code, mode="eval").body, names) == text
