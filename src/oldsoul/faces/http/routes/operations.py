"""`/api/health` and `/metrics`: how the server and its home are."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import PlainTextResponse

from oldsoul import __version__
from oldsoul.app.health import WARNING, Finding, findings
from oldsoul.faces.http.access import Entered
from oldsoul.faces.http.observation import gauge
from oldsoul.values.callers import CallerRole
from oldsoul.views import home as views
from oldsoul.views.home import Health, ServicesTried
from oldsoul.wiring.doctor import HomeSite

router = APIRouter(tags=["operations"])


@router.get("/api/health")
def read_health(access: Entered, request: Request) -> Health:
    """Tell whether everything is in order, and what is not."""
    soul = request.app.state.soul
    site = HomeSite(soul.folder, os.environ)
    background = [Finding(WARNING, *each) for each in request.app.state.background.problems()]
    found = [*findings(site, lambda: soul, None, lambda _: None), *background]
    is_told = access.token.role is CallerRole.OPERATOR and not access.token.agent
    return views.health(found, __version__, is_told=is_told)


@router.post("/api/health/try")
def try_services(access: Entered) -> ServicesTried:
    """Try the embedder and the language model, each with a short text. For operators only."""
    return views.tried(access.home().try_services())


_METRICS: dict[int | str, dict[str, Any]] = {
    200: {"description": "The text format of Prometheus.", "content": {"text/plain": {"schema": {"type": "string"}}}}
}


@router.get("/metrics", response_class=PlainTextResponse, responses=_METRICS)
def read_metrics(access: Entered, request: Request) -> PlainTextResponse:
    """Tell how much the server does, in the text format of Prometheus."""
    soul, state = access.home(), request.app.state
    lines = [*state.numbers.lines(), *gauge("oldsoul_event_streams", "Event streams that are open.", len(state.feed))]
    lines += ["# HELP oldsoul_jobs Jobs by state.", "# TYPE oldsoul_jobs gauge"]
    states = Counter(str(job.state) for job in soul.jobs())
    lines += [f'oldsoul_jobs{{state="{name}"}} {number}' for name, number in sorted(states.items())]
    problems = len(state.background.problems())
    lines += gauge("oldsoul_background_problems", "Background work that fails at present.", problems)
    return PlainTextResponse("\n".join([*lines, ""]), media_type="text/plain; version=0.0.4; charset=utf-8")
