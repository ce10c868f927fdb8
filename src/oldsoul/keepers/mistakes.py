"""Where memory says what the operator calls wrong: the entries that are corrected, and the messages that are hidden."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from oldsoul.documents import Form, parse
from oldsoul.documents.model import folded
from oldsoul.documents.reading import Reading
from oldsoul.judging.conflicts.contradiction import judged
from oldsoul.judging.corrections.corrections import Correction, FirstLook, without_wrong
from oldsoul.judging.corrections.putting import Putting, as_own, holds
from oldsoul.keepers.questions import Find, Listed, Messages, Read
from oldsoul.language.alike import Likeness, stems
from oldsoul.rules.audience import seen_by
from oldsoul.rules.confidence import last_seen
from oldsoul.values.audience import OWNER, Audience, Reach
from oldsoul.values.frozen import frozen
from oldsoul.values.messages import Wanted
from oldsoul.values.names import Kind, Name
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from datetime import date

    from oldsoul.documents import Entry
    from oldsoul.keepers.exchange import Exchange
    from oldsoul.keepers.questions import Question
    from oldsoul.values.messages import Message

_LASTING = (Kind.MEMORY, Kind.USER, Kind.ROOM, Kind.LONGTERM, Kind.PROFILE)
_RECENT = (Kind.DAILY, Kind.SESSION)
_DAYS = 7
_MOST_MESSAGES = 50
_LONGEST = 4000
"""A message of more characters is no statement of one thing; what is wrong in it is left out when it is read."""
_AS_NEAR = 0.95
_ALIKE, _ALIKE_WORDS = 0.85, 0.5
_OF_SELF = re.compile(r"(?i)\b(?:i|i'?m|i'?ve|i'?ll|my|me|mine)\b|[我僕俺私]")


@frozen
class Place:
    """An entry that may say what is wrong."""

    name: Name
    """the document it stands in"""
    entry: Entry
    """the entry"""
    audience: Audience
    """who sees it"""
    seen: date | None
    """the day it was last mentioned"""
    words: str
    """what it says"""
    look: FirstLook
    """the same, for a first look"""


@frozen
class Found:
    """What is to be put right, and where it is wrong."""

    putting: Putting
    """what is right, and what was wrong"""
    places: tuple[Place, ...]
    """the entries that say what is wrong"""
    messages: tuple[Message, ...]
    """the messages that do"""
    check: str = ""
    """a question that the right value answers"""
    told: bool = False
    """whether a person said what is wrong, alone or among other things"""
    of_others: bool = False
    """whether somebody who is no operator said it of themselves"""

    @property
    def is_agents(self) -> bool:
        """Whether nobody but the agent said what is wrong, and no memory does."""
        return not self.places and not self.told

    def of_agent(self, putting: Putting) -> Found:
        """The same for what counts against the agent's words alone."""
        return Found(putting, (), tuple(m for m in self.messages if m.role == "assistant"), self.check)

    def spoken_of(self, *, sure: bool) -> Found:
        """The same where others than the agent said it too: what is read in few words then has to be sure, or be asked for."""
        return replace(self, putting=replace(self.putting, spoken=False, sure=sure)) if self.putting.spoken else self

    @property
    def is_held(self) -> bool:
        """Whether memory says what was wrong: an entry, or a person in a conversation, and not the agent alone."""
        return bool(self.places) or any(m.role == "user" and m.origin is Origin.OPERATOR for m in self.messages)


def places(exchange: Exchange) -> Generator[Question, Any, list[Place]]:
    """The entries that can be corrected by what was said in this conversation."""
    names = yield Listed((*_LASTING, *_RECENT))
    wanted = tuple(name for name in names if name.kind in _LASTING or _is_recent(name, exchange.day))
    documents = yield Read(wanted)
    return [
        place
        for name, data in documents.items()
        for place in _stated(name, data or b"")
        if (place.seen is None or place.seen <= exchange.day)  # else it was said after this
        and _concerns(exchange.message.audience, exchange.seen(place.audience))
    ]


def _places(name: Name, data: bytes) -> tuple[Place, ...]:
    """What a document lists."""
    entries = parse(data, is_log=name.is_log).entries
    listed = (entry for entry in entries if entry.form in (Form.ITEM, Form.NUMBERED))
    return tuple(_place(name, entry) for entry in listed)


def _place(name: Name, entry: Entry) -> Place:
    words = entry.text.partition(" (added ")[0]
    return Place(name, entry, seen_by(name, entry), last_seen(entry), words, FirstLook(words))


_stated = Reading(_places)


def _is_recent(name: Name, day: date) -> bool:
    written_on = name.path.removeprefix("memory/")[:10]
    return (day.isoformat() >= written_on) and (
        day.toordinal() - _DAYS <= type(day).fromisoformat(written_on).toordinal()
    )


def _concerns(said_in: Audience, other: Audience) -> bool:
    """Whether a correction made before one audience may touch what another sees; what a person said alone stays theirs."""
    if other.reach is Reach.PERSON:
        return said_in == other
    return said_in == OWNER or other in (said_in, OWNER) or other.reach is Reach.PUBLIC


def wrong(exchange: Exchange, putting: Putting, places: Sequence[Place], check: str) -> Generator[Question, Any, Found]:
    """The entries and messages that say what is wrong."""
    if not putting.old:
        return (yield from _at_odds(putting, places, check))
    as_correction = _as_correction(putting, exchange.asked if exchange.answers(putting) else "")
    near_by = [place for place in places if place.look.may_hold(putting.old)]
    holding = [place for place in near_by if as_correction.is_against(place.words)]
    texts = tuple(dict.fromkeys(text for text in (putting.wrong, putting.means) if text))
    also = [place for place in near_by if place not in holding and holds(place.words, putting.old)]
    if also:
        matches = yield Find(texts, tuple(place.words for place in also), _ALIKE, _ALIKE_WORDS)
        near = {match.number for some in matches for match in some}
        holding += [place for number, place in enumerate(also) if number in near]
    heard = yield Messages(
        Wanted(words=putting.old, until=exchange.message.time, newest_first=True, limit=_MOST_MESSAGES)
    )
    left = [
        (message, without_wrong([as_correction], message.text))
        for message in heard
        if message.id != exchange.message.id
        and len(message.text) <= _LONGEST
        and exchange.seen(message.audience) in (exchange.message.audience, OWNER)  # what a room said stays the room's
    ]
    said = tuple(message for message, rest in left if not rest)  # of others, what else they say is still found
    if not holding and putting.held and not any(message.role == "user" for message in said):
        same = _of_same(also, putting)  # the agent may have said in other words what one memory says
        holding = same if len(same) == 1 else []
    fit = _phrased(holding, putting)
    own = [place for place in fit if exchange.is_own(place.audience)]  # it often says again what MEMORY.md says
    holding = [*_nearest([place for place in fit if place not in own], texts), *_nearest(own, texts)]
    rest_on = {f"m:{message.id}" for message, rest in left if message.role != "assistant" and rest != message.text}
    holding += [p for p in also if p not in holding and p.entry.fields.get("src") in rest_on]
    people = [message for message, rest in left if message.role != "assistant" and rest != message.text]
    told = bool(people)
    of_others = any(message.origin is not Origin.OPERATOR and _OF_SELF.search(message.text) for message in people)
    if putting.spoken and not told:  # a memory that may be of the same matter is as good as one that is
        told = bool(_of_same(also, putting))
    return Found(putting, tuple(holding), said, check, told, of_others)


def _of_same(places: Sequence[Place], putting: Putting) -> list[Place]:
    about = stems(putting.wrong) - stems(putting.old)
    return [place for place in places if stems(place.words) & about]


def _phrased(places: list[Place], putting: Putting) -> list[Place]:
    """The entries that have the word before the wrong value as the agent had it, where any has: `is seven`, not `has seven`."""
    head = putting.wrong[: putting.wrong.casefold().find(putting.old.casefold())].split()[-1:] if putting.wrong else []
    phrase = folded(f"{head[0]} {putting.old}") if head else ""
    exact = [place for place in places if phrase and phrase in folded(place.words)]
    return exact or places


def _nearest(places: Sequence[Place], texts: Sequence[str]) -> list[Place]:
    """Of several entries the one that says most nearly what was wrong, and those that say the same."""
    if len(places) < 2 or not texts:  # noqa: PLR2004 - there is nothing to choose
        return list(places)
    likeness = Likeness([place.words for place in places])
    shares: dict[int, float] = {}
    for text in texts:
        for number, share in likeness.candidates(text, len(places)):
            shares[number] = max(share, shares.get(number, 0.0))
    best = max(shares.values(), default=0.0)
    return [place for number, place in enumerate(places) if shares.get(number, 0.0) >= best * _AS_NEAR]


def repeated(name: Name, data: bytes, known: Sequence[Correction]) -> list[tuple[Place, Correction]]:
    """The entries of a document that rest on a message that was put right, and say again what was wrong."""
    by_message = {source: one for one in known if one.old and one.new for source in one.supersedes}
    found = ((place, by_message.get(place.entry.fields.get("src", ""))) for place in _stated(name, data))
    return [
        (place, one)
        for place, one in found
        if one is not None
        and (place.seen is None or place.seen.isoformat() <= one.day)  # else it was said again since
        and one.is_against(place.words)
    ]


def _at_odds(putting: Putting, places: Sequence[Place], check: str) -> Generator[Question, Any, Found]:
    """The entry that contradicts what is right, where no wrong value is named: the nearest one of those that do."""
    matches = (yield Find((putting.right,), tuple(p.words for p in places), 0.0, 0.05))[0] if places else []
    for match in matches:
        place = places[match.number]
        if judged(as_own(place.words), putting.right) is not None:
            return Found(putting, (place,), (), check)
    return Found(putting, (), (), check)


def _as_correction(putting: Putting, asked: str) -> Correction:
    means = f"{asked} {putting.means}".strip()
    return Correction("", "", putting.right, means, putting.old, putting.new, "", embedded=False)
