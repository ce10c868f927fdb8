"""`remember` and `forget`: write something down, and erase it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from oldsoul.errors import BadInput, NotFound
from oldsoul.faces.cli import completing, given
from oldsoul.faces.cli.output import clean, shortened
from oldsoul.faces.cli.reports import extras
from oldsoul.faces.cli.verbs import Telling, pass_frame
from oldsoul.views import files

if TYPE_CHECKING:
    from oldsoul.app import Agent
    from oldsoul.documents import Entry
    from oldsoul.faces.cli.frame import Frame
    from oldsoul.values.names import Name

_TAGS = ("decision", "event", "knowledge", "skill")
_MOST_LISTED = 10
_LONGEST_SHOWN = 100


@click.command(cls=Telling)
@click.argument("text", nargs=-1, required=True)
@click.option("--title", default="", help="A short title, written in bold before it.")
@click.option("--tag", type=click.Choice(_TAGS), help="What it is; decides the section it goes under.")
@click.option("--key", default="", help="Names this request: repeated with the same key, nothing is done twice.")
@pass_frame
def remember(frame: Frame, text: tuple[str, ...], title: str, tag: str | None, key: str) -> None:
    """Write TEXT down in MEMORY.md; `-` reads it from standard input.

    When this command returns, it is on the disk.
    """
    agent = frame.agent
    made = agent.remember(
        given.text(text, 'there is nothing to remember; give some words, as in `oldsoul remember "Mia is the cat"`'),
        title=title,
        tag=tag or "",
        key=f"cli:{key}" if key else "",
    )
    value = files.remembered(made, agent.id)
    frame.close()  # an answer means that nothing is left to do
    did = "Known already" if made.repeated else "Remembered"
    place = f"{made.name.path}:{made.line}" if made.line else made.name.path
    frame.say("\n".join([f"{did}: {place} (change {made.change}, entry {made.entry})", *extras(made.outcome)]), value)


@click.command(cls=Telling)
@click.argument("what", nargs=-1, metavar="ID|WORDS")
@click.option("--in", "file", default="", metavar="FILE", shell_complete=completing.files, help="Look in FILE only.")
@click.option(
    "--message", type=click.IntRange(1), metavar="NUMBER", help="Erase the words of a logged message instead."
)
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@pass_frame
def forget(frame: Frame, what: tuple[str, ...], file: str, message: int | None, yes: bool) -> None:
    """Erase one entry, named by its id or by words in it, for good.

    It goes from its file, from copies elsewhere, and from history: undo does not bring it back.
    """
    if message is not None:
        if what or file:
            raise BadInput("name an entry, or a message with --message, not both")
        _forget_message(frame, message, yes=yes)
        return
    agent = frame.agent
    wanted = " ".join(what)
    if not wanted.strip():
        raise BadInput("name an entry by its id, or by words that stand in it")
    name, entry = _only(agent, wanted, file)
    frame.note(f"{name.path}:{entry.line + 1}  {clean(entry.body)}")
    if not yes:
        frame.ask("Erase this for good, from history too?")
    value = files.erased(entry.id, agent.forget(name, entry.id))
    frame.say(
        f"Erased from {', '.join(value['files']) or name.path} and from all history (change {value['change']}).", value
    )


def _forget_message(frame: Frame, number: int, *, yes: bool) -> None:
    agent = frame.agent
    message = agent.parts.log.message(number)
    frame.note(f"{message.session.id}, message {number}: {clean(' '.join(message.text.split()))}")
    if not yes:
        frame.ask("Erase these words from the chat log for good?")
    agent.forget_message(number)
    value = {"message": number, "session": message.session.id}
    more = "What files say of it stays; `oldsoul forget WORDS` erases an entry."
    frame.say(f"Erased the words of message {number} from the chat log. {more}", value)


def _only(agent: Agent, wanted: str, file: str) -> tuple[Name, Entry]:
    if file:
        agent.show(file)
    found = agent.find(wanted, file)
    if not found:
        raise NotFound(f"no entry {f'of {file} ' if file else ''}has the id or the words {wanted!r}")
    if len(found) > 1:
        listed = [
            f"  {entry.id}  {name.path}:{entry.line + 1}  {shortened(clean(entry.text), _LONGEST_SHOWN)}"
            for name, entry in found[:_MOST_LISTED]
        ]
        more = [f"  and {len(found) - _MOST_LISTED} more"] if len(found) > _MOST_LISTED else []
        head = f"{len(found)} entries have these words; name one by its id, or give more words:"
        raise BadInput("\n".join([head, *listed, *more]))
    return found[0]
