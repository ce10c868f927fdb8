"""`init` and `agents`: create the home, and list the agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from oldsoul.faces.cli.output import bar, counted, table
from oldsoul.faces.cli.verbs import Verb, pass_frame
from oldsoul.views import files

if TYPE_CHECKING:
    from oldsoul.faces.cli.frame import Frame


@click.command(cls=Verb)
@click.option("--git", is_flag=True, help="Make every workspace a git repository.")
@click.option("--claim", is_flag=True, help="Take over messages in PostgreSQL that belong to no home.")
@pass_frame
def init(frame: Frame, git: bool, claim: bool) -> None:
    """Create the home and every workspace: missing files are added, existing ones are not changed.

    Example: oldsoul init --git
    """
    was_there = (frame.home_folder / "config.yaml").exists()
    frame.wants_notes = False
    soul = frame.soul
    soul.parts.ensure()
    repositories = soul.parts.use_git() if git else []
    claimed = soul.claim([frame.agent.id] if frame.agent_id else ()) if claim else 0
    created = {name: list(paths) for name, paths in soul.parts.created.items() if paths}
    folders = {name: soul.parts.world.places.folder(name) for name in soul.workspaces()}
    value = {
        "home": soul.parts.world.home,
        "new": not was_there,
        "created": created,
        "folders": folders,
        "git": repositories,
    }
    value |= {"claimed": claimed} if claim else {}
    lines = [f"Home: {soul.parts.world.home}"]
    for name, paths in created.items():
        lines.append(f"  {name}: {counted(len(paths), 'file')} in {folders[name]}")
        lines += [f"    {path}" for path in paths if "/" not in path]
        inner = sum("/" in path for path in paths)
        lines += [f"    and {counted(inner, 'keeper prompt')} in agents/"] if inner else []
    lines += [f"  {name}: now a git repository" for name in repositories]
    lines += [f"  {counted(claimed, 'message')} in PostgreSQL that belonged to no home"] if claim else []
    if not created and not repositories and not claimed:
        lines.append("Everything is there already; nothing was changed.")
    elif created:
        lines += [
            "",
            "Next: oldsoul edit SOUL.md          say who your agent is",
            '      oldsoul remember "…"          tell it something',
        ]
    frame.say("\n".join(lines), value)


@click.command(cls=Verb)
@pass_frame
def agents(frame: Frame) -> None:
    """List agents, teams and the shared workspace."""
    soul = frame.soul
    wanted = [frame.agent.id] if frame.agent_id else soul.workspaces()
    found = [files.workspace(soul, name) for name in wanted]
    rows = [
        (
            f"{each['id']}{' *' if each['default'] else ''}",
            each["kind"],
            each["files"],
            bar(each["memory"], each["limit"]) if each["memory"] is not None else "–",
            each["proposals"],
            each["folder"],
        )
        for each in found
    ]
    text = table(("NAME", "KIND", "FILES", "MEMORY.md", "TO REVIEW", "FOLDER"), rows)
    if any(each["default"] for each in found):
        text += "\n* the default agent"
    frame.say(text, found)
