"""`demo`: a home with two weeks of a believable life in it, to look around in."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from oldsoul.errors import BadInput
from oldsoul.faces.cli.progress import Progress
from oldsoul.faces.cli.verbs import Verb, pass_frame

if TYPE_CHECKING:
    from oldsoul.faces.cli.frame import Frame

_ENDS = 9
"""At this hour the last day of the demo is over."""


@click.command(cls=Verb)
@click.argument("folder", default="oldsoul-demo")
@click.option(
    "--until", metavar="DAY", help="The last day, such as 2026-03-14. Default: today, or yesterday in the morning."
)
@pass_frame
def demo(frame: Frame, folder: str, until: str | None) -> None:
    """Create a home with two weeks of a believable life in it: Juniper, the agent of a bakery.

    It needs no language model. Look around in it with `oldsoul --home FOLDER serve`, or with any other command.
    """
    from oldsoul.faces.cli.demo.life import DAYS, Life  # noqa: PLC0415 - no other command needs it

    home = Path(folder).expanduser()
    if home.exists() and (not home.is_dir() or any(home.iterdir())):
        raise BadInput(f"{home} is not an empty folder; name one that is empty or does not exist")
    now = datetime.now().astimezone()
    try:
        last = datetime.fromisoformat(until).date() if until else (now - timedelta(hours=_ENDS)).date()
    except ValueError:
        raise BadInput(f"{until!r} is not a day; write it as 2026-03-14") from None
    progress = Progress(DAYS, quiet=frame.wants_json)
    Life(home, last, lambda day: progress.show(day, f"Day {day} of {DAYS}")).play()
    progress.clear()
    text = f"A demo home with {DAYS} days of Juniper's life, until {last}: {home}\n\nNext: oldsoul --home {home} serve"
    frame.say(text, {"home": str(home), "until": str(last), "days": DAYS})
