"""A process that logs messages: it waits to be told, opens the log, and says what was acknowledged, line by line."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from itertools import count, islice
from typing import TYPE_CHECKING

from oldsoul.values.audience import OWNER
from oldsoul.values.messages import Message
from oldsoul.values.origin import Origin
from oldsoul.values.sessions import Session

if TYPE_CHECKING:
    from oldsoul.ports import ChatLog

START = datetime(2026, 2, 4, 12, tzinfo=UTC)


def opened(kind: str, address: str) -> ChatLog:
    """The log of a kind."""
    if kind == "sqlite":
        from oldsoul.adapters.sqlite.chat import SqliteChatLog  # noqa: PLC0415 - a process opens one kind

        return SqliteChatLog(address)
    from oldsoul.adapters.postgres.chat import PostgresChatLog  # noqa: PLC0415 - as above

    return PostgresChatLog(address, "home")


def numbered(prefix: str, number: int) -> Message:
    """A message of which everything follows from its number."""
    return Message(
        workspace="main",
        session=Session.dm(id=f"s{number % 3}"),
        role="user",
        sender="Al",
        subject=None,
        text=f"word {prefix}{number}. " + "and more " * (number % 50),
        time=START + timedelta(seconds=number),
        origin=Origin.OPERATOR,
        audience=OWNER,
        key=f"{prefix}{number}",
    )


def main(kind: str, address: str, prefix: str, messages: str) -> None:
    """Log so many messages one by one; without end for 0."""
    print("ready", flush=True)  # noqa: T201 - how it speaks
    sys.stdin.readline()
    log = opened(kind, address)
    for number in islice(count(), int(messages) or None):
        (logged,) = log.append([numbered(prefix, number)])
        print(logged.message.key, logged.message.id, int(logged.repeated), flush=True)  # noqa: T201 - as above
    log.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
