"""One agent's verbs: its files, its memory, its history, and what waits for approval."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from oldsoul.errors import BadInput, Busy, Damaged, NotFound, Refused
from oldsoul.values.changes import Add, ChangeSet, Put, SetField
from oldsoul.values.history import ABSENT, Snapshot
from oldsoul.values.ids import segment
from oldsoul.values.names import Name
from oldsoul.values.sessions import Subject
from oldsoul.values.usage import Use
from oldsoul.workspace import ENSURE, SEEDED, BootstrapFile, bootstrap, checked, named, template

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime, tzinfo

    from oldsoul.app import Oldsoul
    from oldsoul.app.conversations import Conversations, Heard
    from oldsoul.app.days import Days
    from oldsoul.app.prompting import Prompt
    from oldsoul.app.tools import Tool
    from oldsoul.context.prompt_facts import PromptFacts
    from oldsoul.documents import Entry
    from oldsoul.driver import Report
    from oldsoul.ledger import BlameLine, Ledger, Outcome, Proposal
    from oldsoul.recall import Recall, Sources, State
    from oldsoul.settings import Settings
    from oldsoul.values.changes import Operation
    from oldsoul.values.context import Context
    from oldsoul.values.history import Change
    from oldsoul.values.messages import Message
    from oldsoul.values.recall import Filters, Recalled
    from oldsoul.values.sessions import Session

_SECTION_OF = {"decision": "Decisions", "event": "Events", "skill": "Skills", "knowledge": "Knowledge"}
_NOTES = "Notes"
ERASED = "[erased]"
"""What stands in the place of a message's words when they were erased."""


class File(NamedTuple):
    """One document of a workspace, for listings."""

    name: Name
    """which"""
    size: int
    """bytes"""
    limit: int
    """how many it may have"""
    version: str
    """changes when it does"""
    untouched: bool
    """whether it still reads as it was seeded"""


class Remembered(NamedTuple):
    """Something that was written down, durably."""

    change: int
    """the change's number"""
    entry: str
    """the entry's id"""
    name: Name
    """the document"""
    line: int
    """its line there, from 1"""
    repeated: bool
    """whether it was known already, so that only the mention was noted"""
    outcome: Outcome
    """what the ledger said"""


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
    """what could not be taken in: further files that cannot be read, a sync that failed"""


class Making(NamedTuple):
    """How an index is to be made anew."""

    told: Callable[[int, int], None]
    """is told how many files of how many are in it"""
    anew: bool = False
    """whether what an interrupted making left is of no use"""


class Agent:
    """One agent's memory and soul."""

    def __init__(self, soul: Oldsoul, agent_id: str) -> None:
        self.soul = soul
        self.id = agent_id

    @property
    def _ledger(self) -> Ledger:
        return self.soul.ledger

    @property
    def settings(self) -> Settings:
        """The settings as they hold for this agent now, its CONFIG.md included."""
        return self.soul.world.settings(self.id).settings

    def check_enabled(self) -> None:
        """`Refused` when memory is switched off: then nothing is remembered, whoever asks."""
        if not self.settings.memory.enabled:
            raise Refused("memory is switched off (memory.enabled), so nothing was written")

    @property
    def display_name(self) -> str:
        """What people see it called."""
        entry = next((a for a in self.soul.settings.agents.list if a.id == self.id), None)
        return entry.display_name if entry and entry.display_name else self.id

    @property
    def model(self) -> str:
        """The language model it answers with, as far as anybody said; empty when nobody did."""
        settings = self.soul.settings
        own = next((agent.model for agent in settings.agents.list if agent.id == self.id), "")
        return own or settings.agents.defaults.model

    @property
    def price(self) -> float:
        """What a million tokens of its prompts cost; 0 where nobody said."""
        return self.settings.context.price_per_million_tokens

    @cached_property
    def talk(self) -> Conversations:
        """What is said to it."""
        from oldsoul.app.conversations import Conversations  # noqa: PLC0415 - not every command talks

        return Conversations(self)

    @cached_property
    def days(self) -> Days:
        """Its diary."""
        from oldsoul.app.days import Days  # noqa: PLC0415 - as above

        return Days(self)

    @property
    def zone(self) -> tzinfo:
        """The time zone of its days."""
        name = self.settings.timezone
        local = self.soul.world.clock.now().astimezone().tzinfo
        if not name and local is not None:
            return local
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415 - most homes keep the machine's zone

        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError):
            raise BadInput(f"timezone: {name!r} is no IANA time zone such as Europe/Berlin") from None

    def today(self) -> datetime:
        """The time now, in the agent's zone."""
        return self.soul.world.clock.now().astimezone(self.zone)

    # files

    def name(self, path: str) -> Name:
        """The document a person means by this path."""
        return named(self.id, path)

    def files(self) -> list[File]:
        """The documents there are."""
        from oldsoul.rules import limits  # noqa: PLC0415 - only listings need it

        found = []
        sizes = self.settings.memory.workspace
        for name in self.soul.world.store.names(self.id):
            snapshot = self.read(name)
            limit = limits.limit_of(name, sizes.max_file_size, sizes.max_log_size)
            size = len(snapshot.data or b"")
            found.append(File(name, size, limit, snapshot.version, snapshot.version == self.seeded(name)))
        return found

    def show(self, path: str) -> Snapshot:
        """One document; `NotFound` when it is not there."""
        name = self.name(path)
        snapshot = self.read(name)
        if snapshot.data is None:
            raise NotFound(f"there is no {name.path} in {self.id}; `oldsoul files` lists what there is")
        return snapshot

    def read(self, name: Name) -> Snapshot:
        """A document as it stands; an edit made outside is noticed and recorded."""
        if self.soul.world.read_only:
            return self.soul.world.store.read(name)
        if "ledger" not in vars(self.soul):  # one look at one document does not need the ledger
            store = self.soul.world.store
            snapshot = store.read(name)
            if snapshot.version == (store.recorded(name) or ABSENT):
                return snapshot
        return self._ledger.read(name)

    def version_at(self, path: str, change_id: int) -> Snapshot:
        """A document as it stood right after a change; `NotFound` when history has it not."""
        name = self.name(path)
        self.change(change_id)
        for change in self._ledger.history(self.id, name=name, before=change_id + 1, limit=1):
            version = next(effect.after for effect in change.effects if effect.name == name)
            data = self._ledger.content(version)
            if data is not None:
                return Snapshot(data, version)
        raise NotFound(f"{name.path} was not there at change {change_id}; `oldsoul log {name.path}` lists its changes")

    def seed_of(self, path: str) -> bytes:
        """What a document was seeded with; nothing when we did not seed it."""
        return self.soul.world.store.content(self.seeded(self.name(path)) or ABSENT) or b""

    def plain(self, path: str, data: bytes) -> str:
        """A document's text without bookkeeping, line numbers unchanged, as prompts see it."""
        from oldsoul.documents import parse, stripped  # noqa: PLC0415 - a look at the raw bytes needs no parser

        lines = stripped(parse(data, is_log=self.name(path).is_log))
        return "\n".join([*lines, ""]) if data.endswith(b"\n") else "\n".join(lines)

    def difference(self, path: str, before: bytes | None, after: bytes | None) -> str:
        """What lies between two versions of a document, as `diff -u` shows it."""
        from oldsoul.rules import lines  # noqa: PLC0415 - only comparing needs it

        return lines.diff(before or b"", after or b"", self.name(path).path)

    def reconciled(self, path: str, mine: bytes, base: str) -> tuple[bytes, Snapshot, tuple[str, ...]]:
        """My text with what others wrote since its base; where they clash mine stands. Also what stands now, and the clashes."""
        from oldsoul.rules.merge import merge_bytes  # noqa: PLC0415 - only a conflict needs it

        name = self.name(path)
        standing = self.read(name)
        versions = self._ledger.content(base) or b"", standing.data or b"", mine
        text, clashes = merge_bytes(*versions, is_log=name.is_log, prefer="theirs")
        return text, standing, tuple(clash.ours.decode("utf-8", "replace").strip() for clash in clashes)

    def bootstrap(self) -> list[BootstrapFile]:
        """The files the agent is started with; a missing one is a value."""
        return bootstrap(self._ledger.read, self.id, self.soul.world.places.folder(self.id))

    def ensure_workspace(self) -> tuple[str, ...]:
        """Give this workspace the folders and files it begins with; says what was created."""
        return self.soul.ensure(self.id)[self.id]

    def load_soul(self) -> str | None:
        """The text of SOUL.md; None when there is none."""
        return self._text("SOUL.md")

    def load_agents_md(self) -> str | None:
        """The text of AGENTS.md; None when there is none."""
        return self._text("AGENTS.md")

    def _text(self, path: str) -> str | None:
        data = self.read(self.name(path)).data
        return None if data is None else data.decode("utf-8", "replace")

    def seeded(self, name: Name) -> str | None:
        """The version a document was seeded with; None when we did not seed it."""
        if name.path not in SEEDED:
            return None
        for change in self.soul.world.store.changes(self.id, name=name, limit=1_000_000):
            if change.author == ENSURE:
                return next(effect.after for effect in change.effects if effect.name == name)
        return None

    def put(
        self, path: str, data: bytes, *, base: str | None = None, reason: str = "edited by the operator"
    ) -> Outcome:
        """Save a whole document as the operator; merged with what changed since `base`, `Conflict` where it cannot be."""
        name = checked(self.name(path))
        versions = {} if base is None else {name: base}
        return self._apply(ChangeSet((Put(name, data),), self.soul.operator, reason, _key(), versions=versions))

    def reset(self, path: str) -> Outcome:
        """Put a document back to its template."""
        name = checked(self.name(path))
        fresh = template(name, self.soul.world.clock.now())
        if not fresh:
            raise BadInput(f"{name.path} has no template to go back to")
        return self._apply(ChangeSet((Put(name, fresh),), self.soul.operator, "back to its template", _key()))

    def template(self, path: str) -> bytes:
        """What a document begins with."""
        return template(checked(self.name(path)), self.soul.world.clock.now())

    def findings(self) -> list[tuple[Name, str]]:
        """What is odd about the documents' form, each with the document: frontmatter that cannot be read, links that lead out."""
        from oldsoul.documents import links, parse  # noqa: PLC0415 - as above
        from oldsoul.documents.links import resolved  # noqa: PLC0415

        found: list[tuple[Name, str]] = []
        for name in self.soul.world.store.names(self.id):
            document = parse(self.read(name).data or b"", is_log=name.is_log)
            found += [(name, problem) for problem in document.matter.problems]
            found += [
                (name, f"line {link.line + 1}: the link {link.target} leads out of the workspace")
                for link in links(document)
                if "../" in link.target and "://" not in link.target and resolved(link.target, name.path) is None
            ]
        return found

    # memory

    def remember(self, text: str, *, title: str = "", tag: str = "", key: str = "") -> Remembered:
        """Write something the operator said to MEMORY.md. It is durable when this returns."""
        self.check_enabled()
        name = Name(self.id, "MEMORY.md")
        today = self.today().date().isoformat()
        known = self._same(name, text, title)
        if known is not None:
            change_set = ChangeSet(_again(name, known, today), self.soul.operator, "said again", key or _key())
        else:
            section = _SECTION_OF.get(tag, _NOTES)
            add = Add(name, text, title=title, section=section, tag=tag, added=today)
            change_set = ChangeSet((add,), self.soul.operator, "remembered at the operator's word", key or _key())
        outcome = self._apply(change_set)
        if outcome.change is None:
            raise BadInput("this was proposed, not remembered")  # the operator's own words never wait
        written = [entry for effect in outcome.change.effects if effect.name == name for entry in effect.entries]
        if known is None and not written:
            raise BadInput(f"the key {key!r} was spent on another change ({outcome.change.id}); choose another")
        entry = known.id if known else written[0]
        repeated = known is not None or outcome.repeated
        return Remembered(outcome.change.id, entry, name, self.line_of(name, entry), repeated, outcome)

    def _same(self, name: Name, text: str, title: str) -> Entry | None:
        """The entry that says just this already."""
        from oldsoul.documents import parse  # noqa: PLC0415 - as above
        from oldsoul.documents.marks import inline  # noqa: PLC0415
        from oldsoul.documents.model import folded  # noqa: PLC0415
        from oldsoul.rules.secrets import mask  # noqa: PLC0415

        data = self.read(name).data
        words = inline(mask(text).text)
        wanted = folded(f"**{mask(title).text}**: {words}" if title else words)
        if data is None or not wanted:
            return None
        for entry in parse(data).entries:
            words = entry.text.partition(" (added ")[0]
            if entry.written and folded(words) == wanted:
                return entry
        return None

    def line_of(self, name: Name, entry: str) -> int:
        """The line an entry stands on now, from 1; 0 when it is gone."""
        from oldsoul.documents import parse  # noqa: PLC0415 - as above

        data = self.read(name).data or b""
        return next((e.line + 1 for e in parse(data, is_log=name.is_log).entries if e.id == entry), 0)

    def find(self, wanted: str, path: str = "") -> list[tuple[Name, Entry]]:
        """Entries by id, or by whole words they hold: in one document, or in all of the agent's."""
        from oldsoul.documents import parse  # noqa: PLC0415 - as above
        from oldsoul.documents.model import folded  # noqa: PLC0415

        names = [self.name(path)] if path else self.soul.world.store.names(self.id)
        words = folded(wanted)
        found: list[tuple[Name, Entry]] = []
        for name in names:
            data = self.read(name).data
            if data is None:
                continue
            entries = parse(data, is_log=name.is_log).entries
            exact = [(name, entry) for entry in entries if entry.id == wanted]
            if exact:
                return exact
            found += [(name, entry) for entry in entries if words and _holds(folded(entry.body), words)]
        return found

    def forget(self, name: Name, entry: str, reason: str = "forgotten at the operator's word") -> Outcome:
        """Erase an entry for good: from its document, every copy, and history."""
        wordings = self._ledger.wordings(name, entry)
        self.talk.erase(wordings, self._source(name, entry))
        self.soul.usage.forget(self.id, [entry])
        outcome = self._ledger.forget(name, entry, self.soul.operator, reason)
        self.soul.drop_index(self.id)
        return outcome

    def _source(self, name: Name, entry: str) -> int:
        """The number of the message an entry was taken from; 0 when none is known."""
        from oldsoul.documents import parse  # noqa: PLC0415 - as above

        entries = parse(self.read(name).data or b"", is_log=name.is_log).entries
        source = next((e.fields.get("src", "") for e in entries if e.id == entry), "")
        return int(source[2:]) if source.startswith("m:") and source[2:].isdigit() else 0

    def promote(self, text: str, subject: Subject | str, section: str = "Key Facts") -> Remembered:
        """Put something into a person's long-term memory at the operator's word. It is durable when this returns."""
        self.check_enabled()
        from oldsoul.keepers.promote import topic  # noqa: PLC0415 - as above
        from oldsoul.values.names import longterm  # noqa: PLC0415

        person = Subject(subject) if isinstance(subject, str) else subject
        name = longterm(self.id, (self.soul.people.resolved(person) or person).id)
        today = self.today().date().isoformat()
        title = topic(text)
        known = self._same(name, text, title) or self._same(name, text, "")
        add = Add(name, text, title=title, section=section, added=today)
        operations = (add,) if known is None else _again(name, known, today)
        outcome = self._apply(ChangeSet(operations, self.soul.operator, "kept at the operator's word", _key()))
        if outcome.change is None:
            raise BadInput("this was proposed, not kept")  # the operator's own words never wait
        entry = known.id if known else outcome.change.effects[0].entries[0]
        return Remembered(outcome.change.id, entry, name, self.line_of(name, entry), known is not None, outcome)

    # conversations

    def forget_message(self, number: int) -> Message:
        """Erase the words of one message from the chat log for good; gives the message as it was."""
        message = self.talk.message(number)
        self.soul.chat.redact(self.id, {number: ERASED})
        self.soul.drop_index(self.id)
        return message

    def hear(
        self,
        text: str,
        *,
        session: Session,
        role: str = "user",
        sender: str = "",
        subject: Subject | str | None = None,
        time: datetime | None = None,
        channel: str = "",
        key: str = "",
    ) -> Heard:
        """A message comes in: it is logged, durably, before anything else happens. The caller vouches for who said it."""
        from oldsoul.app.conversations import Said  # noqa: PLC0415 - as above

        person = Subject(subject) if isinstance(subject, str) else subject
        return self.talk.hear(Said(text, session, role, sender, person, time, channel, key))

    def end_session(self, session: Session | str, *, dry_run: bool = False) -> list[Report]:
        """What was said in a session since its last end becomes memory; a dry run only shows what it would become."""
        return self.talk.end(session if isinstance(session, str) else session.id, dry_run=dry_run)

    def append_daily_log(
        self,
        content: str | Iterable[str],
        *,
        session: Session | None = None,
        user: str = "",
        room: str = "",
        time: datetime | None = None,
        key: str = "",
    ) -> Outcome:
        """Write what happened into the diary; a stream is written when it has ended."""
        text = content if isinstance(content, str) else "".join(content)
        return self.days.append(text, session=session, user=user, room=room, time=time, key=key or _key())

    # recall

    def _sources(self) -> Sources:
        """What its memory is made of."""
        from oldsoul.recall import Sources  # noqa: PLC0415 - only recall needs numpy

        world = self.soul.world
        return Sources(
            self.id,
            world.store,
            world.store,
            lambda name: self.read(name).data,
            lambda: self.soul.chat,
            lambda name: template(name, world.clock.now()),
            self.zone,
            world.extras(self.id),
        )

    @property
    def recaller(self) -> Recall:
        """What searches its memory."""
        with self.soul.opening:
            known = self.soul.recalls.get(self.id)
            if known is None:
                world = self.soul.world
                known = self.soul.recalls[self.id] = world.recall(self._sources(), self.settings, world.clock)
                known.watched = any(self.id in watcher.followed for watcher in self.soul.watchers)
            return known

    def recall(
        self,
        query: str,
        *,
        session: Session,
        limit: int | None = None,
        minimum: float | None = None,
        counted: bool = True,
        **only: Any,
    ) -> Recalled:
        """What memory has to say to a question, for the eyes of this session; `only` restricts it (see `Filters`).

        What is found counts as used, unless the caller counts what it makes of it.
        """
        from oldsoul.values.recall import Filters  # noqa: PLC0415 - as above

        loaded = self.soul.world.settings(self.id)
        search = loaded.settings.memory.search
        if not (loaded.settings.memory.enabled and search.enabled):
            raise Refused("search is switched off (memory.search.enabled)")
        if not query.strip():
            raise BadInput("ask something: a question, or some words to look for")
        least = search.query.min_score if "memory.search.query.min_score" in loaded.sources else 0.0
        filters = Filters(self.soul.people.view(session), **only)
        found = self._answered(
            lambda recaller: self._asked(
                recaller,
                query,
                filters,
                limit or search.query.max_results,
                least if minimum is None else minimum,
            )
        )
        if counted:
            self.used([hit.chunk.entry for hit in found.hits if hit.chunk.entry], session)
        problem = self.soul.syncing.problems.get(self.id)
        return replace(found, notes=(*found.notes, problem)) if problem else found

    def context(self, message: str = "", *, session: Session) -> Context:
        """What this session is told of memory before a reply to a message: eight slots, within budget, with a receipt."""
        from oldsoul.app.context import Gathering  # noqa: PLC0415 - as above

        return Gathering(self, session, message).context()

    def load_workspace_memory(self, room_id: str = "", *, is_dm: bool = False, session: Session | None = None) -> str:
        """The text of memory that precedes a message: for a session, else for the operator's own, a room, or nobody."""
        from oldsoul.values.sessions import Session  # noqa: PLC0415 - as above

        return self.context(session=session or (Session.dm() if is_dm else Session.group(room_id))).block.strip("\n")

    def prompt(self, message: str = "", *, session: Session, facts: PromptFacts | None = None) -> Prompt:
        """What a model gets for a message in this session: the system prompt, and memory before the message.

        `facts` is what the caller knows: tools, channel, levels, sandbox (see `PromptFacts`).
        """
        from oldsoul.app.prompting import prompt  # noqa: PLC0415 - as above
        from oldsoul.context.prompt_facts import PromptFacts  # noqa: PLC0415

        return prompt(self, message, session, facts or PromptFacts())

    def _asked(self, recaller: Recall, query: str, filters: Filters, limit: int, minimum: float) -> Recalled:
        while True:
            if self.settings.memory.search.sync.on_search:
                recaller.fresh()
                self.soul.syncing.caught_up(self.id)
            found = recaller.ask(query, filters, limit=limit, minimum=minimum)
            if not recaller.renewed():
                return found

    def _answered(self, ask: Callable[[Recall], Recalled]) -> Recalled:
        """An answer from the index; while it has to be made anew, from the old one, or by words alone."""
        found = self._tried(ask) or self._tried(ask)  # the file may have been replaced just now
        if found is not None and not self.recaller.outdated:
            return found
        if self.soul.rebuilding is not None and self.make_index(Making(self.soul.rebuilding)):
            return ask(self.recaller)
        meanwhile = "the old one answers"
        if found is None:
            found = self.soul.rebuilds.answer(self, self._sources(), ask)
            meanwhile = "some files and messages are searched, by words alone"
        self.soul.rebuilds.begin(self)
        return replace(found, notes=(*found.notes, self.soul.rebuilds.note(self.id, meanwhile)))

    def _tried(self, ask: Callable[[Recall], Recalled]) -> Recalled | None:
        """An answer from the index; None when it is damaged."""
        try:
            return ask(self.recaller)
        except Damaged:
            self.soul.let_go(self.id)
            return None

    def make_index(self, making: Making) -> bool:
        """Make the index anew beside the one in use, then have it count; False when another process is at it."""
        world = self.soul.world
        made = world.rebuild(self._sources(), self.settings, world.clock, making)
        if made and "rebuilds" in vars(self.soul):
            self.soul.rebuilds.forget(self.id)
        return made

    def _usable(self) -> Recall:
        """What searches its memory; an index that cannot be opened is made anew first."""
        try:
            return self.recaller
        except Damaged:
            self.make_index(Making(self.soul.rebuilding or (lambda _done, _total: None)))
            return self.recaller

    def tools(self) -> list[Tool]:
        """The tools it asks its memory with, none where memory or search is switched off, and the one that reads skills."""
        from oldsoul.app.skills import SKILL_READ  # noqa: PLC0415 - as above
        from oldsoul.app.tools import tools  # noqa: PLC0415

        return [*tools(self), *((SKILL_READ,) if self.settings.context.skills.enabled else ())]

    def index_status(self) -> IndexStatus:
        """How the index of its memory stands."""
        self._check_search()
        search = self.settings.memory.search
        state = self._usable().status()
        provider = {"auto": "bundled"}.get(search.provider, search.provider) if state.tables else "none"
        file = self._index_file()
        real = os.path.realpath(file) if file else ""
        size = sum(os.path.getsize(f"{real}{end}") for end in ("", "-wal") if real and os.path.exists(f"{real}{end}"))  # noqa: PTH110, PTH202 - a plain path
        failed = self.soul.syncing.problems.get(self.id)
        return IndexStatus(state, file, size, provider, (*self.extra_problems(), *([failed] if failed else ())))

    def _index_file(self) -> str:
        """Where wiring keeps the index."""
        store, own = self.settings.memory.search.store, segment(self.id)
        if store.driver != "sqlite":
            return ""
        chosen = os.path.expanduser(store.path.replace("{agentId}", own))  # noqa: PTH111 - as above
        return chosen or f"{self.soul.world.home}/cache/index/{own}.db"

    def extra_problems(self) -> tuple[str, ...]:
        """What is wrong with the further files that settings name."""
        extras = self.soul.world.extras(self.id)
        return tuple(extras.scan()[1]) if extras else ()

    def sync_index(self) -> int:
        """Bring the index up to date; says how many documents and conversations were not."""
        self._check_search()
        recaller = self._usable()
        waiting = recaller.status().waiting
        recaller.sync()
        self.soul.syncing.caught_up(self.id)
        return waiting

    def rebuild_index(self, told: Callable[[int, int], None] | None = None) -> int:
        """Make the index anew; says how many documents and conversations are in it."""
        self._check_search()
        if not self.make_index(Making(told or (lambda _done, _total: None), anew=True)):
            raise Busy("another process is making this index anew; wait for it")
        self.recaller.fresh()
        state = self.recaller.status()
        return state.documents + state.conversations

    def _check_search(self) -> None:
        if not (self.settings.memory.enabled and self.settings.memory.search.enabled):
            raise Refused("search is switched off (memory.search.enabled)")

    def used(self, entries: Sequence[str], session: Session) -> None:
        """Note that entries were put into a context or given back by recall: what is used keeps its place."""
        if entries and not self.soul.world.read_only:
            now = self.soul.world.clock.now()
            self.soul.usage.note(self.id, [Use(entry, session.id, now) for entry in entries])

    # history and review

    def history(self, path: str = "", *, before: int | None = None, limit: int = 50) -> list[Change]:
        """Changes, newest first: of all documents or one; edits made outside are noticed first."""
        name = self.name(path) if path else None
        if name is not None:
            self.read(name)
        elif not self.soul.world.read_only:
            self._ledger.notice(self.id)
        found: list[Change] = []
        while len(found) < limit and (page := self._ledger.history(self.id, name=name, before=before, limit=limit)):
            found += [change for change in page if change.effects or change.notes]  # the rest is bookkeeping of jobs
            before = page[-1].id
        return found[:limit]

    def change(self, change_id: int) -> Change:
        """One change of this agent."""
        change = self._ledger.change(change_id)
        if change.workspace != self.id:
            raise NotFound(f"change {change_id} belongs to {change.workspace}; use -a {change.workspace}")
        return change

    def diff(self, change_id: int) -> str:
        """What a change did."""
        return self._ledger.diff(self.change(change_id))

    def blame(self, path: str) -> list[BlameLine]:
        """Each line of a document with the change that wrote it."""
        return self._ledger.blame(self.name(path))

    def undo(self, change_id: int) -> Outcome:
        """Take one change back and leave the later ones."""
        self.change(change_id)
        return self._ledger.undo(change_id, self.soul.operator)

    def proposals(self, state: str = "open") -> list[Proposal]:
        """Changes that wait for approval."""
        return self._ledger.proposals(self.id, state=state)

    def proposal(self, proposal_id: str) -> Proposal:
        """One proposal; its id may be shortened while it stays unique."""
        matching = [p for p in self.proposals("") if p.id.startswith(proposal_id)]
        if len(matching) != 1 or not proposal_id:
            problem = "is not one of them" if not matching else "could be several"
            raise NotFound(f"{proposal_id!r} {problem}; `oldsoul review` lists the proposals")
        return matching[0]

    def preview(self, proposal_id: str) -> Mapping[Name, tuple[bytes | None, bytes | None]]:
        """What approving a proposal would do now: each document before and after."""
        return self._ledger.preview(self.id, self.proposal(proposal_id).id)

    def approve(self, proposal_id: str, *, edited: Mapping[Name, bytes] | None = None) -> Outcome:
        """Do what a proposal says, exactly as shown, or the edited text instead."""
        return self._ledger.approve(self.id, self.proposal(proposal_id).id, self.soul.operator, edited=edited)

    def reject(self, proposal_id: str, why: str = "") -> Proposal:
        """Close a proposal without doing what it says."""
        return self._ledger.reject(self.id, self.proposal(proposal_id).id, self.soul.operator, why)

    def _apply(self, change_set: ChangeSet) -> Outcome:
        return self._ledger.apply(change_set)


def _holds(text: str, words: str) -> bool:
    """Whether a text holds these words as they stand: `cat` is not in `duplicates`. Scripts without spaces have no edges."""
    before = r"(?<![a-z0-9])" if words[0].isascii() and words[0].isalnum() else ""
    after = r"(?![a-z0-9])" if words[-1].isascii() and words[-1].isalnum() else ""
    return re.search(f"{before}{re.escape(words)}{after}", text) is not None


def _again(name: Name, known: Entry, today: str) -> tuple[Operation, ...]:
    """What notes that an entry was said again."""
    count = int(known.fields.get("n", "1")) + 1 if known.fields.get("n", "1").isdigit() else 2
    return SetField(name, "seen", today, known.id), SetField(name, "n", str(count), known.id)


def _key() -> str:
    return f"op:{os.urandom(16).hex()}"
