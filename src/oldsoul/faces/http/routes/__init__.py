"""The endpoints, one module for each part of the product."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.faces.http.routes import (
    agents,
    changes,
    chat,
    corrections,
    entries,
    events,
    keepers,
    operations,
    people,
    proposals,
    recall,
    sessions,
    settings,
    soul,
    tokens,
    workspace,
)

if TYPE_CHECKING:
    from fastapi import APIRouter

_PARTS = (
    *(workspace, agents, entries, corrections, recall, sessions, chat, proposals, changes, soul, keepers),
    *(people, settings, tokens, events, operations),
)


def routers() -> tuple[APIRouter, ...]:
    """The routers of all endpoints."""
    return tuple(part.router for part in _PARTS)
