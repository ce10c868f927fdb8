"""Tokens in memory."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from oldsoul.errors import BadInput, Conflict

if TYPE_CHECKING:
    from oldsoul.values.callers import Token


class MemoryCredentials:
    """Tokens in a dictionary, with everything a real store of them promises but surviving the process."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._kept: dict[str, tuple[Token, str]] = {}

    def add(self, token: Token, digest: str) -> None:
        made = replace(token, created=_utc(token.created), expires=token.expires and _utc(token.expires))
        with self._guard:
            if token.id in self._kept:
                raise Conflict(f"there is already a token {token.id}")
            self._kept[token.id] = made, digest

    def all(self) -> list[tuple[Token, str]]:
        with self._guard:
            return list(self._kept.values())

    def revoke(self, token_id: str) -> bool:
        with self._guard:
            return self._kept.pop(token_id, None) is not None


def _utc(time: datetime) -> datetime:
    if time.utcoffset() is None:
        raise BadInput(f"the time {time} has no time zone; add one")
    return time.astimezone(UTC)
