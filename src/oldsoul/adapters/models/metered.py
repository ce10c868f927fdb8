"""A language model with a meter: every question is written down with its cost, and none is asked past a day's budget."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from oldsoul import plugins
from oldsoul.adapters.models.remote import RemoteModel, UselessReply
from oldsoul.adapters.models.services import SERVICES
from oldsoul.errors import OldsoulError, OutOfBudget, Unavailable
from oldsoul.keepers.options import ModelOptions
from oldsoul.ports import Model, Spending, Talker
from oldsoul.rules.limits import estimated
from oldsoul.values.models import Call, Piece, Reply, Request, Usage

_MILLION = 1_000_000
REPLYING = "reply"
"""On whose behalf replies are asked for, where spending is written down."""
_MOST_TOKENS = 10**9


class _Meter:
    """What a model costs, on whose behalf it is asked, and whether today's budget lets it be asked."""

    def __init__(
        self, spending: Spending, options: Callable[[], ModelOptions], now: Callable[[], datetime], keeper: str
    ) -> None:
        self._spending, self._options, self._now, self._keeper = spending, options, now, keeper

    def _check(self, options: ModelOptions) -> None:
        problem = unpriced(options)
        if problem:
            raise Unavailable(problem)
        if not options.daily_budget and not options.daily_token_budget:
            return
        day = self._now().date()
        try:
            spent = self._spending.spent(day)
        except (OldsoulError, OSError) as error:
            raise Unavailable(f"today's spending on models cannot be read, so no model is asked: {error}") from error
        for setting, used, limit, unit in (
            ("daily_budget", spent.cost, options.daily_budget, ""),
            ("daily_token_budget", spent.tokens, options.daily_token_budget, " tokens"),
        ):
            if limit and used >= limit:
                raise OutOfBudget(
                    f"{_shown(used)} of {_shown(limit)}{unit} are spent today ({day}), so the model is not asked"
                    f" again before tomorrow; raise keepers.model.{setting} in config.yaml to allow more"
                )

    def _note(self, reply: Reply, *, answered: bool) -> None:
        call = Call(
            self._now(), reply.model, reply.tokens_in, reply.tokens_out, reply.cost, self._keeper, answered=answered
        )
        try:
            self._spending.note(call)
        except (OldsoulError, OSError) as error:
            raise Unavailable(
                f"the cost of the model's answer cannot be recorded, so the answer is not used: {error}"
            ) from error


class Metered(_Meter):
    """A model, and what it costs.

    It is made from any model, where calls are written down, the settings in force, the time in the home's zone, and the
    keeper on whose behalf it is asked. Budgets are looked at before a question; nothing is set aside for it. So each
    process can pass a budget by the question it has under way, and no more.

    Failed questions count when somebody said what they took; what a service charges for one that timed out is not known.
    """

    def __init__(
        self,
        model: Model,
        spending: Spending,
        options: Callable[[], ModelOptions],
        now: Callable[[], datetime],
        keeper: str = "",
    ) -> None:
        super().__init__(spending, options, now, keeper)
        self._model = model

    def on_behalf_of(self, keeper: str) -> Metered:
        """The same model, its questions written down as this keeper's."""
        return Metered(self._model, self._spending, self._options, self._now, keeper)

    def answer(self, system: str, text: str, schema: Mapping[str, Any]) -> Reply:
        """The model's answer; `OutOfBudget` when today's budget is spent, `Unavailable` when it does not answer."""
        options = self._options()
        self._check(options)
        sent = f"{system}\n{text}\n{json.dumps(dict(schema), ensure_ascii=False)}"
        try:
            reply = self._model.answer(system, text, schema)
        except UselessReply as error:
            self._note(_metered(error.reply, sent, options), answered=False)
            raise
        reply = _metered(reply, sent, options)
        self._note(reply, answered=True)
        return reply


class MeteredTalker(_Meter):
    """A model that holds conversations, and what it costs. What it said until it broke off counts too."""

    def __init__(
        self, talker: Talker, spending: Spending, options: Callable[[], ModelOptions], now: Callable[[], datetime]
    ) -> None:
        super().__init__(spending, options, now, REPLYING)
        self._talker = talker

    def talk(self, request: Request) -> Iterator[Piece]:
        """What the model says; `OutOfBudget` when today's budget is spent, `Unavailable` when it does not answer."""
        options = self._options()
        self._check(options)
        said: list[str] = []
        usage: Usage | None = None
        try:
            for piece in self._talker.talk(request):
                if isinstance(piece, Usage):
                    usage = piece
                else:
                    said.append(piece if isinstance(piece, str) else f"{piece.name} {piece.arguments}")
                    yield piece
        finally:
            if said or usage:
                took = usage or Usage()
                reply = Reply("".join(said), took.tokens_in, took.tokens_out, took.model)
                sent = "\n".join(
                    (*(turn.text for turn in request.turns), *(json.dumps(dict(o.parameters)) for o in request.offers))
                )
                self._note(_metered(reply, sent, options), answered=usage is not None)
        if usage:
            yield usage


def _metered(reply: Reply, sent: str, options: ModelOptions) -> Reply:
    """The answer with its tokens, estimated rather too high than too low where the service does not say, and its cost."""
    tokens_in = _likely(reply.tokens_in) or estimated(sent)
    tokens_out = _likely(reply.tokens_out) or estimated(reply.text)
    cost = (tokens_in * options.input_price + tokens_out * options.output_price) / _MILLION
    return replace(reply, tokens_in=tokens_in, tokens_out=tokens_out, cost=cost)


def unpriced(options: ModelOptions) -> str:
    """What is wrong with a budget that nobody could tell to be spent; empty when nothing is."""
    if options.daily_budget and not options.input_price and not options.output_price:
        return (
            "keepers.model.daily_budget is set, but without prices it cannot be checked: set"
            " keepers.model.input_price and keepers.model.output_price, or keepers.model.daily_token_budget instead"
        )
    return ""


def _likely(tokens: int) -> int:
    return tokens if 0 < tokens <= _MOST_TOKENS else 0


def _shown(amount: float) -> str:
    return f"{amount:,}" if isinstance(amount, int) else f"{amount:.4g}"


class ConfiguredModel:
    """The model of the settings in force. It is made at the first question, and again when they change.

    Where something is missing, `answer` raises `Unavailable` and says what: a home works without a model too.
    """

    def __init__(
        self,
        options: Callable[[], ModelOptions],
        environ: Mapping[str, str],
        *,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._options, self._environ, self._sleep = options, environ, sleep
        self._made: tuple[ModelOptions, Any] | None = None
        self._guard = threading.Lock()

    def answer(self, system: str, text: str, schema: Mapping[str, Any]) -> Reply:
        """The model's answer; `Unavailable` when it does not answer, or says what is missing."""
        reply: Reply = self._model().answer(system, text, schema)
        return reply

    def talk(self, request: Request) -> Iterator[Piece]:
        """What the model says in a conversation; `Unavailable` when it does not answer, or says what is missing."""
        talk: Callable[[Request], Iterator[Piece]] | None = getattr(self._model(), "talk", None)
        if talk is None:
            raise Unavailable(f"{self._options().provider} answers keepers alone, it cannot reply")
        return talk(request)

    def _model(self) -> Any:
        options = self._options()
        with self._guard:
            if self._made is None or self._made[0] != options:
                if options.provider == "none":
                    raise Unavailable("keepers.model.provider is not set to a language model")
                if options.provider in SERVICES:
                    service = SERVICES[options.provider]
                    self._made = options, RemoteModel(service, options, self._environ, sleep=self._sleep)
                else:
                    self._made = options, plugins.load(plugins.MODELS, options.provider)(options)
            return self._made[1]


def chosen(
    options: Callable[[], ModelOptions],
    environ: Mapping[str, str],
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> ConfiguredModel | None:
    """Who answers by these settings; None where rules do the work."""
    return ConfiguredModel(options, environ, sleep=sleep) if options().provider != "none" else None


def problem(options: ModelOptions, environ: Mapping[str, str]) -> str:
    """What has to be set before the model can be asked; empty when nothing is missing. Nothing is sent."""
    if options.provider == "none":
        return ""
    try:
        if options.provider in SERVICES:
            RemoteModel(SERVICES[options.provider], options, environ)
        else:
            plugins.load(plugins.MODELS, options.provider)
    except Unavailable as error:
        return str(error)
    return unpriced(options)
