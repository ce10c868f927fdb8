"""All screens of the dashboard: axe, headings, titles, no sideways scrolling, keys, waiting and failing, in every form."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import TimeoutError as NotInTime
from playwright.sync_api import expect

from browser import ground
from browser.ground import NARROW, WIDE
from browser.screenshots import SCREENS, VIEWS
from scale import TORTURE

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page, Route

    from browser.ground import Opened

ROUTER = ground.ROOT / "web/src/router.tsx"
READ = [name for name in SCREENS if name != "search"]
"""Screens that show something at once; Search waits for words."""
FIELD = "Search memory, places and deeds"
API = re.compile(r"/api/(?!events)")
_GO = """(path) => { history.pushState({}, "", path); dispatchEvent(new PopStateEvent("popstate")); }"""
_SIDEWAYS = """() => [document.documentElement, ...document.querySelectorAll("main, .scroll, .page")]
  .filter((each) => each.scrollWidth > each.clientWidth + 1)
  .map((each) => `${each.tagName} ${each.className}: ${each.scrollWidth} > ${each.clientWidth}`)"""


def settle(page: Page) -> None:
    """Wait until the screen has read what it shows."""
    expect(page.locator("main h1:visible:not(.prose h1)")).to_have_count(1)
    expect(page.locator("main [aria-busy=true]")).to_have_count(0)


def comes(page: Page, words: Locator) -> bool:
    """Whether something is shown within a minute of the page's clock, which is put forward meanwhile."""
    for _ in range(20):
        page.clock.run_for(3_000)
        try:
            words.wait_for(timeout=250)
        except NotInTime:
            continue
        return True
    return False


def test_every_screen_of_the_router_is_tried() -> None:
    routed = set(re.findall(r"screen\(\"(\w+)\"", ROUTER.read_text("utf-8")))
    assert routed | {"settings"} == set(SCREENS)


def test_every_screen_is_whole_in_every_form(opened: Opened) -> None:
    page = opened(SCREENS["home"], reduced_motion="reduce")
    titles, wrong = {}, []
    for name, path in {**SCREENS, **VIEWS}.items():
        page.evaluate(_GO, path)
        for width, height in (WIDE, NARROW):
            page.set_viewport_size({"width": width, "height": height})
            settle(page)
            titles[name] = page.title()
            for scheme in ("light", "dark"):
                if (scheme == "light") != ((width, height) == WIDE) and not TORTURE:
                    continue
                page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
                found = [
                    *ground.axe_findings(page),
                    *(f"scrolls sideways: {each}" for each in page.evaluate(_SIDEWAYS)),
                ]
                wrong += [f"{name} {width} {scheme}: {each}" for each in found]
    assert not wrong, "\n".join(wrong)
    assert all(title.endswith(" · Oldsoul") for title in titles.values()), titles
    assert len({titles[name] for name in SCREENS}) == len(SCREENS), titles


def test_every_screen_says_so_when_the_server_fails(opened: Opened) -> None:
    opened.allow("500")
    page = opened(SCREENS["home"])
    page.clock.install()
    page.route(API, lambda route: route.fulfill(status=500, json={"detail": "the disk said no", "code": "broken"}))
    silent = []
    for name in READ:
        page.goto(f"{opened.server.url}{SCREENS[name]}")
        told = page.locator("main").get_by_role("alert").filter(has_text="The disk said no.").first
        if not comes(page, told):
            silent.append(name)
    assert not silent


def test_every_screen_says_what_it_waits_for(opened: Opened) -> None:
    page = opened(SCREENS["home"])
    page.clock.install()
    held: list[Route] = []
    page.route(API, lambda route: held.append(route))  # noqa: PLW0108 - playwright marks its handlers
    silent = []
    for name in READ:
        page.goto(f"{opened.server.url}{SCREENS[name]}")
        told = page.locator("main [aria-busy=true] [role=status]").filter(has_text=re.compile(r"\w")).first
        if not comes(page, told):
            silent.append(name)
    assert not silent


def test_every_screen_is_reached_by_keyboard_from_home(opened: Opened) -> None:
    page = opened(SCREENS["home"])
    settle(page)
    reached = set()
    for _ in range(30):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("() => document.activeElement?.getAttribute('href')"))
    assert {path for name, path in SCREENS.items() if name != "search"} <= reached

    for name, path in SCREENS.items():
        page.keyboard.press("Control+k")
        expect(page.get_by_role("combobox", name=FIELD)).to_be_focused()
        page.keyboard.type(name)
        option = page.get_by_role("group", name="Go to").get_by_role(
            "option", name=re.compile(f"^{name}( G .)?$", re.IGNORECASE)
        )
        expect(option).to_be_visible()
        page.keyboard.press("ArrowDown")  # what was moved to stays chosen, whatever is found later
        while option.get_attribute("aria-selected") != "true":
            page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.get_by_role("combobox", name=FIELD)).to_have_count(0)
        expect(page).to_have_url(f"{opened.server.url}{path}")
        settle(page)


def test_every_deed_of_the_palette_works(opened: Opened) -> None:
    page = opened(SCREENS["home"])
    settle(page)

    def do(typed: str, deed: str) -> None:
        expect(page.get_by_role("dialog")).to_have_count(0)
        page.keyboard.press("Control+k")
        expect(page.get_by_role("combobox", name=FIELD)).to_be_focused()
        page.keyboard.type(typed)
        option = page.get_by_role("group", name="Do").get_by_role("option", name=deed)
        expect(option).to_be_visible()
        page.keyboard.press("ArrowDown")  # what was moved to stays chosen, whatever is found later
        while option.get_attribute("aria-selected") != "true":
            page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")

    do("dark", "Dark colours")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    do("light", "Light colours")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    do("keys", "All keys")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    fact = "The till drawer sticks when it rains."
    do(fact, f"Remember “{fact}”")
    expect(page.get_by_text("Remembered.")).to_be_visible()
    words = "/entries?words=till%20drawer"
    place = f"/api/agents/{ground.AGENT}"
    assert opened.server.ask("GET", f"{place}{words}")["entries"]
    page.keyboard.press("z")
    expect(page.get_by_text("Remembered.")).to_be_hidden()
    expect(page.get_by_role("listitem").filter(has_text="till drawer")).to_have_count(0)
    do("oven", "Search for “oven”")
    expect(page).to_have_url(f"{opened.server.url}{SCREENS['search']}?q=oven")
    expect(page.get_by_role("dialog")).to_have_count(0)
    settle(page)
    for key, name in zip(
        "hcrmfdsx", ("home", "chat", "review", "memory", "files", "days", "soul", "context"), strict=True
    ):
        page.locator("main").focus()  # letters rest while somebody types
        page.keyboard.press("g")
        page.keyboard.press(key)
        expect(page).to_have_url(re.compile(f"{SCREENS[name]}(\\?|$)"))
        settle(page)
