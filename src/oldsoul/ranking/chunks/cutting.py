"""One document while it is cut into pieces."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from heapq import merge
from operator import itemgetter
from typing import TYPE_CHECKING

from oldsoul.documents import Form
from oldsoul.documents.marks import without_comments
from oldsoul.language.headings import NOTES, OVER
from oldsoul.language.quoting import AGENT
from oldsoul.ranking.chunks.moments import clock_in, day_in, led_day, says_more
from oldsoul.ranking.chunks.sizes import estimated_tokens, last_of, parts_of, piece_of
from oldsoul.ranking.chunks.turns import FIELD, named, speaks, turn_in
from oldsoul.rules.audience import entry_audience, seen_by
from oldsoul.rules.confidence import is_operators, stated
from oldsoul.rules.correction_labels import labelled, puts_right
from oldsoul.rules.retention import is_out, superseded_by
from oldsoul.values.audience import Reach
from oldsoul.values.ids import id_of
from oldsoul.values.names import Kind, Name
from oldsoul.values.recall import MEMORY, Chunk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date, tzinfo

    from oldsoul.documents import Document, Entry
    from oldsoul.documents.outline import Block
    from oldsoul.ranking.options import ChunkingOptions
    from oldsoul.values.audience import Audience

_REMEMBERS = frozenset({Kind.MEMORY, Kind.ROOM, Kind.LONGTERM, Kind.PROFILE})
"""Documents of memories, each of which is as sure as who stated it makes it."""
_EVERGREEN = frozenset({Kind.MEMORY, Kind.USER, Kind.LONGTERM, Kind.PROFILE, Kind.ROOM, Kind.SHARED, Kind.OTHER})
_FIELDED = frozenset({Kind.CORRECTIONS, Kind.CONFLICTS})
"""Logs whose lines begin with the names of fields: nobody speaks there."""
_WRONG = re.compile(
    r"^\s*(?:[-*+]\s+)?\*\*(?:Trigger|Trigger confidence|Said|Wrong value|Old value|Was|Check)(?::\*\*|\*\*:)"
    r"|^\s*(?:[-*+]\s+)?\*\*Re-embedded(?::\*\*|\*\*:)\s*(?:true|yes)\b",
    re.IGNORECASE,
)
"""Lines of a correction that say what was wrong, or what became of it."""
_AUDIENCE = re.compile(rb"<!--os\b[^>]*\baud=([^\s>]+?)(?=\s|-->)")
_LINKS = re.compile(r"(?:\W*\[[^\]\n]*\]\([^)\n]*\))+\W*")
"""A piece that is nothing but links leads on and says nothing."""
_MOST_LINES = 400
_LONGEST_HEADING = 200
_PEOPLES = frozenset({Kind.OTHER, Kind.SHARED, Kind.DAILY, Kind.MEMORY, Kind.USER})
"""Documents that people write. `Router: …` says there what a line is about; elsewhere it is who said it."""


class Cutting:
    """One document while it is cut."""

    def __init__(self, name: Name, document: Document, options: ChunkingOptions, zone: tzinfo) -> None:
        self.name = name
        self.document = document
        self.options = options
        self.zone = zone
        self.day = day_in(name.path)
        self._by_mark: dict[str, Audience] = {}
        self._heads: dict[int, tuple[str, str, datetime | None]] = {}
        self._firsts = [section.line for section in document.sections]
        kind = name.kind
        owner = id_of(name.owner_segment) or "" if name.owner_segment else ""
        self.base = Chunk(
            path=name.path,
            start_line=1,
            end_line=1,
            text="",
            audience=entry_audience(name, ""),
            source=MEMORY,
            room=owner if kind is Kind.ROOM else "",
            person=owner if kind in (Kind.LONGTERM, Kind.PROFILE) else "",
            evergreen=kind in _EVERGREEN and self.day is None,
            archived=kind is Kind.ARCHIVE,
            correction=kind is Kind.CORRECTIONS or name.path.startswith("Archive/Corrections/"),
        )

    def chunks(self) -> Iterator[Chunk]:
        """The pieces in order, the first under each heading marked."""
        last = -1
        may_list = self.name.kind in (Kind.OTHER, Kind.SHARED)  # elsewhere what is nothing but links is ours
        for place, pieces in merge(self._front(), self._cut(), reversed([*self._bare()]), key=itemgetter(0)):
            for piece in pieces:
                if piece.text and (may_list or not _LINKS.fullmatch(piece.text)):
                    yield replace(piece, begins=True) if place != last else piece
                    last = place

    def _cut(self) -> Iterator[tuple[int, Iterator[Chunk]]]:
        """The pieces of each entry, of running text that goes together as one, with the section they stand in."""
        prose: list[Entry] = []
        for entry in self.document.each_entry():
            if is_out(self.name, entry):
                continue
            if prose and (
                entry.form is not Form.PROSE
                or self._place(prose[-1]) != self._place(entry)
                or self._seen_by(prose[-1]) != self._seen_by(entry)
            ):
                yield self._place(prose[0]), self._prose(prose)
                prose = []
            if entry.form is Form.PROSE:
                prose.append(entry)
            else:
                yield self._place(entry), self._dated(entry) if entry.form is Form.DATED else self._item(entry)
        if prose:
            yield self._place(prose[0]), self._prose(prose)

    def _front(self) -> Iterator[tuple[int, Iterator[Chunk]]]:
        """The frontmatter of what people write; in other documents it is our own bookkeeping."""
        matter = self.document.matter
        if matter.end and self.name.kind in _PEOPLES:
            audience = entry_audience(self.name, matter.text("audience"))
            lines = [line.decode("utf-8", "replace").rstrip() for line in self.document.lines[1 : matter.end - 1]]
            base = replace(self.base, audience=audience, time=self._noon(self.day))
            yield 0, self._gathered(base, list(enumerate(lines, 2)))

    def _bare(self) -> Iterator[tuple[int, Iterator[Chunk]]]:
        """The headings that people leave by themselves: with nothing under them, and nothing under those there."""
        if self.name.kind not in _PEOPLES:
            return
        filled = {
            place
            for block, _ in self.document.units()
            for place in range(self._place(block), bisect_right(self._firsts, block.end - 1))
        }
        lowest = 0  # of the headings from the next one on, up to one that is searched
        for place, section in reversed([*enumerate(self.document.sections)][1:]):
            if place not in filled and (lowest > section.level or not says_more(section.title)):
                lowest = min(lowest, section.level)
                continue
            lowest = section.level
            if place not in filled:
                mark = _AUDIENCE.search(self.document.lines[section.line])
                audience = entry_audience(self.name, mark[1].decode("utf-8", "replace")) if mark else self.base.audience
                yield place, self._alone(replace(self.base, time=self._headed(place)[-1], audience=audience), place)

    def _alone(self, base: Chunk, place: int) -> Iterator[Chunk]:
        """A heading as a piece, under those above it."""
        section = self.document.sections[place]
        is_open = base.audience == self.base.audience
        *above, over = (self._titles[place][:-1] if is_open else ()) or ("",)
        headed = replace(base, title=OVER.join(filter(None, above)), heading=over)
        pieces = self._gathered(headed, [(section.line + 1, without_comments(section.title))])
        yield from (replace(piece, end_line=section.body) for piece in pieces)

    def _of(self, entry: Entry, lines: tuple[int, int] = (1, 1), text: str = "", speaker: str = "") -> Chunk:
        """A piece of an entry: what is known of them all, and its own lines, text and speaker."""
        base = self.base
        audience = self._seen_by(entry)
        # a heading is seen by those who see the document, unless it is the entry's own
        is_open = audience == base.audience
        title, heading, led = self._headed(self._place(entry)) if is_open else ("", "", self._noon(self.day))
        written = day_in(entry.fields.get("seen", "") or entry.added)
        return Chunk(
            path=base.path,
            start_line=lines[0],
            end_line=lines[1],
            text=text,
            audience=audience,
            source=base.source,
            heading=entry.section if entry.form is Form.DATED else heading,
            title=title,
            speaker=speaker,
            time=self._noon(written) if written else led,
            entry=entry.id,
            tag="correction" if self.base.correction else entry.tag,
            room=base.room or (audience.id if audience.reach is Reach.ROOM else ""),
            person=base.person or (audience.id if audience.reach is Reach.PERSON else ""),
            confidence=stated(entry) if self.name.kind in _REMEMBERS else _number(entry.fields.get("conf", "")),
            evergreen=base.evergreen,
            archived=base.archived,
            correction=base.correction or entry.tag == "correction",
            to_agent=self.name.kind is Kind.MEMORY and is_operators(entry),
            superseded=bool(newer := superseded_by(entry)) and newer in self._ids,
        )

    @cached_property
    def _ids(self) -> frozenset[str]:
        """The entries that stand here: one that is gone takes nobody's place any more."""
        return frozenset(entry.id for entry in self.document.each_entry())

    def _seen_by(self, entry: Entry) -> Audience:
        """Who may see an entry; worked out once for all that have the same mark, and none on further lines."""
        if entry.inner_audiences:
            return seen_by(self.name, entry)
        mark = entry.fields.get("aud", "")
        if mark not in self._by_mark:
            self._by_mark[mark] = seen_by(self.name, entry)
        return self._by_mark[mark]

    def _noon(self, day: date | None) -> datetime | None:
        return datetime(day.year, day.month, day.day, 12, tzinfo=self.zone).astimezone(UTC) if day else None

    def _item(self, entry: Entry) -> Iterator[Chunk]:
        """An entry of a list is never cut."""
        turn = turn_in(entry.text) if not entry.title else None
        if turn and self.name.kind in _PEOPLES and self._place(entry) not in self._talks:
            turn = None
        speaker = turn[1].strip() if turn else ""
        text = entry.text[turn.end() :] if turn else entry.text
        rest = entry.body.split("\n")[1:]
        whole = "\n".join([text, *(line.strip() for line in rest)]).strip() if rest else text.strip()
        yield self._of(entry, (entry.line + 1, entry.end), whole, speaker)

    @cached_property
    def _talks(self) -> frozenset[int]:
        """The sections whose lists are talk: most lines are somebody's, somebody says more than one, and one speaks so.

        `Router: …` says what a line is about.
        """
        lists: dict[int, list[re.Match[str] | None]] = {}
        for entry in self.document.each_entry():
            if entry.form is not Form.DATED and entry.form is not Form.PROSE:
                lists.setdefault(self._place(entry), []).append(None if entry.title else turn_in(entry.text))
        said = {place: list(filter(None, turns)) for place, turns in lists.items()}
        return frozenset(
            place
            for place, turns in said.items()
            if len(set(map(named, turns))) < len(turns) >= len(lists[place]) / 2 and any(map(speaks, turns))
        )

    def _headed(self, place: int) -> tuple[str, str, datetime | None]:
        """What a section's pieces stand under, and when: on the day that the nearest heading begins with, or the file's."""
        if place not in self._heads:
            *above, own = self._titles[place]
            day = next(filter(None, map(led_day, (own, *reversed(above)))), self.day)
            self._heads[place] = OVER.join(filter(None, above)), own, self._noon(day)
        return self._heads[place]

    @cached_property
    def _titles(self) -> list[tuple[str, ...]]:
        """For each section the titles of those it is a part of, the outermost first, and its own."""
        sections = self.document.sections
        is_kind = self.name.kind not in NOTES and sum(section.level == 1 for section in sections) == 1
        found: list[tuple[str, ...]] = []
        over: list[tuple[int, str]] = []
        for section in sections:
            while over and over[-1][0] >= section.level > 0:
                over.pop()
            over.append((section.level, "" if is_kind and section.level == 1 else section.title[:_LONGEST_HEADING]))
            found.append(tuple(title for _, title in over))
        return found

    def _place(self, entry: Entry | Block) -> int:
        """Which section an entry stands in."""
        return bisect_right(self._firsts, entry.line) - 1

    def _dated(self, entry: Entry) -> Iterator[Chunk]:
        """A block of a log: whole, unless it is long talk, which is found turn by turn."""
        base = self._of(entry)
        when = clock_in(entry.section, self.zone) or base.time
        lines = entry.body.split("\n")[1:]
        if not any(map(str.strip, lines)):
            if says_more(entry.section):
                yield from self._alone(replace(base, time=when), self._place(entry))
            return
        facts = [line for line in lines if FIELD.match(line)]
        body = [(entry.line + 2 + n, line) for n, line in enumerate(lines)]
        if base.correction:  # what is found says what is right, and not again what was wrong
            told = labelled("\n".join(lines)).split("\n")
            body = [one for one, line in zip(body, told, strict=True) if not _WRONG.match(line)] or body
        # of its own words it is no more than a reply; one that does not say what is right puts nothing right
        holds = base.correction and entry.fields.get("of") != AGENT and puts_right(entry)
        heading = " ".join([entry.section, *facts]) if facts else entry.section
        pieces = self._text(replace(base, time=when, heading=heading), body)
        yield from pieces if holds == base.correction else (replace(piece, correction=holds) for piece in pieces)

    def _prose(self, entries: Sequence[Entry]) -> Iterator[Chunk]:
        """Running text: paragraphs together up to the size that is set."""
        base = replace(self._of(entries[0]), entry=entries[0].id if len(entries) == 1 else "")
        base = replace(base, to_agent=base.to_agent and all(map(is_operators, entries)))
        lines: list[tuple[int, str]] = []
        for entry in entries:
            body = entry.body.split("\n")
            if entry.kind == "CodeBlock":
                body = [line.decode("utf-8", "replace").rstrip() for line in entry.lines]
            lines += [(entry.line + 1 + n, line) for n, line in enumerate(body)]
            lines.append((entry.end, ""))
        yield from self._text(base, lines)

    def _text(self, base: Chunk, lines: Sequence[tuple[int, str]]) -> Iterator[Chunk]:
        """Lines as pieces: turns of talk one by one, other text together up to its size."""
        told = without_comments("\n".join(line for _, line in lines)).split("\n") if lines else []
        lines = [(number, line) for (number, _), line in zip(lines, told, strict=True)]
        if self.name.kind not in _FIELDED and not base.correction and self._is_talk(lines):
            yield from self._talk(base, lines)
            return
        yield from self._gathered(base, lines)

    def _gathered(self, base: Chunk, lines: Sequence[tuple[int, str]]) -> Iterator[Chunk]:
        """Lines together up to the size that is set."""
        most = self.options.tokens
        gathered: list[tuple[int, str]] = []
        size = 0
        for number, part in ((number, part) for number, line in lines for part in parts_of(line, most)):
            more = estimated_tokens(part)
            if gathered and (size + more > most or len(gathered) >= _MOST_LINES):
                yield piece_of(base, gathered)
                gathered = last_of(gathered, min(self.options.overlap, most - more))
                size = sum(estimated_tokens(text) for _, text in gathered)
            gathered.append((number, part))
            size += more
        if gathered:
            yield piece_of(base, gathered)

    def _is_talk(self, lines: Sequence[tuple[int, str]]) -> bool:
        """Whether most lines are somebody's, and one speaks so; outside of logs one of them has to speak twice."""
        turns = [turn for _, line in lines if (turn := turn_in(line))]
        enough = len(turns) > 1 and 2 * len(turns) >= sum(bool(line.strip()) for _, line in lines)
        if not enough or not any(map(speaks, turns)):
            return False
        is_plain = self.document.is_log or self.name.kind not in _PEOPLES
        return is_plain or len(set(map(named, turns))) < len(turns)

    def _talk(self, base: Chunk, lines: Sequence[tuple[int, str]]) -> Iterator[Chunk]:
        piece = base
        gathered: list[tuple[int, str]] = []
        for number, line in lines:
            turn = turn_in(line)
            if turn:
                if any(text.strip() for _, text in gathered):
                    yield piece_of(piece, gathered)
                piece = replace(base, speaker=turn[1].strip())
                gathered = [(number, line[turn.end() :])]
            elif line.strip():
                gathered.append((number, line))
        if any(text.strip() for _, text in gathered):
            yield piece_of(piece, gathered)


def _number(text: str) -> float:
    try:
        return min(max(float(text), 0.0), 1.0) if text else 1.0
    except ValueError:
        return 1.0
