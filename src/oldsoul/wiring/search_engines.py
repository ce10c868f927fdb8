"""Builds what searches: an agent's index and recall, one made again beside it, a stopgap, Mem0."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from oldsoul.adapters.dictionary import EnglishWords
from oldsoul.adapters.embedders.static import BundledTables, StaticTable, TableSimilarity
from oldsoul.adapters.folder.disk import explaining
from oldsoul.adapters.index import replacement
from oldsoul.adapters.index.engine import OtherTables, SqliteIndex
from oldsoul.adapters.index.replacement import CurrentIndex, PassingIndex
from oldsoul.adapters.index.spaces import Table
from oldsoul.app.home.world import IndexPlace, RebuildRequest
from oldsoul.errors import Damaged, Unavailable, Unwritable
from oldsoul.ranking.chunks import PIECES
from oldsoul.recall import Recall, Sources
from oldsoul.settings import Loaded, Settings
from oldsoul.values.ids import segment
from oldsoul.wiring.homes import dsn, home_id

if TYPE_CHECKING:
    from oldsoul.ports import ChosenEmbedder, Clock, Index, SecondMemory


_EMBEDDINGS = "embeddings.db"
_TRIES = 3
"""So often is an index that was begun given up and begun again before its damage is told."""
_TEMPORARY = "until it can be written, every process builds a temporary index"


class SearchEngines:
    """Builds what searches in one home. Made from its folder, the environment and its settings."""

    def __init__(
        self, home: Path, environ: Mapping[str, str], settings_of: Callable[[str | None], Loaded], clock: Clock
    ) -> None:
        self._home = home
        self._environ = environ
        self._settings_of = settings_of
        self._clock = clock

    def recall(self, sources: Sources, settings: Settings, *, file: str = "") -> Recall:
        """An agent's recall on its index, or on one that is made beside it; `Damaged` when it has to be rebuilt."""
        options = settings.memory.search
        tables = BundledTables([]) if options.provider == "none" else BundledTables()
        made = f"{options.chunking.tokens}/{options.chunking.overlap}/{PIECES}"
        index: Index
        wanted, outdated = tables, False
        told: tuple[str, ...] = ()
        if options.store.driver == "postgres":
            from oldsoul.adapters.postgres.index import PostgresIndex  # noqa: PLC0415 - only such a home needs it

            server = dsn(settings.storage, "memory.search.store.driver")
            index = PostgresIndex(server, home_id(self._home), sources.workspace, tables.tables(), made)
        elif file:
            index = SqliteIndex(file, tables.tables(), made)
        else:
            path = self._file(sources.workspace, settings)
            try:
                index, tables = _embedded(_in_writable(path), wanted, made, self._clock)
            except Unwritable as error:
                index = _passing(wanted.tables(), made)
                told = (f"{error}; {_TEMPORARY}",)
            outdated = index.outdated or tables is not wanted
        embedder = self.embedder(settings)
        alone = not wanted.count and tables.count > 0
        words = EnglishWords()
        recall = Recall(
            index, tables, sources, options, self._clock, embedder=embedder, dictionary=words, words_alone=alone
        )
        recall.outdated, recall.told = outdated, told
        recall.fading = settings.memory.confidence
        return recall

    def rebuild(self, sources: Sources, settings: Settings, request: RebuildRequest) -> bool:
        """Rebuild an agent's index beside the one in use, then switch to it; False when another process is doing so."""
        if settings.memory.search.store.driver == "postgres":
            if request.from_scratch:
                self._unindex(sources.workspace, settings)
            recall = self.recall(sources, settings)
            try:
                recall.sync(request.on_progress)
            finally:
                recall.close()
            return True
        path = str(_in_writable(self._file(sources.workspace, settings)))
        with replacement.making(path) as ours:
            if not ours:
                return False
            if request.from_scratch:
                replacement.give_up(path)
            left = _TRIES
            while not self._made(path, partial(self.recall, sources, settings), request, last=not left):
                left = max(left - 1, 0)
            return True

    def _made(self, path: str, opened: Callable[..., Recall], request: RebuildRequest, *, last: bool) -> bool:
        """Make what was begun, or a new one, and have it count; False when it was of no use, or taken away meanwhile."""
        file = replacement.following(path)
        try:
            recall = opened(file=file)
            try:
                with explaining():
                    recall.sync(request.on_progress)
            finally:
                recall.close()
        except Unwritable:
            replacement.give_up(path)  # it would take the room of everything else for good
            raise
        except (FileNotFoundError, Damaged):
            if last and replacement.is_begun(path, file):
                raise
            replacement.give_up(path)
            return False
        return replacement.put_in_place(path, file)

    def embedder(self, settings: Settings) -> ChosenEmbedder | None:
        """Who embeds whole texts; None where the bundled table or words alone do."""
        options = settings.memory.search
        if options.provider in ("fast", "none"):
            return None
        from oldsoul.adapters.embedders.choice import chosen  # noqa: PLC0415 - a cold command may not need it

        return chosen(options, self._environ, str(self._home / "cache" / _EMBEDDINGS))

    def stopgap(self, sources: Sources, settings: Settings) -> Recall:
        """A recall by words alone, on a separate index: for a few texts, while there is no other."""
        path = replacement.stopgap(str(self._file(sources.workspace, settings)))
        index = replacement.CurrentIndex(path, lambda file: SqliteIndex(file, []))
        return Recall(index, BundledTables([]), sources, settings.memory.search, self._clock)

    def erase(self, workspace: str, *, whole: bool) -> None:
        """Something was erased for good: nothing that is made beside the index, and no vector that was kept, may tell of it.

        The index itself goes where it is the whole, and where another one is in use.
        """
        settings = self._settings_of(workspace).settings
        if whole:
            self._unindex(workspace, settings)
        else:
            file = str(self._file(workspace, settings))
            replacement.give_up(file)
            replacement.stopgap(file)
            if settings.memory.search.store.driver == "postgres" and os.path.lexists(file):
                replacement.remove(file)
            replacement.sweep_passing()
        if self._mem0_folder(workspace).is_dir():
            shutil.rmtree(self._mem0_folder(workspace))
        for ending in ("", "-wal", "-shm"):
            (self._home / "cache" / f"{_EMBEDDINGS}{ending}").unlink(missing_ok=True)

    def place(self, workspace: str) -> IndexPlace:
        """Where an agent's index lies."""
        settings = self._settings_of(workspace).settings
        if settings.memory.search.store.driver != "sqlite":
            return IndexPlace("", 0, is_there=True)
        file = str(self._file(workspace, settings))
        parts = [Path(f"{os.path.realpath(file)}{end}") for end in ("", "-wal")]
        size = sum(part.stat().st_size for part in parts if part.exists())
        return IndexPlace(file, size, os.path.lexists(file))

    def mem0(self, workspace: str, settings: Settings) -> SecondMemory:
        """An agent's Mem0, with the embedder of the settings."""
        from oldsoul.adapters.embedders.choice import chosen  # noqa: PLC0415 - few homes have it
        from oldsoul.adapters.mem0 import Mem0Store, StaticEmbedder  # noqa: PLC0415

        embedder = chosen(settings.memory.search, self._environ, str(self._home / "cache" / _EMBEDDINGS))
        if embedder is not None:
            embedder.settle()
        return Mem0Store(str(self._mem0_folder(workspace)), workspace, embedder or StaticEmbedder())

    def _unindex(self, workspace: str, settings: Settings) -> None:
        """Take an index away: it is made again when somebody asks."""
        if settings.memory.search.store.driver == "postgres":
            _drop(home_id(self._home), workspace, settings)
        file = self._file(workspace, settings)
        if file.parent.is_dir():
            replacement.remove(str(file))
        replacement.sweep_passing()

    def _file(self, workspace: str, settings: Settings) -> Path:
        """Where an agent's index lies."""
        chosen = settings.memory.search.store.path.replace("{agentId}", segment(workspace))
        return Path(chosen).expanduser() if chosen else self._home / "cache" / "index" / f"{segment(workspace)}.db"

    def _mem0_folder(self, workspace: str) -> Path:
        return self._home / "cache" / "mem0" / segment(workspace)


def likeness() -> TableSimilarity:
    """How alike texts are, by the table that comes with Oldsoul."""
    return TableSimilarity(StaticTable())


def disowned(workspace: str, settings: Settings) -> None:
    """Take away the index of a workspace that belongs to no home."""
    if settings.memory.search.store.driver == "postgres":
        _drop("", workspace, settings)


def _drop(owner: str, workspace: str, settings: Settings) -> None:
    from oldsoul.adapters.postgres.index import PostgresIndex  # noqa: PLC0415 - only such a home needs it

    index = PostgresIndex(dsn(settings.storage, "memory.search.store.driver"), owner, workspace, [])
    try:
        index.drop()
    finally:
        index.close()


def _embedded(file: Path, tables: BundledTables, made: str, clock: Clock) -> tuple[CurrentIndex, BundledTables]:
    """The index in a file of the home; one that was made for other settings will do until there is another.

    Gives the tables too that it is asked by: one for other tables is asked by those.
    """

    def opened(known: Sequence[Table]) -> CurrentIndex:
        return CurrentIndex(str(file), lambda path: SqliteIndex(path, known, made, lenient=True))

    try:
        with explaining():
            index = opened(tables.tables())
    except OtherTables as error:
        tables = BundledTables([]) if tables.count else BundledTables()
        try:
            index = opened(tables.tables())
        except Unavailable:
            raise error from None
    try:
        once_a_day(Path(f"{file}.checked"), clock, index.check)
    except Damaged:
        index.close()
        raise
    return index, tables


def _passing(tables: Sequence[Table], made: str) -> CurrentIndex:
    """An index for as long as it is open, where its folder cannot be written."""
    return PassingIndex(lambda path: SqliteIndex(path, tables, made))


def _is_writable(folder: Path) -> bool:
    """Whether there can be an index in a folder, which is made if need be."""
    try:
        replacement.make_folder(str(folder))
    except OSError:
        return False
    return os.access(folder, os.R_OK | os.W_OK | os.X_OK)


def _in_writable(file: Path) -> Path:
    """The file of an index; `Unwritable` when it cannot be made there."""
    if not _is_writable(file.parent):
        raise Unwritable(f"{file.parent} cannot be written to")
    return file


def once_a_day(mark: Path, clock: Clock, job: Callable[[], None]) -> None:
    """Do a job that is done at the start, unless it was done today; forgetting that it was does no harm."""
    today = f"{clock.now():%Y-%m-%d}"
    try:
        if mark.read_text("utf-8") == today:
            return
    except (OSError, ValueError):
        pass
    with suppress(Unwritable):
        job()
    with suppress(OSError):
        mark.write_text(today, "utf-8")
