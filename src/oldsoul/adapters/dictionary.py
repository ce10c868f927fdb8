"""What is an English word, by the list that comes with Oldsoul."""

from __future__ import annotations

import gzip
import zlib
from functools import lru_cache
from pathlib import Path

_LIST = Path(__file__).parents[1] / "tables/english.txt.gz"


class EnglishWords:
    """The words of the list, which is opened when first asked for."""

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and word.isascii() and word.isalpha() and _is_listed(word)


@lru_cache(maxsize=1 << 12)
def _is_listed(word: str) -> bool:
    """Looked for in the text of the list: to make a set of it would take ten times the time and memory."""
    return f"\n{word}\n".encode() in _listed()


@lru_cache(maxsize=1)
def _listed() -> bytes:
    """All of it; nothing where it is gone or damaged."""
    try:
        return b"\n%b\n" % gzip.decompress(_LIST.read_bytes())
    except (OSError, EOFError, zlib.error):
        return b""
