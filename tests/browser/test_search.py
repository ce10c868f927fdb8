"""Search: a question, how sure the answer is, why a passage was found, and the way to its line."""

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

PLACE = f"/agents/{AGENT}/search"
ASKED = f"{PLACE}?q=when+does+the+flour+come%3F"


def test_a_question_is_answered_in_words_and_opens_at_the_line(opened: Opened) -> None:
    page = opened(PLACE)
    page.get_by_role("searchbox", name="Question").fill("when does the flour come?")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"q=when\+does"))
    expect(page.locator(".answer")).to_have_text(re.compile(r"^(Found|Unsure)\. "))
    hit = page.locator(".hit", has_text="MEMORY.md:").first
    expect(hit).to_contain_text("Only you")
    hit.get_by_role("button", name="Why").click()
    expect(hit).to_contain_text(re.compile(r"the same words\s*\+0\.\d\d"))
    place = hit.locator(".file").inner_text()
    hit.get_by_role("link").first.click()
    line = place.removeprefix("MEMORY.md:")
    expect(page).to_have_url(re.compile(rf"/files\?file=MEMORY\.md&line={line}$"))


def test_filters_stand_in_the_address_and_a_room_finds_no_private_words(opened: Opened) -> None:
    page = opened(ASKED)
    expect(page.locator(".hit", has_text="MEMORY.md:").first).to_be_visible()
    page.get_by_label("Where").select_option("sessions")
    expect(page).to_have_url(re.compile(r"source=sessions"))
    expect(page.locator(".hit .file").first).to_have_text(re.compile(r"^message \d+$"))
    page.get_by_label("Seen as").select_option("room:bakery-team")
    expect(page).to_have_url(re.compile(r"as=room%3Abakery-team"))
    expect(page.locator(".hit", has_text="Only you")).to_have_count(0)
    page.reload()
    expect(page.get_by_label("Seen as")).to_have_value("room:bakery-team")
    expect(page.get_by_label("Where")).to_have_value("sessions")


def test_search_works_by_keyboard_alone(opened: Opened) -> None:
    page = opened(ASKED)
    expect(page.locator(".hit").first).to_be_visible()
    page.keyboard.press("j")
    expect(page.locator(".hit").first).to_have_class(re.compile("chosen"))
    page.keyboard.press("w")
    expect(page.locator(".parts")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/(files|chat)\?"))


@pytest.mark.parametrize(("scheme", "size"), FORMS)
def test_axe_finds_nothing_on_search(
    opened: Opened, axe: Callable[[Page], None], scheme: str, size: tuple[int, int]
) -> None:
    page = opened(ASKED, scheme=scheme, size=size)
    page.locator(".hit").first.get_by_role("button", name="Why").click()
    axe(page)
