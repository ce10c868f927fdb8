"""Documents and messages cut into the pieces that are found: an entry, a turn of talk, some paragraphs of prose."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, tzinfo
from functools import cached_property
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from oldsoul.documents import Form
from oldsoul.documents.marks import without_comments
from oldsoul.documents.model import folded
from oldsoul.documents.outline import Block
from oldsoul.language.headings import NOTES, OVER
from oldsoul.language.headings import place as about
from oldsoul.language.sentences import AGENT, ends_in_question, parts, whole
from oldsoul.rules.audience import entry_audience, seen_by
from oldsoul.rules.confidence import stated
from oldsoul.rules.correction_labels import labelled, states_right
from oldsoul.rules.diary import MARKED, is_first_person
from oldsoul.rules.retention import is_out, superseded_by
from oldsoul.values.audience import OWNER, Audience, Reach
from oldsoul.values.ids import id_of, segment
from oldsoul.values.messages import Message
from oldsoul.values.names import Kind, Name
from oldsoul.values.recall import EXTRA, MEMORY, SESSIONS, Chunk

if TYPE_CHECKING:
    from oldsoul.documents import Document, Entry
    from oldsoul.ranking.options import ChunkingOptions


_TURN = re.compile(
    r"^(?:[-*+]\s+)?(?:\[[^\]\n]{1,40}\]\s*)?(?:\*\*)?([^\W\d_][\w .'’-]{0,40}?"
    rf"(?:{MARKED})?)(?:\*\*)?\s*"
    r"(?:\([^)\n]{1,40}\)\s*)?(?::(?:\*\*)?|：)\s+(?=\S)"
)
_FIELD = re.compile(r"^\s*(?:[-*+]\s+)?\*\*(?:Room|User|Users|Datetime)(?::\*\*|\*\*:)", re.IGNORECASE)


def _turn_in(line: str) -> re.Match[str] | None:
    """What a turn of talk begins with: who says it."""
    if ":" not in line and "：" not in line:
        return None
    return None if _FIELD.match(line) else _TURN.match(line)


def _named(turn: re.Match[str]) -> str:
    """Who says a turn, as names are compared."""
    return turn[1].strip().casefold()


def _speaks(turn: re.Match[str]) -> bool:
    """Whether somebody says a line: it asks, or is about whoever says it. `Gateway: restarted` only says what it is about."""
    said = turn.string[turn.end() :]
    return ends_in_question(said) or is_first_person(said)


_DAY = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_CLOCK = re.compile(r"(\d{4}-\d{2}-\d{2})[ T](\d{1,2}:\d{2})(?::\d{2})?\s*(UTC|Z|[+-]\d{2}:?\d{2})?")
_HOUR = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?(?:\s*[ap]m)?", re.IGNORECASE)
_FIRST_YEAR, _LAST_YEAR = 2, 9998
"""Days that a clock in any zone can tell, and the days beside them."""


def _says_more(heading: str) -> bool:
    """Whether a heading says more than when, and is not one that every folder has."""
    return bool(about("", heading)) and not _HOUR.fullmatch(heading)


def _led_day(heading: str) -> date | None:
    """The day a heading begins with."""
    return day_in(heading[:11]) if _DAY.match(heading) else None


def day_in(text: str) -> date | None:
    """The first day that stands in a text, if a clock can tell it."""
    for found in _DAY.finditer(text) if text else ():
        try:
            day = datetime(int(found[1]), int(found[2]), int(found[3]), tzinfo=UTC).date()
        except ValueError:
            continue
        return day if _FIRST_YEAR <= day.year <= _LAST_YEAR else None
    return None


def _clock_in(heading: str, zone: tzinfo) -> datetime | None:
    """The time a heading names."""
    found = _CLOCK.search(heading)
    if found is None:
        return None
    offset = (found[3] or "").replace("UTC", "+00:00").replace("Z", "+00:00")
    try:
        time = datetime.fromisoformat(f"{found[1]}T{found[2]:0>5}{offset}")
        if not _FIRST_YEAR <= time.year <= _LAST_YEAR:
            return None
        return (time if time.tzinfo else time.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def estimated_tokens(text: str) -> int:
    """About how many tokens a text has: four characters of Latin letters, one of other scripts."""
    wide = sum(char > "\u2e7f" for char in text) if not text.isascii() else 0
    return wide + (len(text) - wide + 3) // 4


def _piece_of(base: Chunk, lines: Sequence[tuple[int, str]]) -> Chunk:
    """Lines, or parts of them, as one piece."""
    whole = "\n".join("".join(part for _, part in parts) for _, parts in groupby(lines, itemgetter(0)))
    return replace(base, start_line=lines[0][0], end_line=lines[-1][0], text=whole.strip())


def _parts_of(line: str, most: int) -> Iterator[str]:
    """A line in parts of so many tokens at most: whole, or its sentences, or what there is of them between words."""
    if estimated_tokens(line) <= most:
        if line.strip():
            yield line
        return
    for sentence in parts(line):
        yield from _halves(sentence, most)


def _halves(text: str, most: int) -> Iterator[str]:
    """A text cut in two as often as it takes, between words where there are any."""
    if estimated_tokens(text) <= most:
        if text.strip():
            yield text
        return
    middle = len(text) // 2
    middle = text.rfind(" ", middle // 2, middle) + 1 or middle
    yield from _halves(text[:middle], most)
    yield from _halves(text[middle:], most)


def _last_of(lines: Sequence[tuple[int, str]], most: int) -> list[tuple[int, str]]:
    """The last lines of a piece that the next one begins with."""
    kept: list[tuple[int, str]] = []
    size = 0
    for number, line in reversed(lines[1:]):
        size += estimated_tokens(line)
        if size > most:
            break
        kept.insert(0, (number, line))
    return kept


_REMEMBERS = frozenset({Kind.MEMORY, Kind.ROOM, Kind.LONGTERM, Kind.PROFILE})
"""Documents of memories, each of which is as sure as who stated it makes it."""
_EVERGREEN = frozenset({Kind.MEMORY, Kind.USER, Kind.LONGTERM, Kind.PROFILE, Kind.ROOM, Kind.SHARED, Kind.OTHER})
_FIELDED = frozenset({Kind.CORRECTIONS, Kind.CONFLICTS})
"""Logs whose lines begin with the names of fields: nobody _speaks there."""
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


class _DocumentCut:
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
            if place not in filled and (lowest > section.level or not _says_more(section.title)):
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
        turn = _turn_in(entry.text) if not entry.title else None
        if turn and self.name.kind in _PEOPLES and self._place(entry) not in self._talks:
            turn = None
        speaker = turn[1].strip() if turn else ""
        text = entry.text[turn.end() :] if turn else entry.text
        rest = entry.body.split("\n")[1:]
        whole = "\n".join([text, *(line.strip() for line in rest)]).strip() if rest else text.strip()
        yield self._of(entry, (entry.line + 1, entry.end), whole, speaker)

    @cached_property
    def _talks(self) -> frozenset[int]:
        """The sections whose lists are talk: most lines are somebody's, somebody says more than one, and one _speaks so.

        `Router: …` says what a line is about.
        """
        lists: dict[int, list[re.Match[str] | None]] = {}
        for entry in self.document.each_entry():
            if entry.form is not Form.DATED and entry.form is not Form.PROSE:
                lists.setdefault(self._place(entry), []).append(None if entry.title else _turn_in(entry.text))
        said = {place: list(filter(None, turns)) for place, turns in lists.items()}
        return frozenset(
            place
            for place, turns in said.items()
            if len(set(map(_named, turns))) < len(turns) >= len(lists[place]) / 2 and any(map(_speaks, turns))
        )

    def _headed(self, place: int) -> tuple[str, str, datetime | None]:
        """What a section's pieces stand under, and when: on the day that the nearest heading begins with, or the file's."""
        if place not in self._heads:
            *above, own = self._titles[place]
            day = next(filter(None, map(_led_day, (own, *reversed(above)))), self.day)
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
        when = _clock_in(entry.section, self.zone) or base.time
        lines = entry.body.split("\n")[1:]
        if not any(map(str.strip, lines)):
            if _says_more(entry.section):
                yield from self._alone(replace(base, time=when), self._place(entry))
            return
        facts = [line for line in lines if _FIELD.match(line)]
        body = [(entry.line + 2 + n, line) for n, line in enumerate(lines)]
        if base.correction:  # what is found says what is right, and not again what was wrong
            told = labelled("\n".join(lines)).split("\n")
            body = [one for one, line in zip(body, told, strict=True) if not _WRONG.match(line)] or body
        # by the agent's words alone it is no more than a reply; one that does not say what is right puts nothing right
        holds = base.correction and entry.fields.get("of") != AGENT and states_right(entry)
        heading = " ".join([entry.section, *facts]) if facts else entry.section
        pieces = self._text(replace(base, time=when, heading=heading), body)
        yield from pieces if holds == base.correction else (replace(piece, correction=holds) for piece in pieces)

    def _prose(self, entries: Sequence[Entry]) -> Iterator[Chunk]:
        """Running text: paragraphs together up to the size that is set."""
        base = replace(self._of(entries[0]), entry=entries[0].id if len(entries) == 1 else "")
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
        for number, part in ((number, part) for number, line in lines for part in _parts_of(line, most)):
            more = estimated_tokens(part)
            if gathered and (size + more > most or len(gathered) >= _MOST_LINES):
                yield _piece_of(base, gathered)
                gathered = _last_of(gathered, min(self.options.overlap, most - more))
                size = sum(estimated_tokens(text) for _, text in gathered)
            gathered.append((number, part))
            size += more
        if gathered:
            yield _piece_of(base, gathered)

    def _is_talk(self, lines: Sequence[tuple[int, str]]) -> bool:
        """Whether most lines are somebody's, and one _speaks so; outside of logs one of them has to speak twice."""
        turns = [turn for _, line in lines if (turn := _turn_in(line))]
        enough = len(turns) > 1 and 2 * len(turns) >= sum(bool(line.strip()) for _, line in lines)
        if not enough or not any(map(_speaks, turns)):
            return False
        is_plain = self.document.is_log or self.name.kind not in _PEOPLES
        return is_plain or len(set(map(_named, turns))) < len(turns)

    def _talk(self, base: Chunk, lines: Sequence[tuple[int, str]]) -> Iterator[Chunk]:
        piece = base
        gathered: list[tuple[int, str]] = []
        for number, line in lines:
            turn = _turn_in(line)
            if turn:
                if any(text.strip() for _, text in gathered):
                    yield _piece_of(piece, gathered)
                piece = replace(base, speaker=turn[1].strip())
                gathered = [(number, line[turn.end() :])]
            elif line.strip():
                gathered.append((number, line))
        if any(text.strip() for _, text in gathered):
            yield _piece_of(piece, gathered)


def _number(text: str) -> float:
    try:
        return min(max(float(text), 0.0), 1.0) if text else 1.0
    except ValueError:
        return 1.0


PIECES = 14
"""Goes up when documents are cut otherwise or pieces say more: an index of other pieces is then rebuilt."""
_ADDED = re.compile(r" ?\(added \d{4}-\d{2}-\d{2}\)(?: #\w+)*$")


def says_just(chunk: Chunk, wrong: str) -> bool:
    """Whether a piece says some words and nothing else, before the operator or a room; what one person said stays."""
    return chunk.audience.reach is not Reach.PERSON and bare_words(chunk.text) == bare_words(wrong)


def bare_words(text: str) -> str:
    """A text as it is compared with another: without how an entry ends, bold, quotes and the last full stop."""
    return folded(said(text.strip()).replace("**", "")).strip("\"'“”„‘’ .")


def document_chunks(name: Name, document: Document, options: ChunkingOptions, zone: tzinfo) -> Iterator[Chunk]:
    """The pieces of one document, in order, each made when it is asked for."""
    return _DocumentCut(name, document, options, zone).chunks()


def said(text: str) -> str:
    """A text without how an entry ends: the day is its time, the tag a separate field, and neither is what it says."""
    return _ADDED.sub("", text) if "(added " in text else text


def extra_chunks(
    path: str, workspace: str, document: Document, options: ChunkingOptions, zone: tzinfo
) -> Iterator[Chunk]:
    """The pieces of a Markdown file outside the workspace: the operator's alone, and nothing there can claim more.

    A mark in it is just text: it names no entry of ours, corrects nothing and widens nothing.
    """
    cutting = _DocumentCut(Name(workspace, "extra.md"), document, options, zone)
    cutting.day = day_in(path.rpartition("/")[2])
    cutting.base = replace(cutting.base, path=path, source=EXTRA, evergreen=cutting.day is None)
    pieces = cutting.chunks()
    return (replace(each, audience=OWNER, entry="", correction=False, confidence=1.0) for each in pieces)


def message_chunk(message: Message) -> Chunk:
    """One message as a piece of memory."""
    return Chunk(
        path=f"chat/{segment(message.session.id)}",
        start_line=message.id,
        end_line=message.id,
        text=whole(message.text),
        audience=message.audience,
        source=SESSIONS,
        speaker=message.sender,
        time=message.time,
        entry=f"m:{message.id}",
        room=message.session.room,
        person=message.subject.id if message.subject else "",
        by_agent=message.role != "user",
    )
