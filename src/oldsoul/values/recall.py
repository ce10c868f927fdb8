"""Recall: pieces of memory as they are searched, found, listed and used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from datetime import date, datetime, tzinfo
from typing import TYPE_CHECKING, TypedDict

from oldsoul.errors import BadInput
from oldsoul.values.audience import Audience, View
from oldsoul.values.frozen import frozen, shortened
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from oldsoul.values.history import Change

MEMORY, SESSIONS, EXTRA = "memory", "sessions", "extra"
SOURCES = (MEMORY, SESSIONS, EXTRA)
"""What can be searched: the memory files, the chat log, further paths."""
MOST_ASKED = 1000
"""How many characters a question may have."""
MEM0 = "mem0"
"""The source of what Mem0 found, which no index of ours holds."""
FILE = "file"
ORDERS = (FILE, "added", "seen", "confidence")
"""What entries can be ordered by: file and line, the day they were added or last mentioned, their confidence today."""
SEEN = 8
"""So many of the rows that have a term are named, where it is asked whether any do."""


def is_talk(path: str) -> bool:
    """Return whether a path is a conversation's, and not that of a file in a folder of that name."""
    return path.startswith("chat/") and not path.endswith(".md")


@frozen
class Chunk:
    """A piece of a file or a message: what the index contains and a search returns."""

    path: str
    """the file of the workspace, or `chat/<session>`"""
    start_line: int
    """its first line, from 1; for a message its number"""
    end_line: int
    """its last line"""
    text: str
    """its words, without the comment"""
    audience: Audience
    """who may see it"""
    source: str = MEMORY
    """`memory`, `sessions` or `extra`; `mem0` for a message that Mem0 found"""
    heading: str = ""
    """the heading above it"""
    speaker: str = ""
    """who said it, where known"""
    time: datetime | None = None
    """when it was said, or happened, or was written down"""
    entry: str = ""
    """the entry's id; `m:118` for a message"""
    tag: str = ""
    """the entry's primary tag"""
    room: str = ""
    """the room it was said in"""
    person: str = ""
    """the person it belongs to or who said it, by their id"""
    confidence: float = 1.0
    """its confidence when it was last mentioned, from 0 to 1"""
    evergreen: bool = False
    """whether it does not lose score with age"""
    archived: bool = False
    """whether it is in an archive, and so ranks lower"""
    correction: bool = False
    """whether it corrects something"""
    by_agent: bool = False
    """whether the agent or one of its tools said it, and no person"""
    title: str = ""
    """the headings above its own, the outermost first"""
    begins: bool = False
    """whether it is the first under its heading"""
    superseded: bool = False
    """whether a newer entry of its file replaced it"""

    def day(self, zone: tzinfo) -> str | None:
        """Return its day in a time zone; None when it has none."""
        return self.time.astimezone(zone).date().isoformat() if self.time else None


@frozen
class Prepared:
    """A chunk as the index takes it: with what was worked out of its text once."""

    chunk: Chunk
    """the piece itself"""
    terms: tuple[str, ...]
    """its terms in order, after those of its date and speaker"""
    tokens: tuple[tuple[bytes, bytes], ...]
    """for each static table: its tokens, and where among them its sentences begin, as 32-bit numbers"""
    flags: int
    """what it has, as bits"""
    length: int
    """how many words the text has"""
    event_from: int = 0
    """the first day it speaks of; 0 for none"""
    event_to: int = 0
    """the last such day"""


@frozen
class ChunkSource:
    """Chunks that are made as they are gone through, each time again: those of a long document are never held together."""

    make: Callable[[], Iterator[Chunk]]
    """gives them"""

    def __iter__(self) -> Iterator[Chunk]:
        return self.make()


@frozen
class Filed:
    """A document as it is put into the index."""

    path: str
    """which"""
    digest: str
    """changes when its content does"""
    chunks: Iterable[Chunk]
    """its pieces, in order, as often as they are gone through; none when it is gone"""
    after: str | None = None
    """the digest it follows, empty for none; where that is another by now, nothing is put or added"""
    size: int = 0
    """about how many bytes it holds"""


@frozen
class Filters:
    """What a search is restricted to. What is left empty does not restrict; who looks has no default."""

    view: View
    """what may be seen"""
    sources: tuple[str, ...] = ()
    """some sources"""
    since: datetime | None = None
    """not older than this; what has no date is left out"""
    until: datetime | None = None
    """older than this; what has no date is left out"""
    tag: str = ""
    """one tag"""
    room: str = ""
    """one room"""
    person: str = ""
    """one person, by their id"""
    path: str = ""
    """one document"""


class Only(TypedDict, total=False):
    """What somebody who asks may restrict a search to, as keywords; the fields of `Filters` without who looks."""

    sources: tuple[str, ...]
    since: datetime | None
    until: datetime | None
    tag: str
    room: str
    person: str
    path: str


PARTS = {
    "vectors": "the same meaning",
    "read": "the whole text means the same",
    "words": "the same words",
    "late": "meaning, word by word",
    "coverage": "covers much of the question",
    "pairs": "words that stand together",
    "members": "belongs to what is asked about",
    "identifier": "the very number or code",
    "document": "its file or conversation is about this",
    "speaker": "said by the one who is named",
    "asker": "said by the one who asks",
    "time": "tells a time, as asked",
    "date": "of the time that is named",
    "name": "has a name, as asked",
    "number": "has a number, as asked",
    "money": "has a sum of money, as asked",
    "likes": "says what somebody likes",
    "changes": "says that something changed",
    "length": "how much it says",
    "asks": "ends in a question",
    "agent": "said by the agent itself",
    "derived": "retells a conversation",
    "archived": "from the archive",
    "confidence": "how sure memory is",
    "correction": "puts something right",
    "age": "how new it is",
    "echo": "only asks the same thing",
}
"""What the parts of a score are, for people."""


@frozen
class Hit:
    """One result of a search."""

    chunk: Chunk
    """the piece of memory: its path, lines, time, audience, tag and more"""
    score: float
    """how well it answers, from 0 to 1"""
    why: Mapping[str, float] = field(default_factory=dict)
    """the parts of the score, by the names of `PARTS`"""
    earlier: bool = False
    """whether a newer text of the same authority, found too or marked in the file, is about the same thing"""
    around: tuple[tuple[int, Chunk], ...] = ()
    """of a message, where asked for: it and the turns right before and after it, each with its place in the conversation"""
    about: float = 1.0
    """how likely it is about what was asked, from 0 to 1, judged by itself"""

    @property
    def text(self) -> str:
        """Its words."""
        return self.chunk.text

    def __repr__(self) -> str:
        return f"<Hit {self.score:.2f} {self.chunk.path}:{self.chunk.start_line} {shortened(self.text)!r}>"


@frozen
class Recalled:
    """The result of a search, from `Agent.recall`."""

    answer: str
    """how well it matches: `found`, `unsure`, `unknown`; `conflicting` where what answers best contradicts another hit"""
    hits: tuple[Hit, ...]
    """what was found, the best first"""
    notes: tuple[str, ...] = ()
    """notes for people: that meaning was not compared, that the index is being rebuilt"""
    disagreeing: tuple[tuple[str, str], ...] = ()
    """pairs of entries among the hits that contradict each other"""
    confidence: float = 0.0
    """how strong the match is, from 0 to 1, against what memory cannot know; 0.5 is neutral"""

    def __repr__(self) -> str:
        return f"<Recalled {self.answer}, hits: {len(self.hits)}>"


@frozen
class Use:
    """One entry was put into a context, or given back by recall."""

    entry: str
    """the entry's id"""
    session: str
    """the session it was used in, by its id"""
    time: datetime
    """when"""


@frozen
class Reuse:
    """How much one entry was used."""

    sessions: int
    """in how many sessions"""
    times: int
    """how many times in all"""
    last: datetime
    """when last"""


@frozen
class Entry:
    """One entry in a file."""

    id: str
    """its id, from its comment, else computed from its words"""
    path: str
    """the file it is in"""
    line: int
    """its first line there, from 1"""
    text: str
    """its words, without the comment"""
    title: str
    """its bold title, or the heading of a dated block; empty when it has none"""
    section: str
    """the heading above it; empty when there is none, or it may not be seen"""
    tag: str
    """its primary tag"""
    stored: float
    """its confidence when it was last mentioned, from 0 to 1"""
    confidence: float
    """its confidence today, from 0 to 1"""
    seen: date | None
    """the day it was last mentioned; None when unknown"""
    added: date | None
    """the day it was added; None when unknown"""
    mentions: int
    """how many messages said it"""
    source: str
    """the message or file it comes from: `m:118`; empty when unknown"""
    origin: Origin
    """who stated it"""
    audience: Audience
    """who may see it"""
    superseded: bool
    """whether a newer entry replaced it"""
    searched: bool
    """whether search covers it"""

    def __repr__(self) -> str:
        return f"<Entry {self.id} {self.path}:{self.line} {shortened(self.text)!r}>"


@frozen
class Entries:
    """A page of entries."""

    page: tuple[Entry, ...]
    """the entries of this page"""
    total: int
    """the number of entries on all pages"""
    next: int | None
    """the offset of the next page; None after the last"""

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.page)

    def __len__(self) -> int:
        return len(self.page)


@frozen
class WantedEntries:
    """Which entries are asked for. What is left empty does not restrict."""

    path: str = ""
    """of one document; of all that are memory otherwise"""
    tag: str = ""
    """of one tag"""
    words: str = ""
    """that hold all of these words"""
    confidence: float = 0.0
    """at least so sure today"""
    audience: Audience | None = None
    """for this audience"""
    since: date | None = None
    """last mentioned on this day or later; what has no date is left out"""
    until: date | None = None
    """last mentioned on this day or before; what has no date is left out"""
    at_most: float = 1.0
    """at most so sure today"""
    order: str = FILE
    """by what they are ordered, one of `ORDERS`"""
    descending: bool = False
    """whether what is newest or surest comes first; what has no date comes last either way"""


@frozen
class EntryStep:
    """One change of an entry."""

    change: Change
    """the change in the history"""
    before: str | None
    """what the entry said before; None when it was not there"""
    after: str | None
    """what it said after; None when it went. The same as before where only a mention was recorded"""


@frozen
class EntryPast:
    """One entry, how it came to be what it is, and how much it was used."""

    entry: Entry
    """the entry"""
    words: str
    """the words of its first line without date and tag, as `edit` takes them"""
    version: str
    """the version of its file"""
    reuse: Reuse | None
    """how much it was used; None when it never was"""
    steps: tuple[EntryStep, ...]
    """its changes, the newest first"""


def asked(query: object) -> str:
    """A question that can be asked; `BadInput` for anything else."""
    if not isinstance(query, str) or not query.strip():
        raise BadInput("query: give a question or some words to search for")
    if len(query) > MOST_ASKED:
        raise BadInput(f"query: at most {MOST_ASKED} characters; ask for one thing at a time")
    return query.encode("utf-8", "replace").decode().replace("\0", " ")
