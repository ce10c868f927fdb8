"""Lists the entries of an agent's documents, as far as a session may see them: filtered, a page at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from functools import cache
from operator import itemgetter

from oldsoul import documents
from oldsoul.app.agent_workspace import AgentWorkspace, holds
from oldsoul.app.home.catalogue import Row
from oldsoul.documents import parse, unsearchable
from oldsoul.documents.entries import Form
from oldsoul.documents.model import folded
from oldsoul.errors import BadInput, NotFound, Refused
from oldsoul.ranking.chunks import day_in
from oldsoul.rules.audience import audience_of, seen_by
from oldsoul.rules.confidence import effective, last_seen, mentions, origin_of, read_day, stated
from oldsoul.rules.retention import SUPERSEDED, is_out, superseded_by
from oldsoul.values.audience import Audience, View
from oldsoul.values.names import INDEXED, Name
from oldsoul.values.pages import span
from oldsoul.values.recall import FILE, ORDERS, Entries, Entry, EntryPast, WantedEntries
from oldsoul.workspace import template


class Listing:
    """The entries of one agent as one view sees them; everything without a view."""

    def __init__(self, agent: AgentWorkspace, view: View | None) -> None:
        self._agent = agent
        self._view = view
        self._today = agent.today().date()
        self._options = agent.settings.memory.confidence
        self._seen: dict[Audience, bool] = {}

    def page(self, wanted: WantedEntries, offset: int, limit: int) -> Entries:
        """Those that are wanted, from an offset on."""
        start, end = span(offset, limit)
        if wanted.order not in ORDERS:
            raise BadInput(f"{wanted.order!r} is not an order; use one of {', '.join(ORDERS)}")
        fits = self._fits(wanted)
        found = [
            (name, row)
            for name in self._names(wanted.path)
            for row in self._rows(name)
            if self._sees(row.audience) and fits(row)
        ]
        if wanted.order != FILE:
            found = self._ordered(found, wanted)
        elif wanted.descending:
            found.reverse()
        ids = cache(lambda name: {row.entry.id for row in self._rows(name)})
        shown = [self._entry(name, row, ids(name)) for name, row in found[start:end]]
        return Entries(tuple(shown), len(found), end if end < len(found) else None)

    def rows(self) -> Iterator[tuple[Name, documents.Entry]]:
        """All that can be seen, each with its document."""
        for name in self._names(""):
            yield from ((name, row.entry) for row in self._rows(name) if self._sees(row.audience))

    def one(self, name: Name, entry: str) -> Entry:
        """One entry; `NotFound` when there is none of that id that can be seen."""
        rows = self._rows(name)
        row = next((row for row in rows if row.entry.id == entry and self._sees(row.audience)), None)
        if row is None:
            raise NotFound(f"there is no entry {entry} in {name.path}")
        return self._entry(name, row, {each.entry.id for each in rows})

    def past(self, name: Name, entry: str) -> EntryPast:
        """One entry with how it came to be what it is, and how much it was used."""
        found = self.one(name, entry)
        snapshot = self._agent.read(name)
        entries = parse(snapshot.data or b"", is_log=name.is_log).entries
        ending = next((each.ending for each in entries if each.id == entry), "")
        reuse = self._agent.home.usage.reuse(self._agent.id, [entry]).get(entry)
        words = found.text.split("\n")[0].removesuffix(ending)
        return EntryPast(found, words, snapshot.version, reuse, tuple(self._agent.steps_of(name, entry)))

    def _ordered(self, found: list[tuple[Name, Row]], wanted: WantedEntries) -> list[tuple[Name, Row]]:
        """The same by their days or their confidence; where that is equal, by file and line."""
        rank: Callable[[Row], date | float | None]
        match wanted.order:
            case "added":
                rank = _added
            case "seen":
                rank = _seen
            case _:
                rank = self._confidence
        ranked = [(rank(row), place) for place, (_, row) in enumerate(found)]
        dated = [(one, place) for one, place in ranked if one is not None]
        dated.sort(key=itemgetter(0), reverse=wanted.descending)
        return [found[place] for place in (*(p for _, p in dated), *(p for one, p in ranked if one is None))]

    def _confidence(self, row: Row) -> float:
        return effective(row.entry, self._today, self._options)

    def _names(self, path: str) -> Iterator[Name]:
        """The document that is named; else all that are memory."""
        if path:
            yield self._agent.name(path)
            return
        for name in self._agent.home.world.store.names(self._agent.id):
            if name.kind in INDEXED and not name.path.startswith("SOUL_HISTORY/"):
                yield name

    def _rows(self, name: Name) -> tuple[Row, ...]:
        """The entries of a document; none of one that cannot be read."""
        catalogue = self._agent.home.catalogue
        try:
            rows = catalogue.known(name, self._agent.home.world.store.version(name))
            if rows is None:
                snapshot = self._agent.read(name)
                ours = template(name, self._agent.home.world.clock.now())
                rows = _read(name, snapshot.data or b"", ours)
                catalogue.keep(name, snapshot.version, rows)
        except (NotFound, Refused, OSError):  # a link that leads out, a file nobody may read
            return ()
        return rows

    def _sees(self, audience: Audience) -> bool:
        if self._view is None:
            return True
        if audience not in self._seen:
            self._seen[audience] = self._view.sees(audience)
        return self._seen[audience]

    def _fits(self, wanted: WantedEntries) -> Callable[[Row], bool]:
        """Whether an entry is one of those that are wanted: what costs most is asked last."""
        words = [folded(word) for word in wanted.words.split()]
        every = wanted.confidence <= 0 and wanted.at_most >= 1

        def fits(row: Row) -> bool:
            entry, day = row.entry, row.day
            return (
                wanted.audience in (None, row.audience)
                and (wanted.since is None or (day is not None and day >= wanted.since))
                and (wanted.until is None or (day is not None and day <= wanted.until))
                and wanted.tag in ("", entry.tag)
                and (every or wanted.confidence <= self._confidence(row) <= wanted.at_most)
                and (not words or _has(folded(entry.body), words))
            )

        return fits

    def _entry(self, name: Name, row: Row, ids: set[str]) -> Entry:
        entry = row.entry
        newer = superseded_by(entry)
        open_heading = entry.form is Form.DATED or self._sees(audience_of(name))
        return Entry(
            id=entry.id,
            path=name.path,
            line=entry.line + 1,
            text=entry.body,
            title=entry.title,
            section=entry.section if open_heading else "",
            tag=entry.tag,
            stored=stated(entry),
            confidence=effective(entry, self._today, self._options),
            seen=read_day(entry.fields.get("seen", "")),
            added=read_day(entry.added),
            mentions=mentions(entry),
            source=entry.fields.get("src", ""),
            origin=origin_of(entry),
            audience=row.audience,
            superseded=newer in ids or entry.fields.get("status") == SUPERSEDED,
            searched=name.kind in INDEXED and not is_out(name, entry),
        )


def _read(name: Name, data: bytes, ours: bytes) -> tuple[Row, ...]:
    """The entries of a document, but for what its template says; none of a file that is no text."""
    found = () if unsearchable(data) else parse(data, is_log=name.is_log).entries
    seeded = {entry.text for entry in parse(ours, is_log=name.is_log).entries}
    day = day_in(name.path)
    return tuple(Row(e, seen_by(name, e), last_seen(e) or day) for e in found if e.text not in seeded)


def _added(row: Row) -> date | None:
    return read_day(row.entry.added)


def _seen(row: Row) -> date | None:
    return row.day


def _has(text: str, words: list[str]) -> bool:
    return all(holds(text, word) for word in words)
