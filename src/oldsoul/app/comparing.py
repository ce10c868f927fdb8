"""Versions of a document compared and brought together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.rules.merge import lines, merge_bytes

if TYPE_CHECKING:
    from oldsoul.app.agent_files import AgentFiles
    from oldsoul.values.history import Snapshot


def difference(path: str, before: bytes | None, after: bytes | None) -> str:
    """What lies between two versions of a document, as `diff -u` shows it."""
    return lines.diff(before or b"", after or b"", path)


def reconciled(agent: AgentFiles, path: str, mine: bytes, base: str) -> tuple[bytes, Snapshot, tuple[str, ...]]:
    """My text with what others wrote since its base; where they clash mine stands. Also what stands now, and the clashes."""
    name = agent.name(path)
    standing = agent.read(name)
    versions = agent.home.ledger.content(base) or b"", standing.data or b"", mine
    text, clashes = merge_bytes(*versions, is_log=name.is_log, prefer="theirs")
    return text, standing, tuple(clash.ours.decode("utf-8", "replace").strip() for clash in clashes)
