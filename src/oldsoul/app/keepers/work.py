"""One run of a keeper, ready to be made, and what those who prepare runs are given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.app.keepers.open_questions import Questions
from oldsoul.app.talk.log import Log
from oldsoul.driver import Report
from oldsoul.keepers.questions import Keeper
from oldsoul.values.history import Record

if TYPE_CHECKING:
    from oldsoul.app.talk.days import Days


class KeeperInputs(NamedTuple):
    """What a keeper's work is prepared from."""

    agent: AgentWorkspace
    """whose memory it is"""
    log: Log
    """what was said to it"""
    days: Days
    """its diary"""
    questions: Questions
    """what its keepers want to know"""


def _nothing(_: Report) -> None:
    return


class Work(NamedTuple):
    """One run of a keeper, ready to be made."""

    keeper: str
    """who works: the name its changes are signed with"""
    key: str
    """the event it answers to: the same work, started again, has the same key, and is done and paid for once"""
    begin: Callable[[], Keeper]
    """sets it to work on what stands now"""
    opening: Sequence[Record] = ()
    """what is kept with its first change"""
    closing: Callable[[], Sequence[Record]] = tuple
    """what says that it is done"""
    after: Callable[[Report], Sequence[str] | None] = _nothing
    """what is done when it has run, whatever the result; never in a dry run. What it gives is noted in the report"""
