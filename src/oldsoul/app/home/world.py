"""What the verbs stand on: the ports of one home, as `wiring` builds them."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.errors import Refused, Unavailable
from oldsoul.rules.tokens import estimated
from oldsoul.values.runtime import Machine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import tzinfo

    from oldsoul.app.signal import Signal
    from oldsoul.ledger import Stores
    from oldsoul.ports import (
        Changes,
        ChatLog,
        Clock,
        EventLog,
        Extras,
        Leases,
        Model,
        Notify,
        Places,
        SecondMemory,
        SkillRoots,
        Usage,
    )
    from oldsoul.recall import Recall, Sources
    from oldsoul.settings import Loaded, Settings
    from oldsoul.values.context import Profile


class Making(NamedTuple):
    """How an index is to be made anew."""

    told: Callable[[int, int], None]
    """is told how many files of how many are in it"""
    anew: bool = False
    """whether what an interrupted making left is of no use"""


def _no_recall(*_: object) -> Recall:
    raise Refused("this home has no index, so nothing can be searched")


def _no_mem0(*_: object) -> SecondMemory:
    raise Unavailable("this home has no Mem0")


def _no_leases() -> Leases:
    raise Refused("nothing is run by the clock here")


def _no_changes(_: Sequence[str]) -> Changes:
    raise Unavailable("nobody tells of files that change here")


def _no_program(*_: object) -> bytes:
    raise Unavailable("no programs are started here")


def _no_events() -> EventLog:
    raise Refused("nobody writes down what happens here")


class World(NamedTuple):
    """What the verbs stand on; built by `wiring` alone."""

    home: str
    """the data folder"""
    store: Stores
    """documents and history"""
    places: Places
    """where workspaces lie"""
    clock: Clock
    """tells the time"""
    settings: Callable[[str | None], Loaded]
    """the settings of the home, or as they hold for one agent"""
    chat: Callable[[], ChatLog]
    """opens the log of all conversations"""
    usage: Callable[[], Usage]
    """opens what is known of the use of entries"""
    signal: Signal
    """given when something became durable"""
    recall: Callable[[Sources, Settings, Clock], Recall] = _no_recall
    """makes an agent's recall"""
    extras: Callable[[str], Extras | None] = lambda _: None
    """an agent's further files that are searched, if settings name any"""
    rebuild: Callable[[Sources, Settings, Clock, Making], bool] = lambda *_: False
    """makes an agent's index anew beside the one in use; False when another process is at it"""
    stopgap: Callable[[Sources, Settings, Clock, bool], Recall] = _no_recall
    """makes a recall by words alone, for the time that there is no index; anew when what it had is damaged"""
    changes: Callable[[Sequence[str]], Changes] = _no_changes
    """tells which files change below some folders; `Unavailable` where nobody can"""
    unindex: Callable[[str, bool], None] = lambda *_: None
    """takes away what is derived from an agent's memory, with every word in it; all but its index, or that too"""
    mem0: Callable[[str, Settings], SecondMemory] = _no_mem0
    """opens an agent's Mem0"""
    model: Callable[[], Model | None] = lambda: None
    """the language model of the keepers; None where there is none"""
    alike: Callable[[Sequence[tuple[str, str]]], Sequence[float] | None] = lambda _: None
    """how alike pairs of texts are by their vectors; None where there are none"""
    leases: Callable[[], Leases] = _no_leases
    """who is at which job"""
    zone: Callable[[], tzinfo] = lambda: UTC
    """the machine's time zone"""
    program: Callable[[Sequence[str], bytes, float, int], bytes] = _no_program
    """what a program of the operator's writes when it is given something, within some seconds, at most so many bytes"""
    skills: Callable[[str], SkillRoots | None] = lambda _: None
    """where an agent's skills are looked for"""
    is_set: Callable[[str], bool] = lambda _: False
    """whether an environment variable is there and not empty"""
    tokens: Callable[[str, str], Callable[[str], int]] = lambda *_: estimated
    """counts tokens as a setting says, for a model"""
    profiles: Callable[[str, Sequence[str]], Iterable[Profile]] = lambda *_: ()
    """what another source keeps of those who are named: a folder, or a function of one's own"""
    machine: Callable[[str], Machine] = lambda _: Machine()
    """the machine, and the repository a folder lies in"""
    claim: Callable[[Sequence[str], bool], int] = lambda *_: 0
    """gives the home what a server has of workspaces and no home owns, or only counts it; how many messages"""
    external: Callable[[str], str] = lambda _: ""
    """what another program wrote into a file for us"""
    notify: Callable[[Settings], Notify | None] = lambda _: None
    """how the operator is told of growth; None where the settings name no channel of ours"""
    events: Callable[[], EventLog] = _no_events
    """opens the log of what happened"""
    config: Callable[[], str] = lambda: ""
    """what tells the settings from those before"""
