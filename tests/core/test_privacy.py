"""What was said in private never reaches a group: canaries over random sessions, people, rooms and lost comments."""

from __future__ import annotations

import random
import re
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.blocks import block
from oldsoul.documents import parse
from oldsoul.rules.audience import entry_audience, seen_entries
from oldsoul.values.audience import Audience, View
from oldsoul.values.names import Kind, longterm, room
from oldsoul.values.sessions import Session
from scale import scaled
from talk_bench import Talk, talk
from twins import told

if TYPE_CHECKING:
    from pathlib import Path

PEOPLE = ("acct:owner", "acct:7", "ext:telegram:8", "ext:telegram:9")
ROOMS = ("dev", "Küche")
SESSIONS = (
    *(Session.dm(person, rooms=frozenset(ROOMS[:1])) for person in PEOPLE),
    *(Session.group(name) for name in ROOMS),
    Session.group(""),
    Session.cron("job"),
    Session.cron("job for two", sees=(Audience.person("acct:7"), Audience.room("dev"))),
    Session.subagent(Session.dm("acct:7")),
    Session.subagent(Session.group("dev")),
    Session.team("crew", Session.group("dev")),
    Session.team("crew alone"),
)
SAYINGS = (
    "I met {} at the station yesterday. We decided to buy the house.",
    "Please remember that the {} project ships on our own servers",
    "remember that I'm allergic to {}",
    "TODO: call {}",
    "I finished the report about {}. done: water the plants",
    "TODO: water the plants",
    "- [x] water the plants",
    "look at https://example.org/{} for the details, please",
    "let's follow up with {} about the garden",
    "记住，{}的合同都由王律师保管。",
    "{}",
    "hello",
)
CANARY = re.compile(r"zq\d{4}q", re.IGNORECASE)
ACTIONS = st.lists(
    st.tuples(st.just("say"), st.integers(0, len(SESSIONS) - 1), st.integers(0, len(SAYINGS) - 1), st.integers(0, 3))
    | st.tuples(st.just("end"), st.integers(0, len(SESSIONS) - 1))
    | st.tuples(st.just("lose"), st.integers(0, 1 << 30))
    | st.tuples(st.just("log"), st.integers(0, len(SESSIONS) - 1))
    | st.tuples(st.just("bind"), st.integers(2, 3))
    | st.tuples(st.just("unbind"), st.integers(2, 3))
    | st.tuples(st.just("day")),
    min_size=15,
    max_size=scaled(25, 120),
)
MARK = re.compile(rb" *<!--os [^\n]*?-->")


class World:
    """A home in which every word that was said is known, with those who may hear it."""

    def __init__(self) -> None:
        self.talk: Talk = talk("timezone: UTC\nmemory: {short_term_days: 30, injection: {max_items: 1000}}\n")
        self.said: dict[str, Audience] = {}
        """canaries, and who may see them"""
        self.joined: set[Audience] = set()
        """those who are acct:7, or were: what was theirs is that account's for good"""
        self.lost = False
        """whether comments were lost: what nobody says whose it is, is the owner's"""

    def canary(self, session: Session) -> str:
        word = f"zq{len(self.said):04}q"
        self.said[word] = self.talk.soul._home.people.audience(session)
        return word

    def do(self, action: tuple[object, ...]) -> None:
        match action:
            case ("say", int(place), int(saying), int(person)):
                session = SESSIONS[place]
                text = SAYINGS[saying].format(self.canary(session))
                who = "" if session.subject else PEOPLE[person]
                role = "assistant" if saying % 5 == 4 and person == 0 else "user"
                self.talk.say(session, text, sender=f"P{person}", role=role, person=who if role == "user" else "")
            case ("end", int(place)):
                known = {held.thread.session.id for held in self.talk.agent._parts.log.sessions()}
                if SESSIONS[place].id in known:
                    self.talk.end(SESSIONS[place])
            case ("log", int(place)):
                session = SESSIONS[place]
                self.talk.agent.talk.append_daily_log(f"Talked of {self.canary(session)}.", session=session, user="P")
            case ("lose", int(seed)):
                self.lose(random.Random(seed))  # noqa: S311 - a test
            case ("bind", int(person)):
                self.talk.soul.bind(PEOPLE[person], "acct:7")
                self.joined.add(Audience.person(PEOPLE[person]))
            case ("unbind", int(person)):
                self.lost = True  # a session on both sides of it has two circles, whose words together are the owner's
                if PEOPLE[person] in self.talk.soul._home.people.bindings():
                    self.talk.soul.unbind(PEOPLE[person])
            case ("day",):
                self.talk.clock.advance(timedelta(days=1))

    def lose(self, chance: random.Random) -> None:
        """Somebody's editor drops some of our comments."""
        self.lost = True
        for name in self.talk.store.names("main"):
            data = self.talk.store.read(name).data or b""
            lost = MARK.sub(lambda mark: b"" if chance.random() < 0.4 else mark[0], data)
            if lost != data:
                self.talk.store.save_outside(name, lost)
                self.talk.agent._parts.read(name)

    def may_see(self, view: View, word: str) -> bool:
        audience = self.said[word]
        return view.sees(audience) or (audience in self.joined and view.sees(Audience.person("acct:7")))

    def shown(self, session: Session) -> str:
        """Everything of daily logs, session files, rooms, people's memory and the memory block that a session may see."""
        view = self.talk.soul._home.people.view(session)
        texts = [block(self.talk.agent._parts, session).text]
        for name in self.talk.store.names("main"):
            if name.kind in (Kind.DAILY, Kind.SESSION, Kind.ROOM, Kind.LONGTERM, Kind.PROFILE, Kind.MEMORY):
                document = parse(self.talk.store.read(name).data or b"", is_log=name.is_log)
                texts += [entry.body for entry in seen_entries(name, document, view)]
                if view.sees(entry_audience(name, document.matter.text("audience"))):
                    texts.append(document.matter.text("summary"))
        return "\n".join(texts)


@given(ACTIONS)
def test_no_session_is_shown_a_word_it_may_not_see(actions: list[tuple[object, ...]]) -> None:
    world = World()
    for action in actions:
        world.do(action)
    for held in world.talk.agent._parts.log.sessions():
        world.talk.end(held.thread.session)
    for session in SESSIONS:
        view = world.talk.soul._home.people.view(session)
        heard = {word.lower() for word in CANARY.findall(world.shown(session))}
        if not (view.owner and world.lost):
            assert {word for word in heard if not world.may_see(view, word)} == set()


def test_what_people_said_is_shown_to_them_and_to_their_rooms() -> None:
    """The test above would hold for a memory that shows nothing to anybody."""
    world = World()
    for place in range(len(SESSIONS)):
        for saying in range(3):
            world.do(("say", place, saying, 1))
        world.do(("end", place))
    for session in SESSIONS[:6]:
        audience = world.talk.soul._home.people.audience(session)
        heard = set(CANARY.findall(world.shown(session)))
        mine = {word for word, who in world.said.items() if who == audience}
        assert len(heard & mine) >= 2, session
    texts = {
        longterm("main", "acct:7"): "the zq0004q project",
        room("main", "dev"): "the zq0013q project",
    }
    for name, words in texts.items():
        assert words in (world.talk.agent._parts.read(name).data or b"").decode()


@pytest.mark.parametrize("seed", range(scaled(1, 6)))
def test_private_texts_change_nothing_of_what_outsiders_are_told(tmp_path: Path, seed: int) -> None:
    """Neither the answer, nor the hits, their order and their scores."""
    alone = told(tmp_path / "alone", seed, "", {}, private=0)
    beside = told(tmp_path / "beside", seed, "", {}, private=3)
    assert any(hits for _, _, _, hits, _ in alone)
    for one, other in zip(alone, beside, strict=True):
        assert one == other
