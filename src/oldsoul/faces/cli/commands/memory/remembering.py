"""`remember` and `forget`: add an entry to memory, and erase one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from oldsoul.documents.model import folded
from oldsoul.errors import BadInput, NotFound
from oldsoul.faces.cli import completing, given
from oldsoul.faces.cli.output import clean, shortened
from oldsoul.faces.cli.reports import extras
from oldsoul.faces.cli.verbs import Telling, pass_frame
from oldsoul.ledger.copies import told_in
from oldsoul.rules.promotion import FACTS, GOALS
from oldsoul.values.sessions import Subject
from oldsoul.views import files

if TYPE_CHECKING:
    from oldsoul.app import Agent
    from oldsoul.documents import Entry
    from oldsoul.faces.cli.frame import Frame
    from oldsoul.values.names import Name

_TAGS = ("decision", "event", "knowledge", "skill")
_SECTIONS = ("facts", "goals")
_MOST_LISTED = 10
_LONGEST_SHOWN = 100


@click.command(cls=Telling)
@click.argument("text", nargs=-1, required=True)
@click.option("--title", default="", help="A short title, written in bold before the text.")
@click.option("--tag", type=click.Choice(_TAGS), help="What kind of memory it is; this chooses the section.")
@click.option("--key", default="", help="A name for this request: repeated with the same key, it adds nothing twice.")
@click.option("--person", metavar="PERSON", help="Add it to the long-term memory of this person instead.")
@click.option("--section", type=click.Choice(_SECTIONS), help="With --person: the section; facts by default.")
@pass_frame
def remember(
    frame: Frame,
    text: tuple[str, ...],
    *,
    title: str,
    tag: str | None,
    key: str,
    person: str | None,
    section: str | None,
) -> None:
    """Add TEXT to MEMORY.md as an entry; `-` reads it from standard input.

    When the command returns, the entry is on disk.

    Example: oldsoul remember "Deploys happen on Tuesdays" --tag decision
    """
    agent = frame.agent
    words = given.text(text, 'give the text to remember, as in `oldsoul remember "Mia is the cat"`')
    if person is None:
        if section is not None:
            raise BadInput(
                "--section goes with --person, as in `oldsoul remember --person acct:42 --section goals TEXT`"
            )
        made = agent.remember(words, title=title, tag=tag or "", key=f"cli:{key}" if key else "")
    elif title or tag or key:
        raise BadInput("--title, --tag and --key are for MEMORY.md; leave them out with --person")
    else:
        made = agent.promote(words, Subject(person).id, GOALS if section == "goals" else FACTS)
    value = files.remembered(made, agent.id)
    frame.close()  # an answer means that nothing is left to do
    did = "Already known" if made.repeated else "Remembered"
    place = f"{made.name.path}:{made.line}" if made.line else made.name.path
    frame.say("\n".join([f"{did}: {place} (change {made.change}, entry {made.entry})", *extras(made.outcome)]), value)


@click.command(cls=Telling)
@click.argument("what", nargs=-1, metavar="ID|WORDS")
@click.option("--in", "file", default="", metavar="FILE", shell_complete=completing.files, help="Search only FILE.")
@click.option("--message", type=click.IntRange(1), metavar="NUMBER", help="Erase the text of a logged message instead.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@pass_frame
def forget(frame: Frame, what: tuple[str, ...], file: str, message: int | None, yes: bool) -> None:
    """Erase one entry for good; name it by its id, or by words in it.

    It is erased in all its versions, with what was derived from its evidence alone, the records about it, and copies of
    its whole sentences. Entries that say the same because of other evidence stay, and are listed. Undo cannot bring it
    back.

    Example: oldsoul forget "sister's address" --yes
    """
    if message is not None:
        if what or file:
            raise BadInput("name an entry, or a message with --message, not both")
        _forget_message(frame, message, yes=yes)
        return
    agent = frame.agent
    wanted = " ".join(what)
    if not wanted.strip():
        raise BadInput("name an entry by its id, or by words in it; `oldsoul search` finds it")
    if not file and any(one.id == wanted for one in agent.secrets()):
        if not yes:
            frame.ask("Erase this secret for good?")
        agent.forget_secret(wanted)
        frame.say(f"Erased the secret {wanted}.", {"secret": wanted})
        return
    name, entry = _only(agent, wanted, file)
    lines = entry.body.rstrip().split("\n")
    frame.note("\n".join([f"{name.path}:{entry.line + 1}  {clean(lines[0])}", *map(clean, lines[1:])]))
    told = [folded(line) for line in told_in(entry)]
    if entry.id != wanted and sum(folded(wanted) in line for line in told) < len(told):
        raise BadInput(
            f"these words are a part of that entry, which tells more; `oldsoul forget {entry.id}` erases all of it, also from "
            "the messages that said it, and `oldsoul forget --message NUMBER` erases one message"
        )
    if not yes:
        frame.ask("Erase this entry for good, from history too?")
    value = files.erased(entry.id, agent.forget(name, entry.id))
    lines = [f"Erased from {', '.join(value['files']) or name.path} and from all history (change {value['change']})."]
    if value["alike"]:
        lines.append("The same is said on other evidence by these entries; erase them too with `oldsoul forget ID`?")
        lines += [
            f"  {each['entry']}  {each['path']}  {shortened(clean(each['text']), _LONGEST_SHOWN)}"
            for each in value["alike"]
        ]
    frame.say("\n".join(lines), value)


def _forget_message(frame: Frame, number: int, *, yes: bool) -> None:
    agent = frame.agent
    message = agent.parts.log.message(number)
    frame.note(f"{message.session.id}, message {number}: {clean(' '.join(message.text.split()))}")
    if not yes:
        frame.ask("Erase the text of this message for good?")
    agent.forget_message(number)
    value = {"message": number, "session": message.session.id}
    more = "Entries made from it alone are erased too."
    frame.say(f"Erased the text of message {number}. {more}", value)


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
