"""What the settings ask for and is not there: keys, packages, programs, addresses. Nothing is sent to find out."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec

from oldsoul.adapters.embedders import choice as embedders
from oldsoul.adapters.models import metered as models
from oldsoul.adapters.programs import PATH
from oldsoul.keepers.options import DigestOptions, KeeperOptions
from oldsoul.ranking.options import SearchOptions


def missing_requirements(
    search: SearchOptions, keepers: KeeperOptions, environ: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """What was asked for, and what is missing before it can work."""
    if search.enabled and (missing := embedders.problem(search, environ)):
        yield "embedder", missing
    wants_mem0 = search.mem0.enabled or search.mem0.store_enabled
    if wants_mem0 and find_spec("mem0") is None:
        yield "Mem0", "memory.search.mem0 is on, but the package is not installed; pip install 'oldsoul[mem0]'"
    if missing := models.problem(keepers.model, environ):
        yield "model", missing
    if missing := _no_program(keepers.recall_handler):
        yield "recall handler", f"keepers.recall_handler: {missing}"
    if missing := _no_channel(keepers.digest):
        yield "digest", missing


def _no_program(argv: Sequence[str]) -> str:
    if not argv or shutil.which(argv[0], path=PATH):
        return ""
    return f"the program {argv[0]} does not exist or cannot be started"


def _no_channel(options: DigestOptions) -> str:
    """What the channel of the digest still needs."""
    needed: dict[str, list[tuple[str, object]]] = {
        "webhook": [("webhook_url", options.webhook_url)],
        "command": [("command", options.command)],
        "room": [("room", options.room)],
        "mail": [
            ("mail_to", options.mail_to),
            ("smtp_host", options.smtp_host),
        ],
    }
    unset = [f"keepers.digest.{name}" for name, value in needed.get(options.channel, ()) if not value]
    if unset:
        return f"the channel is {options.channel}, and {', '.join(unset)} is not set"
    if options.channel == "webhook" and find_spec("httpx2") is None:
        return "the channel is webhook, but the package httpx2 is not installed; pip install 'oldsoul[remote]'"
    return _no_program(options.command) if options.channel == "command" else ""
