"""The runs of keepers, their schedule, corrections, the index, settings and findings as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from oldsoul.app import Agent
    from oldsoul.app.clock.timetable import Line
    from oldsoul.app.health import Finding
    from oldsoul.app.home.services import SpentDay
    from oldsoul.app.services.review import Disagreement
    from oldsoul.driver import Report, RunStep
    from oldsoul.judging.corrections.corrections import Correction
    from oldsoul.settings import Described, Loaded
    from oldsoul.values.callers import Token
    from oldsoul.values.jobs import DueTime, SlotOutcome
    from oldsoul.values.runtime import Backup


def token(of: Token, now: datetime) -> dict[str, Any]:
    """A token, without its secret: its id, role, person, agent and name, and until when it is valid."""
    return {
        "id": of.id,
        "role": str(of.role),
        "person": of.person.id,
        "agent": of.agent or None,
        "name": of.name,
        "created": of.created.isoformat(),
        "expires": of.expires.isoformat() if of.expires else None,
        "expired": of.has_expired(now),
    }


_MASK = "••••••"


def report(of: Report) -> dict[str, Any]:
    """A keeper's run: its steps, what it could not do, and what it asked of the model."""
    return {
        "keeper": of.run.keeper,
        "run": of.run.key,
        "done": of.done,
        "steps": [_step(step) for step in of.steps],
        "notes": list(of.notes),
        "problems": of.problems,
        "asked": of.asked,
        "tokens_in": of.tokens_in,
        "tokens_out": of.tokens_out,
        "cost": of.cost,
        "facts": dict(of.facts),
    }


def ended(session: str, reports: Sequence[Report], *, dry_run: bool) -> dict[str, Any]:
    """A session that was made memory of: whether all of it is done, and a run for each of its days."""
    return {
        "session": session,
        "dry_run": dry_run,
        "done": dry_run or all(each.done for each in reports),
        "runs": [{"day": day_of(each), **report(each)} for each in reports],
    }


def day_of(of: Report) -> str:
    """The day that a run which ends a session is about."""
    return of.run.key.rsplit(":", 2)[1]


def _step(of: RunStep) -> dict[str, Any]:
    outcome, plan = of.outcome, of.plan
    change = outcome.change if outcome else None
    proposal = outcome.proposal if outcome else None
    value: dict[str, Any] = {
        "files": of.files,
        "reason": of.change_set.reason,
        "change": change.id if change else None,
        "proposal": proposal.id if proposal else None,
        "repeated": bool(outcome and outcome.repeated),
        "promoted": [{"path": name.path, "text": text} for name, text in of.promoted],
        "masked": outcome.masked if outcome else 0,
        "warnings": list(outcome.warnings if outcome else plan.warnings if plan else ()),
        "problem": of.problem,
    }
    if plan is not None:
        value |= {"waits": str(plan.verdict) == "ask", "diff": of.difference}
    return value


def correction(of: Correction) -> dict[str, Any]:
    """Something that was corrected: what holds, the wrong value and the right one."""
    return {
        "id": of.id,
        "date": of.day,
        "correct": of.correct,
        "wrong": of.old,
        "right": of.new,
        "embedded": of.embedded,
    }


def conflict(of: Disagreement) -> dict[str, Any]:
    """Two memories that disagree: why, what happened to it, and both sides as they are."""
    return {
        "conflict": of.id,
        "found": of.found,
        "state": of.state,
        "why": of.why,
        "outcome": of.outcome,
        "proposal": of.proposal or None,
        "sides": [
            {
                "ref": side.ref,
                "path": side.path or None,
                "line": side.line or None,
                "text": side.text,
                "standing": side.standing,
                "seen": side.seen.isoformat() if side.seen else None,
                "confidence": side.confidence,
                "source": side.source,
                "origin": str(side.origin) if side.origin else None,
                "audience": str(side.audience) if side.audience else None,
            }
            for side in of.sides
        ],
    }


def job(of: Line) -> dict[str, Any]:
    """A job of the schedule: when it is due, whether it runs, and the result last."""
    wanted = of.job
    return {
        "agent": wanted.agent,
        "job": wanted.name,
        "setting": wanted.setting,
        "when": wanted.when,
        "zone": str(wanted.zone),
        "next": _slot(of.next) if of.next else None,
        "running": of.running._asdict() if of.running else None,
        "last": past(of.last) if of.last else None,
        "problem": of.problem,
    }


def _slot(of: DueTime) -> dict[str, str]:
    return {"slot": of.id, "at": of.at.isoformat()}


def past(of: SlotOutcome) -> dict[str, Any]:
    """What came of a job's slot: its status, how long it took, what it changed and cost."""
    result = of.result
    return {
        **_slot(of.slot),
        "status": str(result.status),
        "started": result.started.isoformat() if result.started else None,
        "ended": result.ended.isoformat() if result.ended else None,
        "seconds": result.duration.total_seconds() if result.duration is not None else None,
        "changes": result.changes,
        "tokens_in": result.tokens_in,
        "tokens_out": result.tokens_out,
        "cost": result.cost,
        "attempts": result.attempts,
        "notes": list(result.notes),
    }


def spent(of: SpentDay) -> dict[str, Any]:
    """What questions to models took on one day, and what each keeper's cost."""
    total = of.spent
    return {
        "day": of.day.isoformat(),
        "questions": total.calls,
        "tokens_in": total.tokens_in,
        "tokens_out": total.tokens_out,
        "cost": total.cost,
        "costs": dict(of.costs),
    }


def index(agent: Agent) -> dict[str, Any]:
    """How the index of an agent's memory stands."""
    found = agent.index.status()
    state = found.state
    return {
        "agent": agent.id,
        "documents": state.documents,
        "conversations": state.conversations,
        "chunks": state.chunks,
        "embedder": found.embedder,
        "file": found.file or None,
        "size": found.size,
        "waiting": state.waiting,
        "up_to_date": not state.waiting and not found.making,
        "making": found.making or None,
        "problems": list(found.problems),
    }


def setting(of: Described, loaded: Loaded) -> dict[str, Any]:
    """A setting in force and where it was set; a secret is masked."""
    source = loaded.sources.get(of.path)
    value = _plain(_value(loaded.settings, of.path))
    return {
        "path": of.path,
        "value": _MASK if of.secret and value else value,
        "source": source.layer if source else "default",
        "line": source.line if source else None,
    }


def _value(settings: Any, path: str) -> Any:
    for step in path.split("."):
        settings = getattr(settings, step) if hasattr(settings, step) else getattr(settings, f"{step}_")
    return settings


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        pairs = value and all(isinstance(item, tuple) for item in value)
        return {key: _plain(inner) for key, inner in value} if pairs else [_plain(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        inner = {name.rstrip("_"): _plain(getattr(value, name)) for name in value.__dataclass_fields__}
        return {name: each for name, each in inner.items() if each not in ("", [], False)}
    return value


def health(found: Sequence[Finding]) -> dict[str, Any]:
    """Whether a home is in order, and everything that was looked at."""
    checks = [
        {"level": each.level, "about": each.about, "message": each.message, "advice": each.advice} for each in found
    ]
    return {"ok": all(each.level != "error" for each in found), "checks": checks}


def backup(of: Backup) -> dict[str, Any]:
    """A backup that was written or restored, and what is not in it."""
    return {
        "file": of.file,
        "home": of.home,
        "home_id": of.home_id,
        "made": of.made,
        "version": of.version,
        "files": of.files,
        "size": of.size,
        "left_out": list(of.left_out),
        "moved": dict(of.moved),
    }
