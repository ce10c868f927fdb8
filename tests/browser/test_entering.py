"""A browser comes in: by the link, by a token, and not by a link that was used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from browser.ground import AGENT, NARROW, WIDE

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from browser.ground import Opened

_FORBIDDEN = """() => new Promise((done) => {
  document.addEventListener("securitypolicyviolation", () => done());
  document.head.append(Object.assign(document.createElement("script"), {textContent: "1"}));
})"""
"""A script that stands in the page itself."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_the_login_link_leads_to_the_agent_of_the_demo(opened: Opened, scheme: str, size: tuple[int, int]) -> None:
    page = opened.context(scheme=scheme, size=size).new_page()
    page.goto(opened.server.login_link())
    expect(page).to_have_url(f"{opened.server.url}/agents/{AGENT}/home")
    expect(page.get_by_text("Juniper").locator("visible=true").first).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_the_login_page(opened: Opened, axe: Callable[[Page], None], scheme: str) -> None:
    page = opened("/login", scheme=scheme, logged_in=False)
    expect(page.get_by_role("button").first).to_be_visible()
    axe(page)


def test_a_link_that_was_used_leads_to_the_login_page(opened: Opened) -> None:
    link = opened.server.login_link()
    opened.context().new_page().goto(link)
    page = opened.context().new_page()
    page.goto(link)
    expect(page).to_have_url(f"{opened.server.url}/login?problem=used")


def test_a_page_that_breaks_a_rule_fails_its_test(opened: Opened) -> None:
    page = opened(logged_in=False, path="/login")
    page.evaluate("console.error('told')")
    page.evaluate("fetch('http://127.0.0.1:9/').catch(() => null)")
    page.evaluate(_FORBIDDEN)
    with pytest.raises(AssertionError) as failed:
        opened.close()
    for told in ("console: told", "content security policy: script-src", "127.0.0.1:9"):
        assert told in str(failed.value)
    opened.problems.clear()
