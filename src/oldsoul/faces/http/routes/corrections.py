"""`/api/agents/{name}/corrections` and `…/conflicts`: what the operator corrected, and what disagrees."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import Field

from oldsoul.app.keepers import checks
from oldsoul.app.paging import paged
from oldsoul.faces.http.access import Entered
from oldsoul.faces.http.routes.entries import EntryList
from oldsoul.faces.http.routes.given import AgentName, Given, Limit, MaybeText, Offset, Text, next_of, offset_of
from oldsoul.faces.http.routes.shown import ChangeNumber, EntryId, Next, Report, Shown, linked
from oldsoul.values.callers import Right
from oldsoul.views import files, upkeep

router = APIRouter(prefix="/api/agents/{name}", tags=["corrections"])
_CONFLICTS = "CONFLICTS.md"


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
    parts = access.agent(name).allowed(Right.INSPECT, None, "corrections")
    found = list(paged(checks.standing(parts), offset_of(cursor), limit + 1))
    problems = {one.correction.id: one.problem for one in checks.checked(parts)} if check else {}
    shown = [{**upkeep.correction(one), "problem": problems.get(one.id, "")} for one in found[:limit]]
    return {"corrections": shown, "next": next_of(cursor, limit, found)}


@router.post("/corrections", response_model=Report, status_code=201)
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
    undone = access.agent(name).withdraw(correction)
    return {"withdrawn": correction, "changes": [outcome.change.id for outcome in undone if outcome.change]}


@router.get("/conflicts", response_model=EntryList)
def list_conflicts(name: AgentName, access: Entered, limit: Limit = 100, cursor: Offset = "") -> dict[str, Any]:
    """List the findings of the conflict detector: memories that disagree, as CONFLICTS.md has them."""
    found = access.agent(name).entries(_CONFLICTS, offset=offset_of(cursor), limit=limit)
    return {**files.entries(found), "next": None if found.next is None else str(found.next)}
