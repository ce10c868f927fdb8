"""`/api/agents/{name}/corrections` and `…/conflicts`: what the operator corrected, and what disagrees."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from pydantic import Field

from oldsoul.errors import NotFound
from oldsoul.faces.http.access import Entered
from oldsoul.faces.http.routes.given import AgentName, Given, Limit, MaybeText, Offset, Text, linked, next_of, offset_of
from oldsoul.values.pages import paged
from oldsoul.views import history, upkeep
from oldsoul.views.history import ChangeShown
from oldsoul.views.upkeep import ConflictList, CorrectionList, ReportShown, Withdrawn

router = APIRouter(prefix="/api/agents/{name}", tags=["corrections"])


class CorrectGiven(Given):
    """What is true."""

    statement: Annotated[Text, Field(examples=["The meeting is on Thursday, not on Tuesday"])]
    """What is true, in one sentence."""
    wrong: MaybeText = ""
    """The wrong value in memory; it is replaced everywhere."""
    right: MaybeText = ""
    """The value that replaces it. Default: the value of the same type in the statement."""


class SettleGiven(Given):
    """What of a conflict is kept."""

    keep: Annotated[str, Field(pattern=r"^(both|m:[0-9]{1,18}|[0-9a-z]{1,40})$", examples=["both"])]
    """The `ref` of the side that is right, or `both`."""


@router.get(
    "/corrections",
    responses=linked(200, withdraw={"correction": "$response.body#/corrections/0/id"}),
)
def list_corrections(
    name: AgentName,
    access: Entered,
    limit: Limit = 100,
    cursor: Offset = "",
    check: Annotated[bool, Query(description="Ask memory for each, and say which do not hold.")] = False,  # noqa: FBT002 - a query
) -> CorrectionList:
    """List the corrections that stand, archived ones included."""
    corrected = access.agent(name).memory
    found = list(paged(corrected.corrections(), offset_of(cursor), limit + 1))
    problems = {one.correction.id: one.problem for one in corrected.check_corrections()} if check else {}
    shown = tuple(upkeep.correction(one, problems.get(one.id, "")) for one in found[:limit])
    return CorrectionList(shown, next_of(cursor, limit, found))


_CHANGE = {"number": "$response.body#/steps/0/change"}


@router.post(
    "/corrections",
    status_code=201,
    responses=linked(201, list_corrections={}, show_change=_CHANGE, undo=_CHANGE),
)
def correct(name: AgentName, access: Entered, given: CorrectGiven) -> ReportShown:
    """Correct something. It takes effect at once, wherever memory says otherwise. For operators only."""
    return upkeep.report(access.agent(name).correct(given.statement, wrong=given.wrong, right=given.right))


@router.delete("/corrections/{correction}")
def withdraw(
    name: AgentName,
    correction: Annotated[str, Path(description="Its id.", pattern=r"^[0-9a-z]{1,40}$", examples=["k3f9w2m7qa"])],
    access: Entered,
) -> Withdrawn:
    """Take a correction back, with everything it changed. For operators only."""
    return upkeep.withdrawn(correction, access.agent(name).memory.withdraw(correction))


@router.get(
    "/conflicts",
    responses=linked(200, settle={"conflict": "$response.body#/conflicts/0/conflict"}),
)
def list_conflicts(
    name: AgentName,
    access: Entered,
    state: Annotated[
        Literal["open", "settled", ""], Query(description="Only those in this state; empty for any.")
    ] = "open",
    limit: Limit = 100,
    cursor: Offset = "",
) -> ConflictList:
    """List memories that disagree, as the conflict detector found them, the oldest first."""
    found = access.agent(name).review.conflicts(state, offset=offset_of(cursor), limit=limit + 1)
    return ConflictList(tuple(map(upkeep.conflict, found[:limit])), next_of(cursor, limit, found))


@router.post("/conflicts/{conflict}/settle")
def settle(
    name: AgentName,
    conflict: Annotated[str, Path(description="Its id.", pattern=r"^[0-9a-z]{1,40}$", examples=["k3f9w2m7qa"])],
    access: Entered,
    given: SettleGiven,
) -> ChangeShown:
    """Settle a conflict: keep one side, the other, or both. For operators only."""
    made = access.agent(name).review.settle(conflict, given.keep).change
    if made is None:
        raise NotFound(f"conflict {conflict} could not be settled")
    return history.change(made)
