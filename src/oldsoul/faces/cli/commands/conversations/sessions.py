"""`sessions` and `end-session`: conversations, and the memory that is made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from oldsoul.errors import BadInput
from oldsoul.faces.cli import completing
from oldsoul.faces.cli.frame import FAILED, Frame
from oldsoul.faces.cli.output import clean, styled, table, to_stdout, when
from oldsoul.faces.cli.reports import lines_of
from oldsoul.faces.cli.verbs import Verb, pass_frame
from oldsoul.values.ids import checked_id
from oldsoul.views import talk, upkeep

if TYPE_CHECKING:
    from oldsoul.app import Agent
    from oldsoul.app.talk.log import Held


@click.command(cls=Verb)
@click.argument("session", required=False, shell_complete=completing.sessions)
@click.option("--open", "only_open", is_flag=True, help="Only those with messages that are not memory yet.")
@pass_frame
def sessions(frame: Frame, session: str | None, only_open: bool) -> None:
    """List conversations, the latest first, or show one with its files.

    MEMORY says whether all of it was made memory (ended), or how many messages are new since.
    """
    agent = frame.agent
    if session is not None:
        if only_open:
            raise BadInput("--open is for the list; leave it out to look at one session")
        _show(frame, agent, agent.parts.log.session(checked_id(session, "session")))
        return
    found = [held for held in agent.parts.log.sessions() if not (only_open and held.ended)]
    value = [talk.session(held, agent.parts.log.new(held)) for held in found]
    now = agent.parts.today()
    rows = [
        (each["session"], each["kind"], each["with"] or "–", each["messages"], when(each["last"], now), _state(each))
        for each in value
    ]
    text = table(
        ("SESSION", "KIND", "WITH", "MESSAGES", "LAST", "MEMORY"),
        rows,
        flexible=0,
        styles=["" if each["ended"] else "yellow" for each in value],
    )
    frame.say(text if rows else "No conversations yet." if not only_open else "Every conversation is ended.", value)


def _state(about: dict[str, Any]) -> str:
    return "ended" if about["ended"] else f"{about['new']:,} new"


def _show(frame: Frame, agent: Agent, held: Held) -> None:
    about = talk.session(held, agent.parts.log.new(held))
    files = agent.parts.log.files(held.thread.session.id)
    now = agent.parts.today()
    rows = [
        ("Session", about["session"]),
        ("Kind", about["kind"]),
        ("With", about["with"] or "–"),
        ("Seen by", str(agent.parts.home.people.audience(held.thread.session))),
        ("Channel", about["channel"] or "–"),
        ("Messages", f"{about['messages']:,}, {when(about['first'], now)} to {when(about['last'], now)}"),
        ("Memory", _state(about)),
        *(("File", name.path) for name in files),
    ]
    lines = [f"{styled(f'{head}:', 'bold')}{' ' * (10 - len(head))}{clean(text)}" for head, text in rows]
    if not held.ended:
        lines.append(styled(f"`oldsoul end-session {clean(about['session'])}` makes memory of it.", "dim"))
    audience = str(agent.parts.home.people.audience(held.thread.session))
    frame.say("\n".join(lines), {**about, "audience": audience, "files": [name.path for name in files]})


# ending


class Ended(NamedTuple):
    """What ending one session came to."""

    value: dict[str, Any]
    """as JSON has it"""
    lines: list[str]
    """as people read it"""
    done: bool
    """whether all its runs are done; a dry run always is"""


@click.command(cls=Verb)
@click.argument("session", required=False, shell_complete=completing.sessions)
@click.option("--all", "every", is_flag=True, help="All that have messages which are not memory yet.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@pass_frame
def end_session(frame: Frame, session: str | None, every: bool, dry_run: bool) -> None:
    """Make memory of what a conversation said since it was last ended.

    Its file of the day, the diary and long-term memory are written. The conversation may go on afterwards. The exit code
    is 1 when something could not be done.
    """
    agent = frame.agent
    if every == (session is not None):
        raise BadInput("name one session, or all of them with --all; `oldsoul sessions` lists them")
    # The oldest first, so that the diary reads in the order things happened.
    wanted = (
        [held.thread.session.id for held in reversed(agent.parts.log.sessions()) if not held.ended] if every else []
    )
    if session is not None:
        wanted = [checked_id(session, "session")]
    ends: list[Ended] = []
    for one in wanted:
        ends.append(ended(agent, one, dry_run=dry_run))
        if not frame.wants_json:
            to_stdout("\n".join(ends[-1].lines))
    frame.say("" if ends else "Every conversation is ended.", [each.value for each in ends])
    if not all(each.done for each in ends):
        raise click.exceptions.Exit(FAILED)


def ended(agent: Agent, session_id: str, *, dry_run: bool = False) -> Ended:
    """Ends a session, or only tries to, and tells what came of it."""
    reports = agent.end_session(session_id, dry_run=dry_run)
    value = upkeep.ended(session_id, reports, dry_run=dry_run)
    done = value["done"]
    if not reports:
        return Ended(value, [f"{clean(session_id)}: nothing new; it is ended."], done=True)
    lines: list[str] = []
    for report in reports:
        lines.append(styled(f"{clean(session_id)}, {upkeep.day_of(report)}", "bold"))
        lines += lines_of(report, dry_run=dry_run)
    if dry_run:
        each = " Each day is compared with how things stand now." if len(reports) > 1 else ""
        lines.append(styled(f"Nothing was written.{each}", "dim"))
    elif not done:
        lines.append(styled(f"{clean(session_id)} is not done; run this again once the cause is gone.", "red"))
    return Ended(value, lines, done)
