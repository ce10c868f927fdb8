"""What an agent's memory is made of, and how an index of it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import tzinfo
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.documents import parse, unsearchable
from oldsoul.errors import Refused
from oldsoul.ranking.chunks import document_chunks, extra_chunks, message_chunk
from oldsoul.ranking.options import SearchOptions
from oldsoul.recall.marks import decides
from oldsoul.values.history import version_of
from oldsoul.values.ids import segment
from oldsoul.values.messages import Message, Wanted
from oldsoul.values.names import INDEXED, SHARED, Name
from oldsoul.values.recall import MEMORY, SESSIONS, Chunk, ChunkSource, Filed, Prepared, is_talk

if TYPE_CHECKING:
    from oldsoul.ports import ChatLog, Extras, History, IndexedFiles, Store


Prepare = Callable[[Iterable[Chunk]], Iterable[Prepared]]


class Sources(NamedTuple):
    """What an agent's memory is made of."""

    workspace: str
    """whose memory"""
    store: Store
    """its documents"""
    history: History
    """what was done to them"""
    read: Callable[[Name], bytes | None]
    """the current text of a document"""
    chat: Callable[[], ChatLog]
    """its conversations"""
    seed: Callable[[Name], bytes]
    """what a document begins with: our own words, and nobody's memory"""
    zone: tzinfo
    """its time zone"""
    extras: Extras | None = None
    """further files that are searched, if there are any"""
    operators: frozenset[str] = frozenset()
    """who may say that a correction holds no more"""


class State(NamedTuple):
    """How an index stands."""

    documents: int
    """how many files are in it"""
    conversations: int
    """how many conversations"""
    chunks: int
    """how many pieces"""
    tables: int
    """how many tables of vectors texts are compared by; none when words alone count"""
    waiting: int
    """how many files and conversations are not in it as they are now"""


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
        """The current text of a document; None where it cannot be read."""
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
        pieces = ChunkSource(lambda: extra_chunks(path, workspace, parse(data), options, zone))
        return Filed(path, version, pieces, size=len(data))

    def _cut(self, path: str, name: Name, version: str, data: bytes) -> Filed:
        if unsearchable(data):
            return Filed(path, version, ())
        return Filed(path, version, ChunkSource(lambda: self._pieces(path, name, data)), size=len(data))

    def _pieces(self, path: str, name: Name, data: bytes) -> Iterator[Chunk]:
        """The pieces of a document but those that it began with."""
        seed, options, zone = self._sources.seed(name), self._options.chunking, self._sources.zone
        begun = document_chunks(name, parse(seed, is_log=name.is_log), options, zone) if seed else ()
        ours = {chunk.text for chunk in begun}
        for chunk in document_chunks(name, parse(data, is_log=name.is_log), options, zone):
            if chunk.text not in ours:
                yield chunk if path == name.path else replace(chunk, path=path)


PAGE = 1000
"""How many messages are fetched at a time."""


class Talk:
    """The conversations of one agent, and the index that takes them in."""

    def __init__(self, index: IndexedFiles, sources: Sources, options: SearchOptions, prepare: Prepare) -> None:
        self._index = index
        self._sources = sources
        self._options = options
        self._prepare = prepare

    @property
    def _is_wanted(self) -> bool:
        return SESSIONS in self._options.sources

    def _latest(self) -> dict[str, int | None]:
        """The conversations there are, each with its latest message."""
        return {each.session.id: each.last_id for each in self._sources.chat().threads(self._sources.workspace)}

    def waiting(self, known: Mapping[str, str]) -> int:
        """In how many conversations something was said since."""
        latest = self._latest() if self._is_wanted else {}
        return sum((number or 0) > int(known.get(talk_path(one), "0") or 0) for one, number in latest.items())

    def take_in(self, known: dict[str, str], between: Callable[[], object] = tuple) -> int:
        """Take in what was said since; between two writes something else is done."""
        if not self._is_wanted:
            gone = [Filed(path, "", ()) for path in known if is_talk(path)]
            if gone:
                self._index.put(gone, self._prepare)
            return len(gone)
        return self.said(self._latest(), known, between)

    def take_in_after(self, number: int, known: dict[str, str]) -> int:
        """Take in what was said after a message, where all before it is in the index."""
        if not self._is_wanted:
            return 0
        sessions = {each.session.id for each in self.found(Wanted(after=number, by_number=True, limit=PAGE))}
        return self.said(dict.fromkeys(sessions), known)

    def said(
        self, waiting: Mapping[str, int | None], known: dict[str, str], between: Callable[[], object] = tuple
    ) -> int:
        """Take in what was said in some conversations since, each with its latest message, if that is known.

        Gives in how many there was anything. Nothing is added to a conversation to which somebody else has added
        meanwhile, and that may have been less: what is not there afterwards is added to what is.
        """
        done: set[str] = set()
        while added := {
            one: last for one, latest in waiting.items() if (last := self._conversation(one, known, latest, between))
        }:
            done |= added.keys()
            known = self._index.documents()
            waiting = {one: last for one, last in added.items() if int(known.get(talk_path(one)) or 0) < last}
        return len(done)

    def _conversation(
        self, session: str, known: dict[str, str], latest: int | None, between: Callable[[], object]
    ) -> int:
        """Add what was said in one conversation since, if nobody else does; gives its last message, 0 for none."""
        path = talk_path(session)
        before = known.get(path, "")
        if latest is not None and latest <= int(before or 0):
            return 0
        new = list(self._messages(session, int(before or 0)))
        for start in range(0, len(new), _BATCH):
            part = new[start : start + _BATCH]
            chunks = tuple(message_chunk(message) for message in part)
            self._index.put([Filed(path, str(part[-1].id), chunks, before)], self._prepare, append=True)
            before = str(part[-1].id)
            between()
        return new[-1].id if new else 0

    def _messages(self, session: str, after: int) -> Iterator[Message]:
        return self.found(Wanted(session=session, after=after, by_number=True, limit=PAGE))

    def found(self, wanted: Wanted) -> Iterator[Message]:
        """Messages of all conversations, page by page."""
        while page := self._sources.chat().find(self._sources.workspace, wanted):
            yield from page
            wanted = replace(wanted, past=(page[-1].time, page[-1].id))


@lru_cache(maxsize=1 << 16)
def talk_path(session: str) -> str:
    """Where a conversation stands in the index."""
    return f"chat/{segment(session)}"
