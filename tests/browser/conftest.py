"""Fixtures of the tests in a browser. A browser lives as long as a module: others need the event loop to themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect, sync_playwright

from browser import ground

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from browser.ground import Opened, Server


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    ground.check_built()
    expect.set_options(timeout=ground.LIMIT * 1000)
    with sync_playwright() as playwright:
        browser = ground.chromium(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def demo_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo home; make a copy before you change anything in it."""
    ground.check_built()
    base = tmp_path_factory.getbasetemp()
    return ground.demo_home((base.parent if base.name.startswith("popen-") else base) / "browser")


@pytest.fixture(scope="module")
def server(
    request: pytest.FixtureRequest, demo_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A server before a copy of the demo home, for all tests of a module; with `SCHEDULED = False` no keeper disturbs."""
    scheduled = getattr(request.module, "SCHEDULED", True)
    with ground.served(demo_home, tmp_path_factory.mktemp("served"), scheduled=scheduled) as made:
        yield made


@pytest.fixture
def own_server(demo_home: Path, tmp_path: Path) -> Iterator[Server]:
    """A server before a copy of the demo home, for one test; no keeper runs in it by itself, whatever the hour."""
    with ground.served(demo_home, tmp_path, scheduled=False) as made:
        yield made


@pytest.fixture
def opened(chromium: Browser, server: Server) -> Iterator[Opened]:
    """Opens pages of the module's server; a problem of any of them fails the test."""
    made = ground.Opened(chromium, server)
    yield made
    made.close()


@pytest.fixture
def opened_own(chromium: Browser, own_server: Server) -> Iterator[Opened]:
    """Opens pages of the test's own server."""
    made = ground.Opened(chromium, own_server)
    yield made
    made.close()


@pytest.fixture
def axe() -> Callable[[Page], None]:
    """Fails where axe finds something wrong with a page."""

    def check(page: Page) -> None:
        assert not ground.axe_findings(page)

    return check
