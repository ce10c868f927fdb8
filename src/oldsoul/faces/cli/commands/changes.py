"""`log`, `diff` and `undo`: what changed, who changed it, and how to undo it."""

from __future__ import annotations

from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from oldsoul.app.versions import difference
from oldsoul.errors import BadInput, BadName, NotFound
from oldsoul.faces.cli import given, verbs
from oldsoul.faces.cli.output import clean, coloured_diff, columns, counted, raw, shortened, styled, table, when, who
from oldsoul.faces.cli.verbs import Verb, Verbs, Whole, common, pass_frame
from oldsoul.views import history as views

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oldsoul.app import Agent
    from oldsoul.app.services.files import Version
    from oldsoul.faces.cli.frame import Frame
    from oldsoul.values.history import Change


class Number(click.ParamType[int]):
    """A change's number, as `7` or `#7`."""

    name = "change"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number."""
        text = str(value).removeprefix("#")
        if not (text.isascii() and text.isdigit() and int(text) > 0):
            self.fail(f"{value!r} is not the number of a change; `oldsoul log` lists them.", param, ctx)
        return int(text)


_SHOWN = 3
"""So many of the lines that a change wrote are listed."""


@click.command(cls=Verb)
@click.argument("file", required=False, shell_complete=verbs.files)
@click.option("-n", "--number", type=Whole(1, 100_000), default=20, show_default=True, help="How many.")
@click.option("--before", type=Number(), metavar="CHANGE", help="Only changes older than this one.")
@click.option("--since", metavar="TIME", help=given.SINCE)
@click.option("--until", metavar="TIME", help=given.UNTIL)
@click.option("--lines", is_flag=True, help="Show for each line of FILE which change wrote it, when and by whom.")
@pass_frame
def log(
    frame: Frame,
    file: str | None,
    *,
    number: int,
    before: int | None,
    since: str | None,
    until: str | None,
    lines: bool,
) -> None:
    """List changes, newest first: what changed, who changed it, and why; for all files, or for FILE.

    `+` marks what was added, `-` what was removed, `~` what was changed or moved.

    Example: oldsoul log --since yesterday
    """
    agent = frame.agent
    if lines:
        if file is None or before or since or until:
            raise BadInput("--lines needs a file, and no range, as in `oldsoul log MEMORY.md --lines`")
        _blame(frame, file)
        return
    if file and not agent.files.history(file, limit=1):
        agent.files.show(file)
    changes = list(islice(_changes(agent, file or "", before, given.span(agent, since, until)), number))
    found = list(zip(changes, agent.files.summaries(changes), strict=True))
    now = agent.now()
    text = "\n".join(line for change, did in found for line in _lines(agent, change, did, now)) or "No changes."
    if len(found) == number and found[-1][0].id > 1:
        text += styled(f"\nOlder: --before {found[-1][0].id}", "dim")
    frame.say(text, [views.change_told(change, did) for change, did in found])


def _changes(
    agent: Agent, file: str, before: int | None, within: tuple[datetime | None, datetime | None]
) -> Iterator[Change]:
    """Changes, newest first, within a time; a page of them is read when it is needed."""
    first, end = within
    while page := agent.files.history(file, before=before):
        for change in page:
            at = datetime.fromisoformat(change.at)
            if first is not None and at < first:
                return
            if end is None or at < end:
                yield change
        before = page[-1].id


def _lines(agent: Agent, change: Change, did: list[str], now: datetime) -> list[str]:
    room = columns()
    head = f"{change.id:>5}  {when(change.at, now)}  {who(change.author, agent)}: {clean(change.reason)} ({_files(change)})"
    more = [f"… and {len(did) - _SHOWN} more (`oldsoul diff {change.id}`)"] if len(did) > _SHOWN else []
    told = [f"       {clean(line)}" for line in [*did[:_SHOWN], *more]]
    return [styled(shortened(head, room) if room else head, "bold"), *(shortened(t, room) if room else t for t in told)]


def _files(change: Change) -> str:
    paths = [effect.name.path for effect in change.effects]
    return counted(len(paths), "file") if len(paths) > 2 else ", ".join(paths) or "no file"  # noqa: PLR2004 - more would not fit


@click.command(cls=Verb)
@click.argument("what", metavar="CHANGE|FILE", shell_complete=verbs.changes_and_files)
@click.option("--from", "first", type=Number(), metavar="CHANGE", help="FILE as it was after this change.")
@click.option(
    "--to", "last", type=Number(), metavar="CHANGE", help="FILE as it was after this change; as it is now by default."
)
@pass_frame
def diff(frame: Frame, what: str, first: int | None, last: int | None) -> None:
    """Show what CHANGE did, or how FILE differs from its template.

    With --from and --to, FILE is compared between two changes.

    Example: oldsoul diff MEMORY.md --from 3
    """
    agent = frame.agent
    if what.removeprefix("#").isdecimal():
        if first or last:
            raise BadInput("--from and --to go with a file, as in `oldsoul diff MEMORY.md --from 3`")
        change = agent.files.change(int(what.removeprefix("#")))
        value = views.change_whole(agent, change)
        head = styled(f"Change {change.id} by {who(change.author, agent)}: {clean(change.reason)}", "bold")
        frame.say(f"{head}\n{coloured_diff(value.diff) or 'It changed no file.'}", value)
        return
    try:
        path = agent.files.name(what).path
    except BadName:
        lists = "`oldsoul log` lists changes, `oldsoul show` files"
        raise BadName(f"{what!r} is neither the number of a change nor a file; {lists}") from None
    before = agent.files.version_at(what, first).data if first else agent.files.seed(what)
    after = agent.files.version_at(what, last).data if last else agent.files.show(what).data
    text = difference(what, before, after)
    frame.say(
        coloured_diff(text) or f"{path} has not changed.", {"path": path, "from": first, "to": last, "diff": text}
    )


def _blame(frame: Frame, file: str) -> None:
    agent = frame.agent
    lines = agent.files.blame(file)
    now = agent.now()
    heads = [
        (str(c.id), when(c.at, now)[:16], who(c.author, agent)) if c else ("–", "–", "–")
        for c in (each.change for each in lines)
    ]
    widths = [max((len(head[i]) for head in heads), default=0) for i in range(3)]
    room = columns()
    shown = []
    for each, head in zip(lines, heads, strict=True):
        left = f"{head[0]:>{widths[0]}}  {head[1]:<{widths[1]}}  {head[2]:<{widths[2]}}  {each.line:>4}  "
        text = clean(each.text)
        shown.append(styled(left, "dim") + (shortened(text, max(20, room - len(left))) if room else text))
    frame.say(
        "\n".join(line.rstrip() for line in shown) or f"{agent.files.name(file).path} is empty.",
        list(map(views.blamed, lines)),
    )


@click.command(cls=Verb)
@click.argument("change", type=Number(), shell_complete=verbs.changes)
@pass_frame
def undo(frame: Frame, change: int) -> None:
    """Undo CHANGE and keep later ones. To redo it, undo the undo.

    Example: oldsoul undo 7
    """
    agent = frame.agent
    reason = agent.files.change(change).reason
    outcome = agent.undo(change)
    if outcome.change is None:
        raise NotFound(f"change {change} could not be undone")
    value = views.undone(agent, outcome.change, change)
    frame.say(
        f"{coloured_diff(value.diff)}\n\nUndid change {change} ({clean(reason)}); this is change {outcome.change.id}.",
        value,
    )


_VERSION = "VERSION"


@click.group(cls=Verbs, default="list")
@common
def soul() -> None:
    """Show how SOUL.md changed, and roll it back. Without a command: list its versions.

    A VERSION is the number of the change that made it, the name of a snapshot in SOUL_HISTORY, or `now`.
    """


@soul.command("list")
@click.option("-n", "--number", type=Whole(1, 100_000), default=20, show_default=True, help="How many.")
@pass_frame
def list_(frame: Frame, number: int) -> None:
    """List the versions, newest first: when, by whom and why each was made, and its size in tokens."""
    agent = frame.agent
    found = agent.files.soul_versions(number)
    now = agent.now()
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
    data = frame.agent.files.soul_text(version)
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
    text = frame.agent.files.soul_diff(first, second)
    frame.say(coloured_diff(text) or "They are the same.", views.Compared(first, second, text))


@soul.command()
@click.argument("version", metavar=_VERSION)
@pass_frame
def rollback(frame: Frame, version: str) -> None:
    """Roll SOUL.md back to VERSION. A snapshot of the current text is made first, and CHANGELOG.md records it."""
    agent = frame.agent
    outcome = agent.files.soul_rollback(version)
    if outcome.change is None:
        raise NotFound(f"SOUL.md could not be rolled back to {version}")
    snapshot = outcome.change.notes.get("snapshot", "")
    text = difference("SOUL.md", agent.files.soul_text(_file(snapshot)), agent.files.soul_text("now"))
    frame.say(
        f"{coloured_diff(text)}\n\nRolled back to version {clean(version)} (change {outcome.change.id}). The text before is in"
        f" {snapshot}; `oldsoul soul rollback {_file(snapshot)}` restores it.",
        views.rolled_back(outcome.change, version, text),
    )
