"""Tokens as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from oldsoul.values.callers import Token


def token(of: Token, now: datetime) -> dict[str, Any]:
    """A token, without its secret: its id, role, person, agent and name, and until when it is valid."""
    return {
        "id": of.id,
        "role": str(of.role),
        "person": of.person.id,
        "agent": of.agent or None,
        "name": of.name,
        "created": of.created.isoformat(),
        "expires": of.expires.isoformat() if of.expires else None,
        "expired": of.has_expired(now),
    }
