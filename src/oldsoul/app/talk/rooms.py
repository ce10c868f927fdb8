"""The rooms of one agent: those that something was said in, and those that have a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from oldsoul.values.ids import id_of
from oldsoul.values.names import Kind, room

if TYPE_CHECKING:
    from datetime import datetime

    from oldsoul.app.agent_recall import AgentRecall


class Room(NamedTuple):
    """A room that an agent knows."""

    id: str
    """what it is called"""
    messages: int
    """how many messages were logged in it"""
    last: datetime | None
    """when something was last said in it; None when nothing was"""
    path: str
    """the file of what it knows; empty when there is none"""


def rooms(agent: AgentRecall) -> list[Room]:
    """The rooms there are, by their ids."""
    store = agent.home.world.store
    files = {name.path: id_of(name.owner_segment) for name in store.names(agent.id, "rooms") if name.kind is Kind.ROOM}
    found = {each: Room(each, 0, None, path) for path, each in files.items() if each}
    for thread in agent.home.chat.threads(agent.id):
        each = thread.session.root.room
        if each:
            path = room(agent.id, each).path
            known = found.get(each, Room(each, 0, None, path if path in files else ""))
            last = max(known.last, thread.last) if known.last else thread.last
            found[each] = known._replace(messages=known.messages + thread.count, last=last)
    return [found[each] for each in sorted(found)]
