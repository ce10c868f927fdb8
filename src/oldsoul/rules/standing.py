"""Instructions that hold whenever something comes up, told by their form: they speak to the agent, and of any occasion."""

from __future__ import annotations

from oldsoul.language.cues import cue, straight
from oldsoul.language.sentences import ends_in_question, sentences
from oldsoul.rules.promotion import spoken

_LONGEST = 2000
"""Longer texts are handed over to be worked on, and do not say how."""


def holds_for_good(text: str) -> bool:
    """Whether a message likely tells the agent what to do from now on: one sentence says `you`, and `any`, `when` or the like.

    What it is about does not matter. About half of what is told so are no instructions: it may order and mark, not write.
    """
    if len(text) > _LONGEST:
        return False
    code, said = spoken(text), straight(text)
    anytime, you, address = (cue("keep", kind, code) for kind in ("anytime", "you", "address"))
    return anytime.search(said) is not None and any(
        anytime.search(each) is not None
        and not ends_in_question(each)
        and (you.search(each) is not None or address.search(each) is not None)
        for each in sentences(said)
    )
