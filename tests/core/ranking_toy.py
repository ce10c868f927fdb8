"""A small store in memory that fills a `Pool` the way an engine does."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from oldsoul.adapters.embedders.static import StaticTable
from oldsoul.language.sentences import sentences
from oldsoul.ranking.marks import marked
from oldsoul.ranking.pool import NO_TIME, Asked, Known, Pool, Space, Static, Statistics
from oldsoul.ranking.terms import prefix, terms
from oldsoul.ranking.vectors import embedded, raw_means, weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from oldsoul.ranking.question import Question

TABLES = (StaticTable(),)
START = datetime(2026, 5, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Said:
    """One row."""

    speaker: str
    text: str
    document: int
    time: datetime | None = START
    flags: int = 0


def ints(values: Iterable[int]) -> NDArray[np.int32]:
    return np.asarray(list(values), dtype=np.int32)


class Toy:
    """Rows by document, their columns, and what a question asks of the store."""

    def __init__(self, said: Sequence[Said], *, vectors: bool = True, asker: str = "") -> None:
        self.asker = asker
        self.said = sorted(said, key=lambda each: each.document)
        self.people = tuple(dict.fromkeys(each.speaker for each in self.said if each.speaker))
        self.rows = [terms(f"{each.speaker} {each.text}") for each in self.said]
        self.numbers = {term: at for at, term in enumerate(dict.fromkeys(term for row in self.rows for term in row))}
        self.frequency = Counter(term for row in self.rows for term in set(row))
        made = [self._space(table) for table in TABLES] if vectors else []
        self.statics = [static for static, _ in made]
        notes = [marked(each.text, each.time.date() if each.time else None, own_flags=each.flags) for each in self.said]
        places: Counter[int] = Counter()
        ordinals = []
        for each in self.said:
            ordinals.append(places[each.document])
            places[each.document] += 1
        self.pool = Pool(
            row=np.arange(len(self.said), dtype=np.int64),
            document=ints(each.document for each in self.said),
            ordinal=ints(ordinals),
            time=np.asarray(
                [int(each.time.timestamp()) if each.time else NO_TIME for each in self.said], dtype=np.int64
            ),
            speaker=ints(self.people.index(each.speaker) if each.speaker else -1 for each in self.said),
            speakers=self.people,
            own=np.asarray([bool(each.speaker) and each.speaker == self.asker for each in self.said], dtype=bool),
            flags=ints(note.flags for note in notes),
            length=ints(note.length for note in notes),
            event_from=ints(note.event_from for note in notes),
            event_to=ints(note.event_to for note in notes),
            confidence=np.ones(len(self.said), dtype=np.float32),
            terms=ints(self.numbers[term] for row in self.rows for term in row),
            term_start=np.cumsum([0, *map(len, self.rows)]),
            spaces=tuple(space for _, space in made),
        )

    def _space(self, table: StaticTable) -> tuple[Static, Space]:
        flat: list[int] = []
        starts, begins = [0], []
        for each in self.said:
            for part in filter(None, table.tokens(sentences(each.text))):
                begins.append(len(flat))
                flat += part
            starts.append(len(flat))
        tokens, token_start = ints(flat), np.asarray(starts, dtype=np.int64)
        weight = weights(np.bincount(tokens, minlength=len(table.vectors)))
        raw = raw_means(tokens, token_start, table.vectors, weight)
        mean = raw.mean(0) if len(raw) else np.zeros(table.vectors.shape[1], dtype=np.float32)
        static = Static(table.vectors, weight, mean)
        sentence_start = np.asarray(begins, dtype=np.int64)
        kept = embedded(tokens, token_start, sentence_start, static)
        return static, Space(kept.vectors, tokens, token_start, sentence_start, kept.sentence_norm)

    def statistics(self, question: Question) -> Statistics:
        known = []
        for term, belonging in zip(question.terms, question.members, strict=True):
            kin = [other for other in self.numbers if prefix(other) == prefix(term)]
            own = [other for other in belonging if other in self.numbers]
            known.append(
                Known(
                    number=self.numbers.get(term, -1),
                    frequency=self.frequency[term],
                    kin=tuple(self.numbers[other] for other in kin),
                    kin_frequency=sum(self.frequency[other] for other in kin),
                    members=tuple(self.numbers[other] for other in own),
                    members_frequency=sum(self.frequency[other] for other in own),
                )
            )
        return Statistics(
            rows=len(self.said),
            average_terms=sum(map(len, self.rows)) / max(1, len(self.rows)),
            known=tuple(known),
            asked=tuple(
                Asked(
                    static, tuple(table.tokens([question.spoken])[0]), tuple(map(tuple, table.tokens(question.content)))
                )
                for table, static in zip(TABLES, self.statics, strict=False)
            ),
        )
