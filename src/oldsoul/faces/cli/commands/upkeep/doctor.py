"""`doctor`: what is in order, what is not, and what to do about it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from oldsoul.app.health import ERROR, LEVELS, NOTE, OK, WARNING, findings
from oldsoul.faces.cli.frame import FAILED, Frame
from oldsoul.faces.cli.output import clean, counted, styled
from oldsoul.faces.cli.verbs import Verb, pass_frame
from oldsoul.views import upkeep
from oldsoul.wiring.doctoring import HomeSite

if TYPE_CHECKING:
    from oldsoul.app.health import Finding

_COLOUR = {OK: "green", NOTE: "cyan", WARNING: "yellow", ERROR: "red"}


@click.command(cls=Verb)
@pass_frame
def doctor(frame: Frame) -> None:
    """Check the machine, the home, the messages, the embedder, the settings and every workspace (or one, with -a).

    The exit code is 1 when there is an error; warnings and notes do not count.
    """
    frame.makes = False
    site = HomeSite(frame.home_folder, os.environ)
    found = list(findings(site, lambda: frame.soul, frame.agent_id, frame.note))
    counts = [counted(sum(f.level == level for f in found), level) for level in reversed(LEVELS[1:])]
    summary = ", ".join(count for count in counts if not count.startswith("0 "))
    lines = [*map(_line, found), "", f"Found {summary}." if summary else "Everything is in order."]
    value = upkeep.health(found)
    frame.say("\n".join(lines), value)
    if not value["ok"]:
        raise click.exceptions.Exit(FAILED)


def _line(finding: Finding) -> str:
    level = styled(f"{finding.level:<7}", _COLOUR[finding.level])
    advice = f"\n         {clean(finding.advice)}" if finding.advice else ""
    return f"{level}  {clean(finding.about)}: {clean(finding.message)}{advice}"
