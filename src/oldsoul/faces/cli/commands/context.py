"""`context`: what the agent is given before a reply, where it comes from, and what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from oldsoul.errors import BadInput
from oldsoul.faces.cli import given
from oldsoul.faces.cli.output import clean, table
from oldsoul.faces.cli.verbs import Verb, pass_frame
from oldsoul.values.context import IN_SYSTEM_PROMPT
from oldsoul.views import recall as views

if TYPE_CHECKING:
    from oldsoul.faces.cli.frame import Frame
    from oldsoul.values.context import Context, Filled
    from oldsoul.values.sessions import Session


_BAR = 24
_MOST_LEFT_OUT = 20


@click.command(cls=Verb)
@click.option("--as", "who", metavar="SESSION", default="dm", help=f"For which session. {given.SESSIONS}")
@click.option("-m", "--message", metavar="TEXT", default="", help="The message to be answered.")
@click.option("--receipt", is_flag=True, help="Show where each line comes from, and what was left out.")
@click.option("--text", "only_text", is_flag=True, help="Print only the text the model gets.")
@click.option("--prompt", is_flag=True, help="Show the whole prompt: its sections and files, and what each costs.")
@pass_frame
def context(frame: Frame, *, who: str, message: str, receipt: bool, only_text: bool, prompt: bool) -> None:
    """Show the context: what the agent is given from memory before it replies, in eight slots with token budgets.

    Example: oldsoul context --message "when do we deploy?" --receipt
    """
    if prompt:
        if receipt:
            raise BadInput("--receipt is for the context; leave out --prompt")
        _prompt(frame, given.viewer(frame.agent, who), message, only_text=only_text)
        return
    agent = frame.agent
    made = agent.context(message, session=given.viewer(agent, who))
    budget, price = agent.budget, agent.price
    value = views.context(made, budget, price)
    for note in made.notes:
        frame.note(clean(note))
    if only_text:
        frame.say(_shown(made.text), value)
        return
    lines = [_table(made), "", f"{made.tokens} of {budget} tokens{_cost(made.tokens, price)}"]
    if made.answer:
        lines.append(f"Recall: {made.answer}")
    if receipt:
        lines += ["", receipt_table(made)]
    lines += ["", _shown(made.text)] if not receipt else []
    frame.say("\n".join(lines), value)


def _prompt(frame: Frame, session: Session, message: str, *, only_text: bool) -> None:
    agent = frame.agent
    made = agent.prompt(message, session=session)
    count = agent.count_tokens
    price = agent.price
    value = views.prompt(made, count, agent.settings.context.budget_tokens, price)
    for note in made.notes:
        frame.note(clean(note))
    if only_text:
        frame.say(f"{_shown(made.system.text)}\n\n{_shown(made.text)}".rstrip("\n"), value)
        return
    rows = [(clean(s.name), str(s.tokens), "every turn" if s.volatile else "") for s in value.sections]
    block = value.tokens - sum(s.tokens for s in value.sections)
    rows.append(("memory before the message", str(block), "every turn"))
    shown = [table(("SECTION", "TOKENS", "CHANGES"), rows, flexible=0), ""]
    told = [(clean(f.name), f.state, str(f.characters), str(f.tokens)) for f in value.files]
    shown += [table(("FILE", "STATE", "CHARACTERS", "TOKENS"), told, flexible=0), ""]
    shown.append(f"{value.tokens} tokens{_cost(value.tokens, price)}; `--text` prints it")
    frame.say("\n".join(shown), value)


def _shown(text: str) -> str:
    return "\n".join(clean(line) for line in text.strip("\n").split("\n"))


def _cost(tokens: int, price: float) -> str:
    """What so many tokens cost, where a price is set."""
    return f", {tokens * price / 1_000_000:.4f} per reply" if price else ""


def _table(made: Context) -> str:
    rows = [
        (filled.slot.name.lower().replace("_", " "), _bar(filled), f"{filled.tokens}", f"{filled.budget}")
        for filled in made.slots
    ]
    return table(("SLOT", "", "TOKENS", "BUDGET"), rows)


def _bar(filled: Filled) -> str:
    whole = max(filled.budget, filled.tokens, 1)
    full = round(_BAR * filled.tokens / whole)
    return "█" * full + "·" * (_BAR - full)


def receipt_table(made: Context, *, memory_only: bool = False) -> str:
    """Where each line of a context comes from, and what was left out; without SOUL.md and USER.md, memory alone."""
    rows = [
        (
            one.slot.name.lower(),
            clean(f"{one.document}:{one.start_line}" if one.start_line else one.document),
            one.entry,
            f"{one.score:.2f}" if one.score else "",
            str(one.tokens),
        )
        for one in made.included
        if not (memory_only and one.slot in IN_SYSTEM_PROMPT)
    ]
    lines = [table(("SLOT", "FROM", "ENTRY", "SCORE", "TOKENS"), rows)] if rows else ["The context is empty."]
    for one in made.left_out[:_MOST_LEFT_OUT]:
        where = f"{one.document}:{one.start_line}" if one.start_line else one.document
        lines.append(f"left out: {clean(where)} ({one.tokens} tokens): {one.why}")
    if len(made.left_out) > _MOST_LEFT_OUT:
        lines.append(f"… and {len(made.left_out) - _MOST_LEFT_OUT} more; `--json` lists all")
    return "\n".join(lines)
