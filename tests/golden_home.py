"""Golden cases that are played in a home: files before, what is said and done, and what stands there after."""

from __future__ import annotations

import json
import re
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from click.testing import CliRunner

from oldsoul import wiring
from oldsoul.documents import parse
from oldsoul.faces.cli import cli
from oldsoul.settings import load
from oldsoul.testing import FrozenClock, ScriptedModel
from oldsoul.values.context import Slot
from oldsoul.values.keepers import KEEPERS
from oldsoul.values.messages import Wanted
from oldsoul.values.names import Name
from oldsoul.values.sessions import Session
from talk_bench import START, talk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from oldsoul.app import Agent, Oldsoul
    from oldsoul.app.clock.scheduler import Scheduler
    from oldsoul.documents import Entry
    from oldsoul.driver import Report

    Block = tuple[str, str, str]

GOLDEN = Path(__file__).parent / "golden"
CASE = re.compile(r"^## (.+)\n\n?((?:````\w+.*\n(?:.*\n)*?````\n+)+)", re.MULTILINE)
BLOCK = re.compile(r"^````(\w+) ?(.*)\n((?:.*\n)*?)````$", re.MULTILINE)
SAID = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d) (\S+) (\w+): (.*)")
PEOPLE = {"Nora": "acct:owner", "Ann": "acct:7", "Ben": "acct:8"}
ON_DISK = {"outside", "files", "recall", "context", "clock", "console"}
"""What needs a real home; without, a case is played in memory, which is faster."""


def cases(name: str) -> dict[str, list[Block]]:
    """The cases of a golden file by their titles: each block's name, what stands beside it, and its text."""
    text = (GOLDEN / name).read_text("utf-8") + "\n"
    found = CASE.findall(text)
    made = {title: BLOCK.findall(blocks) for title, blocks in found}
    assert len(made) == len(found), f"{name}: a title stands twice"
    assert sum(map(len, made.values())) == len(re.findall(r"^````\w", text, re.MULTILINE)), f"{name}: a block is lost"
    return made


@dataclass(slots=True)
class Told:
    """What the outside world was told."""

    model: ScriptedModel
    """what is asked of a model"""
    handed: list[str] = field(default_factory=list)
    """what the operator's program was given, call by call"""

    def program(self, argv: Sequence[str], given: bytes, seconds: float, most: int) -> bytes:
        del seconds, most
        call = json.loads(given)
        before = [f"  {one['role']}: {one['text']}" for one in call["before"]]
        self.handed.append("\n".join([f"{' '.join(argv)}: {call['text']}", *before]))
        return b""


class Home:
    """An agent, a clock that stands still between the lines of a case, and what became of its blocks."""

    def __init__(self, soul: Oldsoul, clock: FrozenClock, told: Told) -> None:
        self.soul, self.frozen, self.told = soul, clock, told
        self.agent: Agent = soul.agent()
        self.reports: list[Report] = []

    @cached_property
    def scheduler(self) -> Scheduler:
        """Who runs keepers by the clock, since the first block that asks for it."""
        scheduler = self.soul.scheduler()
        scheduler.tick()
        return scheduler

    def go(self, when: str) -> None:
        """Move the clock; it never goes back."""
        step = datetime.fromisoformat(when).replace(tzinfo=UTC) - self.frozen.now()
        if step.total_seconds() > 0:
            self.frozen.advance(step)

    # what is done

    def before(self, path: str, text: str) -> None:
        """A file that the operator saves."""
        self.agent.files.put(path, text.encode())

    def outside(self, path: str, text: str) -> None:
        """A file of another program, in the home but in no workspace."""
        file = Path(self.soul._home.world.home) / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")

    def alike(self, score: str, _: str) -> None:
        """Vectors by which all texts are as alike as this."""
        self.soul._home.driver.alike = lambda pairs: [float(score)] * len(pairs)

    def said(self, _: str, text: str) -> None:
        """Lines of talk: when, where (`dm`, `dm:acct:7`, `room:dev`), who, and the words."""
        for line in text.splitlines():
            match = SAID.fullmatch(line)
            assert match, line
            self.go(match[1])
            who = match[3]
            role = "assistant" if who == "main" else "tool" if who == "page" else "user"
            time, where = datetime.fromisoformat(match[1]).replace(tzinfo=UTC), session(match[2])
            self.agent.hear(match[4], session=where, sender=who, role=role, subject=PEOPLE.get(who), time=time)

    def run(self, _: str, text: str) -> None:
        """Keepers that run, each at a time if one is named."""
        self.reports = []
        for line in text.splitlines():
            when, _, keeper = line.rpartition(" ")
            if when:
                self.go(when)
            made = self.agent.run(keeper)
            assert all(report.done and not report.problems for report in made), [r.problems for r in made]
            self.reports += made

    def operator(self, _: str, text: str) -> None:
        """What the operator does by command."""
        for line in text.splitlines():
            verb, _, rest = line.partition(" ")
            match verb:
                case "approve":
                    for proposal in self.agent.review.proposals():
                        self.agent.review.approve(proposal.id)
                case "rollback":
                    self.agent.files.soul_rollback(rest)
                case "correct":
                    self.agent.correct(rest)
                case "remember":
                    self.agent.remember(rest)
                case _:
                    raise AssertionError(line)

    def clock(self, _: str, text: str) -> None:
        """Times at which the schedule is looked at."""
        scheduler = self.scheduler
        for line in text.splitlines():
            self.go(line)
            for one in scheduler.tick():
                assert not one.problem
                assert one.past is not None
                assert one.past.result.status in ("done", "skipped"), one.past.result

    # what is there then

    def after(self, about: str, _: str) -> str:
        """A file: its entries, with `marks` their bookkeeping too; as `text`, the whole without bookkeeping."""
        path, _, how = about.partition(" ")
        data = self.agent.files.show(path).data or b""
        if how == "text":
            return self.agent.files.plain(path, data)
        document = parse(data, is_log=self.agent.files.name(path).is_log)
        found = [shown(entry, marks=how == "marks") for entry in document.entries if entry.form != "prose"]
        return "".join(f"{one}\n" for one in found)

    def waiting(self, _about: str, _: str) -> str:
        """What waits for approval."""
        return "".join(f"{p.change_set.reason}\n" for p in self.agent.review.proposals())

    def notes(self, _about: str, _: str) -> str:
        """What the last runs had to say."""
        return "".join(f"{note}\n" for report in self.reports for note in report.notes)

    def asked(self, _about: str, _: str) -> str:
        """The prompts that the model was given."""
        return "".join(system for system, _ in self.told.model.asked)

    def handed(self, _about: str, _: str) -> str:
        """What the operator's program was given."""
        return "".join(f"{call}\n" for call in self.told.handed)

    def log(self, _about: str, _: str) -> str:
        """The log of what was said, with what triage saw: the words, how sure a sign, and whose they are."""
        lines = []
        for message in self.agent._parts.log.messages(Wanted(limit=100)):
            flags = "".join(f" [{flag.phrase}: {flag.confidence}, {flag.route}]" for flag in message.flags)
            lines.append(f"{message.time:%Y-%m-%d %H:%M} {message.sender}: {message.text}{flags}\n")
        return "".join(lines)

    def history(self, path: str, _: str) -> str:
        """Changes, the oldest first: when, who, why, and of which files; the seeding of a new home is left out."""
        changes = [
            c for c in reversed(self.agent.files.history(path, limit=100)) if str(c.author) != "system:templates"
        ]
        paths = [", ".join(e.name.path for e in change.effects) or "no file yet" for change in changes]
        told = zip(changes, paths, strict=True)
        return "".join(f"{c.at[:16].replace('T', ' ')} {c.author}: {c.reason} ({files})\n" for c, files in told)

    def files(self, under: str, _: str) -> str:
        """The folders and files of the workspace, or of one folder of it."""
        root = Path(self.soul._home.world.places.folder("main"))
        found = (p for p in (root / under).rglob("*") if not any(part[0] == "." for part in p.relative_to(root).parts))
        return "".join(sorted(f"{p.relative_to(root).as_posix()}{'/' if p.is_dir() else ''}\n" for p in found))

    def recall(self, about: str, _: str) -> str:
        """What the operator's question finds, the best first: where, how sure when it was last said, and its words."""
        most, _, question = about.partition(" ") if about[:1].isdigit() else ("6", "", about)
        self.frozen.advance(FLEETING)
        hits = self.agent.recall(question, session=OWN, limit=int(most)).hits
        return "".join(f"{h.chunk.path} ({h.chunk.confidence:g}): {' '.join(h.chunk.text.split())}\n" for h in hits)

    def context(self, about: str, _: str) -> str:
        """One slot of what a reply to the operator is told."""
        slot, _, message = about.partition(" ")
        self.frozen.advance(FLEETING)
        made = self.agent.context(message, session=OWN)
        return made.slots[Slot[slot.upper()] - 1].text.lstrip("\n")

    def console(self, _: str, text: str) -> str:
        """Commands and what they print; keepers that a case does not name are left out of the lists of keepers."""
        shown = []
        unnamed = [f" {record.name} " for record in KEEPERS if record.name not in text]
        for line in text.splitlines():
            if line.startswith("$ oldsoul "):
                done = CliRunner().invoke(cli, [*line.split()[2:], "--home", self.soul._home.world.home])
                assert done.exit_code == 0, done.output
                printed = [" ".join(part.split()) for part in done.stdout.splitlines()]
                if line.startswith("$ oldsoul keepers"):
                    printed = [part for part in printed if not any(name in part for name in unnamed)]
                shown += [line, *printed]
        text = "".join(f"{line}\n" for line in shown).replace(self.soul._home.world.home, "HOME")
        return text.replace(f"{Path(sys.executable).parent}/", "")


OWN = Session.dm(id="asking")
FLEETING = datetime.resolution * 1_000_000
"""A second: what is asked is asked after what was said."""
DOING = {"before", "outside", "alike", "said", "run", "operator", "clock"}
LOOKING = {"after", "waiting", "notes", "asked", "handed", "log", "history", "files", "recall", "context", "console"}
OPENING = {"settings", "model"}


def session(where: str) -> Session:
    kind, _, rest = where.partition(":")
    if kind == "room":
        return Session.group(rest, id=f"in-{rest}")
    return Session.dm(rest or None, id=f"with-{rest.replace(':', '-') or 'owner'}")


def shown(entry: Entry, *, marks: bool) -> str:
    """An entry as golden files have it: its section, its words, its bookkeeping without the id."""
    fields = " ".join(f"{key}={value}" for key, value in sorted(entry.fields.items())) if marks else ""
    kept = entry.body if entry.form == "dated" else entry.text
    old = [line.strip() for line in b"".join(entry.lines[1:]).decode().splitlines() if "<!-- was" in line]
    return "\n".join([f"{entry.section} | {kept}{f' <{fields}>' if fields else ''}", *old])


def settled(text: str) -> str:
    """The text of config.yaml: what a block says, in UTC unless it names a zone."""
    return text if "timezone:" in text else f"timezone: UTC\n{text}"


@contextmanager
def opened(blocks: Sequence[Block], folder: Path, patch: Callable[[object, str, object], None]) -> Iterator[Home]:
    """The home of a case: in a folder where it needs one, else in memory."""
    given = {name: text for name, _, text in reversed(blocks) if name in OPENING}
    settings = settled(given.get("settings", ""))
    told = Told(ScriptedModel(*given.get("model", "").splitlines()))
    model = told.model if "model" in given else None
    if ON_DISK.isdisjoint(name for name, _, _ in blocks):
        t = talk(settings, model)
        config = Name("main", "CONFIG.md")
        vars(t.soul._home.world.host)["program"] = told.program
        vars(t.soul._home.world)["settings"] = lambda agent: load(
            settings, agent=agent, config_md=(t.store.read(config).data or b"").decode() if agent else None
        )
        yield Home(t.soul, t.clock, told)
        return
    clock = FrozenClock(START)
    patch(wiring.world, "SystemClock", lambda: clock)
    (folder / "config.yaml").write_text(settings, "utf-8")
    with wiring.open_home(folder, {}, clock=clock, model=model) as soul:
        vars(soul._home.world.host)["program"] = told.program
        yield Home(soul, clock, told)


def played(blocks: Sequence[Block], home: Home) -> Iterator[tuple[str, str, str]]:
    """Do what a case says, and give what is there then: the block, what it expects, what was found."""
    for place, (name, about, text) in enumerate(blocks):
        if name == "settings" and place:
            (Path(home.soul._home.world.home) / "config.yaml").write_text(settled(text), "utf-8")
        elif name in DOING:
            getattr(home, name)(about, text)
        elif name in LOOKING:
            yield f"{name} {about}", text, getattr(home, name)(about, text)
        else:
            assert name in OPENING, name
