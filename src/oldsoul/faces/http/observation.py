"""What the server tells of itself: an id for each request, a line in the log, numbers for Prometheus, safe headers."""

from __future__ import annotations

import json
import logging
import re
import secrets
import time
from collections import Counter
from collections.abc import Iterator
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


_log = logging.getLogger("oldsoul.http")
_REQUEST: ContextVar[str] = ContextVar("oldsoul_request", default="")
_ID = re.compile(rb"[A-Za-z0-9_.-]{1,64}")
_METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")
_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_LONGEST = 500
"""So much of a path is logged: anybody may send long ones."""
_HEADERS = {
    # Editors and charts set styles themselves; scripts come from our files alone.
    b"content-security-policy": b"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';"
    b" img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none';"
    b" form-action 'self'; frame-ancestors 'none'",
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"cache-control": b"no-store",
}
"""Sent with every answer, unless it has its own."""


class Numbers:
    """What was counted since the server started. Only the event loop writes here."""

    def __init__(self) -> None:
        self.under_way = 0
        """requests that are not answered yet"""
        self._answers: Counter[tuple[str, str, int]] = Counter()
        self._seconds: Counter[str] = Counter()
        self._slots: Counter[tuple[str, float]] = Counter()

    def count(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self._answers[method, path, status] += 1
        self._seconds[path] += seconds  # type: ignore[assignment]  # a counter of seconds
        for bound in _BOUNDS:
            if seconds <= bound:
                self._slots[path, bound] += 1

    def lines(self) -> Iterator[str]:
        """The numbers as Prometheus reads them."""
        yield "# HELP oldsoul_http_requests_total Answered requests."
        yield "# TYPE oldsoul_http_requests_total counter"
        for (method, path, status), number in sorted(self._answers.items()):
            yield f'oldsoul_http_requests_total{{method="{method}",path="{path}",status="{status}"}} {number}'
        yield "# HELP oldsoul_http_request_seconds How long requests took."
        yield "# TYPE oldsoul_http_request_seconds histogram"
        totals: Counter[str] = Counter()
        for (_, path, _), number in self._answers.items():
            totals[path] += number
        for path, total in sorted(totals.items()):
            for bound in _BOUNDS:
                yield f'oldsoul_http_request_seconds_bucket{{path="{path}",le="{bound:g}"}} {self._slots[path, bound]}'
            yield f'oldsoul_http_request_seconds_bucket{{path="{path}",le="+Inf"}} {total}'
            yield f'oldsoul_http_request_seconds_sum{{path="{path}"}} {self._seconds[path]:.6f}'
            yield f'oldsoul_http_request_seconds_count{{path="{path}"}} {total}'
        yield from gauge("oldsoul_http_requests_under_way", "Requests that are not answered yet.", self.under_way)


def gauge(name: str, about: str, value: float) -> Iterator[str]:
    """One number as Prometheus reads it."""
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} gauge"
    yield f"{name} {value:g}"


class RequestObserver:
    """Watches the requests of an application."""

    def __init__(self, app: ASGIApp, numbers: Numbers) -> None:
        self._app, self._numbers = app, numbers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = dict(scope["headers"]).get(b"x-request-id", b"")
        request_id = given.decode() if _ID.fullmatch(given) else secrets.token_hex(8)
        _REQUEST.set(request_id)
        started, statuses = time.perf_counter(), [0]

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])
                own = {name.lower() for name, _ in message.get("headers", ())}
                more = {**_HEADERS, b"x-request-id": request_id.encode()}
                headers = [*message.get("headers", ()), *((n, v) for n, v in more.items() if n not in own)]
                message = {**message, "headers": headers}
            await send(message)

        self._numbers.under_way += 1
        try:
            await self._app(scope, receive, sent)
        finally:
            self._numbers.under_way -= 1
            seconds, token = time.perf_counter() - started, scope.get("state", {}).get("token")
            path = getattr(scope.get("route"), "path", "")
            path = path or ("/v1" if scope["path"].startswith("/v1/") else "other")  # the proxy's routes leave no trace
            method = scope["method"] if scope["method"] in _METHODS else "other"
            self._numbers.count(method, path, statuses[-1], seconds)
            told = {"method": scope["method"], "path": scope["path"][:_LONGEST], "status": statuses[-1]}
            told |= {"ms": round(seconds * 1000, 1), "token": token.id if token else None}
            _log.info("request", extra={"told": told})


class JsonLines(logging.Formatter):
    """Writes each record as one line of JSON, with the id of the request it belongs to."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "request": _REQUEST.get() or None,
            **getattr(record, "told", {}),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=True)
