"""Numbers and cursors as callers other than the operator get them: they name something, and count nothing."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property, partial

from oldsoul.app.home import Home
from oldsoul.errors import BadInput
from oldsoul.values.callers import Caller, CallerRole
from oldsoul.values.history import Record
from oldsoul.values.names import SHARED
from oldsoul.values.recall import Chunk, is_talk
from oldsoul.values.sessions import Session, SessionKind

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

    def __init__(self, secret: Callable[[], str]) -> None:
        self._told = secret

    @cached_property
    def _secret(self) -> bytes:
        return bytes.fromhex(self._told())

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
"""What seals what is answered now; None for the operator, who keeps numbers such as `undo 8`."""
_REFERENCE = re.compile(r"\bm:(\d{1,18})\b")


@contextmanager
def sealed(seal: Seal | None) -> Iterator[None]:
    """Have this seal what is answered in the block."""
    before = SEAL.set(seal)
    try:
        yield
    finally:
        SEAL.reset(before)


def _number(kind: str, told: int) -> int:
    seal = SEAL.get()
    return told if seal is None else seal.number(told, kind)


def _meant(kind: str, given: int) -> int:
    seal = SEAL.get()
    return given if seal is None else seal.opened(given, kind)


message, change = partial(_number, MESSAGE), partial(_number, CHANGE)
"""A number of a message, of a change, as the caller gets it."""
message_meant, change_meant = partial(_meant, MESSAGE), partial(_meant, CHANGE)
"""The number that the caller means."""


def reference(told: str) -> str:
    """A reference such as `m:118` as the caller gets it."""
    kind, _, rest = told.partition(":")
    return f"{kind}:{message(int(rest))}" if kind in ("m", "reply") and rest.isdecimal() else told


def references(told: str) -> str:
    """A sentence with the references in it as the caller gets them."""
    return told if SEAL.get() is None else _REFERENCE.sub(lambda found: reference(found[0]), told)


def line(path: str, number: int) -> int:
    """A line of a document as the caller gets it: those of a conversation are numbers of messages."""
    return message(number) if is_talk(path) else number


def citation(chunk: Chunk) -> str:
    """Where a passage stands, as answers cite it."""
    last = f"-L{chunk.end_line}" if chunk.end_line > chunk.start_line else ""
    return f"Source: {chunk.path}#L{line(chunk.path, chunk.start_line)}{last}"


def inside(told: str) -> str:
    """What is the operator's bookkeeping; empty for others."""
    return told if SEAL.get() is None else ""


def seal_for(home: Home, caller: Caller, session: Session) -> Seal | None:
    """What seals what a model is told within a session; nothing where the operator has it asked in their own direct talk."""
    is_own = session.root.kind is SessionKind.DM and home.people.view(session.root).owner
    return None if is_own and caller.role is CallerRole.OPERATOR else Seal(partial(secret_of, home))


def secret_of(home: Home) -> str:
    """The secret of a home's seal; it is made when it is first needed."""
    store = home.world.store

    def made() -> list[Record]:
        known = store.record(SHARED, _KIND, "") is not None
        return [] if known else [Record(_KIND, "", f'"{secrets.token_hex(32)}"')]

    if store.record(SHARED, _KIND, "") is None:
        home.ledger.amend(SHARED, home.owner.author, "a secret for the ids that others get", made)
    return (store.record(SHARED, _KIND, "") or "").strip('"')
