"""Soul: the versions of SOUL.md, any two of them, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from browser.ground import AGENT, NARROW, SCHEMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from browser.ground import Opened

_SOUL = f"/agents/{AGENT}/soul"


def test_any_two_versions_are_compared_and_the_address_names_them(opened: Opened) -> None:
    versions = opened.server.ask("GET", f"/api/agents/{AGENT}/soul/versions")["versions"]
    newest, own = versions[0], versions[-2]
    page = opened(_SOUL)
    expect(page.get_by_role("figure", name="Difference in SOUL.md")).to_contain_text("Beside every weekday")
    expect(page.get_by_role("link", name="Open conversation")).to_be_visible()
    page.get_by_role("combobox", name="From").select_option(str(own["version"]))
    figure = page.get_by_role("figure", name="Difference in SOUL.md")
    expect(figure).to_contain_text("Lead with the number")
    expect(page.get_by_text("2 changes lie between them.")).to_be_visible()
    page.get_by_role("radio", name="Whole file").click()
    expect(figure).to_contain_text("This file says who you are.")
    expect(page).to_have_url(f"{opened.server.url}{_SOUL}?from={own['version']}&to={newest['version']}&show=whole")
    page.reload()
    expect(figure).to_contain_text("Lead with the number")


def test_a_version_is_rolled_back_to_and_the_roll_back_is_undone(opened: Opened) -> None:
    file = opened.server.workspace / "SOUL.md"
    before = file.read_text("utf-8")
    page = opened(_SOUL)
    page.get_by_role("button", name="Lead with the number").click()
    page.get_by_role("button", name="Roll back to").click()
    expect(page.get_by_text("Rolled back. It holds from the next reply.")).to_be_visible()
    assert "Beside every weekday" not in file.read_text("utf-8")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone.")).to_be_visible()
    assert file.read_text("utf-8") == before


def test_a_proposal_leads_to_review_and_versions_are_reached_by_key(opened: Opened) -> None:
    page = opened(_SOUL)
    rows = page.get_by_role("region", name="Versions").get_by_role("button")
    expect(rows.first).to_have_attribute("aria-current", "true")
    page.keyboard.press("j")
    expect(rows.nth(1)).to_have_attribute("aria-current", "true")
    page.get_by_role("region", name="Versions").get_by_role("link").first.click()
    page.wait_for_url("**/review?item=*")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing_on_soul(opened: Opened, axe: Callable[[Page], None], scheme: str) -> None:
    page = opened(_SOUL, scheme=scheme)
    expect(page.get_by_role("figure", name="Difference in SOUL.md")).to_be_visible()
    axe(page)
    page.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
    axe(page)
    page.get_by_role("radio", name="Read").click()
    expect(page.get_by_role("heading", name="Boundaries")).to_be_visible()
    axe(page)
