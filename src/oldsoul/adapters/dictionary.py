"""What is an English word, by the list of an installed package; the package's own code is never imported."""

from __future__ import annotations

import gzip
from functools import lru_cache
from pathlib import Path

import numpy as np

_LIST = "spellchecker/resources/en.json.gz"
_PACKAGE = "pyspellchecker"


class EnglishWords:
    """The words of the list. It is opened when first asked for; where it is not installed, nothing is a word."""

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and _is_listed(word)


@lru_cache(maxsize=1 << 12)
def _is_listed(word: str) -> bool:
    # Looked for in the text of the list: to make a set of it would take ten times as long, and as much memory.
    return word.isalpha() and f'\n"{word}":'.encode() in _listed()


@lru_cache(maxsize=1)
def _listed() -> bytes:
    path = Path(np.__file__).parents[1] / _LIST
    if not path.is_file():
        from importlib.metadata import PackageNotFoundError, files  # noqa: PLC0415 - slow, and seldom needed

        try:
            path = next(Path(str(file.locate())) for file in files(_PACKAGE) or () if file.as_posix() == _LIST)
        except (PackageNotFoundError, StopIteration):
            return b""
    try:
        return gzip.decompress(path.read_bytes())
    except (OSError, EOFError):
        return b""
