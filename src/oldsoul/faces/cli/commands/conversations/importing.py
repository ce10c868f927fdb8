"""`messages import`: conversations from files of JSON lines."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING, Any, Self

import click

from oldsoul.errors import BadInput, NotFound
from oldsoul.faces.cli import given
from oldsoul.faces.cli.commands.conversations.sessions import ended
from oldsoul.faces.cli.frame import FAILED, Frame
from oldsoul.faces.cli.output import clean, counted, styled
from oldsoul.faces.cli.progress import Progress
from oldsoul.faces.cli.verbs import Verb, pass_frame
from oldsoul.views import talk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oldsoul.app import Agent
    from oldsoul.app.keepers.validating import Looked
    from oldsoul.app.talk.importing import Imported

_MOST_LISTED = 20
_BAD_LINES = 2


class _Source:
    """The lines of one file, and how much of it was read."""

    def __init__(self, path: str) -> None:
        self.name = "standard input" if path == "-" else path
        self.size = 0 if path == "-" else os.stat(path).st_size  # noqa: PTH116 - a plain path
        self.read = 0
        self._path = path
        self.stop = _Stop()

    def __iter__(self) -> Iterator[bytes]:
        if self._path == "-":
            given.tell_of_terminal()
            yield from self._counted(sys.stdin.buffer if sys.stdin else ())
        else:
            with open(self._path, "rb") as file:  # noqa: PTH123 - a plain path
                yield from self._counted(file)

    def _counted(self, lines: Any) -> Iterator[bytes]:
        for line in lines:
            self.stop.check()
            self.read += len(line)
            yield line


class _Stop:
    """Ctrl-C while messages are imported: what is raised at a moment that swallows it is raised again with the next line."""

    def __init__(self) -> None:
        self._asked = False

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGINT, self._interrupted)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _interrupted(self, *_: object) -> None:
        self._asked = True
        raise KeyboardInterrupt

    def check(self) -> None:
        """`KeyboardInterrupt` when it was asked for."""
        if self._asked:
            raise KeyboardInterrupt


@click.command("import", cls=Verb)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(allow_dash=True))
@click.option("--vouch", is_flag=True, help="Trust the file: a sender it calls the operator is the operator.")
@click.option("--keep-going", is_flag=True, help="Skip lines that cannot be read, and list them.")
@click.option("--end", is_flag=True, help="End every imported session afterwards.")
@pass_frame
def import_(frame: Frame, files: tuple[str, ...], vouch: bool, keep_going: bool, end: bool) -> None:
    """Log the messages of each FILE, one JSON object per line; `-` reads standard input.

    An object may have session, kind, room, sender, subject, role, text, time, key and channel. Each message is logged once:
    after an interruption, run the same command again. Without --vouch, no sender counts as the operator.
    """
    sources = [_source(path) for path in files]
    agent = frame.agent
    progress = Progress(sum(source.size for source in sources), quiet=frame.wants_json)
    done: list[Imported] = []
    try:
        for number, source in enumerate(sources):
            before = sum(each.read for each in sources[:number])
            with source.stop:
                told = _told(progress, done, before, source)
                done.append(_one(agent, source, told, vouch=vouch, keep_going=keep_going))
                source.stop.check()
        looked = _looked(agent, done, frame) if vouch else None
    except KeyboardInterrupt:
        progress.clear()
        frame.note("\nStored what was read so far; run the same command again to continue.")
        raise
    finally:
        progress.clear()
    value = talk.imported(list(zip((source.name for source in sources), done, strict=True)), looked, vouched=vouch)
    lines = [*_lines(value), *(_corrected(looked) if looked else [])]
    unfinished = False
    if end:
        ends = [ended(agent, session) for session in value["sessions"]]
        value["ended"] = [each.value for each in ends]
        unfinished = not all(each.done for each in ends)
        if looked:
            agent.parts.talk.put_right_again()
        lines += [line for each in ends if each.value["runs"] for line in each.lines]
    frame.say("\n".join(lines), value)
    if value["bad"] or unfinished:
        raise click.exceptions.Exit(_BAD_LINES if value["bad"] else FAILED)


def _source(path: str) -> _Source:
    try:
        return _Source(path)
    except FileNotFoundError:
        raise NotFound(f"there is no file {path} to import from") from None


def _told(progress: Progress, done: list[Imported], before: int, source: _Source) -> Any:
    stored = sum(each.stored + each.repeated for each in done)

    def told(count: int) -> None:
        progress.show(before + source.read, f"{stored + count:,} messages")

    return told


def _one(agent: Agent, source: _Source, told: Any, *, vouch: bool, keep_going: bool) -> Imported:
    told(0)
    try:
        return agent.parts.talk.log_lines(source, vouched=vouch, keep_going=keep_going, told=told)
    except BadInput as error:
        if not str(error).startswith("line "):
            raise
        raise BadInput(f"{source.name}, {error}") from error


def _looked(agent: Agent, done: list[Imported], frame: Frame) -> Looked | None:
    """Put right what the operator put right in all of the files."""
    progress = Progress(sum(len(each.own) for each in done), quiet=frame.wants_json)
    try:
        return agent.parts.talk.put_right(
            done, lambda count, of: progress.show(count, f"{count:,} of {of:,} messages searched for corrections")
        )
    finally:
        progress.clear()


def _corrected(looked: Looked) -> list[str]:
    lines = []
    if looked.corrected:
        lines.append(f"Applied {counted(looked.corrected, 'correction')} (`oldsoul correct` lists them).")
    if looked.proposed:
        lines.append(f"Possible corrections: {counted(looked.proposed, 'message')} (`oldsoul review`).")
    if looked.waiting:
        waits = counted(looked.waiting, "message")
        lines.append(f"Not yet searched for corrections: {waits} (`oldsoul keepers run recall-validator`).")
    return lines


def _lines(value: dict[str, Any]) -> list[str]:
    bad = value["bad"]
    known = f", {value['repeated']:,} already stored" if value["repeated"] else ""
    sessions = counted(len(value["sessions"]), "session")
    stored = f"{value['stored']:,} message{'s' if value['stored'] != 1 else ''}"
    lines = [f"Stored {stored} of {sessions}{known}."]
    if value["masked"]:
        lines.append(f"Masked {counted(value['masked'], 'secret')}.")
    if value["repeated"] and value["vouched"]:
        lines.append("Messages already stored are unchanged; --vouch applies to new messages only.")
    if value["stored"] and not value["vouched"]:
        lines.append("No sender counts as the operator, because --vouch was not given.")
    if bad:
        lines.append(styled(f"Skipped {counted(len(bad), 'line')}:", "yellow"))
        lines += [
            f"  {clean(each['file'])}, line {each['line']}: {clean(each['problem'])}" for each in bad[:_MOST_LISTED]
        ]
        lines += [f"  and {len(bad) - _MOST_LISTED} more"] if len(bad) > _MOST_LISTED else []
    return lines
