"""How changes and the runs of keepers are told: as lines for people, as values for programs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from oldsoul.faces.cli.output import clean, coloured_diff, counted, styled

if TYPE_CHECKING:
    from oldsoul.app import Agent
    from oldsoul.driver import Report, Step
    from oldsoul.ledger import Outcome
    from oldsoul.values.audience import Audience
    from oldsoul.values.changes import Author


def _tried(step: Step) -> list[str]:
    if step.plan is None:
        return [styled(f"  {', '.join(step.files)}: {clean(step.problem)}", "red")]
    waits = [styled(f"{', '.join(step.files)} would wait for your approval:", "yellow")]
    shown = [*(waits if str(step.plan.verdict) == "ask" else []), coloured_diff(step.difference)]
    return [*shown, *(f"  Note: {clean(warning)}" for warning in step.plan.warnings)]


def _done(step: Step) -> list[str]:
    outcome = step.outcome
    words = {name.path: f": {clean(text)}" for name, text in step.promoted}
    if outcome is None:
        return [styled(f"  {', '.join(step.files)}: {clean(step.problem)}", "red")]
    if outcome.repeated:
        return _repeated(step)
    if outcome.proposal is not None:
        waits = f"waits for your approval, `oldsoul review show {outcome.proposal.id}`"
        lines = [styled(f"  {path}{words.get(path, '')} ({waits})", "yellow") for path in step.files]
    else:
        change = f" (change {outcome.change.id})" if outcome.change else ""
        lines = [f"  {path}{words.get(path, '')}{change}" for path in step.files]
    if outcome.masked:
        lines.append(f"  Masked {counted(outcome.masked, 'secret')}.")
    return [*lines, *(f"  Note: {clean(warning)}" for warning in outcome.warnings)]


def _repeated(step: Step) -> list[str]:
    """A change whose key was spent: it was made before a run was cut short, or the day's one item was another."""
    outcome = step.outcome
    change = outcome.change if outcome else None
    if change is not None and change.evidence != step.change_set.evidence:
        return [f"  Not kept, one item per session and day: {clean(t)}" for _, t in step.promoted]
    return [f"  {', '.join(step.files)} (already written)"]


def correction_lines(report: Report) -> list[str]:
    """What became of a correction, as people read it: what was done, what waits for approval, what failed."""
    heads = {
        "logged": "Logged as a correction:",
        "done": "Corrected:",
        "waits": "Possible correction; it waits for your approval (`oldsoul review`):",
        "failed": "Could not be corrected:",
    }
    lines: list[str] = []
    for became, head in heads.items():
        steps = tuple(step for step in report.steps if _became(step) == became)
        told = lines_of(replace(report, steps=steps, notes=()), dry_run=False)
        lines += [head, *told] if told else []
    return [*lines, *(f"  Note: {clean(note)}" for note in report.notes)]


def _became(step: Step) -> str:
    if step.outcome is None:
        return "failed"
    if step.outcome.proposal is not None:
        return "waits"
    return "logged" if {*step.files} <= {"CORRECTIONS.md"} else "done"


def lines_of(report: Report, *, dry_run: bool) -> list[str]:
    """A run as people read it."""
    lines: list[str] = []
    for step in report.steps:
        lines += _tried(step) if dry_run else _done(step)
    return [*lines, *(f"  Note: {clean(note)}" for note in report.notes)]


def extras(outcome: Outcome) -> list[str]:
    """What else a person should know of a change."""
    lines = [f"Masked {counted(outcome.masked, 'secret')}."] if outcome.masked else []
    return [*lines, *(f"Note: {clean(warning)}" for warning in outcome.warnings)]


def visible_to(audience: Audience) -> str:
    """Who may see something, in words."""
    return {"owner": "you only", "public": "everyone", "room": f"room {audience.id}"}.get(audience.reach, audience.id)


def who(author: Author, agent: Agent) -> str:
    """An author in a word."""
    if author == agent.parts.home.owner.author:
        return "you"
    return str(author) if author.role in ("operator", "participant") else author.id or str(author.role)
