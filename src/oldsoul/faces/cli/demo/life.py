"""Makes the demo home: plays the script day by day, with a clock that is moved, through the public methods."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oldsoul.errors import Unavailable
from oldsoul.faces.cli.demo.models import ScriptReader
from oldsoul.faces.cli.demo.script import Step, file, script
from oldsoul.testing import FrozenClock, ScriptedTalker
from oldsoul.values.sessions import Session, Subject
from oldsoul.values.talking import Usage
from oldsoul.wiring import open_home, write_config

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    from oldsoul.app import Oldsoul
    from oldsoul.faces.cli.demo.script import Line

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
            self._agent.sync_index()

    def _date_files(self) -> None:
        """Have each file look as old as its last change is."""
        folder = self._soul.parts.world.places.folder(self._agent.id)
        for each in self._agent.files():
            at = datetime.fromisoformat(self._agent.history(each.name.path, limit=1)[0].at).timestamp()
            os.utime(Path(folder, each.name.path), (at, at))

    # time

    def _moment(self, step: Step) -> datetime:
        day = self._last - timedelta(days=DAYS - step.day)
        return datetime.combine(day, step.at, self._agent.parts.zone)

    def _until(self, moment: datetime) -> None:
        """Move the clock on; keepers that come due on the way run."""
        now = self._clock.now().astimezone(self._agent.parts.zone)
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
            self._agent.end_session(session)

    def _session(self, step: Step) -> Session:
        day = f"{self._moment(step):%Y-%m-%d}"
        if "room" in step.given:
            return Session.group(step.given["room"], id=f"{step.given['room']}-{day}")
        name = step.given["with"]
        return Session.dm(self._script.people[name], id=f"{name.lower()}-{day}-{step.at:%H%M}")

    def _say(self, line: Line, reply: Line | None, session: Session, *, replies: bool) -> None:
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
        self._agent.put(path, file(text).encode(), reason=reason)

    def _note(self, text: str) -> None:
        self._agent.append_daily_log(text)

    def _propose(self, tool: str, person: str, **arguments: Any) -> None:
        self._agent.call_tool(tool, arguments, session=Session.dm(self._script.people[person]))

    def _approve(self, words: str, old: str = "", new: str = "") -> None:
        """Approve the proposal that has these words, if wanted with others in their place."""
        found = self._waiting(words)
        texts = self._agent.preview(found)
        edited = {name: (after or b"").replace(old.encode(), new.encode()) for name, (_, after) in texts.items()}
        self._agent.approve(found, edited=edited if old else None)

    def _reject(self, words: str, why: str) -> None:
        self._agent.reject(self._waiting(words), why)

    def _waiting(self, words: str) -> str:
        """The id of the proposal that would write these words."""
        for each in self._agent.proposals():
            texts = self._agent.preview(each.id).values()
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
        self._agent.promote(text, self._script.people[person])

    def _run(self, keeper: str) -> None:
        self._agent.run(keeper)

    def _undo(self, path: str) -> None:
        """Undo the last change of a file."""
        self._agent.undo(self._agent.history(path, limit=1)[0].id)

    def _edit(self, path: str, after: str, line: str) -> None:
        """Add a line to a file as an editor does, past Oldsoul, which notices it."""
        place = Path(self._soul.parts.world.places.folder(self._agent.id), path)
        place.write_text(place.read_text("utf-8").replace(f"{after}\n", f"{after}\n{line}\n", 1), "utf-8")
        self._agent.history(path, limit=1)
