"""Index: the state of what search looks through, and how it is kept up to date."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.app.agent_workspace import ELSEWHERE
from oldsoul.app.home.world import RebuildRequest
from oldsoul.app.services.rights import Service, needs
from oldsoul.errors import Busy
from oldsoul.lazy import lazy
from oldsoul.values.callers import Right

if TYPE_CHECKING:
    from oldsoul import recall
    from oldsoul.recall import Recall, State
else:
    (recall,) = lazy("oldsoul", "recall")  # numpy takes a while to load


class IndexStatus(NamedTuple):
    """How the index of an agent's memory stands."""

    state: State
    """what is in it, and what is not yet"""
    file: str
    """where it lies; empty when that is no file"""
    size: int
    """bytes of that file"""
    embedder: str
    """who compares meaning; `none` when words alone count"""
    problems: tuple[str, ...] = ()
    """what could not be read: further files that cannot be read, a sync that failed; what its folder lacks"""
    making: str = ""
    """that it is being rebuilt, by whom and how far that is; empty when it is not"""


class Index(Service):
    """The search index of one agent."""

    @needs(Right.INSPECT)
    def status(self) -> IndexStatus:
        """Return the state of the index; of one that cannot be read while it is rebuilt, only that."""
        parts = self._parts
        parts.check_search()
        search = parts.settings.memory.search
        told: tuple[str, ...] = ()

        def stands(recaller: Recall) -> State:
            nonlocal told
            told = recaller.told
            return recaller.status()

        found = parts.from_index(stands)
        state = found or recall.State(0, 0, 0, 0, 0)
        making = parts.home.rebuilds.making(parts.id) or ("" if found else ELSEWHERE)
        none = found is not None and not state.tables
        provider = "none" if none else {"auto": "bundled"}.get(search.provider, search.provider)
        place = parts.home.world.searches.place(parts.id)
        failed = parts.home.syncing.problems.get(parts.id)
        problems = (*parts.extra_problems(), *told, *([failed] if failed else ()))
        return IndexStatus(state, place.file, place.size, provider, problems, making)

    @needs(Right.DECIDE)
    def sync(self) -> int:
        """Update the index; return how many files and conversations were out of date.

        Raises:
            Busy: another process is rebuilding it.
        """
        parts = self._parts
        parts.check_search()

        def indexed(recaller: Recall) -> int:
            waiting = recaller.status().waiting
            recaller.sync()
            return waiting

        waiting = parts.from_index(indexed)
        if waiting is None and parts.home.rebuilds.making(parts.id):
            parts.home.rebuilds.join(parts.id)  # this process rebuilds it
            waiting = parts.from_index(indexed)
        if waiting is None:
            raise Busy(ELSEWHERE)
        parts.home.syncing.caught_up(parts.id)
        return waiting

    @needs(Right.DECIDE)
    def rebuild(self, on_progress: Callable[[int, int], None] | None = None) -> int:
        """Rebuild the index from the files and the chat log.

        Args:
            on_progress: called with the number done and the total.

        Returns:
            How many files and conversations the index contains.

        Raises:
            Busy: another process is rebuilding it.
        """
        parts = self._parts
        parts.check_search()
        if not parts.make_index(RebuildRequest(on_progress or (lambda _done, _total: None), from_scratch=True)):
            raise Busy(parts.home.rebuilds.making(parts.id) or ELSEWHERE)

        def counted(recaller: Recall) -> int:
            recaller.fresh()
            state = recaller.status()
            return state.documents + state.conversations

        return parts.from_index(counted) or 0
