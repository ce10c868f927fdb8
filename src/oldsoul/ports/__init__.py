"""What the middle needs of the world: small protocols, each with a fake in `testing` and one contract suite."""

from __future__ import annotations

from oldsoul.ports.documents import Changes, Extras, History, LockedWorkspace, Places, SkillRoots, Store
from oldsoul.ports.index import Embedded, Heard, Index, IndexedFiles, Noted, Searched
from oldsoul.ports.machine import Clock, Lease, Leases, Notify, Runtime
from oldsoul.ports.models import Accountable, ChosenEmbedder, Embedder, Model, Spending, Tables, Talker
from oldsoul.ports.records import Credentials, EventLog, JobLog, Records
from oldsoul.ports.talk import ChatLog, SecondMemory, UseLog

__all__ = [
    "Accountable",
    "Changes",
    "ChatLog",
    "ChosenEmbedder",
    "Clock",
    "Credentials",
    "Embedded",
    "Embedder",
    "EventLog",
    "Extras",
    "Heard",
    "History",
    "Index",
    "IndexedFiles",
    "JobLog",
    "Lease",
    "Leases",
    "LockedWorkspace",
    "Model",
    "Noted",
    "Notify",
    "Places",
    "Records",
    "Runtime",
    "Searched",
    "SecondMemory",
    "SkillRoots",
    "Spending",
    "Store",
    "Tables",
    "Talker",
    "UseLog",
]
