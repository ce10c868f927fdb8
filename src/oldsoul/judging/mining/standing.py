"""Standing instructions: what was asked for once and holds for every reply, or whenever something comes up."""

from __future__ import annotations

from functools import lru_cache

from oldsoul.language.cues import cue, straight
from oldsoul.language.sentences import ends_in_question, sentences
from oldsoul.rules.own_words import own_words
from oldsoul.rules.promotion import bare, spoken

_LONGEST = 2000
"""Longer texts are handed over to be worked on, and do not say how."""


@lru_cache(maxsize=20_000)
def is_standing(text: str) -> bool:
    """Whether a remembered sentence tells the agent how to behave from now on."""
    code = spoken(text)
    said = bare(straight(text), code)
    return (
        cue("keep", "standing", code).search(said) is not None or cue("keep", "instruct", code).match(said) is not None
    )


def holds_for_good(text: str) -> bool:
    """Whether a message likely tells the agent what to do from now on: one sentence says `you`, and `any`, `when` or the like.

    What it is about does not matter, and what it quotes does not count. About half of what is told so are no instructions:
    it may order and mark, not write.
    """
    said = straight(own_words(text)) if len(text) <= _LONGEST else ""
    code = spoken(said)
    anytime, you, address, others = (cue("keep", kind, code) for kind in ("anytime", "you", "address", "others"))
    return anytime.search(said) is not None and any(
        anytime.search(each) is not None
        and not ends_in_question(each)
        and (you.search(each) is not None or address.search(each) is not None)
        and others.search(each) is None
        for each in sentences(said)
    )
