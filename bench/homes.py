"""Talk as data sets have it, and fresh homes in which it is heard without a model and which tell what became of memory."""

from __future__ import annotations

import json
import re
import tempfile
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.documents import parse
from oldsoul.testing import FrozenClock
from oldsoul.values.names import Kind
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from oldsoul.values.recall import Hit, Recalled

BEGUN = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)
A_DAY, WEEKS = 50, 3
"""So many messages of the operator a day where the data have no dates, and so many weeks of them in one home."""
_LOOKED = 6
_MORNING = timedelta(hours=7, minutes=30)
_LASTING = (Kind.MEMORY, Kind.USER, Kind.ROOM, Kind.LONGTERM, Kind.PROFILE, Kind.CORRECTIONS, Kind.CONFLICTS)
_OPENED = {"CORRECTIONS.md": "opened", "CONFLICTS.md": "conflict"}
_COUNTERS = frozenset({"conf", "seen", "n"})


class Talk(NamedTuple):
    """One conversation: its id, when it began, and its turns (role, words, whether they answer the question)."""

    id: str
    begun: datetime
    turns: Sequence[tuple[str, str, bool]]


class Asked(NamedTuple):
    """A person's talks, and the question asked after them."""

    id: str
    question: str
    kind: str
    when: datetime
    talks: Sequence[Talk]


class Home:
    """A fresh home without a model, in which talk is heard and the keepers run by their own schedule in the morning."""

    def __init__(self, folder: str, begun: datetime) -> None:
        Path(folder, "config.yaml").write_text("timezone: UTC\n", "utf-8")
        self.clock = FrozenClock(begun)
        self.soul = open_home(folder, {}, self.clock)
        self.agent = self.soul.agent()
        self.schedule = self.soul.scheduler()
        self.schedule.tick()
        self.said: dict[str, tuple[str, str]] = {}
        """each message by its reference in memory: its id in the data, its words"""
        self.changed: list[tuple[str, str, str]] = []
        """what became of entries: what, by which message or by keepers, their words"""
        self._known = self.entries()

    def until(self, when: datetime) -> None:
        """Move the clock on; the keepers run on the next morning, if that comes before."""
        now = self.clock.now()
        morning = now.replace(hour=0, minute=0) + _MORNING
        morning += timedelta(days=morning <= now)
        if morning <= when:
            self.clock.advance(morning - now)
            self.schedule.tick()
            self.look("keepers")
        self.clock.advance(max(when - self.clock.now(), timedelta()))

    def say(self, text: str, session: Session, name: str = "", role: str = "user", subject: str | None = None) -> None:
        """One message is heard, a minute after the last."""
        self.clock.advance(timedelta(minutes=1))
        heard = self.agent.hear(text, session=session, role=role, subject=subject, time=self.clock.now())
        self.said[f"m:{heard.message.id}"] = name, text
        if heard.corrected is not None:
            self.look(name)

    def hear(self, talk: Talk) -> None:
        """A conversation of the operator, from its time to its end."""
        self.until(talk.begun)
        session = Session.dm(id=talk.id)
        for number, (role, text, _) in enumerate(talk.turns):
            if text.strip():
                self.say(text, session, f"{talk.id}:{number}", role)
        self.end(session)

    def end(self, session: Session) -> None:
        """A conversation is over."""
        self.clock.advance(timedelta(minutes=31))
        self.agent.talk.end(session)
        self.look("keepers")

    def entries(self) -> dict[str, tuple[str, dict[str, str], str]]:
        """Every entry of long-term memory, correction and conflict by its id: its words, fields and file."""
        found = {}
        for name in self.soul._home.world.store.names(self.agent.id):
            if name.kind in _LASTING or name.path.startswith(("Archive/Memory/", "Archive/Corrections/")):
                for entry in parse(self.agent._parts.read(name).data or b"", is_log=name.is_log).entries:
                    found[entry.id] = entry.body if name.is_log else entry.text, dict(entry.fields), name.path
        return found

    def look(self, cause: str) -> None:
        """Note which entries are not as they were: other words, other marks, gone; and what was opened."""
        before, self._known = self._known, self.entries()
        for key, (text, fields, path) in self._known.items():
            if key not in before:
                by = self.said.get(fields.get("src", ""), (cause, ""))[0]
                self.changed += [(_OPENED[path], by, text)] if path in _OPENED else []
            elif before[key][0] != text:
                self.changed.append(("rewritten", cause, f"{before[key][0]} -> {text}"))
            elif any(name not in _COUNTERS for name, _ in before[key][1].items() ^ fields.items()):
                self.changed.append(("marked", cause, text))
        self.changed += [("gone", cause, before[key][0]) for key in before.keys() - self._known.keys()]

    def ask(self, question: str, session: Session | None = None, when: datetime | None = None) -> Recalled:
        """What memory has to say."""
        self.agent.index.sync()
        return self.agent.recall(question, session=session or Session.dm(), limit=_LOOKED, asked=when, counted=False)

    def kept(self) -> list[tuple[str, str]]:
        """What long-term memory holds of what was said: the message, the words."""
        every = [(self.said.get(fields.get("src", "")), text, path) for text, fields, path in self.entries().values()]
        return [(said[0], text) for said, text, path in every if said and "orrections" not in path.lower()]

    def suggested(self, state: str = "") -> list[tuple[list[str], str]]:
        """What was put up for review: the messages it rests on, the words."""
        sets = [one.change_set for one in self.agent.review.proposals(state)]
        texts = [" / ".join(str(getattr(op, "text", op)) for op in one.operations) for one in sets]
        rests = [[self.said[each.ref][0] for each in one.evidence if each.ref in self.said] for one in sets]
        return list(zip(rests, texts, strict=True))

    def came_from(self, hit: Hit) -> set[str]:
        """The messages a hit rests on: the one it is, the one it was made of, or those whose words it repeats."""
        fields = self._known.get(hit.chunk.entry, ("", {}, ""))[1]
        for reference in (hit.chunk.entry, fields.get("src", "")):
            if reference in self.said:
                return {self.said[reference][0]}
        lines = [line.strip(" -*#:.") for line in hit.chunk.text.splitlines()]
        return {
            name for name, text in self.said.values() if any(len(line) > 30 and line[-60:] in text for line in lines)
        }


@contextmanager
def home(begun: datetime) -> Iterator[Home]:
    """A home that is gone afterwards."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        one = Home(folder, begun)
        try:
            yield one
        finally:
            one.soul.close()


# talk nobody here wrote


def asked(file: Path) -> list[Asked]:
    """The questions of a file in LongMemEval's format, each with the talks that come before it."""

    def time(text: str) -> datetime:
        return datetime.strptime(re.sub(r" \(.*?\)", "", text), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)

    found = []
    for one in json.loads(file.read_text("utf-8")):
        named = zip(one["haystack_session_ids"], one["haystack_dates"], one["haystack_sessions"], strict=True)
        talks = [
            Talk(name, time(day), [(turn["role"], turn["content"], turn.get("has_answer", False)) for turn in turns])
            for name, day, turns in sorted(named, key=lambda each: time(each[1]))
        ]
        found.append(
            Asked(one["question_id"], one["question"], one["question_type"], time(one["question_date"]), talks)
        )
    return found


def dialogues(file: Path) -> list[Talk]:
    """The dialogues of a file in EURTAD's format."""
    lines = map(json.loads, file.read_text("utf-8").splitlines())
    return [Talk(one["id"], BEGUN, [(turn["role"], turn["text"], False) for turn in one["turns"]]) for one in lines]


def messages(talks: Iterable[Talk]) -> int:
    """How many messages of the operator there are."""
    return sum(role == "user" for talk in talks for role, _, _ in talk.turns)


def spread(talks: Iterable[Talk]) -> list[list[Talk]]:
    """The talks of homes of three weeks each, so many messages a day, one conversation after the other."""
    homes: list[list[Talk]] = [[]]
    for talk in talks:
        day, number = divmod(messages(homes[-1]), A_DAY)
        if day >= WEEKS * 7:
            day, number = 0, 0
            homes.append([])
        homes[-1].append(talk._replace(begun=BEGUN + timedelta(days=day, minutes=12 * number)))
    return homes
