"""What memory lets go of, and when: what moves to the archive, what is merged, what leaves the search, which snapshots go.

Nothing here is lost by it. Text that leaves a working file lies in the archive or in another entry that says it; text that
leaves the search stays in its file.

**Staleness** is for what nobody ever said: an entry that was worked out (confidence at most 0.6), not by the operator, that
was mentioned once, and that already lies in `Archive/Memory/`. All else is found however old it is: MEMORY.md, rooms,
profiles and long-term memory are the facts that were kept on purpose, and a fact of three years ago that nothing newer
speaks of is still the answer; diaries, session files and archived days keep their bytes, and carry no marks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date
from typing import TYPE_CHECKING

from oldsoul.documents import Form
from oldsoul.rules.confidence import INFERRED, effective, last_seen, mentions, origin_of, read_day, stated
from oldsoul.values.changes import TAGS
from oldsoul.values.names import Kind, Name
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from oldsoul.documents import Document, Entry
    from oldsoul.rules.options import ConfidenceOptions, RetentionOptions

_UNDATED = "9999"

STALE, OUT, CORRECTED, SUPERSEDED = "stale", "out", "corrected", "superseded"
"""What `status` says of an entry: it may leave the search, it has left it, it was corrected and will leave it."""
UNSURE, UNMENTIONED_DAYS = 0.3, 60
"""Below which confidence, and after how many days without a mention, an entry of MEMORY.md goes to the archive."""
STALE_DAYS, STALE_GRACE_DAYS = 90, 7
"""After how many days an entry that was mentioned once is stale, and how many more it stays in the index."""
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_ARCHIVED = "Archive/Memory/"
_MARKABLE = frozenset({Kind.MEMORY, Kind.ROOM, Kind.LONGTERM, Kind.PROFILE})
_LISTED = (Form.ITEM, Form.NUMBERED)
_ADDED = re.compile(r"\(added \d{4}-\d{2}-\d{2}\)")
_TAGGED = re.compile(rf"(?<!\S)#(?:{'|'.join(TAGS)})(?![\w-])", re.IGNORECASE)
_DAY = re.compile(r"(?<!\d)(\d{4})-?(\d{2})-?(\d{2})(?!\d)")
_VERIFIED = re.compile(r"(?im)^\s*(?:[-*+]\s*)?(?:\*\*)?re-embedded(?:\*\*)?:(?:\*\*)?\s*(?:true|yes)\s*$")


# MEMORY.md and what is like it


def may_move(entry: Entry) -> bool:
    """Whether an entry may be taken out of its list at all: no correction, no open task, no running text."""
    return entry.form in _LISTED and entry.tag != "correction" and entry.done is not False


def is_faded(entry: Entry, today: date, confidence: ConfidenceOptions) -> bool:
    """Whether an entry goes to the archive because hardly anything speaks for it any more."""
    seen = last_seen(entry)
    return (
        seen is not None
        and may_move(entry)
        and origin_of(entry) is not Origin.OPERATOR
        and (today - seen).days >= UNMENTIONED_DAYS
        and effective(entry, today, confidence) < UNSURE
    )


def said(entry: Entry) -> str:
    """An entry's words alone: without its tag, and without the day it was added."""
    return " ".join(_TAGGED.sub("", _ADDED.sub("", entry.body)).split())


# what is searched


def may_go_stale(name: Name, entry: Entry) -> bool:
    """Whether an entry is of the kind that leaves the search when nothing speaks of it: worked out, and archived."""
    return (
        name.path.startswith(_ARCHIVED)
        and entry.form in _LISTED
        and entry.tag != "correction"
        and origin_of(entry) is not Origin.OPERATOR
        and stated(entry) <= INFERRED
    )


def is_markable(name: Name, entry: Entry) -> bool:
    """Whether an entry can carry a mark: in a list, in a file whose bytes are not those of an archived day."""
    return entry.form in _LISTED and (name.kind in _MARKABLE or name.path.startswith(_ARCHIVED))


def is_stale(name: Name, entry: Entry, today: date) -> bool:
    """Whether an entry was mentioned once, and that is long ago."""
    seen = last_seen(entry)
    return seen is not None and may_go_stale(name, entry) and mentions(entry) == 1 and (today - seen).days > STALE_DAYS


def superseded_by(entry: Entry) -> str:
    """The id of the entry that replaced one, which keeps its words; nothing where none did."""
    return entry.fields.get("superseded", "").partition(",")[0]


def is_out(name: Name, entry: Entry) -> bool:
    """Whether an entry is not searched any more. It follows from the file alone: an index made again is the same."""
    status = entry.fields.get("status")
    if status == SUPERSEDED or (name.kind is Kind.CONFLICTS and status == "settled"):
        return True  # another memory took its place
    if status != OUT or entry.tag == "correction":
        return False
    seen, since = last_seen(entry), read_day(entry.fields.get("since", ""))
    if seen is not None and since is not None and seen > since:
        return False  # it was mentioned again, or reworded
    return entry.fields.get("was") == CORRECTED or (may_go_stale(name, entry) and mentions(entry) == 1)


def marked(
    name: Name, entry: Entry, corrected: date | None, today: date, options: RetentionOptions
) -> dict[str, str | None] | None:
    """The bookkeeping an entry should have from today, where it differs from what it has; None when nothing does.

    `corrected` is the day a correction took the entry's place. First it is marked, then, its days of grace over, it leaves
    the search; what was mentioned again loses its mark.
    """
    if not is_markable(name, entry) or entry.tag == "correction":
        return None
    seen = last_seen(entry)
    why, grace = "", 0
    if corrected is not None and (seen is None or seen < corrected):
        why, grace = CORRECTED, options.corrected_embedding_grace_days
    elif is_stale(name, entry, today):
        why, grace = STALE, STALE_GRACE_DAYS
    has = {key: entry.fields.get(key, "") for key in ("status", "since", "was")}
    if not why:
        return dict.fromkeys(key for key in has if has[key]) if has["status"] in (STALE, OUT, CORRECTED) else None
    known = has["status"] == why or (has["status"] == OUT and has["was"] == why)
    since = read_day(has["since"]) if known else None
    since = since or (corrected if why == CORRECTED and corrected is not None else today)
    out = (today - since).days >= grace
    wanted = {"status": OUT if out else why, "since": since.isoformat(), "was": why if out else ""}
    changed: dict[str, str | None] = {key: value or None for key, value in wanted.items() if value != has[key]}
    return changed or None


# corrections


def dated(entry: Entry) -> date | None:
    """The day of an entry of a log, from its heading."""
    return read_day(entry.section[:10]) if entry.form is Form.DATED else None


def is_settled(entry: Entry, today: date, options: RetentionOptions) -> bool:
    """Whether a correction may go to the archive: it is old enough, and the index has it."""
    day = dated(entry)
    if day is None or (today - day).days <= options.correction_archive_days:
        return False
    return _VERIFIED.search(entry.body) is not None


# snapshots of the soul


def snapshot_day(name: Name) -> date | None:
    """The day a snapshot was taken, as its name says; None where it does not."""
    for found in _DAY.finditer(name.path.rpartition("/")[2]):
        day = read_day("-".join(found.groups()))
        if day is not None:
            return day
    return None


def surplus_snapshots(names: Iterable[Name], today: date, days: int) -> list[Name]:
    """The snapshots that go: of those older than so many days all but the last of each month."""
    old = [(day, name) for name in names if (day := snapshot_day(name)) is not None and (today - day).days > days]
    last: dict[tuple[int, int], tuple[date, Name]] = {}
    for one in sorted(old):
        last[one[0].year, one[0].month] = one
    return [name for day, name in sorted(old) if last[day.year, day.month] != (day, name)]


# the chronicle


def chronicle(day: date) -> str:
    """Where a day is summarised once its log is archived: one file a month."""
    return f"Archive/Chronicles/{day.year:04d}-{MONTHS[day.month - 1]}.md"


def coldest(document: Document, surplus: int, keep: frozenset[str], is_standing: Callable[[str], bool]) -> list[Entry]:
    """The entries to move to the archive so that this many bytes go: least lately seen and least often repeated first.

    Corrections, open tasks, prose and the entries to keep stay; lines without a date, as people type them, go late, and
    standing instructions last. Fewer bytes may go than asked for.
    """
    movable = [entry for entry in document.entries if may_move(entry) and entry.id not in keep]
    movable.sort(
        key=lambda e: (is_standing(e.text), e.fields.get("seen", "") or e.added or _UNDATED, mentions(e), e.line)
    )
    chosen: list[Entry] = []
    for entry in movable:
        if surplus <= 0:
            break
        chosen.append(entry)
        surplus -= sum(map(len, document.lines[entry.line : entry.end]))
    return chosen
