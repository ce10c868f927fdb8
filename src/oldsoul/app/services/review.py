"""Review: what waits for the operator's decision, proposals and memories that disagree."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.app.keepers.correction_checks import objection, objection_to_texts
from oldsoul.app.memory_requests import new_key
from oldsoul.app.services.rights import Service, needs
from oldsoul.documents import Form, parse
from oldsoul.errors import BadInput, BadName, Conflict, NotFound, Refused
from oldsoul.keepers.conflicts import OPEN, SETTLED, ComparedEntry, DetectorInput, gone, gone_with
from oldsoul.keepers.validate_recall import AUTHOR
from oldsoul.ledger import Outcome, Proposal
from oldsoul.ledger.proposals import OPEN as WAITS
from oldsoul.rules.audience import seen_by
from oldsoul.rules.confidence import effective
from oldsoul.rules.retention import SUPERSEDED, superseded_by
from oldsoul.values.audience import Audience
from oldsoul.values.callers import Right
from oldsoul.values.changes import ChangeSet, Operation, Replace
from oldsoul.values.names import Kind, Name
from oldsoul.values.origin import Origin
from oldsoul.values.pages import paged

if TYPE_CHECKING:
    from oldsoul.documents import Entry

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


class Review(Service):
    """What waits for the operator's decision."""

    # proposals

    @needs(Right.INSPECT)
    def proposals(self, state: str = "open", *, offset: int = 0, limit: int | None = None) -> list[Proposal]:
        """Return proposals, the oldest first: all, or one page.

        Args:
            state: `open` (waits for approval), `approved`, `rejected` or `expired`; empty for any.
            offset: how many to skip.
            limit: the largest number to return.
        """
        return [*paged(self._parts.proposals(state), offset, limit)]

    @needs(Right.INSPECT)
    def proposal(self, proposal_id: str) -> Proposal:
        """Return one proposal by its id, which may be shortened as long as it is unique."""
        return self._proposal(proposal_id)

    @needs(Right.INSPECT)
    def preview(self, proposal_id: str) -> Mapping[Name, tuple[bytes | None, bytes | None]]:
        """Return what approving a proposal would do now: each file before and after."""
        return self._parts.home.ledger.preview(self._parts.id, self._proposal(proposal_id).id)

    @needs(Right.DECIDE)
    def approve(
        self,
        proposal_id: str,
        *,
        edited: Mapping[Name, bytes] | None = None,
        bases: Mapping[Name, str] | None = None,
    ) -> Outcome:
        """Apply a proposal exactly as shown, or the edited text instead.

        Args:
            proposal_id: its id, which may be shortened as long as it is unique.
            edited: files to save instead of what is proposed.
            bases: if given, raise `Conflict` unless these are the current versions of the files.

        Raises:
            Refused: the text repeats something that was corrected. Edit or reject it, or withdraw the correction first.
        """
        proposal = self._proposal(proposal_id)
        asked = proposal.change_set
        if asked.author != AUTHOR and proposal.state == WAITS:
            problem = objection(self._parts, asked) if edited is None else objection_to_texts(self._parts, edited)
            if problem:
                raise Refused(f"{problem}; edit the text, reject it, or withdraw the correction")
        ledger = self._parts.home.ledger
        return ledger.approve(self._parts.id, proposal.id, self._author, edited=edited, bases=bases or {})

    @needs(Right.DECIDE)
    def reject(self, proposal_id: str, why: str = "") -> Proposal:
        """Close a proposal without applying it; `why` is kept with it."""
        return self._parts.home.ledger.reject(self._parts.id, self._proposal(proposal_id).id, self._author, why)

    def _proposal(self, proposal_id: str) -> Proposal:
        return self._parts.home.ledger.proposal(self._parts.id, proposal_id)

    # conflicts

    @needs(Right.INSPECT)
    def conflicts(self, state: str = "open", *, offset: int = 0, limit: int | None = None) -> list[Disagreement]:
        """Return memories that disagree, as the conflict detector found them, the oldest first: all, or one page.

        Args:
            state: `open` or `settled`; empty for any.
            offset: how many to skip.
            limit: the largest number to return.
        """
        waiting = self._waiting()
        every = (self._read(entry, waiting.get(entry.id, "")) for entry in self._blocks())
        return [*paged([one for one in every if state in ("", one.state)], offset, limit)]

    @needs(Right.DECIDE)
    def settle(self, conflict: str, keep: str, *, reason: str = "conflict settled by the operator") -> Outcome:
        """Settle a conflict. What is not kept is archived and no longer found; `undo` brings it back.

        Args:
            conflict: its id, from `conflicts`.
            keep: the `ref` of the side that is right, or `both`.
            reason: why, for the history.

        Raises:
            Conflict: it is settled already.
        """
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
        fields = {"status": SETTLED, "settled": self._parts.today().date().isoformat()}
        hidden = [ref for side in losers for ref in self._gone_with(side)]
        if hidden:
            fields["supersedes"] = ",".join(hidden)
        settled = Replace(self._name, block.id, f"{told}\n**Outcome:** settled: {_DECIDED}, {stays}", fields)
        made = ChangeSet((*operations, settled), self._author, reason, new_key())
        outcome = self._parts.home.ledger.apply(made)
        if proposal:
            with suppress(Conflict, NotFound):  # somebody was quicker
                self._parts.home.ledger.reject(self._parts.id, proposal, self._author, "the conflict was settled")
        return outcome

    @property
    def _name(self) -> Name:
        return Name(self._parts.id, "CONFLICTS.md")

    def _blocks(self) -> list[Entry]:
        data = self._parts.read(self._name).data or b""
        return [entry for entry in parse(data, is_log=True).entries if entry.form is Form.DATED]

    def _waiting(self) -> dict[str, str]:
        """The open proposals that would settle a conflict, by the conflict's id."""
        return {
            operation.entry: proposal.id
            for proposal in self._parts.proposals(WAITS)
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
            confidence=effective(entry, self._parts.today().date(), self._parts.settings.memory.confidence),
            source=entry.fields.get("src", ""),
            origin=line.origin,
            audience=line.audience,
        )

    def _line(self, path: str, ref: str) -> ComparedEntry | None:
        """A side as the detector compared it; None when it is gone."""
        if ref.startswith("m:"):
            try:
                message = self._parts.log.message(int(ref[2:]))
            except NotFound:
                return None
            (entry,) = parse(b"- said").entries
            return ComparedEntry(self._name, entry, message.audience, message=message)
        try:
            name = Name(self._parts.id, path)
        except BadName:
            return None
        entries = parse(self._parts.read(name).data or b"", is_log=name.is_log).entries
        found = next((entry for entry in entries if entry.id == ref), None)
        return ComparedEntry(name, found, seen_by(name, found)) if found is not None else None

    def _gone(self, side: Side) -> list[Operation]:
        """What takes a side away; what was said, or tells of a conversation, stays as it is and is not found any more."""
        line = self._line(side.path, side.ref)
        if line is None or line.is_talk:
            return []
        if line.name.kind not in (Kind.MEMORY, Kind.ROOM, Kind.LONGTERM, Kind.PROFILE, Kind.USER):
            raise BadInput(f"{side.ref} is a correction; to keep the other side, withdraw it")
        now = self._parts.today()
        return gone(line, DetectorInput(self._parts.id, now, now.date(), frozenset()))

    def _gone_with(self, side: Side) -> list[str]:
        line = self._line(side.path, side.ref)
        return gone_with(line) if line is not None else []


def _text(block: Entry) -> str:
    """The words of a block, without its heading."""
    return block.body.partition("\n")[2].strip()


def _keep_but_outcome(found: re.Match[str]) -> str:
    return "" if found[1] == "Outcome" else found[0]
