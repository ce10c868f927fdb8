"""The word pieces that come with Oldsoul: their numbers, the cutting of words into them, and their vectors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from oldsoul.errors import Damaged, Unavailable

if TYPE_CHECKING:
    from numpy.typing import NDArray

START = "▁"
"""Is before a piece that begins a word."""
UNKNOWN = -1
_LONGEST = 16
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
        for end in range(first + 1, min(size, first + _LONGEST) + 1):
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
