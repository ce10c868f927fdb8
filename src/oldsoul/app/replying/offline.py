"""What an agent replies where it has no language model: what memory says, where it stands, and that it does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from oldsoul.app.prompts.reading import asks
from oldsoul.app.prompts.tools import citation, cites
from oldsoul.context.presenting import one_line, without_date
from oldsoul.errors import Refused
from oldsoul.values.recall import SESSIONS

if TYPE_CHECKING:
    from oldsoul.app.agent_recall import AgentRecall
    from oldsoul.app.talk.log import Heard
    from oldsoul.values.recall import Hit
    from oldsoul.values.sessions import Session

_LOOKED_AT, _SHOWN, _CLOSE = 20, 3, 0.5
NOTED = "Noted. I have no language model, so I only answer questions from memory."
CORRECTED = "Corrected."
UNKNOWN = "I do not know: memory holds nothing about this."
OFF = "I cannot answer: I have no language model, and memory is turned off."


class Offline(NamedTuple):
    """A reply from memory alone."""

    text: str
    """the reply"""
    answer: str
    """`found`, `unsure`, `unknown` or `conflicting`; empty to what asks nothing"""


def offline(agent: AgentRecall, message: str, session: Session, heard: Heard | None) -> Offline:
    """What memory has to say to a message."""
    if heard is not None and heard.corrected is not None and heard.corrected.changes:
        return Offline(CORRECTED, "")
    if not asks(message):
        return Offline(NOTED, "")
    try:
        found = agent.recall(message, session=session, limit=_LOOKED_AT)
    except Refused:
        return Offline(OFF, "")
    hits = [hit for hit in found.hits if _states(hit)]
    if found.answer == "unknown" or not hits:
        return Offline(UNKNOWN, "unknown")
    if found.answer == "conflicting":
        pairs = {entry for pair in found.disagreeing for entry in pair}
        both = [hit for hit in hits if hit.chunk.entry in pairs] or hits[:2]
        said = "\n".join(f"- {_line(agent, hit, session)}" for hit in both)
        return Offline(f"Memory disagrees, and nobody has settled it:\n{said}", "conflicting")
    if found.answer == "found":
        return Offline(_line(agent, hits[0], session), "found")
    close = [hit for hit in hits[:_SHOWN] if hit.score >= hits[0].score * _CLOSE]
    said = "\n".join(f"- {_line(agent, hit, session)}" for hit in close)
    return Offline(f"I am not sure. This is the closest I remember:\n{said}", "unsure")


def _states(hit: Hit) -> bool:
    """Whether a hit says something: it is no question, and nothing that the agent itself said in a conversation."""
    return not (hit.chunk.source == SESSIONS and (hit.chunk.by_agent or asks(hit.chunk.text)))


def _line(agent: AgentRecall, hit: Hit, session: Session) -> str:
    """What was remembered, by whom and when it was said, and where it stands, as far as it may be named here."""
    chunk = hit.chunk
    day = chunk.day(agent.zone)
    about = ", ".join(filter(None, (chunk.speaker, str(day or ""))))
    where = f" {citation(chunk)}" if cites(agent, session) else ""
    return f"{one_line(without_date(chunk.text))}{f' ({about})' if about else ''}{where}"
