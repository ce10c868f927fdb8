"""Conversations as the index takes them: what was said since, added to what it has."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from oldsoul.ranking.chunks import message_chunk
from oldsoul.values.ids import segment
from oldsoul.values.messages import Wanted
from oldsoul.values.recall import SESSIONS, Filed, is_talk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from oldsoul.ports import IndexedFiles
    from oldsoul.ranking.options import SearchOptions
    from oldsoul.recall.sources import Sources
    from oldsoul.values.messages import Message
    from oldsoul.values.recall import Chunk, Prepared

    Prepare = Callable[[Iterable[Chunk]], Iterable[Prepared]]

_BATCH = 256
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
