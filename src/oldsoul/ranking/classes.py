"""Kinds of things and what belongs to them, so that a question about instruments finds the violin.

General English, one word a member, from `en.txt`: of names with several words the one that tells. Questions are widened by it, texts
are not.
"""

from __future__ import annotations

from functools import cache, lru_cache

from oldsoul.language.languages import ENGLISH
from oldsoul.language.word_lists import word_list
from oldsoul.ranking.terms import terms


@cache
def _lists() -> dict[str, list[str]]:
    """Lists of members by the term that names their kind; a kind of two words by both, with a space."""
    found: dict[str, list[str]] = {}
    for kind in word_list("rank")[ENGLISH]["classes"].split(" | "):
        names, _, listed = kind.partition(" = ")
        for name in names.split(","):
            found.setdefault(" ".join(terms(name)), []).append(listed)
    return found


@lru_cache(maxsize=256)
def _belonging(name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(term for listed in _lists().get(name, ()) for term in terms(listed)))


def members(term: str, follower: str = "") -> tuple[str, ...]:
    """The terms of what belongs to a kind, by the term that names it and perhaps the one after; none for no kind."""
    return _belonging(f"{term} {follower}") or _belonging(term)
