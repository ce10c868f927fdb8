"""How long the dashboard keeps its browser busy: `PYTHONPATH=tests python bench/dashboard.py`, with 50,000 entries in 2,000 files.

It makes a home of Markdown files, serves it, and drives Chromium through Memory and Files: list, filter, order, scroll. For
each step it prints how long it took until the page showed it, and the longest task as Chromium reports it (tasks below 50
ms are not reported). `make web` has to be run before.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import expect, sync_playwright

from browser import ground

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

THINGS = ("garden", "server", "boiler", "budget", "piano", "bicycle", "contract", "kitchen", "harbour", "tower")
TAGS = ("knowledge", "decision", "event", "skill")
OBSERVE = """
window.longTasks = [];
new PerformanceObserver((list) => {
  for (const task of list.getEntries()) window.longTasks.push(task.duration);
}).observe({ type: "longtask", buffered: true });
"""
SCROLLS = 60
WAIT_MS = 120_000


def filled(home: Path, documents: int, entries: int) -> None:
    """A home with so many entries in so many files, written as somebody would with an editor."""
    workspace = home / "workspace/main"
    (workspace / "memory").mkdir(parents=True)
    (home / "config.yaml").write_text("timezone: UTC\nmemory:\n  search:\n    provider: none\n", "utf-8")
    first = datetime(2026, 1, 1, tzinfo=UTC)
    for number in range(documents):
        lines = [f"# Notes {number}", ""]
        for entry in range(number, entries, documents):
            day = f"{first + timedelta(days=entry % 300):%Y-%m-%d}"
            thing, tag = THINGS[entry % len(THINGS)], TAGS[entry % len(TAGS)]
            said = f"The {thing} needs part {entry}, and whoever orders it asks Ann for the price beforehand"
            lines.append(f"- {said} (added {day}) #{tag}")
        (workspace / f"memory/notes-{number:04}.md").write_text("\n".join(lines) + "\n", "utf-8")


def measured(page: Page, name: str, work: Callable[[], None]) -> None:
    """Do something, and print how long it took and the longest task meanwhile."""
    page.evaluate("window.longTasks.length = 0")
    began = time.perf_counter()
    work()
    took = time.perf_counter() - began
    # Tasks are told of when they are over, and by a task of their own.
    page.evaluate("() => new Promise((done) => setTimeout(done, 200))")
    tasks: list[float] = page.evaluate("window.longTasks")
    longest = f"{max(tasks):.0f} ms" if tasks else "none over 50 ms"
    print(f"{name:34} {took:8.2f} s   longest task: {longest}", flush=True)


def main() -> None:
    """Make the home, serve it, and go through the screens."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--documents", type=int, default=2_000)
    given.add_argument("--entries", type=int, default=50_000)
    options = given.parse_args()
    ground.check_built()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        home = Path(folder, "home")
        filled(home, options.documents, options.entries)
        server = ground.Server(home)
        server.start()
        browser = ground.chromium(playwright)
        try:
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.set_default_timeout(WAIT_MS)
            expect.set_options(timeout=WAIT_MS)
            page.add_init_script(OBSERVE)
            page.goto(server.login_link())
            through(page, server.url, options.entries)
        finally:
            browser.close()
            server.stop()


def through(page: Page, url: str, entries: int) -> None:
    """Memory and Files, as somebody uses them."""
    rows = page.locator("tbody tr")
    count = page.get_by_text(f"{entries:,} entries")

    def started(path: str) -> None:
        page.goto(f"{url}/agents/main/{path}")

    def listed() -> None:
        started("memory")
        expect(count).to_be_visible()
        expect(rows.first).to_contain_text("needs part")

    measured(page, "Memory: list, the first time", listed)
    measured(page, "Memory: list again", listed)

    def narrowed() -> None:
        page.get_by_role("searchbox", name="Find in memory").fill("harbour price")
        expect(page.get_by_text(f"{entries // len(THINGS):,} entries of this kind")).to_be_visible()

    def widened() -> None:
        page.get_by_role("searchbox", name="Find in memory").fill("")
        expect(count).to_be_visible()

    def chosen() -> None:
        page.get_by_label("Tag").select_option("decision")
        expect(page.get_by_text(f"{entries // len(TAGS):,} entries of this kind")).to_be_visible()
        page.get_by_label("Tag").select_option("")
        expect(count).to_be_visible()

    def ordered() -> None:
        page.get_by_role("columnheader", name="Sure").get_by_role("button").click()
        expect(page.get_by_role("table", name="Memory")).to_have_attribute("aria-busy", "false")
        expect(count).to_be_visible()
        expect(rows.first).to_contain_text("needs part")

    def scrolled() -> None:
        page.mouse.move(640, 500)
        for _ in range(SCROLLS):
            page.mouse.wheel(0, 700)
            page.evaluate("() => new Promise(requestAnimationFrame)")
        expect(rows.nth(5)).to_contain_text("needs part")

    def jumped() -> None:
        page.locator(".rows").evaluate("(list) => list.scrollTo({ top: list.scrollHeight })")
        expect(page.locator(f'tr[aria-rowindex="{entries + 1}"]')).to_contain_text("needs part")

    def opened() -> None:
        rows.nth(8).locator("button").click()
        expect(page.get_by_text("How it came here")).to_be_visible()

    measured(page, "Memory: filter by words", narrowed)
    measured(page, "Memory: take the words away", widened)
    measured(page, "Memory: filter by a tag and back", chosen)
    measured(page, "Memory: order by confidence", ordered)
    measured(page, f"Memory: scroll {SCROLLS} screens", scrolled)
    measured(page, "Memory: jump to the last entry", jumped)
    measured(page, "Memory: open an entry", opened)

    def files() -> None:
        started("files")
        page.get_by_role("heading").first.wait_for()

    measured(page, "Files: open", files)


if __name__ == "__main__":
    main()
