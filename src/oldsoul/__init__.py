"""Oldsoul: memory and identity for LLM agents, kept in plain Markdown."""

__version__ = "0.1.0"
