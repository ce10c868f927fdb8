"""`index`: the state of the search index, rebuilding it, and keeping it up to date."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import click

from oldsoul.errors import Refused
from oldsoul.faces.cli.output import clean, counted, styled, to_stdout
from oldsoul.faces.cli.progress import Progress
from oldsoul.faces.cli.verbs import Verbs, common, pass_frame
from oldsoul.views import upkeep

if TYPE_CHECKING:
    from oldsoul.app.clock.watching import Taken
    from oldsoul.faces.cli.frame import Frame

_EVERY = 3.0


@click.group(cls=Verbs, default="status")
@common
def index() -> None:
    """Show the state of the search index, rebuild it, or watch for changes. Without a command: show its state.

    The index is derived from files and conversations: if it is deleted, it is rebuilt.
    """


@index.command()
@pass_frame
def status(frame: Frame) -> None:
    """Show the state of the index, and what to do if it is not up to date."""
    value = upkeep.index(frame.agent)
    frame.say(_shown(value), value)


def _shown(value: dict[str, Any]) -> str:
    waiting = value["waiting"]
    behind = value["making"] or f"{waiting:,} changed; the next search indexes them"
    up_to_date = "yes" if value["up_to_date"] else f"no, {behind}"
    rows = [
        ("Files", f"{value['documents']:,}"),
        ("Conversations", f"{value['conversations']:,}"),
        ("Chunks", f"{value['chunks']:,}"),
        ("Embedder", value["embedder"] if value["embedder"] != "none" else "none; search compares words only"),
        ("File", f"{clean(value['file'])}, {value['size'] // 1024:,} KiB" if value["file"] else "in PostgreSQL"),
        ("Up to date", up_to_date),
        *(("Left out", clean(problem)) for problem in value["problems"]),
    ]
    lines = [f"{styled(f'{head}:', 'bold')}{' ' * (15 - len(head))}{text}" for head, text in rows]
    advice = "`oldsoul index rebuild` rebuilds it; `oldsoul index watch` keeps it up to date."
    return "\n".join([*lines, styled(advice, "dim")])


@index.command("rebuild")
@pass_frame
def rebuild(frame: Frame) -> None:
    """Rebuild the index from files and conversations; search keeps using the old one meanwhile."""
    agent = frame.agent
    shown: list[Progress] = []

    def told(done: int, total: int) -> None:
        if not shown:
            shown.append(Progress(total, quiet=frame.wants_json))
        shown[0].show(done, f"{done:,} of {counted(total, 'file')}")

    from oldsoul.app.keepers.checks import checked  # noqa: PLC0415 - `--help` needs none of it

    began = time.monotonic()
    agent.rebuild_index(told)
    for progress in shown:
        progress.clear()
    value = upkeep.index(agent)
    done = f"{counted(value['documents'], 'file')} and {counted(value['conversations'], 'conversation')}"
    broken = [one for one in checked(agent.parts) if one.problem]
    lines = [f"Rebuilt from {done} in {time.monotonic() - began:.1f} s."]
    lines += [styled(f"A correction does not hold: {clean(one.problem)}", "red") for one in broken]
    frame.say(
        "\n".join(lines), {**value, "broken": [{"correction": b.correction.id, "problem": b.problem} for b in broken]}
    )


@index.command("watch")
@click.option(
    "--every",
    type=click.FloatRange(min=0.1),
    default=_EVERY,
    show_default=True,
    metavar="SECONDS",
    help="How often to look for new messages, and for files where the system reports no changes.",
)
@pass_frame
def watch(frame: Frame, every: float) -> None:
    """Keep the indexes of all agents (or of one, with -a) up to date. Ctrl-C stops it.

    With --json, each update is a line.
    """
    soul = frame.soul
    agents = [name for name in soul.parts.searched() if not frame.agent_id or name == frame.agent.id]
    if not agents:
        raise Refused("search is turned off (memory.search.enabled)")
    watcher = soul.watch(agents, lambda taken: _tell(frame, taken, several=len(agents) > 1), every=every)
    frame.note(f"Watching {', '.join(map(clean, agents))}; press Ctrl-C to stop.")
    watcher.run()


def _tell(frame: Frame, taken: Taken, *, several: bool) -> None:
    now = frame.soul.agent(taken.agent or None).parts.today()
    if frame.wants_json:
        line = {"time": now.isoformat(), "agent": taken.agent or None, "taken_in": taken.number}
        to_stdout(json.dumps({**line, "problem": taken.problem} if taken.problem else line), exact=True)
        return
    whose = f"{clean(taken.agent)}: " if several and taken.agent else ""
    if taken.problem:
        frame.note(f"{whose}{clean(taken.problem)}")
    else:
        to_stdout(f"{now:%H:%M:%S}  {whose}{taken.number:,} indexed")
