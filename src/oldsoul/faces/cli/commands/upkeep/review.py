"""`review`: proposed changes looked at, approved or rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from oldsoul.app.comparing import difference
from oldsoul.errors import OldsoulError
from oldsoul.faces.cli import completing
from oldsoul.faces.cli.editor import Draft
from oldsoul.faces.cli.output import clean, coloured_diff, counted, styled, table, to_stderr, when
from oldsoul.faces.cli.reports import extras, visible_to, who
from oldsoul.faces.cli.verbs import Verbs, common, pass_frame
from oldsoul.views import history as views

if TYPE_CHECKING:
    from oldsoul.app import Agent
    from oldsoul.faces.cli.frame import Frame
    from oldsoul.values.names import Name


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
    found = agent.proposals("" if everything else "open")
    value = [views.proposal(p) for p in found]
    now = agent.parts.today()
    rows = [
        (p.id, when(p.at, now), who(p.change_set.author, agent), *([p.state] if everything else []), _what(each))
        for p, each in zip(found, value, strict=True)
    ]
    heads = ("ID", "WHEN", "WHO", *(["STATE"] if everything else []), "WHAT")
    text = table(heads, rows)
    frame.say(text if rows else "Nothing waits for your approval.", value)


def _what(proposal: dict[str, Any]) -> str:
    """The words it would write, then into which files and why; a narrow terminal shows the beginning."""
    files, reason = ", ".join(proposal["files"]), proposal["reason"]
    words = "; ".join(proposal["words"])
    return f"{words} ({files}: {reason})" if words else f"{reason} ({files})"


@review.command("show")
@click.argument("proposal_id", metavar="ID", shell_complete=completing.proposals)
@pass_frame
def show_(frame: Frame, proposal_id: str) -> None:
    """Show what a proposal would change, who made it, why, and its evidence."""
    agent = frame.agent
    proposal = agent.proposal(proposal_id)
    asked = proposal.change_set
    text, problem = "", ""
    if proposal.state == "open":
        try:
            text = _difference(agent, proposal.id)
        except OldsoulError as error:
            problem = str(error)
    lines = [
        styled(f"Proposal {proposal.id} ({proposal.state})", "bold"),
        f"Who:  {who(asked.author, agent)}",
        f"When: {when(proposal.at, agent.parts.today())}",
        f"Why:  {clean(asked.reason)}",
        *(
            f"Evidence: {e.ref} ({e.origin}, visible to {clean(visible_to(e.audience))}) {clean(e.quote)}".rstrip()
            for e in asked.evidence
        ),
        *(styled(f"Warning: {clean(warning)}", "yellow") for warning in proposal.warnings),
        *([styled(f"It cannot be applied now: {clean(problem)}", "red")] if problem else []),
        *([f"Note: {clean(proposal.note)}"] if proposal.note else []),
        "",
        coloured_diff(text),
    ]
    frame.say("\n".join(lines).rstrip(), {**views.proposal(proposal), "diff": text, "problem": problem})


def _difference(agent: Agent, proposal_id: str) -> str:
    preview = agent.preview(proposal_id)
    parts = (difference(name.path, before, after) for name, (before, after) in preview.items())
    return "\n".join(part for part in parts if part)


@review.command()
@click.argument("proposal_id", metavar="ID", shell_complete=completing.proposals)
@click.option("--edit", is_flag=True, help="Edit the text in your editor first.")
@pass_frame
def approve(frame: Frame, proposal_id: str, edit: bool) -> None:
    """Apply a proposal exactly as `review show` displays it."""
    agent = frame.agent
    edited = _edited(agent, proposal_id) if edit else None
    try:
        outcome = agent.approve(proposal_id, edited=edited)
    except OldsoulError:
        _keep(frame, edited or {})
        raise
    value = views.approved(agent.proposal(proposal_id).id, outcome)
    done = f"{counted(len(value['files']), 'file')} changed (change {value['change']})"
    text = f"Approved: {done}. `oldsoul undo {value['change']}` undoes it."
    frame.say("\n".join([text, *extras(outcome)]), value)


def _edited(agent: Agent, proposal_id: str) -> dict[Name, bytes]:
    texts: dict[Name, bytes] = {}
    for name, (_, after) in agent.preview(proposal_id).items():
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
@click.argument("proposal_id", metavar="ID", shell_complete=completing.proposals)
@click.option("--why", default="", help="The reason, for whoever proposed it.")
@pass_frame
def reject(frame: Frame, proposal_id: str, why: str) -> None:
    """Reject a proposal; nothing is changed."""
    closed = frame.agent.reject(proposal_id, why)
    frame.say(f"Rejected {closed.id}; nothing was changed.", views.proposal(closed))
