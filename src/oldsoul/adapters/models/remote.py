"""A language model at a service over HTTP: tried again when it makes sense, asked otherwise when it does not know how."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib.util import find_spec
from itertools import chain
from typing import Any, TypeVar

from oldsoul.adapters.http import (
    LARGEST,
    ServiceClient,
    ServiceEndpoint,
    ServiceResponse,
    TransientError,
    access,
    complaint,
    parsed,
    tried,
)
from oldsoul.adapters.models.services import DONE, PLAIN, SPOKEN, AnswerFormat, ModelRequest, ModelService, events
from oldsoul.errors import TimedOut, Unavailable
from oldsoul.keepers.options import ModelOptions
from oldsoul.values.models import Piece, Reply, Request

_T = TypeVar("_T")
USAGE = "usage"
"""A stream that ends with what it took."""
_LONGEST_WAIT = 60.0
_WRONG_PLACE = (404, 405)
_WRONG_MANNER = (400, 404, 415, 422, 501)


class UselessReply(Unavailable):
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
        service: ModelService,
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
        self._line = ServiceClient(self._access, self._who, largest)
        self._largest = largest
        self._format = service.answer_format(own=not options.base_url.strip())
        self._talking = AnswerFormat(USAGE, self._format.limit)

    def __repr__(self) -> str:
        return f"RemoteModel({self._who}, {self._model})"

    def answer(self, system: str, text: str, schema: Mapping[str, Any]) -> Reply:
        """Its answer, meant to have the form of the schema; `Unavailable` when it does not answer."""
        give_up = time.monotonic() + self._options.timeout_seconds
        request = ModelRequest(
            self._model, _characters(system), _characters(text), schema, self._options.max_output_tokens
        )

        def asked(answer_format: AnswerFormat) -> bytes:
            return self._asked(
                lambda body: self._judged(self._line.post(body, give_up)),
                self._service.body(request, answer_format),
                give_up,
            )

        self._format, answer = _negotiated(self._format, self._service.otherwise, asked)
        return self._reply(parsed(answer))

    def talk(self, request: Request) -> Iterator[Piece]:
        """What it says in a conversation, piece by piece; `Unavailable` when it does not answer, or stops in the middle."""
        give_up = time.monotonic() + self._options.timeout_seconds
        spoken = SPOKEN[self._service.provider]

        def begun(answer_format: AnswerFormat) -> Iterator[bytes]:
            common = {"model": request.model or self._model, answer_format.limit: self._options.max_output_tokens}
            if answer_format.form == USAGE:
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
        except TransientError as failure:
            raise self._given_up(failure) from None
        except Unavailable as error:
            raise Unavailable(f"{self._who}: {self._access.shown(str(error))}") from None

    def _otherwise_talked(self, answer_format: AnswerFormat, said: str) -> AnswerFormat | None:
        """How to ask when it complains: without what a stream takes, or with another name of the limit."""
        if answer_format.form == USAGE and "stream_options" in said:
            return AnswerFormat(PLAIN, answer_format.limit)
        return self._service.otherwise(AnswerFormat(self._service.forms[-1], answer_format.limit), said)

    def close(self) -> None:
        """Close the connections."""
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
        except TransientError as failure:
            raise self._given_up(failure) from None

    def _given_up(self, failure: TransientError) -> Unavailable:
        if failure.slow:
            limit = f"{self._options.timeout_seconds:g} s; raise keepers.model.timeout_seconds to wait longer"
            return TimedOut(f"{self._who} did not answer within {limit}")
        return Unavailable(f"{self._who} {failure}")

    def _judged(self, answer: ServiceResponse) -> bytes:
        if answer.status not in _WRONG_MANNER:
            return self._line.body(answer, "keepers.model.base_url")
        message = f"{self._who} {self._line.error_message(answer)}"
        if answer.status in _WRONG_PLACE and self._options.base_url:
            message += f" (is keepers.model.base_url right? It ends as in {self._service.base_url})"
        raise _Objected(message, answer.complaint)

    def _reply(self, answer: Any) -> Reply:
        try:
            parsed = self._service.read(answer)
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
            said = self._access.shown(complaint(answer))
            raise Unavailable(
                f"{self._who} sent an answer that cannot be understood{said and f': {said}'}; is"
                " keepers.model.base_url the address of a language model?"
            ) from None
        reply = Reply(parsed.text, parsed.tokens_in, parsed.tokens_out, parsed.model or self._model)
        if parsed.refusal:
            raise UselessReply(f"{self._model} refused to answer: {self._access.shown(parsed.refusal)}", reply)
        if parsed.cut:
            raise UselessReply(
                f"the answer of {self._model} was cut off at the token limit; raise keepers.model.max_output_tokens"
                f" ({self._options.max_output_tokens})",
                reply,
            )
        return reply

    @property
    def _who(self) -> str:
        return f"{self._service.provider} at {self._access.place}"


def _negotiated(
    answer_format: AnswerFormat,
    otherwise: Callable[[AnswerFormat, str], AnswerFormat | None],
    ask: Callable[[AnswerFormat], _T],
) -> tuple[AnswerFormat, _T]:
    """The result of a request and its answer format; other formats are tried as long as the service complains."""
    known = {answer_format}
    first: _Objected | None = None
    while True:
        try:
            return answer_format, ask(answer_format)
        except _Objected as error:
            first = first or error
            following = otherwise(answer_format, error.said)
            if following is None or following in known:
                raise Unavailable(str(first)) from None
            answer_format = following
            known.add(answer_format)


def _begun(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """A stream of which the first bytes have come."""
    return chain([next(chunks, b"")], chunks)


def _access(service: ModelService, options: ModelOptions, environ: Mapping[str, str]) -> ServiceEndpoint:
    """How the service is reached, by the same rules as those that embed."""
    found = access(service, options, options.model, environ, section="keepers.model")
    named = {name.lower() for name, _value in found.headers}
    usual = tuple(header for header in service.headers if header[0].lower() not in named)
    return replace(found, headers=(*usual, *found.headers))


def _characters(text: str) -> str:
    """The text without what is no character."""
    return text.encode("utf-8", "replace").decode()
