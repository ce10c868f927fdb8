"""`serve` and `openapi`: the server with its HTTP API, and the document that describes it."""

from __future__ import annotations

import gc
import json
import logging
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from oldsoul.faces.cli.verbs import Verb, listening, pass_frame

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oldsoul.faces.cli.frame import Frame


@click.command(cls=Verb)
@listening
@pass_frame
def serve(frame: Frame, host: str, port: int, public: bool, names: tuple[str, ...]) -> None:
    """Serve the HTTP API and the proxy, watch files and run the keepers on schedule. Ctrl-C stops it.

    The login link that is printed logs a browser in, once. Programs use a token: the server's own in `state/server.token`,
    or one from `oldsoul token add`. The connection is not encrypted: to reach it from other machines, put a web server
    with TLS before it.
    """
    from oldsoul.faces.http import keys, login  # noqa: PLC0415 - an extra, and slow to load
    from oldsoul.faces.http.app import app  # noqa: PLC0415 - as above
    from oldsoul.faces.web import running  # noqa: PLC0415 - as above

    soul = frame.soul
    line = running.listening(host, port, public=public)
    hosts, url, logins = running.names_of(line, host, names), running.address_of(line, host), login.Logins()
    file = keys.ensure_token(soul)
    served = running.server(lambda stopping: app(soul, hosts=hosts, stopping=stopping, logins=logins, background=True))

    def tell() -> None:
        link = login.link(url, logins.new_code())
        frame.say(f"Log in: {link}", {"url": url, "login": link, "token_file": str(file)})
        frame.note(f"The link works once, for {login.MINUTES} minutes. Base URL of the proxy: {url}/v1")
        frame.note("Press Ctrl-C to stop.")

    gc.enable()  # this one is not soon over
    with _logged():
        running.run(served, line, tell)
    frame.note("Stopped.")


@contextmanager
def _logged() -> Iterator[None]:
    """Have what the server logs stand on standard error, a line of JSON each."""
    from oldsoul.faces.http.observing import JsonLines  # noqa: PLC0415 - as above

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
