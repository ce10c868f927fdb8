"""Keeps the index true to the files and the chat log, asks it, and ranks what it gives."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeVar

from oldsoul.documents import is_text, parse
from oldsoul.embedding import ON_SEARCH, Embedding
from oldsoul.errors import Refused, Unwritable
from oldsoul.language.languages import ENGLISH, language_told, spoken_most
from oldsoul.language.words import words
from oldsoul.ranking.abroad import abroad
from oldsoul.ranking.answers import (
    Answer,
    Calibration,
    Limits,
    Signals,
    Usual,
    answer,
    calibrated,
    confidence,
    signals,
    unanswerable,
)
from oldsoul.ranking.chunks import INDEXED, document_chunks, extra_chunks, message_chunk
from oldsoul.ranking.fading import faded
from oldsoul.ranking.fitting import has
from oldsoul.ranking.marks import Mark, length
from oldsoul.ranking.ordering import Wishes, rank
from oldsoul.ranking.question import asked as taken_apart
from oldsoul.ranking.question import is_question
from oldsoul.ranking.spelling import respelt
from oldsoul.recall.disputing import disputes
from oldsoul.recall.marking import (
    Looking,
    decides,
    disagreeing,
    known_corrections,
    outdated,
    references,
    righted,
    superseded,
)
from oldsoul.recall.newer import newer_first
from oldsoul.recall.preparing import Preparing
from oldsoul.recall.repeating import may_repeat, once
from oldsoul.recall.sources import Sources, State
from oldsoul.recall.spelling import Spelling
from oldsoul.rules.options import ConfidenceOptions
from oldsoul.values.audience import View
from oldsoul.values.history import version_of
from oldsoul.values.ids import segment
from oldsoul.values.messages import ERASED, Wanted
from oldsoul.values.names import SHARED, Kind
from oldsoul.values.recall import MEMORY, SESSIONS, Filed, Filters, Hit, Pieces, Recalled

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from oldsoul.judging.corrections.corrections import Correction
    from oldsoul.ports import ChosenEmbedder, Clock, Index, Tables
    from oldsoul.ranking.options import SearchOptions
    from oldsoul.ranking.pool import Pool, Statistics
    from oldsoul.ranking.question import Question
    from oldsoul.values.messages import Message
    from oldsoul.values.names import Name
    from oldsoul.values.recall import Chunk, Prepared

__all__ = ["CANDIDATES", "Recall", "Sources", "State"]

V = TypeVar("V")
CANDIDATES = 48
"""How many rows are fetched by words, and how many by meaning, to be ranked."""
_LOOK_EVERY = timedelta(seconds=2)
_LOOK_WATCHED = timedelta(minutes=5)  # in case the system did not tell of a change
_LIMITS = Limits()
_CALIBRATION = "calibration 3"
_OPERATOR = View(owner=True, every_room=True, rooms=frozenset(), people=frozenset())
_PUT_RIGHT = 24
"""Where there are corrections, so many more are ranked: what is wrong gives its place to others."""
_READ = 12
"""So many pieces say which language a question is in that has no word to tell it by."""
_AS_GOOD = 0.8
"""When the best of what is left is worth so much of what was put right, the answer stands."""
_GROWN, _OUTSIDERS = 1.5, 256
"""When somebody sees so many times as many rows, it is found out anew what is usual for them; of so many it is kept."""
_BATCH = 256
_MOST_AT_ONCE = 1024 * 1024
_PAGE = 1000


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
    ) -> None:
        """Args: index, tables, sources, options and clock are what it works with; dictionary says what is a word."""
        self._embedding = None if embedder is None else Embedding(embedder, index, clock)
        self._index = index
        self._tables = tables
        self._spelling = Spelling(dictionary, tables)
        self._preparing = Preparing(tables, sources.zone)
        self._sources = sources
        self.options = options
        self._clock = clock
        self._turn = threading.RLock()  # one thread at a time brings it up to date
        self.outdated = False
        """whether its index was made for other settings: it answers, and is to be made anew"""
        self.words_alone = False
        """whether meaning is not compared, though its index could"""
        self.told: tuple[str, ...] = ()
        """what a person should know of its index"""
        self.watched = False
        """whether somebody says so with `touch` when a file changes, so that files need not be looked at for that"""
        self.fading = ConfidenceOptions()
        """how confidence goes with time"""
        self._renewals = 0
        self._renewing = threading.Lock()  # whoever asks for their number while one is noticed is told of it
        self._touches = 0
        self._marks = (-1, -1, -1, -1)
        self._pause = _LOOK_EVERY
        self._looked = clock.now() - _LOOK_EVERY
        self._judged = ""
        self._deciding: list[Name] = []  # what says so of memories, as of the last look at the files
        self._disagreeing: list[frozenset[str]] = []
        self._settled: list[frozenset[str]] = []
        self._right: list[tuple[Correction, datetime | None]] = []
        self._outsiders: dict[tuple[View, str], tuple[int, Calibration]] = {}

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
                self._talk(most_vectors=ON_SEARCH)
                self._marks = *self._marks[:-1], marks[-1]

    def _latest(self) -> tuple[int, int, int, int]:
        """Which index counts, the latest change of a file, the latest change of ours, and the latest message.

        What is brought up to date is marked with what held before. Another thread that asks meanwhile sees that it is
        not, and waits for its turn.
        """
        workspace = self._sources.workspace
        known = self._renewals, self._touches
        return *known, self._sources.history.latest(workspace), self._sources.chat().last(workspace)

    def renewals(self) -> int:
        """How often another index took the place of the one that was asked; it may lack what came meanwhile."""
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

    def _talk(self, *, most_vectors: int) -> None:
        """Take in what was said since."""
        with self._turn:
            if self._conversations(self._index.documents()):
                self._supersede()
            if self._embedding is not None:
                self._embedding.fill(most_vectors)

    def sync(self, told: Callable[[int, int], None] | None = None, *, most_vectors: int | None = None) -> int:
        """Bring the index up to date with what is there; says how many documents and conversations were taken in.

        Where an embedder is asked for vectors, it is asked for at most so many.
        """
        with self._turn:
            marks = self._latest()  # what changes from here on may be missed, and is told of again
            done, corrections = self._files(told)
            done += self._conversations(self._index.documents())
            if done or corrections != self._index.noted("corrections"):
                self._supersede()
                self._index.note("corrections", corrections)
            if not corrections or corrections != self._judged:
                self._judged = corrections if self._read_conflicts() else ""
            if self._embedding is not None:
                self._embedding.fill(most_vectors)
            self._marks = marks
            return done

    def heard(self, sessions: Iterable[str]) -> int:
        """Take in what was said in some conversations since; says in how many there was anything."""
        with self._turn:
            done = self._said(dict.fromkeys(sessions), self._index.documents())
            if done:
                self._supersede()
            return done

    def erase(self) -> None:
        """Something was erased from files or conversations: have nothing of it stay in the index."""
        with self._turn:
            self.sync(most_vectors=0)
            redacted: dict[str, list[Chunk]] = {}
            for message in self._found(Wanted(words=ERASED, by_number=True, limit=_PAGE)):
                if ERASED in message.text:
                    redacted.setdefault(_talk_path(message.session.id), []).append(message_chunk(message))
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
            fresh, corrections = self._documents(known)
            for part in self._batches(fresh, known):
                self._index.put(part, self.prepared)
                done += len(part)
                if told:
                    told(done, max(done, len(fresh)))
            before, known = known, self._index.documents() if fresh else known
            if all(known.get(path, "") in (before.get(path, ""), version) for path, _, version in fresh):
                return done, corrections

    def _batches(
        self, fresh: Iterable[tuple[str, Name | None, str]], known: Mapping[str, str]
    ) -> Iterator[list[Filed]]:
        """Files as the index takes them, as many at a time as say no more together than memory has room for."""
        part: list[Filed] = []
        size = 0
        for each in fresh:
            part.append(replace(self._filed(*each), after=known.get(each[0], "")))
            size += part[-1].size
            if len(part) >= _BATCH or size >= _MOST_AT_ONCE:
                yield part
                part, size = [], 0
        if part:
            yield part

    def _names(self, workspace: str) -> list[Name]:
        """The documents of a workspace that are not too large to be looked into; doctor names the others."""
        found = []
        for name in self._sources.store.names(workspace):
            with suppress(OSError, Refused):
                if self._sources.store.size(name) <= self.options.max_file_size:
                    found.append(name)
        return found

    def _read(self, name: Name) -> bytes | None:
        """A document as it stands; None where it cannot be read."""
        try:
            return self._sources.read(name)
        except (OSError, Refused):
            return None

    def _documents(self, known: dict[str, str]) -> tuple[list[tuple[str, Name | None, str]], str]:
        """What is not in the index as it is, and in which version corrections are. Files elsewhere have no name."""
        there: dict[str, tuple[Name, str]] = {}
        names = {each: self._names(each) for each in (self._sources.workspace, SHARED)}
        self._deciding = [name for name in names[self._sources.workspace] if decides(name)]
        if MEMORY in self.options.sources:
            for workspace, own in names.items():
                for name in own:
                    if name.kind in INDEXED and not name.path.startswith("SOUL_HISTORY/"):
                        path = name.path if workspace != SHARED else f"{SHARED}/{name.path}"
                        with suppress(OSError, Refused):  # what cannot be read is not searched; doctor names it
                            there[path] = name, self._sources.store.version(name)
            if "memory.md" in there and there["memory.md"][1] == there.get("MEMORY.md", (None, ""))[1]:
                del there["memory.md"]  # the same file by another name
        fresh: list[tuple[str, Name | None, str]] = [
            (path, name, version) for path, (name, version) in there.items() if known.get(path) != version
        ]
        extras = self._sources.extras.scan()[0] if self._sources.extras else {}
        fresh += [(path, None, version) for path, version in extras.items() if known.get(path) != version]
        kept = {*there, *extras}
        fresh += [(path, None, "") for path in known if path not in kept and not _is_talk(path)]
        deciding = (f"{path}={version}" for path, (name, version) in there.items() if decides(name))
        return fresh, " ".join(sorted(deciding))

    def take(self, filed: Filed) -> None:
        """Have one document in the index as it is now."""
        self._index.put([filed], self.prepared)

    def filed(self, name: Name, data: bytes) -> Filed:
        """A document as the index takes it."""
        path = name.path if name.workspace != SHARED else f"{SHARED}/{name.path}"
        return self._cut(path, name, version_of(data), data)

    def _filed(self, path: str, name: Name | None, version: str) -> Filed:
        if name is None:
            return self._extra(path, version)
        data = self._read(name)
        return Filed(path, "", ()) if data is None else self._cut(path, name, version, data)

    def _extra(self, path: str, version: str) -> Filed:
        """A file that lies elsewhere; of one that is gone there is nothing."""
        data = self._sources.extras.read(path) if version and self._sources.extras else None
        if data is None:
            return Filed(path, "", ())
        options, zone, workspace = self.options.chunking, self._sources.zone, self._sources.workspace
        pieces = Pieces(lambda: extra_chunks(path, workspace, parse(data), options, zone))
        return Filed(path, version, pieces, size=len(data))

    def _cut(self, path: str, name: Name, version: str, data: bytes) -> Filed:
        if not is_text(data):
            return Filed(path, version, ())
        return Filed(path, version, Pieces(lambda: self._pieces(path, name, data)), size=len(data))

    def _pieces(self, path: str, name: Name, data: bytes) -> Iterator[Chunk]:
        """The pieces of a document but those that it began with."""
        seed, options, zone = self._sources.seed(name), self.options.chunking, self._sources.zone
        begun = document_chunks(name, parse(seed, is_log=name.is_log), options, zone) if seed else ()
        ours = {chunk.text for chunk in begun}
        for chunk in document_chunks(name, parse(data, is_log=name.is_log), options, zone):
            if chunk.text not in ours:
                yield chunk if path == name.path else replace(chunk, path=path)

    def _conversations(self, known: dict[str, str]) -> int:
        """Take in what was said since."""
        if SESSIONS not in self.options.sources or not self.options.experimental.session_memory:
            gone = [Filed(path, "", ()) for path in known if _is_talk(path)]
            if gone:
                self._index.put(gone, self.prepared)
            return len(gone)
        threads = self._sources.chat().threads(self._sources.workspace)
        return self._said({thread.session.id: thread.last_id for thread in threads}, known)

    def _said(self, waiting: Mapping[str, int | None], known: dict[str, str]) -> int:
        """Take in what was said in some conversations since, each with its latest message, if that is known.

        Gives in how many there was anything. Nothing is added to a conversation to which somebody else has added
        meanwhile, and that may have been less: what is not there afterwards is added to what is.
        """
        done: set[str] = set()
        while added := {
            one: last for one, latest in waiting.items() if (last := self._conversation(one, known, latest))
        }:
            done |= added.keys()
            known = self._index.documents()
            waiting = {one: last for one, last in added.items() if int(known.get(_talk_path(one)) or 0) < last}
        return len(done)

    def _conversation(self, session: str, known: dict[str, str], latest: int | None) -> int:
        """Add what was said in one conversation since, if nobody else does; gives its last message, 0 for none."""
        path = _talk_path(session)
        before = known.get(path, "")
        if latest is not None and latest <= int(before or 0):
            return 0
        new = list(self._messages(session, int(before or 0)))
        for start in range(0, len(new), _BATCH):
            part = new[start : start + _BATCH]
            chunks = tuple(message_chunk(message) for message in part)
            self._index.put([Filed(path, str(part[-1].id), chunks, before)], self.prepared, append=True)
            before = str(part[-1].id)
        return new[-1].id if new else 0

    def _messages(self, session: str, after: int) -> Iterator[Message]:
        return self._found(Wanted(session=session, after=after, by_number=True, limit=_PAGE))

    def _found(self, wanted: Wanted) -> Iterator[Message]:
        while page := self._sources.chat().find(self._sources.workspace, wanted):
            yield from page
            wanted = replace(wanted, past=(page[-1].time, page[-1].id))

    def _read_conflicts(self) -> bool:
        """Take in what files say of memories that are wrong, or disagree; False when one could not be read."""
        read = {name: self._read(name) for name in self._deciding}
        known = [(name, data or b"") for name, data in read.items()]
        logs = [data for name, data in known if name.kind is Kind.CONFLICTS]
        self._disagreeing = [ids for data in logs for ids in disagreeing(data)]
        self._settled = [ids for data in logs for ids in disagreeing(data, settled=True)]
        self._right = known_corrections(known, self.options, self._sources.zone)
        return None not in read.values()

    def _supersede(self) -> None:
        """Hide what corrections took the place of: the entries they name, and their old words, where they are older."""
        names = [name for name in self._names(self._sources.workspace) if decides(name)]
        corrections = [(name, self._read(name) or b"") for name in names]
        self._index.supersede(*superseded(corrections, self.options, self._sources.zone))

    def prepared(self, chunks: Iterable[Chunk]) -> Iterator[Prepared]:
        """Chunks with what the index wants to know of them."""
        return self._preparing.prepared(chunks)

    # asking

    def ask(
        self, text: str, filters: Filters, *, limit: int, minimum: float = 0.0, asked: datetime | None = None
    ) -> Recalled:
        """What memory has to say to a question, for those the filters let see it; asked now, or then."""
        now = asked or self._clock.now()
        query = self.options.query.hybrid
        decay = query.temporal_decay
        by_meaning = 0.0 if not self._compared else 1.0 if not query.enabled else query.vector_weight
        most = limit if query.mmr.enabled else 2 * limit
        wishes = Wishes(
            limit=most + (_PUT_RIGHT if self._right else 0),
            minimum=minimum,
            mode=query.mode if query.enabled else "weighted",
            vector_weight=by_meaning,
            text_weight=query.text_weight if query.enabled else 1.0 - by_meaning,
            correction_boost=self.options.correction_relevance_boost,
            half_life_days=decay.half_life_days if decay.enabled else None,
            now=int(now.timestamp()),
            variety=query.mmr.lambda_ if query.mmr.enabled else None,
        )
        count = max(CANDIDATES, limit * query.candidate_multiplier)
        vector = self._embedding.question(text) if self._embedding else None
        with self._index.steady():
            question = self._taken_apart(text, now, filters.view)
            pool, statistics = self._look(question, filters, count, vector)
            if own := self._in_own_language(question, pool, now, filters.view):
                question = own
                pool, statistics = self._look(question, filters, count, vector)
            read = self._spelling.read(self._index, question, (pool, statistics), filters)
            if read:
                question = self._taken_apart(respelt(text, read), now, filters.view)
                pool, statistics = self._look(question, filters, count, vector)
            if self._embedding and vector and all(each.vector is None for each in statistics.asked):
                self._embedding.lags()
            if not len(pool):
                return Recalled("unknown", (), self.told)
            pool = self._asking(faded(pool, wishes.now, self.fading), question)
            ranked = rank(pool, statistics, question, wishes)
            rows, places = pool.row[ranked.order].tolist(), ranked.order.tolist()
            best = ranked.shown[places[0]] if places else 0.0
            rows, chunks, places = self._righted(rows, places, filters, limit)
            rows, chunks, places = rows[:most], chunks[:most], places[:most]
            if may_repeat(chunks[:limit]):
                chunks += self._index.chunks(rows[len(chunks) :])
                rows, chunks, places = once(rows, chunks, places, self._disagreeing, limit)
        rows, chunks, places = rows[:limit], chunks[:limit], places[:limit]
        looking = Looking(filters.view.owner, self._sources.operators)
        old = outdated(chunks, self._right, question.text, looking) if self._right else frozenset()
        order, earlier = newer_first(chunks, pool.spaces[0].vectors[places] if pool.spaces else None, question)
        order, earlier = sorted(order, key=old.__contains__), earlier | old
        rows = _in(order, rows)
        hits = tuple(
            Hit(chunks[n], round(float(ranked.shown[places[n]]), 4), ranked.why(places[n]), earlier=n in earlier)
            for n in order
        )
        at = {hit.chunk.entry: row for row, hit in zip(rows, hits, strict=True) if hit.chunk.entry}
        disagreeing = self._named(hits, self._disagreeing)
        if not disagreeing and (found := disputes([hit.chunk for hit in hits], question)):
            settled = self._named(hits, self._settled)
            disagreeing = tuple(pair for pair in found if tuple(sorted(pair)) not in settled)
        told, usual = signals(pool, question, ranked.scored), self._usual(filters, question.language, statistics.rows)
        said = answer(
            told,
            usual,
            question,
            hits=rows,
            conflicts=[(at[one], at[other]) for one, other in disagreeing],
            limits=_LIMITS,
        )
        notes = (
            *self.told,
            *(self._embedding.notes if self._embedding else ()),
            *(f"{word} is nowhere in memory; it was read as {meant}" for word, meant in read.items()),
        )
        if said is Answer.FOUND and max(hit.score for hit in hits) < _AS_GOOD * best:  # what was found was wrong
            said = Answer.UNSURE
        sure = confidence(told, usual, _LIMITS) if hits else 0.0
        return Recalled(str(said), hits, notes, disagreeing, round(sure, 3))

    def _asking(self, pool: Pool, question: Question) -> Pool:
        """The candidates, with what repeats a question word for word marked as asking: it may lack the mark of one."""
        same = ((pool.length == length(question.text)) & ~has(pool, Mark.ONLY_ASKS)).nonzero()[0]
        if not len(same) or not is_question(question.text, question.language):
            return pool
        said = words(question.text)
        repeats = [words(chunk.text) == said for chunk in self._index.chunks(pool.row[same].tolist())]
        flags = pool.flags.copy()
        flags[same[repeats]] |= int(Mark.ONLY_ASKS)
        return replace(pool, flags=flags)

    def _righted(
        self, rows: list[int], places: list[int], filters: Filters, limit: int
    ) -> tuple[list[int], list[Chunk], list[int]]:
        """Rows, what the first of them say, and their places; where corrections are, all, and without what is wrong."""
        if not self._right:
            return rows, self._index.chunks(rows[:limit]), places
        looking = Looking(filters.view.owner, self._sources.operators)
        every = zip(rows, self._index.chunks(rows), places, strict=True)
        left = [(row, right, at) for row, chunk, at in every if (right := righted(chunk, self._right, looking))]
        return [row for row, _, _ in left], [chunk for _, chunk, _ in left], [at for _, _, at in left]

    @property
    def _compared(self) -> int:
        """How many tables meaning is compared by."""
        return 0 if self.words_alone else self._tables.count

    def _calibrated(self, language: str) -> str:
        """Under which key the index notes what is usual for questions in a language."""
        return f"{_CALIBRATION} {language}{', words alone' if self.words_alone else ''}"

    def _look(
        self, question: Question, filters: Filters, count: int, vector: tuple[str, Any] | None = None
    ) -> tuple[Pool, Statistics]:
        pool, statistics = self._index.look(question, filters, self._tables.tokens, count, vector)
        if self.words_alone:
            return replace(pool, spaces=()), replace(statistics, asked=())
        return pool, statistics

    def _in_own_language(self, question: Question, pool: Pool, now: datetime, view: View) -> Question | None:
        """A question that has none of a language's little words in that of what was found, if this is not English."""
        if not len(pool) or language_told(question.text):
            return None
        some = pool.row[:: max(len(pool) // _READ, 1)][:_READ].tolist()
        spoken = spoken_most(chunk.text for chunk in self._index.chunks(some))
        return None if spoken == ENGLISH else self._taken_apart(question.text, now, view, spoken)

    def _taken_apart(self, text: str, now: datetime, view: View, spoken_in: str = "") -> Question:
        """A question taken apart; it names nobody of whom whoever asks may see nothing."""
        on, speakers = now.astimezone(self._sources.zone).date(), tuple(sorted(self._index.speakers))
        while True:
            question = taken_apart(text, speakers, on=on, spoken_in=spoken_in)
            unheard = set(question.people) - self._index.heard(question.people, view)
            if not unheard:
                return self._said_abroad(replace(question, zone=self._sources.zone), view)
            speakers = tuple(name for name in speakers if name not in unheard)

    def _said_abroad(self, question: Question, view: View) -> Question:
        """A question with what its words are in other languages, where there are memories in other scripts."""
        return replace(question, abroad=abroad(question)) if self._index.holds_other(question, view) else question

    def _usual(self, filters: Filters, language: str, rows: int) -> Calibration:
        """What the signals are like when somebody asks in a language what they cannot know, of whom so many rows are seen.

        For the operator it is noted in the index; for others it is found out among what they see, and again as that grows.
        """
        if filters.view.owner:
            return self._calibration(language) or self._calibrate(filters, language)
        then, known = self._outsiders.get((filters.view, language), (0, Calibration()))
        if not then <= rows < then * _GROWN:
            if len(self._outsiders) >= _OUTSIDERS:
                del self._outsiders[next(iter(self._outsiders))]
            known = calibrated(self._ignorance(Filters(filters.view), language))
            self._outsiders[filters.view, language] = rows, known
        return known

    def _calibration(self, language: str) -> Calibration | None:
        """What the signals are like when this store is asked in a language what it cannot know, if that was found out."""
        kept = self._index.noted(self._calibrated(language))
        return None if kept is None else _read_calibration(kept)

    def _calibrate(self, filters: Filters, language: str) -> Calibration:
        """Ask this store what it cannot know, with the operator's eyes; once for each weighing and language."""
        found = self._ignorance(Filters(_OPERATOR), language) or self._ignorance(filters, language)
        made = calibrated(found)
        usual = [(each.middle, each.spread) for each in (made.contrast, made.match, made.coverage, made.near)]
        with suppress(Unwritable):  # it is worked out again the next time
            self._index.note(self._calibrated(language), json.dumps({"usual": usual, "asked": made.asked}))
        return made

    def _ignorance(self, filters: Filters, language: str) -> list[Signals]:
        """The signals of questions in a language that no memory answers."""
        found = []
        speakers = tuple(sorted(self._index.heard(self._index.speakers, filters.view)))
        for text in unanswerable(speakers[:8], language):
            with self._index.steady():
                question = self._said_abroad(taken_apart(text, speakers, spoken_in=language), filters.view)
                pool, statistics = self._look(question, filters, CANDIDATES)
                if len(pool):
                    found.append(signals(pool, question, rank(pool, statistics, question, Wishes()).scored))
        return found

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
        fresh, _ = self._documents(known)
        # A file that holds nothing but our own words waits for nothing.
        waiting = sum(
            path in known or any(True for _ in self._filed(path, name, version).chunks) for path, name, version in fresh
        )
        if SESSIONS in self.options.sources and self.options.experimental.session_memory:
            threads = self._sources.chat().threads(self._sources.workspace)
            last = {_talk_path(thread.session.id): thread.last_id for thread in threads}
            waiting += sum(number > int(known.get(path, "0") or 0) for path, number in last.items())
        sizes = {path: len(self._index.rows_of(path)) for path in known}
        full = [path for path, size in sizes.items() if size]
        talks = sum(map(_is_talk, full))
        return State(len(full) - talks, talks, sum(sizes.values()), self._compared, waiting)


@lru_cache(maxsize=8)
def _read_calibration(kept: str) -> Calibration:
    raw = json.loads(kept)
    contrast, match, coverage, near = (Usual(*pair) for pair in raw["usual"])
    return Calibration(contrast, match, coverage, near, raw["asked"])


def _in(order: Sequence[int], values: Sequence[V]) -> list[V]:
    return [values[place] for place in order]


def _talk_path(session: str) -> str:
    """Where a conversation stands in the index."""
    return f"chat/{segment(session)}"


def _is_talk(path: str) -> bool:
    """Whether a path is a conversation's, and not that of a file in a folder of that name."""
    return path.startswith("chat/") and not path.endswith(".md")
