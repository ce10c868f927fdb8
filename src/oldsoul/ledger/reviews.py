"""Proposals: kept until the operator approves or rejects them, and shown as they would be done now."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace

from oldsoul.documents import marks
from oldsoul.errors import BadInput, Conflict, NotFound
from oldsoul.ledger import proposals
from oldsoul.ledger.commit_steps import NO_BASES, SYSTEM, CommitSteps, Outcome, check_bases
from oldsoul.ledger.masks import masked, masked_text
from oldsoul.ledger.proposals import Proposal
from oldsoul.ledger.working_copies import Plan
from oldsoul.ports import LockedWorkspace
from oldsoul.values.changes import Author, Put
from oldsoul.values.history import Record, Snapshot
from oldsoul.values.names import Name


class Reviews(CommitSteps):
    """The part of the ledger that the operator decides by."""

    def proposals(self, workspace: str, *, state: str = proposals.OPEN) -> list[Proposal]:
        """Proposals in a state (all of them for an empty one), oldest first."""
        found = [proposals.loaded(text) for text in self._store.records(workspace, proposals.KIND).values()]
        return sorted((p for p in found if not state or p.state == state), key=lambda p: (p.at, p.id))

    def proposal(self, workspace: str, proposal_id: str) -> Proposal:
        """One proposal; its id may be shortened while it stays unique, else `NotFound`."""
        known = self._store.records(workspace, proposals.KIND)
        matching = [each for each in known if each.startswith(proposal_id)] if proposal_id else []
        if proposal_id not in known and len(matching) != 1:
            problem = "matches several proposals" if matching else "matches no proposal"
            raise NotFound(f"{proposal_id!r} {problem}; `oldsoul review` lists them")
        return proposals.loaded(known[proposal_id if proposal_id in known else matching[0]])

    def preview(self, workspace: str, proposal_id: str) -> dict[Name, tuple[bytes | None, bytes | None]]:
        """What approving would do now: each document before and after."""
        proposal = self.proposal(workspace, proposal_id)
        with self._store.hold(workspace) as held:
            standing = self._notice(held, proposal.change_set.names)
            plan = self._again(proposal, standing)
            return {name: (plan.before[name], data) for name, data in plan.after.items()}

    def approve(
        self,
        workspace: str,
        proposal_id: str,
        author: Author,
        *,
        edited: Mapping[Name, bytes] | None = None,
        bases: Mapping[Name, str] = NO_BASES,
    ) -> Outcome:
        """Do what a proposal says, exactly as it was shown; or, with edited texts, do that instead."""
        self._only_operator(author, "approve")
        with self._store.hold(workspace) as held:
            proposal = self._open(workspace, proposal_id)
            asked = proposal.change_set
            standing = self._notice(held, asked.names)
            check_bases(standing, bases)
            if edited is not None:
                if not set(edited) <= set(asked.names):
                    raise BadInput(f"proposal {proposal_id} changes {', '.join(n.path for n in asked.names)} only")
                puts = tuple(Put(name, data) for name, data in edited.items())
                asked = replace(asked, operations=puts, versions={n: standing[n].version for n in edited})
                asked, count = masked(asked, standing)
                plan = self._plan(asked, standing, approved=True)
                return self._commit(held, plan, count, proposal=proposal, approver=author)
            plan = self._again(proposal, standing)
            if proposals.shown(plan) != proposal.shown:
                versions = {name: standing[name].version for name in asked.names}
                fresh = replace(
                    proposal, shown=proposals.shown(plan), change_set=replace(plan.change_set, versions=versions)
                )
                self._keep(
                    held,
                    fresh,
                    f"refresh:{proposal_id}:{uuid.uuid4().hex}",
                    SYSTEM,
                    f"proposal {proposal_id} updated",
                )
                raise Conflict(
                    f"the file changed after proposal {proposal_id} was made; look at it again, then approve"
                )
            return self._commit(held, plan, 0, proposal=proposal, approver=author)

    def reject(self, workspace: str, proposal_id: str, author: Author, why: str = "") -> Proposal:
        """Close a proposal without doing what it says."""
        self._only_operator(author, "reject")
        why = masked_text(why)
        with self._store.hold(workspace) as held:
            closed = replace(self._open(workspace, proposal_id), state=proposals.REJECTED, note=why)
            reason = f"proposal {proposal_id} rejected: {why}".rstrip(": ")
            self._keep(held, closed, f"reject:{proposal_id}", author, reason)
            return closed

    def expire(self, workspace: str, proposal_id: str, why: str) -> None:
        """Close a suggestion that nobody decided on; one that was decided meanwhile stays as it is."""
        with self._store.hold(workspace) as held:
            proposal = self.proposal(workspace, proposal_id)
            if proposal.state == proposals.OPEN and proposal.change_set.suggested:
                closed = replace(proposal, state=proposals.EXPIRED, note=why)
                self._keep(held, closed, f"expire:{proposal_id}", SYSTEM, f"proposal {proposal_id} expired: {why}")

    def _again(self, proposal: Proposal, standing: Mapping[Name, Snapshot]) -> Plan:
        """What a proposal would do to the documents as they are now; `Conflict` when that cannot be done any more."""
        asked = proposal.change_set
        try:
            return self._plan(asked, standing, approved=True)
        except Conflict:
            asked = replace(asked, versions={name: standing[name].version for name in asked.names})
        try:
            return self._plan(asked, standing, approved=True)
        except (NotFound, BadInput) as error:
            raise Conflict(
                f"the files have changed, and proposal {proposal.id} no longer fits them ({error}); reject it"
            ) from error

    def _keep(self, held: LockedWorkspace, proposal: Proposal, key: str, author: Author, reason: str) -> None:
        (workspace,) = proposal.change_set.workspaces
        record = Record(proposals.KIND, proposal.id, proposals.dumped(proposal))
        held.commit(self._change(workspace, key, author, reason, ()), {}, [record])

    def _open(self, workspace: str, proposal_id: str) -> Proposal:
        proposal = self.proposal(workspace, proposal_id)
        if proposal.state != proposals.OPEN:
            raise Conflict(f"proposal {proposal_id} is already {proposal.state}")
        return proposal

    def _propose(
        self,
        held: LockedWorkspace,
        plan: Plan,
        standing: Mapping[Name, Snapshot],
        count: int,
        records: Sequence[Record],
    ) -> Outcome:
        asked = plan.change_set
        (workspace,) = asked.workspaces
        based = replace(asked, versions={name: standing[name].version for name in asked.names} | dict(asked.versions))
        proposal = Proposal(
            id=marks.new_id(asked.key, 1_000_000),
            change_set=based,
            at=self._now(),
            state=proposals.OPEN,
            shown=proposals.shown(plan),
            warnings=plan.warnings,
        )
        change = self._change(workspace, asked.key, asked.author, f"proposed: {asked.reason}", ())
        change = replace(change, notes={"proposal": proposal.id}, evidence=asked.evidence)
        held.commit(change, {}, [Record(proposals.KIND, proposal.id, proposals.dumped(proposal)), *records])
        return Outcome(None, proposal, plan.warnings, count)
