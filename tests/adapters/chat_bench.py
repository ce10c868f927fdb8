"""What tests of chat logs do around one: open it again, write from threads and processes, page through it."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from adapters.chat_writer import START, numbered, opened
from oldsoul.testing import MemoryChatLog
from oldsoul.values.messages import Message, Wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from oldsoul.ports import ChatLog

MAIN = "main"
ALL = Wanted(limit=100_000)
HOSTILE = (
    "\x00NUL \x1a0000 \ud800 lone \udfff \ud83d\ude00 \x1a \ufeff \u202e \r\n\x0b' \" \\ %s ? :x {} \x7f \U0010ffff"
)
WRITER = Path(__file__).with_name("chat_writer.py")


@dataclass(slots=True)
class Bench:
    """A log, and what a test may do around it."""

    log: ChatLog
    another: Callable[[], ChatLog]
    """the same log as somebody else opens it"""
    address: tuple[str, str] = ("", "")
    """how another process opens it: the kind, and where it is"""


@contextmanager
def memory_bench() -> Iterator[Bench]:
    """The log in memory."""
    log = MemoryChatLog()
    yield Bench(log, lambda: log)
    log.close()


@contextmanager
def real_bench(kind: str, where: str) -> Iterator[Bench]:
    """A log that other processes can open."""
    handles: list[ChatLog] = []

    def another() -> ChatLog:
        handles.append(opened(kind, where))
        return handles[-1]

    try:
        yield Bench(another(), another, (kind, where))
    finally:
        for log in handles:
            log.close()


def message(text: str = "hello", key: str = "", *, at: int = 0, **fields: object) -> Message:
    """A message said so many seconds after the start; its key is its text unless another is given."""
    made = replace(numbered("", 0), text=text, key=key or text, time=START + timedelta(seconds=at))
    return replace(made, **fields)  # type: ignore[arg-type]


def texts(messages: Sequence[Message]) -> list[str]:
    return [each.text for each in messages]


def found(log: ChatLog, words: str) -> list[str]:
    return texts(log.find(MAIN, Wanted(words=words)))


def pages(log: ChatLog, wanted: Wanted) -> list[Message]:
    """Everything, page by page."""
    seen: list[Message] = []
    while page := log.find(MAIN, wanted):
        assert len(page) <= wanted.limit
        seen += page
        wanted = replace(wanted, past=(page[-1].time, page[-1].id))
    return seen


def at_once(*work: Callable[[], None]) -> None:
    """Do all of it in threads that start together; the first error is raised here."""
    errors: list[BaseException] = []
    start = threading.Barrier(len(work))

    def run(each: Callable[[], None]) -> None:
        try:
            start.wait()
            each()
        except BaseException as error:  # noqa: BLE001 - raised again where it can be seen
            errors.append(error)

    threads = [threading.Thread(target=run, args=(each,)) for each in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for error in errors:
        raise error


class Writer:
    """A process of `chat_writer`."""

    def __init__(self, bench: Bench, prefix: str, messages: int) -> None:
        command = [sys.executable, str(WRITER), *bench.address, prefix, str(messages)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.read()

    def read(self) -> str:
        """The next line it says."""
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def go(self) -> None:
        """Let it begin."""
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def rest(self) -> list[tuple[str, int, bool]]:
        """What it acknowledged from here to its end: keys, numbers, whether each was there before."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        lines = self.process.stdout.read().splitlines(keepends=True)  # communicate() would skip what is buffered
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        told = [line.split() for line in lines if line.endswith("\n")]
        return [(key, int(number), bool(int(repeated))) for key, number, repeated in told]
