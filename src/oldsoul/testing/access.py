"""Tokens in memory."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from oldsoul.errors import BadInput, Conflict, Refused

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
            if (above := token.id.rpartition(".")[0]) and above not in self._kept:
                raise Refused(f"there is no token {above} any more")
            self._kept[token.id] = made, digest

    def all(self) -> list[tuple[Token, str]]:
        with self._guard:
            return list(self._kept.values())

    def find(self, digest: str) -> Token | None:
        with self._guard:
            return next((token for token, kept in self._kept.values() if kept == digest), None)

    def revoke(self, token_id: str) -> bool:
        with self._guard:
            for below in [each for each in self._kept if each.startswith(f"{token_id}.")]:
                del self._kept[below]
            return self._kept.pop(token_id, None) is not None


def _utc(time: datetime) -> datetime:
    if time.utcoffset() is None:
        raise BadInput(f"the time {time} has no time zone; add one")
    return time.astimezone(UTC)
