"""The services of a home: the embedder and the language model, tried out now; and what models have cost day by day."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import date, timedelta
from typing import NamedTuple

from oldsoul.app.home.storage import Storage
from oldsoul.errors import BadInput, OldsoulError, Unavailable
from oldsoul.keepers.questions import parsed
from oldsoul.ports import Accountable
from oldsoul.values.models import Spent

WORKS, FAILED, OFF = "works", "failed", "off"
_DOCTOR = "doctor"
_SYSTEM, _QUESTION = "You are asked whether you can answer.", 'Answer with the JSON object {"ready": true}.'
_SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["ready"],
    "properties": {"ready": {"type": "boolean"}},
}
_PAIR = ("a cat on the roof", "a kitten on the house")
_MOST_DAYS = 400


class TriedService(NamedTuple):
    """A service that was tried out."""

    about: str
    """`embedder` or `model`"""
    state: str
    """`works`, `failed`, or `off` where there is none"""
    seconds: float
    """how long it took"""
    message: str
    """what it is, or what is wrong and what to do"""


class SpentDay(NamedTuple):
    """What questions to language models took on one day."""

    day: date
    """which"""
    spent: Spent
    """all together"""
    costs: Mapping[str, float]
    """what each keeper's questions cost; `reply` for replies"""


class Services:
    """The services of one home."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def tried(self) -> list[TriedService]:
        """Try the embedder and the language model, each with a short text of no meaning."""
        return [_timed("embedder", self._embed), _timed("model", self._ask)]

    def _embed(self) -> str:
        models, search = self._storage.world.models, self._storage.settings.memory.search
        if not search.enabled or search.provider == "none":
            return ""
        embedder = models.embedder()
        if embedder is None:
            models.alike([_PAIR])
            return "bundled; no text leaves this machine"
        with closing(embedder):
            embedder.settle()
            if embedder.is_quick and not embedder.notes:
                return "bundled; no text leaves this machine"
            return "; ".join([f"{embedder.name} answered", *embedder.notes])

    def _ask(self) -> str:
        model = self._storage.driver.model
        if model is None:
            return ""
        asked = model.on_behalf_of(_DOCTOR) if isinstance(model, Accountable) else model
        reply = asked.answer(_SYSTEM, _QUESTION, _SCHEMA)
        name = reply.model or self._storage.settings.keepers.model.model or "the model"
        try:
            parsed(reply.text, _SCHEMA)
        except BadInput as error:
            raise Unavailable(
                f"{name} answers, but not in the form it is asked for ({error}); choose another"
            ) from None
        return f"{name} answered; {reply.tokens_in + reply.tokens_out} tokens"

    def spent(self, since: date, until: date) -> list[SpentDay]:
        """What models cost from one day to another, the latest first; days without a question are left out."""
        count = (until - since).days
        if not 0 <= count < _MOST_DAYS:
            raise BadInput(f"give at most {_MOST_DAYS} days, from the earlier to the later")
        spending = self._storage.world.records.spending
        found: list[SpentDay] = []
        for day in (until - timedelta(days=number) for number in range(count + 1)):
            spent = spending.spent(day)
            if spent.calls:
                costs: dict[str, float] = {}
                for call in spending.calls(day):
                    costs[call.keeper] = costs.get(call.keeper, 0.0) + call.cost
                found.append(SpentDay(day, spent, costs))
        return found


def _timed(about: str, tries: Callable[[], str]) -> TriedService:
    began = time.perf_counter()
    try:
        message = tries()
        state = WORKS if message else OFF
    except OldsoulError as error:
        state, message = FAILED, str(error)
    none = "none is set up; memory works without it"
    return TriedService(about, state, round(time.perf_counter() - began, 3), message or none)
