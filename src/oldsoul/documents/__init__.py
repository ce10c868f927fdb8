"""Markdown bytes to documents and back, without losing a byte; edits that touch only the lines they mean to."""

from oldsoul.documents.entries import Entry, Form
from oldsoul.documents.links import Link, links
from oldsoul.documents.model import Document, Section, parse, render, stripped

__all__ = ["Document", "Entry", "Form", "Link", "Section", "links", "parse", "render", "stripped"]
