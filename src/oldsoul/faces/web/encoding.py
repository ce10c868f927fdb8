"""What is sent to clients as bytes: JSON, and server-sent events that hold JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def encoded(value: Mapping[str, Any]) -> bytes:
    """The JSON of a value; half a character becomes a question mark."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def event(value: Mapping[str, Any], name: str = "") -> bytes:
    """One server-sent event."""
    return (f"event: {name}\n".encode() if name else b"") + b"data: " + encoded(value) + b"\n\n"
