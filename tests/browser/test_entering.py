"""A browser comes in: by the link, by a token, and not by a link that was used."""

from __future__ import annotations

import urllib.error
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from browser.ground import AGENT, LIMIT, SCHEMES, SIZES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Page

    from browser.ground import Opened

FILE = f"/api/workspace/{AGENT}/file/USER.md"
_FORBIDDEN = """() => new Promise((done) => {
  document.addEventListener("securitypolicyviolation", () => done());
  document.head.append(Object.assign(document.createElement("script"), {textContent: "1"}));
})"""
"""A script that stands in the page itself."""


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("size", SIZES)
def test_the_login_link_leads_to_the_agent_of_the_demo(opened: Opened, scheme: str, size: tuple[int, int]) -> None:
    page = opened.context(scheme=scheme, size=size).new_page()
    page.goto(opened.server.login_link())
    expect(page).to_have_url(f"{opened.server.url}/agents/{AGENT}/home")
    expect(page.get_by_text("Juniper").locator("visible=true").first).to_be_visible()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing_on_the_login_page(opened: Opened, axe: Callable[[Page], None], scheme: str) -> None:
    page = opened("/login", scheme=scheme, logged_in=False)
    expect(page.get_by_role("button").first).to_be_visible()
    axe(page)


def test_a_link_that_was_used_leads_to_the_login_page(opened: Opened) -> None:
    opened.allow("status of 401")
    link = opened.server.login_link()
    first = opened.context().new_page()
    first.goto(link)
    expect(first).to_have_url(f"{opened.server.url}/agents/{AGENT}/home")
    page = opened.context().new_page()
    page.goto(link)
    expect(page).to_have_url(f"{opened.server.url}/login?problem=used")


def test_a_used_link_is_told_and_the_way_on_shown(opened: Opened) -> None:
    opened.allow("status of 401")
    page = opened.context().new_page()
    page.goto(f"{opened.server.url}/login?code=guessed")
    expect(page.get_by_text("was used before or is too old")).to_be_visible()


def test_a_cookie_that_another_port_receives_opens_nothing_and_the_page_lives(opened: Opened) -> None:
    page = opened("/")
    expect(page.get_by_text("Juniper").locator("visible=true").first).to_be_visible()
    (cookie,) = page.context.cookies(opened.server.url)
    assert cookie["httpOnly"]
    assert page.context.cookies("http://127.0.0.1:9/") == [cookie]  # browsers send it to every port
    key = page.evaluate("localStorage.getItem('oldsoul.key')")
    both = {"cookie": f"oldsoul={cookie['value']}", "oldsoul-key": key}
    for left_out, wanted in (("", 200), ("cookie", 401), ("oldsoul-key", 401)):
        headers = {name: value for name, value in both.items() if name != left_out}
        for path in ("/api/me", "/api/events?after=none"):
            request = urllib.request.Request(f"{opened.server.url}{path}", headers=headers)  # noqa: S310 - our own
            with status_of() as found:
                urllib.request.urlopen(request, timeout=LIMIT).close()  # noqa: S310 - our own
            assert found == [wanted if path == "/api/me" or wanted == 401 else 400]
    # Events come by a stream that sends both halves.
    opened.server.ask("PUT", FILE, {"content": "# User\n\nThe new kettle is blue.\n"}, If_Match="*")
    page.goto(f"{opened.server.url}/agents/{AGENT}/files?file=USER.md")
    expect(page.get_by_text("kettle is blue").first).to_be_visible()
    opened.server.ask("PUT", FILE, {"content": "# User\n\nThe new kettle is green.\n"}, If_Match="*")
    expect(page.get_by_text("kettle is green").first).to_be_visible()


@contextmanager
def status_of() -> Iterator[list[int]]:
    """The status of the answer to what is asked in the block."""
    found: list[int] = []
    try:
        yield found
        found.append(200)
    except urllib.error.HTTPError as error:
        error.close()
        found.append(error.code)


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
