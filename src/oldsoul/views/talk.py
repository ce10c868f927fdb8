"""Messages, conversations and the people in them as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oldsoul.views import upkeep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oldsoul.app.home.people import Person
    from oldsoul.app.keepers.recall_validator import Looked
    from oldsoul.app.talk.calendar import DayCounts, SessionDay
    from oldsoul.app.talk.conversations import Room
    from oldsoul.app.talk.imports import Imported
    from oldsoul.app.talk.log import Heard, Held
    from oldsoul.app.talk.requests import Asking
    from oldsoul.judging.triage import Triaged
    from oldsoul.values.messages import Flag, Message
    from oldsoul.values.sessions import Session


def message(of: Message) -> dict[str, Any]:
    """A logged message: its number, conversation, sender, text and time, and what triage saw in it."""
    return {
        "message": of.id,
        "session": of.session.id,
        "kind": str(of.session.kind),
        "room": of.session.room,
        "sender": of.sender,
        "subject": of.subject.id if of.subject else None,
        "role": of.role,
        "text": of.text,
        "time": of.time.isoformat(),
        "channel": of.channel,
        "key": of.key,
        "origin": str(of.origin),
        "audience": str(of.audience),
        "flags": [flag(each) for each in of.flags],
    }


def heard(of: Heard) -> dict[str, Any]:
    """A message that came in, whether it was known before, how many secrets were masked, and what it corrected."""
    made = of.corrected
    corrected = {"corrected": upkeep.report(made)} if made and made.steps else {}
    return {**message(of.message), "repeated": of.repeated, "masked": of.masked, **corrected}


def flag(of: Flag) -> dict[str, Any]:
    """Something triage saw: which table, the keeper it leads to, how sure it is, and the words."""
    return {"trigger": of.trigger, "route": of.route, "confidence": of.confidence, "phrase": of.phrase}


def exported(of: Message) -> dict[str, str]:
    """A message as an import reads it; what is empty is left out."""
    root = of.session.root
    person = of.subject or root.subject
    line = {
        "session": of.session.id,
        "kind": str(of.session.kind),
        "room": root.room,
        "sender": of.sender,
        "subject": person.id if person else "",
        "role": of.role,
        "text": of.text,
        "time": of.time.isoformat(),
        "key": of.key,
        "channel": of.channel,
    }
    return {field: value for field, value in line.items() if value}


def triaged(of: Triaged) -> dict[str, Any]:
    """What a message would be flagged for, where each flag leads, and what it would correct."""
    made = of.correction
    return {
        "enabled": of.enabled,
        "flags": [
            {
                **flag(lead.flag),
                "operator": lead.operator,
                "others": lead.others,
                "needs_related": lead.needs_related,
            }
            for lead in of.leads
        ],
        "puts_right": {"old": made.old, "new": made.new} if made else None,
        "problems": list(of.problems),
    }


def session(of: Held, new: int) -> dict[str, Any]:
    """A conversation: whom or where it is with, its messages, and how many are not memory yet."""
    thread = of.thread
    return {
        "session": thread.session.id,
        "kind": str(thread.session.kind),
        "with": _with(thread.session),
        "messages": thread.count,
        "first": thread.first.isoformat(),
        "last": thread.last.isoformat(),
        "channel": thread.channel,
        "ended": of.ended,
        "new": new,
    }


def _with(of: Session) -> str:
    root = of.root
    return root.room or (root.subject.id if root.subject and root.kind == "dm" else "")


def imported(done: Sequence[tuple[str, Imported]], looked: Looked | None, *, vouched: bool) -> dict[str, Any]:
    """Files that were imported, each with its name: how many messages they had, lines that were left out, what was corrected."""
    every = [each for _, each in done]
    return {
        "stored": sum(each.stored for each in every),
        "repeated": sum(each.repeated for each in every),
        "masked": sum(each.masked for each in every),
        "vouched": vouched,
        "bad": [{"file": file, "line": bad.line, "problem": bad.problem} for file, each in done for bad in each.bad],
        "sessions": list(dict.fromkeys(one for each in every for one in each.sessions)),
        **({"corrected": looked.corrected, "proposed": looked.proposed, "waiting": looked.waiting} if looked else {}),
    }


def asked(of: Asking) -> dict[str, Any]:
    """Something a person asked to be remembered: the words, the files it goes to, its state, and why it is left."""
    return {
        "message": of.message.id,
        "time": of.message.time.isoformat(),
        "subject": of.message.subject.id if of.message.subject else None,
        "words": of.words,
        "kind": of.kind,
        "section": of.section,
        "files": [name.path for name in of.names],
        "state": of.state,
        "why": of.why,
    }


def room(of: Room) -> dict[str, Any]:
    """A room: how much was said in it, when last, and its file."""
    return {
        "room": of.id,
        "messages": of.messages,
        "last": of.last.isoformat() if of.last else None,
        "path": of.path or None,
    }


def day_counts(of: DayCounts) -> dict[str, Any]:
    """A day in numbers."""
    return {**of._asdict(), "day": of.day.isoformat()}


def day_session(of: SessionDay) -> dict[str, Any]:
    """A session on one day: what it was about, its tasks and follow-ups."""
    return {
        **of._asdict(),
        "path": of.path or None,
        "tasks": [task._asdict() for task in of.tasks],
        "follow_ups": [task._asdict() for task in of.follow_ups],
    }


def person(of: Person) -> dict[str, Any]:
    """Somebody a home knows: the id, whether an operator, the names they are known by, how many memories."""
    return of._asdict()
