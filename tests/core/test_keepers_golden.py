"""Golden cases of the keepers: the files before, what is said, who runs, and the files after."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from oldsoul.documents import parse
from oldsoul.values.sessions import Session
from talk_bench import Talk, talk

if TYPE_CHECKING:
    from oldsoul.documents import Entry

GOLDEN = Path(__file__).parents[1] / "golden" / "keepers.md"
CASE = re.compile(r"^## (.+)\n\n?((?:````\w+.*\n(?:.*\n)*?````\n+)+)", re.MULTILINE)
BLOCK = re.compile(r"^````(\w+) ?(.*)\n((?:.*\n)*?)````$", re.MULTILINE)
SAID = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d) (\S+) (\w+): (.*)")


def cases() -> list[object]:
    found = [(title, BLOCK.findall(blocks)) for title, blocks in CASE.findall(GOLDEN.read_text("utf-8"))]
    assert len({title for title, _ in found}) == len(found) >= 20
    return [pytest.param(blocks, id=title) for title, blocks in found]


def session(where: str) -> Session:
    kind, _, rest = where.partition(":")
    if kind == "room":
        return Session.group(rest, id=f"in-{rest}")
    return Session.dm(rest or None, id=f"with-{rest.replace(':', '-') or 'owner'}")


def said(t: Talk, text: str) -> None:
    """Lines of talk: when, where (`dm`, `dm:acct:7`, `room:dev`), who, and the words; `main` is the agent."""
    for line in text.splitlines():
        match = SAID.fullmatch(line)
        assert match, line
        time = datetime.fromisoformat(match[1]).replace(tzinfo=UTC)
        if time > t.clock.now():
            t.clock.advance(time - t.clock.now())
        where, who = session(match[2]), match[3]
        people = {"Nora": "acct:owner", "Ann": "acct:7", "Ben": "acct:8"}
        role = "assistant" if who == "main" else "tool" if who == "page" else "user"
        t.agent.hear(match[4], session=where, sender=who, role=role, subject=people.get(who), time=time)


def shown(entry: Entry, *, marks: bool) -> str:
    """An entry as the golden file has it: its section, its words, its bookkeeping without the id."""
    fields = " ".join(f"{key}={value}" for key, value in sorted(entry.fields.items())) if marks else ""
    kept = entry.body if entry.form == "dated" else entry.text
    old = [line.strip() for line in b"".join(entry.lines[1:]).decode().splitlines() if "<!-- was" in line]
    return "\n".join([f"{entry.section} | {kept}{f' <{fields}>' if fields else ''}", *old])


@pytest.mark.parametrize("blocks", cases())
def test_files_become_what_the_golden_file_says(blocks: list[tuple[str, str, str]]) -> None:
    t = talk(next((text for name, _, text in blocks if name == "config"), "timezone: UTC\n"))
    for name, about, text in blocks:
        match name:
            case "before":
                t.agent.put(about, text.encode())
            case "said":
                said(t, text)
            case "run":
                for line in text.splitlines():
                    when, _, keeper = line.rpartition(" ")
                    if when:
                        t.clock.advance(datetime.fromisoformat(when).replace(tzinfo=UTC) - t.clock.now())
                    assert all(report.done for report in t.agent.run(keeper))
            case "after":
                path, _, flags = about.partition(" ")
                document = parse(t.agent.show(path).data or b"", is_log=t.agent.name(path).is_log)
                found = [shown(entry, marks="marks" in flags) for entry in document.entries if entry.form != "prose"]
                assert "".join(f"{one}\n" for one in found) == text
            case "waiting":
                assert "".join(f"{p.change_set.reason}\n" for p in t.agent.proposals()) == text
            case "config":
                pass
            case _:
                raise AssertionError(name)
