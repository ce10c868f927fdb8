"""`/api/agents/{name}/proposals`: changes that wait for approval, looked at and decided."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import Field

from oldsoul.app.versions import difference
from oldsoul.errors import OldsoulError
from oldsoul.faces.http.access import Entered
from oldsoul.faces.http.routes.given import (
    MOST,
    AgentName,
    Given,
    Limit,
    MaybeText,
    Offset,
    Versions,
    next_of,
    offset_of,
)
from oldsoul.faces.http.routes.shown import ChangeNumber, Evidence, Next, PathShown, Shown, Time, Version, linked
from oldsoul.values.history import ABSENT
from oldsoul.views import history as views

router = APIRouter(prefix="/api/agents/{name}/proposals", tags=["proposals"])
State = Literal["open", "approved", "rejected", "expired"]
ProposalId = Annotated[str, Path(description="Its id.", pattern=r"^[0-9a-z-]{1,64}$", examples=["p4k2x9"])]


class ProposalShown(Shown):
    """A change that was proposed."""

    id: Annotated[str, Field(examples=["p4k2x9"])]
    at: Time
    state: State
    author: Annotated[str, Field(examples=["keeper:soul-keeper"])]
    reason: str
    files: list[PathShown]
    words: list[str]
    """The words it would write."""
    evidence: list[Evidence]
    warnings: list[str]
    note: str
    """Why it was rejected or expired, or the change it became."""


class ProposalList(Shown):
    """A page of proposals, the oldest first."""

    proposals: list[ProposalShown]
    next: Next


class FilePreview(Shown):
    """One file as approving a proposal would leave it."""

    path: PathShown
    version: Version
    """The version that stands now; give it as one of `bases` to approve only what you saw."""
    text: str | None
    """The text after approval; null when the file would be removed."""


class ProposalWhole(ProposalShown):
    """A proposal, and what approving it would do now."""

    diff: str
    problem: str
    """Why it cannot be applied now; empty when it can."""
    previews: list[FilePreview]


class ApproveGiven(Given):
    """How a proposal is approved."""

    edited: Annotated[dict[str, MaybeText], Field(max_length=MOST)] | None = None
    """Texts to save instead of what is proposed, by file."""
    bases: Versions = Field(default_factory=dict)


class RejectGiven(Given):
    """Why a proposal is rejected."""

    why: MaybeText = ""


class Approved(Shown):
    """A proposal that was approved."""

    id: str
    change: ChangeNumber | None
    files: list[PathShown]
    masked: int
    warnings: list[str]


_FIRST = "$response.body#/proposals/0/id"


@router.get(
    "",
    response_model=ProposalList,
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
) -> dict[str, Any]:
    """List proposals, the oldest first."""
    found = access.agent(name).review.proposals(state, offset=offset_of(cursor), limit=limit + 1)
    return {"proposals": [views.proposal(each) for each in found[:limit]], "next": next_of(cursor, limit, found)}


_SAME = {"proposal": "$response.body#/id"}


@router.get("/{proposal}", response_model=ProposalWhole, responses=linked(200, approve=_SAME, reject=_SAME))
def show_proposal(name: AgentName, proposal: ProposalId, access: Entered) -> dict[str, Any]:
    """Show a proposal, and what approving it would change now."""
    agent = access.agent(name)
    found = agent.review.proposal(proposal)
    parts: list[str] = []
    previews: list[dict[str, Any]] = []
    problem = ""
    if found.state == "open":
        try:
            for place, (before, after) in agent.review.preview(found.id).items():
                parts.append(difference(place.path, before, after))
                text = None if after is None else after.decode("utf-8", "replace")
                previews.append({"path": place.path, "version": agent.files.read(place.path).version, "text": text})
        except OldsoulError as error:
            problem = str(error)
    diff = "\n".join(part for part in parts if part)
    return {**views.proposal(found), "diff": diff, "problem": problem, "previews": previews}


@router.post(
    "/{proposal}/approve",
    response_model=Approved,
    responses=linked(
        200,
        show_proposal=_SAME,
        show_change={"number": "$response.body#/change"},
        undo={"number": "$response.body#/change"},
    ),
)
def approve(name: AgentName, proposal: ProposalId, access: Entered, given: ApproveGiven) -> dict[str, Any]:
    """Apply a proposal exactly as shown, or with edited texts. For operators only."""
    agent = access.agent(name)
    edited = None
    if given.edited is not None:
        edited = {agent.files.name(path): text.encode() for path, text in given.edited.items()}
    bases = {agent.files.name(path): version or ABSENT for path, version in given.bases.items()}
    outcome = agent.review.approve(proposal, edited=edited, bases=bases)
    return views.approved(agent.review.proposal(proposal).id, outcome)


@router.post("/{proposal}/reject", response_model=ProposalShown, responses=linked(200, show_proposal=_SAME))
def reject(name: AgentName, proposal: ProposalId, access: Entered, given: RejectGiven) -> dict[str, Any]:
    """Close a proposal without applying it. For operators only."""
    return views.proposal(access.agent(name).review.reject(proposal, given.why))
