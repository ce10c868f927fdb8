"""The keepers there are, a line each: the schedule, its settings, the commands, the server and the files follow from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from oldsoul.values.frozen import frozen


@frozen
class KeeperRecord:
    """One keeper, as everything that lists keepers knows it."""

    name: str
    """what it is called, and its changes are signed with"""
    about: str
    """what it does, in a sentence"""
    schedule: str = ""
    """when it runs, while no setting says otherwise; empty for one that runs only when something starts it"""
    setting: str = ""
    """the last part of that setting's name, where it is not the keeper's own"""
    aliases: tuple[str, ...] = ()
    """further names of that setting"""
    has_prompt: bool = False
    """whether it reads messages by its own prompt, `agents/<name>/SOUL.md`: a new workspace gets that file"""
    works: Callable[..., Iterator[Any]] | None = None
    """gives the runs there are to do; None for one of ours, whose `works` stands in `oldsoul.app.keepers.<name>`"""

    @property
    def module(self) -> str:
        """Its name, as a module or a setting can be called."""
        return self.name.replace("-", "_")

    @property
    def setting_path(self) -> str:
        """The setting that says when it runs."""
        return f"keepers.schedule.{self.setting or self.module}"


KEEPERS = (
    KeeperRecord(
        "soul-keeper",
        "Proposes additions to SOUL.md from what the operator corrected.",
        "02:30",
        aliases=("cron_soul_keeper",),
        has_prompt=True,
    ),
    KeeperRecord(
        "memory-miner",
        "Finds decisions, lessons, knowledge and events in conversations.",
        "06:00",
        aliases=("cron_memory_miner",),
        has_prompt=True,
    ),
    KeeperRecord(
        "conflict-detector",
        "Finds entries that contradict each other.",
        "07:00",
        aliases=("cron_conflict_detector",),
        has_prompt=True,
    ),
    KeeperRecord(
        "memory-compactor",
        "Summarises old days, tidies MEMORY.md, archives old corrections.",
        "Sunday 03:00",
        setting="compactor_weekly",
        aliases=("cron_compactor_weekly",),
        has_prompt=True,
    ),
    KeeperRecord("vector-hygiene", "Marks stale entries and removes them from the index.", "Sunday 03:30"),
    KeeperRecord("soul-history", "Deletes old snapshots of SOUL.md, except one a month.", "monthly 03:45"),
    KeeperRecord("recall-validator", "Records what the operator corrected.", has_prompt=True),
    KeeperRecord("session-summarizer", "Summarises sessions that have ended.", has_prompt=True),
)
"""Our own. A new one is a line here and `app/keepers/<name>.py`."""

PROMPTED = tuple(record.name for record in KEEPERS if record.has_prompt)
"""The names of those that read messages: a pattern of triage leads to one of them."""
