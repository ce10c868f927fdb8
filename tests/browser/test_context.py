"""Context: what two conversations are told, beside each other; a private memory is never in the group's prompt."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from browser.ground import AGENT, FORMS, NARROW

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from browser.ground import Opened

PLACE = f"/agents/{AGENT}/context"
ASKED = f"{PLACE}?q=Will+I+offer+Tomas+a+share+of+the+bakery%3F"
PRIVATE = "offer Tomas a share of the bakery"


def test_a_private_memory_is_absent_from_the_groups_prompt_and_said_to_be_absent(opened: Opened) -> None:
    page = opened(ASKED)
    told = page.locator(".pair", has_text=PRIVATE).first
    expect(told).to_be_visible()
    expect(told.locator(".cl").nth(0)).to_contain_text("Only you")
    expect(told.locator(".cl").nth(1)).to_have_text("Not here: only you may see it.")
    expect(page.get_by_text(re.compile(r"are for you alone and are not in the prompt of bakery-team"))).to_be_visible()
    page.get_by_role("radio", name="Exact prompt").click()
    mine, theirs = (
        page.get_by_role("region", name=re.compile(f"Exact prompt: {who}")) for who in ("Private", "bakery")
    )
    expect(mine).to_contain_text(PRIVATE)
    expect(theirs).to_contain_text("Memory and the message")
    assert PRIVATE not in theirs.inner_text().replace("Will I offer Tomas a share of the bakery?", "")


def test_a_line_opens_where_it_comes_from_and_the_next_difference_is_one_key_away(opened: Opened) -> None:
    page = opened(ASKED)
    line = page.locator(".pair", has_text=PRIVATE).first.locator("a").first
    expect(line).to_have_attribute("href", re.compile(r"/(files\?file=MEMORY\.md&line=\d+|chat\?message=\d+)$"))
    page.keyboard.press("n")
    expect(page.locator(".pair.on")).to_be_focused()
    first = page.locator(".pair.on").get_attribute("data-row")
    page.keyboard.press("n")
    expect(page.locator(".pair.on")).not_to_have_attribute("data-row", first or "")


def test_another_message_and_another_view_stand_in_the_address(opened: Opened) -> None:
    page = opened(PLACE)
    message = page.get_by_role("textbox", name="Message")
    expect(message).not_to_have_value("")
    message.fill("How hot is the proofing cabinet?")
    page.keyboard.press("Control+Enter")
    expect(page).to_have_url(re.compile(r"q=How\+hot"))
    page.get_by_label("Second view: where").select_option("dm")
    expect(page).to_have_url(re.compile(r"b=dm&b-who=acct%3Atomas"))
    expect(page.get_by_role("region", name="Second view: Private chat with Tomas")).to_contain_text("tokens")
    page.reload()
    expect(page.get_by_role("textbox", name="Message")).to_have_value("How hot is the proofing cabinet?")
    expect(page.get_by_label("Second view: with whom")).to_have_value("acct:tomas")


def test_a_phone_shows_one_view_at_a_time(opened: Opened) -> None:
    page = opened(ASKED, size=NARROW)
    expect(page.get_by_text(PRIVATE).first).to_be_visible()
    page.get_by_role("button", name="bakery-team, Tomas asks").click()
    expect(page.locator(".cl.gone").first).to_be_visible()
    expect(page.locator(".pair", has_text=PRIVATE).first.locator(".cl").nth(0)).to_be_hidden()


@pytest.mark.parametrize(("scheme", "size"), FORMS)
def test_axe_finds_nothing_on_any_part_of_context(
    opened: Opened, axe: Callable[[Page], None], scheme: str, size: tuple[int, int]
) -> None:
    page = opened(ASKED, scheme=scheme, size=size)
    expect(page.locator(".pair").first).to_be_visible()
    axe(page)
    for part in ("Exact prompt", "Left out"):
        page.get_by_role("radio", name=re.compile(part)).click()
        expect(page.locator(".half").locator("visible=true").first).to_be_visible()
        axe(page)
