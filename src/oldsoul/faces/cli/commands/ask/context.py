"""`context` and `prompt`: what a session is told before a reply, and what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from oldsoul.faces.cli import given
from oldsoul.faces.cli.output import clean, table
from oldsoul.faces.cli.verbs import Verb, pass_frame
from oldsoul.values.context import IN_SYSTEM_PROMPT

if TYPE_CHECKING:
    from collections.abc import Callable

    from oldsoul.app.prompting import Prompt
    from oldsoul.context.bootstrap import FileNote
    from oldsoul.faces.cli.frame import Frame
    from oldsoul.values.context import Context, Filled

_WHO = "Which session: dm, dm:PERSON, group:ROOM or cron; yours if not given."
_BAR = 24
_MOST_LEFT_OUT = 20


@click.command(cls=Verb)
@click.option("--as", "who", metavar="SESSION", default="dm", help=_WHO)
@click.option("-m", "--message", metavar="TEXT", default="", help="The message that is to be answered.")
@click.option("--receipt", is_flag=True, help="Show where each line came from, and what was left out.")
@click.option("--text", "only_text", is_flag=True, help="Print the text alone, as the model gets it.")
@pass_frame
def context(frame: Frame, *, who: str, message: str, receipt: bool, only_text: bool) -> None:
    """Show what a session is told of memory before a reply: eight slots, each within its budget."""
    agent = frame.agent
    made = agent.context(message, session=given.viewer(agent, who))
    for note in made.notes:
        frame.note(clean(note))
    if only_text:
        frame.say(_shown(made.text), _value(made))
        return
    budget = agent.settings.context.budget_tokens
    lines = [_table(made), "", f"{made.tokens} of {budget} tokens{_cost(made.tokens, agent.price)}"]
    if made.answer:
        lines.append(f"Recall says: {made.answer}")
    if receipt:
        lines += ["", _receipt(made)]
    lines += ["", _shown(made.text)] if not receipt else []
    frame.say("\n".join(lines), _value(made))


@click.command(cls=Verb)
@click.option("--as", "who", metavar="SESSION", default="dm", help=_WHO)
@click.option("-m", "--message", metavar="TEXT", default="", help="The message that is to be answered.")
@click.option("--text", "only_text", is_flag=True, help="Print the system prompt and what stands before the message.")
@pass_frame
def prompt(frame: Frame, *, who: str, message: str, only_text: bool) -> None:
    """Show the prompt a session gets: its sections and files, what each costs, and what is wrong with them."""
    agent = frame.agent
    made = agent.prompt(message, session=given.viewer(agent, who))
    count = agent.soul.world.tokens(agent.settings.context.tokenizer, agent.model)
    sections = [(part.name, count(part.text), part.volatile) for part in made.system.parts]
    block = sum(filled.tokens for filled in made.context.slots if filled.slot not in IN_SYSTEM_PROMPT)
    files = [_file(note, count, made) for note in made.files]
    total = sum(tokens for _, tokens, _ in sections) + block
    value = {
        "system": made.system.text,
        "stable_characters": len(made.system.stable),
        "text": made.text,
        "tokens": total,
        "sections": [{"name": name, "tokens": tokens, "volatile": volatile} for name, tokens, volatile in sections],
        "files": files,
        "context": _value(made.context),
        "warnings": list(made.notes),
    }
    for note in made.notes:
        frame.note(clean(note))
    if only_text:
        frame.say(f"{_shown(made.system.text)}\n\n{_shown(made.text)}".rstrip("\n"), value)
        return
    rows = [(clean(name), str(tokens), "each turn" if volatile else "") for name, tokens, volatile in sections]
    rows.append(("memory before the message", str(block), "each turn"))
    shown = [table(("SECTION", "TOKENS", "CHANGES"), rows), ""]
    told = [(clean(f["name"]), f["state"], str(f["characters"]), str(f["tokens"])) for f in files]
    shown += [table(("FILE", "STATE", "CHARACTERS", "TOKENS"), told), ""]
    shown.append(f"{total} tokens{_cost(total, agent.price)}; `--text` prints it")
    frame.say("\n".join(shown), value)


def _file(note: FileNote, count: Callable[[str], int], made: Prompt) -> dict[str, Any]:
    """What a workspace file costs."""
    part = next((p for p in made.system.parts if p.name == f"Project Context: {note.path}"), None)
    return {
        "name": note.name,
        "path": note.path,
        "state": str(note.state),
        "characters": note.shown,
        "size": note.size,
        "limit": note.limit,
        "tokens": count(part.text) if part else 0,
    }


def _value(made: Context) -> dict[str, Any]:
    return {
        "text": made.text,
        "tokens": made.tokens,
        "answer": made.answer,
        "slots": [
            {
                "slot": int(filled.slot),
                "name": filled.slot.name.lower(),
                "budget": filled.budget,
                "allowed": filled.allowed,
                "tokens": filled.tokens,
                "text": filled.text,
            }
            for filled in made.slots
        ],
        "receipt": {
            "included": [
                {
                    "slot": one.slot.name.lower(),
                    "document": one.document,
                    "start_line": one.start_line,
                    "end_line": one.end_line,
                    "entry": one.entry,
                    "score": one.score,
                    "tokens": one.tokens,
                }
                for one in made.included
            ],
            "left_out": [
                {
                    "slot": one.slot.name.lower(),
                    "document": one.document,
                    "start_line": one.start_line,
                    "entry": one.entry,
                    "tokens": one.tokens,
                    "why": one.why,
                }
                for one in made.left_out
            ],
        },
    }


def _shown(text: str) -> str:
    return "\n".join(clean(line) for line in text.strip("\n").split("\n"))


def _cost(tokens: int, price: float) -> str:
    """What so many tokens cost, where a price is set."""
    return f", {tokens * price / 1_000_000:.4f} each time" if price else ""


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


def _receipt(made: Context) -> str:
    rows = [
        (
            one.slot.name.lower(),
            clean(f"{one.document}:{one.start_line}" if one.start_line else one.document),
            one.entry,
            f"{one.score:.2f}" if one.score else "",
            str(one.tokens),
        )
        for one in made.included
    ]
    lines = [table(("SLOT", "FROM", "ENTRY", "SCORE", "TOKENS"), rows)] if rows else ["Nothing is in it."]
    for one in made.left_out[:_MOST_LEFT_OUT]:
        where = f"{one.document}:{one.start_line}" if one.start_line else one.document
        lines.append(f"left out: {clean(where)} ({one.tokens} tokens): {one.why}")
    if len(made.left_out) > _MOST_LEFT_OUT:
        lines.append(f"… and {len(made.left_out) - _MOST_LEFT_OUT} more; `--json` lists all")
    return "\n".join(lines)
