"""One agent as what it can recall: searching, its index, and what goes into a prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, TypeVar, Unpack, cast

from oldsoul.app.agent_history import AgentHistory
from oldsoul.app.home import Home
from oldsoul.app.home.index_upkeep import FAILURES
from oldsoul.app.home.world import RebuildRequest
from oldsoul.errors import BadInput, Damaged, Refused, Unavailable, Unwritable
from oldsoul.lazy import lazy
from oldsoul.settings import Settings
from oldsoul.values.messages import Message, Thread, Wanted
from oldsoul.values.recall import Filters, Only, Recalled, Use
from oldsoul.values.sessions import Session
from oldsoul.workspace import template

if TYPE_CHECKING:
    from oldsoul import recall
    from oldsoul.ports import ChatLog, History
    from oldsoul.recall import Recall, Sources
else:
    (recall,) = lazy("oldsoul", "recall")  # numpy takes a while to load

_T = TypeVar("_T")
ELSEWHERE = "another process or thread is rebuilding this index; wait for it"
_TRIES = 4
"""How often an index is opened or rebuilt for one call; damage that goes on does not hold the call up."""
_EARLIEST, _LATEST = 1000, 9000
"""The years in which something may be asked; from these, what is relative can still be counted."""


class AgentRecall(AgentHistory):
    """An agent's questions to its memory."""

    def _sources(self) -> Sources:
        """What its memory is made of."""
        world = self.home.world
        return recall.Sources(
            self.id,
            world.store,
            cast("History", _Past(self.home)),
            lambda name: self.read(name).data,
            lambda: cast("ChatLog", _Past(self.home)),
            lambda name: template(name, world.clock.now()),
            self.zone,
            world.outside.extras(self.id),
            frozenset(self.home.people.operators),
        )

    @property
    def recaller(self) -> Recall:
        """What searches its memory."""
        return self._recaller(self.settings)

    def _recaller(self, settings: Settings) -> Recall:
        """What searches its memory by these settings."""
        with self.home.opening:
            known, search = self.home.recalls.get(self.id), settings.memory.search
            if known is not None and known.options is not search and known.options != search:
                self.home.discard_recall(self.id)  # settings that count from now on
                known = None
            if known is not None and known.outdated and not _can_be_asked(known):
                self.home.discard_recall(self.id)  # the new index is one for other tables
                known = None
            if known is None:
                world = self.home.world
                known = self.home.recalls[self.id] = world.searches.recall(self._sources(), settings)
                known.watched = any(self.id in watcher.followed for watcher in self.home.watchers)
            return known

    def recall(
        self,
        query: str,
        *,
        session: Session,
        limit: int | None = None,
        minimum: float | None = None,
        asked: datetime | None = None,
        counted: bool = True,
        turns: bool = False,
        **only: Unpack[Only],
    ) -> Recalled:
        """What memory has on a question, as far as this session may see it; `only` restricts it.

        `last week` counts from when it was asked: now, if nobody says otherwise. What is found counts as used, unless
        the caller counts what it makes of it. With `turns` each message comes with those right before and after it.
        """
        loaded = self.home.world.settings(self.id)
        search = loaded.settings.memory.search
        if not (loaded.settings.memory.enabled and search.enabled):
            raise Refused("search is turned off (memory.search.enabled)")
        if not query.strip():
            raise BadInput("give a question or some words to search for")
        if limit is not None and limit < 1:
            raise BadInput(f"the limit must be at least 1, not {limit}")
        is_set = "memory.search.query.min_score" in loaded.sources or search.query.hybrid.mode == "weighted"
        least = search.query.min_score if is_set else 0.0
        filters = Filters(self.home.people.view(session, self.id), **only)
        most, least = limit or search.query.max_results, least if minimum is None else minimum
        if asked is not None and not _EARLIEST <= asked.year <= _LATEST:
            raise BadInput(f"{asked.isoformat()} is too far in the past or the future")
        if asked is not None and asked.tzinfo is None:
            asked = asked.replace(tzinfo=self.zone)
        ask = partial(
            self._asked,
            lambda recaller: recaller.ask(query, filters, limit=most, minimum=least, asked=asked, turns=turns),
        )
        found = self._answered(ask, loaded.settings)
        if search.mem0.enabled:
            found = self.home.mem0.beside(
                found, (self.id, loaded.settings, self.home.chat), query, filters, limit=most, minimum=least
            )
        if counted:
            self.used([hit.chunk.entry for hit in found.hits if hit.chunk.entry], session)
        problem = self.home.syncing.problems.get(self.id)
        problems = (*self.home.unread.values(), *([problem] if problem else ()))
        if problems and found.answer == "unknown":  # what could not be looked at may say so
            found = replace(found, answer="unsure")
        return replace(found, notes=(*found.notes, *problems))

    def _asked(self, ask: Callable[[Recall], Recalled], recaller: Recall) -> Recalled:
        while True:
            before = recaller.renewals()
            if recaller.options.sync.on_search:
                try:
                    recaller.fresh()
                    self.home.syncing.caught_up(self.id)
                except Unwritable as error:
                    self.home.syncing.failed(self.id, error)
            found = ask(recaller)
            if recaller.renewals() == before:
                return found

    def _answered(self, ask: Callable[[Recall], Recalled], settings: Settings) -> Recalled:
        """An answer from the index; while it has to be rebuilt, from the old one, or by words alone."""
        found, outdated = self._tried(ask, settings)
        if found is None:
            found, outdated = self._tried(ask, settings)  # the file may have been replaced just now
        if found is not None and not outdated:
            return found
        if self.home.rebuilding is not None and self.make_index(RebuildRequest(self.home.rebuilding)):
            found, _ = self._tried(ask, settings)
            if found is not None:
                return found
        meanwhile = "the old index is searched"
        try:
            if found is None:
                found = self.home.rebuilds.answer(
                    self._sources(), partial(self.home.world.searches.stopgap, settings=settings), ask
                )
                meanwhile = "only some files and messages are searched, by words alone"
        finally:
            self.home.rebuilds.begin(self.id, self.make_index)
        return replace(found, notes=(*found.notes, self.home.rebuilds.note(self.id, meanwhile)))

    def _tried(self, ask: Callable[[Recall], Recalled], settings: Settings) -> tuple[Recalled | None, bool]:
        """An answer from the index, None when it is damaged; and whether the index was made for other settings."""
        try:
            recaller = self._recaller(settings)
            return ask(recaller), recaller.outdated
        except Damaged as error:
            self._damaged(error)
            return None, False

    def make_index(self, making: RebuildRequest) -> bool:
        """Rebuild the index beside the one in use, then switch to it; False when another process is doing so."""
        made = self.home.world.searches.rebuild(self._sources(), self.settings, making)
        if made and "rebuilds" in vars(self.home):
            self.home.rebuilds.forget(self.id)
        return made

    def _usable(self) -> Recall | None:
        """What searches its memory; an index that cannot be opened is rebuilt first. None while somebody rebuilds it."""
        try:
            return self.recaller
        except Damaged:
            made = self.make_index(RebuildRequest(self.home.rebuilding or (lambda _done, _total: None)))
            return self.recaller if made else None

    def from_index(self, use: Callable[[Recall], _T]) -> _T | None:
        """What the index gives; one that is damaged is rebuilt first. None while that cannot be."""
        for tries in range(_TRIES):
            try:
                if tries > 1:  # it can be opened, and not be used
                    self.make_index(
                        RebuildRequest(self.home.rebuilding or (lambda _done, _total: None), from_scratch=True)
                    )
                recaller = self._usable()
                return None if recaller is None else use(recaller)
            except Damaged as error:
                self._damaged(error)
        return None

    def _damaged(self, error: Damaged) -> None:
        """The index in use is damaged: it is opened again or rebuilt by the next call, and health reports it."""
        self.home.discard_recall(self.id)
        self.home.syncing.damaged[self.id] = str(error)

    def extra_problems(self) -> tuple[str, ...]:
        """What is wrong with the further files that settings name."""
        extras = self.home.world.outside.extras(self.id)
        return tuple(extras.scan()[1]) if extras else ()

    def unindex(self) -> None:
        """Something was erased for good: have nothing that is derived from its memory tell of it any more."""
        searches, search = self.home.world.searches, self.settings.memory.search
        if "rebuilds" in vars(self.home):
            self.home.rebuilds.forget(self.id)
        if "mem0" in vars(self.home):
            self.home.mem0.drop(self.id)
        there = self.id in self.home.recalls or searches.place(self.id).is_there
        if there and self.settings.memory.enabled and search.enabled:
            try:
                self.recaller.erase()
            except FAILURES:
                self.home.discard_recall(self.id)  # what nothing can be erased from goes as a whole
            else:
                searches.erase(self.id, whole=False)
                return
        searches.erase(self.id, whole=True)

    def check_search(self) -> None:
        """`Refused` where search is turned off."""
        if not (self.settings.memory.enabled and self.settings.memory.search.enabled):
            raise Refused("search is turned off (memory.search.enabled)")

    def used(self, entries: Sequence[str], session: Session) -> None:
        """Note that entries were put into a context or given back by recall: what is used keeps its place."""
        if entries:
            now = self.home.world.clock.now()
            with suppress(Damaged, Unavailable, Unwritable):  # it stops nobody who reads
                self.home.usage.note(self.id, [Use(entry, session.id, now) for entry in entries])


class _Past:
    """History and conversations as a search asks for them: what cannot be read of them is told, and stops nobody."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def latest(self, workspace: str) -> int:
        return self._tried("changes", lambda: self._home.world.store.latest(workspace), 0)

    def last(self, workspace: str) -> int:
        return self._tried("conversations", lambda: self._home.chat.last(workspace), 0)

    def threads(self, workspace: str) -> list[Thread]:
        return self._tried("conversations", lambda: self._home.chat.threads(workspace), [])

    def find(self, workspace: str, wanted: Wanted) -> list[Message]:
        return self._tried("conversations", lambda: self._home.chat.find(workspace, wanted), [])

    def _tried(self, what: str, ask: Callable[[], _T], otherwise: _T) -> _T:
        try:
            found = ask()
        except (Damaged, Unavailable) as error:
            self._home.unread[what] = f"{what} could not be read: {error}"
            return otherwise
        self._home.unread.pop(what, None)
        return found


def _can_be_asked(recaller: Recall) -> bool:
    """Whether the index that counts by now is one for this recall."""
    try:
        recaller.renewals()
    except Damaged:
        return False
    return True
