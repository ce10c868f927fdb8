"""Lists the entries of an agent's documents, for the eyes of a session: filtered, a page at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.app.agent_history import holds
from oldsoul.app.home.catalogue import Row
from oldsoul.app.paging import span
from oldsoul.documents import parse, unsearchable
from oldsoul.documents.entries import Form
from oldsoul.documents.model import folded
from oldsoul.errors import NotFound, Refused
from oldsoul.ranking.chunks.moments import day_in
from oldsoul.rules.audience import audience_of, seen_by
from oldsoul.rules.confidence import effective, last_seen, mentions, origin_of, read_day, stated
from oldsoul.rules.retention import SUPERSEDED, is_out, superseded_by
from oldsoul.values.names import INDEXED
from oldsoul.values.recall import Entries, Entry
from oldsoul.workspace import template

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oldsoul.app.agent_recall import AgentRecall
    from oldsoul.values.audience import Audience, View
    from oldsoul.values.names import Name
    from oldsoul.values.recall import WantedEntries


class Listing:
    """The entries of one agent as one view sees them; everything without a view."""

    def __init__(self, agent: AgentRecall, view: View | None) -> None:
        self._agent = agent
        self._view = view
        self._today = agent.today().date()
        self._options = agent.settings.memory.confidence
        self._seen: dict[Audience, bool] = {}

    def page(self, wanted: WantedEntries, offset: int, limit: int) -> Entries:
        """Those that are wanted, from an offset on."""
        start, end = span(offset, limit)
        fits = self._fits(wanted)
        found: list[Entry] = []
        total = 0
        for name in self._names(wanted.path):
            rows = self._rows(name)
            chosen = [row for row in rows if self._sees(row.audience) and fits(row)]
            first, total = total, total + len(chosen)
            shown = chosen[max(start - first, 0) : max(end - first, 0)]
            if shown:
                ids = {row.entry.id for row in rows}
                found += [self._entry(name, row, ids) for row in shown]
        return Entries(tuple(found), total, end if end < total else None)

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

        def fits(row: Row) -> bool:
            entry, day = row.entry, row.day
            return (
                wanted.audience in (None, row.audience)
                and (wanted.since is None or (day is not None and day >= wanted.since))
                and (wanted.until is None or (day is not None and day <= wanted.until))
                and wanted.tag in ("", entry.tag)
                and (not wanted.confidence or effective(entry, self._today, self._options) >= wanted.confidence)
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


def _has(text: str, words: list[str]) -> bool:
    return all(holds(text, word) for word in words)
