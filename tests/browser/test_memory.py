"""Memory: entries are listed, narrowed, edited, put right and forgotten."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from browser.ground import AGENT, FORMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from browser.ground import Opened

PLACE = f"/agents/{AGENT}/memory"
API = f"/api/agents/{AGENT}"


def _entry(opened: Opened, text: str) -> tuple[str, str]:
    """An entry of its own for a test, and the address that shows it."""
    made = opened.server.ask("POST", f"{API}/entries", {"text": text})
    return made["entry"], f"{PLACE}?entry={made['entry']}&path={made['path']}"


def test_filters_and_order_live_in_the_address(opened: Opened) -> None:
    page = opened(PLACE)
    rows = page.get_by_role("table", name="Memory").get_by_role("row")
    expect(rows.nth(1)).to_be_visible()
    page.get_by_label("Tag").select_option("decision")
    expect(page).to_have_url(re.compile(r"tag=decision"))
    page.get_by_label("Seen by").select_option("room:bakery-team")
    expect(page).to_have_url(re.compile(r"audience=room%3Abakery-team"))
    page.keyboard.press("/")
    page.keyboard.type("injectors")
    expect(page).to_have_url(re.compile(r"q=injectors"))
    expect(page.get_by_text("1 entry of this kind")).to_be_visible()
    expect(rows.nth(1)).to_contain_text("descale the injectors")
    page.get_by_role("columnheader", name="Sure").get_by_role("button").click()
    expect(page).to_have_url(re.compile(r"sort=confidence"))
    page.reload()
    expect(page.get_by_text("1 entry of this kind")).to_be_visible()
    expect(page.get_by_role("columnheader", name="Sure")).to_have_attribute("aria-sort", "descending")


def test_an_entry_is_edited_by_keyboard_and_the_edit_is_undone(opened: Opened) -> None:
    entry, place = _entry(opened, "The delivery bicycle is green")
    page = opened(place)
    inspector = page.get_by_role("complementary")
    expect(inspector).to_contain_text("Learnt by you")
    page.keyboard.press("e")
    field = inspector.get_by_label("Words")
    expect(field).to_be_focused()
    field.fill("The delivery bicycle is red")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Edited. It holds from the next reply.")).to_be_visible()
    expect(inspector.locator(".big")).to_have_text("The delivery bicycle is red")
    expect(inspector).to_contain_text(re.compile(r"green.*red"))
    assert "is red" in (opened.server.workspace / "MEMORY.md").read_text("utf-8")
    page.keyboard.press("z")
    expect(inspector.locator(".big")).to_have_text("The delivery bicycle is green")
    assert opened.server.ask("GET", f"{API}/entries/{entry}")["words"] == "The delivery bicycle is green"


def test_what_was_typed_stays_when_the_entry_has_changed_meanwhile(opened: Opened) -> None:
    entry, place = _entry(opened, "The attic key hangs by the stairs")
    page = opened(place)
    opened.allow("409")
    expect(page.locator(".big")).to_be_visible()
    page.keyboard.press("e")
    field = page.get_by_role("complementary").get_by_label("Words")
    field.fill("The attic key lies in the drawer")
    opened.server.ask("PATCH", f"{API}/entries/{entry}?path=MEMORY.md", {"text": "The attic key is lost"})
    expect(page.get_by_text("Changed meanwhile.")).to_be_visible()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Not saved.")).to_be_visible()
    expect(field).to_have_value("The attic key lies in the drawer")
    page.get_by_role("button", name="Replace it with mine").click()
    field.focus()
    page.keyboard.press("Control+Enter")
    expect(page.locator(".big")).to_have_text("The attic key lies in the drawer")


def test_something_is_put_right_and_taken_back(opened: Opened) -> None:
    _, place = _entry(opened, "The bread van is parked in Mill Lane on Mondays")
    page = opened(place)
    expect(page.locator(".big")).to_contain_text("Mill Lane")
    page.keyboard.press("c")
    inspector = page.get_by_role("complementary")
    inspector.get_by_label("What is true").fill("The bread van is parked in Canal Street on Mondays")
    inspector.get_by_label("Wrong words").fill("Mill Lane")
    inspector.get_by_label("Right words").fill("Canal Street")
    inspector.get_by_role("button", name="Put right").click()
    expect(page.get_by_text(re.compile(r"Put right in \d file"))).to_be_visible()
    expect(page.locator(".big")).to_contain_text("Canal Street")
    page.get_by_role("button", name="Undo", exact=False).first.click()
    expect(page.locator(".big")).to_contain_text("Mill Lane")


def test_an_entry_is_forgotten_after_its_places_were_named(opened: Opened) -> None:
    _, place = _entry(opened, "The spare till code is seven four one")
    page = opened(place)
    page.get_by_role("button", name="Forget").click()
    asked = page.get_by_role("alertdialog")
    expect(asked).to_contain_text("MEMORY.md")
    asked.get_by_role("button", name="Forget in 2 places").click()
    expect(page.get_by_text(re.compile("Forgotten in MEMORY.md"))).to_be_visible()
    expect(page.get_by_text("seven four one")).to_have_count(0)
    assert "seven four one" not in (opened.server.workspace / "MEMORY.md").read_text("utf-8")


def test_something_new_is_remembered_and_appears_without_reloading(opened: Opened) -> None:
    page, other = opened(PLACE), opened(PLACE)
    expect(page.get_by_role("row").nth(1)).to_be_visible()
    expect(other.get_by_role("row").nth(1)).to_be_visible()
    page.keyboard.press("n")
    page.get_by_label("What to remember").fill("The chimney sweep comes in May")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".big")).to_have_text("The chimney sweep comes in May")
    expect(other.get_by_text("The chimney sweep comes in May")).to_be_visible()


@pytest.mark.parametrize(("scheme", "size"), FORMS)
def test_axe_finds_nothing_on_memory(
    opened: Opened, axe: Callable[[Page], None], scheme: str, size: tuple[int, int]
) -> None:
    page = opened(PLACE, scheme=scheme, size=size)
    expect(page.get_by_role("row").nth(1)).to_be_visible()
    axe(page)
    page.locator("tbody button").first.click()
    expect(page.get_by_text("How it came here")).to_be_visible()
    axe(page)
