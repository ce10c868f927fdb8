"""YAML read safely, as nodes that know their place in the text, and one key changed in its lines alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

from oldsoul.errors import DocumentError

Path: TypeAlias = "tuple[str | int, ...]"
"""The way to a node: keys as they are written, and numbers of list items."""

_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,63})")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]{1,64}|[0-9]{1,64}(?:\.[0-9]{0,64})?)(?:[eE][-+]?[0-9]{1,4})?")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]")
_WORDS: dict[str, bool | float | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}


def position(text: str, place: int) -> tuple[int, int]:
    """The line and the column of a place in a text, both from 1."""
    return text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)


class YamlProblem(NamedTuple):
    """Why a text cannot be read."""

    message: str
    """what is wrong, and what to do"""
    line: int
    """where, from 1"""
    column: int = 1
    """where in that line, from 1"""


class Scalar(NamedTuple):
    """A single value."""

    text: str
    """what it says, without quotes"""
    style: str
    """empty when plain, else the sign it begins with: ' " | or >"""
    start: int
    """its first character's place in the text"""
    end: int
    """the place after its last one"""
    line: int
    """its first line, from 1"""

    @property
    def value(self) -> bool | float | str | None:
        """The value as YAML 1.2 means it: true, false, null and decimal numbers when unquoted, else text."""
        if self.style:
            return self.text
        if self.text in _WORDS:
            return _WORDS[self.text]
        if _INT.fullmatch(self.text):
            return int(self.text)
        if _FLOAT.fullmatch(self.text) and not _LEADING_ZERO.match(self.text):
            return float(self.text)
        return self.text

    @property
    def is_empty(self) -> bool:
        """Whether nothing is written there at all."""
        return self.start == self.end


class Sequence(NamedTuple):
    """A list."""

    items: tuple[Node, ...]
    flow: bool
    """whether it is written in brackets"""
    start: int
    end: int
    line: int


class KeyValue(NamedTuple):
    """A key with its value."""

    key: Scalar
    value: Node

    @property
    def end(self) -> int:
        """The place after it."""
        return max(self.key.end, self.value.end)


class Mapping(NamedTuple):
    """Keys with their values, in the order they are written; a key written twice is there twice."""

    pairs: tuple[KeyValue, ...]
    flow: bool
    """whether it is written in braces"""
    start: int
    end: int
    line: int

    def get(self, key: str) -> KeyValue | None:
        """The pair with that key, the last one when there are several."""
        return next((pair for pair in reversed(self.pairs) if pair.key.text == key), None)

    def repeated(self) -> Iterator[tuple[KeyValue, KeyValue]]:
        """Pairs whose key was written before, each after the earlier one."""
        seen: dict[str, KeyValue] = {}
        for pair in self.pairs:
            if pair.key.text in seen:
                yield seen[pair.key.text], pair
            seen[pair.key.text] = pair


Node: TypeAlias = Scalar | Sequence | Mapping


# Only what every YAML reader understands alike; anything else makes the whole text a case for PyYAML.
_WORD = r"(?:[^\s:#]|:(?=[^\s#]))"
_TEXT = rf"(?:[\w./~+]|-(?=[\w.])){_WORD}*(?: +{_WORD}+)*"
_QUOTED = r"\"[^\"\\]*\"|'[^']*'"
_VALUE = rf"(?P<value>{_QUOTED}|\[[^\[\]]*\]|\{{\}}|{_TEXT})"
_END = r" *(?:(?<= )#.*)?"
_KEY_LINE = re.compile(rf"(?P<key>[^\W\d][\w.-]{{0,200}}):(?: +{_VALUE})?{_END}")
_ITEM_LINE = re.compile(rf"{_VALUE}{_END}")
# Compiled when the first list in brackets comes along.
_ITEM = rf"(?:[\w./~+]|-(?=[\w.]))[\w./~+@-]*(?: [\w./~+@-]+)*|{_QUOTED}"
_LIST = rf"\[ *(?:(?:{_ITEM})(?: *, *(?:{_ITEM}))*)? *\]"


class _NotPlainError(Exception):
    """The text needs the whole of YAML."""


class _YamlLine(NamedTuple):
    indent: int
    start: int
    """where its text begins, after the indent"""
    number: int
    text: str


def plain(text: str, *, max_depth: int, max_nodes: int) -> Node | None:
    """The document, exactly as PyYAML's events give it; None when it takes more than this to read it."""
    lines: list[_YamlLine] = []
    start = 0
    for number, line in enumerate(text.split("\n"), 1):
        if not line.isprintable():
            return None
        bare = line.lstrip(" ")
        if bare and bare[0] != "#":
            lines.append(_YamlLine(len(line) - len(bare), start + len(line) - len(bare), number, bare))
        start += len(line) + 1
    if not lines or lines[0].indent or len(lines) * 2 > max_nodes or lines[0].text.startswith("- "):
        return None
    reader = _Reader(lines, max_depth, max_nodes)
    try:
        node = reader.mapping(0, 1)
    except _NotPlainError:
        return None
    return node if reader.at == len(lines) and reader.left >= 0 else None


class _Reader:
    def __init__(self, lines: list[_YamlLine], max_depth: int, max_nodes: int) -> None:
        self.lines = lines
        self.at = 0
        self.max_depth = max_depth
        self.left = max_nodes

    def next(self) -> _YamlLine:
        """The line to be read; after the last, one that belongs to nothing."""
        return self.lines[self.at] if self.at < len(self.lines) else _YamlLine(-1, 0, 0, "")

    def mapping(self, indent: int, depth: int) -> Mapping:
        """The keys at that indent, from here on."""
        self.count(depth)
        first = self.next()
        pairs: list[KeyValue] = []
        while self.next().indent == indent and not self.next().text.startswith("- "):
            pairs.append(self.pair(indent, depth))
        if self.next().indent > indent or not pairs:
            raise _NotPlainError
        return Mapping(tuple(pairs), flow=False, start=first.start, end=pairs[-1].end, line=first.number)

    def pair(self, indent: int, depth: int) -> KeyValue:
        line = self.next()
        found = _KEY_LINE.fullmatch(line.text)
        if not found:
            raise _NotPlainError
        self.at += 1
        key = Scalar(found["key"], "", line.start, line.start + found.end("key"), line.number)
        self.left -= 1
        following = self.next()
        if found["value"] is not None:
            if following.indent > indent:
                raise _NotPlainError
            return KeyValue(key, self.value(found["value"], line.start + found.start("value"), line.number))
        if following.indent >= indent and following.text.startswith("- "):
            return KeyValue(key, self.sequence(following.indent, depth + 1))
        if following.indent > indent:
            return KeyValue(key, self.mapping(following.indent, depth + 1))
        self.left -= 1
        return KeyValue(key, Scalar("", "", key.end + 1, key.end + 1, line.number))

    def sequence(self, indent: int, depth: int) -> Sequence:
        """The list items at that indent, from here on."""
        self.count(depth)
        first = self.next()
        items: list[Node] = []
        while self.next().indent == indent and self.next().text.startswith("- "):
            items.append(self.item(indent, depth))
        if self.next().indent > indent:
            raise _NotPlainError
        return Sequence(tuple(items), flow=False, start=first.start, end=items[-1].end, line=first.number)

    def item(self, indent: int, depth: int) -> Node:
        line = self.next()
        bare = line.text[1:].lstrip(" ")
        gap = len(line.text) - len(bare)
        if _KEY_LINE.fullmatch(bare):
            # A mapping that begins on the line of the dash: its keys are below the first.
            self.lines[self.at] = _YamlLine(indent + gap, line.start + gap, line.number, bare)
            return self.mapping(indent + gap, depth + 1)
        found = _ITEM_LINE.fullmatch(bare)
        self.at += 1
        if not found or self.next().indent > indent:
            raise _NotPlainError
        return self.value(found["value"], line.start + gap, line.number)

    def value(self, text: str, start: int, number: int) -> Node:
        self.left -= 1
        end = start + len(text)
        if text == "{}":
            return Mapping((), flow=True, start=start, end=end, line=number)
        if text[0] == "[":
            if not re.fullmatch(_LIST, text):
                raise _NotPlainError
            items = (self.value(each[0], start + each.start(), number) for each in re.finditer(_ITEM, text))
            return Sequence(tuple(items), flow=True, start=start, end=end, line=number)
        if text[0] in "'\"":
            return Scalar(text[1:-1], text[0], start, end, number)
        return Scalar(text, "", start, end, number)

    def count(self, depth: int) -> None:
        self.left -= 1
        if depth >= self.max_depth or self.left < 0:
            raise _NotPlainError


# Other breaks that YAML knows: what they hide in a comment would come to life. For us lines end with \n alone.
_OTHER_BREAK = re.compile("[\x85\u2028\u2029]|\r(?!\n)")


def parsed(text: str, *, max_depth: int, max_nodes: int) -> Node | YamlProblem:
    """The text's one document, or why it is refused."""
    # PyYAML takes 20 ms to import: only those who have something to read pay for it.
    import yaml  # noqa: PLC0415 - see above

    builder = _Builder(text, max_depth, max_nodes)
    try:
        for event in yaml.parse(builder.source, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            problem = builder.add(event)
            if problem:
                return problem
    except yaml.MarkedYAMLError as error:
        return _complaint(error, builder.source)
    except yaml.reader.ReaderError as error:
        place = position(text, error.position if isinstance(error.position, int) else 0)
        return YamlProblem(
            "a character here is not allowed in YAML; remove it or write it as an escape in quotes", *place
        )
    return builder.root or Scalar("", "", 0, 0, 1)


def _complaint(error: Any, source: str) -> YamlProblem:
    mark = error.problem_mark or error.context_mark
    advice = "; indent with spaces, not tabs" if mark and source[mark.index : mark.index + 1] == "\t" else ""
    line, column = position(source, min(mark.index, len(source))) if mark else (1, 1)
    context = f" {error.context}" if error.context else ""
    if error.context_mark and error.context_mark.line + 1 < line:
        context += f" that begins on line {error.context_mark.line + 1}"
    return YamlProblem(f"this is not valid YAML{context}: {error.problem}{advice}", line, column)


class _Builder:
    """Turns the parser's events into nodes, and stops at what we do not read."""

    def __init__(self, text: str, max_depth: int, max_nodes: int) -> None:
        self.text = text
        self.shift = 1 if text.startswith("\ufeff") else 0
        self.source = _OTHER_BREAK.sub(" ", text[self.shift :])
        self.root: Node | None = None
        self.max_depth = max_depth
        self.left = max_nodes
        self.documents = 0
        self.open: list[tuple[Any, list[Node]]] = []

    def add(self, event: Any) -> YamlProblem | None:
        """Takes the next event; gives the reason when it must be the last."""
        kind = type(event).__name__
        here = event.start_mark.line + 1, event.start_mark.column + 1
        if kind == "DocumentStartEvent":
            self.documents += 1
            if self.documents > 1:
                return YamlProblem(
                    "a second document begins here; only one is read, so remove the line of dashes", *here
                )
        if getattr(event, "anchor", None) is not None:
            return YamlProblem(
                "anchors and aliases (& and *) are not supported here; write the value out, or quote it", *here
            )
        if getattr(event, "tag", None) is not None:
            return YamlProblem("tags (!) are not supported here; remove the tag, or quote the value", *here)
        if kind == "ScalarEvent":
            return self._put(self._scalar(event), *here)
        if kind in ("MappingStartEvent", "SequenceStartEvent"):
            if len(self.open) >= self.max_depth:
                return YamlProblem(f"this is nested more than {self.max_depth} deep", *here)
            self.open.append((event, []))
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            return self._close(event, mapping=kind[0] == "M")
        return None

    def _scalar(self, event: Any) -> Scalar:
        start, end = event.start_mark.index + self.shift, event.end_mark.index + self.shift
        if event.style in ("|", ">"):
            header, _, _ = self.text[start:end].partition("\n")
            keeps = "+" in header.partition("#")[0]
            end = start + len(self.text[start:end].removesuffix("\n") if keeps else self.text[start:end].rstrip())
        return Scalar(event.value, event.style or "", start, end, event.start_mark.line + 1)

    def _close(self, event: Any, *, mapping: bool) -> YamlProblem | None:
        began, nodes = self.open.pop()
        start, line, column = (
            began.start_mark.index + self.shift,
            began.start_mark.line + 1,
            began.start_mark.column + 1,
        )
        flow = bool(began.flow_style)
        if not mapping:
            end = event.end_mark.index + self.shift if flow else nodes[-1].end
            return self._put(Sequence(tuple(nodes), flow, start, end, line), line, column)
        pairs: list[KeyValue] = []
        for key, value in zip(nodes[::2], nodes[1::2], strict=True):
            if not isinstance(key, Scalar) or key.is_empty:
                return YamlProblem("a key has to be a single word or text here", *self._at(key))
            if key.text == "<<" and not key.style:
                return YamlProblem("merge keys (<<) are not supported here; write the keys out", *self._at(key))
            pairs.append(KeyValue(key, self._after(key, value)))
        end = event.end_mark.index + self.shift if flow else pairs[-1].end
        return self._put(Mapping(tuple(pairs), flow, start, end, line), line, column)

    def _at(self, node: Node) -> tuple[int, int]:
        return position(self.text, node.start)

    def _after(self, key: Scalar, value: Node) -> Node:
        """The value; one that is not written is right after its key's colon, not where the parser found the next."""
        if not isinstance(value, Scalar) or not value.is_empty:
            return value
        colon = self.text.find(":", key.end, value.end)
        place = key.end if colon < 0 else colon + 1
        return Scalar("", "", place, place, key.line)

    def _put(self, node: Node, line: int, column: int) -> YamlProblem | None:
        self.left -= 1
        if self.left < 0:
            return YamlProblem("there are too many values to read", line, column)
        if self.open:
            self.open[-1][1].append(node)
        else:
            self.root = node
        return None


MAX_BYTES = 256 * 1024
MAX_DEPTH = 20
MAX_NODES = 20_000


def read(
    text: str,
    *,
    max_bytes: int = MAX_BYTES,
    max_depth: int = MAX_DEPTH,
    max_nodes: int = MAX_NODES,
) -> Node | YamlProblem:
    """The text's one document, or why it is refused. No tags, anchors, aliases or merge keys; bounded in size and depth."""
    try:
        size = len(text) if text.isascii() else len(text.encode())
    except UnicodeEncodeError as error:
        return YamlProblem("this is not valid text; save the file as UTF-8", *position(text, error.start))
    if size > max_bytes:
        return YamlProblem(f"this is {size} bytes long; at most {max_bytes} are read", 1)
    if all(line[:1] == "#" or not line for line in map(str.strip, text.split("\n"))):
        return Scalar("", "", 0, 0, 1)
    found = plain(text, max_depth=max_depth, max_nodes=max_nodes)
    return parsed(text, max_depth=max_depth, max_nodes=max_nodes) if found is None else found


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
