"""Every screen of the dashboard on the demo home, at two widths, in light and dark: `make screenshots`."""

from __future__ import annotations

import shutil
import tempfile
import threading
from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from browser import ground
from oldsoul.faces.http.app import app
from oldsoul.faces.web import server
from oldsoul.testing import FrozenClock
from oldsoul.wiring import open_home

UNTIL = datetime(2026, 3, 14, 9, 0, tzinfo=UTC)
FOLDER = ground.ROOT / "screenshots"
PLACE = f"/agents/{ground.AGENT}"
SCREENS = {
    **{name: f"{PLACE}/{name}" for name in ("home", "chat", "review", "memory", "files", "days", "soul", "skills")},
    **{name: f"{PLACE}/{name}" for name in ("tools", "context", "keepers", "doctor", "search")},
    "settings": "/settings",
}
VIEWS = {
    "search-found": f"{PLACE}/search?q=when+does+the+flour+come",
    "days-one": f"{PLACE}/days?day=2026-03-12",
    "keepers-one": f"{PLACE}/keepers?keeper=memory-miner",
    "tools-one": f"{PLACE}/tools?tool=memory_search",
    **{f"settings-{section}": f"/settings?section={section}" for section in ("tokens", "people", "memory")},
    "settings-found": "/settings?q=schedule",
}
"""Screens with something chosen."""
SIZES = {"1280": ground.WIDE, "400": ground.NARROW}


def main() -> None:
    """Write them all."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        home = ground.demo_home(Path(folder), f"{UNTIL:%Y-%m-%d}")
        with open_home(home, {}, FrozenClock(UNTIL)) as soul:
            line = server.listening("127.0.0.1", 0, public=False)
            made = server.server(lambda stopping: app(soul, stopping=stopping))
            thread = threading.Thread(target=made.run, args=([line],))
            thread.start()
            (home / "state/server.token").write_text(soul.add_token("operator").secret)
            try:
                take(
                    ground.Opened(
                        ground.chromium(playwright), ground.Server(home, server.address_of(line, "127.0.0.1"))
                    )
                )
            finally:
                made.should_exit = True
                thread.join()


def take(opened: ground.Opened) -> None:
    """Take pictures of every screen, and of the login page."""
    for scheme in ("light", "dark"):
        for width, size in SIZES.items():
            page = opened("/login", scheme=scheme, size=size, logged_in=False)
            page.clock.set_fixed_time(UNTIL)
            page.get_by_role("heading").first.wait_for()
            page.screenshot(path=FOLDER / f"login-{width}-{scheme}.png")
            opened.server.log_in(page)
            for name, path in {**SCREENS, **VIEWS}.items():
                page.goto(f"{opened.server.url}{path}")
                page.wait_for_load_state("load")
                page.locator("main").wait_for()
                page.wait_for_timeout(300)  # until it has begun to load what it shows
                expect(page.locator("[aria-busy=true]")).to_have_count(0, timeout=ground.LIMIT * 1000)
                page.screenshot(path=FOLDER / f"{name}-{width}-{scheme}.png")
                print(f"screenshots/{name}-{width}-{scheme}.png")  # noqa: T201 - a script
    for told in opened.problems:
        print(f"wrong: {told}")  # noqa: T201 - a script


if __name__ == "__main__":
    main()
