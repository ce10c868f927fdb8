"""Days: a year at a glance, and a day of it by keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from browser.ground import AGENT, NARROW, SCHEMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from browser.ground import Opened

_DAYS = f"/agents/{AGENT}/days"


def _with_tasks(opened: Opened) -> str:
    """The latest day with open tasks."""
    found = opened.server.ask("GET", f"/api/agents/{AGENT}/days")["days"]
    return str(next(each["day"] for each in found if each["open_tasks"]))


def test_a_day_is_reached_by_arrows_and_shows_its_log_sessions_and_tasks(opened: Opened) -> None:
    day = _with_tasks(opened)
    whole = opened.server.ask("GET", f"/api/agents/{AGENT}/days/{day}")
    page = opened(_DAYS)
    chosen = page.get_by_role("group", name="A year of days").locator("[aria-pressed=true]")
    chosen.wait_for()
    moved = 0
    while page.locator("[aria-pressed=true]").get_attribute("data-day") != day:
        assert moved < 20, f"{day} was not reached"
        moved += 1
        before = page.locator("[aria-pressed=true]").get_attribute("data-day")
        page.keyboard.press("ArrowLeft")
        expect(page.locator("[aria-pressed=true]")).not_to_have_attribute("data-day", str(before))
    expect(page).to_have_url(f"{opened.server.url}{_DAYS}?day={day}")
    session = whole["sessions"][0]
    expect(page.get_by_role("region", name="Log")).to_contain_text(session["summary"])
    expect(page.get_by_role("region", name="Tasks")).to_contain_text(session["tasks"][0]["text"])
    # Within the calendar, arrows lead where they point: a week is a column.
    chosen.focus()
    page.keyboard.press("ArrowLeft")
    expect(chosen).to_be_focused()
    expect(chosen).not_to_have_attribute("data-day", day)
    page.keyboard.press("ArrowRight")
    expect(chosen).to_have_attribute("data-day", day)
    page.get_by_role("region", name="Sessions").get_by_role("link", name="Open conversation").first.click()
    page.wait_for_url("**/chat?session=*")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing_on_days(opened: Opened, axe: Callable[[Page], None], scheme: str) -> None:
    page = opened(f"{_DAYS}?day={_with_tasks(opened)}", scheme=scheme)
    expect(page.get_by_role("region", name="Tasks")).to_be_visible()
    axe(page)
    page.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
    expect(page.get_by_role("group", name="A month of days")).to_be_visible()
    axe(page)
