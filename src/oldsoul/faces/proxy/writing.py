"""How a reply is written for a client: what both of OpenAI's APIs have in common."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any, Protocol

from oldsoul.rules.tokens import estimated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oldsoul.app.replying.exchange import Response
    from oldsoul.faces.proxy.asked import Asked

DONE = b"data: [DONE]\n\n"


class Writer(Protocol):
    """Writes one reply, whole or as the events of a stream."""

    def whole(self, response: Response) -> dict[str, Any]:
        """The reply as one object."""
        ...

    def start(self) -> Iterator[bytes]:
        """The events before the first words."""
        ...

    def words(self, text: str) -> Iterator[bytes]:
        """The events of more words."""
        ...

    def end(self, response: Response) -> Iterator[bytes]:
        """The events after the last words."""
        ...

    def failed(self, error: dict[str, Any]) -> Iterator[bytes]:
        """The events that tell of an error in the middle, and end the stream."""
        ...


def new_id(prefix: str) -> str:
    """An id that nothing else has."""
    return f"{prefix}{uuid.uuid4().hex}"


def tokens(asked: Asked, response: Response) -> tuple[int, int]:
    """How many tokens were sent and came back; estimated where the model does not say."""
    took, prompt = response.usage, response.prompt
    if took.tokens_in and took.tokens_out:
        return took.tokens_in, took.tokens_out
    around = (turn.text for turn in (*asked.supplied.earlier, *asked.supplied.following))
    sent = took.tokens_in or estimated("\n".join((prompt.system.stable, prompt.turn, *around)))
    back = "".join((response.text, *(f"{call.name}{call.arguments}" for call in response.calls)))
    return sent, took.tokens_out or estimated(back)
