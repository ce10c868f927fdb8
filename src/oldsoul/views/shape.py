"""What every view is made of: a frozen value whose fields are its keys, and whose docstrings describe them, on every face."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterable, Mapping
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    Schema = dict[str, Any]


_View = TypeVar("_View", bound="Shown")


def key(field: str) -> str:
    """The key of a field; one that Python keeps for itself ends with an underscore."""
    return field.rstrip("_")


class Shown:
    """A value as faces show it. Each field is a key of its JSON, described by the field's docstring.

    The server and MCP have pydantic read its schema from here; nothing else loads pydantic.
    """

    __slots__ = ()
    __pydantic_config__ = {"extra": "forbid", "alias_generator": key}  # noqa: RUF012 - its type is pydantic's

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> Schema:
        """The JSON schema with the fields' docstrings."""
        found: Schema = handler(schema)
        properties = handler.resolve_ref_schema(found).get("properties", {})
        for field, about in described(cls).items():
            if key(field) in properties:
                properties[key(field)]["description"] = about
        return found


def described(view: type) -> dict[str, str]:
    """The docstrings of a view's fields, those that it inherits too."""
    found: dict[str, str] = {}
    for each in reversed(view.__mro__):
        if issubclass(each, Shown):
            found |= _docstrings(each.__module__).get(each.__name__, {})
    return found


@cache
def _docstrings(module: str) -> dict[str, dict[str, str]]:
    """The docstrings of fields in a module, by class."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {node.name: _of_class(node) for node in tree.body if isinstance(node, ast.ClassDef)}


def _of_class(node: ast.ClassDef) -> dict[str, str]:
    found = {}
    for field, after in zip(node.body, node.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
        ):
            found[field.target.id] = inspect.cleandoc(str(after.value.value))
    return found


def plain(value: Any) -> Any:
    """A view, or a list or mapping of them, as JSON values."""
    if isinstance(value, Shown):
        return {key(name): plain(getattr(value, name)) for name in value.__dataclass_fields__}  # type: ignore[attr-defined]  # the same
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    return value


def text_of(data: bytes) -> str:
    """Bytes as text; those that are no UTF-8 become lone surrogates, which the server writes as question marks."""
    return data.decode("utf-8", "surrogateescape")


def copied(view: type[_View], of: object, /, **more: Any) -> _View:
    """A view of a value: the fields that the value has by the same name, and others as given, as JSON has them."""
    names = (name for name in view.__dataclass_fields__ if name not in more)  # type: ignore[attr-defined]  # all are dataclasses
    found = {name: getattr(of, name) for name in names} | more
    return view(**{name: _value(each) for name, each in found.items()})


def _value(value: Any) -> Any:
    if isinstance(value, str):
        return str(value)
    if value is None or isinstance(value, (bool, int, float, Shown)):
        return value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    return tuple(value) if isinstance(value, Iterable) else str(value)


class Also:
    """What else the schema of a field says."""

    def __init__(self, **more: Any) -> None:
        self.more = more

    def __get_pydantic_json_schema__(self, schema: Any, handler: Callable[[Any], Schema]) -> Schema:
        """The schema with it."""
        return {**handler(schema), **self.more}


def example(value: Any) -> Also:
    """A value that stands as an example in a schema."""
    return Also(examples=[value])


def one_of(*values: str) -> Also:
    """The values that a text can have."""
    return Also(enum=[*values])


Time = Annotated[str, example("2026-02-04T09:00:00+00:00")]
Date = Annotated[str, example("2026-02-04")]
Version = Annotated[str, example("sha256:9f86d081884c7d65")]
ChangeNumber = Annotated[int, example(7)]
MessageNumber = Annotated[int, example(118)]
SessionId = Annotated[str, example("dm:acct:owner")]
Inside = str
"""Bookkeeping; others than the operator get it empty, or with their own ids."""
Reference = Annotated[str, example("m:118")]
EntryId = Annotated[str, example("k3f9w2m7qa")]
Path = Annotated[str, example("MEMORY.md")]
Next = str | None
Answer = Annotated[str, one_of("found", "unsure", "unknown", "conflicting", "")]
