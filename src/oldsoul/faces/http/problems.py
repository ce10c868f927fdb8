"""Errors as problem documents (RFC 9457), made from the errors of Oldsoul by one table."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.routing import Match

from oldsoul.errors import (
    BadInput,
    BadName,
    Busy,
    Cancelled,
    Closed,
    Conflict,
    Damaged,
    Gone,
    NotFound,
    OldsoulError,
    OutOfBudget,
    Refused,
    TimedOut,
    TooLarge,
    Unavailable,
    Unwritable,
)
from oldsoul.faces.proxy.web import PROXY, not_here
from oldsoul.faces.web.bodies import UnreadBody
from oldsoul.values.callers import CallerRole, Token

if TYPE_CHECKING:
    from fastapi import FastAPI, Request

MEDIA = "application/problem+json"
_log = logging.getLogger("oldsoul")


class HttpProblem(Exception):
    """What a client is told when it does not get what it asked for. `more` is added to the document."""

    def __init__(self, status: int, code: str, detail: str, **more: Any) -> None:
        super().__init__(detail)
        self.status, self.code = status, code
        self.more = more
        self.headers: dict[str, str] = {}
        """sent along"""

    @property
    def document(self) -> dict[str, Any]:
        """The problem document."""
        title = HTTPStatus(self.status).phrase
        found = {"type": "about:blank", "title": title, "status": self.status, "code": self.code, "detail": str(self)}
        return {**found, **self.more}

    def response(self) -> Response:
        """The answer that holds it; half a character becomes a question mark."""
        data = json.dumps(self.document, ensure_ascii=False).encode("utf-8", "replace")
        return Response(data, self.status, self.headers, MEDIA)


class _Row(NamedTuple):
    """How errors of one kind are shown."""

    error: type[OldsoulError]
    status: int
    code: str
    instead: str = ""
    """what others than the operator of all agents read: the message may name servers, budgets, paths and settings of the home"""


_ROWS = (
    _Row(TooLarge, 400, "too_large"),
    _Row(BadName, 422, "bad_name"),
    _Row(BadInput, 400, "bad_input"),
    _Row(Gone, 410, "gone"),
    _Row(NotFound, 404, "not_found", "what was asked for does not exist"),
    _Row(Conflict, 409, "conflict"),
    _Row(Cancelled, 409, "cancelled"),
    _Row(Refused, 403, "refused"),
    _Row(OutOfBudget, 429, "out_of_budget", "today's budget of this agent is spent"),
    _Row(TimedOut, 504, "timed_out", "the language model did not answer in time"),
    _Row(Unavailable, 502, "unavailable", "a service that is needed does not answer"),
    _Row(Busy, 503, "busy", "another process holds what is needed; try again"),
    _Row(Closed, 503, "stopping", "the server is stopping; try again"),
    _Row(Unwritable, 507, "unwritable", "nothing can be written at present; reading still works"),
    _Row(Damaged, 500, "damaged", "stored data is damaged; ask the operator"),
)
"""The first row that fits an error counts."""

SCHEMA = {
    "type": "object",
    "description": "What went wrong (RFC 9457).",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string", "description": "The phrase of the status."},
        "status": {"type": "integer"},
        "code": {"type": "string", "description": "What kind of problem it is, for programs."},
        "detail": {"type": "string", "description": "What is wrong, and what to do."},
        "errors": {
            "type": "array",
            "description": "What is wrong with a request, place by place.",
            "items": {
                "type": "object",
                "properties": {"where": {"type": "string"}, "message": {"type": "string"}},
                "required": ["where", "message"],
            },
        },
    },
    "required": ["type", "title", "status", "code", "detail"],
    "example": {
        "type": "about:blank",
        "title": "Not Found",
        "status": 404,
        "code": "not_found",
        "detail": "there is no agent 'ann', or this token may not use it",
    },
}
"""A problem document, for OpenAPI."""
_STATUSES = {
    400: "The request makes no sense, or its content is too large.",
    401: "No token, or it is unknown, expired or revoked.",
    403: "This token may not do that.",
    404: "It does not exist, or not for this token.",
    405: "Not by this method.",
    408: "The body did not arrive in time.",
    409: "It changed meanwhile.",
    410: "It is no longer kept.",
    413: "The request has too many bytes.",
    421: "The request is for another host name.",
    422: "A name or a value has the wrong form.",
    429: "Too many requests, or the day's budget for the model is spent.",
    500: "Something went wrong on the server; its log says more.",
    502: "A service that is needed does not answer.",
    503: "The server is busy or stopping; try again.",
    504: "The language model did not answer in time.",
    507: "Nothing can be written at present.",
}
_CONTENT = {MEDIA: {"schema": {"$ref": "#/components/schemas/Problem"}}}
RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"description": about, "content": _CONTENT} for status, about in _STATUSES.items()
}
"""The problems that any endpoint may answer, for OpenAPI."""


def declared(status: int, about: str) -> dict[int | str, dict[str, Any]]:
    """A further problem that one endpoint may answer, for OpenAPI."""
    return {status: {"description": about, "content": _CONTENT}}


def problem(error: Exception, token: Token | None) -> HttpProblem:
    """An error as a client with this token sees it."""
    if isinstance(error, HttpProblem):
        return error
    if isinstance(error, UnreadBody):
        return HttpProblem(error.status, error.code, str(error))
    row = next((row for row in _ROWS if isinstance(error, row.error)), None)
    if row is None:
        return HttpProblem(500, "internal_error", "something went wrong on the server; its log says more")
    knows_the_home = token is not None and token.role is CallerRole.OPERATOR and not token.agent
    told = row.instead if row.instead and not knows_the_home else str(error)
    sizes = {"size": error.size, "limit": error.limit} if isinstance(error, TooLarge) else {}
    return HttpProblem(row.status, row.code, told, **sizes)


def no_token() -> HttpProblem:
    """No token, or one that is not valid."""
    told = HttpProblem(401, "no_token", "give a valid token: Authorization: Bearer os_…; `oldsoul token add` makes one")
    told.headers["www-authenticate"] = "Bearer"
    return told


def nothing_there() -> HttpProblem:
    """A path that there is not."""
    return HttpProblem(404, "unknown_path", "there is nothing at this path")


def handle_errors(app: FastAPI) -> None:
    """Have an application answer every error with a problem document."""
    for kind in (HttpProblem, OldsoulError, OSError):
        app.add_exception_handler(kind, _told)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _not_here)
    app.add_exception_handler(ClientDisconnect, _gone)
    app.add_exception_handler(Exception, _broken)


def _told(request: Request, error: Exception) -> Response:
    token = getattr(request.state, "token", None)
    found = problem(error, token)
    if found is not error and str(found) != str(error):
        _log.warning("http, token %s: %s: %s", token.id if token else "none", type(error).__name__, error)
    return found.response()


def _invalid(_request: Request, error: Exception) -> Response:
    """What FastAPI found wrong with the values of a request."""
    found = error.errors() if isinstance(error, RequestValidationError) else []
    wrong = [
        {"where": ".".join(map(str, each["loc"])), "message": str(each["msg"]).removeprefix("Value error, ")}
        for each in found
    ]
    first = f"{wrong[0]['where']}: {wrong[0]['message']}" if wrong else "the request has the wrong form"
    return HttpProblem(422, "invalid", first, errors=wrong).response()


_NO_METHOD = 405


_METHODS = ("DELETE", "GET", "PATCH", "POST", "PUT")


async def _not_here(request: Request, error: Exception) -> Response:
    """A path or a method that there is not; below the proxy's paths in OpenAI's form, as all its errors."""
    if request.url.path.startswith(PROXY):
        answer: Response = await not_here(request, error)
        return answer
    status, headers = getattr(error, "status_code", 404), getattr(error, "headers", None)
    if status == _NO_METHOD:
        told = HttpProblem(status, "wrong_method", "this path does not know that method")
        headers = {"allow": ", ".join(method for method in _METHODS if _is_known(request, method))}
    elif status == HTTPStatus.NOT_FOUND:
        told = nothing_there()
    else:
        told = HttpProblem(status, "bad_request", str(getattr(error, "detail", "the request makes no sense")))
    told.headers.update(headers or {})
    return told.response()


def _is_known(request: Request, method: str) -> bool:
    """Whether some route knows this path by a method; each of them knows only its own."""
    scope = {**request.scope, "method": method}
    return any(route.matches(scope)[0] is Match.FULL for route in request.app.routes)


def _gone(_request: Request, _error: Exception) -> Response:
    """The client hung up before it had said what it wants; nobody reads this."""
    return HttpProblem(400, "incomplete", "the request is not complete").response()


def _broken(_request: Request, error: Exception) -> Response:
    """A mistake of ours; the server logs where it is."""
    return problem(error, None).response()


def with_problems(document: Mapping[str, Any]) -> dict[str, Any]:
    """An OpenAPI document with the schema of problem documents."""
    components = dict(document.get("components", {}))
    return {**document, "components": {**components, "schemas": {**components.get("schemas", {}), "Problem": SCHEMA}}}
