"""What happened, and what runs, as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oldsoul.values.jobs import Event, Happened, JobStatus


def happened(of: Happened) -> dict[str, Any]:
    """A page of events, and the cursor for the next."""
    return {"events": [event(each) for each in of], "cursor": of.cursor}


def event(of: Event) -> dict[str, Any]:
    """One event: what it is about, by its id, and when; who else may know of it is not told."""
    return {
        "kind": str(of.kind),
        "agent": of.workspace,
        "id": of.id,
        "state": of.state,
        "time": of.time.isoformat(),
        "cursor": of.cursor,
    }


def job(of: JobStatus) -> dict[str, Any]:
    """Long work as it is."""
    return {
        "id": of.id,
        "kind": of.kind,
        "agent": of.agent,
        "state": str(of.state),
        "done": of.done,
        "of": of.of or None,
        "result": dict(of.result),
        "error": of.error,
        "can_cancel": not of.state.is_over and (of.can_stop or of.state == "queued"),
        "queued": of.queued.isoformat(),
        "ended": of.ended.isoformat() if of.ended else None,
    }
