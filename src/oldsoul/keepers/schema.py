"""The forms of answers, and whether an answer has its form: the part of JSON Schema that our questions use."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any, NoReturn

from oldsoul.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Mapping

Schema = dict[str, Any]
MAX_ANSWER = 1_000_000
_MAX_DEPTH = 20
_GREATEST = 2**53
"""The greatest whole number that every reader of JSON can tell from its neighbours."""
_SHOWN = 80
_HALF_A_CHARACTER = re.compile("[\ud800-\udfff]")
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "number": (int, float),
    "integer": (int,),
    "null": (type(None),),
}


NUMBER: Schema = {"type": "integer"}


def text(most: int) -> Schema:
    """A text of so many characters at most."""
    return {"type": "string", "maxLength": most}


def choice(*values: str) -> Schema:
    """One of some words."""
    return {"type": "string", "enum": list(values)}


def items(most: int, each: Schema) -> Schema:
    """A list of so many at most, each of one form."""
    return {"type": "array", "maxItems": most, "items": each}


def record(**properties: Schema) -> Schema:
    """An object that has all of these, and nothing else."""
    return {"type": "object", "additionalProperties": False, "required": [*properties], "properties": properties}


def parsed(text: str, schema: Mapping[str, Any]) -> Any:
    """The answer a model gave, checked; `BadInput` says what is wrong with it."""
    if len(text) > MAX_ANSWER:
        raise BadInput(f"the answer has {len(text)} characters, at most {MAX_ANSWER} are allowed")
    if text.count("{") + text.count("[") > MAX_ANSWER // 10:
        raise BadInput("the answer is nested too deeply")
    try:
        value = json.loads(_unfenced(text), parse_constant=_no_number, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"the answer is not JSON ({error})") from None
    check(value, schema)
    return value


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names each stand in it once: of two values nobody could say which was meant."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has the same key twice")
    return found


def _unfenced(text: str) -> str:
    """The text without the code fence that models like to put around it."""
    bare = text.strip()
    if bare.startswith("```") and bare.endswith("```"):
        return bare.partition("\n")[2].removesuffix("```")
    return bare


def check(value: Any, schema: Mapping[str, Any], where: str = "the answer", depth: int = 0) -> None:
    """Nothing, when the value has this form; else `BadInput`."""
    if depth > _MAX_DEPTH:
        raise BadInput(f"{where} is nested too deeply")
    _check_kind(value, schema, where)
    if isinstance(value, dict):
        _check_object(value, schema, where, depth)
    elif isinstance(value, list):
        _check_length(len(value), schema.get("maxItems"), f"{where} has {len(value)} items")
        for number, inner in enumerate(value):
            check(inner, schema.get("items", {}), f"{where}[{number}]", depth + 1)
    elif isinstance(value, str):
        _check_length(len(value), schema.get("maxLength"), f"{where} has {len(value)} characters")
        if _HALF_A_CHARACTER.search(value):
            raise BadInput(f"{where} contains half a character")
    elif isinstance(value, int | float) and (abs(value) > _GREATEST or not math.isfinite(value)):
        raise BadInput(f"{where} is a number that is too large")


def _check_object(value: dict[str, Any], schema: Mapping[str, Any], where: str, depth: int) -> None:
    known = schema.get("properties", {})
    for key in schema.get("required", ()):
        if key not in value:
            raise BadInput(f"{where} lacks {key!r}")
    for key, inner in value.items():
        if key not in known:
            raise BadInput(f"{where} has {_shown(key)}, which was not asked for")
        check(inner, known[key], f"{where}.{key}", depth + 1)


def _check_length(size: int, most: int | None, what: str) -> None:
    if most is not None and size > most:
        raise BadInput(f"{what}, over {most}")


def _check_kind(value: Any, schema: Mapping[str, Any], where: str) -> None:
    kinds = schema.get("type", ())
    wanted = (kinds,) if isinstance(kinds, str) else tuple(kinds)
    fits = any(
        isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool)) for kind in wanted
    )
    if wanted and not fits:
        raise BadInput(f"{where} is {type(value).__name__}, not {' or '.join(wanted)}")
    if "enum" in schema and value not in schema["enum"]:
        raise BadInput(f"{where} is {_shown(value)}, not one of {', '.join(map(str, schema['enum']))}")


def _shown(value: Any) -> str:
    """Some of what a model said, for a message: it may be long."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
