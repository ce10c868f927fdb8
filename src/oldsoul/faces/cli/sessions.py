"""`sessions` and `end-session`: conversations, and the memory that is made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from oldsoul.errors import BadInput
from oldsoul.faces.cli import completing, given
from oldsoul.faces.cli.frame import FAILED, Frame, Verb, pass_frame
from oldsoul.faces.cli.output import clean, coloured_diff, counted, styled, table, to_stdout, when

if TYPE_CHECKING:
    from oldsoul.app import Agent
    from oldsoul.app.conversations import Held
    from oldsoul.driver import Report, Step
    from oldsoul.values.names import Name
    from oldsoul.values.sessions import Session

_MOST_COUNTED = 1000
_LASTING = ("longterm", "profile", "memory", "user", "room")


@click.command(cls=Verb)
@click.argument("session", required=False, shell_complete=completing.sessions)
@click.option("--open", "only_open", is_flag=True, help="Only those with messages that are not memory yet.")
@pass_frame
def sessions(frame: Frame, session: str | None, only_open: bool) -> None:
    """List conversations, the latest first, or show one with its files.

    MEMORY says whether all of it was made memory (ended), or how many messages are new since.
    """
    agent = frame.agent
    if session is not None:
        if only_open:
            raise BadInput("--open is for the list; leave it out to look at one session")
        _show(frame, agent, agent.talk.session(given.named(session, "session")))
        return
    found = [held for held in agent.talk.sessions() if not (only_open and held.ended)]
    value = [_about(agent, held) for held in found]
    now = agent.today()
    rows = [
        (each["session"], each["kind"], each["with"] or "–", each["messages"], when(each["last"], now), _state(each))
        for each in value
    ]
    text = table(
        ("SESSION", "KIND", "WITH", "MESSAGES", "LAST", "MEMORY"),
        rows,
        flexible=0,
        styles=["" if each["ended"] else "yellow" for each in value],
    )
    frame.say(text if rows else "No conversations yet." if not only_open else "Every conversation is ended.", value)


def _about(agent: Agent, held: Held) -> dict[str, Any]:
    thread = held.thread
    return {
        "session": thread.session.id,
        "kind": str(thread.session.kind),
        "with": _with(thread.session),
        "messages": thread.count,
        "first": thread.first.isoformat(),
        "last": thread.last.isoformat(),
        "channel": thread.channel,
        "ended": held.ended,
        "new": _new(agent, held),
    }


def _with(session: Session) -> str:
    """Whom or where a conversation is with."""
    while session.parent is not None:
        session = session.parent
    person = session.subject.id if session.subject and session.kind == "dm" else ""
    return session.room or person


def _new(agent: Agent, held: Held) -> int:
    """How many messages are not memory yet; a great many are not counted out."""
    from oldsoul.values.messages import Wanted  # noqa: PLC0415 - `--help` needs none of it

    if held.ended:
        return 0
    if not held.summarised:
        return held.thread.count
    wanted = Wanted(session=held.thread.session.id, after=held.summarised, limit=_MOST_COUNTED)
    return len(agent.talk.messages(wanted))


def _state(about: dict[str, Any]) -> str:
    return "ended" if about["ended"] else f"{about['new']:,} new"


def _show(frame: Frame, agent: Agent, held: Held) -> None:
    about = _about(agent, held)
    files = files_of(agent, held.thread.session.id)
    now = agent.today()
    rows = [
        ("Session", about["session"]),
        ("Kind", about["kind"]),
        ("With", about["with"] or "–"),
        ("Seen by", str(agent.soul.people.audience(held.thread.session))),
        ("Channel", about["channel"] or "–"),
        ("Messages", f"{about['messages']:,}, {when(about['first'], now)} to {when(about['last'], now)}"),
        ("Memory", _state(about)),
        *(("File", name.path) for name in files),
    ]
    lines = [f"{styled(f'{head}:', 'bold')}{' ' * (10 - len(head))}{clean(text)}" for head, text in rows]
    if not held.ended:
        lines.append(styled(f"`oldsoul end-session {clean(about['session'])}` makes memory of it.", "dim"))
    audience = str(agent.soul.people.audience(held.thread.session))
    frame.say("\n".join(lines), {**about, "audience": audience, "files": [name.path for name in files]})


def files_of(agent: Agent, session_id: str) -> list[Name]:
    """What a session left behind, oldest first."""
    from oldsoul.values.ids import segment  # noqa: PLC0415 - `--help` needs none of it

    own = segment(session_id)
    return [name for _, name in agent.talk.files() if name.path.split("/")[2].split(".")[0] == own]


# ending


class Ended(NamedTuple):
    """What ending one session came to."""

    value: dict[str, Any]
    """as JSON has it"""
    lines: list[str]
    """as people read it"""
    done: bool
    """whether all its runs are done; a dry run always is"""


@click.command(cls=Verb)
@click.argument("session", required=False, shell_complete=completing.sessions)
@click.option("--all", "every", is_flag=True, help="All that have messages which are not memory yet.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@pass_frame
def end_session(frame: Frame, session: str | None, every: bool, dry_run: bool) -> None:
    """Make memory of what a conversation said since it was last ended.

    Its file of the day, the diary and long-term memory are written. The conversation may go on afterwards. The exit code
    is 1 when something could not be done.
    """
    agent = frame.agent
    if every == (session is not None):
        raise BadInput("name one session, or all of them with --all; `oldsoul sessions` lists them")
    # The oldest first, so that the diary reads in the order things happened.
    wanted = [held.thread.session.id for held in reversed(agent.talk.sessions()) if not held.ended] if every else []
    if session is not None:
        wanted = [given.named(session, "session")]
    ends: list[Ended] = []
    for one in wanted:
        ends.append(ended(agent, one, dry_run=dry_run))
        if not frame.wants_json:
            to_stdout("\n".join(ends[-1].lines))
    frame.say("" if ends else "Every conversation is ended.", [each.value for each in ends])
    if not all(each.done for each in ends):
        raise click.exceptions.Exit(FAILED)


def ended(agent: Agent, session_id: str, *, dry_run: bool = False) -> Ended:
    """Ends a session, or only tries to, and tells what came of it."""
    reports = agent.end_session(session_id, dry_run=dry_run)
    done = dry_run or all(report.done for report in reports)
    value = {"session": session_id, "dry_run": dry_run, "done": done, "runs": [_run(agent, each) for each in reports]}
    if not reports:
        return Ended(value, [f"{clean(session_id)}: nothing new; it is ended."], done=True)
    lines = [line for report in reports for line in _run_lines(agent, session_id, report, dry_run=dry_run)]
    if dry_run:
        each = " Each day is compared with how things stand now." if len(reports) > 1 else ""
        lines.append(styled(f"Nothing was written.{each}", "dim"))
    elif not done:
        lines.append(styled(f"{clean(session_id)} is not done; run this again once the cause is gone.", "red"))
    return Ended(value, lines, done)


def _day(report: Report) -> str:
    return report.run.key.rsplit(":", 2)[1]


def _run(agent: Agent, report: Report) -> dict[str, Any]:
    return {
        "day": _day(report),
        "done": report.done,
        "steps": [_step(agent, step) for step in report.steps],
        "notes": list(report.notes),
        "problems": report.problems,
        "asked": report.asked,
        "tokens_in": report.tokens_in,
        "tokens_out": report.tokens_out,
    }


def _step(agent: Agent, step: Step) -> dict[str, Any]:
    outcome, plan = step.outcome, step.plan
    change = outcome.change if outcome else None
    proposal = outcome.proposal if outcome else None
    value: dict[str, Any] = {
        "files": _files(step),
        "reason": step.change_set.reason,
        "change": change.id if change else None,
        "proposal": proposal.id if proposal else None,
        "repeated": bool(outcome and outcome.repeated),
        "promoted": [{"path": name.path, "text": text} for name, text in _promoted(step)],
        "masked": outcome.masked if outcome else 0,
        "warnings": list(outcome.warnings if outcome else plan.warnings if plan else ()),
        "problem": step.problem,
    }
    if plan is not None:
        value |= {"waits": str(plan.verdict) == "ask", "diff": _difference(agent, step)}
    return value


def _files(step: Step) -> list[str]:
    if step.outcome is not None and step.outcome.change is not None:
        return [effect.name.path for effect in step.outcome.change.effects]
    names = step.plan.after if step.plan is not None else step.change_set.names
    return [name.path for name in sorted(names)]


def _promoted(step: Step) -> list[tuple[Name, str]]:
    """The entries that go where things are kept for long, each with its words."""
    from oldsoul.values.changes import Add  # noqa: PLC0415 - `--help` needs none of it

    adds = [operation for operation in step.change_set.operations if isinstance(operation, Add)]
    return [(add.name, add.text) for add in adds if str(add.name.kind) in _LASTING]


def _difference(agent: Agent, step: Step) -> str:
    if step.plan is None:
        return ""
    before, after = step.plan.before, step.plan.after
    parts = (agent.difference(name.path, before[name], data) for name, data in sorted(after.items()))
    return "\n".join(part for part in parts if part)


def _run_lines(agent: Agent, session_id: str, report: Report, *, dry_run: bool) -> list[str]:
    lines = [styled(f"{clean(session_id)}, {_day(report)}", "bold")]
    for step in report.steps:
        lines += _tried(agent, step) if dry_run else _done(step)
    return [*lines, *(f"  Note: {clean(note)}" for note in report.notes)]


def _tried(agent: Agent, step: Step) -> list[str]:
    if step.plan is None:
        return [styled(f"  {', '.join(_files(step))}: {clean(step.problem)}", "red")]
    waits = [styled(f"{', '.join(_files(step))} would wait for your approval:", "yellow")]
    shown = [*(waits if str(step.plan.verdict) == "ask" else []), coloured_diff(_difference(agent, step))]
    return [*shown, *(f"  Note: {clean(warning)}" for warning in step.plan.warnings)]


def _done(step: Step) -> list[str]:
    outcome = step.outcome
    words = {name.path: f": {clean(text)}" for name, text in _promoted(step)}
    if outcome is None:
        return [styled(f"  {', '.join(_files(step))}: {clean(step.problem)}", "red")]
    if outcome.repeated:
        return _repeated(step)
    if outcome.proposal is not None:
        waits = f"waits for you, `oldsoul review show {outcome.proposal.id}`"
        lines = [styled(f"  {path}{words.get(path, '')} ({waits})", "yellow") for path in _files(step)]
    else:
        change = f" (change {outcome.change.id})" if outcome.change else ""
        lines = [f"  {path}{words.get(path, '')}{change}" for path in _files(step)]
    if outcome.masked:
        lines.append(f"  Masked {counted(outcome.masked, 'secret')}.")
    return [*lines, *(f"  Note: {clean(warning)}" for warning in outcome.warnings)]


def _repeated(step: Step) -> list[str]:
    """A change whose key was spent: it was made before a run was cut short, or the day's one item was another."""
    outcome = step.outcome
    change = outcome.change if outcome else None
    if change is not None and change.evidence != step.change_set.evidence:
        return [f"  Left in the chat log, one item a session and day: {clean(t)}" for _, t in _promoted(step)]
    return [f"  {', '.join(_files(step))} (as before)"]
