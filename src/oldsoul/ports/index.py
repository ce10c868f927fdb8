"""Pieces of memory, found by words and by meaning: what an index is asked for, each part by itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from oldsoul.values.audience import View
from oldsoul.values.recall import Chunk, Filed, Filters, Prepared

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from oldsoul.ranking.pool import Pool, Statistics
    from oldsoul.ranking.question import Question

    Prepare = Callable[[Iterable[Chunk]], Iterable[Prepared]]
    Tokens = Callable[[int, Sequence[str]], list[list[int]]]
    Vectors = NDArray[np.floating[Any]]


class IndexedFiles(Protocol):
    """What is in an index, document by document."""

    def documents(self) -> dict[str, str]:
        """What is indexed: path to digest."""
        ...

    def rows_of(self, path: str) -> list[int]:
        """The rows of one document, in order."""
        ...

    def put(self, filed: Iterable[Filed], prepare: Prepare, *, append: bool = False) -> None:
        """Have documents in it as they are now, all of them or none; or add chunks at their ends.

        `prepare` works out what it wants to know of a chunk; it is asked only for those it does not have.
        """
        ...

    def erase(self, redacted: Iterable[Filed], prepare: Prepare) -> None:
        """Put chunks in the place of those of their documents that begin at the same lines.

        Afterwards nothing of any row that is gone is in it: no word, and nothing that was worked out of one.
        """
        ...


class Searched(Protocol):
    """Pieces that can be looked for, with the view of whoever asks."""

    def steady(self) -> AbstractContextManager[None]:
        """Everything that is looked up within it is of one moment, whoever writes meanwhile."""
        ...

    def look(
        self,
        question: Question,
        filters: Filters,
        tokens: Tokens,
        count: int,
        asked: tuple[str, Vectors] | None = None,
    ) -> tuple[Pool, Statistics]:
        """The rows that fit a question best, so many by words and so many by meaning, and what scoring needs of the store.

        `asked` is the embedder's name and the question's vector by it, where there is one. It is compared with vectors
        by the same embedder, of the same length.
        """
        ...

    def seen(self, terms: Collection[str], filters: Filters) -> dict[str, list[int]]:
        """The first `SEEN` rows, or fewer, that filters let through and that have each of some terms; those in none left out."""
        ...

    def chunks(self, rows: Sequence[int]) -> list[Chunk]:
        """Some rows as they are shown."""
        ...


class Heard(Protocol):
    """Who said something, and in which scripts."""

    @property
    def speakers(self) -> tuple[str, ...]:
        """Everybody who said something."""
        ...

    def heard(self, people: Collection[str], view: View) -> set[str]:
        """Those of some speakers who spoke where a view sees it: in a message, or asking, or about themselves."""
        ...

    def holds_other(self, question: Question, view: View) -> bool:
        """Whether it holds pieces that a view sees in another script than the question: not in Latin letters, or in these."""
        ...


class Noted(Protocol):
    """What was found out about the rows of an index."""

    def noted(self, key: str) -> str | None:
        """What was noted in it under this key, for the rows it has now."""
        ...

    def note(self, key: str, value: str) -> None:
        """Note something that holds until its rows are weighed again."""
        ...


class Embedded(Protocol):
    """Rows that an embedder gives their vectors."""

    def missing_vectors(self, embedder: str, count: int) -> list[tuple[int, Chunk]]:
        """The next rows, at most so many, that have no vector by this embedder. Those by another are dropped."""
        ...

    def fill(self, embedder: str, rows: Sequence[int], vectors: Vectors) -> None:
        """Give the rows that `lacking` named their vectors; rows that are gone meanwhile do no harm."""
        ...


class Index(IndexedFiles, Searched, Heard, Noted, Embedded, Protocol):
    """All of an index. Derived: lost, it is made again."""

    def supersede(self, entries: Mapping[str, datetime | None], words: Sequence[tuple[str, datetime | None]]) -> None:
        """Have rows not be found that a correction replaced: by entry, or by words, if they are older."""
        ...

    def renewed(self) -> bool:
        """Whether another index took its place since this was last asked: one that may lack what came meanwhile."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...
