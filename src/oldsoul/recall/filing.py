"""Files as the index takes them: which there are, which changed, and the pieces each is cut into."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from oldsoul.documents import parse, unsearchable
from oldsoul.errors import Refused
from oldsoul.ranking.chunks import document_chunks, extra_chunks
from oldsoul.recall.marking import decides
from oldsoul.values.history import version_of
from oldsoul.values.names import INDEXED, SHARED
from oldsoul.values.recall import MEMORY, Filed, Pieces, is_talk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from oldsoul.ranking.options import SearchOptions
    from oldsoul.recall.sources import Sources
    from oldsoul.values.names import Name
    from oldsoul.values.recall import Chunk

_BATCH = 256
_MOST_AT_ONCE = 1024 * 1024


class Filing:
    """The files of one agent's memory. Made from its sources and the options of search."""

    def __init__(self, sources: Sources, options: SearchOptions) -> None:
        self._sources = sources
        self._options = options
        self.deciding: list[Name] = []
        """what says so of memories that are wrong, as of the last look at the files"""

    def batches(self, fresh: Iterable[tuple[str, Name | None, str]], known: Mapping[str, str]) -> Iterator[list[Filed]]:
        """Files as the index takes them, as many at a time as say no more together than memory has room for."""
        part: list[Filed] = []
        size = 0
        for each in fresh:
            part.append(replace(self.taken(*each), after=known.get(each[0], "")))
            size += part[-1].size
            if len(part) >= _BATCH or size >= _MOST_AT_ONCE:
                yield part
                part, size = [], 0
        if part:
            yield part

    def names(self, workspace: str) -> list[Name]:
        """The documents of a workspace; those too large to be read are none, and doctor names them."""
        return self._sources.store.names(workspace)

    def read(self, name: Name) -> bytes | None:
        """A document as it stands; None where it cannot be read."""
        try:
            return self._sources.read(name)
        except (OSError, Refused):
            return None

    def documents(self, known: dict[str, str]) -> tuple[list[tuple[str, Name | None, str]], str]:
        """What is not in the index as it is, and in which version corrections are. Files elsewhere have no name."""
        there: dict[str, tuple[Name, str]] = {}
        names = {each: self.names(each) for each in (self._sources.workspace, SHARED)}
        self.deciding = [name for name in names[self._sources.workspace] if decides(name)]
        if MEMORY in self._options.sources:
            for workspace, own in names.items():
                for name in own:
                    if name.kind in INDEXED and not name.path.startswith("SOUL_HISTORY/"):
                        path = name.path if workspace != SHARED else f"{SHARED}/{name.path}"
                        with suppress(OSError, Refused):  # what cannot be read is not searched; doctor names it
                            there[path] = name, self._sources.store.version(name)
            if "memory.md" in there and there["memory.md"][1] == there.get("MEMORY.md", (None, ""))[1]:
                del there["memory.md"]  # the same file by another name
        fresh: list[tuple[str, Name | None, str]] = [
            (path, name, version) for path, (name, version) in there.items() if known.get(path) != version
        ]
        extras = self._sources.extras.scan()[0] if self._sources.extras else {}
        fresh += [(path, None, version) for path, version in extras.items() if known.get(path) != version]
        kept = {*there, *extras}
        fresh += [(path, None, "") for path in known if path not in kept and not is_talk(path)]
        deciding = (f"{path}={version}" for path, (name, version) in there.items() if decides(name))
        return fresh, " ".join(sorted(deciding))

    def filed(self, name: Name, data: bytes) -> Filed:
        """A document as the index takes it."""
        path = name.path if name.workspace != SHARED else f"{SHARED}/{name.path}"
        return self._cut(path, name, version_of(data), data)

    def taken(self, path: str, name: Name | None, version: str) -> Filed:
        """A file of a version as the index takes it; of one that cannot be read, or is gone, nothing."""
        if name is None:
            return self._extra(path, version)
        data = self.read(name)
        return Filed(path, "", ()) if data is None else self._cut(path, name, version, data)

    def _extra(self, path: str, version: str) -> Filed:
        """A file that lies elsewhere; of one that is gone there is nothing."""
        data = self._sources.extras.read(path) if version and self._sources.extras else None
        if data is None:
            return Filed(path, "", ())
        options, zone, workspace = self._options.chunking, self._sources.zone, self._sources.workspace
        pieces = Pieces(lambda: extra_chunks(path, workspace, parse(data), options, zone))
        return Filed(path, version, pieces, size=len(data))

    def _cut(self, path: str, name: Name, version: str, data: bytes) -> Filed:
        if unsearchable(data):
            return Filed(path, version, ())
        return Filed(path, version, Pieces(lambda: self._pieces(path, name, data)), size=len(data))

    def _pieces(self, path: str, name: Name, data: bytes) -> Iterator[Chunk]:
        """The pieces of a document but those that it began with."""
        seed, options, zone = self._sources.seed(name), self._options.chunking, self._sources.zone
        begun = document_chunks(name, parse(seed, is_log=name.is_log), options, zone) if seed else ()
        ours = {chunk.text for chunk in begun}
        for chunk in document_chunks(name, parse(data, is_log=name.is_log), options, zone):
            if chunk.text not in ours:
                yield chunk if path == name.path else replace(chunk, path=path)
