"""The scripted month, lived: every message heard at its time, every session ended, every keeper run when it is due."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from oldsoul.documents import parse
from oldsoul.testing import FrozenClock
from oldsoul.values.names import Kind
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oldsoul.app import Agent, Oldsoul
    from oldsoul.driver import Report
    from oldsoul.ports import Model

MONTH = Path(__file__).parent / "month"
ZONE = ZoneInfo("Europe/Berlin")
OWNER = "acct:owner"
NIGHTLY = (
    ("02:30", "soul-keeper"),
    ("03:00", "memory-compactor"),
    ("03:30", "vector-hygiene"),
    ("06:00", "memory-miner"),
    ("07:00", "conflict-detector"),
)
WEEKLY = ("memory-compactor", "vector-hygiene")


def lines(name: str, folder: Path = MONTH) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines() if line.strip()]


def session_of(message: dict[str, Any]) -> Session:
    if message["kind"] == "group":
        return Session.group(message["room"], id=message["session"])
    return Session.dm(message["with"], id=message["session"])


def month(folder: Path = MONTH, days: int = 31) -> list[dict[str, Any]]:
    """The messages of its first days, each with whom its session is with."""
    messages = [m for m in lines("month.jsonl", folder) if datetime.fromisoformat(m["time"]).day <= days]
    people = {m["session"]: m["subject"] for m in messages if m["kind"] == "dm" and m["subject"]}
    return [{**m, "with": people.get(m["session"], OWNER)} for m in messages]


@dataclass(slots=True)
class Life:
    """A home in which the month is lived."""

    soul: Oldsoul
    agent: Agent
    clock: FrozenClock
    zone: ZoneInfo = ZONE
    reports: list[Report] = field(default_factory=list)
    numbers: dict[int, int] = field(default_factory=dict)
    """each scripted message and its number in the log"""

    def live(self, messages: Sequence[dict[str, Any]], said: Callable[[Life], None] = lambda _: None) -> None:
        """Hear everything in order; when a session is over it is ended, and at night the keepers run."""
        last_of = {m["session"]: m["id"] for m in messages}
        for message in messages:
            time = datetime.fromisoformat(message["time"])
            self.nights(time)
            heard = self.agent.hear(
                message["text"],
                session=session_of(message),
                sender=message["sender"],
                role=message.get("role") or ("assistant" if message["subject"] is None else "user"),
                subject=message["subject"],
                time=time,
                key=f"month:{message['id']}",
            )
            self.numbers[message["id"]] = heard.message.id
            said(self)
            if last_of[message["session"]] == message["id"]:
                self.clock.advance(timedelta(minutes=31))
                self.reports += self.agent.talk.end(message["session"])
        self.nights(self.clock.now() + timedelta(days=2))

    def nights(self, until: datetime) -> None:
        """Move the clock on; keepers that come due on the way run at their times."""
        now = self.clock.now().astimezone(self.zone)
        for days in range((until.astimezone(self.zone).date() - now.date()).days + 1):
            day = now.date() + timedelta(days=days)
            for when, keeper in NIGHTLY:
                hour, minute = map(int, when.split(":"))
                due = datetime(day.year, day.month, day.day, hour, minute, tzinfo=self.zone)
                if not now < due <= until or (keeper in WEEKLY and day.weekday() != 6):
                    continue
                self.clock.advance(due - self.clock.now())
                self.reports += self.agent.run(keeper)
        if until > self.clock.now():
            self.clock.advance(until - self.clock.now())

    # what is left of it

    def entries(self) -> list[tuple[str, Any]]:
        """What long-term memory holds: MEMORY.md, the rooms, and what went to the archive."""
        found = []
        for name in self.soul._home.world.store.names(self.agent.id):
            if name.kind in (Kind.MEMORY, Kind.ROOM) or name.path.startswith("Archive/Memory/"):
                data = self.agent._parts.read(name).data or b""
                found += [(name.path, entry) for entry in parse(data).entries if entry.fields.get("src")]
        return found

    def text(self, path: str) -> str:
        return (self.agent.files.show(path).data or b"").decode()


def begun(home: Path, model: Model | None = None, config: str = "") -> Life:
    """A home on the eve of the month."""
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.yaml").write_text(f"timezone: Europe/Berlin\n{config}", "utf-8")
    clock = FrozenClock(datetime(2026, 3, 1, 8, 0, tzinfo=ZONE))
    soul = open_home(home, {}, clock, model)
    return Life(soul, soul.agent(), clock)
