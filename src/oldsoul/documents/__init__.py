"""Markdown bytes to documents and back, without losing a byte; edits that touch only the lines they mean to."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# At once, and not when asked for: the first import of the module would put it in the place of the function.
from oldsoul.documents.links import Link, links, resolved

if TYPE_CHECKING:
    from oldsoul.documents.entries import Entry, Form
    from oldsoul.documents.model import Document, Section, parse, render, stripped, unsearchable

__all__ = [
    "Document",
    "Entry",
    "Form",
    "Link",
    "Section",
    "links",
    "parse",
    "render",
    "resolved",
    "stripped",
    "unsearchable",
]

# Settings read YAML from here with every command; few commands need the parser as well.
_WHERE = {
    **dict.fromkeys(("Entry", "Form"), "entries"),
    **dict.fromkeys(("Document", "Section", "parse", "render", "stripped", "unsearchable"), "model"),
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
    globals()[name] = value
    return value
