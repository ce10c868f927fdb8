"""What schemathesis is told beside the OpenAPI document: one more check, and what a run must not do to itself."""

from __future__ import annotations

import os
import zlib
from typing import Any

import schemathesis

OWN = os.environ.get("OLDSOUL_FUZZ_TOKEN", "")
"""The id of the token that the requests are made with."""
HARMLESS = "memory.search.query."
"""Settings below this are changed; others would turn memory off, or move the home."""
AGENTS = ("main", "main", "ben")
FILES = ("SOUL.md", "MEMORY.md", "USER.md", "rooms/den.md")
KNOWN = {"name": AGENTS, "agent_name": AGENTS, "filename": FILES}
"""What is there; a name that is made up is almost never that of something."""
PAGES = {"cursor", "offset"}
"""Where a page of a list begins; most that are made up begin after the end."""


@schemathesis.check
def valid_form_is_taken(
    _context: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case[Any]
) -> None:
    """What has the form that the document says is not refused for its form; rules that no schema tells have other codes."""
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code != 422:
        return
    assert response.json()["code"] != "invalid", f"refused for its form: {response.json()['detail']}"


@schemathesis.hook
def before_call(_context: schemathesis.HookContext, case: schemathesis.Case[Any], _kwargs: dict[str, Any]) -> None:
    """Most requests of a valid form are for something that is there, and most lists are read from their beginning.

    Neither the token of this run is revoked, nor is a setting changed that the other requests rest on.
    """
    given = case.path_parameters or {}
    if case.meta is not None and case.meta.generation.mode.is_positive:
        for place, known in KNOWN.items():
            number = zlib.crc32(str(given.get(place)).encode("utf-8", "replace"))
            if place in given and given[place] not in known and number % 4:
                given[place] = known[number % len(known)]
        for place in PAGES & (case.query or {}).keys():
            if zlib.crc32(str(case.query[place]).encode("utf-8", "replace")) % 4:
                del case.query[place]
    if given.get("token") == OWN:
        given["token"] = "00000000"  # noqa: S105 - an id
    if "path" in given and case.operation.path == "/api/settings/{path}" and "." in str(given["path"]):
        given["path"] = f"{HARMLESS}{str(given['path']).rpartition('.')[2]}"


@schemathesis.hook
def filter_failure(
    _context: schemathesis.HookContext, failure: Any, case: schemathesis.Case[Any], _response: schemathesis.Response
) -> bool:
    """Of a message that was erased, everything but its words stays: that it is still there is no failure."""
    return not (type(failure).__name__ == "UseAfterFree" and case.operation.path.endswith("/messages/{number}"))
