"""What all embedders of whole texts share: vectors that may be stored, and pieces of work that may be kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from oldsoul.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    Piece = tuple[list[int], Vectors]


class Identity(NamedTuple):
    """Whose vectors these are; two embedders with the same identity give the same vectors."""

    provider: str
    """as in `memory.search.provider`"""
    place: str
    """where it is, without secrets: a base URL, or a model's file"""
    model: str
    """which model"""
    dimensions: int
    """the length of its vectors; 0 as long as that is not known"""
    extras: str = ""
    """what else may make a difference, such as the names of further headers"""

    @property
    def name(self) -> str:
        """What the index calls the vectors."""
        return " ".join(str(part) for part in (self.provider, self.place, self.model, self.dimensions or "") if part)


class Source(Protocol):
    """An embedder that gives its vectors piece by piece, so that what was made before a failure can be kept."""

    @property
    def identity(self) -> Identity:
        """Whose vectors these are."""
        ...

    @property
    def width(self) -> int:
        """How long its vectors are; 0 as long as that is not known."""
        ...

    def pieces(self, texts: Sequence[str], *, question: bool = False) -> Iterator[Piece]:
        """The numbers of some texts and their unit vectors, until all have come; `Unavailable` when it cannot."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


def name_of(source: Source) -> str:
    """What the index calls an embedder's vectors: those of another length have another name."""
    return source.identity._replace(dimensions=source.width).name


def gathered(pieces: Iterable[Piece], count: int) -> Vectors:
    """The vectors of so many texts, in their order."""
    whole: Vectors = np.zeros((count, 0), np.float32)
    for numbers, vectors in pieces:
        if not whole.shape[1]:
            whole = np.zeros((count, vectors.shape[1]), np.float32)
        whole[numbers] = vectors
    return whole


def checked(rows: Any, count: int, width: int, who: str) -> Vectors:
    """Unit vectors of what an embedder gave: as many as texts, of one width (0: any), of plain numbers, none of them zero."""
    try:
        found = np.asarray(rows)
    except ValueError:
        raise Unavailable(f"{who} returned vectors of different lengths") from None
    if len(found) != count:
        raise Unavailable(f"{who} returned {len(found)} vectors for {count} texts")
    if found.ndim != 2 or found.dtype.kind not in "fi" or not found.shape[1]:  # noqa: PLR2004 - texts and numbers
        raise Unavailable(f"{who} returned something that is not a list of vectors")
    if width and found.shape[1] != width:
        raise Unavailable(
            f"{who} returned vectors of {found.shape[1]} numbers, expected {width}; was the model changed?"
        )
    numbers = found.astype(np.float64)
    largest = np.abs(numbers).max(axis=1, keepdims=True)
    if not np.isfinite(largest).all():
        raise Unavailable(f"{who} returned a vector with a value that is not a number")
    if not largest.all():
        raise Unavailable(f"{who} returned a vector of zeros")
    return unit(numbers / largest)


def unit(rows: NDArray[Any]) -> Vectors:
    """Rows that are not zero, each of length one."""
    wide = rows.astype(np.float64)
    found: Vectors = (wide / np.linalg.norm(wide, axis=1, keepdims=True)).astype(np.float32)
    return found
