"""Makes the demo home: plays the script day by day, with a clock that is moved, through the public methods."""

from __future__ import annotations

import json
import os
import re
from dataclasses import field
from datetime import UTC, datetime, time, timedelta
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from oldsoul.errors import Unavailable
from oldsoul.testing import FrozenClock, ScriptedTalker
from oldsoul.values.frozen import frozen
from oldsoul.values.models import Reply, Usage
from oldsoul.values.sessions import Session, Subject
from oldsoul.wiring import open_home, write_config

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import date

    from oldsoul.app import Oldsoul


_SAID = re.compile(r"^#(\d+) .*?: (.*)$", re.MULTILINE)
_WRITTEN = re.compile(r"^\[(\w+)\] (\d{4}-\d\d-\d\d) (.*)$", re.MULTILINE)
_WORD = re.compile(r"\w{4,}")


class ScriptReader:
    """The model of the keepers."""

    def __init__(self, script: Script) -> None:
        self.problem: Exception | None = None
        """why it does not answer; None while it does"""
        self._talks = [step.talk for step in script.steps if step.talk]
        self._lines = {line.text: line for talk in self._talks for line in talk.lines}

    def answer(self, system: str, text: str, schema: Mapping[str, Any]) -> Reply:
        """What a question of a keeper asks for, quoted from the question."""
        if self.problem is not None:
            raise self.problem
        said = [(int(number), self._lines[words]) for number, words in _SAID.findall(text) if words in self._lines]
        found = json.dumps(self._found(said, text, schema["properties"]), ensure_ascii=False)
        return Reply(found, (len(system) + len(text)) // 4, len(found) // 4)

    def _found(self, said: Sequence[tuple[int, DemoMessage]], text: str, wanted: Mapping[str, Any]) -> dict[str, Any]:
        if "summary" in wanted:
            return self._summary(said)
        if "items" in wanted:
            kept = [(number, line.text, tag, words) for number, line in said for tag, words in line.keep]
            return {"items": [{"tag": t, "text": words, "message": n, "quote": q} for n, q, t, words in kept]}
        if "lines" in wanted:
            days = _WRITTEN.findall(text)[:8]
            return {"lines": [{"day": d, "text": told, "entries": [e], "quote": told} for e, d, told in days]}
        if "edits" in wanted:
            edits = [_edit(number, line) for number, line in said if line.soul]
            return {"edits": edits[:3], "drift": []}
        if "contradictions" in wanted:
            return {"contradictions": []}
        return {"kind": "none", "quote": "", "correct": "", "old": "", "new": "", "check": ""}

    def _summary(self, said: Sequence[tuple[int, DemoMessage]]) -> dict[str, Any]:
        if not said:
            return {"summary": "", "items": [], "promote": None}
        lines = {line.text for _, line in said}
        talk = max(self._talks, key=lambda each: len(lines & {line.text for line in each.lines}))
        promoted = [(number, line) for number, line in said if line.promote]
        promote = None
        if promoted:
            number, line = promoted[0]
            promote = {"section": "Key Facts", "text": line.promote, "message": number, "quote": line.text}
        return {"summary": talk.summary, "items": _items(talk, said), "promote": promote}


def _items(talk: DemoConversation, said: Sequence[tuple[int, DemoMessage]]) -> list[dict[str, Any]]:
    """What is left of a conversation, each item with the message that has most of its words."""
    found = []
    for section, title, text, done in talk.items:
        words = set(_WORD.findall(f"{title} {text}".lower()))
        number, line = max(said, key=lambda each: len(words & set(_WORD.findall(each[1].text.lower()))))
        item: dict[str, Any] = {
            "section": section,
            "title": title,
            "text": text,
            "below": [],
            "done": done,
            "replaces": "",
        }
        found.append({**item, "message": number, "quote": line.text})
    return found


def _edit(number: int, line: DemoMessage) -> dict[str, Any]:
    section, title, text = line.soul or ("", "", "")
    edit = {"section": section, "title": title, "text": text, "replaces": "", "correction": ""}
    return {**edit, "message": number, "quote": line.text}


_FILES = resources.files("oldsoul").joinpath("templates", "demo")


@frozen
class DemoMessage:
    """One message, with what a model finds in it."""

    speaker: str
    """who says it, by the name in the script"""
    text: str
    """the message"""
    keep: tuple[tuple[str, str], ...] = ()
    """what the memory miner learns from it: tag and text"""
    soul: tuple[str, str, str] | None = None
    """what the soul keeper makes of it: section, title and text"""
    promote: str = ""
    """what of it goes into the person's long-term memory"""


@frozen
class DemoConversation:
    """A conversation, with what is left of it."""

    lines: tuple[DemoMessage, ...]
    """the messages"""
    summary: str = ""
    """what it was about, in a sentence"""
    items: tuple[tuple[str, str, str, bool | None], ...] = ()
    """what its file holds: section, title, text, and whether a task is done"""


@frozen
class Step:
    """Something that happens."""

    day: int
    """on which day, from 1"""
    at: time
    """when"""
    what: str
    """what is done: `talk`, or the name of a method"""
    given: dict[str, Any] = field(default_factory=dict)
    """how"""
    talk: DemoConversation | None = None
    """the conversation"""


@frozen
class Script:
    """The whole life."""

    agent: str
    """the agent's name"""
    people: dict[str, str]
    """names and ids, the operator first"""
    steps: tuple[Step, ...]
    """what happens, in order"""


_SECTIONS = {"notes": "Session Summary", "facts": "Temporary Facts", "tasks": "Tasks", "follow_ups": "Follow Ups"}


def file(path: str) -> str:
    """A text that belongs to the script."""
    return _FILES.joinpath(path).read_text("utf-8")


def script() -> Script:
    """The script."""
    read = yaml.safe_load(file("life.yaml"))
    steps = [_step(day, each) for day, steps in read["days"].items() for each in steps]
    return Script(read["agent"], read["people"], tuple(steps))


def _step(day: int, read: dict[str, Any]) -> Step:
    at = time.fromisoformat(read.pop("at"))
    if "talk" not in read:
        ((what, given),) = read.items()
        return Step(day, at, what, given)
    lines = tuple(_line(each) for each in read.pop("talk"))
    items = [
        (section, each.get("title", ""), each["text"], each.get("done", False if key == "tasks" else None))
        for key, section in _SECTIONS.items()
        for each in read.pop(key, ())
    ]
    return Step(day, at, "talk", talk=DemoConversation(lines, read.pop("summary", ""), tuple(items)), given=read)


def _line(read: dict[str, Any]) -> DemoMessage:
    kept = tuple((tag, text) for each in read.pop("keep", ()) for tag, text in each.items())
    soul, promote = read.pop("soul", None), read.pop("promote", "")
    ((speaker, text),) = read.items()
    return DemoMessage(speaker, text, kept, tuple(soul) if soul else None, promote)


DAYS = 14
_NIGHT = ("02:30", "03:00", "03:30", "06:00", "07:00")
"""When the keepers' schedule has something to do."""
_PAUSE = timedelta(minutes=1)
"""Between two messages."""
_SILENCE = timedelta(minutes=31)
"""After which a conversation has ended."""
_REPLIES = 4
"""On so many last days the agent replies with what it remembers; earlier replies are only logged, which is faster."""
_PROBLEMS = {
    "away": Unavailable("the language model did not answer within 60 seconds"),
    "broken": ConnectionResetError("the connection to the language model was reset"),
}


class Life:
    """A home in which the script is played; the agent talks with a model that says its lines."""

    def __init__(self, folder: Path, last: date, told: Callable[[int], None]) -> None:
        self._script, self._last, self._told = script(), last, told
        self._clock = FrozenClock(datetime(last.year, last.month, last.day, tzinfo=UTC) - timedelta(days=DAYS))
        self._model, self._talker = ScriptReader(self._script), ScriptedTalker()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_config(folder, file("config.yaml"))
        self._soul: Oldsoul = open_home(folder, {}, self._clock, self._model, talker=self._talker)
        self._agent = self._soul.agent()
        self._scheduler = self._soul.scheduler()

    def play(self) -> None:
        """Play it from its first day to its last, and let go of the home."""
        with self._soul:
            before = 0
            for step in self._script.steps:
                if step.day != before:
                    self._told(step.day)
                    before = step.day
                self._until(self._moment(step))
                if step.talk:
                    self._hold(step)
                else:
                    getattr(self, f"_{step.what}")(**step.given)
            self._date_files()
            self._agent.index.sync()

    def _date_files(self) -> None:
        """Have each file look as old as its last change is."""
        folder = self._agent.files.folder
        for each in self._agent.files.all():
            at = datetime.fromisoformat(self._agent.files.history(each.name.path, limit=1)[0].at).timestamp()
            os.utime(Path(folder, each.name.path), (at, at))

    # time

    def _moment(self, step: Step) -> datetime:
        day = self._last - timedelta(days=DAYS - step.day)
        return datetime.combine(day, step.at, self._agent.zone)

    def _until(self, moment: datetime) -> None:
        """Move the clock on; keepers that come due on the way run."""
        now = self._clock.now().astimezone(self._agent.zone)
        for days in range((moment.date() - now.date()).days + 1):
            for at in _NIGHT:
                due = datetime.combine(now.date() + timedelta(days=days), datetime.min.time(), now.tzinfo)
                due += timedelta(hours=int(at[:2]), minutes=int(at[3:]))
                if self._clock.now() < due <= moment:
                    self._clock.advance(due - self._clock.now())
                    self._scheduler.tick()
        if moment > self._clock.now():
            self._clock.advance(moment - self._clock.now())

    # talk

    def _hold(self, step: Step) -> None:
        """Have a conversation; what the agent says in it replies to the message before."""
        talk, given = step.talk, step.given
        assert talk is not None  # noqa: S101 - for the type checker
        session = self._session(step)
        lines = [*talk.lines]
        while lines:
            line = lines.pop(0)
            reply = lines.pop(0) if lines and lines[0].speaker == self._script.agent else None
            self._say(line, reply, session, replies=step.day > DAYS - _REPLIES)
        if not given.get("goes_on"):
            self._clock.advance(_SILENCE)
            self._agent.talk.end(session)

    def _session(self, step: Step) -> Session:
        day = f"{self._moment(step):%Y-%m-%d}"
        if "room" in step.given:
            return Session.group(step.given["room"], id=f"{step.given['room']}-{day}")
        name = step.given["with"]
        return Session.dm(self._script.people[name], id=f"{name.lower()}-{day}-{step.at:%H%M}")

    def _say(self, line: DemoMessage, reply: DemoMessage | None, session: Session, *, replies: bool) -> None:
        self._clock.advance(_PAUSE)
        said: dict[str, Any] = {"sender": line.speaker, "subject": Subject(self._script.people[line.speaker])}
        if reply is None or not replies:
            self._agent.hear(line.text, session=session, **said)
            if reply:
                self._agent.hear(reply.text, session=session, role="assistant", sender=reply.speaker)
            return
        text = reply.text
        self._talker.script.append(
            lambda request: [text, Usage(sum(len(t.text) for t in request.turns) // 4, len(text) // 4, "demo")]
        )
        self._agent.respond(line.text, session=session, **said)

    # what else happens

    def _remember(self, **given: Any) -> None:
        self._agent.remember(**given)

    def _correct(self, **given: Any) -> None:
        self._agent.correct(**given)

    def _save(self, path: str, text: str, reason: str) -> None:
        self._agent.files.put(path, file(text).encode(), reason=reason)

    def _note(self, text: str) -> None:
        self._agent.talk.append_daily_log(text)

    def _propose(self, tool: str, person: str, **arguments: Any) -> None:
        self._agent.call_tool(tool, arguments, session=Session.dm(self._script.people[person]))

    def _approve(self, words: str, old: str = "", new: str = "") -> None:
        """Approve the proposal that has these words, if wanted with others in their place."""
        found = self._waiting(words)
        texts = self._agent.review.preview(found)
        edited = {name: (after or b"").replace(old.encode(), new.encode()) for name, (_, after) in texts.items()}
        self._agent.review.approve(found, edited=edited if old else None)

    def _reject(self, words: str, why: str) -> None:
        self._agent.review.reject(self._waiting(words), why)

    def _waiting(self, words: str) -> str:
        """The id of the proposal that would write these words."""
        for each in self._agent.review.proposals():
            texts = self._agent.review.preview(each.id).values()
            if any(
                words in (after or b"").decode() and words not in (before or b"").decode() for before, after in texts
            ):
                return each.id
        raise LookupError(f"no proposal says {words!r}")

    def _model_fails(self, problem: str) -> None:
        """For half an hour the keepers have no model."""
        self._model.problem = _PROBLEMS[problem]
        self._until(self._clock.now() + _SILENCE)
        self._model.problem = None

    def _promote(self, text: str, person: str) -> None:
        self._agent.memory.promote(text, self._script.people[person])

    def _run(self, keeper: str) -> None:
        self._agent.run(keeper)

    def _undo(self, path: str) -> None:
        """Undo the last change of a file."""
        self._agent.undo(self._agent.files.history(path, limit=1)[0].id)

    def _edit(self, path: str, after: str, line: str) -> None:
        """Add a line to a file as an editor does, past Oldsoul, which notices it."""
        place = Path(self._agent.files.folder, path)
        place.write_text(place.read_text("utf-8").replace(f"{after}\n", f"{after}\n{line}\n", 1), "utf-8")
        self._agent.files.history(path, limit=1)
