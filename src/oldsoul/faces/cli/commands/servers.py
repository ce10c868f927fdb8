"""`mcp`, `proxy`, `serve`, `openapi` and `token`: the servers, and who may come in."""

from __future__ import annotations

import gc
import json
import logging
import sys
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

import click

from oldsoul.errors import BadInput
from oldsoul.faces.cli import given
from oldsoul.faces.cli.output import clean, table, when
from oldsoul.faces.cli.verbs import Verb, Verbs, Whole, common, listening, pass_frame
from oldsoul.values.callers import Caller
from oldsoul.views import access

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

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
    owner = frame.soul.operators[0]
    caller = Caller.agent("mcp", session=session)
    if role == _OPERATOR:
        if who != "dm":
            raise BadInput("--role operator works with --as dm only: proposals may contain what is private")
        if not frame.soul.settings.mcp.operator:
            raise BadInput(
                "an MCP client is an agent; to let its model decide on proposals: oldsoul config set mcp.operator true"
            )
        caller = Caller.operator(owner)

    from oldsoul.faces.mcp import transport  # noqa: PLC0415 - an extra, and slow to load

    gc.enable()  # this one is not soon over
    transport.run(frame.soul, caller, agent.id)


@click.command(cls=Verb)
@listening
@pass_frame
def proxy(frame: Frame, host: str, port: int, public: bool, names: tuple[str, ...]) -> None:
    """Let programs that speak OpenAI's API talk with your agents (or with one, with -a). Ctrl-C stops it.

    Each agent is a model. Give the client the base URL that is printed, and a token from `oldsoul token add` as its API key.
    The connection is not encrypted: to reach it from other machines, put a web server with TLS before it.
    """
    from oldsoul.faces.web import server  # noqa: I001, PLC0415 - an extra, and slow to load; it says what is missing
    from oldsoul.faces.proxy import web  # noqa: PLC0415 - as above

    soul = frame.soul
    agents = [frame.agent.id] if frame.agent_id else []
    line = server.listening(host, port, public=public)
    hosts = server.names_of(line, host, names)
    served = server.server(lambda stopping: web.app(soul, agents=agents, hosts=hosts, stopping=stopping))
    url = f"{server.address_of(line, host)}/v1"
    shown = agents or [*soul.agents(), *soul.teams()]
    needs_token = not soul.tokens()

    def tell() -> None:
        frame.say(f"Base URL: {url}", {"base_url": url, "models": shown})
        frame.note(f"Models: {', '.join(map(clean, shown))}. Press Ctrl-C to stop.")
        if needs_token:
            frame.note("There is no token yet; clients need one: oldsoul token add --role operator")

    gc.enable()  # this one is not soon over
    server.run(served, line, tell)
    frame.note("Stopped.")


@click.command(cls=Verb)
@listening
@pass_frame
def serve(frame: Frame, host: str, port: int, public: bool, names: tuple[str, ...]) -> None:
    """Serve the HTTP API and the proxy, watch files and run the keepers on schedule. Ctrl-C stops it.

    The login link that is printed logs a browser in, once. Programs use a token: the server's own in `state/server.token`,
    or one from `oldsoul token add`. The connection is not encrypted: to reach it from other machines, put a web server
    with TLS before it.
    """
    from oldsoul.faces.http import login  # noqa: PLC0415 - an extra, and slow to load  # noqa: PLC0415 - an extra, and slow to load
    from oldsoul.faces.http.app import app  # noqa: PLC0415 - as above
    from oldsoul.faces.web import server  # noqa: PLC0415 - as above

    soul = frame.soul
    line = server.listening(host, port, public=public)
    hosts, url, logins = server.names_of(line, host, names), server.address_of(line, host), login.Logins()
    file = login.ensure_token(soul)
    served = server.server(lambda stopping: app(soul, hosts=hosts, stopping=stopping, logins=logins, background=True))

    def tell() -> None:
        link = login.link(url, logins.new_code())
        frame.say(f"Log in: {link}", {"url": url, "login": link, "token_file": file})
        frame.note(f"The link works once, for {login.MINUTES} minutes. Base URL of the proxy: {url}/v1")
        frame.note("Press Ctrl-C to stop.")

    gc.enable()  # this one is not soon over
    with _logged():
        server.run(served, line, tell)
    frame.note("Stopped.")


@contextmanager
def _logged() -> Iterator[None]:
    """Have what the server logs stand on standard error, a line of JSON each."""
    from oldsoul.faces.http.observation import JsonLines  # noqa: PLC0415 - as above

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root, requests = logging.getLogger(), logging.getLogger("oldsoul.http")
    before = requests.level
    root.addHandler(handler)
    requests.setLevel(logging.INFO)
    try:
        yield
    finally:
        root.removeHandler(handler)
        requests.setLevel(before)


@click.command(cls=Verb)
@pass_frame
def openapi(frame: Frame) -> None:
    """Print the OpenAPI document of the HTTP API, as JSON. No server has to run."""
    from oldsoul.faces.http.app import api  # noqa: PLC0415 - an extra, and slow to load

    document = api().openapi()
    frame.say(json.dumps(document, ensure_ascii=False, indent=2), document)


_ROLES = ("operator", "agent", "reader")
_LONGEST = 36_500
_NONE = "–"


@click.group(cls=Verbs, default="list")
@common
def token() -> None:
    """Add, list and revoke the tokens that let programs in (see `oldsoul proxy`). Without a command: list them."""


@token.command()
@click.option("--role", type=click.Choice(_ROLES), default="agent", show_default=True, help="What it may do.")
@click.option(
    "--person",
    metavar="PERSON",
    help="The person it speaks for. With the role operator: one of the operators, you by default.",
)
@click.option("--days", type=Whole(1, _LONGEST), metavar="NUMBER", help="Expire after this many days.")
@click.option("--name", default="", metavar="TEXT", help="A name to recognise it by.")
@pass_frame
def add(frame: Frame, role: str, person: str | None, days: int | None, name: str) -> None:
    """Add a token and print it. It is shown only now; a hash of it is stored.

    A program with this token talks with your agents (or with one, with -a) in private conversations of that person. Agents
    and operators are remembered; what readers say is not logged.

    Example: oldsoul token add --role operator --name laptop
    """
    now = _now(frame)
    expires = None if days is None else now + timedelta(days=days)
    agent = frame.agent.id if frame.agent_id else ""
    made = frame.soul.add_token(role, person=person, agent=agent, expires=expires, name=name)
    until = f" until {expires:%Y-%m-%d %H:%M}" if expires else ""
    frame.note(
        f"Token {made.token.id} ({role}) for {clean(made.token.person.id)}, valid{until}. Keep it: it is not shown again."
    )
    frame.say(made.secret, access.token_made(made, now))


@token.command("list")
@pass_frame
def list_(frame: Frame) -> None:
    """List the tokens, never what they are: for whom, for which agent, and until when.

    Example: oldsoul token list
    """
    now = _now(frame)
    found = frame.soul.tokens()
    rows = []
    for each in found:
        ends = each.expires and f"{when(each.expires.isoformat(), now)}{' (expired)' if each.has_expired(now) else ''}"
        made = when(each.created.isoformat(), now)
        rows.append(
            (each.id, each.role, each.person.id, each.agent or "all", made, ends or "never", each.name or _NONE)
        )
    heads = ("ID", "ROLE", "PERSON", "AGENT", "ADDED", "EXPIRES", "NAME")
    text = table(heads, rows) if rows else "There are no tokens; `oldsoul token add` adds one."
    frame.say(text, [access.token(each, now) for each in found])


@token.command()
@click.argument("which")
@pass_frame
def revoke(frame: Frame, which: str) -> None:
    """Revoke the token with this id or name. It is not accepted any more, from the next request on.

    Example: oldsoul token revoke laptop
    """
    gone = frame.soul.revoke_token(which)
    frame.say(f"Revoked {gone.id}{f' ({clean(gone.name)})' if gone.name else ''}.", access.token(gone, _now(frame)))


def _now(frame: Frame) -> datetime:
    return frame.soul.agent().now()
