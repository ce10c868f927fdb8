"""`backup` and `restore`: the home in one file, and back."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING

import click

from oldsoul import __version__
from oldsoul.app.health import ERROR, LEVELS, NOTE, OK, WARNING, findings
from oldsoul.errors import NotFound, OldsoulError, Refused
from oldsoul.faces.cli import verbs
from oldsoul.faces.cli.editor import Draft
from oldsoul.faces.cli.frame import FAILED, Frame
from oldsoul.faces.cli.output import (
    ProgressLine,
    clean,
    coloured_diff,
    counted,
    extras,
    styled,
    table,
    to_stderr,
    to_stdout,
    visible_to,
    when,
    who,
)
from oldsoul.faces.cli.verbs import Verb, Verbs, common, pass_frame
from oldsoul.views import history as views
from oldsoul.views import home, upkeep
from oldsoul.wiring.doctor import HomeSite

if TYPE_CHECKING:
    from collections.abc import Callable

    from oldsoul.app import Agent
    from oldsoul.app.clock.watcher import SyncEvent
    from oldsoul.app.health import Finding
    from oldsoul.faces.cli.frame import Frame
    from oldsoul.values.names import Name
    from oldsoul.values.runtime import Backup


_KIB = 1024


@click.command(cls=Verb)
@click.argument("file", type=click.Path())
@pass_frame
def backup(frame: Frame, file: str) -> None:
    """Write the home to FILE, a zip file, as it is at one moment; other commands and agents may go on writing.

    The file is read back and checked. It contains everything in plain text, the secrets in config.yaml too.

    Example: oldsoul backup oldsoul.zip
    """
    if not frame.home_folder.is_dir():
        raise NotFound(f"there is no home in {frame.home_folder}; choose another with --home")
    made = _backup_shown(frame, "Backing up", frame.soul.backup, file)
    frame.say(
        f"Wrote {clean(made.file)}: {counted(made.files, 'file')}, {made.size // _KIB:,} KiB; read back and intact.",
        home.backup(made),
    )
    for what in made.left_out:
        frame.note(f"Not in it: {clean(what)}.")
    frame.note("It contains all memory and the secrets in config.yaml in plain text: keep it private.")


@click.command(cls=Verb)
@click.argument("file", type=click.Path())
@pass_frame
def restore(frame: Frame, file: str) -> None:
    """Restore the home from FILE, a backup, or to another folder with --home. The folder must be empty or not exist.

    Restore only what you trust as you trust your home: its config.yaml decides which programs and servers are used.
    """
    from oldsoul import Oldsoul  # noqa: PLC0415 - `--help` needs none of it

    folder = frame.home_folder
    made = _backup_shown(frame, "Restoring", lambda given, told: Oldsoul.restore(given, folder, told), file)
    frame.say(f"Restored {clean(made.home)}: {counted(made.files, 'file')} of {made.made}.", home.backup(made))
    for was, now in made.moved.items():
        frame.note(f"{clean(was)} was outside the home; its files are now in {clean(now)}.")
    for what in made.left_out:
        frame.note(f"Note: {clean(what)}.")


def _backup_shown(
    frame: Frame, what: str, verb: Callable[[str, Callable[[int, int], None]], Backup], file: str
) -> Backup:
    """Call a verb, and show how far it is."""
    shown: list[ProgressLine] = []

    def told(done: int, total: int) -> None:
        if total and not shown:
            shown.append(ProgressLine(total, quiet=frame.wants_json))
        for progress in shown:
            progress.show(done, f"{what}: {done // _KIB:,} of {total // _KIB:,} KiB")

    try:
        return verb(file, told)
    finally:
        for progress in shown:
            progress.clear()


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
    frame.say("\n".join(lines), home.health(found, __version__))
    if any(finding.level == ERROR for finding in found):
        raise click.exceptions.Exit(FAILED)


def _line(finding: Finding) -> str:
    level = styled(f"{finding.level:<7}", _COLOUR[finding.level])
    advice = f"\n         {clean(finding.advice)}" if finding.advice else ""
    return f"{level}  {clean(finding.about)}: {clean(finding.message)}{advice}"


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
    frame.say(_index_shown(value), value)


def _index_shown(value: upkeep.IndexState) -> str:
    waiting = value.waiting
    behind = value.making or f"{waiting:,} changed; the next search indexes them"
    up_to_date = "yes" if value.up_to_date else f"no, {behind}"
    rows = [
        ("Files", f"{value.documents:,}"),
        ("Conversations", f"{value.conversations:,}"),
        ("Chunks", f"{value.chunks:,}"),
        ("Embedder", value.embedder if value.embedder != "none" else "none; search compares words only"),
        ("File", f"{clean(value.file)}, {value.size // 1024:,} KiB" if value.file else "in PostgreSQL"),
        ("Up to date", up_to_date),
        *(("Left out", clean(problem)) for problem in value.problems),
    ]
    lines = [f"{styled(f'{head}:', 'bold')}{' ' * (15 - len(head))}{text}" for head, text in rows]
    advice = "`oldsoul index rebuild` rebuilds it; `oldsoul index watch` keeps it up to date."
    return "\n".join([*lines, styled(advice, "dim")])


@index.command("rebuild")
@pass_frame
def rebuild(frame: Frame) -> None:
    """Rebuild the index from files and conversations; search keeps using the old one meanwhile."""
    agent = frame.agent
    shown: list[ProgressLine] = []

    def told(done: int, total: int) -> None:
        if not shown:
            shown.append(ProgressLine(total, quiet=frame.wants_json))
        shown[0].show(done, f"{done:,} of {counted(total, 'file')}")

    began = time.monotonic()
    agent.index.rebuild(told)
    for progress in shown:
        progress.clear()
    broken = [one for one in agent.memory.check_corrections() if one.problem]
    value = upkeep.index_rebuilt(agent, [(one.correction.id, one.problem) for one in broken])
    done = f"{counted(value.documents, 'file')} and {counted(value.conversations, 'conversation')}"
    lines = [f"Rebuilt from {done} in {time.monotonic() - began:.1f} s."]
    lines += [styled(f"A correction does not hold: {clean(one.problem)}", "red") for one in broken]
    frame.say("\n".join(lines), value)


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
    agents = [name for name in soul.searched() if not frame.agent_id or name == frame.agent.id]
    if not agents:
        raise Refused("search is turned off (memory.search.enabled)")
    watcher = soul.watch(agents, lambda taken: _tell(frame, taken, several=len(agents) > 1), every=every)
    frame.note(f"Watching {', '.join(map(clean, agents))}; press Ctrl-C to stop.")
    watcher.run()


def _tell(frame: Frame, taken: SyncEvent, *, several: bool) -> None:
    now = frame.soul.agent(taken.agent or None).now()
    if frame.wants_json:
        line = {"time": now.isoformat(), "agent": taken.agent or None, "indexed": taken.number}
        to_stdout(json.dumps({**line, "problem": taken.problem} if taken.problem else line), exact=True)
        return
    whose = f"{clean(taken.agent)}: " if several and taken.agent else ""
    if taken.problem:
        frame.note(f"{whose}{clean(taken.problem)}")
    else:
        to_stdout(f"{now:%H:%M:%S}  {whose}{taken.number:,} indexed")


@click.group(cls=Verbs, default="list")
@common
def review() -> None:
    """Look at proposals: changes that wait for your approval. Without a command: list them."""


@review.command("list")
@click.option("--all", "everything", is_flag=True, help="Include those already decided.")
@pass_frame
def list_(frame: Frame, everything: bool) -> None:
    """List proposals, oldest first."""
    agent = frame.agent
    found = agent.review.proposals("" if everything else "open")
    value = [views.proposal(p) for p in found]
    now = agent.now()
    rows = [
        (p.id, when(p.at, now), who(p.change_set.author, agent), *([p.state] if everything else []), _what(each))
        for p, each in zip(found, value, strict=True)
    ]
    heads = ("ID", "WHEN", "WHO", *(["STATE"] if everything else []), "WHAT")
    text = table(heads, rows)
    frame.say(text if rows else "Nothing waits for your approval.", value)


def _what(proposal: views.ProposalShown) -> str:
    """The words it would write, then into which files and why; a narrow terminal shows the beginning."""
    files, reason = ", ".join(proposal.files), proposal.reason
    words = "; ".join(proposal.words)
    return f"{words} ({files}: {reason})" if words else f"{reason} ({files})"


@review.command("show")
@click.argument("proposal_id", metavar="ID", shell_complete=verbs.proposals)
@pass_frame
def show_(frame: Frame, proposal_id: str) -> None:
    """Show what a proposal would change, who made it, why, and its evidence."""
    agent = frame.agent
    proposal = agent.review.proposal(proposal_id)
    asked = proposal.change_set
    value = views.proposal_tried(agent, proposal)
    lines = [
        styled(f"Proposal {proposal.id} ({proposal.state})", "bold"),
        f"Who:  {who(asked.author, agent)}",
        f"When: {when(proposal.at, agent.now())}",
        f"Why:  {clean(asked.reason)}",
        *(
            f"Evidence: {e.ref} ({e.origin}, visible to {clean(visible_to(e.audience))}) {clean(e.quote)}".rstrip()
            for e in asked.evidence
        ),
        *(styled(f"Warning: {clean(warning)}", "yellow") for warning in proposal.warnings),
        *([styled(f"It cannot be applied now: {clean(value.problem)}", "red")] if value.problem else []),
        *([f"Note: {clean(proposal.note)}"] if proposal.note else []),
        "",
        coloured_diff(value.diff),
    ]
    frame.say("\n".join(lines).rstrip(), value)


@review.command()
@click.argument("proposal_id", metavar="ID", shell_complete=verbs.proposals)
@click.option("--edit", is_flag=True, help="Edit the text in your editor first.")
@pass_frame
def approve(frame: Frame, proposal_id: str, edit: bool) -> None:
    """Apply a proposal exactly as `review show` displays it."""
    agent = frame.agent
    edited = _edited(agent, proposal_id) if edit else None
    try:
        outcome = agent.review.approve(proposal_id, edited=edited)
    except OldsoulError:
        _keep(frame, edited or {})
        raise
    value = views.approved(agent.review.proposal(proposal_id).id, outcome)
    done = f"{counted(len(value.files), 'file')} changed (change {value.change})"
    text = f"Approved: {done}. `oldsoul undo {value.change}` undoes it."
    frame.say("\n".join([text, *extras(outcome)]), value)


def _edited(agent: Agent, proposal_id: str) -> dict[Name, bytes]:
    texts: dict[Name, bytes] = {}
    for name, (_, after) in agent.review.preview(proposal_id).items():
        with Draft(name.path, after or b"") as draft:
            to_stderr(f"Editing {name.path} as it would become.")
            draft.open_editor()
            texts[name] = draft.text()
    return texts


def _keep(frame: Frame, texts: dict[Name, bytes]) -> None:
    """Leave what somebody wrote where they find it."""
    for name, text in texts.items():
        draft = Draft(name.path, text)
        draft.keep()
        frame.note(f"Your text is saved in {draft.path}")


@review.command()
@click.argument("proposal_id", metavar="ID", shell_complete=verbs.proposals)
@click.option("--why", default="", help="The reason, for whoever proposed it.")
@pass_frame
def reject(frame: Frame, proposal_id: str, why: str) -> None:
    """Reject a proposal; nothing is changed."""
    closed = frame.agent.review.reject(proposal_id, why)
    frame.say(f"Rejected {closed.id}; nothing was changed.", views.proposal(closed))
