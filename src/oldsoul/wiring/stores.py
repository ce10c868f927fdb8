"""Builds what a home keeps beside its documents: conversations, use, events, jobs, tokens, costs, leases."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from oldsoul import plugins
from oldsoul.adapters.locks import FolderLeases
from oldsoul.adapters.sqlite.chat import SqliteChatLog
from oldsoul.adapters.sqlite.events import SqliteEventLog, SqliteJobLog
from oldsoul.adapters.sqlite.records import SqliteCredentials, SqliteSpending, SqliteUsage
from oldsoul.settings.home import StorageOptions
from oldsoul.wiring.homes import dsn, home_id

if TYPE_CHECKING:
    from oldsoul.adapters.postgres.chat import PostgresChatLog
    from oldsoul.ports import ChatLog


class HomeRecords:
    """The records of a home in its folder; conversations where the settings say."""

    def __init__(self, home: Path, storage: Callable[[], StorageOptions], on_commit: Callable[[], None]) -> None:
        self._home = home
        self._storage = storage
        self._on_commit = on_commit
        self._opening = threading.RLock()
        self._chats: list[tuple[StorageOptions, ChatLog]] = []

    @property
    def chat(self) -> ChatLog:
        """The log of all conversations; another one once settings say that it lies elsewhere."""
        storage = self._storage()
        with self._opening:
            if not self._chats or self._chats[-1][0] != storage:
                self._chats.append((storage, self._chat(storage)))
            return self._chats[-1][1]

    def _chat(self, storage: StorageOptions) -> ChatLog:
        if storage.chat == "postgres":
            return self._on_server(storage)
        if storage.chat != "sqlite":
            found: ChatLog = plugins.load(plugins.STORES, storage.chat)(str(self._home / "state"), self._on_commit)
            return found
        return SqliteChatLog(self._file("chat.db"), self._on_commit)

    @cached_property
    def usage(self) -> SqliteUsage:
        """When entries were of use."""
        return SqliteUsage(self._file("usage.db"))

    @cached_property
    def events(self) -> SqliteEventLog:
        """What happened."""
        return SqliteEventLog(self._file("events.db"))

    @cached_property
    def jobs(self) -> SqliteJobLog:
        """Long work."""
        return SqliteJobLog(self._file("events.db"))

    @cached_property
    def credentials(self) -> SqliteCredentials:
        """The tokens that let programs in."""
        return SqliteCredentials(self._file("tokens.db"))

    @cached_property
    def spending(self) -> SqliteSpending:
        """What questions to language models took."""
        return SqliteSpending(self._file("spending.db"))

    @cached_property
    def leases(self) -> FolderLeases:
        """Who is at which piece of work."""
        return FolderLeases(self._file("jobs"))

    def claim(self, workspaces: Sequence[str], *, dry_run: bool) -> int:
        """Give this home the messages in PostgreSQL that have none; how many."""
        storage = self._storage()
        if storage.chat != "postgres":
            return 0
        log = self._on_server(storage)
        try:
            return log.unowned(workspaces) if dry_run else log.claim(workspaces)
        finally:
            log.close()

    def close(self) -> None:
        """Close everything that was opened, each of them, whatever becomes of the others."""
        with self._opening, ExitStack() as closing:
            for name in ("usage", "events", "jobs", "credentials", "spending"):
                if name in vars(self):
                    closing.callback(vars(self)[name].close)
            for _, chat in self._chats:
                closing.callback(chat.close)

    def _file(self, name: str) -> str:
        return str(self._home / "state" / name)

    def _on_server(self, storage: StorageOptions) -> PostgresChatLog:
        from oldsoul.adapters.postgres.chat import PostgresChatLog  # noqa: PLC0415 - an extra

        return PostgresChatLog(dsn(storage, "storage.chat"), home_id(self._home), self._on_commit)
