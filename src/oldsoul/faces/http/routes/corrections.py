"""`/api/agents/{name}/corrections` and `…/conflicts`: what the operator corrected, and what disagrees."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import Field

from oldsoul.app.paging import paged
from oldsoul.errors import NotFound
from oldsoul.faces.http.access import Entered
from oldsoul.faces.http.routes.given import AgentName, Given, Limit, MaybeText, Offset, Text, next_of, offset_of
from oldsoul.faces.http.routes.shown import Change, ChangeNumber, EntryId, Next, Report, Shown, linked
from oldsoul.views import history, upkeep

router = APIRouter(prefix="/api/agents/{name}", tags=["corrections"])


class Correction(Shown):
    """Something that was corrected."""

    id: EntryId
    date: Annotated[str, Field(examples=["2026-02-04"])]
    correct: Annotated[str, Field(examples=["The meeting is on Thursday"])]
    """What holds."""
    wrong: str
    right: str
    embedded: bool
    """Whether search knows it."""
    problem: str = ""
    """Why it does not hold, if it was checked; empty when it does."""


class CorrectionList(Shown):
    """A page of corrections, the oldest first."""

    corrections: list[Correction]
    next: Next


class CorrectGiven(Given):
    """What is true."""

    statement: Annotated[Text, Field(examples=["The meeting is on Thursday, not on Tuesday"])]
    """What is true, in one sentence."""
    wrong: MaybeText = ""
    """The wrong value in memory; it is replaced everywhere."""
    right: MaybeText = ""
    """The value that replaces it. Default: the value of the same type in the statement."""


class Withdrawn(Shown):
    """A correction that was taken back."""

    withdrawn: EntryId
    changes: list[ChangeNumber]
    """The changes that took it back."""


class Side(Shown):
    """One of two memories that disagree."""

    ref: Annotated[str, Field(examples=["k3f9w2m7qa"])]
    """The id of the entry, or `m:118` for a message; empty where CONFLICTS.md does not say."""
    path: str | None
    """The file of the entry; null for a message."""
    line: int | None
    text: str
    """What it says; when it is gone, what it said then."""
    standing: bool
    """Whether it is still memory: neither gone nor replaced."""
    seen: str | None
    """The day it was last mentioned."""
    confidence: float | None
    """Its confidence today; null for a message."""
    source: str
    """The message it comes from."""
    origin: str | None
    """Who stated it."""
    audience: str | None
    """Who may see it."""


class ConflictShown(Shown):
    """Two memories that cannot both be true."""

    conflict: EntryId
    """Its id."""
    found: Annotated[str, Field(examples=["2026-02-04 10:00 UTC"])]
    """When it was found."""
    state: Literal["open", "settled"]
    why: str
    """Why they cannot both be true."""
    outcome: str
    """What became of it."""
    proposal: str | None
    """The open proposal that would keep the newer one. Settling the conflict closes it."""
    sides: list[Side]


class ConflictList(Shown):
    """A page of conflicts, the oldest first."""

    conflicts: list[ConflictShown]
    next: Next


class SettleGiven(Given):
    """What of a conflict is kept."""

    keep: Annotated[str, Field(pattern=r"^(both|m:[0-9]{1,18}|[0-9a-z]{1,40})$", examples=["both"])]
    """The `ref` of the side that is right, or `both`."""


@router.get(
    "/corrections",
    response_model=CorrectionList,
    responses=linked(200, withdraw={"correction": "$response.body#/corrections/0/id"}),
)
def list_corrections(
    name: AgentName,
    access: Entered,
    limit: Limit = 100,
    cursor: Offset = "",
    check: Annotated[bool, Query(description="Ask memory for each, and say which do not hold.")] = False,  # noqa: FBT002 - a query
) -> dict[str, Any]:
    """List the corrections that stand, archived ones included."""
    corrected = access.agent(name).memory
    found = list(paged(corrected.corrections(), offset_of(cursor), limit + 1))
    problems = {one.correction.id: one.problem for one in corrected.check_corrections()} if check else {}
    shown = [{**upkeep.correction(one), "problem": problems.get(one.id, "")} for one in found[:limit]]
    return {"corrections": shown, "next": next_of(cursor, limit, found)}


_CHANGE = {"number": "$response.body#/steps/0/change"}


@router.post(
    "/corrections",
    response_model=Report,
    status_code=201,
    responses=linked(201, list_corrections={}, show_change=_CHANGE, undo=_CHANGE),
)
def correct(name: AgentName, access: Entered, given: CorrectGiven) -> dict[str, Any]:
    """Correct something. It takes effect at once, wherever memory says otherwise. For operators only."""
    return upkeep.report(access.agent(name).correct(given.statement, wrong=given.wrong, right=given.right))


@router.delete("/corrections/{correction}", response_model=Withdrawn)
def withdraw(
    name: AgentName,
    correction: Annotated[str, Path(description="Its id.", pattern=r"^[0-9a-z]{1,40}$", examples=["k3f9w2m7qa"])],
    access: Entered,
) -> dict[str, Any]:
    """Take a correction back, with everything it changed. For operators only."""
    undone = access.agent(name).memory.withdraw(correction)
    return {"withdrawn": correction, "changes": [outcome.change.id for outcome in undone if outcome.change]}


@router.get(
    "/conflicts",
    response_model=ConflictList,
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
) -> dict[str, Any]:
    """List memories that disagree, as the conflict detector found them, the oldest first."""
    found = access.agent(name).review.conflicts(state, offset=offset_of(cursor), limit=limit + 1)
    return {"conflicts": [upkeep.conflict(each) for each in found[:limit]], "next": next_of(cursor, limit, found)}


@router.post("/conflicts/{conflict}/settle", response_model=Change)
def settle(
    name: AgentName,
    conflict: Annotated[str, Path(description="Its id.", pattern=r"^[0-9a-z]{1,40}$", examples=["k3f9w2m7qa"])],
    access: Entered,
    given: SettleGiven,
) -> dict[str, Any]:
    """Settle a conflict: keep one side, the other, or both. For operators only."""
    made = access.agent(name).review.settle(conflict, given.keep).change
    if made is None:
        raise NotFound(f"conflict {conflict} could not be settled")
    return history.change(made)
