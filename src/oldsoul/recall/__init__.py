"""Keeps the index true to the files and the chat log, asks it, and ranks what it gives."""

from __future__ import annotations

import threading
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from itertools import accumulate, combinations
from typing import TYPE_CHECKING

import numpy as np

from oldsoul.embedding import ON_SEARCH, Embedding
from oldsoul.judging.corrections.corrections import Correction
from oldsoul.ranking.answers import Answer, Limits, answer, confidence, signals
from oldsoul.ranking.chunks import message_chunk
from oldsoul.ranking.options import SearchOptions
from oldsoul.ranking.order import Ranked, Wishes, faded, rank
from oldsoul.ranking.question import Question, readable
from oldsoul.ranking.spelling import respelt
from oldsoul.recall.calibration import Calibrating
from oldsoul.recall.marks import (
    Looking,
    decides,
    disagreeing,
    disputes,
    is_disputed,
    known_corrections,
    outdated,
    references,
    righted,
    superseded,
)
from oldsoul.recall.newer import Likeness, newer_first
from oldsoul.recall.prepared import Preparing
from oldsoul.recall.questions import CANDIDATES, Asking, Spelling
from oldsoul.recall.repeats import may_repeat, once
from oldsoul.recall.sources import PAGE, Filing, Sources, State, Talk, talk_path
from oldsoul.rules.options import ConfidenceOptions
from oldsoul.values.messages import ERASED, Wanted
from oldsoul.values.names import Kind, Name
from oldsoul.values.recall import Chunk, Filed, Filters, Hit, Recalled, is_talk

if TYPE_CHECKING:
    from oldsoul.ports import ChosenEmbedder, Clock, Index, Tables
    from oldsoul.ranking.pool import Pool, Statistics

__all__ = ["CANDIDATES", "Recall", "Sources", "State"]

_LOOK_EVERY = timedelta(seconds=2)
_LOOK_WATCHED = timedelta(minutes=5)  # in case the system did not tell of a change
_LIMITS = Limits()
_FOR_CORRECTED = 24
"""Where there are corrections, so many more are ranked: what is wrong gives its place to others."""
_AS_GOOD = 0.8
"""When the best of what is left is worth so much of what was corrected, the answer stands."""


class Recall:
    """One agent's recall."""

    def __init__(
        self,
        index: Index,
        tables: Tables,
        sources: Sources,
        options: SearchOptions,
        clock: Clock,
        *,
        embedder: ChosenEmbedder | None = None,
        dictionary: Container[str] = (),
        words_alone: bool = False,
    ) -> None:
        """Args: dictionary says what is a word; with words_alone meaning is not compared, though the index could."""
        self._embedding = None if embedder is None else Embedding(embedder, index, clock)
        self._index = index
        self._asking = Asking(index, tables, sources.zone, words_alone=words_alone)
        self._calibrating = Calibrating(index, self._asking)
        self._spelling = Spelling(dictionary, tables)
        self.prepared = Preparing(tables, sources.zone).prepared
        """chunks with what the index wants to know of them"""
        self._filing = Filing(sources, options)
        self._talk = Talk(index, sources, options, self.prepared)
        self._sources = sources
        self.options = options
        self._clock = clock
        self._turn = threading.RLock()  # one thread at a time brings it up to date
        self.outdated = False
        """whether its index was made for other settings: it answers, and is to be rebuilt"""
        self.told: tuple[str, ...] = ()
        """what a person should know of its index"""
        self.watched = False
        """whether somebody says so with `touch` when a file changes, so that files need not be looked at for that"""
        self.fading = ConfidenceOptions()
        """how confidence goes with time"""
        self._renewals = 0
        self._renewing = threading.Lock()  # whoever asks for their number while one is noticed learns it
        self._touches = 0
        self._marks = (-1, -1, -1, -1)
        self._pause = _LOOK_EVERY
        self._looked = clock.now() - _LOOK_EVERY
        self._judged = ""
        self._disagreeing: list[frozenset[str]] = []
        self._settled: list[frozenset[str]] = []
        self._right: list[tuple[Correction, datetime | None]] = []

    def close(self) -> None:
        """Let go of the index."""
        if self._embedding is not None:
            self._embedding.close()
        self._index.close()

    # keeping the index true

    def fresh(self) -> None:
        """Bring the index up to date, where something may have changed: by us at once, by hand after two seconds or more.

        Looking for changes by hand takes at most a twentieth of the time, however many files there are.
        """
        self.renewals()
        now = self._clock.now()
        marks = self._latest()
        pause = _LOOK_WATCHED if self.watched else self._pause
        if marks == self._marks and now - self._looked < pause:
            return
        with self._turn:
            lacks = [
                mark > had for mark, had in zip(marks, self._marks, strict=True)
            ]  # another thread may have come first
            if any(lacks[:-1]) or now - self._looked >= pause:
                self.sync(most_vectors=ON_SEARCH)
                self._looked = self._clock.now()
                self._pause = max(_LOOK_EVERY, 20 * (self._looked - now))
            elif lacks[-1]:
                latest = self._latest()[-1]  # what others said meanwhile is read for them
                self._hear(most_vectors=ON_SEARCH)
                self._marks = *self._marks[:-1], latest

    def _latest(self) -> tuple[int, int, int, int]:
        """Which index counts, the latest change of a file, the latest change of ours, and the latest message.

        What is brought up to date is marked with what held before. Another thread that asks meanwhile sees that it is
        not, and waits for its turn.
        """
        workspace = self._sources.workspace
        known = self._renewals, self._touches
        return *known, self._sources.history.latest(workspace), self._sources.chat().last(workspace)

    def renewals(self) -> int:
        """How often another index replaced the one that was asked; it may lack what came meanwhile."""
        with self._renewing:
            if self._index.renewed():
                self._renewals += 1
                self.outdated = False
            return self._renewals

    def touch(self) -> None:
        """A file has changed: look at them all before the next answer."""
        self._touches += 1

    def is_behind(self) -> bool:
        """Whether we changed or logged something since it was brought up to date; files are not looked at."""
        return self._latest() != self._marks

    def _hear(self, *, most_vectors: int) -> None:
        """Take in what was said since."""
        with self._turn:
            if self._talk.take_in_after(self._marks[-1], self._index.documents()):
                self._supersede()
            if self._embedding is not None:
                self._embedding.fill(most_vectors)

    def sync(self, told: Callable[[int, int], None] | None = None, *, most_vectors: int | None = None) -> int:
        """Bring the index up to date with what is there; says how many documents and conversations were read.

        Where an embedder is asked for vectors, it is asked for at most so many.
        """
        with self._turn:
            marks = self._latest()  # what changes from here on may be missed, and is reported again
            done, corrections = self._files(told)
            between = partial(told, done, done) if told else tuple
            done += self._talk.take_in(self._index.documents(), between)
            if done or corrections != self._index.noted("corrections"):
                self._supersede()
                self._index.note("corrections", corrections)
            if not corrections or corrections != self._judged:
                self._judged = corrections if self._read_conflicts() else ""
            if self._embedding is not None:
                self._embedding.fill(most_vectors, between)
            self._marks = marks
            return done

    def heard(self, sessions: Iterable[str]) -> int:
        """Take in what was said in some conversations since; says in how many there was anything."""
        with self._turn:
            done = self._talk.said(dict.fromkeys(sessions), self._index.documents())
            if done:
                self._supersede()
            return done

    def erase(self) -> None:
        """Something was erased from files or conversations: have nothing of it stay in the index."""
        with self._turn:
            self.sync(most_vectors=0)
            redacted: dict[str, list[Chunk]] = {}
            for message in self._talk.found(Wanted(words=ERASED, by_number=True, limit=PAGE)):
                if ERASED in message.text:
                    redacted.setdefault(talk_path(message.session.id), []).append(message_chunk(message))
            self._index.erase([Filed(path, "", tuple(own)) for path, own in redacted.items()], self.prepared)
            self._supersede()
            if self._embedding is not None:
                self._embedding.empty()

    def _files(self, told: Callable[[int, int], None] | None) -> tuple[int, str]:
        """Take in the files that are not in the index as they are: how many, and in which version corrections are.

        A file that somebody else has put meanwhile is left as they put it, and looked at again.
        """
        known, done = self._index.documents(), 0
        while True:
            fresh, corrections = self._filing.documents(known)
            for part in self._filing.batches(fresh, known):
                self._index.put(part, self.prepared)
                done += len(part)
                if told:
                    told(done, max(done, len(fresh)))
            before, known = known, self._index.documents() if fresh else known
            if all(known.get(path, "") in (before.get(path, ""), version) for path, _, version in fresh):
                return done, corrections

    def _read_conflicts(self) -> bool:
        """Take in what files say of memories that are wrong, or disagree; False when one could not be read."""
        read = {name: self._filing.read(name) for name in self._filing.deciding}
        known = [(name, data or b"") for name, data in read.items()]
        logs = [data for name, data in known if name.kind is Kind.CONFLICTS]
        self._disagreeing = [ids for data in logs for ids in disagreeing(data)]
        self._settled = [ids for data in logs for ids in disagreeing(data, settled=True)]
        self._right = known_corrections(known, self.options, self._sources.zone)
        return None not in read.values()

    def _supersede(self) -> None:
        """Hide what corrections replaced: the entries they name, and their old words, where they are older."""
        names = [name for name in self._filing.names(self._sources.workspace) if decides(name)]
        corrections = [(name, self._filing.read(name) or b"") for name in names]
        self._index.supersede(*superseded(corrections, self.options, self._sources.zone))

    def take(self, filed: Filed) -> None:
        """Have one document in the index as it is now."""
        self._index.put([filed], self.prepared)

    def filed(self, name: Name, data: bytes) -> Filed:
        """A document as the index takes it."""
        return self._filing.filed(name, data)

    # asking

    def ask(
        self,
        text: str,
        filters: Filters,
        *,
        limit: int,
        minimum: float | None = None,
        asked: datetime | None = None,
        turns: bool = False,
    ) -> Recalled:
        """What memory has to say to a question, for those the filters let see it; asked now, or then.

        Args: with a minimum what scores less is left out, else what is likely about something else; with turns each message
            comes with the turns right before and after it.
        """
        text = readable(text)
        now, looking = asked or self._clock.now(), Looking(filters.view.owner, self._sources.operators)
        most = 2 * limit
        wishes = self._wishes(most, minimum, now)
        count = max(CANDIDATES, most)
        vector = self._embedding.question(text) if self._embedding else None
        with self._index.steady():
            question = self._asking.taken_apart(text, now, filters.view)
            pool, statistics = self._asking.look(question, filters, count, vector)
            if own := self._asking.in_own_language(question, pool, now, filters.view):
                question = own
                pool, statistics = self._asking.look(question, filters, count, vector)
            read = self._spelling.read(self._index, question, (pool, statistics), filters)
            if read:
                question = self._asking.taken_apart(respelt(text, read), now, filters.view)
                pool, statistics = self._asking.look(question, filters, count, vector)
            if self._embedding and vector and all(each.vector is None for each in statistics.asked):
                self._embedding.lags()
            if not len(pool):
                return Recalled("unknown", (), self.told)
            pool = self._asking.marked(faded(pool, wishes.now, self.fading), question)
            ranked = rank(pool, statistics, question, wishes)
            rows, places = pool.row[ranked.order].tolist(), ranked.order.tolist()
            best = ranked.shown[places[0]] if places else 0.0
            rows, chunks, places = self._righted(rows, places, looking, limit)
            rows, chunks, places = rows[:most], chunks[:most], places[:most]
            if may_repeat(chunks[:limit]):
                chunks += self._index.chunks(rows[len(chunks) :])
                rows, chunks, places = once(rows, chunks, places, self._disagreeing, limit)
            rows, chunks, places = rows[:limit], chunks[:limit], places[:limit]
            near = self._around(pool, places, chunks, looking) if turns else {}
        old = outdated(chunks, self._right, question.text, looking) if self._right else frozenset()
        likeness = _likeness(pool, statistics, ranked, places)
        order, scores, earlier = newer_first(chunks, ranked.shown[places].tolist(), likeness, question)
        order, earlier = sorted(order, key=old.__contains__), earlier | old
        shown = accumulate(
            (scores[n] for n in order), min
        )  # what comes later for another reason is not shown as better
        hits = tuple(
            replace(ranked.hit(chunks[n], places[n], score, earlier=n in earlier), around=near.get(places[n], ()))
            for n, score in zip(order, shown, strict=True)
        )
        disputed, disagreeing = self._in_dispute(hits, question)
        signs = signals(pool, question, ranked.scored)
        usual = self._calibrating.usual(filters, question.language, statistics.rows)
        said = answer(signs, usual, question, disputed=disputed, limits=_LIMITS) if hits else Answer.UNKNOWN
        notes = (
            *self.told,
            *(self._embedding.notes if self._embedding else ()),
            *(f"{word} is nowhere in memory; it was read as {meant}" for word, meant in read.items()),
        )
        if said is Answer.FOUND and not _stands(hits, max(scores), best):
            said = Answer.UNSURE
        sure = confidence(signs, usual, _LIMITS) if hits else 0.0
        return Recalled(str(said), hits, notes, disagreeing, round(sure, 3))

    def _wishes(self, most: int, minimum: float | None, now: datetime) -> Wishes:
        """How the settings want results ranked."""
        query = self.options.query.hybrid
        decay = query.temporal_decay
        by_meaning = 0.0 if not self._asking.compared else query.vector_weight
        return Wishes(
            limit=most + (_FOR_CORRECTED if self._right else 0),
            minimum=minimum,
            mode=query.mode,
            vector_weight=by_meaning,
            text_weight=query.text_weight,
            correction_boost=self.options.correction_relevance_boost,
            half_life_days=decay.half_life_days if decay.enabled else None,
            now=int(now.timestamp()),
        )

    def _righted(
        self, rows: list[int], places: list[int], looking: Looking, limit: int
    ) -> tuple[list[int], list[Chunk], list[int]]:
        """Rows, what the first of them say, and their places; where corrections are, all, and without what is wrong."""
        if not self._right:
            return rows, self._index.chunks(rows[:limit]), places
        every = zip(rows, self._index.chunks(rows), places, strict=True)
        left = [(row, right, at) for row, chunk, at in every if (right := righted(chunk, self._right, looking))]
        return [row for row, _, _ in left], [chunk for _, chunk, _ in left], [at for _, _, at in left]

    def _around(
        self, pool: Pool, places: list[int], chunks: Sequence[Chunk], looking: Looking
    ) -> dict[int, tuple[tuple[int, Chunk], ...]]:
        """For each message, it and the turns right before and after it; a pool has those that may be seen."""
        found = {at: {at: chunk} for at, chunk in zip(places, chunks, strict=True) if is_talk(chunk.path)}
        beside = {at: [n for n in (at - 1, at + 1) if pool.are_neighbours(at, n)] for at in found}
        wanted = list(dict.fromkeys(n for near in beside.values() for n in near))
        read = dict(zip(wanted, self._index.chunks(pool.row[wanted].tolist()), strict=True))
        for at, near in beside.items():
            found[at] |= {n: right for n in near if (right := righted(read[n], self._right, looking))}
        return {
            at: tuple((int(pool.ordinal[n]), chunk) for n, chunk in sorted(own.items())) for at, own in found.items()
        }

    def _in_dispute(self, hits: Sequence[Hit], question: Question) -> tuple[bool, tuple[tuple[str, str], ...]]:
        """Whether what answers best contradicts another hit, and the pairs of entries that do."""
        known = self._named(hits, self._disagreeing)
        if is_disputed(hits, known) or not (found := disputes([hit.chunk for hit in hits], question)):
            return is_disputed(hits, known), known
        settled = self._named(hits, self._settled)
        others = tuple(pair for pair in found if tuple(sorted(pair)) not in settled)
        return bool(others), (*known, *others)

    @staticmethod
    def _named(hits: Sequence[Hit], conflicts: Iterable[frozenset[str]]) -> tuple[tuple[str, str], ...]:
        """Pairs of entries among the hits that conflicts of CONFLICTS.md name."""
        known = {name: hit.chunk.entry for hit in reversed(hits) for name in references(hit.chunk)}
        named = (sorted({known[name] for name in names & known.keys()}) for names in conflicts)
        return tuple(dict.fromkeys(pair for entries in named for pair in combinations(entries, 2)))

    # looking after the index

    def status(self) -> State:
        """How the index stands; nothing is brought up to date."""
        known = self._index.documents()
        fresh, _ = self._filing.documents(known)
        # A file that holds nothing but our own words waits for nothing.
        waiting = self._talk.waiting(known) + sum(
            path in known or any(True for _ in self._filing.taken(path, name, version).chunks)
            for path, name, version in fresh
        )
        sizes = {path: len(self._index.rows_of(path)) for path in known}
        full = [path for path, size in sizes.items() if size]
        talks = sum(map(is_talk, full))
        return State(len(full) - talks, talks, sum(sizes.values()), self._asking.compared, waiting)


def _likeness(pool: Pool, statistics: Statistics, ranked: Ranked, places: list[int]) -> Likeness:
    """What tells which of some candidates are about the same thing: by whoever reads whole texts, or by the table of words."""
    scored, spaces = ranked.scored, zip(pool.spaces, statistics.asked, strict=True)
    read = next((space.vectors for space, asked in spaces if asked.static is None and asked.vector is not None), None)
    if read is not None:
        return Likeness(scored.met[places], scored.read[0][places], read[places])
    vectors = pool.spaces[0].vectors[places] if pool.spaces else np.zeros((len(places), 1), np.float32)
    return Likeness(scored.met[places], scored.nearness[places], vectors)


def _stands(hits: Sequence[Hit], left: float, best: float) -> bool:
    """Whether an answer stands though what was found may have been wrong: what puts it right is there, or as much as it was."""
    return any("correction" in hit.why for hit in hits) or left >= _AS_GOOD * best
