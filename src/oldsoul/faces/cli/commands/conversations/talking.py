"""`log-message`, `messages` and `triage`: what is said, looked through and looked at."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from oldsoul.errors import BadInput
from oldsoul.faces.cli import completing, given
from oldsoul.faces.cli.output import clean, counted, styled, table, to_stdout, when
from oldsoul.faces.cli.reports import correction_lines
from oldsoul.faces.cli.verbs import Telling, Verb, pass_frame
from oldsoul.reading.moments import moment, span
from oldsoul.rules.options import KEEPERS
from oldsoul.values.ids import checked_id
from oldsoul.values.messages import Wanted, cursor_of, place_of
from oldsoul.values.sessions import Subject
from oldsoul.views import talk

if TYPE_CHECKING:
    from oldsoul.app import Agent
    from oldsoul.faces.cli.frame import Frame
    from oldsoul.judging.triaging import Lead
    from oldsoul.values.messages import Flag, Message

KINDS = ("dm", "group", "team", "subagent", "cron")
_ROLES = ("user", "assistant", "system", "tool")
_PAGE = 20


def _keepers(_context: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """What the shell may complete: keepers that messages may be flagged for."""
    return [keeper for keeper in KEEPERS if keeper.startswith(incomplete)]


# coming in


@click.command(cls=Telling)
@click.argument("text", nargs=-1, required=True)
@click.option(
    "--session", metavar="ID", shell_complete=completing.sessions, help="The conversation; one of its own if not named."
)
@click.option("--kind", type=click.Choice(KINDS), help="What kind of conversation: dm, or group where a room is named.")
@click.option("--room", metavar="ID", help="The shared place it is said in.")
@click.option("--sender", default="", help="The name it was sent under.")
@click.option("--subject", metavar="PERSON", help="Who says it, acct:… or ext:channel:user; in a dm you, if not named.")
@click.option("--role", type=click.Choice(_ROLES), default="user", show_default=True, help="In what part it is said.")
@click.option("--time", metavar="TIME", help="When it was said, if not now.")
@click.option("--channel", default="cli", show_default=True, help="Where it came through.")
@click.option("--key", default="", help="Names this message: the same key is logged once.")
@pass_frame
def log_message(
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
    """Log one message of a conversation; `-` reads it from standard input.

    When this command returns, it is on the disk. You vouch for who says it.
    """
    said = given.text(text, 'there is nothing to log; give some words, as in `oldsoul log-message "Good morning"`')
    _all_text(sender, channel, key)
    agent = frame.agent
    conversation = agent.parts.log.meant(session, kind, room, subject)
    heard = agent.hear(
        said,
        session=conversation,
        role=role,
        sender=sender,
        subject=Subject(subject).id if subject and role == "user" else None,
        time=moment(time, agent.parts.zone) if time is not None else None,
        channel=channel,
        key=key,
    )
    corrected = correction_lines(heard.corrected) if heard.corrected and heard.corrected.steps else []
    value = talk.heard(heard)
    frame.close()  # an answer means that nothing is left to do
    message = heard.message
    did = "Known already" if heard.repeated else "Logged"
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
    return f"{message.session.kind}, for {clean(str(message.audience))}"


def _flag_line(flag: Flag) -> str:
    return f"{flag.trigger} → {flag.route} ({flag.confidence}): “{clean(flag.phrase)}”"


# looking


@click.command(cls=Verb)
@click.option("--session", metavar="ID", shell_complete=completing.sessions, help="Only those of one conversation.")
@click.option("--subject", metavar="PERSON", help="Only what one person said.")
@click.option("--room", metavar="ID", help="Only what was said in one room.")
@click.option("--since", metavar="TIME", help="Not older than a time, or than the first moment of a day.")
@click.option("--until", metavar="TIME", help="Older than a time, or than the end of a day.")
@click.option("--find", metavar="WORDS", help="Only those that hold all of these words.")
@click.option("--flagged", metavar="KEEPER", shell_complete=_keepers, help="Only those triage flagged for a keeper.")
@click.option("-n", "--limit", type=click.IntRange(1, 100_000), help=f"How many; {_PAGE} if not given.")
@click.option("--before", metavar="CURSOR", help="The next page: what comes after the place a page ended at.")
@click.option("--export", is_flag=True, help="Write all of them, oldest first, as JSON lines for `import-messages`.")
@pass_frame
def messages(
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
    """List logged messages, newest first."""
    agent = frame.agent
    size = limit or _PAGE
    if find is not None and not find.strip():
        raise BadInput("--find needs some words")
    first, end = span(since, until, agent.parts.zone)
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
    found = agent.parts.log.messages(wanted)
    page = found[:size]
    further = cursor_of(page[-1]) if len(found) > size else None
    text = _listed(agent, page) if page else "No messages."
    if further:
        text += styled(f"\nOlder ones: --before {further}", "dim")
    frame.say(text, {"messages": [talk.message(message) for message in page], "next": further})


def _keeper(name: str | None) -> str:
    if name is not None and name not in KEEPERS:
        raise BadInput(f"{name!r} is no keeper; there are {', '.join(KEEPERS)}")
    return name or ""


def _listed(agent: Agent, page: list[Message]) -> str:
    now = agent.parts.today()
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
    for message in agent.parts.log.every(wanted):
        to_stdout(json.dumps(talk.exported(message), ensure_ascii=False), exact=True)


# triage


@click.command(cls=Telling)
@click.argument("text", nargs=-1, required=True)
@click.option("--said", metavar="WORDS", default="", help="What the agent said just before it.")
@pass_frame
def triage(frame: Frame, text: tuple[str, ...], said: str) -> None:
    """Show what TEXT would be flagged for, and where that leads; `-` reads it from standard input.

    Nothing is logged. With --said it shows as well what TEXT would put right of the agent's words.
    """
    from oldsoul.judging.triaging import triaged  # noqa: PLC0415 - the engine of patterns takes a while to load

    words = given.text(text, "there is nothing to look at; give some words, as people would write them")
    seen = triaged(words, said, frame.agent.settings.memory.triage)
    made = seen.puts_right
    lines = [line for lead in seen.leads for line in (_flag_line(lead.flag), *_paths(lead))]
    lines += [f"puts right: {clean(made.old)} → {clean(made.new)}\n  from the operator"] if made else []
    if not lines:
        lines = ["Nothing in it." if seen.enabled else "Triage is switched off (memory.triage.enabled)."]
    lines += [styled(f"Note: {clean(problem)}", "yellow") for problem in seen.problems]
    frame.say("\n".join(lines), talk.triaged(seen))


def _paths(lead: Lead) -> list[str]:
    """Where a flag leads, in words."""
    related = ", needs a related memory" if lead.needs_related else ""
    return [
        f"  from the operator: {lead.operator or 'nowhere'}{related}",
        f"  from anybody else: {lead.others or 'nowhere'}",
    ]
