"""YAML between `---` lines at the top of a document: read safely, changed one key's lines at a time, never re-dumped."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from oldsoul.documents import yaml
from oldsoul.errors import DocumentError
from oldsoul.lazy import pattern

MAX_BYTES = 64 * 1024
MAX_DEPTH = 12
MAX_NODES = 2000

Value = str | list["Value"] | dict[str, "Value"]
"""What a key can hold; scalars stay the text they are."""

_BOM = b"\xef\xbb\xbf"
_KEY = r"[^\W\d][\w-]*"
_QUOTED = r""""[^"\\]*"|'[^']*'"""
_WORD = r"(?:[^\s:]|:(?=\S))++"
_TEXT = rf"""(?:-(?=\d)|(?![\[\]{{}}&*!|>%@`"'#,?-])){_WORD}(?:\s++(?!\#){_WORD})*+"""
_WORDS = r"\w[\w./@+~-]*(?:[ ][\w./@+~-]+)*"
_LIST = rf"\[(?:{_WORDS}(?:,[ ]*{_WORDS})*)?\]"
_REST = r"(?P<rest>\s+\#.*|\s*)"
_BARE_LINE = pattern(rf"(?P<key>{_KEY}):(?:[ ]+(?P<value>{_TEXT}))?{_REST}")
_CLOSED_LINE = pattern(rf"(?P<key>{_KEY}):[ ]+(?P<value>{_QUOTED}|{_LIST}){_REST}")
_OTHER_LINE = pattern(
    rf"""{_KEY}:[ ]+(?P<value>"(?:[^"\\]|\\.)*+"|'(?:[^']|'')*+'|[\[{{].*[\]}}])(?P<rest>\s+\#[^"'\[\]{{}}]*|\s*)""",
)
_SAFE_PLAIN = pattern(r"[A-Za-z0-9_](?:[\w .:/+@()-]*[\w/+@)])?")
_SURROGATE = pattern(r"[\ud800-\udfff]")
_UNPRINTABLE = pattern("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_WORDS_WITH_A_MEANING = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """The frontmatter of a document."""

    end: int
    """the line after the closing `---`; 0 when there is none"""
    values: Mapping[str, Value]
    """its keys; empty when it could not be read"""
    spans: Mapping[str, tuple[int, int]]
    """the lines of each key"""
    problems: tuple[str, ...] = ()
    """what is wrong with it, for a person to mend"""

    def text(self, key: str) -> str:
        """The key's value when it is a scalar; empty otherwise."""
        value = self.values.get(key)
        return value if isinstance(value, str) else ""


NONE = Frontmatter(0, {}, {})


def read(lines: Sequence[bytes]) -> Frontmatter:
    """The frontmatter of these lines. What is wrong with it is reported; the body after it stays usable."""
    if not lines or not _fence(lines[0].removeprefix(_BOM), b"---"):
        return NONE
    end = next((n for n, line in enumerate(lines) if n and (_fence(line, b"---") or _fence(line, b"..."))), 0)
    if not end:
        return NONE
    inner = lines[1:end]
    if sum(map(len, inner)) > MAX_BYTES:
        return Frontmatter(end + 1, {}, {}, (f"the frontmatter has more than {MAX_BYTES} bytes and was not read",))
    try:
        texts = [line.decode().rstrip("\r\n") for line in inner]
    except UnicodeDecodeError as error:
        return Frontmatter(end + 1, {}, {}, (f"the frontmatter is not valid UTF-8 ({error.reason}) and was not read",))
    return _plain(texts, end + 1) or _composed(texts, end + 1)


def _fence(line: bytes, fence: bytes) -> bool:
    return line.startswith(fence) and not line[len(fence) :].strip(b" \r\n")


def _plain(texts: list[str], end: int) -> Frontmatter | None:
    """The common case, `key: value` a line, read by hand; None when there is more to it."""
    if len(texts) > MAX_NODES // 2:
        return None
    values: dict[str, Value] = {}
    spans: dict[str, tuple[int, int]] = {}
    for number, text in enumerate(texts, 1):
        if text.lstrip()[:1] in ("", "#"):
            continue
        match = _BARE_LINE.fullmatch(text) or _CLOSED_LINE.fullmatch(text)
        if match is None or match["key"] in values:
            return None
        values[match["key"]] = _read_by_hand(match["value"] or "")
        spans[match["key"]] = (number, number + 1)
    return Frontmatter(end, values, spans)


def _read_by_hand(value: str) -> Value:
    if value[:1] == "[":
        return [item.strip() for item in value[1:-1].split(",")] if len(value) > len("[]") else []
    return value[1:-1] if value[:1] in ('"', "'") else value


def _composed(texts: list[str], end: int) -> Frontmatter:
    """Everything else, by the bounded YAML reader."""
    text = "\n".join([*texts, ""])
    node = yaml.read(text, max_bytes=MAX_BYTES, max_depth=MAX_DEPTH, max_nodes=MAX_NODES)
    if isinstance(node, yaml.YamlProblem):
        return Frontmatter(end, {}, {}, (f"line {node.line + 1} of the frontmatter: {node.message}",))
    if not isinstance(node, yaml.Mapping):
        return Frontmatter(end, {}, {}, ("the frontmatter has no keys and was not read",))
    values: dict[str, Value] = {}
    spans: dict[str, tuple[int, int]] = {}
    problems = []
    free = 0  # the first line that no key before this one has
    for pair in node.pairs:
        key, first, last = pair.key.text, text.count("\n", 0, pair.key.start), text.count("\n", 0, pair.end)
        if key in values or first < free:
            problems.append(
                f"line {first + 2} of the frontmatter: {key} appears twice, or shares its line with another key"
            )
            continue
        free = last + 1
        values[key] = _value(pair.value)
        spans[key] = (first + 1, last + 2)
    return Frontmatter(end, values, spans, tuple(problems))


def _value(node: yaml.Node) -> Value:
    if isinstance(node, yaml.Scalar):
        return node.text
    if isinstance(node, yaml.Sequence):
        return [_value(item) for item in node.items]
    return {pair.key.text: _value(pair.value) for pair in node.pairs}


def with_value(lines: Sequence[bytes], key: str, value: str | None, newline: bytes) -> tuple[bytes, ...]:
    """The lines with this key set (or gone, for None); every other byte as it was."""
    matter = read(lines)
    if matter.problems:
        raise DocumentError(f"{key} cannot be set: {matter.problems[0]}")
    if not re.fullmatch(_KEY, key):
        raise DocumentError(f"{key!r} cannot be a frontmatter key")
    result = list(lines)
    if not matter.end:
        if value is None:
            return tuple(result)
        bom = _BOM if result and result[0].startswith(_BOM) else b""
        if bom:
            result[:1] = filter(None, [result[0].removeprefix(_BOM)])
        head = [bom + b"---" + newline, f"{key}: {_scalar(value, '')}".encode() + newline, b"---" + newline]
        return (*head, *([newline] if result else []), *result)
    span = matter.spans.get(key)
    if value is None:
        if span:
            del result[span[0] : span[1]]
        return tuple(result)
    if span is None:
        place = matter.end - 1
        result.insert(place, f"{key}: {_scalar(value, '')}".encode() + newline)
        return tuple(result)
    result[span[0] : span[1]] = [_replaced(result[span[0]], key, value, whole=span[1] - span[0] == 1)]
    return tuple(result)


def _replaced(line: bytes, key: str, value: str, *, whole: bool) -> bytes:
    """The key's first line with another value; a comment after a one-line value stays."""
    text = line.decode()
    body = text.rstrip("\r\n")
    match = (
        (_BARE_LINE.fullmatch(body) or _CLOSED_LINE.fullmatch(body) or _OTHER_LINE.fullmatch(body)) if whole else None
    )
    rest = match["rest"] if match else ""
    quote = (match["value"] or "")[:1] if match else ""
    return f"{key}: {_scalar(value, quote)}{rest}{text[len(body) :]}".encode()


def _scalar(value: str, quote: str) -> str:
    """The value as YAML reads it back: bare where that is safe and it was bare before, else in double quotes."""
    if quote not in ('"', "'") and _is_safe(value):
        return value
    if quote == "'" and "'" not in value and value.isprintable():
        return f"'{value}'"
    if _SURROGATE.search(value):
        raise DocumentError("the text contains half a character (a lone surrogate), which cannot be written")
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


def _is_safe(value: str) -> bool:
    """Whether YAML reads the value back as this text without quotes."""
    plain = _SAFE_PLAIN.fullmatch(value) is not None and ": " not in value and " #" not in value
    return plain and value.casefold() not in _WORDS_WITH_A_MEANING
