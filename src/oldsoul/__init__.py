"""Oldsoul: memory and identity for LLM agents, kept in plain Markdown."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oldsoul.app import Agent, Oldsoul
    from oldsoul.app.asynchronous import AsyncOldsoul
    from oldsoul.app.jobs import Job
    from oldsoul.app.replying.exchange import Exchange, Response, ToolUse
    from oldsoul.app.replying.replies import Stream
    from oldsoul.app.talk.log import Heard
    from oldsoul.driver import Report
    from oldsoul.errors import (
        BadInput,
        BadName,
        Busy,
        Cancelled,
        Closed,
        Conflict,
        Damaged,
        DocumentError,
        Gone,
        NotFound,
        OldsoulError,
        OutOfBudget,
        Refused,
        SettingsError,
        TimedOut,
        TooLarge,
        Unavailable,
        Unwritable,
    )
    from oldsoul.ledger.proposals import Proposal
    from oldsoul.values.callers import Caller
    from oldsoul.values.context import Context
    from oldsoul.values.history import Change
    from oldsoul.values.jobs import Event
    from oldsoul.values.models import Offer, Request, Supplied, ToolCall, Turn, Usage
    from oldsoul.values.recall import Entry, Hit, Recalled
    from oldsoul.values.sessions import Session, Subject

__version__ = "0.1.0"
__all__ = [
    "Agent",
    "AsyncOldsoul",
    "BadInput",
    "BadName",
    "Busy",
    "Caller",
    "Cancelled",
    "Change",
    "Closed",
    "Conflict",
    "Context",
    "Damaged",
    "DocumentError",
    "Entry",
    "Event",
    "Exchange",
    "Gone",
    "Heard",
    "Hit",
    "Job",
    "NotFound",
    "Offer",
    "Oldsoul",
    "OldsoulError",
    "OutOfBudget",
    "Proposal",
    "Recalled",
    "Refused",
    "Report",
    "Request",
    "Response",
    "Session",
    "SettingsError",
    "Stream",
    "Subject",
    "Supplied",
    "TimedOut",
    "TooLarge",
    "ToolCall",
    "ToolUse",
    "Turn",
    "Unavailable",
    "Unwritable",
    "Usage",
    "__version__",
]

# Importing the package costs nothing; what is used is loaded when it is. What is not named here is an error.
_WHERE = {
    "Agent": "app",
    "AsyncOldsoul": "app.asynchronous",
    "Caller": "values.callers",
    "Change": "values.history",
    "Context": "values.context",
    "Entry": "values.recall",
    "Event": "values.jobs",
    "Exchange": "app.replying.exchange",
    "Heard": "app.talk.log",
    "Hit": "values.recall",
    "Job": "app.jobs",
    "Offer": "values.models",
    "Oldsoul": "app",
    "Proposal": "ledger.proposals",
    "Recalled": "values.recall",
    "Report": "driver",
    "Request": "values.models",
    "Response": "app.replying.exchange",
    "Session": "values.sessions",
    "Stream": "app.replying.replies",
    "Subject": "values.sessions",
    "Supplied": "values.models",
    "ToolCall": "values.models",
    "ToolUse": "app.replying.exchange",
    "Turn": "values.models",
    "Usage": "values.models",
}

if not TYPE_CHECKING:  # a type checker is to find out what is not there

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name in ("AsyncOldsoul", "Oldsoul"):
            import_module("oldsoul.wiring")
        return getattr(import_module(f"oldsoul.{_WHERE.get(name, 'errors')}"), name)
