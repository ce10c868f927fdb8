"""How a question is read where it has slips of the pen: as memory, and whoever asks may see of it, has the words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.ranking.spelling import doubtful, is_name, meant, reads_english, slips
from oldsoul.ranking.terms import term
from oldsoul.rules.words import words

if TYPE_CHECKING:
    from collections.abc import Container

    from oldsoul.ports import Index
    from oldsoul.ranking.pool import Pool, Statistics
    from oldsoul.ranking.question import Question
    from oldsoul.values.recall import Filters

_MOST = 3
"""Of so many words of a question at most it is asked what they were meant to be."""


def misspelt(
    index: Index, known: Container[str], question: Question, found: tuple[Pool, Statistics], filters: Filters
) -> dict[str, str]:
    """The words of a question that nothing here has and that are none, each with the one it was meant to be.

    Args:
        index: where the words stand.
        known: what is an English word; other questions are taken as they are.
        question: what is asked.
        found: its candidates, and what the index knows of its words.
        filters: what may be seen.
    """
    odd = [word for word in doubtful(question, *found) if word not in known]
    if not odd or not reads_english(words(question.text), known):
        return {}
    read = {}
    for word in odd[:_MOST]:
        far = slips(word, is_name=is_name(word, question.text))
        seen = index.seen({*map(term, far), term(word)}, filters)
        if term(word) not in seen:
            read[word] = meant(far, seen, known)
    return {word: right for word, right in read.items() if right}
