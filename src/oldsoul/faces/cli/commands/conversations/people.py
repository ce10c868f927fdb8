"""`people`: who is known, and whose a name in a channel is."""

from __future__ import annotations

import click

from oldsoul.errors import NotFound
from oldsoul.faces.cli.frame import Frame
from oldsoul.faces.cli.output import clean, table
from oldsoul.faces.cli.verbs import Verbs, common, pass_frame
from oldsoul.values.sessions import Subject
from oldsoul.views import talk


@click.group(cls=Verbs, invoke_without_command=True)
@common
@click.pass_context
def people(context: click.Context) -> None:
    """List the people this home knows. With a command: say whose a name is."""
    if context.invoked_subcommand is None:
        _list(context.ensure_object(Frame))


@people.command("list")
@pass_frame
def list_(frame: Frame) -> None:
    """List people: who is an operator, the names they are known by, and how many entries their memory has."""
    _list(frame)


def _list(frame: Frame) -> None:
    found = frame.soul.parts.people.everyone()
    rows = [
        (person.id, "yes" if person.operator else "–", ", ".join(person.known_as) or "–", person.memories)
        for person in found
    ]
    frame.say(table(("PERSON", "OPERATOR", "KNOWN AS", "MEMORIES"), rows, flexible=2), list(map(talk.person, found)))


@people.command()
@click.argument("name")
@click.argument("account")
@pass_frame
def bind(frame: Frame, name: str, account: str) -> None:
    """Say that NAME, such as ext:telegram:7, is ACCOUNT, such as acct:42, and join their memory."""
    joined = frame.soul.bind(name, account)
    name, account = Subject(name).id, Subject(account).id
    moved = f" Their memory is one now ({', '.join(joined)})." if joined else ""
    frame.say(
        f"{clean(name)} is {clean(account)} from now on.{moved}", {"name": name, "account": account, "joined": joined}
    )


@people.command()
@click.argument("name")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@pass_frame
def unbind(frame: Frame, name: str, yes: bool) -> None:
    """Say that NAME is nobody's account any more. What was joined stays joined."""
    known = frame.soul.parts.people
    name = Subject(name).id
    account = known.bindings().get(name)
    if account is None:
        raise NotFound(f"{name} is bound to no account; `oldsoul people` lists who is known")
    if not yes:
        frame.ask(f"{clean(name)} is {clean(account)}. From now on it is to be somebody of its own?")
    frame.soul.unbind(name)
    frame.say(
        f"{clean(name)} is no longer {clean(account)}. What was joined stays with {clean(account)}.",
        {"name": name, "account": account},
    )
