"""Whether an answer has the form that was asked for: the part of JSON Schema that our questions use."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from oldsoul.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_ANSWER = 1_000_000
_MAX_DEPTH = 20
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "number": (int, float),
    "integer": (int,),
    "null": (type(None),),
}


def parsed(text: str, schema: Mapping[str, Any]) -> Any:
    """The answer a model gave, checked; `BadInput` says what is wrong with it."""
    if len(text) > MAX_ANSWER:
        raise BadInput(f"the answer has {len(text)} characters, over {MAX_ANSWER}")
    if text.count("{") + text.count("[") > MAX_ANSWER // 10:
        raise BadInput("the answer is nested too deeply")
    try:
        value = json.loads(_unfenced(text))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"the answer is no JSON ({error})") from None
    check(value, schema)
    return value


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
        known = schema.get("properties", {})
        for key in schema.get("required", ()):
            if key not in value:
                raise BadInput(f"{where} lacks {key!r}")
        for key, inner in value.items():
            if key not in known:
                raise BadInput(f"{where} has {key!r}, which was not asked for")
            check(inner, known[key], f"{where}.{key}", depth + 1)
    elif isinstance(value, list):
        if len(value) > schema.get("maxItems", len(value)):
            raise BadInput(f"{where} has {len(value)} items, over {schema['maxItems']}")
        for number, inner in enumerate(value):
            check(inner, schema.get("items", {}), f"{where}[{number}]", depth + 1)
    elif isinstance(value, str) and len(value) > schema.get("maxLength", len(value)):
        raise BadInput(f"{where} has {len(value)} characters, over {schema['maxLength']}")


def _check_kind(value: Any, schema: Mapping[str, Any], where: str) -> None:
    kinds = schema.get("type", ())
    wanted = (kinds,) if isinstance(kinds, str) else tuple(kinds)
    fits = any(
        isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool)) for kind in wanted
    )
    if wanted and not fits:
        raise BadInput(f"{where} is {type(value).__name__}, not {' or '.join(wanted)}")
    if "enum" in schema and value not in schema["enum"]:
        raise BadInput(f"{where} is {value!r}, not one of {', '.join(map(str, schema['enum']))}")
