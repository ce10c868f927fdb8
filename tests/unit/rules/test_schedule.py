"""When jobs are due: every form, every zone, the days on which clocks are changed, and what was missed."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from cronsim import CronSim
from hypothesis import given
from hypothesis import strategies as st

from oldsoul.errors import SettingsError
from oldsoul.rules.schedule import Schedule, due, due_slots, moment, next_after, parsed
from oldsoul.values.jobs import DueTime

BERLIN, NEW_YORK = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")
LORD_HOWE, KATHMANDU, APIA = ZoneInfo("Australia/Lord_Howe"), ZoneInfo("Asia/Kathmandu"), ZoneInfo("Pacific/Apia")
LONDON = ZoneInfo("Europe/London")
ZONES = (BERLIN, NEW_YORK, LORD_HOWE, KATHMANDU, APIA, LONDON, UTC, timezone(timedelta(hours=5, minutes=30)))
SETTING = "keepers.schedule.memory_miner"


def fields(when: str) -> str:
    return parsed(when, SETTING).fields


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def shown(slots: list[DueTime]) -> list[tuple[str, str]]:
    return [(f"{slot.wall:%m-%d %H:%M}", f"{slot.at:%m-%d %H:%M:%S}") for slot in slots]


# the forms


@pytest.mark.parametrize(
    ("when", "wanted"),
    [
        ("06:00", "0 6 * * *"),
        ("6:05", "5 6 * * *"),
        (" 23:59 ", "59 23 * * *"),
        ("Sunday 03:00", "0 3 * * 0"),
        ("monday  14:30", "30 14 * * 1"),
        ("SATURDAY 0:00", "0 0 * * 6"),
        ("monthly 04:00", "0 4 1 * *"),
        ("*/15 8-17 * * mon-fri", "*/15 8-17 * * MON-FRI"),
        ("0   3 1,15 *   *", "0 3 1,15 * *"),
        ("off", ""),
        ("OFF", ""),
    ],
)
def test_every_form_is_read(when: str, wanted: str) -> None:
    assert fields(when) == wanted


@pytest.mark.parametrize(
    ("when", "why"),
    [
        ("24:00", "expected a time"),
        ("6", "expected a time"),
        ("", "expected a time"),
        ("Someday 03:00", "expected a time"),
        ("٠٦:٠٠", "expected a time"),
        ("* * * *", "expected a time"),
        ("0 0 6 * * *", "expected a time"),
        ("61 * * * *", "Bad minute"),
        ("0 25 * * *", "Bad hour"),
        ("0 0 30 2 *", "Bad day-of-month"),
        ("0 0 * * nosuchday", "Bad day-of-week"),
        ("a b c d e", "Bad minute"),
        (f"{'9' * 5000} * * * *", "cannot be understood"),
    ],
)
def test_a_form_that_makes_no_sense_is_refused_by_the_name_of_its_setting(when: str, why: str) -> None:
    with pytest.raises(SettingsError, match=why) as refused:
        fields(when)
    assert str(refused.value).startswith(f"{SETTING}: ")


# the days on which clocks are changed


@pytest.mark.parametrize(
    ("zone", "when", "day", "wanted"),
    [
        # 02:00 to 03:00 are not there on 29 March 2026 in Berlin, and twice on 25 October
        (BERLIN, "02:30", "2026-03-28", ("03-28 02:30", "03-28 01:30:00")),
        (BERLIN, "02:30", "2026-03-29", ("03-29 02:30", "03-29 01:00:00")),
        (BERLIN, "02:00", "2026-03-29", ("03-29 02:00", "03-29 01:00:00")),
        (BERLIN, "03:00", "2026-03-29", ("03-29 03:00", "03-29 01:00:00")),
        (BERLIN, "02:30", "2026-10-25", ("10-25 02:30", "10-25 00:30:00")),
        (BERLIN, "03:00", "2026-10-25", ("10-25 03:00", "10-25 02:00:00")),
        # London's winter has the offset 0
        (LONDON, "01:30", "2026-03-29", ("03-29 01:30", "03-29 01:00:00")),
        (LONDON, "01:30", "2026-10-25", ("10-25 01:30", "10-25 00:30:00")),
        (NEW_YORK, "02:30", "2026-03-08", ("03-08 02:30", "03-08 07:00:00")),
        (NEW_YORK, "01:30", "2026-11-01", ("11-01 01:30", "11-01 05:30:00")),
        # half an hour: 02:00 to 02:30 are not there on 4 October, and 01:30 to 02:00 twice on 5 April
        (LORD_HOWE, "02:15", "2026-10-04", ("10-04 02:15", "10-03 15:30:00")),
        (LORD_HOWE, "02:30", "2026-10-04", ("10-04 02:30", "10-03 15:30:00")),
        (LORD_HOWE, "01:45", "2026-04-05", ("04-05 01:45", "04-04 14:45:00")),
        (KATHMANDU, "06:00", "2026-03-29", ("03-29 06:00", "03-29 00:15:00")),
        # a whole day that was not there
        (APIA, "06:00", "2011-12-30", ("12-30 06:00", "12-30 10:00:00")),
    ],
)
def test_a_day_on_which_clocks_are_changed_has_one_slot(
    zone: ZoneInfo, when: str, day: str, wanted: tuple[str, str]
) -> None:
    noon = datetime.fromisoformat(day)
    schedule = parsed(when, SETTING)
    around = due(schedule, utc(day) - timedelta(days=3), utc(day) + timedelta(days=3), zone)
    assert shown([slot for slot in around if slot.wall.date() == noon.date()]) == [wanted]


def test_times_that_the_clock_jumps_over_are_one_slot() -> None:
    half_hours = parsed("*/30 * * * *", SETTING)
    spring = due(half_hours, utc("2026-03-29T00:00"), utc("2026-03-29T02:00"), BERLIN)
    assert shown(spring) == [
        ("03-29 01:30", "03-29 00:30:00"),
        ("03-29 03:00", "03-29 01:00:00"),
        ("03-29 03:30", "03-29 01:30:00"),
        ("03-29 04:00", "03-29 02:00:00"),
    ]


def test_times_that_the_clock_shows_twice_come_once() -> None:
    half_hours = parsed("*/30 * * * *", SETTING)
    autumn = due(half_hours, utc("2026-10-25T00:00"), utc("2026-10-25T02:30"), BERLIN)
    assert shown(autumn) == [
        ("10-25 02:30", "10-25 00:30:00"),
        ("10-25 03:00", "10-25 02:00:00"),
        ("10-25 03:30", "10-25 02:30:00"),
    ]
    between = due(half_hours, utc("2026-10-25T00:00"), utc("2026-10-25T01:15"), BERLIN)  # it shows 02:15 again
    assert between == autumn[:1]
    again = next_after(half_hours, utc("2026-10-25T00:45"), BERLIN)
    assert again is not None
    assert shown([again]) == [("10-25 03:00", "10-25 02:00:00")]


def test_a_slot_is_known_by_its_time_on_the_wall_and_its_zone() -> None:
    (slot,) = due(parsed("06:00", SETTING), utc("2026-02-04T00:00"), utc("2026-02-04T12:00"), BERLIN)
    assert slot.id == "2026-02-04T06:00[Europe/Berlin]"
    assert slot.at == utc("2026-02-04T05:00")


def test_off_has_no_slots() -> None:
    assert due(Schedule(""), utc("2026-01-01"), utc("2027-01-01"), BERLIN) == []
    assert next_after(Schedule(""), utc("2026-01-01"), BERLIN) is None


def test_leap_days_are_found_and_of_many_slots_the_latest_are_given() -> None:
    leap = parsed("0 0 29 2 *", SETTING)
    found = next_after(leap, utc("2026-01-01"), UTC)
    assert found is not None
    assert found.wall == datetime(2028, 2, 29)  # noqa: DTZ001
    minutes = parsed("* * * * *", SETTING)
    latest = due(minutes, utc("2000-01-01"), utc("2026-02-04T12:00"), BERLIN, 3)
    assert [slot.at.minute for slot in latest] == [58, 59, 0]
    assert due(minutes, utc("2000-01-01"), utc("2026-02-04T12:00"), BERLIN, 0) == []


# what always holds

moments = st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
times = st.builds("{:02}:{:02}".format, st.integers(0, 23), st.integers(0, 59))
crons = st.builds(
    "{} {} {} {} {}".format,
    st.sampled_from(["0", "30", "*/20", "*/7", "15,45", "59"]),
    st.sampled_from(["*", "*/3", "0-4", "2", "1,2,3", "23"]),
    st.sampled_from(["*", "1", "*/2", "28-31", "1,15"]),
    st.sampled_from(["*", "3,10", "1-6"]),
    st.sampled_from(["*", "0", "1-5", "sun"]),
)
forms = st.one_of(
    times,
    st.builds("{} {}".format, st.sampled_from(["Sunday", "wednesday", "monthly"]), times),
    crons,
)
zones = st.sampled_from(ZONES)
# Near a change of clocks, where it matters.
CHANGES = (
    *((BERLIN, "2026-03-29T01:00"), (BERLIN, "2026-10-25T01:00"), (LONDON, "2026-10-25T01:00")),
    *((NEW_YORK, "2026-03-08T07:00"), (NEW_YORK, "2026-11-01T06:00")),
    *((LORD_HOWE, "2026-04-04T15:00"), (LORD_HOWE, "2026-10-03T15:30"), (APIA, "2011-12-30T10:00")),
)
near = st.builds(
    lambda change, minutes: (change[0], utc(change[1]) + timedelta(minutes=minutes)),
    st.sampled_from(CHANGES),
    st.integers(-150, 90),
)
OFTEN = ("*/20 * * * *", "*/7 * * * *", "0,30 0-4 * * *", "*/9 1,2 * * *", "45 * * * *")
places = st.one_of(st.tuples(zones, moments), near)
cases = st.one_of(st.tuples(forms, places), st.tuples(st.sampled_from(OFTEN), near))
minutes = st.one_of(st.integers(0, 200), st.integers(0, 5000))


@given(cases, minutes, minutes)
def test_slots_rise_and_spans_add_up(case: tuple[str, tuple[ZoneInfo, datetime]], first: int, second: int) -> None:
    when, (zone, start) = case
    schedule = parsed(when, SETTING)
    middle, end = start + timedelta(minutes=first), start + timedelta(minutes=first + second)
    every = due(schedule, start, end, zone)
    assert due(schedule, start, middle, zone) + due(schedule, middle, end, zone) == every
    assert all(one.at < other.at and one.wall < other.wall for one, other in pairwise(every))
    assert all(start < slot.at <= end for slot in every)
    assert due(schedule, start, end, zone, 3) == every[-3:]
    following = next_after(schedule, start, zone)
    assert following is None or (following == every[0] if every else following.at > end)


@pytest.mark.parametrize(("zone", "change"), CHANGES, ids=str)
@pytest.mark.parametrize("when", OFTEN)
def test_spans_add_up_wherever_they_are_cut_while_clocks_are_changed(when: str, zone: ZoneInfo, change: str) -> None:
    schedule = parsed(when, SETTING)
    start, end = utc(change) - timedelta(hours=3), utc(change) + timedelta(hours=3)
    every = due(schedule, start, end, zone)
    for minutes in range(0, 360, 13):
        middle = start + timedelta(minutes=minutes)
        later = due(schedule, middle, end, zone)
        assert due(schedule, start, middle, zone) + later == every
        assert not later or next_after(schedule, middle, zone) == later[0]


@given(cases, st.integers(0, 500))
def test_slots_are_those_a_clock_that_is_watched_comes_to(
    case: tuple[str, tuple[ZoneInfo, datetime]], minutes: int
) -> None:
    """The same, found by looking at the clock on the wall every minute."""
    when, (zone, start) = case
    schedule = parsed(when, SETTING)
    start = start.replace(second=0, microsecond=0)
    end = start + timedelta(minutes=minutes)
    wanted: dict[datetime, datetime] = {}
    latest = max((start + timedelta(minutes=back)).astimezone(zone).replace(tzinfo=None) for back in range(-1500, 1))
    for passed in range(1, minutes + 1):
        now = start + timedelta(minutes=passed)
        wall = now.astimezone(zone).replace(tzinfo=None, fold=0)
        while latest < wall:  # times it jumped over are come to now
            latest += timedelta(minutes=1)
            if matches(schedule, latest):
                wanted[now] = latest
    assert {slot.at: slot.wall for slot in due(schedule, start, end, zone)} == wanted


def matches(schedule: Schedule, wall: datetime) -> bool:
    """Whether a time on the wall is one of the schedule's, whatever the zone."""
    wall = wall.replace(tzinfo=UTC)
    return bool(due(schedule, wall - timedelta(minutes=1), wall, UTC))


@given(times, zones, st.integers(1972, 2090))
def test_a_daily_time_has_one_slot_a_day(when: str, zone: ZoneInfo, year: int) -> None:
    slots = due(parsed(when, SETTING), utc(f"{year - 1}-12-30"), utc(f"{year + 1}-01-03"), zone)
    days = [slot.wall.date() for slot in slots if slot.wall.year == year]
    first = date(year, 1, 1)
    wanted = [first + timedelta(days=n) for n in range((date(year + 1, 1, 1) - first).days)]
    missing = {date(2011, 12, 30)} if zone is APIA and when == "00:00" else set()  # one moment, so one slot, the later
    assert days == [day for day in wanted if day not in missing]
    assert all(moment(slot.wall, zone) == slot.at for slot in slots)


@given(times, places)
def test_for_a_daily_time_the_library_that_knows_zones_says_the_same(
    when: str, place: tuple[ZoneInfo, datetime]
) -> None:
    (zone, start), schedule = place, parsed(when, SETTING)
    told = (each.astimezone(UTC) for each in CronSim(schedule.fields, start.astimezone(zone)))
    found = (each for each in told if each > start)  # in an hour that comes twice it may name one that is over
    ours = due(schedule, start, start + timedelta(days=4), zone)
    assert [next(found) for _ in ours] == [slot.at for slot in ours]


# what was missed


def some(*days: int) -> list[DueTime]:
    return [DueTime(datetime(2026, 2, day, 6), "UTC", utc(f"2026-02-{day:02}T06:00")) for day in days]  # noqa: DTZ001


def test_the_latest_slot_is_run_and_those_before_it_are_made_up_for_by_it() -> None:
    slots = some(1, 3, 4)
    plan = due_slots(slots, utc("2026-02-04T08:00"), timedelta(hours=30))
    assert plan.run == slots[2]
    assert plan.skipped == (
        (slots[0], "missed by more than 30 h"),
        (slots[1], "replaced by the run of 2026-02-04 06:00"),
    )


def test_what_was_missed_by_too_much_is_not_run() -> None:
    slots = some(1, 2)
    plan = due_slots(slots, utc("2026-02-04T08:00"), timedelta(hours=24))
    assert plan.run is None
    assert [slot for slot, _ in plan.skipped] == slots
    assert due_slots([], utc("2026-02-04T08:00"), timedelta(hours=24)).run is None


def test_jobs_that_waited_for_each_other_are_run_where_nothing_is_made_up_for() -> None:
    (slot,) = some(4)
    assert due_slots([slot], utc("2026-02-04T06:59"), timedelta(0)).run == slot
    assert due_slots([slot], utc("2026-02-04T07:01"), timedelta(0)).run is None
