"""Hostile Markdown in files, messages and evidence: no script runs, nothing leaves the origin, the page stays itself."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from browser import ground
from browser.ground import AGENT, Opened
from browser.hostile import PAYLOADS, RUN, as_list
from oldsoul.values.audience import OWNER
from oldsoul.values.changes import Add, Author, ChangeSet, Evidence, Role
from oldsoul.values.names import Name
from oldsoul.values.origin import Origin
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from browser.ground import Server

API = f"/api/agents/{AGENT}"
PLACE = f"/agents/{AGENT}"
ROOM = "hostile"
SESSION = "hostile-talk"
Cited = TypeVar("Cited")
TOGETHER = 12
"""So many quotes has each proposal."""
VIEWS = {
    "home": "home",
    "files": f"files?file={quote(f'rooms/{ROOM}.md')}",
    "files, only read": f"files?file={quote(f'rooms/{ROOM}.md')}&view=read",
    "memory": "memory?q=pwned",
    "chat": f"chat?session={SESSION}&message={{message}}",
    "days": f"days?day={datetime.now(UTC).date()}",
    "search": f"search?q={quote(RUN)}",
    "context": f"context?q={quote(PAYLOADS[0])}",
    "soul": "soul",
    "keepers": "keepers",
    "review, decided": "review?show=decided",
}
"""Where hostile text shows up, besides each proposal in Review."""
WORDS = {"files", "memory", "chat", "search", "context"}
"""Where its words can be read."""
_WRONG = """() => {
  const found = [];
  if (window.__pwned !== undefined) found.push("a script ran");
  const bad = "iframe, object, embed, base, frame, portal, applet, math, foreignObject, marquee, link[href*=elsewhere], "
    + "meta[http-equiv=refresh], form[action*=elsewhere], script:not([src]), style:not(head style), [srcset], [ping], "
    + "[src*=elsewhere], [style*=elsewhere], [poster], [formaction], [srcdoc], [id=__pwned], [name=querySelector]";
  for (const each of document.querySelectorAll(bad)) found.push(each.outerHTML.slice(0, 200));
  for (const each of document.querySelectorAll("*"))
    for (const { name } of each.attributes) if (name.startsWith("on")) found.push(each.outerHTML.slice(0, 200));
  for (const each of document.querySelectorAll("a[href]")) {
    // An address that cannot be read has ":" and leads nowhere.
    const safe = ["", ":", "http:", "https:", "mailto:", "tel:", "xmpp:", "irc:", "ircs:"];
    if (!safe.includes(each.protocol ?? "javascript:")) found.push(each.outerHTML.slice(0, 200));
  }
  if (document.querySelectorAll("#root").length !== 1) found.push("another root");
  if (document.querySelectorAll("#main").length !== 1) found.push("another main");
  if (!document.title.endsWith("Oldsoul")) found.push(`the title is ${document.title}`);
  return found;
}"""


@pytest.fixture(scope="module")
def hostile(demo_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, list[int], list[str]]]:
    """A server whose home has every payload in a file, in messages and in proposals: also their numbers and ids."""
    with ground.served(demo_home, tmp_path_factory.mktemp("hostile")) as server:
        said = [
            server.ask("POST", f"{API}/sessions/{SESSION}/messages", {"text": each, "subject": "acct:maren"})
            for each in PAYLOADS
        ]
        numbers = [int(each["message"]) for each in said]
        path = f"/api/workspace/{AGENT}/file/{quote(f'rooms/{ROOM}.md', safe='')}"
        server.ask("PUT", path, {"content": f"# Room {ROOM}\n\n{as_list()}\n"}, If_None_Match="*")
        yield server, numbers, _propose(server.home, numbers)


def _together(every: Sequence[Cited]) -> list[Sequence[Cited]]:
    return [every[at : at + TOGETHER] for at in range(0, len(every), TOGETHER)]


def _propose(home: Path, numbers: list[int]) -> list[str]:
    made = []
    with open_home(home, {}) as soul:
        ledger = soul.agent(AGENT)._parts.home.ledger
        for cited in _together(list(zip(PAYLOADS, numbers, strict=True))):
            words, number = cited[0]
            proof = tuple(Evidence(f"m:{n}", Origin.OPERATOR, OWNER, text) for text, n in cited)
            add = Add(Name(AGENT, "SOUL.md"), words)
            asked = ChangeSet((add,), Author(Role.AGENT, AGENT), words, f"hostile:{number}", proof, suggested=True)
            outcome = ledger.apply(asked)
            assert outcome.proposal is not None
            made.append(outcome.proposal.id)
    return made


@pytest.fixture
def opened_hostile(chromium: Browser, hostile: tuple[Server, list[int], list[str]]) -> Iterator[Opened]:
    made = Opened(chromium, hostile[0])
    yield made
    made.close()


def _watched(opened: Opened, path: str) -> Page:
    page = opened(path)
    page.on("dialog", lambda dialog: opened.problems.append(f"dialog: {dialog.message}"))
    return page


def _wrong(page: Page) -> Any:
    return page.evaluate(_WRONG)


def test_there_are_a_hundred() -> None:
    assert len(set(PAYLOADS)) >= 100


def test_hostile_evidence_is_shown_as_words(
    opened_hostile: Opened, hostile: tuple[Server, list[int], list[str]]
) -> None:
    _, numbers, ids = hostile
    page = _watched(opened_hostile, f"{PLACE}/review")
    for made, cited in zip(ids, _together(PAYLOADS), strict=True):
        page.goto(f"{opened_hostile.server.url}{PLACE}/review?item={made}")
        quotes = page.locator(".quote .words")
        expect(quotes).to_have_count(len(cited))
        assert [_plain(each) for each in quotes.all_inner_texts()] == [_plain(each) for each in cited]
        expect(page.locator(".quote a")).to_have_count(len(cited))
        assert _wrong(page) == []
        page.keyboard.press("e")
        expect(page.get_by_role("textbox", name="SOUL.md")).to_be_visible()
        assert _wrong(page) == []
    assert len(numbers) == len(PAYLOADS)


def _plain(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("view", VIEWS)
def test_hostile_text_stays_text(
    opened_hostile: Opened, hostile: tuple[Server, list[int], list[str]], view: str
) -> None:
    _, numbers, _ = hostile
    page = _watched(opened_hostile, f"{PLACE}/{VIEWS[view].format(message=numbers[0])}")
    expect(page.get_by_role("heading").first).to_be_visible()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    if view in WORDS:
        expect(page.locator("#main").get_by_text("pwned").first).to_be_attached()
    page.mouse.move(640, 400)
    page.mouse.wheel(0, 4000)
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    assert _wrong(page) == []
