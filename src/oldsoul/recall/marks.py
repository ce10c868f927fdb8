"""What corrections replaced, and which entries disagree: read from the files, where anybody may write it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.documents import Form, parse
from oldsoul.judging.corrections.corrections import Correction, blocks, in_force, is_anothers, read
from oldsoul.judging.corrections.hidden import asked_about, has_old, without_wrong
from oldsoul.judging.corrections.values import FirstLook
from oldsoul.language.sentences import AGENT, parts, sentences
from oldsoul.ranking.chunks import bare_words, document_chunks, said
from oldsoul.ranking.options import ChunkingOptions, SearchOptions
from oldsoul.ranking.question import Question
from oldsoul.ranking.terms import terms
from oldsoul.recall.newer import is_same_speaker
from oldsoul.rules.correction_labels import labelled, states_right
from oldsoul.rules.policy import is_correction
from oldsoul.values.audience import Reach
from oldsoul.values.names import Kind, Name
from oldsoul.values.recall import MEMORY, SESSIONS, Chunk, Hit

if TYPE_CHECKING:
    from oldsoul.documents import Entry


_OLD = re.compile(r"(?im)^\s*(?:[-*+]\s*)?\*\*(?:Was|Old value|Said)(?::\*\*|\*\*:)\s*(.+?)\s*$")
_ID = re.compile(r"\b[0-9a-z]{10}\b")
_BULLET = re.compile(r"^\s*(?:[-*+]\s+|\d+[.)]\s+)?")
_LABEL = re.compile(r"^(?:\*\*)?[^\W_][\w ]{0,20}(?:\*\*)?[:：](?:\*\*)?\s*")
_SETTLED = re.compile(
    r"(?im)^\s*(?:[-*+]\s+)?(?:\*\*)?(?:Status|Outcome)(?:\*\*)?\s*[:：](?:\*\*)?\s*(?:settled|resolved|solved|closed|done)\b"
)
_FEWEST_OLD = 8
_QUOTES = "\"'“”„‘’ ."
_NOON = timedelta(hours=12)
_OF_TALK = (Kind.DAILY, Kind.SESSION, Kind.ROOM, Kind.ARCHIVE)


def decides(name: Name) -> bool:
    """Whether a document says which memories another one replaced: corrections, and conflicts that are settled."""
    return is_correction(name) or name.kind is Kind.CONFLICTS


def superseded(
    corrections: Iterable[tuple[Name, bytes]], options: SearchOptions, zone: tzinfo
) -> tuple[dict[str, datetime | None], list[tuple[str, datetime | None]]]:
    """What documents of corrections replaced: entries by their ids, and old words; each with when."""
    entries: dict[str, datetime | None] = {}
    words: list[tuple[str, datetime | None]] = []
    for name, data in corrections:
        for one in _logged(name, data, options.chunking, zone):
            fields = one.entry.fields
            if not one.is_told or (name.kind is Kind.CONFLICTS and fields.get("status") != "settled"):
                continue
            # a message never changes, so it stays wrong; an entry may be corrected later
            entries |= {was: None if was.startswith("m:") else one.time for was in one.correction.supersedes}
            # one that was made before a room, and says what was wrong, is left out there sentence by sentence
            is_one_rooms = bool(one.correction.place and one.correction.old)
            if is_correction(name) and not is_one_rooms and fields.get("of") != AGENT:
                words += [(old, one.time) for old in one.wrong]
    return entries, words


def _wrong(entry: Entry) -> list[str]:
    """What a correction says was wrong, word for word; nothing where it does not say what is right."""
    found = _OLD.findall(labelled(entry.body)) if entry.form is not Form.PROSE and states_right(entry) else []
    return [bare for old in found if len(bare := old.strip(_QUOTES)) >= _FEWEST_OLD]


class Looking(NamedTuple):
    """Who asks, and whose word can end a correction."""

    owner: bool
    """whether the operator asks"""
    operators: frozenset[str]
    """who the operators are"""


def righted(chunk: Chunk, known: Sequence[tuple[Correction, datetime | None]], looking: Looking) -> Chunk | None:
    """A piece without what was corrected; None when nothing is left of it.

    What others than the operator say again afterwards is wrong as well, wherever it was written down; what the operator
    says again is new.
    """
    if is_anothers(chunk.audience, looking.operators):  # what a person said alone, the operator does not correct
        return chunk
    may_hold = FirstLook(chunk.text).may_hold
    apart = not looking.owner and chunk.audience.reach is Reach.ROOM
    later = [
        replace(one, new="") if apart and one.place != str(chunk.audience) else one
        for one, when in known
        if may_hold(one.old) and one.id != chunk.entry and _concerns(one, when, chunk, looking)
    ]
    if not (chunk.by_agent or _tells_of_talk(chunk)):
        later = [one for one in later if not one.said]  # a person said this, or had it remembered
    text = _unsaid(without_wrong(later, chunk.text), later) if later else chunk.text
    return chunk if text == chunk.text else replace(chunk, text=text) if text else None


def _unsaid(text: str, later: Iterable[Correction]) -> str:
    """A text without the sentences that corrections quote as wrong."""
    wrong = {bare_words(one.old) for one in later}
    said = list(parts(text))
    kept = [part for part in said if bare_words(part) not in wrong]
    return text if len(kept) == len(said) else "".join(kept).strip()


def _concerns(one: Correction, when: datetime | None, chunk: Chunk, looking: Looking) -> bool:
    """Whether a correction leaves out of a piece what it calls wrong, for whoever asks.

    One that was made alone hides in a room what was said there before, and no more: whoever could try values out
    afterwards, and see which are hidden, would learn what was corrected. What names the right value too is hidden as
    well, or it would tell which one that is.
    """
    if looking.owner or chunk.audience.reach is not Reach.ROOM or one.place == str(chunk.audience):
        return _is_before(chunk, when) or (_is_others(chunk, looking.operators) and not _is_lifted(one, chunk))
    return not one.place and (chunk.entry in one.supersedes or _is_surely_before(chunk, when))


def outdated(
    chunks: Sequence[Chunk], known: Sequence[tuple[Correction, datetime | None]], question: str, looking: Looking
) -> frozenset[int]:
    """The places of those pieces that have a wrong value where the question is about what was corrected.

    They may speak of something else: so they are marked, and hidden no more than `righted` does.
    """
    return frozenset(place for place, chunk in enumerate(chunks) if _has_wrong(chunk, known, question, looking))


def _has_wrong(
    chunk: Chunk, known: Sequence[tuple[Correction, datetime | None]], question: str, looking: Looking
) -> bool:
    if chunk.correction or is_anothers(chunk.audience, looking.operators):
        return False
    may_hold = FirstLook(chunk.text).may_hold
    return any(
        may_hold(one.old)
        and (looking.owner or one.place in ("", str(chunk.audience)))
        and (_is_before(chunk, when) or (_is_others(chunk, looking.operators) and not _is_lifted(one, chunk)))
        and has_old(one, chunk.text)
        and asked_about(one, question)
        for one, when in known
    )


def _is_lifted(one: Correction, chunk: Chunk) -> bool:
    """Whether the operator had said again by then what a correction calls wrong."""
    return bool(one.again) and chunk.time is not None and chunk.time.date().isoformat() >= one.again


def _is_surely_before(chunk: Chunk, when: datetime | None) -> bool:
    """Whether a piece is older than a correction; of files, whether their whole day is."""
    if chunk.time is None or when is None:
        return False
    return (chunk.time if chunk.source == SESSIONS else chunk.time + _NOON) < when


def _tells_of_talk(chunk: Chunk) -> bool:
    """Whether a piece tells what was said in conversations, by whomever: days, sessions, chronicles, rooms."""
    return chunk.source == MEMORY and Name("_", chunk.path).kind in _OF_TALK


def _is_others(chunk: Chunk, operators: frozenset[str]) -> bool:
    """Whether others than the operator may have said it."""
    if chunk.source == SESSIONS:
        return bool(operators) and chunk.person not in operators
    return _tells_of_talk(chunk)


def _is_before(chunk: Chunk, when: datetime | None) -> bool:
    """Whether a piece is older than a correction; of files only the day is known."""
    if chunk.time is None or when is None:
        return True
    if chunk.source == SESSIONS or chunk.correction:
        return chunk.time < when
    begins = chunk.time - _NOON  # a day is told by its noon, where the agent is
    return begins <= when or (not chunk.evergreen and chunk.time.date() <= when.date())


def known_corrections(
    documents: Iterable[tuple[Name, bytes]], options: SearchOptions, zone: tzinfo
) -> list[tuple[Correction, datetime | None]]:
    """The corrections that name a wrong value, or what was wrong word for word, each with when it was made."""
    logs = [(name, data) for name, data in documents if is_correction(name)]
    logs.sort(key=lambda pair: (pair[0].kind is Kind.CORRECTIONS, pair[0].path))  # the archive is older
    return _known(tuple(logs), options.chunking, zone)


@lru_cache(maxsize=16)
def _known(
    logs: tuple[tuple[Name, bytes], ...], chunking: ChunkingOptions, zone: tzinfo
) -> list[tuple[Correction, datetime | None]]:
    every = [one for name, data in logs for one in _logged(name, data, chunking, zone) if one.is_block]
    by_id = {one.entry.id: one for one in every}
    found = []
    for one in in_force([each.correction for each in every]):
        entry, wrong = by_id[one.id].entry, by_id[one.id].wrong
        old = one.old or (wrong[0] if wrong and entry.fields.get("of") != AGENT else "")
        if old:
            found.append((replace(one, old=old), by_id[one.id].time))
    return found


def disagreeing(conflicts: bytes, *, settled: bool = False) -> list[frozenset[str]]:
    """Which entries CONFLICTS.md says disagree, what is open or what was settled: their ids, or what they say."""
    return [
        frozenset(entry.fields["between"].split(",")) if entry.fields.get("between") else _quoted(entry)
        for entry in blocks(parse(conflicts, is_log=True))
        if (entry.fields.get("status", "open") == "open" and not _SETTLED.search(entry.body)) != settled
    ]


def _quoted(entry: Entry) -> frozenset[str]:
    """What the lines of a block that a person wrote may stand for: ids, and texts with a label or without."""
    found: set[str] = set()
    for line in entry.body.split("\n")[1:]:
        text = _BULLET.sub("", line)
        found |= {*_ID.findall(text), bare_words(text), bare_words(_LABEL.sub("", text))}
    return frozenset(found) - {""}


def references(chunk: Chunk) -> frozenset[str]:
    """What CONFLICTS.md may name a piece by; its own are none that disagree."""
    is_memory = chunk.entry and chunk.path != "CONFLICTS.md"
    return frozenset({chunk.entry, bare_words(chunk.text)}) if is_memory else frozenset()


class _Logged(NamedTuple):
    """An entry of a log of corrections or conflicts, as it is read."""

    entry: Entry
    """as in the file"""
    is_told: bool
    """whether it says anything that is found"""
    time: datetime | None
    """when it is of"""
    correction: Correction
    """what it corrects"""
    wrong: list[str]
    """what it says was wrong, word for word"""

    @property
    def is_block(self) -> bool:
        """Whether it is a correction, and not what explains the file."""
        return self.entry.form is not Form.PROSE


@lru_cache(maxsize=16)
def _logged(name: Name, data: bytes, chunking: ChunkingOptions, zone: tzinfo) -> tuple[_Logged, ...]:
    """A log as it is read: once, whoever asks what it says."""
    document = parse(data, is_log=name.is_log)
    times = {chunk.entry: chunk.time for chunk in document_chunks(name, document, chunking, zone)}
    return tuple(
        _Logged(entry, entry.id in times, times.get(entry.id), read(entry), _wrong(entry)) for entry in document.entries
    )


_CONFLICTS = "CONFLICTS.md"
_AS_GOOD = 0.8
"""What has such a part of the best score is as good."""
_BEST = 3
"""Only so many of the best are held beside each other."""
_SENTENCES, _ASKED = 4, 2 / 3
"""So many sentences of each, with such a part of what the question asks about."""


def is_disputed(hits: Sequence[Hit], disagreeing: Iterable[tuple[str, str]]) -> bool:
    """Whether hits disagree about what is asked: one of two is as good as the best. Others disagree about something else."""
    told = [hit for hit in hits if hit.chunk.path != _CONFLICTS]
    good = _AS_GOOD * max((hit.score for hit in told), default=0.0)
    best = {hit.chunk.entry for hit in told if hit.score >= good}
    return any(not best.isdisjoint(pair) for pair in disagreeing)


def disputes(chunks: Sequence[Chunk], question: Question) -> list[tuple[str, str]]:
    """Pairs of the best hits, by their entries, that contradict each other where they say what the question is about."""
    asked = frozenset(question.terms) - {term for name in question.people for term in terms(name)}
    standing = [
        chunk for chunk in chunks[:_BEST] if not (chunk.superseded or chunk.archived or chunk.path == _CONFLICTS)
    ]
    best = [(chunk, about) for chunk in standing if (about := _about(said(chunk.text), asked))]
    return [
        (one.entry, other.entry)
        for (one, ours), (other, theirs) in combinations(best, 2)
        if one.entry != other.entry
        and is_same_speaker(one, other)
        and not _repeats(ours, theirs)
        and _contradict(ours, theirs, question.language)
    ]


def _repeats(ours: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """Whether one says what the other does, and more: `on Friday`, and `on Friday, not on Monday`."""
    return any(
        bare_words(one).startswith(bare_words(other)) or bare_words(other).startswith(bare_words(one))
        for one in ours
        for other in theirs
    )


def _about(text: str, asked: frozenset[str]) -> tuple[str, ...]:
    least = max(_ASKED * len(asked), 1)
    return tuple(each for each in sentences(text) if len(asked.intersection(terms(each))) >= least)[:_SENTENCES]


@lru_cache(maxsize=256)
def _contradict(ours: tuple[str, ...], theirs: tuple[str, ...], code: str) -> bool:
    from oldsoul.judging.contradictions import judged  # noqa: PLC0415 - most searches need none of it

    return any(judged(one, other, code) for one in ours for other in theirs)
