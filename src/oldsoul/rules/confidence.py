"""How sure a memory is: where it begins, what a repeat adds, what time takes away. Computed when it is read (S4 section 8)."""

from __future__ import annotations

import math
from datetime import date
from typing import TYPE_CHECKING

from oldsoul.rules.policy import confidence_cap
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from oldsoul.documents import Entry
    from oldsoul.rules.options import ConfidenceOptions

CORRECTED = 1.0
"""What the operator corrected. Nothing else is as sure, and time takes nothing from it."""
MOST_REPEATED = 0.99
"""What was not corrected comes no nearer to it, however often it is said."""
STATED = 0.95
"""What the operator said outright."""
STATED_BY_OTHERS = 0.8
"""What somebody else said outright."""
INFERRED = 0.6
"""What was worked out, and not said."""


def base(origin: Origin, *, explicit: bool = True, correction: bool = False) -> float:
    """How sure a new memory is."""
    if correction and origin is Origin.OPERATOR:
        return CORRECTED
    if not explicit or origin in (Origin.AGENT, Origin.SYSTEM, Origin.UNTRUSTED):
        return INFERRED
    return STATED if origin is Origin.OPERATOR else STATED_BY_OTHERS


def decayed(confidence: float, seen: date | None, today: date, options: ConfidenceOptions) -> float:
    """What is left of a confidence after the time without a mention; what began below the floor stays there."""
    if seen is None or today <= seen:
        return confidence
    lost = (today - seen).days // options.decay_interval_days * options.decay_amount
    return round(max(confidence - lost, min(confidence, options.floor)), 4)


def effective(entry: Entry, today: date, options: ConfidenceOptions) -> float:
    """How sure an entry is today. What was corrected is as sure as on the first day."""
    if is_corrected(entry):
        return CORRECTED
    return decayed(stated(entry), last_seen(entry), today, options)


def repeated(entry: Entry, origin: Origin, today: date, options: ConfidenceOptions) -> float:
    """How sure an entry is once it was said again; somebody weaker than who stated it makes it no surer."""
    own = origin_of(entry)
    if origin.rank > own.rank or is_corrected(entry):
        return stated(entry)
    most = min(confidence_cap(own), MOST_REPEATED)
    return round(min(effective(entry, today, options) + options.boost_per_mention, most), 4)


def said_again(entry: Entry, origin: Origin, today: date, options: ConfidenceOptions) -> dict[str, str]:
    """What the bookkeeping of an entry says once it was said again; nothing new when somebody weaker repeats it."""
    if origin.rank > origin_of(entry).rank:
        return {}
    sure = f"{repeated(entry, origin, today, options):g}"
    return {"seen": today.isoformat(), "n": str(mentions(entry) + 1), "conf": sure}


def mention_key(ref: str, entry: str) -> str:
    """The key of the change that notes a mention: one message says an entry again once, whoever finds it there."""
    return f"said:{ref}:{entry}"


def is_corrected(entry: Entry) -> bool:
    """Whether an entry is a correction, or says what one put in place of something wrong."""
    return entry.tag == "correction" or stated(entry) >= CORRECTED


def stated(entry: Entry) -> float:
    """The confidence an entry had when it was last seen: what its bookkeeping says, else what its origin gives."""
    try:
        written = float(entry.fields.get("conf", ""))
    except ValueError:
        return base(origin_of(entry), correction=entry.tag == "correction")
    return 0.0 if math.isnan(written) else min(max(written, 0.0), confidence_cap(origin_of(entry)))


def origin_of(entry: Entry) -> Origin:
    """Who stated an entry: what its bookkeeping says, else the operator, as for every line typed by hand."""
    written = entry.fields.get("origin", "")
    if not written:
        return Origin.OPERATOR
    return Origin(written) if written in tuple(Origin) else Origin.UNTRUSTED


def is_operators(entry: Entry) -> bool:
    """Whether an entry is the operator's own words; code and markup cannot say whose they are."""
    return entry.kind not in ("CodeBlock", "HtmlBlock") and origin_of(entry) is Origin.OPERATOR


def last_seen(entry: Entry) -> date | None:
    """The day an entry was last mentioned; None when nothing says so."""
    return read_day(entry.fields.get("seen", "")) or read_day(entry.added)


def read_day(text: str) -> date | None:
    """The day that a text begins with; None when it does not."""
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def mentions(entry: Entry) -> int:
    """How many messages said an entry."""
    text = entry.fields.get("n", "1")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 1  # noqa: PLR2004 - a sane count
