"""A keeper of one's own: every Monday it writes down how much was said in the week before."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from oldsoul.app.keepers.work import KeeperInputs, Work
from oldsoul.keepers.questions import Findings, Messages
from oldsoul.values.changes import Add, Author, ChangeSet, Role
from oldsoul.values.keepers import KeeperRecord
from oldsoul.values.messages import Wanted
from oldsoul.values.names import Name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from oldsoul.keepers.questions import Keeper

NAME = "week-keeper"


def works(inputs: KeeperInputs, *, dry_run: bool = False) -> Iterator[Work]:
    """One run a week: its key names the week, so that the same week is written down once."""
    del dry_run
    agent = inputs.agent
    today = agent.today().replace(hour=0, minute=0, second=0, microsecond=0)
    monday = today - timedelta(days=today.weekday())
    yield Work(NAME, f"week:{monday:%F}", lambda: week(Name(agent.id, "MEMORY.md"), monday))


def week(memory: Name, monday: datetime) -> Keeper:
    """Asks for what was said; whoever runs it answers. Nothing else is read, and nothing is written here."""
    said = yield Messages(Wanted(since=monday - timedelta(days=7), until=monday, limit=10_000))
    if not said:
        return Findings(notes=("nothing was said in that week",))
    text = f"{len(said)} messages in {len({message.session.id for message in said})} conversations before {monday:%F}"
    add = Add(memory, text, section="Notes")
    return Findings((ChangeSet((add,), Author(Role.KEEPER, NAME), "the week in numbers", f"week:{monday:%F}"),))


KEEPER = KeeperRecord(NAME, "Writes down on Mondays how much was said in the week before.", works=works)
