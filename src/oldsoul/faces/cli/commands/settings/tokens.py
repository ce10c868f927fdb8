"""`token`: the tokens that let programs in, through the proxy and servers."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import click

from oldsoul.faces.cli.output import clean, table, when
from oldsoul.faces.cli.verbs import Verbs, common, pass_frame
from oldsoul.views import access

if TYPE_CHECKING:
    from datetime import datetime

    from oldsoul.faces.cli.frame import Frame

_ROLES = ("operator", "agent", "reader")
_LONGEST = 36_500
_NONE = "–"


@click.group(cls=Verbs, default="list")
@common
def token() -> None:
    """Add, list and revoke the tokens that let programs in (see `oldsoul proxy`). Without a command: list them."""


@token.command()
@click.option("--role", type=click.Choice(_ROLES), default="agent", show_default=True, help="What it may do.")
@click.option(
    "--person",
    metavar="PERSON",
    help="The person it speaks for. With the role operator: one of the operators, you by default.",
)
@click.option("--days", type=click.IntRange(1, _LONGEST), metavar="NUMBER", help="Expire after this many days.")
@click.option("--name", default="", metavar="TEXT", help="A name to recognise it by.")
@pass_frame
def add(frame: Frame, role: str, person: str | None, days: int | None, name: str) -> None:
    """Add a token and print it. It is shown only now; a hash of it is stored.

    A program with this token talks with your agents (or with one, with -a) in private conversations of that person. Agents
    and operators are remembered; what readers say is not logged.

    Example: oldsoul token add --role operator --name laptop
    """
    now = _now(frame)
    expires = None if days is None else now + timedelta(days=days)
    agent = frame.agent.id if frame.agent_id else ""
    made = frame.soul.add_token(role, person=person, agent=agent, expires=expires, name=name)
    until = f" until {expires:%Y-%m-%d %H:%M}" if expires else ""
    frame.note(
        f"Token {made.token.id} ({role}) for {clean(made.token.person.id)}, valid{until}. Keep it: it is not shown again."
    )
    frame.say(made.secret, {"token": made.secret, **access.token(made.token, now)})


@token.command("list")
@pass_frame
def list_(frame: Frame) -> None:
    """List the tokens, never what they are: for whom, for which agent, and until when.

    Example: oldsoul token list
    """
    now = _now(frame)
    found = frame.soul.tokens()
    rows = []
    for each in found:
        ends = each.expires and f"{when(each.expires.isoformat(), now)}{' (expired)' if each.has_expired(now) else ''}"
        made = when(each.created.isoformat(), now)
        rows.append(
            (each.id, each.role, each.person.id, each.agent or "all", made, ends or "never", each.name or _NONE)
        )
    heads = ("ID", "ROLE", "PERSON", "AGENT", "ADDED", "EXPIRES", "NAME")
    text = table(heads, rows) if rows else "There are no tokens; `oldsoul token add` adds one."
    frame.say(text, [access.token(each, now) for each in found])


@token.command()
@click.argument("which")
@pass_frame
def revoke(frame: Frame, which: str) -> None:
    """Revoke the token with this id or name. It is not accepted any more, from the next request on.

    Example: oldsoul token revoke laptop
    """
    gone = frame.soul.revoke_token(which)
    frame.say(f"Revoked {gone.id}{f' ({clean(gone.name)})' if gone.name else ''}.", access.token(gone, _now(frame)))


def _now(frame: Frame) -> datetime:
    return frame.soul.agent().parts.today()
