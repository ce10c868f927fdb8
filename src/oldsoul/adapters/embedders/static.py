"""The static embedder: a table of word-piece vectors that comes with Oldsoul, with no model to run."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from oldsoul.adapters.index.spaces import Table
from oldsoul.errors import Damaged, Unavailable
from oldsoul.language.words import RUN, is_unspaced, plain_words

if TYPE_CHECKING:
    from numpy.typing import NDArray


START = "▁"
"""Is before a piece that begins a word."""
UNKNOWN = -1
_LONGEST_PIECE = 16
"""Letters of the longest piece."""
_EACH = 2.0
"""What one more piece costs, besides being rare: a piece's number is its rank."""
_NEVER = 25.0
"""What a letter costs that no piece has."""
_MARKS = 6
"""The first pieces are no text: unknown, begin, end …"""


class WordPieces:
    """The pieces in one folder. Files are read when they are needed, and stay read."""

    def __init__(self, folder: Path = Path(__file__).parents[2] / "tables") -> None:
        self._folder = folder

    @cached_property
    def written(self) -> Mapping[str, int]:
        """The number of each piece, as it is written."""
        return {name: number for number, name in reversed(self._names())}

    @cached_property
    def folded(self) -> Mapping[str, int]:
        """The number of each piece without its capitals; of several that differ in these alone, the most frequent one's."""
        return {name.lower(): number for number, name in reversed(self._names())}

    def _names(self) -> list[tuple[int, str]]:
        path = self._folder / "pieces.txt"
        try:
            names = path.read_text("utf-8").split("\n")[:-1]
        except (OSError, ValueError):
            raise Damaged(f"{path} cannot be read; install Oldsoul again") from None
        if len(names) != len(self):
            raise Damaged(f"{path} does not fit the table beside it; install Oldsoul again")
        return [*enumerate(names)][_MARKS:]

    @cached_property
    def layers(self) -> Mapping[str, NDArray[np.float32]]:
        """The encoder's layers by name; `Unavailable` when they cannot be read, for search can do without."""
        try:
            found = self._kept("encoder.npz")
        except Damaged as error:
            raise Unavailable(str(error)) from None
        return {
            name: values * found[f"{name} factor"] if values.dtype == np.int8 else values
            for name, values in found.items()
            if not name.endswith(" factor")
        }

    @cached_property
    def projection(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """What makes a static table of the pieces' vectors: their middle, and the directions they are seen from."""
        found = self._kept("projection.npz")
        return found["middle"], found["towards"].astype(np.float32)

    def _kept(self, file: str) -> dict[str, NDArray[Any]]:
        path = self._folder / file
        try:
            with np.load(path, allow_pickle=False) as kept:
                return {name: kept[name] for name in kept.files}
        except (EOFError, OSError, ValueError, BadZipFile):
            raise Damaged(f"{path} cannot be read; install Oldsoul again") from None

    @cached_property
    def _packed(self) -> NDArray[np.uint8]:
        path = self._folder / "pieces.npy"
        try:
            table = np.load(path, mmap_mode="r", allow_pickle=False)
        except (EOFError, OSError, ValueError):
            raise Damaged(f"{path} cannot be read; install Oldsoul again") from None
        if table.ndim != 2 or table.dtype != np.uint8:  # noqa: PLR2004 - a table has two sides
            raise Damaged(f"{path} does not contain the expected table of vectors; install Oldsoul again")
        found: NDArray[np.uint8] = table.view(np.ndarray)
        return found

    def __len__(self) -> int:
        return len(self._packed)

    def vectors(self, numbers: NDArray[np.integer[Any]]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The vectors of some pieces as they are kept, four bits a number, and the factor of each."""
        rows = self._packed.take(numbers, axis=0)
        factors = np.ascontiguousarray(rows[:, :2]).view(np.float16).astype(np.float32)
        made = np.empty((len(rows), 2 * (rows.shape[1] - 2)), np.float32)
        made[:, ::2] = rows[:, 2:] & 15
        made[:, 1::2] = rows[:, 2:] >> 4
        made -= 8
        return made, factors


def cut(word: str, known: Mapping[str, int]) -> tuple[int, ...]:
    """The numbers of the pieces of a word, few and frequent ones; `UNKNOWN` for a letter that no piece has."""
    size = len(word)
    cost, begin, piece = [0.0, *[math.inf] * size], [0] * (size + 1), [UNKNOWN] * (size + 1)
    for first in range(size):
        for end in range(first + 1, min(size, first + _LONGEST_PIECE) + 1):
            number = known.get(word[first:end], UNKNOWN)
            if number == UNKNOWN and end > first + 1:
                continue
            own = cost[first] + (_NEVER if number == UNKNOWN else _EACH + math.log(number + 1))
            if own < cost[end]:
                cost[end], begin[end], piece[end] = own, first, number
    found: list[int] = []
    while size:
        found.append(piece[size])
        size = begin[size]
    return tuple(reversed(found))


NAME = "use-256b"
"""What the index calls the vectors; another name means other vectors."""
_WORD = re.compile(RUN)
_LONGEST = 64
_CACHED = 50_000
"""Words whose pieces are remembered; past so many the memory is emptied."""


def _words(text: str) -> list[str]:
    """The words of a text; what is longer than they are is no word, and cutting it takes ever longer."""
    low = text.lower()
    return [word[:_LONGEST] for word in (plain_words(low) if low.isascii() else _WORD.findall(low))]


class _KnownPieces(dict[str, tuple[int, ...]]):
    """The pieces of the words that have been cut; another word is cut when it is asked for."""

    def __init__(self, pieces: WordPieces) -> None:
        super().__init__()
        self._pieces = pieces

    def __missing__(self, word: str) -> tuple[int, ...]:
        headed = word if is_unspaced(word) else START + word
        found = self[word] = tuple(n for n in cut(headed, self._pieces.folded) if n != UNKNOWN)
        return found


class Projected:
    """One vector of bytes a piece, worked out of the kept one when it is first asked for. Only directions count."""

    def __init__(self, pieces: WordPieces) -> None:
        self._pieces = pieces
        self._middle, self._towards = pieces.projection
        self._rows = np.zeros((len(pieces), self._towards.shape[1]), np.int8)
        self._made = np.zeros(len(pieces), bool)
        self.shape = self._rows.shape

    def __len__(self) -> int:
        return len(self._rows)

    def take(self, numbers: Any, axis: int = 0) -> NDArray[np.int8]:
        """The vectors of some pieces. Two threads may work out the same one: it is the same."""
        asked = np.asarray(numbers, np.int64)
        missing = np.unique(asked[~self._made[asked]])
        if len(missing):
            vectors, _ = self._pieces.vectors(missing)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            self._rows[missing] = np.clip(np.rint((vectors - self._middle) @ self._towards), -127, 127)
            self._made[missing] = True
        return self._rows.take(asked, axis=axis)


@cache
def bundled_pieces() -> WordPieces:
    """The pieces that come with Oldsoul; one reading of them serves all who ask."""
    return WordPieces()


@cache
def _projected() -> Projected:
    return Projected(bundled_pieces())


class StaticTable:
    """Token numbers of texts, and the vectors of those numbers. Files are opened when first needed."""

    name = NAME

    def __init__(self, pieces: WordPieces | None = None) -> None:
        self._pieces = pieces
        self._known = _KnownPieces(pieces or bundled_pieces())

    @property
    def vectors(self) -> Projected:
        """One row per token number."""
        return Projected(self._pieces) if self._pieces else _projected()

    def tokens(self, texts: Iterable[str]) -> list[list[int]]:
        """The token numbers of each text, in order; a text without words has none."""
        if len(self._known) > _CACHED:
            self._known.clear()
        pieces = self._known.__getitem__
        return [list(chain.from_iterable(map(pieces, _words(text)))) for text in texts]


class BundledTables:
    """The tables texts are compared by: ours, or none."""

    def __init__(self, tables: Sequence[StaticTable] | None = None) -> None:
        self._tables = [StaticTable()] if tables is None else list(tables)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._tables)

    def tokens(self, table: int, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text."""
        return self._tables[table].tokens(texts)

    def tables(self) -> list[Table]:
        """The tables with their vectors, for an index."""
        return [Table(table.name, table.vectors) for table in self._tables]


_MOST_TOKENS = 512
_BATCH = 4096


class TableSimilarity:
    """Compares texts by one table; what was read of a text is known while texts come back."""

    def __init__(self, table: StaticTable) -> None:
        self._table = table

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """How alike the texts of each pair are, from 0 to 1."""
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        place = {text: number for number, text in enumerate(texts)}
        vectors = self._vectors(texts)
        found: list[float] = []
        for start in range(0, len(pairs), _BATCH):
            part = pairs[start : start + _BATCH]
            ones, others = ([place[pair[side]] for pair in part] for side in (0, 1))
            found += np.clip((vectors[ones] * vectors[others]).sum(axis=1), 0, 1).tolist()
        return found

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The mean of each text's token vectors, of length one; of length none for a text without any."""
        table = self._table.vectors
        vectors = np.zeros((len(texts), table.shape[1]), np.float32)
        for number, tokens in enumerate(self._table.tokens(texts)):
            if tokens:
                vectors[number] = table.take(tokens[:_MOST_TOKENS]).astype(np.float32).mean(axis=0)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)
