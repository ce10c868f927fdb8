"""Questions that no memory answers: asked of a store, they show what its scores look like when it knows nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.language.word_lists import word_list

if TYPE_CHECKING:
    from collections.abc import Sequence


def unanswerable(people: Sequence[str], language: str) -> list[str]:
    """Questions in a language, with the names of those the store knows put in by turns; none in one nobody wrote them in."""
    own = word_list("unanswerable").get(language)
    if own is None:
        return []
    names = list(people) or [own["they"]]
    return [line.format(name=names[at % len(names)]) for at, line in enumerate(own["questions"].split(" | "))]
