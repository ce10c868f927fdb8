"""`work`: do the keepers' thinking."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from oldsoul.app.keepers.thinking import memory_answer, memory_work
from oldsoul.faces.cli import given
from oldsoul.faces.cli.output import clean, counted
from oldsoul.faces.cli.verbs import Verb, pass_frame

if TYPE_CHECKING:
    from oldsoul.faces.cli.frame import Frame


@click.command(cls=Verb)
@click.option(
    "--as", "who", metavar="SESSION", default="dm", help="Whose eyes: dm, dm:PERSON, group:ROOM; yours if not given."
)
@click.option(
    "-n", "--limit", type=click.IntRange(1, 20), default=1, help="How many questions at most; 1 if not given."
)
@click.option("--answer", "question", metavar="ID", help="Answer this question, with JSON from standard input.")
@pass_frame
def work(frame: Frame, who: str, limit: int, question: str | None) -> None:
    """Do the keepers' thinking: print questions that wait for an agent, or answer one.

    Each has its instructions, its evidence and the JSON schema of its answer. For half an hour nobody else gets it.
    """
    agent = frame.agent
    session = given.viewer(agent, who)
    if question is not None:
        taken = memory_answer(agent.parts, session, question, given.from_stdin().decode("utf-8", "replace"))
        frame.say(f"Taken, {counted(taken['changes'], 'change')}.", taken)
        return
    found = memory_work(agent.parts, session, limit)
    shown = [f"{one['id']}  {one['kind']}\n{one['instructions']}\n{one['evidence']}\n" for one in found["questions"]]
    frame.say("\n".join(clean(line) for one in shown for line in one.split("\n")) or "There is nothing to do.", found)
