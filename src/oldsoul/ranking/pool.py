"""What ranking is given: the candidates as columns, and the few figures of the whole store that scoring needs.

An engine takes the best by words and the best by vectors, adds the two rows before and after each, sorts by document and
ordinal, and fills a `Pool`. Nothing here depends on who asks: what they may not see is not among the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int32]
    Longs = NDArray[np.int64]
    Floats = NDArray[np.float32]

NO_TIME = np.iinfo(np.int64).min
"""Stands in `Pool.time` for a row without a time."""


class Rows(Protocol):
    """The vectors of a static table's tokens, an array or what works them out."""

    @property
    def shape(self) -> tuple[int, ...]:
        """How many, and how long."""
        ...

    def __len__(self) -> int: ...

    def take(self, indices: Any, /, axis: Any = 0) -> NDArray[Any]:
        """Those of some tokens."""
        ...


@frozen
class Space:
    """The candidates in one embedder's space."""

    vectors: Floats
    """(n, d): one vector a row, as `vectors.embedded` made it: unit length, or zeros for a row without words."""
    tokens: Ints
    """The static table's token numbers of all rows, one row after the other; empty for other embedders."""
    token_start: Longs
    """(n + 1): where each row's tokens begin in `tokens`."""
    sentence_start: Longs
    """Where each sentence begins in `tokens`; the first of a row begins with the row. Rows without tokens have none."""
    sentence_norm: Floats
    """Length of each sentence's vector before it was made a unit, as `vectors.embedded` gave it."""
    closer: Callable[[Longs], Space] | None = None
    """Gives some rows with their tokens, where those are only fetched for the rows that are looked at closely."""


@frozen
class Pool:
    """The candidates of one question, n rows sorted by (document, ordinal), each row once."""

    row: Longs
    """(n): the engine's number of the row; comes back with the scores."""
    document: Ints
    """(n): a code for what the row stands in: a session of the chat log, a file. Rows of one are its neighbours."""
    ordinal: Ints
    """(n): the row's place in its document; neighbours differ by one."""
    time: Longs
    """(n): when it was said or written, UTC seconds; `NO_TIME` when nobody knows."""
    speaker: Ints
    """(n): who said it, as an index into `speakers`; -1 for nobody."""
    speakers: tuple[str, ...]
    """Names by code."""
    own: NDArray[np.bool_]
    """(n): whether it is the words of whoever asks (`View.people`)."""
    flags: Ints
    """(n): bits of `marks.Mark`."""
    length: Ints
    """(n): how many words it has (`marks.Marked.length`)."""
    event_from: Ints
    """(n): first day it speaks of (`marks.Marked.event_from`); 0 for none."""
    event_to: Ints
    """(n): last day it speaks of."""
    confidence: Floats
    """(n): 0 to 1; 1 where nothing says otherwise."""
    terms: Ints
    """Term numbers of all rows in order, of `date speaker text`, one row after the other."""
    term_start: Longs
    """(n + 1): where each row's terms begin in `terms`."""
    spaces: tuple[Space, ...]
    """One for each embedder in use, the main one first; none when only words are compared."""

    def __len__(self) -> int:
        return len(self.row)

    def are_neighbours(self, one: int, other: int) -> bool:
        """Whether two places are of rows that follow each other in one document."""
        return (
            0 <= one < len(self)
            and 0 <= other < len(self)
            and bool(self.document[one] == self.document[other])
            and abs(int(self.ordinal[one]) - int(self.ordinal[other])) == 1
        )


@frozen
class Known:
    """What the store knows of one term of the question."""

    number: int
    """The term's number; -1 when no row has it."""
    frequency: int
    """How many rows of the store have it."""
    kin: tuple[int, ...] = ()
    """Numbers of all terms that share its first five letters (`terms.prefix`), itself too."""
    kin_frequency: int = 0
    """How many rows have one of the kin; the sum of their frequencies will do."""
    members: tuple[int, ...] = ()
    """Numbers of those of `Question.members` that the store has."""
    members_frequency: int = 0
    """How many rows have one of the members; the sum of their frequencies will do."""


@frozen
class Static:
    """A static table and what this store's own texts make of it. Refreshed when the store has grown by half."""

    table: Rows
    """(tokens, d): the embedder's table."""
    weight: Floats
    """(tokens): `vectors.weights(counts)`: rare tokens of this store count more."""
    mean: Floats
    """(d): the mean of all rows' weighted means, taken away from every vector."""


@frozen
class Directions:
    """Where a question points in the space of a static table; of length one, or zeros where there are no tokens."""

    whole: Floats
    """(2, d): `Question.spoken`, and all of `Question.content`."""
    words: Floats
    """(words, d): each word of `Question.content` that has tokens."""


@frozen
class Asked:
    """The question in one embedder's space: token numbers for a static table, a vector for any other."""

    static: Static | None
    """The table; None for an embedder that only gives vectors."""
    spoken: tuple[int, ...] = ()
    """Token numbers of `Question.spoken`."""
    content: tuple[tuple[int, ...], ...] = ()
    """Token numbers of each word of `Question.content`."""
    vector: Floats | None = None
    """(d): unit vector of the question by an embedder that is no table."""
    directions: Directions | None = None
    """The same as vectors, where the engine worked them out already."""


@frozen
class Statistics:
    """The store as a whole, as far as this question needs it."""

    rows: int
    """How many rows the store has, all audiences."""
    average_terms: float
    """Terms a row has on average."""
    known: tuple[Known, ...]
    """One for each of `Question.terms`."""
    asked: tuple[Asked, ...]
    """One for each of `Pool.spaces`."""
    abroad: tuple[Known, ...] = ()
    """One for each of `Question.abroad`, whose terms are its members."""
