"""Whether one memory says all that another says, so that the other may go."""

from __future__ import annotations

from oldsoul.documents.model import folded
from oldsoul.language.alike import telling
from oldsoul.language.stemming import stem
from oldsoul.language.words import words
from oldsoul.reading.typed_values import typed_values
from oldsoul.rules.merge.sessions import similarity

_LIMITING = frozenset(
    words("unless except only until instead rather but however anymore formerly previously maybe perhaps probably")
)
"""Words that make another statement of what stands beside them."""


def covers(one: str, other: str) -> bool:
    """Whether the first text says all that the second says, and nothing else than it on any point.

    No number, date, name or negation differs; every word that tells something stands in the first as well.
    """
    if folded(one) == folded(other):
        return True
    if similarity(one, other) <= 0 or _values(one) != _values(other):
        return False
    if (set(words(one)) ^ set(words(other))) & _LIMITING:
        return False
    return {stem(word) for word in telling(other)} <= {stem(word) for word in telling(one)}


def _values(text: str) -> list[tuple[object, ...]]:
    return sorted(((value.kind, value.key, value.unit) for value in typed_values(text)), key=repr)
