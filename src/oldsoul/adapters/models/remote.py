"""A language model at a service over HTTP: tried again when it makes sense, asked otherwise when it does not know how."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from importlib.util import find_spec
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from oldsoul.adapters.http import LARGEST, Line, Passing, complaint, parsed, tried
from oldsoul.adapters.models.services import DONE, PLAIN, SPOKEN, Manner, Wish, events
from oldsoul.adapters.service_access import access
from oldsoul.errors import TimedOut, Unavailable
from oldsoul.values.models import Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from oldsoul.adapters.http import Access, Answer
    from oldsoul.adapters.models.services import Service
    from oldsoul.keepers.options import ModelOptions
    from oldsoul.values.models import Piece, Request

_T = TypeVar("_T")
USAGE = "usage"
"""A stream that ends with what it took."""
_LONGEST_WAIT = 60.0
_WRONG_PLACE = (404, 405)
_WRONG_MANNER = (400, 404, 415, 422, 501)


class Wasted(Unavailable):
    """The model answered, but with nothing of use; `reply` says what that took."""

    def __init__(self, message: str, reply: Reply) -> None:
        super().__init__(message)
        self.reply = reply


class _Objected(Exception):
    """The service does not take a request as it is."""

    def __init__(self, message: str, said: str) -> None:
        super().__init__(message)
        self.said = said


class RemoteModel:
    """A language model at a service.

    It is made from the kind of service, the settings and the environment its key may be in; nothing is sent before the
    first question. A question is given up after `timeout_seconds`, tries and waits included. `sleep` waits between two
    tries. How the service wants to be asked is remembered once it was found out.
    """

    def __init__(
        self,
        service: Service,
        options: ModelOptions,
        environ: Mapping[str, str],
        *,
        sleep: Callable[[float], None] = time.sleep,
        largest: int = LARGEST,
    ) -> None:
        self._service, self._options, self._sleep = service, options, sleep
        self._model = options.model.strip()
        if not self._model:
            raise Unavailable(f"set keepers.model.model to the name of a model that {service.provider} has")
        if find_spec("httpx2") is None:
            raise Unavailable(f"{service.provider} needs the package httpx2; pip install 'oldsoul[remote]'")
        self._access = _access(service, options, environ)
        self._line = Line(self._access, self._who, largest)
        self._largest = largest
        self._manner = service.manner(own=not options.base_url.strip())
        self._talking = Manner(USAGE, self._manner.limit)

    def __repr__(self) -> str:
        return f"RemoteModel({self._who}, {self._model})"

    def answer(self, system: str, text: str, schema: Mapping[str, Any]) -> Reply:
        """Its answer, meant to have the form of the schema; `Unavailable` when it does not answer."""
        give_up = time.monotonic() + self._options.timeout_seconds
        wish = Wish(self._model, _characters(system), _characters(text), schema, self._options.max_output_tokens)

        def asked(manner: Manner) -> bytes:
            return self._asked(
                lambda body: self._judged(self._line.post(body, give_up)), self._service.body(wish, manner), give_up
            )

        self._manner, answer = _negotiated(self._manner, self._service.otherwise, asked)
        return self._reply(parsed(answer))

    def talk(self, request: Request) -> Iterator[Piece]:
        """What it says in a conversation, piece by piece; `Unavailable` when it does not answer, or stops in the middle."""
        give_up = time.monotonic() + self._options.timeout_seconds
        spoken = SPOKEN[self._service.provider]

        def begun(manner: Manner) -> Iterator[bytes]:
            common = {"model": request.model or self._model, manner.limit: self._options.max_output_tokens}
            if manner.form == USAGE:
                common |= spoken.usage
            return self._asked(
                lambda body: _begun(self._line.stream(body, give_up, self._judged)),
                spoken.body(request, common),
                give_up,
            )

        self._talking, chunks = _negotiated(self._talking, self._otherwise_talked, begun)
        listener = spoken.listener()
        try:
            for event in events(chunks, self._largest):
                yield from listener.read(event if event == DONE else json.loads(event))
            yield from listener.end()
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
            raise Unavailable(f"{self._who} sent something that cannot be understood") from None
        except Passing as failure:
            raise self._given_up(failure) from None
        except Unavailable as error:
            raise Unavailable(f"{self._who}: {self._access.shown(str(error))}") from None

    def _otherwise_talked(self, manner: Manner, said: str) -> Manner | None:
        """How to ask when it complains: without what a stream takes, or with another name of the limit."""
        if manner.form == USAGE and "stream_options" in said:
            return Manner(PLAIN, manner.limit)
        return self._service.otherwise(Manner(self._service.forms[-1], manner.limit), said)

    def close(self) -> None:
        """Let go of the connections."""
        self._line.close()

    def _asked(self, attempt: Callable[[bytes], _T], body: Mapping[str, Any], give_up: float) -> _T:
        """What an attempt with a request gives, tried several times."""
        sent = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        try:
            return tried(
                lambda: attempt(sent),
                self._sleep,
                lambda: min(_LONGEST_WAIT, give_up - time.monotonic()),
                patient=False,
            )
        except Passing as failure:
            raise self._given_up(failure) from None

    def _given_up(self, failure: Passing) -> Unavailable:
        if failure.slow:
            limit = f"{self._options.timeout_seconds:g} s; raise keepers.model.timeout_seconds to wait longer"
            return TimedOut(f"{self._who} did not answer within {limit}")
        return Unavailable(f"{self._who} {failure}")

    def _judged(self, answer: Answer) -> bytes:
        if answer.status not in _WRONG_MANNER:
            return self._line.body(answer, "keepers.model.base_url")
        message = f"{self._who} {self._line.told(answer)}"
        if answer.status in _WRONG_PLACE and self._options.base_url:
            message += f" (is keepers.model.base_url right? It ends as in {self._service.base_url})"
        raise _Objected(message, answer.complaint)

    def _reply(self, answer: Any) -> Reply:
        try:
            told = self._service.read(answer)
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
            said = self._access.shown(complaint(answer))
            raise Unavailable(
                f"{self._who} sent an answer that cannot be understood{said and f': {said}'}; is"
                " keepers.model.base_url the address of a language model?"
            ) from None
        reply = Reply(told.text, told.tokens_in, told.tokens_out, told.model or self._model)
        if told.refusal:
            raise Wasted(f"{self._model} refused to answer: {self._access.shown(told.refusal)}", reply)
        if told.cut:
            raise Wasted(
                f"the answer of {self._model} was cut off at the token limit; raise keepers.model.max_output_tokens"
                f" ({self._options.max_output_tokens})",
                reply,
            )
        return reply

    @property
    def _who(self) -> str:
        return f"{self._service.provider} at {self._access.place}"


def _negotiated(
    manner: Manner, otherwise: Callable[[Manner, str], Manner | None], ask: Callable[[Manner], _T]
) -> tuple[Manner, _T]:
    """What asking in some manner gives, and in which; another one as long as the service complains of it."""
    known = {manner}
    first: _Objected | None = None
    while True:
        try:
            return manner, ask(manner)
        except _Objected as error:
            first = first or error
            following = otherwise(manner, error.said)
            if following is None or following in known:
                raise Unavailable(str(first)) from None
            manner = following
            known.add(manner)


def _begun(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """A stream of which the first bytes have come."""
    return chain([next(chunks, b"")], chunks)


def _access(service: Service, options: ModelOptions, environ: Mapping[str, str]) -> Access:
    """How the service is reached, by the same rules as those that embed."""
    found = access(service, options, options.model, environ, section="keepers.model")
    named = {name.lower() for name, _value in found.headers}
    usual = tuple(header for header in service.headers if header[0].lower() not in named)
    return replace(found, headers=(*usual, *found.headers))


def _characters(text: str) -> str:
    """The text without what is no character."""
    return text.encode("utf-8", "replace").decode()
