"""Eight threads do everything an agent can do, at once, while somebody watches: no foreign error, everybody gets on."""

from __future__ import annotations

import random
import threading
import time
import traceback
from datetime import date
from typing import TYPE_CHECKING, Any

from core.every_verb import WITH_SESSION, WITHOUT, verbs
from oldsoul.app.home.world import RebuildRequest
from oldsoul.errors import OldsoulError
from oldsoul.values.messages import Wanted
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home
from scale import scaled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from oldsoul.app import Agent

    Verb = Callable[[Agent, random.Random], object]

OWN, DEV, ANN = Session.dm(), Session.group("dev"), Session.dm("acct:7")
SESSIONS = (OWN, DEV, ANN)
THREADS = 8
LIMIT = 600
"""Seconds after which a thread that has not come to its end counts as stuck."""


def word(chance: random.Random) -> str:
    return f"w{chance.randrange(200)}"


def said(chance: random.Random) -> str:
    return f"Parcel {word(chance)} of {word(chance)} stands in bay {chance.randrange(90)}"


def change(agent: Agent, chance: random.Random) -> int:
    return chance.choice(agent.files.history(limit=20)).id


def entry(agent: Agent, chance: random.Random) -> tuple[Any, str]:
    found = agent.memory.find("parcel", "MEMORY.md")
    made = agent.remember(said(chance))
    name, one = chance.choice(found) if found else (made.name, None)
    return name, one.id if one else made.entry


def proposal(agent: Agent, chance: random.Random) -> str:
    """One that waits, also when it is none of ours."""
    return chance.choice([each.id for each in agent.review.proposals()] or ["none"])


def anywhere(call: Callable[[Agent, Session], object]) -> Verb:
    return lambda agent, chance: call(agent, chance.choice(SESSIONS))


def as_it_is(call: Callable[[Agent], object]) -> Verb:
    return lambda agent, _: call(agent)


VERBS: dict[str, Verb] = {
    **{name: anywhere(call) for name, call in WITH_SESSION.items()},
    **{name: as_it_is(call) for name, call in WITHOUT.items()},
    "keepers.answer": lambda a, c: [
        a.keepers.answer(one.id, word(c), session=OWN) for one in a.keepers.work(session=OWN, limit=1)
    ],
    "talk.append_daily_log": lambda a, c: a.talk.append_daily_log(said(c), session=c.choice(SESSIONS)),
    "review.approve": lambda a, c: a.review.approve(proposal(a, c)),
    "talk.calendar": lambda a, _: a.talk.calendar(date(2026, 1, 1), date(2026, 12, 31)),
    "call_tool": lambda a, c: a.call_tool("write_memory", {"content": said(c)}, session=c.choice(SESSIONS)),
    "files.change": lambda a, c: a.files.change(change(a, c)),
    "review.conflicts": lambda a, _: a.review.conflicts(""),
    "context": lambda a, c: a.context(said(c), session=c.choice(SESSIONS)),
    "correct": lambda a, c: a.correct(f"not {word(c)} but {word(c)}", wrong=word(c), right=word(c)),
    "talk.day": lambda a, c: a.talk.day(date(2026, 2, c.randint(1, 28))),
    "files.delete": lambda a, _: a.files.delete("USER.md", base=a.files.show("USER.md").version),
    "files.diff": lambda a, c: a.files.diff(change(a, c)),
    "memory.edit": lambda a, c: a.memory.edit("MEMORY.md", entry(a, c)[1], said(c)),
    "talk.end": lambda a, c: a.talk.end(c.choice(SESSIONS), dry_run=c.random() < 0.5),
    "memory.entries": lambda a, c: a.memory.entries(session=c.choice(SESSIONS), words=word(c), offset=c.randrange(3)),
    "memory.entry": lambda a, c: a.memory.entry("MEMORY.md", entry(a, c)[1]),
    "exchange": lambda a, c: a.exchange(said(c), session=c.choice(SESSIONS)).answered("ok"),
    "extra_problems": lambda a, _: a._parts.extra_problems(),
    "files.file": lambda a, _: a.files.file("MEMORY.md"),
    "memory.find": lambda a, c: a.memory.find(word(c)),
    "findings": lambda a, _: a._parts.findings(),
    "forget": lambda a, c: a.forget(*entry(a, c)),
    "talk.forget_message": lambda a, c: a.talk.forget_message(a.hear(said(c), session=c.choice(SESSIONS)).message.id),
    "memory.forget_secret": lambda a, c: a.memory.forget_secret(
        c.choice([*(one.id for one in a.memory.secrets()), "none"])
    ),
    "hear": lambda a, c: a.hear(said(c), session=c.choice(SESSIONS), sender="Ann"),
    "talk.import_messages": lambda a, c: a.talk.import_messages(
        [f'{{"text": "{said(c)}", "session": "old", "room": "dev", "time": "2026-02-04T10:00:00Z"}}']
    ),
    "make_index": lambda a, _: a._parts.make_index(RebuildRequest(lambda _done, _total: None)),
    "talk.message": lambda a, c: a.talk.message(c.randint(1, 40)),
    "talk.messages": lambda a, c: a.talk.messages(Wanted(words=word(c))),
    "review.preview": lambda a, c: a.review.preview(proposal(a, c)),
    "memory.promote": lambda a, c: a.memory.promote(said(c), "acct:7"),
    "prompt": lambda a, c: a.prompt(said(c), session=c.choice(SESSIONS)),
    "review.proposal": lambda a, c: a.review.proposal(proposal(a, c)),
    "files.put": lambda a, c: a.files.put("USER.md", f"# User\n\n- {said(c)}\n".encode()),
    "read": lambda a, _: a._parts.read(a._parts.name("MEMORY.md")),
    "recall": lambda a, c: a.recall(f"where is parcel {word(c)}?", session=c.choice(SESSIONS)),
    "files.reconciled": lambda a, _: a.files.reconciled("MEMORY.md", b"- mine\n", a.files.show("MEMORY.md").version),
    "review.reject": lambda a, c: a.review.reject(proposal(a, c)),
    "remember": lambda a, c: a.remember(said(c)),
    "files.reset": lambda a, _: a.files.reset("IDENTITY.md"),
    "respond": lambda a, c: a.respond(said(c), session=c.choice(SESSIONS)),
    "talk.restore_day": lambda a, c: a.talk.restore_day(date(2026, 2, c.randint(1, 28))),
    "run": lambda a, c: a.run("memory-miner", dry_run=c.random() < 0.5),
    "talk.session": lambda a, c: a.talk.session(c.choice(SESSIONS).id),
    "talk.sessions": lambda a, _: a.talk.sessions(limit=2),
    "review.settle": lambda a, c: a.review.settle(
        c.choice([each.id for each in a.review.conflicts()] or ["none"]), "both"
    ),
    "files.soul_diff": lambda a, c: a.files.soul_diff(str(change(a, c))),
    "files.soul_rollback": lambda a, c: a.files.soul_rollback(str(change(a, c))),
    "start": lambda a, _: [a.start("rebuild_index").cancel(), a.start("run", "memory-miner")],
    "steps_of": lambda a, c: a._parts.steps_of(*entry(a, c)),
    "stream": lambda a, c: [*a.stream(f"where is {word(c)}?", session=c.choice(SESSIONS))],
    "team": lambda a, c: a.team(said(c), session=OWN),
    "undo": lambda a, c: a.undo(change(a, c)),
    "unindex": lambda a, _: a._parts.unindex(),
    "unsearched": lambda a, _: a._parts.unsearched(),
    "used": lambda a, c: a._parts.used([entry(a, c)[1]], OWN),
    "files.summaries": lambda a, _: a.files.summaries(a.files.history()),
    "files.versions": lambda a, _: list(a.files.versions("MEMORY.md")),
    "files.version_at": lambda a, c: a.files.version_at("MEMORY.md", change(a, c)),
    "count_tokens": lambda a, c: a.count_tokens(said(c)),
    "keepers.run": lambda a, c: list(a.keepers.run("memory-miner", dry_run=c.random() < 0.5)),
    "talk.asked": lambda a, c: a.talk.asked(c.choice(SESSIONS).id),
    "talk.audience": lambda a, c: a.talk.audience(c.choice(SESSIONS)),
    "talk.conversation": lambda a, c: a.talk.conversation(c.choice(SESSIONS).id),
    "talk.every": lambda a, c: list(a.talk.every(Wanted(words=word(c)))),
    "talk.files": lambda a, c: a.talk.files(c.choice(SESSIONS).id),
    "talk.log_lines": lambda a, c: a.talk.log_lines([f'{{"text": "{said(c)}", "session": "old", "room": "dev"}}']),
    "talk.person": lambda a, _: a.talk.person("acct:7"),
    "talk.unsummarised": lambda a, _: [a.talk.unsummarised(one) for one in a.talk.sessions(limit=2)],
    "memory.withdraw": lambda a, c: a.memory.withdraw(word(c)),
    "keepers.work": lambda a, _: a.keepers.work(session=OWN, limit=3),
}
"""As the table of every verb calls them, or in a way that finds something to do."""


class Worker(threading.Thread):
    """Does one verb after the other, and notes what was no error of ours."""

    def __init__(self, agent: Agent, seed: int, verbs: list[str], until: float) -> None:
        super().__init__(daemon=True)
        self.done = 0
        self.foreign: list[str] = []
        self._agent, self._chance, self._verbs, self._until = agent, random.Random(seed), verbs, until  # noqa: S311

    def run(self) -> None:
        for name in self._verbs:
            if time.monotonic() > self._until:
                break
            try:
                VERBS[name](self._agent, self._chance)
            except OldsoulError:
                pass
            except BaseException:  # noqa: BLE001 - it is what is looked for
                self.foreign.append(f"{name}: {traceback.format_exc()}")
            self.done += 1


def test_every_public_verb_is_among_them() -> None:
    assert verbs().keys() <= VERBS.keys()


def test_eight_threads_of_every_verb_get_on_without_a_foreign_error(tmp_path: Path) -> None:
    with open_home(tmp_path / "home", {}) as soul:
        agent = soul.agent()
        for number in range(20):
            agent.remember(f"Parcel w{number} stands in bay {number}")
            agent.hear(f"Parcel w{number} is Ann's", session=SESSIONS[number % 3], sender="Ann")
        watcher = soul.watch(every=0.1)
        watcher.start()
        names = sorted(VERBS)
        until = time.monotonic() + scaled(LIMIT, 120)
        workers = []
        for seed in range(THREADS):
            chance = random.Random(seed)  # noqa: S311 - a test
            verbs = [name for _ in range(scaled(1, 10_000)) for name in chance.sample(names, len(names))]
            workers.append(Worker(soul.agent(), seed, verbs[: scaled(16, 10_000_000)], until))
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(2 * LIMIT)
        assert [error for worker in workers for error in worker.foreign] == []
        assert not any(worker.is_alive() for worker in workers)
        assert all(worker.done >= 16 for worker in workers), [worker.done for worker in workers]
        assert watcher._thread is not None
        assert watcher._thread.is_alive()
        assert agent.recall("where is the parcel?", session=OWN).hits


def test_recall_gets_on_beside_somebody_who_forgets_without_pause(tmp_path: Path) -> None:
    """Forgetting takes rows out: the index is never made anew, and what is recalled meanwhile is never what was forgotten."""
    with open_home(tmp_path / "home", {}) as soul:
        agent = soul.agent()
        for number in range(30):
            agent.remember(f"Crate c{number} is full of xylophones" if number % 2 else f"Shelf s{number} is empty")
        assert agent.recall("crate", session=OWN).hits
        made: list[str] = []

        def rebuild(*_: object) -> bool:
            made.append("anew")
            return False

        vars(agent._parts.home.world.searches)["rebuild"] = rebuild
        stop, errors = threading.Event(), []
        gone: list[str] = []

        def forget() -> None:
            while not stop.is_set():
                try:
                    new = soul.agent().remember(f"Crate x{len(gone)} holds contraband{len(gone)}")
                    soul.agent().forget(new.name, new.entry)
                except BaseException:  # noqa: BLE001 - told below
                    errors.append(traceback.format_exc())
                    return
                gone.append(f"contraband{len(gone)}")

        thread = threading.Thread(target=forget)
        thread.start()
        asked = 0
        while asked < scaled(20, 150) or len(gone) < scaled(3, 20):
            forgotten = list(gone)
            texts = " ".join(
                hit.chunk.text for hit in agent.recall("contraband in crate c1", session=OWN, limit=50).hits
            )
            assert "c1 " in texts
            assert not any(word in texts.split() for word in forgotten)
            asked += 1
        stop.set()
        thread.join(LIMIT)
        assert errors == []
        assert made == []
    for file in (tmp_path / "home/cache/index").rglob("*"):
        data = file.read_bytes() if file.is_file() else b""
        assert not [word for word in gone if word.encode() in data], file
