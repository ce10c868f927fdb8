"""What the middle needs of the world: small protocols, each with a fake in `testing` and one contract suite."""

from __future__ import annotations

from oldsoul.ports.documents import Changes, Extras, Held, History, Places, SkillRoots, Store
from oldsoul.ports.events import EventLog
from oldsoul.ports.index import Index
from oldsoul.ports.machine import Clock, Lease, Leases, Notify, Runtime
from oldsoul.ports.models import Accountable, ChosenEmbedder, Embedder, Model, Spending, Tables
from oldsoul.ports.talk import ChatLog, SecondMemory, Usage

__all__ = [
    "Accountable",
    "Changes",
    "ChatLog",
    "ChosenEmbedder",
    "Clock",
    "Embedder",
    "EventLog",
    "Extras",
    "Held",
    "History",
    "Index",
    "Lease",
    "Leases",
    "Model",
    "Notify",
    "Places",
    "Runtime",
    "SecondMemory",
    "SkillRoots",
    "Spending",
    "Store",
    "Tables",
    "Usage",
]
