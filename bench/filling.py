"""Homes that servers are measured on: so many messages in memory, indexed, and tokens for clients."""

from __future__ import annotations

import json
import re
from pathlib import Path

from oldsoul.wiring import open_home

CHUNKS = 10_000
THINGS = ("garden", "server", "boiler", "budget", "piano", "bicycle", "contract", "kitchen", "harbour", "tower")


def filled(home: Path, clients: int = 1) -> list[str]:
    """A home with memories; gives a token for each client, since requests are limited by token."""
    with open_home(home, {}) as soul:
        lines = (
            json.dumps(
                {
                    "session": f"old-{n // 50}",
                    "subject": "acct:owner",
                    "text": f"Ann says the {THINGS[n % 10]} needs part {n} by May",
                    "time": "2026-01-04T10:00:00Z",
                }
            )
            for n in range(CHUNKS)
        )
        soul.agent().talk.import_messages(lines)
        soul.agent().index.sync()
        return [soul.add_token("operator").secret for _ in range(clients)]


def resident(process: int) -> int:
    """How many megabytes a process has in memory."""
    (found,) = re.findall(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
    return int(found) // 1024
