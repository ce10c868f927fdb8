"""What several keepers read: the current documents, parsed, and the corrections that hold."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from oldsoul.documents import parse
from oldsoul.judging.corrections.corrections import Correction, corrections
from oldsoul.keepers.questions import Listed, Question, Read
from oldsoul.rules.policy import is_correction
from oldsoul.values.names import Kind, Name

if TYPE_CHECKING:
    from oldsoul.documents import Document


def documents(names: Iterable[Name]) -> Generator[Question, Any, dict[Name, Document]]:
    """Those of some documents that there are."""
    found = yield Read(tuple(names))
    return {name: parse(data, is_log=name.is_log) for name, data in found.items() if data is not None}


def correction_logs() -> Generator[Question, Any, tuple[Name, ...]]:
    """CORRECTIONS.md, and what of it is archived."""
    return tuple(filter(is_correction, (yield Listed((Kind.CORRECTIONS, Kind.ARCHIVE)))))


def standing_corrections() -> Generator[Question, Any, list[Correction]]:
    """What the operator corrected, and has not said otherwise since."""
    found = yield Read((yield from correction_logs()))
    return list(_standing(tuple((name, data or b"") for name, data in found.items())))


@lru_cache(maxsize=2)
def _standing(logs: tuple[tuple[Name, bytes], ...]) -> list[Correction]:
    """What stands in some logs; many batches are worked on before one of them changes."""
    return corrections((name, parse(data, is_log=True)) for name, data in logs)
