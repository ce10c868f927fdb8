"""Which part of a list is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from oldsoul.errors import BadInput

_T = TypeVar("_T")


def span(offset: int, limit: int) -> tuple[int, int]:
    """The places from an offset on, at most so many; `BadInput` for what is no page."""
    if offset < 0 or limit < 1:
        raise BadInput(f"the offset must be 0 or more and the limit 1 or more, not offset={offset}, limit={limit}")
    return offset, offset + limit


def paged(items: Sequence[_T], offset: int, limit: int | None) -> Sequence[_T]:
    """One page of a list; all from the offset on without a limit."""
    start, end = span(offset, 1 if limit is None else limit)
    return items[start:] if limit is None else items[start:end]
