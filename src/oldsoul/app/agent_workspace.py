"""One agent's workspace: its settings, its documents and their history, and what searches them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, tzinfo
from functools import cache, partial
from typing import TYPE_CHECKING, TypeVar, Unpack, cast

from oldsoul.app.home import Home
from oldsoul.app.home.index_upkeep import FAILURES
from oldsoul.app.home.world import RebuildRequest
from oldsoul.errors import BadInput, Damaged, NotFound, Refused, Unavailable, Unwritable
from oldsoul.lazy import lazy
from oldsoul.settings import Settings
from oldsoul.values.history import Change, Snapshot
from oldsoul.values.messages import Message, Thread, Wanted
from oldsoul.values.names import Name
from oldsoul.values.recall import EntryStep, Filters, Only, Recalled, Use
from oldsoul.values.sessions import Session
from oldsoul.workspace import BootstrapFile, bootstrap, checked, named, template

if TYPE_CHECKING:
    from oldsoul import documents, recall
    from oldsoul.documents import Entry, model
    from oldsoul.ledger import Ledger, Proposal
    from oldsoul.ports import ChatLog, History
    from oldsoul.recall import Recall, Sources
else:
    documents, recall = lazy("oldsoul", "documents", "recall")  # numpy takes a while to load
    (model,) = lazy("oldsoul.documents", "model")

_T = TypeVar("_T")
_LOOKED_AT = 300
"""So many changes of a document are looked through for those of one entry."""
ELSEWHERE = "another process or thread is rebuilding this index; wait for it"
_TRIES = 4
"""How often an index is opened or rebuilt for one call; damage that goes on does not hold the call up."""
_EARLIEST, _LATEST = 1000, 9000
"""The years in which something may be asked; from these, what is relative can still be counted."""


class AgentWorkspace:
    """The workspace of an agent: settings, documents, history, index."""

    def __init__(self, home: Home, agent_id: str) -> None:
        self._home = home
        self.id = agent_id

    @property
    def home(self) -> Home:
        """The home it lives in; `Closed` once that was closed."""
        self._home.check_open()
        return self._home

    @property
    def _ledger(self) -> Ledger:
        return self.home.ledger

    @property
    def settings(self) -> Settings:
        """The settings as they hold for this agent now, its CONFIG.md included."""
        return self.home.settings_of(self.id)

    def check_enabled(self) -> None:
        """`Refused` when memory is switched off: then nothing is remembered, whoever asks."""
        if not self.settings.memory.enabled:
            raise Refused("memory is turned off (memory.enabled), so nothing was written")

    @property
    def display_name(self) -> str:
        """What people see it called."""
        entry = next((a for a in self.home.settings.agents.list if a.id == self.id), None)
        return entry.display_name if entry and entry.display_name else self.id

    @property
    def model(self) -> str:
        """The language model it answers with, as far as anybody said; empty when nobody did."""
        settings = self.home.settings
        own = next((agent.model for agent in settings.agents.list if agent.id == self.id), "")
        return own or settings.agents.defaults.model

    @property
    def price(self) -> float:
        """What a million tokens of its prompts cost; 0 where nobody said."""
        return self.settings.keepers.model.input_price

    @property
    def zone(self) -> tzinfo:
        """The time zone of its days."""
        return self.home.zone_of(self.id)

    def today(self) -> datetime:
        """The time now, in the agent's zone."""
        return self.home.world.clock.now().astimezone(self.zone)

    # files

    def name(self, path: str) -> Name:
        """The document a person means by this path."""
        return named(self.id, path)

    def read(self, name: Name) -> Snapshot:
        """The current text of a document; an edit made outside is noticed and recorded."""
        home = self.home
        try:
            return home.read(name)
        except (Damaged, Unavailable, Unwritable):  # documents can be read, whatever became of their history
            return home.world.store.read(name)

    def plain(self, path: str, data: bytes) -> str:
        """A document's text without bookkeeping, line numbers unchanged, as prompts see it."""
        plain = documents.stripped(documents.parse(data, is_log=self.name(path).is_log))
        return "\n".join([*plain, ""]) if data.endswith(b"\n") else "\n".join(plain)

    def bootstrap(self) -> list[BootstrapFile]:
        """The files the agent is started with; a missing one is a value."""
        return bootstrap(self.read, self.id, self.home.world.places.folder(self.id))

    def template(self, path: str) -> bytes:
        """What a document begins with."""
        return template(checked(self.name(path)), self.home.world.clock.now())

    def unsearched(self) -> dict[Name, str]:
        """The documents that search leaves out, each with why: too many lines, or no text."""
        store = self.home.world.store
        found: dict[Name, str] = {}
        for name in store.names(self.id):
            if why := documents.unsearchable(store.read(name).data or b""):
                found[name] = why
        return found

    def findings(self) -> list[tuple[Name, str]]:
        """What is odd about the documents' form, each with the document: frontmatter that cannot be read, links that lead out."""
        found: list[tuple[Name, str]] = []
        odd = self.unsearched()
        for name in (name for name in self.home.world.store.names(self.id) if name not in odd):
            document = documents.parse(self.read(name).data or b"", is_log=name.is_log)
            found += [(name, problem) for problem in document.matter.problems]
            found += [
                (name, f"line {link.line + 1}: the link {link.target} points outside the workspace")
                for link in documents.links(document)
                if "../" in link.target
                and "://" not in link.target
                and documents.resolved(link.target, name.path) is None
            ]
        return found

    # history

    def change(self, change_id: int) -> Change:
        """One change of this agent."""
        change = self._ledger.change(change_id)
        if change.workspace != self.id:
            raise NotFound(f"change {change_id} belongs to {change.workspace}; use -a {change.workspace}")
        return change

    def proposals(self, state: str = "open") -> list[Proposal]:
        """Changes that wait for approval."""
        return self._ledger.proposals(self.id, state=state)

    def steps_of(self, name: Name, entry: str) -> list[EntryStep]:
        """The changes of one entry, the newest first, also from before it came into this document."""
        words = cache(partial(self._words, entry))
        found: list[EntryStep] = []
        place: Name | None = name
        before: int | None = None
        while place is not None:
            here, place = place, None
            for change in self._ledger.history(self.id, name=here, before=before, limit=_LOOKED_AT):
                effect = next(effect for effect in change.effects if effect.name == here)
                was, now = words(here, effect.before), words(here, effect.after)
                others = [each for each in change.effects if each.name != here and was is None]
                came = next((each for each in others if words(each.name, each.before) is not None), None)
                if came is not None:
                    was, place, before = words(came.name, came.before), came.name, change.id
                if was != now or entry in effect.entries:
                    found.append(EntryStep(change, was, now))
                if was is None or place is not None:
                    break
        return found

    def _words(self, entry: str, name: Name, version: str) -> str | None:
        """What an entry says in a version of a document; None when that has it not."""
        data = self._ledger.content(version) or b""
        entries = documents.parse(data, is_log=name.is_log).entries
        return next((each.body for each in entries if each.id == entry), None)

    def line_of(self, name: Name, entry: str) -> int:
        """The line an entry stands on now, from 1; 0 when it is gone."""
        data = self.read(name).data or b""
        return next((e.line + 1 for e in documents.parse(data, is_log=name.is_log).entries if e.id == entry), 0)

    def find(self, wanted: str, path: str = "") -> list[tuple[Name, Entry]]:
        """Entries by id, or by whole words they hold: in one document, or in all of the agent's."""
        names = [self.name(path)] if path else self.home.world.store.names(self.id)
        words = model.folded(wanted)
        found: list[tuple[Name, Entry]] = []
        for name in names:
            data = self.read(name).data
            if data is None:
                continue
            entries = documents.parse(data, is_log=name.is_log).entries
            exact = [(name, entry) for entry in entries if entry.id == wanted]
            if exact:
                return exact
            found += [(name, entry) for entry in entries if words and holds(model.folded(entry.body), words)]
        return found

    # search

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
        least = search.query.min_score if is_set else None
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
                found, (self.id, loaded.settings, self.home.chat), query, filters, limit=most, minimum=least or 0.0
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
        if made:
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
        self.home.rebuilds.forget(self.id)
        self.home.drop_mem0(self.id)
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


def holds(text: str, words: str) -> bool:
    """Whether a text holds these words as they stand: `cat` is not in `duplicates`. Scripts without spaces have no edges."""
    before = r"(?<![a-z0-9])" if words[0].isascii() and words[0].isalnum() else ""
    after = r"(?![a-z0-9])" if words[-1].isascii() and words[-1].isalnum() else ""
    return re.search(f"{before}{re.escape(words)}{after}", text) is not None


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
