"""Chat: a message gets its reply and a receipt, what was told is put right in place, and nothing typed is lost."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from browser.ground import AGENT, NARROW, SCHEMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Locator, Page

    from browser.ground import Opened

SCHEDULED = False
_CHAT = f"/agents/{AGENT}/chat"
_STREAM = "**/chat/stream"
_QUESTION = "How much rye do we order a week?"
_BROKEN = 'event: words\ndata: {"text": "Forty kilos, and"}\n\n'


def _box(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Write to Juniper")


def _say(page: Page, text: str) -> None:
    _box(page).fill(text)
    page.keyboard.press("Control+Enter")


def test_what_a_reply_was_told_is_put_right_and_the_next_receipt_has_it(opened: Opened) -> None:
    page = opened(f"{_CHAT}?session=new")
    _say(page, _QUESTION)
    expect(page.get_by_role("log").get_by_text(_QUESTION)).to_be_visible()
    expect(page.get_by_role("button", name="Why")).to_be_visible()
    expect(page).to_have_url(re.compile(r"session=web-"))
    expect(_box(page)).to_have_value("")
    expect(page.get_by_text("it answers from memory, with file and line")).to_be_visible()
    receipt = page.get_by_role("complementary", name="Why")
    told = receipt.locator(".receipt").filter(has_text="We order 40 kilos of rye a week").first
    expect(told).to_be_visible()
    told.get_by_role("button", name="Wrong?").click()
    page.keyboard.type("We order 46 kilos of rye a week from this month on.")
    page.keyboard.press("Enter")
    expect(receipt.get_by_text("You put this right.").first).to_be_visible()
    _say(page, "And how much rye do we order each week?")
    expect(page.get_by_role("button", name="Why")).to_have_count(2)
    right = receipt.locator(".receipt").filter(has_text="CORRECTIONS.md").filter(has_text="46 kilos")
    expect(right.first).to_be_visible()
    expect(page.get_by_role("log").get_by_text("We order 46 kilos of rye").last).to_be_visible()


def test_a_message_that_does_not_reach_the_server_stays_typed(opened: Opened) -> None:
    opened.allow("ERR_FAILED")
    page = opened(f"{_CHAT}?session=new")
    page.route(_STREAM, lambda route: route.abort())
    _say(page, _QUESTION)
    expect(page.get_by_role("alert")).to_contain_text("Not sent.")
    expect(_box(page)).to_have_value(_QUESTION)
    page.unroute(_STREAM)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("button", name="Why")).to_be_visible()
    expect(_box(page)).to_have_value("")


def test_a_connection_that_is_lost_within_a_reply_loses_no_word(opened: Opened) -> None:
    page = opened(f"{_CHAT}?session=new")
    page.route(_STREAM, lambda route: route.fulfill(body=_BROKEN, content_type="text/event-stream"))
    _say(page, _QUESTION)
    expect(page.get_by_role("alert")).to_contain_text("The connection was lost.")
    expect(page.get_by_text("Forty kilos, and")).to_be_visible()
    expect(page.get_by_role("log").get_by_text(_QUESTION)).to_be_visible()
    _box(page).fill("What I wanted to say next")
    page.unroute(_STREAM)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("button", name="Why")).to_be_visible()
    expect(page.get_by_role("log").get_by_text(_QUESTION)).to_have_count(1)
    expect(_box(page)).to_have_value("What I wanted to say next")


def test_a_reply_can_be_stopped(opened: Opened) -> None:
    page = opened(f"{_CHAT}?session=new")
    page.route(_STREAM, lambda _: None)  # nobody answers
    _say(page, _QUESTION)
    page.get_by_role("button", name="Stop Juniper").click()
    expect(_box(page)).to_have_value(_QUESTION)
    expect(page.get_by_role("button", name="Send")).to_be_enabled()


def test_a_message_of_a_room_is_found_by_its_number_and_can_only_be_read(opened: Opened) -> None:
    rooms = opened.server.ask("GET", f"/api/agents/{AGENT}/messages?room=bakery-team&limit=50")["messages"]
    said = rooms[-1]
    page = opened(f"{_CHAT}?message={said['message']}", size=NARROW)
    marked = page.locator("[aria-current=true]")
    expect(marked).to_contain_text(said["text"][:20])
    expect(marked).to_be_in_viewport()
    expect(page.get_by_text("You can read it, not write in it.")).to_be_visible()
    expect(_box(page)).to_have_count(0)


def test_a_session_that_is_ended_is_in_the_log_of_its_day(opened: Opened) -> None:
    page = opened(f"{_CHAT}?session=new")
    _say(page, "Please remember that the new mixer is called Berta.")
    expect(page.get_by_role("log").get_by_text("Noted.")).to_be_visible()
    page.get_by_role("button", name="End session").click()
    expect(page.get_by_text("The session is in the log of its day.")).to_be_visible()
    expect(page.get_by_role("link", name="New session")).to_be_visible()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing_in_a_conversation(opened: Opened, axe: Callable[[Page], None], scheme: str) -> None:
    page = opened(f"{_CHAT}?session=new", scheme=scheme, reduced_motion="reduce")
    _say(page, _QUESTION)
    page.get_by_role("button", name="Wrong?").first.click()
    expect(page.get_by_role("textbox", name="What is right?")).to_be_focused()
    axe(page)
    page.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
    axe(page)
