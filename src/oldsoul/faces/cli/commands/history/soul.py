"""`soul`: the versions of SOUL.md, their differences, and rolling back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from oldsoul.app.comparing import difference
from oldsoul.errors import NotFound
from oldsoul.faces.cli.output import clean, coloured_diff, raw, table, when
from oldsoul.faces.cli.reports import who
from oldsoul.faces.cli.verbs import Verbs, common, pass_frame
from oldsoul.views import history as views

if TYPE_CHECKING:
    from oldsoul.app import Agent
    from oldsoul.app.soul import Version
    from oldsoul.faces.cli.frame import Frame

_VERSION = "VERSION"


@click.group(cls=Verbs, default="list")
@common
def soul() -> None:
    """Show how SOUL.md changed, and roll it back. Without a command: list its versions.

    A VERSION is the number of the change that made it, the name of a snapshot in SOUL_HISTORY, or `now`.
    """


@soul.command("list")
@click.option("-n", "--number", type=click.IntRange(1, 100_000), default=20, show_default=True, help="How many.")
@pass_frame
def list_(frame: Frame, number: int) -> None:
    """List the versions, newest first: when, by whom and why each was made, and its size in tokens."""
    agent = frame.agent
    found = agent.parts.past.timeline(number)
    now = agent.parts.today()
    rows = [
        (each.change, when(each.at, now), _author(each, agent), each.reason, each.tokens, _file(each.snapshot))
        for each in found
    ]
    text = table(("VERSION", "WHEN", "WHO", "WHY", "TOKENS", "SNAPSHOT BEFORE"), rows, flexible=3)
    frame.say(text if rows else "SOUL.md has no history yet.", list(map(views.version, found)))


def _author(version: Version, agent: Agent) -> str:
    name = who(version.author, agent)
    return f"{name}, approved" if version.approved_by else name


def _file(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md") or "–"


@soul.command("show")
@click.argument("version", metavar=_VERSION, default="now")
@pass_frame
def show_(frame: Frame, version: str) -> None:
    """Print SOUL.md as it was in VERSION, byte for byte."""
    data = frame.agent.parts.past.text(version)
    if frame.wants_json:
        frame.say("", {"version": version, "text": data.decode("utf-8", "replace")})
    else:
        raw(data)


@soul.command("diff")
@click.argument("first", metavar=_VERSION)
@click.argument("second", metavar="[VERSION]", default="now")
@pass_frame
def diff_(frame: Frame, first: str, second: str) -> None:
    """Show the difference between two versions; between VERSION and now, if only one is given."""
    text = frame.agent.parts.past.diff(first, second)
    frame.say(coloured_diff(text) or "They are the same.", {"from": first, "to": second, "diff": text})


@soul.command()
@click.argument("version", metavar=_VERSION)
@pass_frame
def rollback(frame: Frame, version: str) -> None:
    """Roll SOUL.md back to VERSION. A snapshot of the current text is made first, and CHANGELOG.md records it."""
    agent = frame.agent
    outcome = agent.soul_rollback(version)
    if outcome.change is None:
        raise NotFound(f"SOUL.md could not be rolled back to {version}")
    snapshot = outcome.change.notes.get("snapshot", "")
    text = difference("SOUL.md", agent.parts.past.text(_file(snapshot)), agent.parts.past.text("now"))
    frame.say(
        f"{coloured_diff(text)}\n\nRolled back to version {clean(version)} (change {outcome.change.id}). The text before is in"
        f" {snapshot}; `oldsoul soul rollback {_file(snapshot)}` restores it.",
        {**views.change(outcome.change), "version": version, "snapshot": snapshot, "diff": text},
    )
