"""The session summarizer's work: every conversation that has been quiet for a while."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oldsoul.app.agent import Agent
    from oldsoul.app.keepers import Work

QUIET = timedelta(minutes=30)
"""After so long without a word a conversation counts as over."""


def works(agent: Agent, *, dry_run: bool = False) -> Iterator[Work]:
    """What is to be summarised, the oldest conversation first, so that the diary reads in the order things happened."""
    now = agent.today()
    files = agent.talk.session_files()
    for held in reversed(agent.talk.sessions()):
        if not held.ended and now - held.thread.last >= QUIET:
            yield from agent.talk.works(held.thread.session.id, dry_run=dry_run, files=files)
