"""How a question is read where it has slips of the pen: as memory, and whoever asks may see of it, has the words."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import replace
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from oldsoul.language.languages import ENGLISH, detected_language, spoken_most
from oldsoul.language.sentences import ends_in_question
from oldsoul.language.words import words
from oldsoul.ranking.marks import Mark, length
from oldsoul.ranking.pool import Pool, Statistics
from oldsoul.ranking.question import MOST_TERMS, Question, asked, is_question
from oldsoul.ranking.spelling import AT_END, DOUBLED, INSIDE, doubtful, is_name, may_slip, reads_english, respelt, slips
from oldsoul.ranking.terms import term
from oldsoul.ranking.translations import abroad
from oldsoul.values.audience import View
from oldsoul.values.recall import Chunk, Filters

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from oldsoul.ports import Index, Searched, Tables


_MOST = 3
"""Of so many words of a question at most it is asked what they were meant to be."""
_LONGEST = 400
"""What has more characters is no question that somebody typed."""
_ANY_WORD = "the"
"""A dictionary that lacks it is none, and then nothing can be told to be a slip."""
_TRIED = 8
"""So many of the words that a slip may have been meant to be are looked at in their places."""


class Spelling:
    """Reads slips of the pen. It is made of what is a word: a dictionary, and tables of word pieces."""

    def __init__(self, dictionary: Container[str], tables: Tables) -> None:
        self._dictionary = dictionary
        self._tables = tables

    def read(
        self, index: Searched, question: Question, found: tuple[Pool, Statistics], filters: Filters
    ) -> dict[str, str]:
        """The words of a question that nothing here has and that are none, each with the one it was meant to be.

        Args:
            index: where the words stand.
            question: what is asked; one that is not in English is taken as it is.
            found: its candidates, and what the index knows of its words.
            filters: what may be seen.
        """
        if not question.in_english or len(question.text) > _LONGEST:
            return {}
        odd = [word for word in may_slip(question) if not self._is_word(word)]
        if not odd or _ANY_WORD not in self._dictionary:
            return {}
        odd = doubtful(odd, question, *found)[:_MOST]
        if not odd or not reads_english(words(question.text), odd, self._dictionary):
            return {}
        read = {word: self._meant(word, index, filters, question.text) for word in odd}
        return {
            word: right
            for word, right in read.items()
            if right and respelt(question.text, {word: right}) != question.text
        }

    def _is_word(self, word: str) -> bool:
        """Whether it is so common that the first table, which is of English, has it in one piece, or in the dictionary."""
        return (self._tables.count > 0 and len(self._tables.tokens(0, [word])[0]) == 1) or word in self._dictionary

    def _meant(self, word: str, index: Searched, filters: Filters, text: str) -> str:
        """What a word was meant to be: the nearest of those that memory has, of these one that is a word."""
        own = index.seen([term(word)], filters).get(term(word), [])
        if not all(_only_asks(chunk, text) for chunk in index.chunks(own)):
            return ""
        far, named = slips(word), is_name(word, text)
        seen = index.seen({*map(term, far)} - {term(word)}, filters)
        there = [each for each in far if term(each) in seen]
        there.sort(key=lambda each: (far[each], each not in self._dictionary, -len(seen[term(each)]), each))
        for each in there[:_TRIED]:
            chunks = [chunk for chunk in index.chunks(seen[term(each)]) if not _only_asks(chunk, text)]
            if chunks and self._may_be(each, far[each], chunks, named=named):
                return each
        return ""

    def _may_be(self, word: str, far: int, chunks: list[Chunk], *, named: bool) -> bool:
        """Whether it is a word, or memory has it so. A name is taken for another only where letters changed places or doubled.

        What is no word, or is written as a name is, may be one too: there no letter is taken for another, nor is its end.
        """
        found = [
            is_name(word, text) or word not in self._dictionary
            for text in (
                f"{chunk.speaker}. {chunk.path}. {chunk.title}. {chunk.heading}. {chunk.text}" for chunk in chunks
            )
            if re.search(rf"(?<![^\W_]){word}(?![^\W_])", text, re.IGNORECASE)
        ]
        if not found:
            return word in self._dictionary and not named
        return far <= (DOUBLED if named else INSIDE if all(found) else AT_END)


def _only_asks(chunk: Chunk, text: str) -> bool:
    """Whether a piece is a question, or the very one that is asked: it has a word, and memory has not."""
    return ends_in_question(chunk.text) or chunk.text.strip() == text.strip()


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
        if not len(pool) or detected_language(question.text):
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
        """The candidates, with what repeats the question word for word marked; it asks too, though it may lack the mark of one."""
        same = (pool.length == length(question.text)).nonzero()[0]
        if not len(same):
            return pool
        said = words(question.text)
        repeats = [words(chunk.text) == said for chunk in self._index.chunks(pool.row[same].tolist())]
        flags = pool.flags.copy()
        asks = is_question(question.text, question.language)
        flags[same[repeats]] |= int(Mark.REPEATS | Mark.ONLY_ASKS if asks else Mark.REPEATS)
        return replace(pool, flags=flags)
