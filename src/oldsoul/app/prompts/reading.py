"""How a message and what was found for it are read before they go into a context."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from oldsoul.context.presenting import STANDING, line
from oldsoul.language.cues import cue, straight
from oldsoul.language.languages import language
from oldsoul.language.sentences import sentences
from oldsoul.language.word_lists import word_list
from oldsoul.language.words import words
from oldsoul.ranking.question import is_question
from oldsoul.values.ids import segment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date, tzinfo

    from oldsoul.values.context import Piece
    from oldsoul.values.recall import Hit, Recalled
    from oldsoul.values.sessions import Session

_ADDRESS = re.compile(r"^\s*\w+(?: \w+)?[,:]\s+")
_BESIDE = re.compile(r"\(added \d{4}-\d\d-\d\d\)|(?<!\w)#\w+")
_ASKING = frozenset(word for own in word_list("words").values() for word in words(own.get("noted", "")))


def asks(message: str) -> bool:
    """Whether a message wants to know something: to a greeting or a remark there is nothing not to know."""
    spoken = language(message)
    wants = cue("keep", "request", spoken)
    said = [_ADDRESS.sub("", each) for each in sentences(message)]
    return any(is_question(each, spoken) or wants.search(straight(each)) for each in said)


def without_repeats(hits: Sequence[Hit], recalled: Recalled, zone: tzinfo) -> tuple[list[Hit], list[Hit]]:
    """Hits, and those of them that a better one of the same day says in the same words: a message and its entry."""
    kept: list[Hit] = []
    again: list[Hit] = []
    known: set[tuple[date | None, frozenset[str], str]] = set()
    for hit in hits:
        chunk = hit.chunk
        day = chunk.time.astimezone(zone).date() if chunk.time else None
        said = day, _stating(chunk.text), chunk.speaker
        disagrees = any(chunk.entry in pair for pair in recalled.disagreeing)
        (again if said in known and not disagrees else kept).append(hit)
        known |= {said, (*said[:2], "")}  # where somebody is named, it goes for nobody as well
    return kept, again


def beside(recalled: Recalled | None, told: Sequence[Piece], zone: tzinfo) -> Iterator[Piece]:
    """What was found beside the hits and likely says what to do about such things, but for what is told anyway."""
    known = {piece.entry for piece in told}
    for hit in recalled.standing if recalled else ():
        if hit.chunk.entry not in known:
            yield replace(line(hit.chunk, zone, score=hit.score), under=STANDING)


def without_turns(found: Recalled, session: Session, since: int) -> Recalled:
    """What was found but for a session's messages from a number on, which the model is told as turns; 0 for none."""
    own = f"chat/{segment(session.id)}" if since else ""

    def kept(hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
        return tuple(hit for hit in hits if hit.chunk.path != own or hit.chunk.start_line < since)

    return replace(found, hits=kept(found.hits), standing=kept(found.standing))


def _stating(text: str) -> frozenset[str]:
    """The words of a text, without those that only ask to keep it and what the ledger notes beside it."""
    return frozenset(words(_BESIDE.sub(" ", text))) - _ASKING
