"""The fakes we ship: stores in memory, a clock that is still, a model that follows a script. For your tests and ours."""

from __future__ import annotations

from oldsoul.testing.records import (
    MemoryChatLog,
    MemoryCredentials,
    MemoryEventLog,
    MemoryJobLog,
    MemoryRecords,
    MemorySpending,
    MemoryUsage,
    WordMemory,
)
from oldsoul.testing.scripts import FrozenClock, MemoryLeases, ScriptedModel, ScriptedTalker, ToldChanges
from oldsoul.testing.store import MemoryStore

__all__ = [
    "FrozenClock",
    "MemoryChatLog",
    "MemoryCredentials",
    "MemoryEventLog",
    "MemoryJobLog",
    "MemoryLeases",
    "MemoryRecords",
    "MemorySpending",
    "MemoryStore",
    "MemoryUsage",
    "ScriptedModel",
    "ScriptedTalker",
    "ToldChanges",
    "WordMemory",
]
