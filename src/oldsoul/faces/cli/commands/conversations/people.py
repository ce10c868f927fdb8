"""`people`: who is known, and which account a name in a channel belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from oldsoul.errors import NotFound
from oldsoul.faces.cli.output import clean, table
from oldsoul.faces.cli.verbs import Verbs, common, pass_frame
from oldsoul.values.sessions import Subject
from oldsoul.views import talk

if TYPE_CHECKING:
    from oldsoul.faces.cli.frame import Frame


@click.group(cls=Verbs, default="list")
@common
def people() -> None:
    """List people, and bind their names in channels to accounts. Without a command: list them."""


@people.command("list")
@pass_frame
def list_(frame: Frame) -> None:
    """List people: who is an operator, the names they are known by, and how many entries are about them."""
    found = frame.soul.parts.people.everyone()
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
    frame.say(f"Bound {clean(name)} to {clean(account)}.{moved}", {"name": name, "account": account, "joined": joined})


@people.command()
@click.argument("name")
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@pass_frame
def unbind(frame: Frame, name: str, yes: bool) -> None:
    """Unbind NAME from its account. Memory that was merged stays merged."""
    known = frame.soul.parts.people
    name = Subject(name).id
    account = known.bindings().get(name)
    if account is None:
        raise NotFound(f"{name} is not bound to an account; `oldsoul people` lists everybody")
    if not yes:
        frame.ask(f"{clean(name)} is bound to {clean(account)}. Unbind it?")
    frame.soul.unbind(name)
    frame.say(
        f"Unbound {clean(name)} from {clean(account)}. Merged memory stays with {clean(account)}.",
        {"name": name, "account": account},
    )
