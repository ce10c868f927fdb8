"""A JSON schema as services take it: all of them know less of JSON Schema than they say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_LIMITS = {
    "maxLength": "at most {} characters",
    "minLength": "at least {} characters",
    "maxItems": "at most {} items",
    "minItems": "at least {} items",
    "maximum": "at most {}",
    "minimum": "at least {}",
}
"""What a service may refuse, or take for ever to make a grammar of; said in words instead, and checked by us."""


def shaped(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema in the part of JSON Schema that every service knows, its limits in words."""
    kinds = schema.get("type", ())
    if isinstance(kinds, str) or not kinds:
        return _of_one_kind(schema)
    return {"anyOf": [_of_one_kind({**schema, "type": kind}) for kind in kinds]}


def _of_one_kind(schema: Mapping[str, Any]) -> dict[str, Any]:
    kind = schema.get("type")
    result: dict[str, Any] = {"type": kind} if kind else {}
    if kind == "null":
        return result
    words = [schema["description"]] if "description" in schema else []
    words += [form.format(schema[limit]) for limit, form in _LIMITS.items() if limit in schema]
    if words:
        result["description"] = "; ".join(words)
    if "enum" in schema:
        result["enum"] = [value for value in schema["enum"] if value is not None or not kind]
    if kind == "object":
        properties = schema.get("properties", {})
        result["properties"] = {name: shaped(inner) for name, inner in properties.items()}
        result["required"] = list(schema.get("required", ()))
        result["additionalProperties"] = False
    elif kind == "array":
        result["items"] = shaped(schema.get("items", {}))
    return result


def is_strict(schema: Any) -> bool:
    """Whether every part of a shaped schema must be there, as OpenAI's strict mode wants it."""
    if not isinstance(schema, dict):
        return True
    parts = [*schema.get("properties", {}).values(), *schema.get("anyOf", ()), schema.get("items")]
    whole = set(schema.get("properties", ())) == set(schema.get("required", ()))
    return whole and ("type" in schema or "anyOf" in schema) and all(is_strict(part) for part in parts)
