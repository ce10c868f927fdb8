"""When jobs are due: the forms people write, the slots they mean in a time zone, and which of those missed are made up for.

A slot is a time on the wall: 06:00 on 4 February in Berlin. It is due at the first moment at which the clock there has come
so far. So a time that the clock jumps over in spring is due at the end of the jump, and one that it shows twice in autumn
is due once, the first time. Times that come due at one and the same moment are one slot, the last of them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo

from cronsim import CronSim, CronSimError

from oldsoul.errors import SettingsError
from oldsoul.language.cues import meanings
from oldsoul.language.lexicon import word_list
from oldsoul.values.frozen import frozen
from oldsoul.values.jobs import DueTime

_MONDAY_FIRST = tuple(meanings(word_list("date")["en"]["weekdays"]))
_DAYS = (*_MONDAY_FIRST[-1:], *_MONDAY_FIRST[:-1])
"""As a crontab counts them."""
_PLAIN = re.compile(rf"(?:({'|'.join(_DAYS)}|monthly) +)?([01]?[0-9]|2[0-3]):([0-5][0-9])", re.ASCII)
_FIELDS = 5
_SECOND = timedelta(seconds=1)
_SOME_DAY = datetime(2000, 1, 1)  # noqa: DTZ001 - times on the wall have no zone
GRACE = timedelta(hours=1)
"""A run that is late by less counts as in time: jobs wait for each other."""


@frozen
class Schedule:
    """Times on the wall."""

    fields: str
    """five cron fields; empty for never"""


@frozen
class DueSlots:
    """What happens to slots that are due."""

    run: DueTime | None
    """the one to run; None when all were missed"""
    skipped: tuple[tuple[DueTime, str], ...] = ()
    """the others, and why"""


def parsed(when: str, setting: str) -> Schedule:
    """What a setting says; `SettingsError` names it when that makes no sense."""
    text = when.strip().lower()
    if text == "off":
        return Schedule("")
    plain = _PLAIN.fullmatch(text)
    if plain:
        day, hour, minute = plain.groups()
        on = "* * *" if day is None else "1 * *" if day == "monthly" else f"* * {_DAYS.index(day)}"
        return Schedule(f"{int(minute)} {int(hour)} {on}")
    fields = when.upper().split()
    if len(fields) != _FIELDS:
        raise SettingsError(
            f'{setting}: expected a time: "06:00" for daily, "Sunday 03:00", "monthly 04:00", five cron fields, or "off";'
            f' found "{when}"'
        )
    try:
        CronSim(" ".join(fields), _SOME_DAY)
    except (CronSimError, ValueError) as error:
        raise SettingsError(f'{setting}: the cron fields "{when}" cannot be understood: {error}') from None
    return Schedule(" ".join(fields))


def due(schedule: Schedule, after: datetime, until: datetime, zone: tzinfo, most: int | None = None) -> list[DueTime]:
    """The slots that came due after one moment and not after another, in order; of more than `most`, the latest."""
    if not schedule.fields or until <= after or most == 0:
        return []
    found: list[DueTime] = []
    for wall in CronSim(schedule.fields, _reached(until, zone) + _SECOND, reverse=True):
        at = moment(wall, zone)
        if at > until or (found and at == found[-1].at):
            continue
        if at <= after or len(found) == most:
            break
        found.append(DueTime(wall, str(zone), at))
    return found[::-1]


def next_after(schedule: Schedule, now: datetime, zone: tzinfo) -> DueTime | None:
    """The first slot that comes due after a moment; None when there never is one."""
    if not schedule.fields:
        return None
    found: DueTime | None = None
    for wall in CronSim(schedule.fields, now.astimezone(zone).replace(tzinfo=None, fold=0)):
        at = moment(wall, zone)
        if found is not None and at > found.at:
            break
        if at > now:
            found = DueTime(wall, str(zone), at)
    return found


def moment(wall: datetime, zone: tzinfo) -> datetime:
    """The first moment, in UTC, at which clocks of the zone have come to this time."""
    high = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    if _shown(high, zone) == wall:
        return high
    low = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)  # the clock jumps over it, somewhere between these two
    seconds = range(int((high - low).total_seconds()))
    return low + timedelta(seconds=bisect_left(seconds, wall, key=lambda n: _shown(low + timedelta(seconds=n), zone)))


def due_slots(slots: Sequence[DueTime], now: datetime, window: timedelta) -> DueSlots:
    """Which of the slots that are due is run: the latest, unless it was missed by too much. The others are skipped."""
    if not slots:
        return DueSlots(None)
    *older, latest = slots
    earliest = now - max(window, GRACE)
    run = latest if latest.at >= earliest else None
    hours = f"{window.total_seconds() / 3600:g} h"
    reasons = {slot: f"missed by more than {hours}" for slot in slots if slot.at < earliest}
    reasons |= {slot: f"replaced by the run of {latest.wall:%Y-%m-%d %H:%M}" for slot in older if slot.at >= earliest}
    return DueSlots(run, tuple((slot, reasons[slot]) for slot in slots if slot in reasons))


def _shown(at: datetime, zone: tzinfo) -> datetime:
    """What clocks of the zone show."""
    return at.astimezone(zone).replace(tzinfo=None, fold=0)


def _reached(at: datetime, zone: tzinfo) -> datetime:
    """The latest time that clocks of the zone have ever shown: more than they show now when they were set back just now."""
    local = at.astimezone(zone)
    first, second = local.replace(fold=0).utcoffset(), local.utcoffset()
    ahead = timedelta(0) if first is None or second is None else first - second
    return local.replace(tzinfo=None, fold=0, microsecond=0) + max(ahead, timedelta(0))
