"""YAML written, and edited so that only one key's lines change."""

from __future__ import annotations

import json
import re
from typing import Any

from oldsoul.documents.yaml.reader import KeyValue, Mapping, Node, Path, Scalar, Sequence, YamlProblem, read
from oldsoul.errors import DocumentError

_INDENT = 2
# What every YAML reader takes for the same text, without quotes, in a list too.
_PLAIN_TEXT = re.compile(r"(?:[^\W\d_]|~?/)[\w./@+~-]*(?: [\w./@+~-]+)*")
_NOT_TEXT = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def flow(value: object) -> str:
    """The value written on one line, so that every YAML reader takes it for the same."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    if isinstance(value, int | float):
        return re.sub(r"^(-?\d+)e", r"\1.0e", str(value))  # without a point some readers take it for text
    if isinstance(value, dict):
        return "{" + ", ".join(f"{flow(str(key))}: {flow(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(flow, value)) + "]"
    text = str(value)
    if _PLAIN_TEXT.fullmatch(text) and text.lower() not in _NOT_TEXT:
        return text
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def put(text: str, path: Path, value: object) -> str:
    """The text with that key set to the value, and every line of other keys as it was. Missing parents are made."""
    node = _read_or_refuse(text)
    at: KeyValue | None = None
    in_flow = False
    for depth, step in enumerate(path):
        in_flow = in_flow or (not isinstance(node, Scalar) and node.flow)
        following = _step(node, step)
        if following is None:
            return _checked(text, _insert(text, node, at, path[depth:], value, in_flow=in_flow), path, value)
        at, node = following
    if at is None:
        raise DocumentError(f"{_shown(path)} is an item of a list; change the list as a whole")
    return _checked(text, _replace(text, at, value), path, value)


def drop(text: str, path: Path) -> str:
    """The text without that key, every other line as it was; the same text when it is not there."""
    while True:
        node = _read_or_refuse(text)
        for step in path[:-1]:
            following = _step(node, step)
            if following is None:
                return text
            node = following[1]
        pair = node.get(str(path[-1])) if isinstance(node, Mapping) else None
        if pair is None or not isinstance(node, Mapping):
            return text
        text = _checked(text, _remove(text, node, pair), path, None)


def _read_or_refuse(text: str) -> Node:
    node = read(text)
    if isinstance(node, YamlProblem):
        raise DocumentError(f"line {node.line}: {node.message}")
    return node


def _step(node: Node, step: str | int) -> tuple[KeyValue | None, Node] | None:
    """The pair and value one step further down; None when it is not there."""
    if isinstance(node, Mapping):
        pair = node.get(str(step))
        return pair and (pair, pair.value)
    if isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
        return None, node.items[step]
    return None


def _insert(text: str, node: Node, at: KeyValue | None, path: Path, value: object, *, in_flow: bool) -> str:
    nested: Any = value
    for step in reversed(path[1:]):
        nested = {step: nested}
    if isinstance(node, Mapping) and in_flow:
        item = flow({path[0]: nested})[1:-1]
        place = node.pairs[-1].end if node.pairs else node.start + 1
        return text[:place] + (f", {item}" if node.pairs else item) + text[place:]
    if isinstance(node, Mapping):
        first = node.pairs[0].key.start
        return _add_lines(text, node.pairs[-1].end, first - _line_start(text, first), path, value)
    if not isinstance(node, Scalar) or node.value is not None:
        raise DocumentError(
            f"line {node.line} has a value where {_shown(path)} would have to be written; edit the file by hand"
        )
    if at is None:
        return _add_lines(text, len(text), 0, path, value)
    if in_flow:
        return _replace(text, at, {path[0]: nested})
    bare = text[: at.value.start].rstrip(" ") + text[at.value.end :]
    return _add_lines(bare, at.key.end, at.key.start - _line_start(text, at.key.start) + _INDENT, path, value)


def _add_lines(text: str, after: int, indent: int, path: Path, value: object) -> str:
    """The text with the path's keys on separate lines, after the line of that place.

    Those of the whole file come after comments right below it: they may be keys of its last value that are switched off.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    place = text.find("\n", after) + 1 or len(text)
    while not indent and text.startswith("#", place):
        place = text.find("\n", place) + 1 or len(text)
    before = text[:place]
    if before and not before.endswith("\n"):
        before += newline
    lines = [f"{' ' * (indent + _INDENT * depth)}{flow(str(step))}:" for depth, step in enumerate(path)]
    return f"{before}{newline.join(lines)} {flow(value)}{newline}{text[place:]}"


def _replace(text: str, pair: KeyValue, value: object) -> str:
    old, new = pair.value, flow(value)
    if isinstance(old, Scalar) and old.is_empty:
        gap = " " if text[old.start - 1] == ":" else ": "
        return f"{text[: old.start]}{gap}{new}{text[old.start :]}"
    if "\n" not in text[pair.key.end : old.start]:
        return text[: old.start] + new + text[old.end :]
    # The old value begins on a later line: what follows the key on its own line (a comment) stays.
    colon = text.index(":", pair.key.end) + 1
    line_end = text.index("\n", colon)
    return f"{text[:colon]} {new}{text[colon:line_end]}{text[_line_end(text, old.end) :]}"


def _remove(text: str, node: Mapping, pair: KeyValue) -> str:
    where = node.pairs.index(pair)
    following = node.pairs[where + 1] if where + 1 < len(node.pairs) else None
    start = _line_start(text, pair.key.start)
    if not node.flow and not text[start : pair.key.start].strip():
        return text[:start] + text[_line_end(text, pair.end) :].removeprefix("\n")
    if following:
        return text[: pair.key.start] + text[following.key.start :]
    if not node.flow:
        raise DocumentError(
            f"line {pair.key.line}: {pair.key.text} is the only key of its list item; edit the file by hand"
        )
    return text[: node.pairs[where - 1].end if where else pair.key.start] + text[pair.end :]


def _checked(before: str, after: str, path: Path, value: object) -> str:
    """The edited text, once it is certain that it says what it said before, but for this key."""
    node = read(after)
    if not isinstance(node, YamlProblem):
        old, new = (_others(_read_or_refuse(text), path) for text in (before, after))
        target: Node | None = node
        for step in path:
            found = _step(target, step) if target else None
            target = found[1] if found else None
        if old == new and (value is None or (target is not None and _same(target, value))):
            return after
    raise DocumentError(f"{_shown(path)} cannot be changed without touching other lines; edit the file by hand")


def _others(node: Node, path: Path, at: Path = ()) -> list[tuple[Path, str, str]]:
    """Every single value but those under the path, and but the empty ones on the way to it."""
    if at == path:
        return []
    if isinstance(node, Scalar):
        on_the_way = at == path[: len(at)] and node.value is None
        return [] if on_the_way else [(at, node.text, node.style)]
    children: list[tuple[str | int, Node]]
    if isinstance(node, Mapping):
        children = [(pair.key.text, pair.value) for pair in node.pairs]
    else:
        children = list(enumerate(node.items))
    if not children:
        return [] if at == path[: len(at)] else [(at, "", "empty")]
    return [leaf for step, each in children for leaf in _others(each, path, (*at, step))]


def _same(node: Node, value: object) -> bool:
    if isinstance(node, Scalar):
        return node.value == value and type(node.value) is type(value)
    if isinstance(node, Sequence):
        return isinstance(value, list | tuple) and len(value) == len(node.items) and all(map(_same, node.items, value))
    return (
        isinstance(value, dict)
        and len(value) == len(node.pairs)
        and all(pair.key.text in value and _same(pair.value, value[pair.key.text]) for pair in node.pairs)
    )


def _line_start(text: str, place: int) -> int:
    return text.rfind("\n", 0, place) + 1


def _line_end(text: str, place: int) -> int:
    """Where the line of that place ends, before its line break."""
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def _shown(path: Path) -> str:
    return ".".join(map(str, path))
