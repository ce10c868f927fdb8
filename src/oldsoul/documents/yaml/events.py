"""YAML read through PyYAML's events: all of the language but what is dangerous."""

from __future__ import annotations

import re
from typing import Any

from oldsoul.documents.yaml.nodes import Mapping, Node, Pair, Problem, Scalar, Sequence, position

# Other breaks that YAML knows: what they hide in a comment would come to life. For us lines end with \n alone.
_OTHER_BREAK = re.compile("[\x85\u2028\u2029]|\r(?!\n)")


def parsed(text: str, *, max_depth: int, max_nodes: int) -> Node | Problem:
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
        return Problem("a character here is not allowed in YAML; remove it or write it as an escape in quotes", *place)
    return builder.root or Scalar("", "", 0, 0, 1)


def _complaint(error: Any, source: str) -> Problem:
    mark = error.problem_mark or error.context_mark
    advice = "; indent with spaces, not tabs" if mark and source[mark.index : mark.index + 1] == "\t" else ""
    line, column = position(source, min(mark.index, len(source))) if mark else (1, 1)
    context = f" {error.context}" if error.context else ""
    if error.context_mark and error.context_mark.line + 1 < line:
        context += f" that begins on line {error.context_mark.line + 1}"
    return Problem(f"this is not valid YAML{context}: {error.problem}{advice}", line, column)


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

    def add(self, event: Any) -> Problem | None:
        """Takes the next event; gives the reason when it must be the last."""
        kind = type(event).__name__
        here = event.start_mark.line + 1, event.start_mark.column + 1
        if kind == "DocumentStartEvent":
            self.documents += 1
            if self.documents > 1:
                return Problem("a second document begins here; only one is read, so remove the line of dashes", *here)
        if getattr(event, "anchor", None) is not None:
            return Problem(
                "anchors and aliases (& and *) are not supported here; write the value out, or quote it", *here
            )
        if getattr(event, "tag", None) is not None:
            return Problem("tags (!) are not supported here; remove the tag, or quote the value", *here)
        if kind == "ScalarEvent":
            return self._put(self._scalar(event), *here)
        if kind in ("MappingStartEvent", "SequenceStartEvent"):
            if len(self.open) >= self.max_depth:
                return Problem(f"this is nested more than {self.max_depth} deep", *here)
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

    def _close(self, event: Any, *, mapping: bool) -> Problem | None:
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
        pairs: list[Pair] = []
        for key, value in zip(nodes[::2], nodes[1::2], strict=True):
            if not isinstance(key, Scalar) or key.is_empty:
                return Problem("a key has to be a single word or text here", *self._at(key))
            if key.text == "<<" and not key.style:
                return Problem("merge keys (<<) are not supported here; write the keys out", *self._at(key))
            pairs.append(Pair(key, self._after(key, value)))
        end = event.end_mark.index + self.shift if flow else pairs[-1].end
        return self._put(Mapping(tuple(pairs), flow, start, end, line), line, column)

    def _at(self, node: Node) -> tuple[int, int]:
        return position(self.text, node.start)

    def _after(self, key: Scalar, value: Node) -> Node:
        """The value; one that is not written stands right after its key's colon, not where the parser found the next."""
        if not isinstance(value, Scalar) or not value.is_empty:
            return value
        colon = self.text.find(":", key.end, value.end)
        place = key.end if colon < 0 else colon + 1
        return Scalar("", "", place, place, key.line)

    def _put(self, node: Node, line: int, column: int) -> Problem | None:
        self.left -= 1
        if self.left < 0:
            return Problem("there are too many values to read", line, column)
        if self.open:
            self.open[-1][1].append(node)
        else:
            self.root = node
        return None
