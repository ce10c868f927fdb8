"""`/api/agents/{name}/proposals`: changes that wait for approval, looked at and decided."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from pydantic import Field

from oldsoul.faces.http.access import Entered
from oldsoul.faces.http.routes.given import (
    MOST,
    AgentName,
    Given,
    Limit,
    MaybeText,
    Offset,
    Versions,
    linked,
    next_of,
    offset_of,
)
from oldsoul.values.history import ABSENT
from oldsoul.views import history as views
from oldsoul.views.history import Decided, ProposalList, ProposalShown, ProposalWhole

router = APIRouter(prefix="/api/agents/{name}/proposals", tags=["proposals"])
State = Literal["open", "approved", "rejected", "expired"]
ProposalId = Annotated[str, Path(description="Its id.", pattern=r"^[0-9a-z-]{1,64}$", examples=["p4k2x9"])]


class ApproveGiven(Given):
    """How a proposal is approved."""

    edited: Annotated[dict[str, MaybeText], Field(max_length=MOST)] | None = None
    """Texts to save instead of what is proposed, by file."""
    bases: Versions = Field(default_factory=dict)


class RejectGiven(Given):
    """Why a proposal is rejected."""

    why: MaybeText = ""


_FIRST = "$response.body#/proposals/0/id"


@router.get(
    "",
    responses=linked(
        200, show_proposal={"proposal": _FIRST}, approve={"proposal": _FIRST}, reject={"proposal": _FIRST}
    ),
)
def list_proposals(
    name: AgentName,
    access: Entered,
    state: Annotated[State | Literal[""], Query(description="Only those in this state; empty for any.")] = "open",
    limit: Limit = 100,
    cursor: Offset = "",
) -> ProposalList:
    """List proposals, the oldest first."""
    found = access.agent(name).review.proposals(state, offset=offset_of(cursor), limit=limit + 1)
    return ProposalList(tuple(map(views.proposal, found[:limit])), next_of(cursor, limit, found))


_SAME = {"proposal": "$response.body#/id"}


@router.get("/{proposal}", responses=linked(200, approve=_SAME, reject=_SAME))
def show_proposal(name: AgentName, proposal: ProposalId, access: Entered) -> ProposalWhole:
    """Show a proposal, and what approving it would change now."""
    agent = access.agent(name)
    return views.proposal_whole(agent, agent.review.proposal(proposal))


@router.post(
    "/{proposal}/approve",
    responses=linked(
        200,
        show_proposal=_SAME,
        show_change={"number": "$response.body#/change"},
        undo={"number": "$response.body#/change"},
    ),
)
def approve(name: AgentName, proposal: ProposalId, access: Entered, given: ApproveGiven) -> Decided:
    """Apply a proposal exactly as shown, or with edited texts. For operators only."""
    agent = access.agent(name)
    edited = None
    if given.edited is not None:
        edited = {agent.files.name(path): text.encode() for path, text in given.edited.items()}
    bases = {agent.files.name(path): version or ABSENT for path, version in given.bases.items()}
    outcome = agent.review.approve(proposal, edited=edited, bases=bases)
    return views.approved(agent.review.proposal(proposal).id, outcome)


@router.post("/{proposal}/reject", responses=linked(200, show_proposal=_SAME))
def reject(name: AgentName, proposal: ProposalId, access: Entered, given: RejectGiven) -> ProposalShown:
    """Close a proposal without applying it. For operators only."""
    return views.proposal(access.agent(name).review.reject(proposal, given.why))
