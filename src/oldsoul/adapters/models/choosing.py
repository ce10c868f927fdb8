"""Which language model answers, by the settings and the environment."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from oldsoul.adapters.models.metered import unpriced
from oldsoul.adapters.models.remote import RemoteModel
from oldsoul.adapters.models.services import SERVICES
from oldsoul.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from oldsoul.keepers.options import ModelOptions
    from oldsoul.values.models import Reply
    from oldsoul.values.talking import Piece, Request


class Chosen:
    """The model of the settings in force. It is made at the first question, and anew when they change.

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
        self._made: tuple[ModelOptions, RemoteModel] | None = None
        self._guard = threading.Lock()

    def answer(self, system: str, text: str, schema: Mapping[str, Any]) -> Reply:
        """The model's answer; `Unavailable` when it does not answer, or says what is missing."""
        return self._model().answer(system, text, schema)

    def talk(self, request: Request) -> Iterator[Piece]:
        """What the model says in a conversation; `Unavailable` when it does not answer, or says what is missing."""
        return self._model().talk(request)

    def _model(self) -> RemoteModel:
        options = self._options()
        with self._guard:
            if self._made is None or self._made[0] != options:
                if options.provider not in SERVICES:
                    raise Unavailable("keepers.model.provider is not set to a language model")
                self._made = options, RemoteModel(SERVICES[options.provider], options, self._environ, sleep=self._sleep)
            return self._made[1]


def chosen(
    options: Callable[[], ModelOptions],
    environ: Mapping[str, str],
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> Chosen | None:
    """Who answers by these settings; None where rules do the work."""
    return Chosen(options, environ, sleep=sleep) if options().provider in SERVICES else None


def problem(options: ModelOptions, environ: Mapping[str, str]) -> str:
    """What has to be set before the model can be asked; empty when nothing is missing. Nothing is sent."""
    if options.provider not in SERVICES:
        return ""
    try:
        RemoteModel(SERVICES[options.provider], options, environ)
    except Unavailable as error:
        return str(error)
    return unpriced(options)
