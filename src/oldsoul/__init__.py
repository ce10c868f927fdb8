"""Oldsoul: memory and identity for LLM agents, kept in plain Markdown."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oldsoul.app import Agent, Oldsoul
    from oldsoul.values.sessions import Session, Subject

__version__ = "0.1.0"
__all__ = ["Agent", "Oldsoul", "Session", "Subject", "__version__"]

# Importing the package costs nothing; what is used is loaded when it is.
_WHERE = {
    "Agent": "oldsoul.app",
    "Oldsoul": "oldsoul.app",
    "Session": "oldsoul.values.sessions",
    "Subject": "oldsoul.values.sessions",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "Oldsoul":
        import_module("oldsoul.wiring")
    return getattr(import_module(_WHERE[name]), name)
