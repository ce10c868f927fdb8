"""What earlier sessions left behind, as prompts tell of it: the person's long-term memory, and the last days' files."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from oldsoul.app.talk.session_files import is_of
from oldsoul.context.injection import Known, Past
from oldsoul.documents import parse
from oldsoul.rules.audience import entry_audience, seen_by
from oldsoul.values.names import Kind, longterm

if TYPE_CHECKING:
    from oldsoul.app.agent_recall import AgentRecall
    from oldsoul.values.sessions import Session

_LISTED = ("item", "task")


def known(agent: AgentRecall, session: Session) -> list[Known]:
    """The long-term memory of the person a private session is with."""
    root = session
    while root.parent is not None:
        root = root.parent
    if root.kind != "dm" or root.subject is None:
        return []
    name = longterm(agent.id, root.subject.id)
    entries = parse(agent.read(name).data or b"").entries
    return [Known(e.id, e.text, seen_by(name, e)) for e in entries if e.kind in _LISTED]


def past(agent: AgentRecall, session: Session) -> list[Past]:
    """What the sessions of the last days left behind, and today's file of this one."""
    today = agent.today().date()
    start = today - timedelta(days=agent.settings.memory.short_term_days)
    found = []
    for day in (start + timedelta(days=number) for number in range((today - start).days + 1)):
        for name in agent.home.world.store.names(agent.id, f"memory/{day.isoformat()}"):
            if name.kind is not Kind.SESSION:
                continue
            current = day == today and is_of(name, session.id)
            matter = parse(agent.read(name).data or b"").matter
            audience = entry_audience(name, matter.text("audience"))
            facts = (matter.text("summary"), matter.text("tasks"), matter.text("follow_ups"))
            if facts[0]:
                found.append(Past(day, name.path.removeprefix("memory/"), *facts, audience, current))
    return found
