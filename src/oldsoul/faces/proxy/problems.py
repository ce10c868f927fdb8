"""Errors as OpenAI's clients know them: a status, and an object with message, type and code."""

from __future__ import annotations

from typing import Any, NamedTuple

from oldsoul.errors import BadInput, Busy, NotFound, OldsoulError, OutOfBudget, Refused, TimedOut, Unavailable
from oldsoul.faces.web.bodies import UnreadBody
from oldsoul.values.callers import CallerRole, Token

_OURS = 500
_CLIENT_ERROR, _SERVER_ERROR = "invalid_request_error", "server_error"


class ProxyProblem(Exception):
    """What a client is told when it does not get what it asked for."""

    def __init__(self, status: int, message: str, code: str, kind: str = _CLIENT_ERROR) -> None:
        super().__init__(message)
        self.status = status
        self.error: dict[str, Any] = {"message": message, "type": kind, "param": None, "code": code}
        """the error in OpenAI's form"""
        self.is_unread = False
        """whether the body of the request was not read to its end"""

    @property
    def headers(self) -> dict[str, str]:
        """What a client should know before it tries again."""
        found = {"www-authenticate": "Bearer"} if self.status == _NO_TOKEN else {}
        if self.is_unread:  # the rest of the body, which may have no end, is not waited for
            found["connection"] = "close"
        return {**found, "x-should-retry": "false"} if self.status == _TOO_MANY else found


_NO_TOKEN, _TOO_MANY = 401, 429


class _ProxyRow(NamedTuple):
    """How errors of one kind are shown."""

    error: type[OldsoulError]
    status: int
    code: str
    kind: str = _CLIENT_ERROR
    instead: str = ""
    """what others than the operator read: the message may name servers, budgets and settings of the home"""


_ROWS = (
    _ProxyRow(
        OutOfBudget, _TOO_MANY, "insufficient_quota", "insufficient_quota", "today's budget of this agent is spent"
    ),
    _ProxyRow(TimedOut, 504, "timeout", _SERVER_ERROR, "the language model did not answer in time"),
    _ProxyRow(Unavailable, 502, "model_unavailable", _SERVER_ERROR, "the language model gave no usable answer"),
    _ProxyRow(BadInput, 400, "invalid_request"),
    _ProxyRow(Refused, 403, "not_allowed"),
    _ProxyRow(NotFound, 404, "not_found", instead="what was asked for does not exist"),
    _ProxyRow(Busy, 503, "busy", _SERVER_ERROR, "the agent is busy; try again"),
)
"""The first row that fits an error counts."""


def problem(error: Exception, token: Token | None) -> ProxyProblem:
    """An error as a client with this token sees it."""
    if isinstance(error, ProxyProblem):
        return error
    if isinstance(error, UnreadBody):
        told = ProxyProblem(
            error.status, str(error), error.code, _CLIENT_ERROR if error.status < _OURS else _SERVER_ERROR
        )
        told.is_unread = True
        return told
    row = next((row for row in _ROWS if isinstance(error, row.error)), None)
    if row is None:
        return ProxyProblem(
            500, "something went wrong on the server; its log says more", "internal_error", _SERVER_ERROR
        )
    is_operator = token is not None and token.role is CallerRole.OPERATOR
    return ProxyProblem(row.status, row.instead if row.instead and not is_operator else str(error), row.code, row.kind)


def no_model(name: str) -> ProxyProblem:
    """There is no such agent, or none for this token: nobody is told which."""
    return ProxyProblem(404, f"the model {name!r} does not exist, or this token may not use it", "model_not_found")


def no_token() -> ProxyProblem:
    """No token, or one that is not valid."""
    return ProxyProblem(
        _NO_TOKEN,
        "give a valid token as the API key: Authorization: Bearer os_…; `oldsoul token add` makes one",
        "invalid_api_key",
    )


def stopped() -> ProxyProblem:
    """The server stops before the reply is there."""
    return ProxyProblem(503, "the server was stopped before the reply had ended; try again", "stopped", _SERVER_ERROR)
