"""What precedes a message, request after request: memory, one room's file, and the report of what was loaded."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from oldsoul.context.bootstrap import FileStatus
from oldsoul.testing import FrozenClock
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from oldsoul.app import Agent

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
OWN, DEV = Session.dm(), Session.group("dev")


@contextmanager
def home(tmp_path: Path, config: str = "") -> Iterator[Agent]:
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home/config.yaml").write_text(f"timezone: UTC\n{config}")
    with open_home(tmp_path / "home", {}, clock=FrozenClock(NOON)) as soul:
        yield soul.agent()


def workspace(tmp_path: Path) -> Path:
    return tmp_path / "home/workspace/main"


def test_what_is_loaded_of_memory_stands_before_the_users_message(tmp_path: Path) -> None:
    with home(tmp_path) as agent:
        agent.remember("The cat is called Mia")
        agent.talk.append_daily_log("Planted tulips", session=OWN)
        loaded = agent.memory.load_workspace_memory(is_dm=True)
        assert agent.prompt("", session=OWN).text == loaded
        made = agent.prompt("xylophone", session=OWN).text
        assert made.endswith("\n\nxylophone")
        assert made.index("Mia") < made.index("xylophone")
        assert made.index("tulips") < made.index("xylophone")


def test_workspace_text_is_put_in_at_every_request_as_it_is_then(tmp_path: Path) -> None:
    with home(tmp_path) as agent:
        (workspace(tmp_path) / "MEMORY.md").write_text("# Memory\n\n- The cat is called Mia\n")
        for _ in range(3):
            assert "Mia" in agent.prompt("hello", session=OWN).text
        (workspace(tmp_path) / "MEMORY.md").write_text("# Memory\n\n- The cat is called Rex\n")
        (workspace(tmp_path) / "SOUL.md").write_text("# Soul\n\nYou are a lighthouse keeper.\n")
        later = agent.prompt(session=OWN)  # without a message: recall may be two seconds behind
        assert "Rex" in later.text
        assert "Mia" not in later.text
        assert "lighthouse keeper" in later.system.text


def test_a_rooms_file_is_read_by_a_safe_name_and_no_other_rooms(tmp_path: Path) -> None:
    rooms = ("dev", "Dev", "../../USER", "a/b", "!room:server.org", "开发")
    with home(tmp_path) as agent:
        (workspace(tmp_path) / "USER.md").write_text("# Operator\n\n- The salary is a secret\n")
        for number, name in enumerate(rooms):
            agent.hear(f"Remember that the word of the day is w{number}w", session=Session.group(name), sender="Ann")
            agent.hear("ok", session=Session.group(name), sender="Ben")
            agent.talk.end(Session.group(name))
        for number, name in enumerate(rooms):
            text = agent.memory.load_room_context(name)
            assert [other for other in range(len(rooms)) if f"w{other}w" in text] == [number]
            assert "secret" not in text
        assert agent.memory.load_room_context("nowhere") == ""
        assert agent.memory.load_room_context("") == ""


def test_what_a_rooms_file_keeps_from_the_room_is_not_loaded(tmp_path: Path) -> None:
    with home(tmp_path) as agent:
        (workspace(tmp_path) / "rooms").mkdir(exist_ok=True)
        (workspace(tmp_path) / "rooms/dev.md").write_text(
            "# dev\n\n- The build is green\n- The budget is a secret <!--os aaaaaaaaaa aud=owner-->\n"
        )
        assert agent.memory.load_room_context("dev") == "- The build is green"


def test_the_report_tells_sizes_what_is_missing_and_what_is_near_or_over_its_limit(tmp_path: Path) -> None:
    with home(tmp_path, "bootstrapMaxChars: 1000\n") as agent:
        (workspace(tmp_path) / "AGENTS.md").write_text("# Rules\n\n" + "Be brief." * 95)
        (workspace(tmp_path) / "TOOLS.md").write_text("# Tools\n\n" + "A hammer." * 200)
        (workspace(tmp_path) / "SOUL.md").unlink()
        made = agent.prompt("", session=OWN)
        notes = {note.name: note for note in made.files}
        assert (notes["AGENTS.md"].state, notes["AGENTS.md"].size) == (FileStatus.LOADED, len("# Rules\n\n") + 855)
        assert notes["AGENTS.md"].is_near
        assert (notes["TOOLS.md"].state, notes["TOOLS.md"].shown <= 1000) == (FileStatus.CUT, True)
        assert notes["SOUL.md"].state is FileStatus.MISSING
        told = "\n".join(made.notes)
        assert "SOUL.md is missing" in told
        assert "AGENTS.md has 864 of 1,000 characters and will soon be cut" in told
        assert "TOOLS.md has 1,809 characters" in told


def test_a_file_that_has_come_near_the_size_it_may_have_is_told_of_to_those_who_see_it(tmp_path: Path) -> None:
    with home(tmp_path) as agent:
        for path in ("AGENTS.md", "MEMORY.md"):
            (workspace(tmp_path) / path).write_text("- x\n" + "a " * int(16384 * 0.81 / 2))
        told = "\n".join(agent.prompt("", session=OWN).notes)
        assert "AGENTS.md has 13,274 of 16,384 bytes; once it is full, nothing can be added" in told
        assert "MEMORY.md has 13,274 of 16,384 bytes" in told
        others = "\n".join(agent.prompt("", session=DEV).notes)
        assert "AGENTS.md has" in others
        assert "MEMORY.md" not in others
        (workspace(tmp_path) / "AGENTS.md").write_text("a" * int(16384 * 0.79))
        assert "AGENTS.md" not in "\n".join(agent.prompt("", session=OWN).notes)
