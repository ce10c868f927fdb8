"""Where memory says what the operator calls wrong: the entries that are corrected, and the messages that are hidden."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from oldsoul.documents import Form, parse
from oldsoul.documents.cached import DocumentCache
from oldsoul.judging.corrections.corrections import (
    Correction,
    Replacement,
    ValueChange,
    change,
    explicit,
    shares_topic,
    speaks_of,
)
from oldsoul.judging.corrections.hidden import is_against, may_be_against, of_one_slot, unmatched_subject, without_wrong
from oldsoul.judging.corrections.values import FirstLook, among, content, places
from oldsoul.keepers.questions import Listed, Messages, Question, Read
from oldsoul.language.sentences import sentences
from oldsoul.reading.typed_values import Value, comparable, typed_values
from oldsoul.rules.audience import seen_by
from oldsoul.rules.confidence import last_seen
from oldsoul.values.audience import OWNER, Audience, Reach
from oldsoul.values.frozen import frozen
from oldsoul.values.messages import Message, Wanted
from oldsoul.values.names import Kind, Name

if TYPE_CHECKING:
    from oldsoul.documents import Entry
    from oldsoul.keepers.conversation import OperatorMessage

_LASTING = (Kind.MEMORY, Kind.USER, Kind.ROOM, Kind.LONGTERM, Kind.PROFILE)
"""Documents that are corrected where they stand. Days and sessions tell what was said: they are hidden when read."""
_MOST_MESSAGES = 50
_LONGEST = 4000
"""A message of more characters is no statement of one thing; what is wrong in it is left out when it is read."""
_SPEAKER = re.compile(r"^[^\W\d_][\w.'’-]{0,30}: ")
"""Who said it, before what an entry says."""
_LISTED = re.compile(r"(?m)^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+")
"""How a line of a list begins: its number is no value."""
_NAME = re.compile(r"[^\W\d_a-z]|\d")
"""A capital, a figure, or a letter of a script without small ones."""
_SHORT = 60
"""A correction of up to so many characters speaks of what it answers."""
_SAID = 2000
"""So many characters of what the agent said are looked at, from its beginning and from its end."""


@frozen
class WrongEntry:
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


@frozen
class Mistake:
    """What is corrected, and where it is wrong."""

    right: str
    """the operator's words that say what is right"""
    old: str = ""
    """the wrong value, as memory or the agent has it; empty when none is named"""
    new: str = ""
    """the right value"""
    means: str = ""
    """what is right as a statement in full: an entry, or the agent's sentence, with the right value"""
    wrong: str = ""
    """the agent's sentence that is wrong"""
    places: tuple[tuple[WrongEntry, ValueChange], ...] = ()
    """the entries that say what is wrong, and what becomes of each"""
    others: tuple[tuple[WrongEntry, ValueChange], ...] = ()
    """the entries that may say it, of another subject: what would become of each, if the operator says so"""
    messages: tuple[Message, ...] = ()
    """the messages that say nothing else"""

    def as_correction(self) -> Correction:
        """The same as its block will be read."""
        return Correction("", "", self.right, self.means or self.right, self.old, self.new, "", embedded=False)


# what may be corrected


def entries(exchange: OperatorMessage) -> Generator[Question, Any, list[WrongEntry]]:
    """The entries that can be corrected by what was said in this conversation."""
    names = yield Listed(_LASTING)
    documents = yield Read(tuple(names))
    return [
        place
        for name, data in documents.items()
        for place in _stated(name, data or b"")
        if (place.seen is None or place.seen <= exchange.day)  # else it was said after this
        and _concerns(exchange.message.audience, exchange.seen(place.audience))
    ]


def _places(name: Name, data: bytes) -> tuple[WrongEntry, ...]:
    """What a document lists."""
    listed = (entry for entry in parse(data, is_log=name.is_log).entries if entry.form in (Form.ITEM, Form.NUMBERED))
    return tuple(
        WrongEntry(name, entry, seen_by(name, entry), last_seen(entry), entry.text.partition(" (added ")[0])
        for entry in listed
    )


_stated = DocumentCache(_places)


def _concerns(said_in: Audience, other: Audience) -> bool:
    """Whether a correction made before one audience may touch what another sees; what a person said alone stays theirs."""
    if other.reach is Reach.PERSON:
        return said_in == other
    return said_in == OWNER or other in (said_in, OWNER) or other.reach is Reach.PUBLIC


# what is certain


def by_form(exchange: OperatorMessage, known: Sequence[WrongEntry]) -> list[Mistake]:
    """What a message corrects in explicit forms, of what memory or the agent's last reply really says."""
    found = (_by_form(exchange, replacement, known) for replacement in explicit(exchange.message.text))
    return list({(one.old, one.new): one for one in found if one is not None}.values())


def _by_form(exchange: OperatorMessage, replacement: Replacement, known: Sequence[WrongEntry]) -> Mistake | None:
    told = _told(exchange)
    reply = next(
        ((s, c) for s in told if (c := change(replacement, s)) and speaks_of(replacement, c, s, " ".join(told))), None
    )
    around = f"{exchange.asked} {reply[0]}" if reply else ""
    holding = [(place, made) for place in known if (made := change(replacement, place.words)) is not None]
    fitting = [
        (place, made)
        for place, made in holding
        if speaks_of(replacement, made, place.words, around)
        and (
            shares_topic(replacement.message, made, place.words)
            or (reply is not None and (shares_topic(around, made, place.words) or _is_only(made, holding)))
        )
    ]
    topic = replacement.clause if _names(replacement) or reply is None else reply[1].applied(reply[0])
    sure = [(place, made) for place, made in fitting if of_one_slot(topic, made.new, _said(place), made.old)]
    others = tuple(each for each in fitting if each not in sure)
    chosen = _one_each(sure, f"{replacement.message} {around}", reply)
    if not chosen and others and reply is None:
        return Mistake(replacement.clause, others[0][1].old, others[0][1].new, others=others)
    if not chosen and (reply is None or not _answers(replacement, *reply)):
        return None
    source, made = (chosen[0][0].words, chosen[0][1]) if chosen else reply or ("", None)
    if made is None:
        return None
    wrong = reply[0] if reply else ""
    return Mistake(
        replacement.clause,
        made.old,
        made.new,
        _SPEAKER.sub("", made.applied(source)),
        wrong,
        tuple(chosen),
        others=others,
    )


def _names(replacement: Replacement) -> bool:
    """Whether a message names what it corrects, beside the two values."""
    return bool(content(replacement.clause) - content(replacement.old.text) - content(replacement.new.text))


def _said(place: WrongEntry) -> str:
    """What an entry says, without who said it."""
    return _SPEAKER.sub("", place.words)


def _told(exchange: OperatorMessage) -> list[str]:
    """The sentences of what the agent said, where the message answers it; of a long reply those at either end."""
    said = exchange.said
    if said is None:
        return []
    text = said.text if len(said.text) <= 2 * _SAID else f"{said.text[:_SAID]}\n{said.text[-_SAID:]}"
    return sentences(_LISTED.sub("", text))


def _answers(replacement: Replacement, sentence: str, made: ValueChange) -> bool:
    """Whether a message corrects what the agent alone said: a value or a name, and it is short or of the same topic."""
    if not (typed_values(made.old) or _NAME.search(made.old)):
        return False
    return len(replacement.clause) <= _SHORT or shares_topic(replacement.message, made, sentence)


def _is_only(made: ValueChange, holding: Sequence[tuple[WrongEntry, ValueChange]]) -> bool:
    """Whether one entry alone has a name or phrase that the agent just used."""
    return len(holding) == 1 and not typed_values(made.old)


def _one_each(
    fitting: Sequence[tuple[WrongEntry, ValueChange]], told: str, reply: tuple[str, ValueChange] | None
) -> list[tuple[WrongEntry, ValueChange]]:
    """Of each document the entry that counts the same thing and shares most with what was said; none where several do."""
    words, unit = content(told), _unit(*reply) if reply else ""
    chosen = []
    for name in dict.fromkeys(place.name for place, _ in fitting):
        own = [
            ((_unit(place.words, made) == unit, len(words & content(place.words))), place, made)
            for place, made in fitting
            if place.name == name
        ]
        best = [(place, made) for rank, place, made in own if rank == max(rank for rank, _, _ in own)]
        chosen += best if len(best) == 1 else []
    return chosen


def _unit(text: str, made: ValueChange) -> str:
    """What the value that is changed counts or measures."""
    return next((v.unit for v in typed_values(text) if v.start <= made.start < v.end), "")


def by_value(exchange: OperatorMessage, right: str, old: str, new: str, known: Sequence[WrongEntry]) -> Mistake:
    """What becomes of a correction whose two values are known: the entries that say the wrong one of the same subject."""
    stated = [s for s in _told(exchange) if next(places(s, old), None)]
    told = next((s for s in stated if of_one_slot(right, new, _SPEAKER.sub("", s), old)), "")
    means = f"{told[: (at := next(places(told, old)))[0]]}{new}{told[at[1] :]}" if told else right
    one = Mistake(right, old, new, means).as_correction()
    holding = [place for place in known if FirstLook(place.words).may_hold(old) and may_be_against(one, place.words)]
    every = [
        (place, ValueChange(*span, place.words[slice(*span)], new)) for place in holding for span in _first(place, old)
    ]
    made = _of_its_subject(right, old, new, every)
    means = means if told else made[0][1].applied(made[0][0].words) if made else right
    others = tuple(each for each in every if each not in made)
    return Mistake(right, old, new, means, told, made, others=others)


def _of_its_subject(
    right: str, old: str, new: str, every: Sequence[tuple[WrongEntry, ValueChange]]
) -> tuple[tuple[WrongEntry, ValueChange], ...]:
    """The entries of the subject and slot that the operator speaks of; none where several subjects are possible."""
    fitting = [each for each in every if of_one_slot(right, new, _said(each[0]), old)]
    more = [unmatched_subject(right, new, _said(place), old) for place, _ in fitting]
    if not all(more):
        return tuple(each for each, own in zip(fitting, more, strict=True) if not own)
    return tuple(fitting) if len({*more}) == 1 else ()


def _first(place: WrongEntry, old: str) -> list[tuple[int, int]]:
    return list(places(place.words, old))[:1]


def messages(exchange: OperatorMessage, found: Mistake) -> Generator[Question, Any, tuple[Message, ...]]:
    """The messages before this one that say what is wrong and nothing else."""
    heard = yield Messages(
        Wanted(words=found.old, until=exchange.message.time, newest_first=True, limit=_MOST_MESSAGES)
    )
    one = found.as_correction()
    return tuple(
        message
        for message in heard
        if message.id != exchange.message.id
        and len(message.text) <= _LONGEST
        and exchange.seen(message.audience) in (exchange.message.audience, OWNER)  # what a room said stays the room's
        and of_one_slot(found.right, found.new, message.text, found.old)
        and not without_wrong([one], message.text)
    )


def repeated(name: Name, data: bytes, known: Sequence[Correction]) -> list[tuple[WrongEntry, Correction]]:
    """The entries of a document that rest on a message that was corrected, and say again what was wrong."""
    by_message = {source: one for one in known if one.old and one.new for source in one.supersedes}
    found = ((place, by_message.get(place.entry.fields.get("src", ""))) for place in _stated(name, data))
    return [
        (place, one)
        for place, one in found
        if one is not None
        and (place.seen is None or place.seen.isoformat() <= one.day)  # else it was said again since
        and is_against(one, place.words)
    ]


# what is only likely


def at_odds(exchange: OperatorMessage, statement: str, known: Sequence[WrongEntry]) -> Mistake | None:
    """The one typed value of the same matter that a statement has otherwise: in one entry, or in the agent's last reply."""
    values = typed_values(statement)
    if len(values) != 1:
        return None
    value, about = values[0], content(statement) - content(values[0].said)
    told = [(s, made) for s in _told(exchange) if (made := _rival(s, value, about)) is not None]
    if not about and len(told) == 1:
        about = content(told[0][0]) - content(told[0][1].old)
    held = [(place, made) for place in known if about and (made := _rival(place.words, value, about)) is not None]
    if len(held) == 1:
        place, made = held[0]
        return Mistake(
            statement, made.old, made.new, made.applied(place.words), told[0][0] if told else "", ((place, made),)
        )
    if held or len(told) != 1:
        return None
    sentence, made = told[0]
    return Mistake(statement, made.old, made.new, made.applied(sentence), sentence)


def _rival(text: str, value: Value, about: frozenset[str]) -> ValueChange | None:
    """The one value of the same type that a text has otherwise, where it speaks of all that is named."""
    theirs = [v for v in typed_values(text) if comparable(v, value)]
    if len(theirs) != 1 or theirs[0].key == value.key or about - among(about, content(text)):
        return None
    return ValueChange(theirs[0].start, theirs[0].end, theirs[0].said, value.said)
