"""Two homes in which the same was said to everybody, one of them with private texts besides."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from oldsoul.testing import FrozenClock
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from oldsoul.app import Agent

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
ANN, DEV = Session.dm("acct:7", rooms=frozenset({"dev"})), Session.group("dev")
OUTSIDERS = (ANN, DEV, Session.dm("acct:9"), Session.group("other"), Session.cron("job"))
PRIVATE = (Session.dm(), Session.dm("acct:8"), Session.group("board"))
THINGS = ("garden", "server", "boiler", "budget", "piano", "bicycle", "contract", "kitchen", "猫", "harbour")
QUESTIONS = (
    "what about the garden?",
    "when is the boiler repaired?",
    "what did Ben say about the piano",
    "who is Zebulon?",
    "where is the gardn contract",
    "猫在哪里？",
    "what is the harbourmaster called?",
    "how tall is the tower of the observatory?",
)


def sentence(chance: random.Random) -> str:
    one, other = chance.sample(THINGS, 2)
    return f"The {one} needs {chance.randrange(2, 90)} things for the {other} by {chance.randrange(1, 28)} May"


def say(agent: Agent, session: Session, chance: random.Random, names: tuple[str, ...]) -> None:
    """Something is said, or noted in the diary."""
    if chance.random() < 0.2:
        agent.talk.append_daily_log(sentence(chance), session=session, user=chance.choice(names))
    else:
        agent.hear(sentence(chance), session=session, sender=chance.choice(names))


def told(home: Path, seed: int, config: str, environ: Mapping[str, str], *, private: int) -> list[Any]:
    """What outsiders are told by a home with so many private texts for each that they may see."""
    home.mkdir()
    (home / "config.yaml").write_text(f"timezone: UTC\n{config}")
    common, hidden = random.Random(seed), random.Random(seed + 1)  # noqa: S311 - a test
    found: list[Any] = []
    clock = FrozenClock(NOON)
    with open_home(home, environ, clock=clock) as soul:
        agent = soul.agent()
        for step in range(60):
            for _ in range(private):
                session = hidden.choice(PRIVATE)  # who is called like the operator is marked, so nobody else is
                say(agent, session, hidden, ("Zebulon",) if session is PRIVATE[0] else ("Ann", "Carla"))
                if hidden.random() < 0.3:
                    agent.remember(f"{sentence(hidden)}, {hidden.randrange(1 << 30)}")
            say(agent, common.choice((ANN, DEV)), common, ("Ann", "Ben"))
            if step in {10, 59}:
                if private:
                    agent.recall("warm up", session=Session.dm())
                found += [_told(agent, question, session) for session in OUTSIDERS for question in QUESTIONS]
            clock.advance(timedelta(hours=3))
    return found


def _told(agent: Agent, question: str, session: Session) -> Any:
    """An answer without the numbers of lines and messages."""
    recalled = agent.recall(question, session=session, counted=False)
    hits = [
        (hit.chunk.path, hit.chunk.text, hit.chunk.speaker, hit.chunk.time, hit.score, hit.why) for hit in recalled.hits
    ]
    return question, session.id, recalled.answer, hits, recalled.notes
