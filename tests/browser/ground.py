"""What tests in a browser stand on: Chromium, a demo home, a real server before it, and pages that are watched."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, Request

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src"
WEB = SRC / "oldsoul/web"
AXE = ROOT / "web/node_modules/axe-core/axe.min.js"
AGENT = "juniper"
LIMIT = 240
"""Seconds after which something that was waited for has failed."""
WIDE, NARROW = (1280, 800), (400, 860)
SCHEMES = ("light", pytest.param("dark", marks=pytest.mark.torture))
SIZES = (pytest.param(WIDE, id="wide"), pytest.param(NARROW, id="narrow", marks=pytest.mark.torture))
FORMS = (
    pytest.param("light", WIDE, id="light"),
    pytest.param("dark", NARROW, id="dark", marks=pytest.mark.torture),
)
"""Colours and sizes: each screen as it comes up is tried in both (test_every_screen), what is opened in it in the first."""
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"),
    *("--disable-sync", "--no-first-run"),
)
_TELL_VIOLATIONS = """
document.addEventListener("securitypolicyviolation", (event) => {
  console.error(`content security policy: ${event.violatedDirective} forbids ${event.blockedURI}`);
});
"""


def chromium(playwright: Playwright) -> Browser:
    """A Chromium: one that is installed, else Playwright's own; `make test` sees to it that there is one."""
    found = next((path for name in _NAMES if (path := shutil.which(name))), "")
    own = Path(playwright.chromium.executable_path)
    if not found and not own.exists():
        pytest.fail("there is no Chromium: run `make test`, or `apt-get install chromium`")
    return playwright.chromium.launch(executable_path=found or own, args=[*_FLAGS])


def check_built() -> None:
    """Fail where nobody has built the dashboard."""
    if not (WEB / "index.html").exists():
        pytest.fail("the dashboard is not built: run `make web`")


def demo_home(folder: Path, until: str = "") -> Path:
    """A demo home in this folder, made once, whichever process comes first."""
    folder.mkdir(parents=True, exist_ok=True)
    home = folder / f"demo{until}"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not home.exists():
            fresh = folder / f"making{until}"
            shutil.rmtree(fresh, ignore_errors=True)
            more = ["--until", until] if until else []
            subprocess.run(
                [sys.executable, "-m", "oldsoul", "demo", fresh, *more], env=_environment(folder), check=True
            )
            fresh.rename(home)
    return home


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OLDSOUL_")}
    return {**kept, "PYTHONPATH": str(SRC), "HOME": str(folder)}


@dataclass
class Server:
    """`oldsoul serve` as a process of its own."""

    home: Path
    """the home, which a test may change"""
    url: str = ""
    """where it is"""
    first_link: str = ""
    """the login link that the command line gave"""
    process: subprocess.Popen[str] | None = None
    """the process, while it runs"""

    @property
    def workspace(self) -> Path:
        """The folder of the demo's agent."""
        return self.home / "workspace" / AGENT

    @property
    def token(self) -> str:
        """The operator's token."""
        return (self.home / "state/server.token").read_text("ascii").strip()

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """What the API answers to the operator."""
        data = None if body is None else json.dumps(body).encode()
        given = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(f"{self.url}{path}", data, given, method=method)  # noqa: S310 - our own server
        with urllib.request.urlopen(request, timeout=LIMIT) as answer:  # noqa: S310 - as above
            return json.loads(answer.read() or b"null")

    def login_link(self) -> str:
        """A link that logs a browser in, once."""
        link: str = self.ask("POST", "/api/login-links")["url"]
        return link

    def log_in(self, page: Page, link: str = "") -> None:
        """Open a login link, and wait until its page has handed the code in."""
        page.goto(link or self.login_link())
        page.wait_for_url(lambda url: "/login" not in url, timeout=LIMIT * 1000)

    def start(self, port: int = 0) -> None:
        """Start it, and wait until it can be reached."""
        command = [sys.executable, "-m", "oldsoul", "serve", "--home", str(self.home), "--port", str(port), "--json"]
        log = (self.home / "server.log").open("a")
        with log:
            self.process = subprocess.Popen(
                command, env=_environment(self.home), stdout=subprocess.PIPE, stderr=log, text=True
            )
        said = ""
        while not said.endswith("}\n"):
            assert self.process.stdout is not None
            line = self.process.stdout.readline()
            assert line, (self.home / "server.log").read_text()
            said += line
        self.url, self.first_link = (json.loads(said)[name] for name in ("url", "login"))

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Stop it, and wait until it is gone."""
        if self.process is not None:
            self.process.send_signal(how)
            self.process.communicate(timeout=LIMIT)
            self.process = None


@contextmanager
def served(home: Path, folder: Path, *, scheduled: bool = True) -> Iterator[Server]:
    """A server before a copy of a home; keepers run on schedule in it, or do not disturb."""
    copy = folder / "home"
    shutil.copytree(home, copy, symlinks=True)
    if not scheduled:
        command = [sys.executable, "-m", "oldsoul", "config", "--home", str(copy), "set"]
        subprocess.run(
            [*command, "keepers.schedule.enabled", "false"],
            env=_environment(copy),
            check=True,
            stdout=subprocess.DEVNULL,
        )
    server = Server(copy)
    server.start()
    try:
        yield server
    finally:
        server.stop()


@dataclass
class Opened:
    """Opens pages that are logged in. What is wrong with any of them fails the test when it ends."""

    browser: Browser
    server: Server
    problems: list[str] = field(default_factory=list)
    """errors in the console, errors of scripts, what the content security policy forbade, requests to elsewhere"""
    allowed: list[str] = field(default_factory=list)
    """patterns of problems that a test expects"""
    contexts: list[BrowserContext] = field(default_factory=list)

    def __call__(
        self,
        path: str = "/",
        *,
        scheme: str = "light",
        size: tuple[int, int] = WIDE,
        logged_in: bool = True,
        **more: Any,
    ) -> Page:
        """A page in a browser of its own."""
        page = self.context(scheme=scheme, size=size, **more).new_page()
        if logged_in:
            self.server.log_in(page)
        page.goto(f"{self.server.url}{path}")
        return page

    def context(self, *, scheme: str = "light", size: tuple[int, int] = WIDE, **more: Any) -> BrowserContext:
        """A browser of its own, which is watched."""
        width, height = size
        made = self.browser.new_context(
            color_scheme="dark" if scheme == "dark" else "light",
            viewport={"width": width, "height": height},
            locale="en-GB",
            timezone_id="UTC",
            **more,
        )
        made.set_default_timeout(LIMIT * 1000)
        made.add_init_script(_TELL_VIOLATIONS)
        made.on("console", self._console)
        made.on("weberror", lambda error: self.problems.append(f"error: {error.error}"))
        made.on("request", self._request)
        self.contexts.append(made)
        return made

    def allow(self, pattern: str) -> None:
        """Expect a problem that matches a pattern."""
        self.allowed.append(pattern)

    def close(self) -> None:
        """Close all pages, and fail if anything was wrong."""
        for context in self.contexts:
            try:
                context.close()
            except Error as error:
                self.problems.append(str(error))
        found = [each for each in self.problems if not any(re.search(pattern, each) for pattern in self.allowed)]
        assert not found, "\n".join(found)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"console: {message.text} ({message.location.get('url', '')})")

    def _request(self, request: Request) -> None:
        if not request.url.startswith((f"{self.server.url}/", "data:", "blob:")):
            self.problems.append(f"asks elsewhere: {request.url}")


def axe_findings(page: Page) -> list[str]:
    """What axe finds wrong with a page. It is put in by the debugger, which no content security policy hinders."""
    if not AXE.exists():
        pytest.fail("axe-core is not installed: run `make web`")
    if not page.evaluate("() => 'axe' in window"):
        session = page.context.new_cdp_session(page)
        session.send("Runtime.evaluate", {"expression": AXE.read_text("utf-8")})
        session.detach()
    found = page.evaluate("async () => (await axe.run(document)).violations")
    return [f"{each['id']}: {each['help']} ({node['html'][:200]})" for each in found for node in each["nodes"]]
