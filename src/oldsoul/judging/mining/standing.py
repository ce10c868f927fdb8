"""Standing instructions: what was asked for once and holds for every reply. Search does not find them, so they are told apart."""

from __future__ import annotations

from functools import lru_cache

from oldsoul.language.cues import cue, straight
from oldsoul.rules.promotion import bare, spoken


@lru_cache(maxsize=20_000)
def is_standing(text: str) -> bool:
    """Whether a remembered sentence tells the agent how to behave from now on."""
    code = spoken(text)
    said = bare(straight(text), code)
    return (
        cue("keep", "standing", code).search(said) is not None or cue("keep", "instruct", code).match(said) is not None
    )
