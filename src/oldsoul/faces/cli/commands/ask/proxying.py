"""`proxy`: OpenAI's API in front of the agents, for any client that speaks it."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import click

from oldsoul.faces.cli.output import clean
from oldsoul.faces.cli.verbs import Verb, listening, pass_frame

if TYPE_CHECKING:
    from oldsoul.faces.cli.frame import Frame


@click.command(cls=Verb)
@listening
@pass_frame
def proxy(frame: Frame, host: str, port: int, public: bool, names: tuple[str, ...]) -> None:
    """Let programs that speak OpenAI's API talk with your agents (or with one, with -a). Ctrl-C stops it.

    Each agent is a model. Give the client the base URL that is printed, and a token from `oldsoul token add` as its API key.
    The connection is not encrypted: to reach it from other machines, put a web server with TLS before it.
    """
    from oldsoul.faces.web import running  # noqa: I001, PLC0415 - an extra, and slow to load; it says what is missing
    from oldsoul.faces.proxy import web  # noqa: PLC0415 - as above

    soul = frame.soul
    agents = [frame.agent.id] if frame.agent_id else []
    line = running.listening(host, port, public=public)
    hosts = running.names_of(line, host, names)
    served = running.server(lambda stopping: web.app(soul, agents=agents, hosts=hosts, stopping=stopping))
    url = f"{running.address_of(line, host)}/v1"
    shown = agents or [*soul.agents(), *soul.teams()]
    needs_token = not soul.tokens()

    def tell() -> None:
        frame.say(f"Base URL: {url}", {"base_url": url, "models": shown})
        frame.note(f"Models: {', '.join(map(clean, shown))}. Press Ctrl-C to stop.")
        if needs_token:
            frame.note("There is no token yet; clients need one: oldsoul token add --role operator")

    gc.enable()  # this one is not soon over
    running.run(served, line, tell)
    frame.note("Stopped.")
