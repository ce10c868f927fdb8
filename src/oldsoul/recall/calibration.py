"""What signals are like when a store is asked what it cannot know: found out by asking it, once for each language."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING

from oldsoul.errors import Unwritable
from oldsoul.ranking.answers import Calibration, Signals, Usual, calibrated, signals, unanswerable
from oldsoul.ranking.order import Wishes, rank
from oldsoul.ranking.question import asked
from oldsoul.recall.questions import CANDIDATES, Asking
from oldsoul.values.audience import View
from oldsoul.values.recall import Filters

if TYPE_CHECKING:
    from oldsoul.ports import Index


_CALIBRATION = "calibration 3"
_OPERATOR = View(owner=True, every_room=True, rooms=frozenset(), people=frozenset())
_GROWN, _OUTSIDERS = 1.5, 256
"""When somebody sees so many times as many rows, it is found out again what is usual for them; of so many it is kept."""


class Calibrating:
    """Knows of one index what is usual when it does not know."""

    def __init__(self, index: Index, asking: Asking) -> None:
        self._index = index
        self._asking = asking
        self._outsiders: dict[tuple[View, str], tuple[int, Calibration]] = {}

    def _key(self, language: str) -> str:
        """Under which key the index notes what is usual for questions in a language."""
        return f"{_CALIBRATION} {language}{', words alone' if self._asking.words_alone else ''}"

    def usual(self, filters: Filters, language: str, rows: int) -> Calibration:
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
        kept = self._index.noted(self._key(language))
        return None if kept is None else _read_calibration(kept)

    def _calibrate(self, filters: Filters, language: str) -> Calibration:
        """Ask this store what it cannot know, with the operator's eyes; once for each weighing and language."""
        found = self._ignorance(Filters(_OPERATOR), language) or self._ignorance(filters, language)
        made = calibrated(found)
        usual = [(each.middle, each.spread) for each in (made.contrast, made.match, made.coverage, made.near)]
        with suppress(Unwritable):  # it is worked out again the next time
            self._index.note(self._key(language), json.dumps({"usual": usual, "asked": made.asked}))
        return made

    def _ignorance(self, filters: Filters, language: str) -> list[Signals]:
        """The signals of questions in a language that no memory answers."""
        found = []
        speakers = tuple(sorted(self._index.heard(self._index.speakers, filters.view)))
        for text in unanswerable(speakers[:8], language):
            with self._index.steady():
                question = self._asking.said_abroad(asked(text, speakers, spoken_in=language), filters.view)
                pool, statistics = self._asking.look(question, filters, CANDIDATES)
                if len(pool):
                    found.append(signals(pool, question, rank(pool, statistics, question, Wishes()).scored))
        return found


@lru_cache(maxsize=8)
def _read_calibration(kept: str) -> Calibration:
    raw = json.loads(kept)
    contrast, match, coverage, near = (Usual(*pair) for pair in raw["usual"])
    return Calibration(contrast, match, coverage, near, raw["asked"])
