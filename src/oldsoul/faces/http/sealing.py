"""Numbers and cursors as callers other than the operator get them: they name something, and count nothing."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING

from oldsoul.errors import BadInput
from oldsoul.values.history import Record
from oldsoul.values.names import SHARED

if TYPE_CHECKING:
    from oldsoul.app import Oldsoul

_KIND = "secret of ids"
"""The kind of record that holds the home's secret."""
MESSAGE, CHANGE = "message", "change"
"""What has numbers."""
_HALF = 26
_MASK = (1 << _HALF) - 1
_FIRST = 1 << 2 * _HALF
"""Sealed numbers begin here, and stay below twice as much: every JSON reader holds them exactly."""
_ROUNDS = range(6)
_WIDTH, _NONCE, _TAG = 80, 12, 16
NOBODY = 2 * _FIRST
"""A number that nothing has: what a caller gets who names something by a number that was not sealed."""


class Seal:
    """Seals numbers and cursors, and opens them again."""

    def __init__(self, secret: str) -> None:
        self._secret = bytes.fromhex(secret)

    def number(self, number: int, kind: str) -> int:
        """The number that stands for another of its kind: always the same one, in no order."""
        left, right = number >> _HALF & _MASK, number & _MASK
        for each in _ROUNDS:
            left, right = right, left ^ self._mixed(kind, each, right)
        return _FIRST | left << _HALF | right

    def opened(self, number: int, kind: str) -> int:
        """The number that a sealed one stands for; one that nothing has where it is not sealed."""
        if not _FIRST <= number < NOBODY:
            return NOBODY
        left, right = number >> _HALF & _MASK, number & _MASK
        for each in reversed(_ROUNDS):
            left, right = right ^ self._mixed(kind, each, left), left
        return left << _HALF | right

    def _mixed(self, kind: str, number: int, half: int) -> int:
        told = hmac.digest(self._secret, f"{kind} {number} {half}".encode(), "sha256")
        return int.from_bytes(told[:4], "big") & _MASK

    def cursor(self, cursor: str) -> str:
        """A cursor that tells nothing, and is another one each time."""
        nonce, words = secrets.token_bytes(_NONCE), cursor.encode().ljust(_WIDTH)
        hidden = bytes(one ^ other for one, other in zip(words, self._stream(nonce), strict=True))
        return base64.urlsafe_b64encode(nonce + hidden + self._tag(nonce + hidden)).decode()

    def place(self, cursor: str) -> str:
        """What a sealed cursor stands for; `BadInput` for one that is not sealed."""
        try:
            found = base64.urlsafe_b64decode(cursor.encode("ascii"))
        except ValueError:
            found = b""
        nonce, hidden, tag = found[:_NONCE], found[_NONCE:-_TAG], found[-_TAG:]
        if len(hidden) != _WIDTH or not hmac.compare_digest(tag, self._tag(nonce + hidden)):
            raise BadInput("this is not a cursor that this token was given; use one that came with an answer, or none")
        return bytes(one ^ other for one, other in zip(hidden, self._stream(nonce), strict=True)).decode().rstrip()

    def _stream(self, nonce: bytes) -> bytes:
        return hashlib.shake_256(self._secret + b"cursor" + nonce).digest(_WIDTH)

    def _tag(self, sealed: bytes) -> bytes:
        return hmac.digest(self._secret, b"tag" + sealed, "sha256")[:_TAG]


SEAL: ContextVar[Seal | None] = ContextVar("seal", default=None)
"""What seals the answer to this request; None for the operator, who keeps numbers such as `undo 8`."""


def _number(kind: str, told: int) -> int:
    seal = SEAL.get()
    return told if seal is None else seal.number(told, kind)


def _meant(kind: str, given: int) -> int:
    seal = SEAL.get()
    return given if seal is None else seal.opened(given, kind)


message, change = partial(_number, MESSAGE), partial(_number, CHANGE)
"""A number of a message, of a change, as this request's caller gets it."""
message_meant, change_meant = partial(_meant, MESSAGE), partial(_meant, CHANGE)
"""The number that this request's caller means."""


def reference(told: str) -> str:
    """A reference such as `m:118` as this request's caller gets it."""
    kind, _, rest = told.partition(":")
    return f"{kind}:{message(int(rest))}" if kind in ("m", "reply") and rest.isdecimal() else told


def inside(told: str) -> str:
    """What is the operator's bookkeeping; empty for others."""
    return told if SEAL.get() is None else ""


def seal_of(soul: Oldsoul) -> Seal:
    """What seals for a home; its secret is made when it is first needed."""
    storage = soul.parts
    store = storage.world.store

    def made() -> list[Record]:
        known = store.record(SHARED, _KIND, "") is not None
        return [] if known else [Record(_KIND, "", f'"{secrets.token_hex(32)}"')]

    if store.record(SHARED, _KIND, "") is None:
        storage.ledger.amend(SHARED, storage.owner.author, "a secret for the ids that others get", made)
    return Seal((store.record(SHARED, _KIND, "") or "").strip('"'))
