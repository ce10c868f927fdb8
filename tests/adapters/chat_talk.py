"""Conversations of any kind and questions about them, for property tests of chat logs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, TypeVar

from hypothesis import strategies as st

from oldsoul.language.words import words
from oldsoul.values.audience import OWNER, PUBLIC, Audience
from oldsoul.values.messages import ROLES, Flag, Message, Wanted
from oldsoul.values.origin import Origin
from oldsoul.values.sessions import Session, Subject

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")
START = datetime(2026, 2, 4, 12, tzinfo=UTC)
WORKSPACES = ("main", "other")
ROUTES = ("mine", "grow_soul")
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=20)  # lone surrogates too
SPOKEN = st.lists(
    st.sampled_from(
        ["cat", "CAT", "dogs", "猫和狗", "AI助手", "-", '"', "*", "AND", "x:y", "№5", "\x00", "\ud800", "ไทย", "ß"]
    ),
    max_size=6,
).map(" ".join)
TEXTS = SPOKEN | ANY_TEXT
IDS = st.sampled_from(["a", "b", "Große:Halle", "房间", "x" * 100, "' \" %s ? \\", "a.b", "~a"])
ROOMS = IDS | st.just("y" * 1000)  # as long as they may be; the ids of sessions within sessions add up
SUBJECTS = IDS.map(lambda name: Subject(f"acct:{name}")) | IDS.map(lambda name: Subject(f"ext:irc:{name}"))
AUDIENCES = st.sampled_from([PUBLIC, OWNER]) | IDS.map(Audience.room) | SUBJECTS.map(lambda s: Audience.person(s.id))
PLAIN_SESSIONS = (
    st.builds(Session.dm, SUBJECTS, id=IDS, rooms=st.frozensets(ROOMS, max_size=3))
    | st.builds(Session.group, ROOMS, id=IDS, subject=st.none() | SUBJECTS)
    | st.builds(Session.cron, IDS, sees=st.lists(AUDIENCES, max_size=2).map(tuple))
    | st.just(Session.group(""))
)
SESSIONS = st.recursive(
    PLAIN_SESSIONS,
    lambda inner: (
        st.builds(Session.team, IDS, st.none() | inner) | st.builds(Session.subagent, inner, id=st.just("") | IDS)
    ),
    max_leaves=3,
)
ZONES = st.sampled_from([UTC, timezone(timedelta(hours=5.5)), timezone(timedelta(hours=-11))])
TIMES = st.builds(
    lambda seconds, zone: (START + timedelta(seconds=seconds)).astimezone(zone),
    st.integers(-3, 3) | st.integers(-(10**10), 10**10) | st.floats(-9, 9),
    ZONES,
)
FLAGS = st.builds(Flag, st.just("custom"), st.sampled_from(ROUTES) | ANY_TEXT, st.just("high"), ANY_TEXT)
MESSAGES = st.builds(
    Message,
    workspace=st.sampled_from(WORKSPACES),
    session=SESSIONS,
    role=st.sampled_from(ROLES),
    sender=ANY_TEXT,
    subject=st.none() | SUBJECTS,
    text=TEXTS,
    time=TIMES,
    origin=st.sampled_from(Origin),
    audience=AUDIENCES,
    key=st.integers(0, 9).map(str) | ANY_TEXT,
    channel=st.sampled_from(["", "cli"]) | ANY_TEXT,
    flags=st.lists(FLAGS, max_size=2).map(tuple),
)


@dataclass(frozen=True)
class Talk:
    """What is logged, what is redacted, and what is asked."""

    calls: list[list[Message]]
    redacted: dict[int, str]
    """by place in the order of coming"""
    questions: list[tuple[Wanted, int | None, int | None]]
    """each with the places of the messages whose numbers stand for `after` and `past`"""


@st.composite
def talks(draw: st.DrawFn) -> Talk:
    calls = draw(st.lists(st.lists(MESSAGES, max_size=5), min_size=1, max_size=4))
    said = [message for call in calls for message in call]
    places = st.integers(0, max(0, len(said) - 1))
    redacted = draw(st.dictionaries(places, TEXTS, max_size=2))
    place = st.none() | places
    questions = draw(st.lists(st.tuples(wanted(said), place, place), min_size=1, max_size=8)) if said else []
    return Talk(calls, redacted, questions)


def wanted(said: Sequence[Message]) -> st.SearchStrategy[Wanted]:
    """Any question, more often than not about something that was said."""

    def of(read: Callable[[Message], str]) -> st.SearchStrategy[str]:
        return st.just("") | st.sampled_from([read(message) for message in said]) | ANY_TEXT

    spoken = [word for message in said for word in words(message.text)] or ["cat"]
    return st.builds(
        Wanted,
        session=of(lambda message: message.session.id),
        subject=of(lambda message: message.subject.id if message.subject else ""),
        room=of(lambda message: message.session.room),
        words=st.just("") | st.lists(st.sampled_from(spoken), max_size=3).map(" ".join) | TEXTS,
        flagged=st.sampled_from(["", *ROUTES]) | ANY_TEXT,
        since=st.none() | TIMES,
        until=st.none() | TIMES,
        newest_first=st.booleans(),
        limit=st.integers(0, 4) | st.just(100),
    ).flatmap(_mostly_open)


def _mostly_open(wanted: Wanted) -> st.SearchStrategy[Wanted]:
    """The question with few of its restrictions: with all of them it would find nothing."""
    names = ("session", "subject", "room", "words", "flagged", "since", "until")
    empty = Wanted()
    kept = st.sets(st.sampled_from(names), max_size=2)
    return kept.map(lambda keep: replace(wanted, **{name: getattr(empty, name) for name in names if name not in keep}))
