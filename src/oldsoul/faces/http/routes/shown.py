"""Where answers lead, for OpenAPI."""

from __future__ import annotations

from typing import Any


def linked(status: int, *, agent: bool = True, **to: dict[str, str]) -> dict[int | str, dict[str, Any]]:
    """Where an answer leads, for OpenAPI: endpoints by their names, each with what it is given of the answer.

    Those of an agent are given the agent that was asked.
    """
    same = {"name": "$request.path.name"} if agent else {}
    links = {
        endpoint: {"operationId": endpoint, "parameters": {**same, **parameters}} for endpoint, parameters in to.items()
    }
    return {status: {"links": links}}


_FILE = {"agent_name": "$request.path.agent_name", "filename": "$response.body#/filename"}
_STANDING = {**_FILE, "header.if-match": "$response.header.ETag"}
_CHANGE = {"name": "$request.path.agent_name", "number": "$response.body#/change"}
_PAST = {"name": "$request.path.agent_name", "path": "$response.body#/filename"}
_WITH_FILE = {
    "update_workspace_file": _STANDING,
    "reset_workspace_file": _STANDING,
    "delete_workspace_file": {**_STANDING, "confirm": "$response.body#/filename"},
    "list_changes": _PAST,
    "blame": _PAST,
}
READ_FILE = linked(200, agent=False, **_WITH_FILE)[200]
"""Where a file that was read leads."""
SAVED_FILE = linked(200, agent=False, **_WITH_FILE, read_workspace_file=_FILE, show_change=_CHANGE, undo=_CHANGE)[200]
"""Where a file that was saved leads."""
DELETED_FILE = linked(
    200, agent=False, read_workspace_file=_FILE, list_changes=_PAST, show_change=_CHANGE, undo=_CHANGE
)[200]
"""Where a file that was deleted leads."""
