"""YAML read safely: the plain texts people write at once, all others through PyYAML."""

from __future__ import annotations

from oldsoul.documents.yaml.events import parsed
from oldsoul.documents.yaml.nodes import Node, Problem, Scalar, position
from oldsoul.documents.yaml.plain import plain

MAX_BYTES = 256 * 1024
MAX_DEPTH = 20
MAX_NODES = 20_000


def read(
    text: str,
    *,
    max_bytes: int = MAX_BYTES,
    max_depth: int = MAX_DEPTH,
    max_nodes: int = MAX_NODES,
) -> Node | Problem:
    """The text's one document, or why it is refused. No tags, anchors, aliases or merge keys; bounded in size and depth."""
    try:
        size = len(text) if text.isascii() else len(text.encode())
    except UnicodeEncodeError as error:
        return Problem("this is not valid text; save the file as UTF-8", *position(text, error.start))
    if size > max_bytes:
        return Problem(f"this is {size} bytes long; at most {max_bytes} are read", 1)
    if all(line[:1] == "#" or not line for line in map(str.strip, text.split("\n"))):
        return Scalar("", "", 0, 0, 1)
    found = plain(text, max_depth=max_depth, max_nodes=max_nodes)
    return parsed(text, max_depth=max_depth, max_nodes=max_nodes) if found is None else found
