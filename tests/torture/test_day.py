"""A day of many sessions, the process killed at random moments: the result is that of the undisturbed day."""

from __future__ import annotations

import os
import random
import signal
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from oldsoul.testing import FrozenClock
from oldsoul.values.messages import Wanted
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home
from scale import scaled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


SESSIONS = scaled(20, 50)
KILLS = scaled(8, 30)
NOON = datetime(2026, 2, 4, 12, 0, tzinfo=UTC)
CONFIG = "timezone: UTC\nmemory: {workspace: {daily_log_retention_days: 30}}\n"
WORDS = (
    "We met Tomás in Berlin and decided to buy the house number {n}.",
    "Please remember that the brass key number {n} opens the archive of the mill.",
    "remember that I'm allergic to nut number {n}",
    "TODO: water plant {k}",
    "- [x] water plant {k}",
    "look at https://example.org/{n} please. let's follow up with Ann on point {n}",
    "记住，第{n}号合同由王律师保管。",
)


def session(number: int) -> Session:
    kinds = (
        lambda: Session.dm(f"acct:{number % 7}", id=f"dm {number}"),
        lambda: Session.group(f"room {number % 3}", id=f"group {number}"),
        lambda: Session.dm(id=f"own {number}"),
    )
    return kinds[number % 3]()


def prepared(home: Path) -> None:
    """A home that had days before this one, and memories: a few more, and the oldest go to the archive."""
    memory = home / "workspace/main/memory"
    memory.mkdir(parents=True)
    home.joinpath("config.yaml").write_text(CONFIG)
    for day in range(1, 10):
        (memory / f"2025-12-0{day}.md").write_bytes(b"# 2025-12-0%d\n\nold, by hand\n" % day)
    full = "".join(f"- Crate {n} went to the mill (added 2025-11-{n % 28 + 1:02})\n" for n in range(270))
    memory.with_name("MEMORY.md").write_text(f"# Memory\n\n## Knowledge\n\n{full}")


def live(home: Path, done: Callable[[str], None]) -> None:
    """The whole day; what was done before is not done again."""
    with open_home(home, {}, clock=FrozenClock(NOON)) as soul:
        done("open")
        agent = soul.agent()
        for number in range(SESSIONS):
            talk = session(number)
            for part in range(2):
                last = 0
                for line in range(3):
                    k = (number * 5 + part * 3 + line) % len(WORDS)
                    heard = agent.hear(
                        WORDS[k].format(n=number, k=number % 11),
                        session=talk,
                        sender=f"P{number}",
                        time=NOON - timedelta(hours=3) + timedelta(minutes=number, seconds=part * 20 + line),
                        key=f"{number}.{part}.{line}",
                    )
                    last = heard.message.id
                    done("heard")
                # A session is ended at two moments of its life; one that was is not ended again on the way back.
                if (part or number % 2) and agent._parts.log.session(talk.id).summarised < last:
                    assert all(report.done for report in agent.talk.end(talk))
                    done("ended")
            if not number % 10:
                agent.talk.append_daily_log(f"After {number}.", session=talk, key=f"log {number}")
                done("logged")
        agent._parts.days.archive_old()


def remains(home: Path) -> dict[str, object]:
    """Everything the day left behind."""
    workspace = home / "workspace/main"
    found: dict[str, object] = {
        str(path.relative_to(workspace)): path.read_bytes() for path in sorted(workspace.rglob("*.md"))
    }
    with open_home(home, {}, clock=FrozenClock(NOON)) as soul:
        agent = soul.agent()
        found["messages"] = list(agent._parts.log.every(Wanted()))
        found["sessions"] = agent._parts.log.sessions()
        found["waiting"] = [waiting.id for waiting in agent.review.proposals()]
        found["reasons"] = sorted(change.reason for change in agent.files.history(limit=10_000))
    return found


def tell(pipe: int, what: str) -> None:
    os.write(pipe, f"{what}\n".encode())


def disturbed(home: Path, chance: random.Random) -> int:
    """The same day, killed again and again; how often it was."""
    for kill in range(KILLS):
        readable, writable = os.pipe()
        process = os.fork()
        if not process:
            code = 1
            with suppress(BaseException):
                os.close(readable)
                live(home, partial(tell, writable))
                code = 0
            os._exit(code)
        os.close(writable)
        steps = chance.randrange(1, 60)
        said = b""
        while said.count(b"\n") < steps and (more := os.read(readable, 4096)):
            said += more
        for _ in range(chance.randrange(60_000)):
            pass
        os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
        os.close(readable)
        if os.WIFEXITED(status):
            assert os.waitstatus_to_exitcode(status) == 0
            return kill
    live(home, lambda _: None)
    return KILLS


def test_a_day_that_was_killed_again_and_again_ends_like_the_undisturbed_one(tmp_path: Path) -> None:
    calm, rough = tmp_path / "calm", tmp_path / "rough"
    for home in (calm, rough):
        prepared(home)
    live(calm, lambda _: None)
    kills = disturbed(rough, random.Random(4))  # noqa: S311 - a test
    assert kills > 0  # how often before it is over depends on how busy the machine is
    expected, found = remains(calm), remains(rough)
    assert sorted(found) == sorted(expected)
    for what, value in expected.items():
        assert found[what] == value, what
    assert "Archive/Daily/2025-12-01.md" in expected
    assert any(str(path).startswith("Archive/Memory/") for path in expected)
    assert len([path for path in expected if str(path).startswith("memory/2026-02-04/")]) == SESSIONS


def test_the_day_may_be_lived_twice(tmp_path: Path) -> None:
    prepared(tmp_path / "home")
    live(tmp_path / "home", lambda _: None)
    once = remains(tmp_path / "home")
    live(tmp_path / "home", lambda _: None)
    assert remains(tmp_path / "home") == once
