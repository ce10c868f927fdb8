"""A question taken apart for those who ask it, and what an index has to it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from oldsoul.language.languages import ENGLISH, language_told, spoken_most
from oldsoul.language.words import words
from oldsoul.ranking.abroad import abroad
from oldsoul.ranking.fitting import has
from oldsoul.ranking.marks import Mark, length
from oldsoul.ranking.question import MOST_TERMS, asked, is_question

if TYPE_CHECKING:
    from datetime import datetime, tzinfo

    import numpy as np
    from numpy.typing import NDArray

    from oldsoul.ports import Index, Tables
    from oldsoul.ranking.pool import Pool, Statistics
    from oldsoul.ranking.question import Question
    from oldsoul.values.audience import View
    from oldsoul.values.recall import Filters

CANDIDATES = 48
"""How many rows are fetched by words, and how many by meaning, to be ranked."""
_READ = 12
"""So many pieces say which language a question is in that has no word to tell it by."""


class Asking:
    """Asks one index. Made from it, the tables texts are compared by, and the agent's time zone."""

    def __init__(self, index: Index, tables: Tables, zone: tzinfo, *, words_alone: bool) -> None:
        self._index = index
        self._tables = tables
        self._zone = zone
        self.words_alone = words_alone
        """whether meaning is not compared, though the index could"""

    @property
    def compared(self) -> int:
        """How many tables meaning is compared by."""
        return 0 if self.words_alone else self._tables.count

    def look(
        self, question: Question, filters: Filters, count: int, vector: tuple[str, NDArray[np.float32]] | None = None
    ) -> tuple[Pool, Statistics]:
        """The candidates for a question, and what scoring needs of the store."""
        pool, statistics = self._index.look(question, filters, self._tables.tokens, count, vector)
        if self.words_alone:
            return replace(pool, spaces=()), replace(statistics, asked=())
        return pool, statistics

    def in_own_language(self, question: Question, pool: Pool, now: datetime, view: View) -> Question | None:
        """A question that has none of a language's little words in that of what was found, if this is not English."""
        if not len(pool) or language_told(question.text):
            return None
        some = pool.row[:: max(len(pool) // _READ, 1)][:_READ].tolist()
        spoken = spoken_most(chunk.text for chunk in self._index.chunks(some))
        return None if spoken == ENGLISH else self.taken_apart(question.text, now, view, spoken)

    def taken_apart(self, text: str, now: datetime, view: View, spoken_in: str = "") -> Question:
        """A question taken apart; it names nobody of whom whoever asks may see nothing."""
        on, speakers = now.astimezone(self._zone).date(), tuple(sorted(self._index.speakers))
        while True:
            question = asked(text, speakers, on=on, spoken_in=spoken_in)
            unheard = set(question.people) - self._index.heard(question.people, view)
            if not unheard:
                return self.said_abroad(replace(question, zone=self._zone), view)
            speakers = tuple(name for name in speakers if name not in unheard)

    def said_abroad(self, question: Question, view: View) -> Question:
        """A question with what its words are in other languages, where there are memories in other scripts."""
        return (
            replace(question, abroad=abroad(question)[:MOST_TERMS])
            if self._index.holds_other(question, view)
            else question
        )

    def marked(self, pool: Pool, question: Question) -> Pool:
        """The candidates, with what repeats a question word for word marked as asking: it may lack the mark of one."""
        same = ((pool.length == length(question.text)) & ~has(pool, Mark.ONLY_ASKS)).nonzero()[0]
        if not len(same) or not is_question(question.text, question.language):
            return pool
        said = words(question.text)
        repeats = [words(chunk.text) == said for chunk in self._index.chunks(pool.row[same].tolist())]
        flags = pool.flags.copy()
        flags[same[repeats]] |= int(Mark.ONLY_ASKS)
        return replace(pool, flags=flags)
