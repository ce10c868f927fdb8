"""YAML read safely, as nodes that know their place in the text; `yaml.edits` changes one key's lines alone."""

from oldsoul.documents.yaml.reader import (
    MAX_BYTES,
    MAX_DEPTH,
    MAX_NODES,
    KeyValue,
    Mapping,
    Node,
    Path,
    Scalar,
    Sequence,
    YamlProblem,
    position,
    read,
)

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "MAX_NODES",
    "KeyValue",
    "Mapping",
    "Node",
    "Path",
    "Scalar",
    "Sequence",
    "YamlProblem",
    "position",
    "read",
]
