"""`promote`: what people asked to be kept for long, and something kept by the operator's own hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from oldsoul.errors import BadInput
from oldsoul.faces.cli import completing, given
from oldsoul.faces.cli.output import clean, styled, when
from oldsoul.faces.cli.reports import extras
from oldsoul.faces.cli.verbs import Telling, pass_frame
from oldsoul.rules.promotion import FACTS, GOALS
from oldsoul.values.ids import checked_id
from oldsoul.values.sessions import Subject
from oldsoul.views import files, talk

if TYPE_CHECKING:
    from datetime import datetime

    from oldsoul.app.talk.asking import Asking
    from oldsoul.faces.cli.frame import Frame

_SECTIONS = ("facts", "goals")
_ASKS = {"USER.md": " (for your approval)"}
_STYLE = {"kept": "green", "next": "cyan", "task": "cyan", "left": "dim"}


@click.command(cls=Telling)
@click.argument("what", nargs=-1, required=True, metavar="SESSION|TEXT", shell_complete=completing.sessions)
@click.option("--to", "subject", metavar="PERSON", help="Put TEXT into the long-term memory of this person.")
@click.option("--section", type=click.Choice(_SECTIONS), help="Under which heading; facts if not given.")
@pass_frame
def promote(frame: Frame, what: tuple[str, ...], subject: str | None, section: str | None) -> None:
    """Show what people asked to be remembered in SESSION: where each thing is kept, or why it is not.

    With --to, TEXT goes into a person's long-term memory at your word; `-` reads it from standard input.
    """
    if subject is not None:
        _by_hand(frame, given.text(what, "there is nothing to keep; give some words"), subject, section)
        return
    if section is not None:
        raise BadInput("--section goes with --to, as in `oldsoul promote --to acct:42 --section goals TEXT`")
    if len(what) > 1:
        raise BadInput("name one session; to keep words of your own, say whose memory they go to with --to")
    agent = frame.agent
    found = agent.parts.talk.asked(checked_id(what[0], "session"))
    now = agent.parts.today()
    lines = [line for one in found for line in _lines(one, now)]
    text = "\n".join(lines) or "Nobody asked for anything to be remembered there."
    frame.say(text, [talk.asked(one) for one in found])


def _lines(one: Asking, now: datetime) -> list[str]:
    where = " and ".join(f"{name.path}{_ASKS.get(name.path, '')}" for name in one.names)
    told = {
        "kept": f"kept in {where}",
        "next": f"goes to {where} when the session ends",
        "task": "a task, for the session's file",
        "left": f"left in the chat log, {one.why}",
    }
    head = f"Message {one.message.id}, {when(one.message.time.isoformat(), now)}: {told[one.state]}"
    return [styled(head, _STYLE[one.state]), f"  {clean(' '.join(one.words.split()))}"]


def _by_hand(frame: Frame, text: str, subject: str, section: str | None) -> None:
    agent = frame.agent
    made = agent.promote(text, Subject(subject).id, GOALS if section == "goals" else FACTS)
    value = files.remembered(made, agent.id)
    frame.close()  # an answer means that nothing is left to do
    did = "Known already" if made.repeated else "Kept"
    line = f"{did}: {made.name.path}:{made.line} (change {made.change}, entry {made.entry})"
    frame.say("\n".join([line, *extras(made.outcome)]), value)
