"""`messages import`: conversations from files of JSON lines."""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import TYPE_CHECKING, Any, Self

import click

from oldsoul.errors import BadInput, NotFound
from oldsoul.faces.cli import given, verbs
from oldsoul.faces.cli.commands.sessions import ended
from oldsoul.faces.cli.frame import FAILED, Frame
from oldsoul.faces.cli.output import (
    ProgressLine,
    clean,
    correction_lines,
    counted,
    styled,
    table,
    to_stdout,
    visible_to,
    when,
)
from oldsoul.faces.cli.verbs import FreeTextCommand, Verb, Verbs, Whole, common, pass_frame
from oldsoul.reading.dates import moment
from oldsoul.values.ids import checked_id
from oldsoul.values.keepers import PROMPTED
from oldsoul.values.messages import Wanted, cursor_of, place_of
from oldsoul.values.sessions import Subject
from oldsoul.views import talk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oldsoul.app import Agent
    from oldsoul.app.keepers.recall_validator import ImportedCorrections
    from oldsoul.app.talk.imports import Imported
    from oldsoul.faces.cli.frame import Frame
    from oldsoul.judging.triage import Lead
    from oldsoul.values.messages import Flag, Message


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
    progress = ProgressLine(sum(source.size for source in sources), quiet=frame.wants_json)
    done: list[Imported] = []
    try:
        for number, source in enumerate(sources):
            before = sum(each.read for each in sources[:number])
            with source.stop:
                on_progress = _told(progress, done, before, source)
                done.append(_one(agent, source, on_progress, vouch=vouch, keep_going=keep_going))
                source.stop.check()
        looked = _looked(agent, done, frame) if vouch else None
    except KeyboardInterrupt:
        progress.clear()
        frame.note("\nStored what was read so far; run the same command again to continue.")
        raise
    finally:
        progress.clear()
    named = list(zip((source.name for source in sources), done, strict=True))
    sessions = dict.fromkeys(session for each in done for session in each.sessions)
    ends = [ended(agent, session) for session in sessions] if end else None
    if ends is not None and looked:
        agent.talk.correct_again()
    value = talk.imported(named, looked, [each.value for each in ends] if ends is not None else None, vouched=vouch)
    lines = [*_lines(value), *(_corrected(looked) if looked else [])]
    lines += [line for each in ends or () if each.value.runs for line in each.lines]
    frame.say("\n".join(lines), value)
    unfinished = not all(each.value.done for each in ends or ())
    if value.bad or unfinished:
        raise click.exceptions.Exit(_BAD_LINES if value.bad else FAILED)


def _source(path: str) -> _Source:
    try:
        return _Source(path)
    except FileNotFoundError:
        raise NotFound(f"there is no file {path} to import from") from None


def _told(progress: ProgressLine, done: list[Imported], before: int, source: _Source) -> Any:
    stored = sum(each.stored + each.repeated for each in done)

    def on_progress(count: int) -> None:
        progress.show(before + source.read, f"{stored + count:,} messages")

    return on_progress


def _one(agent: Agent, source: _Source, on_progress: Any, *, vouch: bool, keep_going: bool) -> Imported:
    on_progress(0)
    try:
        return agent.talk.log_lines(source, vouched=vouch, keep_going=keep_going, on_progress=on_progress)
    except BadInput as error:
        if not str(error).startswith("line "):
            raise
        raise BadInput(f"{source.name}, {error}") from error


def _looked(agent: Agent, done: list[Imported], frame: Frame) -> ImportedCorrections | None:
    """Carry out the operator's corrections in all of the files."""
    progress = ProgressLine(sum(len(each.own) for each in done), quiet=frame.wants_json)
    try:
        return agent.talk.correct_imported(
            done, lambda count, of: progress.show(count, f"{count:,} of {of:,} messages searched for corrections")
        )
    finally:
        progress.clear()


def _corrected(looked: ImportedCorrections) -> list[str]:
    lines = []
    if looked.corrected:
        lines.append(f"Applied {counted(looked.corrected, 'correction')} (`oldsoul correct` lists them).")
    if looked.proposed:
        lines.append(f"Possible corrections: {counted(looked.proposed, 'message')} (`oldsoul review`).")
    if looked.waiting:
        waits = counted(looked.waiting, "message")
        lines.append(f"Not yet searched for corrections: {waits} (`oldsoul keepers run recall-validator`).")
    return lines


def _lines(value: talk.ImportedShown) -> list[str]:
    bad = value.bad
    known = f", {value.repeated:,} already stored" if value.repeated else ""
    sessions = counted(len(value.sessions), "session")
    stored = f"{value.stored:,} message{'s' if value.stored != 1 else ''}"
    lines = [f"Stored {stored} of {sessions}{known}."]
    if value.masked:
        lines.append(f"Masked {counted(value.masked, 'secret')}.")
    if value.repeated and value.vouched:
        lines.append("Messages already stored are unchanged; --vouch applies to new messages only.")
    if value.stored and not value.vouched:
        lines.append("No sender counts as the operator, because --vouch was not given.")
    if bad:
        lines.append(styled(f"Skipped {counted(len(bad), 'line')}:", "yellow"))
        lines += [f"  {clean(each.file)}, line {each.line}: {clean(each.problem)}" for each in bad[:_MOST_LISTED]]
        lines += [f"  and {len(bad) - _MOST_LISTED} more"] if len(bad) > _MOST_LISTED else []
    return lines


KINDS = ("dm", "group", "team", "subagent", "cron")
_ROLES = ("user", "assistant", "system", "tool")
_PAGE = 20


def _keepers(_context: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """What the shell may complete: keepers that messages may be flagged for."""
    return [keeper for keeper in PROMPTED if keeper.startswith(incomplete)]


@click.group(cls=Verbs, default="list")
@common
def messages() -> None:
    """List, log, import and export messages. Without a command: list them, newest first."""


messages.add_command(import_)


# coming in


@messages.command("log", cls=FreeTextCommand)
@click.argument("text", nargs=-1, required=True)
@click.option(
    "--session",
    metavar="ID",
    shell_complete=verbs.sessions,
    help="The session the message belongs to; by default one for its kind, room and person.",
)
@click.option("--kind", type=click.Choice(KINDS), help="The kind of session; dm by default, group if --room is given.")
@click.option("--room", metavar="ID", help="The room the message was sent in.")
@click.option("--sender", default="", help="The sender's display name.")
@click.option(
    "--subject", metavar="PERSON", help="The sender's id, acct:… or ext:channel:user; in a dm, you by default."
)
@click.option("--role", type=click.Choice(_ROLES), default="user", show_default=True, help="The sender's role.")
@click.option("--time", metavar="TIME", help="When it was sent; now by default.")
@click.option("--channel", default="cli", show_default=True, help="The channel it came through.")
@click.option("--key", default="", help="An id for the message: the same key is logged once.")
@pass_frame
def log_(
    frame: Frame,
    text: tuple[str, ...],
    *,
    session: str | None,
    kind: str | None,
    room: str | None,
    sender: str,
    subject: str | None,
    role: str,
    time: str | None,
    channel: str,
    key: str,
) -> None:
    """Log one message; `-` reads it from standard input.

    When the command returns, the message is on disk. The sender is taken to be who you say it is.

    Example: oldsoul messages log "Please remember that the staging server is called Juno"
    """
    said = given.text(text, 'give the text of the message, as in `oldsoul messages log "Good morning"`')
    _all_text(sender, channel, key)
    agent = frame.agent
    conversation = agent.talk.conversation(session, kind, room, subject)
    heard = agent.hear(
        said,
        session=conversation,
        role=role,
        sender=sender,
        subject=Subject(subject).id if subject and role == "user" else None,
        time=moment(time, agent.zone) if time is not None else None,
        channel=channel,
        key=key,
    )
    corrected = correction_lines(heard.corrected) if heard.corrected and heard.corrected.steps else []
    value = talk.heard(heard)
    frame.close()  # an answer means that nothing is left to do
    message = heard.message
    did = "Already logged" if heard.repeated else "Logged"
    lines = [
        f"{did}: message {message.id} of {clean(message.session.id)} ({_for_whom(message)})",
        *(f"  {_flag_line(flag)}" for flag in heard.flags),
        *([f"Masked {counted(heard.masked, 'secret')}."] if heard.masked else []),
        *corrected,
    ]
    frame.say("\n".join(lines), value)


def _all_text(*texts: str) -> None:
    if any("\ud800" <= c <= "\udfff" for text in texts for c in text):
        raise BadInput("an option's text is not UTF-8")


def _for_whom(message: Message) -> str:
    return f"{message.session.kind}, visible to {clean(visible_to(message.audience))}"


def _flag_line(flag: Flag) -> str:
    return f"{flag.trigger} → {flag.route} ({flag.confidence}): “{clean(flag.phrase)}”"


# looking


@messages.command("list")
@click.option("--session", metavar="ID", shell_complete=verbs.sessions, help="Only messages of this session.")
@click.option("--subject", metavar="PERSON", help="Only messages of this person.")
@click.option("--room", metavar="ID", help="Only messages sent in this room.")
@click.option("--since", metavar="TIME", help=given.SINCE)
@click.option("--until", metavar="TIME", help=given.UNTIL)
@click.option("--find", metavar="WORDS", help="Only messages that contain all of these words.")
@click.option("--flagged", metavar="KEEPER", shell_complete=_keepers, help="Only messages triage flagged for a keeper.")
@click.option("-n", "--limit", type=Whole(1, 100_000), help=f"How many; {_PAGE} by default.")
@click.option("--before", metavar="CURSOR", help="The next page; the end of each page shows its cursor.")
@click.option("--export", is_flag=True, help="Write all of them, oldest first, as JSON lines for `messages import`.")
@pass_frame
def list_(
    frame: Frame,
    *,
    session: str | None,
    subject: str | None,
    room: str | None,
    since: str | None,
    until: str | None,
    find: str | None,
    flagged: str | None,
    limit: int | None,
    before: str | None,
    export: bool,
) -> None:
    """List messages, newest first.

    Example: oldsoul messages --find deploy --since 2026-02-01
    """
    agent = frame.agent
    size = limit or _PAGE
    if find is not None and not find.strip():
        raise BadInput("--find needs words to search for")
    first, end = given.span(agent, since, until)
    wanted = Wanted(
        session=checked_id(session, "session") if session is not None else "",
        subject=Subject(subject).id if subject is not None else "",
        room=checked_id(room, "room") if room is not None else "",
        words=find or "",
        flagged=_keeper(flagged),
        since=first,
        until=end,
        past=place_of(before) if before is not None else None,
        newest_first=not export,
        limit=size + 1,
    )
    if export:
        if limit or before or frame.wants_json:
            raise BadInput("--export writes all of them as JSON lines; leave out --limit, --before and --json")
        _export(agent, wanted)
        return
    found = agent.talk.messages(wanted)
    page = found[:size]
    further = cursor_of(page[-1]) if len(found) > size else None
    text = _listed(agent, page) if page else "No messages."
    if further:
        text += styled(f"\nOlder: --before {further}", "dim")
    frame.say(text, talk.MessageList(tuple(map(talk.message, page)), further))


def _keeper(name: str | None) -> str:
    if name is not None and name not in PROMPTED:
        raise BadInput(f"there is no keeper {name!r}; the keepers are {', '.join(PROMPTED)}")
    return name or ""


def _listed(agent: Agent, page: list[Message]) -> str:
    now = agent.now()
    rows = [
        (
            message.id,
            when(message.time.isoformat(), now),
            message.session.id,
            who(message),
            ", ".join(dict.fromkeys(flag.trigger for flag in message.flags)) or "–",
            " ".join(message.text.split()),
        )
        for message in page
    ]
    return table(("MESSAGE", "WHEN", "SESSION", "WHO", "FLAGS", "TEXT"), rows)


def who(message: Message) -> str:
    """Who says a message, in a word."""
    person = message.subject.id if message.subject else ""
    return " ".join((message.sender or person or message.role).split())


def _export(agent: Agent, wanted: Wanted) -> None:
    for message in agent.talk.every(wanted):
        to_stdout(json.dumps(talk.exported(message), ensure_ascii=False), exact=True)


# triage


@messages.command(cls=FreeTextCommand)
@click.argument("text", nargs=-1, required=True)
@click.option("--said", metavar="TEXT", default="", help="The agent's message just before.")
@pass_frame
def triage(frame: Frame, text: tuple[str, ...], said: str) -> None:
    """Show how TEXT would be flagged, and what happens with such a message; `-` reads it from standard input.

    Nothing is logged. With --said, corrections of the agent's message are shown as well.

    Example: oldsoul messages triage "remember that I am allergic to nuts"
    """
    from oldsoul.judging.triage import triaged  # noqa: PLC0415 - the engine of patterns takes a while to load

    words = given.text(text, "give a text, as a person would write it")
    seen = triaged(words, said, frame.agent.settings.memory.triage)
    made = seen.correction
    lines = [line for lead in seen.leads for line in (_flag_line(lead.flag), *_paths(lead))]
    lines += [f"corrects: {clean(made.old)} → {clean(made.new)}\n  if the operator says it"] if made else []
    if not lines:
        lines = ["Triage flags nothing." if seen.enabled else "Triage is turned off (memory.triage.enabled)."]
    lines += [styled(f"Note: {clean(problem)}", "yellow") for problem in seen.problems]
    frame.say("\n".join(lines), talk.triaged(seen))


def _paths(lead: Lead) -> list[str]:
    """What happens with a flagged message, in words."""
    related = ", if there is a related memory" if lead.needs_related else ""
    return [
        f"  if the operator says it: {lead.operator or 'nothing'}{related}",
        f"  if anybody else says it: {lead.others or 'nothing'}",
    ]
