"""Builds what a home is kept in beside its documents: the chat log, use, events, jobs, tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.adapters.sqlite.chat import SqliteChatLog
from oldsoul.adapters.sqlite.credentials import SqliteCredentials
from oldsoul.adapters.sqlite.events import SqliteEventLog, SqliteJobLog
from oldsoul.adapters.sqlite.spending import SqliteSpending
from oldsoul.adapters.sqlite.usage import SqliteUsage
from oldsoul.wiring.homes import dsn, home_id

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from oldsoul.adapters.postgres.chat import PostgresChatLog
    from oldsoul.ports import ChatLog
    from oldsoul.settings.home import StorageOptions

__all__ = ["SqliteCredentials", "SqliteEventLog", "SqliteJobLog", "SqliteSpending", "SqliteUsage", "chat", "claimed"]


def chat(home: Path, storage: StorageOptions, told: Callable[[], None]) -> ChatLog:
    """The log of conversations, where the settings say it is."""
    if storage.chat == "postgres":
        return _on_server(home, storage, told)
    return SqliteChatLog(str(home / "state" / "chat.db"), told)


def claimed(home: Path, storage: StorageOptions, workspaces: Sequence[str], *, dry_run: bool) -> int:
    """Give this home the messages in PostgreSQL that have none; how many."""
    if storage.chat != "postgres":
        return 0
    log = _on_server(home, storage, lambda: None)
    try:
        return log.unowned(workspaces) if dry_run else log.claim(workspaces)
    finally:
        log.close()


def _on_server(home: Path, storage: StorageOptions, told: Callable[[], None]) -> PostgresChatLog:
    from oldsoul.adapters.postgres.chat import PostgresChatLog  # noqa: PLC0415 - an extra

    return PostgresChatLog(dsn(storage, "storage.chat"), home_id(home), told)
