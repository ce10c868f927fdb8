"""The conflict detector's work: what changed within the last day."""

from __future__ import annotations

import re
import uuid
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.app.keepers.correction_checks import logs_of
from oldsoul.app.keepers.work import Work
from oldsoul.app.memory_requests import new_key
from oldsoul.documents import Form, parse
from oldsoul.errors import BadInput, BadName, Conflict, NotFound
from oldsoul.keepers.conflicts import AUTHOR, COMPARED, KEEPER, OPEN, SETTLED, Line, Looking, detect, gone, gone_with
from oldsoul.ledger.proposals import OPEN as WAITS
from oldsoul.rules.audience import seen_by
from oldsoul.rules.confidence import effective
from oldsoul.rules.retention import SUPERSEDED, superseded_by
from oldsoul.values.changes import ChangeSet, Replace
from oldsoul.values.history import Record
from oldsoul.values.names import Kind, Name
from oldsoul.workspace import template

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from oldsoul.app.agent_recall import AgentRecall
    from oldsoul.app.keepers.work import Desk
    from oldsoul.app.talk.log import Log
    from oldsoul.documents import Entry
    from oldsoul.driver import Report
    from oldsoul.ledger import Outcome
    from oldsoul.values.audience import Audience
    from oldsoul.values.changes import Author, Operation
    from oldsoul.values.origin import Origin


BOTH = "both"
"""What is kept where both sides stay."""
_FACT = re.compile(r"^\*\*(One|Other|Why|Outcome):\*\* *(.*)$", re.MULTILINE)
_PLACE = re.compile(r"(.*) \((?:([^()]+), )?([0-9a-z]+|m:\d+)(?:, \d{4}-\d{2}-\d{2})?\)$")
_DECIDED = "the operator decided"


class Side(NamedTuple):
    """One of two memories that disagree."""

    ref: str
    """the entry's id, or `m:118` for a message; empty where the file does not say"""
    path: str
    """the file of the entry; empty for a message"""
    line: int
    """its line there, from 1; 0 for a message, or when it is gone"""
    text: str
    """what it says; when it is gone, what it said then"""
    standing: bool
    """whether it is still memory: neither gone nor replaced"""
    seen: date | None = None
    """the day it was last mentioned"""
    confidence: float | None = None
    """its confidence today; None for a message, or when it is gone"""
    source: str = ""
    """the message it comes from: `m:118`; empty when unknown"""
    origin: Origin | None = None
    """who stated it"""
    audience: Audience | None = None
    """who may see it"""


class Disagreement(NamedTuple):
    """Two memories that cannot both be true, as the conflict detector found them."""

    id: str
    """the id of its entry in CONFLICTS.md"""
    found: str
    """when it was found, as the heading says"""
    state: str
    """`open` or `settled`"""
    why: str
    """why they cannot both be true"""
    outcome: str
    """what became of it"""
    sides: tuple[Side, ...]
    """both, in the order in which the file names them"""
    proposal: str
    """the open proposal that would keep the newer one; empty when there is none"""


class Settling:
    """The conflicts of one agent."""

    def __init__(self, agent: AgentRecall, log: Log) -> None:
        self._agent = agent
        self._log = log
        self._name = Name(agent.id, "CONFLICTS.md")

    def conflicts(self, state: str) -> list[Disagreement]:
        """Those in a state (all for an empty one), the oldest first."""
        waiting = self._waiting()
        every = (self._read(entry, waiting.get(entry.id, "")) for entry in self._blocks())
        return [one for one in every if state in ("", one.state)]

    def settle(self, conflict: str, keep: str, author: Author, reason: str) -> Outcome:
        """Keep one side, the other or both; what is not kept is replaced by the other, and archived."""
        block = next((entry for entry in self._blocks() if entry.id == conflict), None)
        if block is None:
            raise NotFound(f"there is no conflict {conflict} in {self._name.path}")
        proposal = self._waiting().get(conflict, "")
        known = self._read(block, proposal)
        if known.state != OPEN:
            raise Conflict(f"conflict {conflict} is settled already; undo that change to settle it again")
        refs = [side.ref for side in known.sides if side.ref]
        if keep not in (BOTH, *refs):
            raise BadInput(f"{keep!r} is not a side of this conflict; keep one of {', '.join((*refs, BOTH))}")
        losers = [] if keep == BOTH else [side for side in known.sides if side.ref != keep]
        operations = [each for side in losers for each in self._gone(side)]
        stays = "both stay" if keep == BOTH else f"{keep} stays"
        told = _FACT.sub(_keep_but_outcome, _text(block)).rstrip()
        fields = {"status": SETTLED, "settled": self._agent.today().date().isoformat()}
        hidden = [ref for side in losers for ref in self._gone_with(side)]
        if hidden:
            fields["supersedes"] = ",".join(hidden)
        settled = Replace(self._name, block.id, f"{told}\n**Outcome:** settled: {_DECIDED}, {stays}", fields)
        made = ChangeSet((*operations, settled), author, reason, new_key())
        outcome = self._agent.home.ledger.apply(made)
        if proposal:
            with suppress(Conflict, NotFound):  # somebody was quicker
                self._agent.home.ledger.reject(self._agent.id, proposal, author, "the conflict was settled")
        return outcome

    # what they are made of

    def _blocks(self) -> list[Entry]:
        data = self._agent.read(self._name).data or b""
        return [entry for entry in parse(data, is_log=True).entries if entry.form is Form.DATED]

    def _waiting(self) -> dict[str, str]:
        """The open proposals that would settle a conflict, by the conflict's id."""
        return {
            operation.entry: proposal.id
            for proposal in self._agent.proposals(WAITS)
            for operation in proposal.change_set.operations
            if isinstance(operation, Replace) and operation.name == self._name
        }

    def _read(self, block: Entry, proposal: str) -> Disagreement:
        facts = dict(_FACT.findall(_text(block)))
        sides = tuple(self._side(facts[name]) for name in ("One", "Other") if name in facts)
        state = SETTLED if block.fields.get("status", OPEN) == SETTLED else OPEN
        outcome = facts.get("Outcome", "")
        return Disagreement(block.id, block.title, state, facts.get("Why", ""), outcome, sides, proposal)

    def _side(self, told: str) -> Side:
        found = _PLACE.fullmatch(told)
        if found is None:
            return Side("", "", 0, told, standing=True)
        words, path, ref = found[1], found[2] or "", found[3]
        line = self._line(path, ref)
        if line is None:
            return Side(ref, path, 0, words, standing=False)
        if line.message is not None:
            return Side(ref, "", 0, words, True, line.day, None, ref, line.origin, line.audience)  # noqa: FBT003 - a field
        entry = line.entry
        return Side(
            ref,
            path,
            entry.line + 1,
            entry.body,
            standing=entry.fields.get("status") != SUPERSEDED and not superseded_by(entry),
            seen=line.day,
            confidence=effective(entry, self._agent.today().date(), self._agent.settings.memory.confidence),
            source=entry.fields.get("src", ""),
            origin=line.origin,
            audience=line.audience,
        )

    def _line(self, path: str, ref: str) -> Line | None:
        """A side as the detector compared it; None when it is gone."""
        if ref.startswith("m:"):
            try:
                message = self._log.message(int(ref[2:]))
            except NotFound:
                return None
            (entry,) = parse(b"- said").entries
            return Line(self._name, entry, message.audience, message=message)
        try:
            name = Name(self._agent.id, path)
        except BadName:
            return None
        entries = parse(self._agent.read(name).data or b"", is_log=name.is_log).entries
        found = next((entry for entry in entries if entry.id == ref), None)
        return Line(name, found, seen_by(name, found)) if found is not None else None

    def _gone(self, side: Side) -> list[Operation]:
        """What takes a side away; what was said, or tells of a conversation, stays as it is and is not found any more."""
        line = self._line(side.path, side.ref)
        if line is None or line.is_talk:
            return []
        if line.name.kind not in (Kind.MEMORY, Kind.ROOM, Kind.LONGTERM, Kind.PROFILE, Kind.USER):
            raise BadInput(f"{side.ref} is a correction; to keep the other side, withdraw it")
        now = self._agent.today()
        return gone(line, Looking(self._agent.id, now, now.date(), frozenset()))

    def _gone_with(self, side: Side) -> list[str]:
        line = self._line(side.path, side.ref)
        return gone_with(line) if line is not None else []


def _text(block: Entry) -> str:
    """The words of a block, without its heading."""
    return block.body.partition("\n")[2].strip()


def _keep_but_outcome(found: re.Match[str]) -> str:
    return "" if found[1] == "Outcome" else found[0]


LOOKING = "looking"
"""The kind of record that says when a look began that waits for an answer."""
_SINCE = "since"
_PAGE = 1000


def works(desk: Desk, *, dry_run: bool = False) -> Iterator[Work]:
    """One look at what changed since yesterday at this time; one that waits for an answer is the same when it goes on."""
    del dry_run
    agent = desk.agent
    begun = agent.home.world.store.record(agent.id, LOOKING, _SINCE)
    now = datetime.fromisoformat(begun).astimezone(agent.zone) if begun else agent.today()
    since = now - timedelta(hours=24)
    seeded = (template(Name(agent.id, path), now) for path in ("USER.md", "MEMORY.md"))
    ours = frozenset(entry.text for data in seeded for entry in parse(data).entries)
    changed = _changed(agent, since.astimezone(UTC).isoformat(timespec="microseconds"))
    looking = Looking(agent.id, now, since.date(), changed, ours, tuple(logs_of(agent)))
    after = partial(_after, agent, begun, now)
    yield Work(KEEPER, f"conflicts:{now:%Y-%m-%d}", partial(detect, looking), after=after)


def _after(agent: AgentRecall, begun: str | None, now: datetime, report: Report) -> None:
    """Note when a look began that waits for an answer, and that it does not wait any more."""
    if bool(begun) == bool(report.waiting):
        return
    record = Record(LOOKING, _SINCE, now.isoformat() if report.waiting else None)
    agent.home.ledger.note(
        agent.id, AUTHOR, "progress of the conflict check saved", f"looking:{uuid.uuid4().hex}", [record]
    )


def _changed(agent: AgentRecall, since: str) -> frozenset[str]:
    """The entries that changes wrote since then, those of people's hands too."""
    agent.home.ledger.notice(agent.id)
    changes = agent.home.world.store.changes(agent.id, since=since, limit=_PAGE)
    effects = [effect for change in changes for effect in change.effects if effect.name.kind in COMPARED]
    written = {entry for effect in effects for entry in effect.entries}
    first = {effect.name: effect.before for effect in effects}  # the newest change comes first, so the oldest stays
    for name, before in first.items():
        old = {entry.id: entry.text for entry in parse(agent.home.ledger.content(before) or b"").entries}
        now = parse(agent.read(name).data or b"").entries
        written |= {entry.id for entry in now if old.get(entry.id) != entry.text}
    return frozenset(written)
