"""What schemathesis is told beside the OpenAPI document: one more check, and what a run must not do to itself."""

from __future__ import annotations

import os
from typing import Any

import schemathesis

OWN = os.environ.get("OLDSOUL_FUZZ_TOKEN", "")
"""The id of the token that the requests are made with."""
HARMLESS = "memory.search.query."
"""Settings below this are changed; others would turn memory off, or move the home."""


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
    """Neither the token of this run is revoked, nor is a setting changed that the other requests rest on."""
    given = case.path_parameters or {}
    if given.get("token") == OWN:
        given["token"] = "00000000"  # noqa: S105 - an id
    if "path" in given and case.operation.path == "/api/settings/{path}" and "." in str(given["path"]):
        given["path"] = f"{HARMLESS}{str(given['path']).rpartition('.')[2]}"
