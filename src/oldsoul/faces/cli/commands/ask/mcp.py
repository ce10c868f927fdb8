"""`mcp`: memory for an agent that runs elsewhere, by the Model Context Protocol."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import click

from oldsoul.errors import BadInput
from oldsoul.faces.cli import given
from oldsoul.faces.cli.verbs import Verb, pass_frame
from oldsoul.values.callers import Caller

if TYPE_CHECKING:
    from oldsoul.faces.cli.frame import Frame

_AGENT, _OPERATOR = "agent", "operator"


@click.command(cls=Verb)
@click.option("--as", "who", default="dm", metavar="SESSION", help=given.SESSIONS)
@click.option(
    "--role",
    type=click.Choice([_AGENT, _OPERATOR]),
    default=_AGENT,
    show_default=True,
    help="What the client may do: an agent proposes changes; an operator, if mcp.operator is on, approves them.",
)
@pass_frame
def mcp(frame: Frame, who: str, role: str) -> None:
    """Serve memory to one MCP client (Claude Code, Codex, Cursor …) on standard input and output.

    The client starts this command itself; docs/guides/mcp.md shows its settings. The client sees what the session of --as may see.
    """
    agent = frame.agent
    session = given.viewer(agent, who)
    owner = agent.parts.home.people.operators[0]
    caller = Caller.agent("mcp", session=session)
    if role == _OPERATOR:
        if who != "dm":
            raise BadInput("--role operator works with --as dm only: proposals may contain what is private")
        if not frame.soul.parts.settings.mcp.operator:
            raise BadInput(
                "an MCP client is an agent; to let its model decide on proposals: oldsoul config set mcp.operator true"
            )
        caller = Caller.operator(owner)

    from oldsoul.faces.mcp import running  # noqa: PLC0415 - an extra, and slow to load

    gc.enable()  # this one is not soon over
    running.run(frame.soul, caller, agent.id)
