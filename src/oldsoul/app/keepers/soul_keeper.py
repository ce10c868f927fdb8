"""The soul keeper's work: what was said and corrected since its last run, and the digest of the results."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.app.keepers.work import KeeperInputs, Work
from oldsoul.app.prompts.context import configured
from oldsoul.driver import Report, RunStep
from oldsoul.errors import OldsoulError, Unavailable
from oldsoul.keepers.questions import Keeper
from oldsoul.keepers.soul import KEEPER, MOST_EDITS, Growth, corrections, grow, idle, remembered
from oldsoul.rules.diary import offset
from oldsoul.rules.policy import SOUL_KEEPER, is_correction
from oldsoul.values.changes import Add, ChangeSet, Replace
from oldsoul.values.history import Digest, Grown, Record
from oldsoul.values.messages import Message, Said, Wanted
from oldsoul.values.names import Kind
from oldsoul.values.sessions import Session

GROWN = "grown"
"""The kind of record that says what the soul keeper has looked at: messages, corrections, and what it left for later."""
GROWING = "growing"
"""The kind of record that says up to which message it is looking now."""
BATCH = 500
"""How many messages it looks at together."""
_MOST_LEFT = 100


def works(inputs: KeeperInputs, *, dry_run: bool = False) -> Iterator[Work]:
    """What there is to look at, the oldest first; a run that has made its edits leaves the rest to the next."""
    agent = inputs.agent
    if _is_idle(agent):
        yield _idle(agent)
        return
    most = MOST_EDITS
    while most > 0:
        run = _BatchRun(inputs, most, dry_run=dry_run)
        if not run.has_work:
            return
        yield run.work()
        if dry_run or run.stuck:
            return
        most -= run.edits


def _is_idle(agent: AgentWorkspace) -> bool:
    """Whether nobody has written a soul yet, and settings say who the agent is: an edit would put our template above that."""
    says = configured(agent)
    untouched = agent.read(agent.name("SOUL.md")).data in (None, agent.template("SOUL.md"))
    return untouched and bool(says.persona or says.role)


def _idle(agent: AgentWorkspace) -> Work:
    """A run that only says why nothing grows; what was said is looked at once somebody has written a soul."""
    return Work(KEEPER, f"grow:idle:{agent.today():%Y-%m-%d}", idle)


class _BatchRun:
    """One look at a batch of messages and the corrections that are new."""

    def __init__(self, inputs: KeeperInputs, most: int, *, dry_run: bool) -> None:
        agent = self.agent = inputs.agent
        self.log = inputs.log
        self.home = agent.home
        self.most = most
        self.edits = 0
        self.left: tuple[str, ...] = ()
        self.is_over = False
        store = self.home.world.store
        seen = store.records(agent.id, GROWN)
        self.cursor = int(seen.get("messages", "0"))
        self.waiting: list[int] = json.loads(seen.get("waiting", "[]"))
        self.considered = frozenset(json.loads(seen.get("corrections", "[]")))
        self.corrections = self._corrections()
        begun = int(store.records(agent.id, GROWING).get("messages", "0"))
        self.messages = self._messages(begun)
        self.last = max((m.id for m in self.messages), default=self.cursor)
        if begun != self.last and self.last > self.cursor and not dry_run:
            # A run that is cut short looks at the same messages when it is started again, and pays for no answer twice.
            record = Record(GROWING, "messages", str(self.last))
            key = f"growing:{self.cursor}:{self.last}"
            self.home.ledger.note(agent.id, SOUL_KEEPER, "the soul keeper starts", key, [record])

    @property
    def has_work(self) -> bool:
        """Whether anything is new, or was left."""
        return bool(self.messages or self.waiting or self.corrections - self.considered)

    @property
    def stuck(self) -> bool:
        """Whether there is no use in going on now: the run was not finished, or nothing but what was left remains."""
        return not self.is_over or len(self.messages) < BATCH

    def work(self) -> Work:
        """The run, ready to be made."""
        fresh = sorted(self.corrections - self.considered)
        ground = json.dumps([self.cursor, self.last, fresh, self.waiting])
        key = f"grow:{self.cursor}-{self.last}:{hashlib.sha256(ground.encode()).hexdigest()[:12]}"
        if not self.messages:  # what was left is looked at again each day, as a separate run
            key += f":{self.agent.today():%Y-%m-%d}"
        return Work(KEEPER, key, self._begin, closing=self._closing, after=self._after)

    def _begin(self) -> Keeper:

        findings = yield from grow(self._growth())
        self.edits = int(findings.facts.get("edits", "0"))
        self.left = tuple(filter(None, findings.facts.get("left", "").split(",")))
        return findings

    def _growth(self) -> Growth:

        options = self.agent.settings
        left = [m for number in self.waiting for m in self._found(Wanted(after=number - 1, limit=1)) if m.id == number]
        return Growth(
            workspace=self.agent.id,
            now=self.agent.today(),
            messages=tuple(self.home.people.message(m) for m in (*left, *self.messages)),
            known=self.considered,
            pending=tuple(self._pending()),
            max_tokens=options.memory.soul.max_tokens,
            count=self.home.world.host.tokens(self.agent.model),
            most=self.most,
        )

    def _messages(self, begun: int) -> list[Message]:
        found = self._found(Wanted(after=self.cursor, limit=BATCH))
        return [m for m in found if m.id <= begun] if begun > self.cursor else found

    def _found(self, wanted: Wanted) -> list[Message]:
        return self.log.messages(replace(wanted, by_number=True))

    def _corrections(self) -> frozenset[str]:
        """The ids of all corrections there are, and of what the operator had remembered for good."""
        found: set[str] = set()
        for name in self.home.world.store.names(self.agent.id):
            reads = corrections if is_correction(name) else remembered if name.kind is Kind.MEMORY else None
            if reads is not None:
                found |= {one.id for one in reads(name, self.agent.read(name).data, self.agent.today())}
        return frozenset(found)

    def _pending(self) -> Iterator[str]:
        """The lines that are proposed for the soul and wait."""
        for proposal in self.agent.proposals():
            if any(name.path == "SOUL.md" for name in proposal.change_set.names):
                yield from (text for text, _ in _lines(proposal.change_set.operations))

    def _closing(self) -> list[Record]:
        self.is_over = True
        later = {ref[2:] for ref in self.left if not ref.startswith("m:")}
        numbers = [int(ref[2:]) for ref in dict.fromkeys(self.left) if ref.startswith("m:")]
        return [
            Record(GROWN, "messages", str(max(self.last, self.cursor))),
            Record(GROWN, "corrections", json.dumps(sorted(self.corrections - later))),
            Record(GROWN, "waiting", json.dumps(numbers[-_MOST_LEFT:])),
            Record(GROWING, "messages", None),
        ]

    # the digest

    def _after(self, report: Report) -> Sequence[str]:
        """Send the operator the result; a channel that fails is no failure of the run."""
        digest = _digest(self.agent, report)
        if digest is None:
            return ()
        problems: list[str] = []
        try:
            self._log(digest, report)
        except OldsoulError as error:
            problems.append(f"the proposals could not be written to CHANGELOG.md: {error}")
        try:
            self._tell(digest)
        except OldsoulError as error:
            problems.append(str(error))
        return problems

    def _log(self, digest: Digest, report: Report) -> None:
        """Write down in CHANGELOG.md what is proposed; what was changed stands there by the change itself."""
        if not digest.proposals:
            return
        now = self.agent.today()
        evidence = tuple(e for step in report.steps if _proposed(step) for e in step.change_set.evidence)
        refs = ", ".join(dict.fromkeys(e.ref for e in evidence))
        block = Add(
            self.agent.name("CHANGELOG.md"),
            "Proposed for SOUL.md, which was not changed; `oldsoul review` shows it.",
            title=f"{now:%Y-%m-%d %H:%M} {offset(now)}",
            children=(
                *(f"**Proposal {one.number}** ({one.reason}): {one.text}" for one in digest.proposals),
                f"**Evidence:** {refs}",
            ),
        )
        key = f"{report.run.key}:digest"
        self.home.ledger.apply(ChangeSet((block,), SOUL_KEEPER, "proposals of the soul keeper", key, evidence))

    def _tell(self, digest: Digest) -> None:
        options = self.agent.settings.keepers.digest
        if options.channel == "room":
            self._say(digest, options.room)
            return
        channel = self.home.world.host.notify(self.agent.settings)
        if channel is not None:
            channel.send(digest)

    def _say(self, digest: Digest, room: str) -> None:
        """Say it in a room: only what everyone may read."""
        if not room:
            raise Unavailable("the digest was not delivered: set keepers.digest.room to a room")
        self.log.hear(Said(digest.public, Session.group(room), "assistant", self.agent.display_name))


def _proposed(step: RunStep) -> bool:
    outcome = step.outcome
    return outcome is not None and outcome.proposal is not None and not outcome.repeated


def _digest(agent: AgentWorkspace, report: Report) -> Digest | None:
    """What a run came to; None when there is nothing to tell."""
    changes: list[Grown] = []
    proposals: list[Grown] = []
    for step in report.steps:
        outcome = step.outcome
        if outcome is None or outcome.repeated:
            continue
        for text, section in _lines(step.change_set.operations):
            if outcome.proposal is not None:
                proposals.append(Grown(outcome.proposal.id, text, section, step.change_set.reason))
            elif outcome.change is not None:
                changes.append(Grown(str(outcome.change.id), text, section, step.change_set.reason))
    drift = [note for note in report.notes if note.startswith("drift")]
    if not (changes or proposals or drift):
        return None
    return Digest(agent.display_name, f"{agent.today():%Y-%m-%d %H:%M}", tuple(changes), tuple(proposals), report.notes)


def _lines(operations: Sequence[Any]) -> list[tuple[str, str]]:
    """The lines that operations put into a soul, each with the section it goes to."""
    found = []
    for one in operations:
        if one.name.path == "SOUL.md" and isinstance(one, Add):
            found.append((f"**{one.title}**: {one.text}" if one.title else one.text, one.section))
        elif one.name.path == "SOUL.md" and isinstance(one, Replace):
            found.append((one.text.partition(" (added ")[0], ""))
    return found
