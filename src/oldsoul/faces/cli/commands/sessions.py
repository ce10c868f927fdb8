"""`sessions`: conversations, the memory that is made of them, and what people asked to be remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import click

from oldsoul.errors import BadInput, NotFound
from oldsoul.faces.cli import verbs
from oldsoul.faces.cli.frame import FAILED, Frame
from oldsoul.faces.cli.output import clean, counted, lines_of, raw, styled, table, to_stdout, visible_to, when
from oldsoul.faces.cli.verbs import Verb, Verbs, common, pass_frame
from oldsoul.reading.dates import day as day_of
from oldsoul.values.ids import checked_id
from oldsoul.values.sessions import Subject
from oldsoul.views import files, talk, upkeep

if TYPE_CHECKING:
    from datetime import datetime

    from oldsoul.app import Agent
    from oldsoul.app.talk.conversations import MemoryRequest
    from oldsoul.app.talk.days import Day
    from oldsoul.app.talk.log import SessionProgress
    from oldsoul.faces.cli.frame import Frame


@click.group(cls=Verbs, default="list", takes_words=True)
@common
def sessions() -> None:
    """List sessions, show one, or end one so that it becomes memory. Without a command: list them."""


@sessions.command("list")
@click.argument("session", required=False, shell_complete=verbs.sessions)
@click.option("--open", "only_open", is_flag=True, help="Only sessions with messages that are not in memory yet.")
@pass_frame
def list_(frame: Frame, session: str | None, only_open: bool) -> None:
    """List sessions, latest first, or show SESSION and its files.

    The column MEMORY says `ended` when every message is in memory, else how many are new.
    """
    agent = frame.agent
    if session is not None:
        if only_open:
            raise BadInput("--open is for the list; leave it out to show one session")
        _show(frame, agent, agent.talk.session(checked_id(session, "session")))
        return
    found = [held for held in agent.talk.sessions() if not (only_open and held.ended)]
    value = [talk.session(held, agent.talk.unsummarised(held)) for held in found]
    now = agent.now()
    rows = [
        (each.session, each.kind, each.with_ or "–", each.messages, when(each.last, now), _state(each))
        for each in value
    ]
    text = table(
        ("SESSION", "KIND", "WITH", "MESSAGES", "LAST", "MEMORY"),
        rows,
        flexible=0,
        styles=["" if each.ended else "yellow" for each in value],
    )
    frame.say(text if rows else "No sessions yet." if not only_open else "Every session is ended.", value)


def _state(about: talk.SessionShown) -> str:
    return "ended" if about.ended else f"{about.new:,} new"


def _show(frame: Frame, agent: Agent, held: SessionProgress) -> None:
    audience = agent.talk.audience(held.thread.session)
    files = tuple(name.path for name in agent.talk.files(held.thread.session.id))
    about = talk.session_whole(held, agent.talk.unsummarised(held), audience, files)
    now = agent.now()
    rows = [
        ("Session", about.session),
        ("Kind", about.kind),
        ("With", about.with_ or "–"),
        ("Visible to", visible_to(audience)),
        ("Channel", about.channel or "–"),
        ("Messages", f"{about.messages:,}, {when(about.first, now)} to {when(about.last, now)}"),
        ("Memory", _state(about)),
        *(("File", path) for path in files),
    ]
    lines = [f"{styled(f'{head}:', 'bold')}{' ' * (11 - len(head))}{clean(text)}" for head, text in rows]
    if not held.ended:
        lines.append(styled(f"`oldsoul sessions end {clean(about.session)}` makes it memory.", "dim"))
    frame.say("\n".join(lines), about)


# ending


class Ended(NamedTuple):
    """What ending one session came to."""

    value: upkeep.EndedShown
    """as JSON has it"""
    lines: list[str]
    """as people read it"""


@sessions.command("end")
@click.argument("session", required=False, shell_complete=verbs.sessions)
@click.option("--all", "every", is_flag=True, help="All sessions with messages that are not in memory yet.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@pass_frame
def end(frame: Frame, session: str | None, every: bool, dry_run: bool) -> None:
    """Turn the new messages of SESSION into memory.

    This writes the session's file of the day, the daily log and long-term memory. The conversation may go on afterwards.
    The exit code is 1 when something could not be written.

    Example: oldsoul sessions end --all
    """
    agent = frame.agent
    if every == (session is not None):
        raise BadInput("name one session, or give --all; `oldsoul sessions` lists them")
    # The oldest first, so that the diary reads in the order things happened.
    wanted = [held.thread.session.id for held in reversed(agent.talk.sessions()) if not held.ended] if every else []
    if session is not None:
        wanted = [checked_id(session, "session")]
    ends: list[Ended] = []
    for one in wanted:
        ends.append(ended(agent, one, dry_run=dry_run))
        if not frame.wants_json:
            to_stdout("\n".join(ends[-1].lines))
    frame.say("" if ends else "Every session is ended.", [each.value for each in ends])
    if not all(each.value.done for each in ends):
        raise click.exceptions.Exit(FAILED)


def ended(agent: Agent, session_id: str, *, dry_run: bool = False) -> Ended:
    """Ends a session, or only tries to, and shows the result."""
    reports = agent.talk.end(session_id, dry_run=dry_run)
    value = upkeep.ended(session_id, reports, dry_run=dry_run)
    if not reports:
        return Ended(value, [f"{clean(session_id)}: no new messages."])
    lines: list[str] = []
    for report in reports:
        lines.append(styled(f"{clean(session_id)}, {upkeep.day_of(report)}", "bold"))
        lines += lines_of(report, dry_run=dry_run)
    if dry_run:
        each = " Each day is compared with the files as they are now." if len(reports) > 1 else ""
        lines.append(styled(f"Nothing was written.{each}", "dim"))
    elif not value.done:
        lines.append(styled(f"{clean(session_id)} is not finished; fix the cause and run this again.", "red"))
    return Ended(value, lines)


# what was asked to be remembered

_ASKS = {"USER.md": " (after your approval)"}
_STYLE = {"kept": "green", "next": "cyan", "task": "cyan", "left": "dim"}


@sessions.command()
@click.argument("session", shell_complete=verbs.sessions)
@pass_frame
def asked(frame: Frame, session: str) -> None:
    """Show what people asked to be remembered in SESSION: where each request is kept, or why it is not."""
    agent = frame.agent
    found = agent.talk.asked(checked_id(session, "session"))
    now = agent.now()
    text = "\n".join(line for one in found for line in _lines(one, now))
    frame.say(text or "Nobody asked for anything to be remembered in this session.", [talk.asked(one) for one in found])


def _lines(one: MemoryRequest, now: datetime) -> list[str]:
    where = " and ".join(f"{name.path}{_ASKS.get(name.path, '')}" for name in one.names)
    told = {
        "kept": f"kept in {where}",
        "next": f"will be kept in {where} when the session ends",
        "task": "a task in the session's file",
        "left": f"not kept: {one.why}",
    }
    head = f"Message {one.message.id}, {when(one.message.time.isoformat(), now)}: {told[one.state]}"
    return [styled(head, _STYLE[one.state]), f"  {clean(' '.join(one.words.split()))}"]


@click.group(cls=Verbs, default="list")
@common
def people() -> None:
    """List people, and bind their names in channels to accounts. Without a command: list them."""


@people.command("list")
@pass_frame
def list_people(frame: Frame) -> None:
    """List people: who is an operator, the names they are known by, and how many entries are about them."""
    found = frame.soul.people()
    rows = [
        (person.id, "yes" if person.operator else "–", ", ".join(person.known_as) or "–", person.memories)
        for person in found
    ]
    frame.say(table(("PERSON", "OPERATOR", "KNOWN AS", "ENTRIES"), rows, flexible=2), list(map(talk.person, found)))


@people.command()
@click.argument("name")
@click.argument("account")
@pass_frame
def bind(frame: Frame, name: str, account: str) -> None:
    """Bind NAME, such as ext:telegram:7, to ACCOUNT, such as acct:42, and merge their memory.

    Example: oldsoul people bind ext:telegram:7 acct:42
    """
    joined = frame.soul.bind(name, account)
    name, account = Subject(name).id, Subject(account).id
    moved = f" Merged their memory: {', '.join(joined)}." if joined else ""
    frame.say(f"Bound {clean(name)} to {clean(account)}.{moved}", talk.Bound(name, account, tuple(joined)))


@people.command()
@click.argument("name")
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@pass_frame
def unbind(frame: Frame, name: str, yes: bool) -> None:
    """Unbind NAME from its account. Memory that was merged stays merged."""
    name = Subject(name).id
    account = frame.soul.bindings().get(name)
    if account is None:
        raise NotFound(f"{name} is not bound to an account; `oldsoul people` lists everybody")
    if not yes:
        frame.ask(f"{clean(name)} is bound to {clean(account)}. Unbind it?")
    frame.soul.unbind(name)
    frame.say(
        f"Unbound {clean(name)} from {clean(account)}. Merged memory stays with {clean(account)}.",
        {"name": name, "account": account},
    )


@click.command(cls=Verb)
@click.argument("day", required=False, metavar="[DATE]")
@click.option("--archive", is_flag=True, help="Archive old days now.")
@click.option("--restore", metavar="DATE", help="Restore a day from the archive, byte for byte.")
@pass_frame
def days(frame: Frame, day: str | None, archive: bool, restore: str | None) -> None:
    """List the daily logs, latest first, or print the log of DATE."""
    if (day is not None) + archive + (restore is not None) > 1:
        raise BadInput("give a date, --archive or --restore, one at a time")
    agent = frame.agent
    if archive:
        _archive(frame, agent)
    elif restore is not None:
        _restore(frame, agent, restore)
    elif day is not None:
        _print(frame, agent, day)
    else:
        found = agent.talk.days()
        rows = [(one.day, one.entries, f"{one.size:,}", one.name.path, "yes" if one.archived else "–") for one in found]
        text = table(("DAY", "ENTRIES", "BYTES", "FILE", "ARCHIVED"), rows, flexible=3)
        frame.say(text if rows else "No days yet.", [files.day(one) for one in found])


def _print(frame: Frame, agent: Agent, text: str) -> None:
    wanted = day_of(text)
    found = sorted((one for one in agent.talk.days() if one.day == wanted), key=lambda one: (one.archived, _part(one)))
    if not found:
        raise NotFound(f"there is no log of {wanted}; `oldsoul days` lists those there are")
    here = [one for one in found if not one.archived] or found
    parts = [agent.files.read(one.name.path).data or b"" for one in here]
    if frame.wants_json:
        value = [files.day_text(one, data) for one, data in zip(here, parts, strict=True)]
        frame.say("", value)
        return
    if here[0].archived:
        frame.note(f"From the archive; `oldsoul days --restore {wanted}` restores it.")
    for data in parts:
        raw(data)


def _part(one: Day) -> int:
    """The number of a file among those of its day."""
    number = one.name.path.removesuffix(".md").rpartition(".")[2]
    return int(number) if number.isdecimal() else 1


def _archive(frame: Frame, agent: Agent) -> None:
    gone, problems = agent.talk.archive_days()
    limit = agent.talk.days_kept
    if gone:
        text = "\n".join([f"Archived {counted(len(gone), 'file')}:", *(f"  {name.path}" for name in gone)])
    elif limit is None:
        text = "Nothing is archived, because memory.workspace.daily_log_retention_days is not set."
    else:
        text = f"No day is older than {counted(limit, 'day')}."
    text = "\n".join([text, *(styled(f"Not archived: {clean(problem)}", "red") for problem in problems)])
    frame.say(text, {"archived": [name.path for name in gone], "after_days": limit, "problems": [*problems]})


def _restore(frame: Frame, agent: Agent, text: str) -> None:
    wanted = day_of(text)
    back = agent.talk.restore_day(wanted)
    limit = agent.talk.days_kept
    again = limit is not None and (agent.now().date() - wanted).days > limit
    lines = [f"Restored: {', '.join(name.path for name in back)}"]
    if again:
        lines.append(f"Note: days older than {counted(limit or 0, 'day')} are archived once a day.")
    frame.say("\n".join(lines), {"restored": [name.path for name in back], "archived_again": again})
