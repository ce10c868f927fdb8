"""Review: proposals and conflicts are decided with their evidence, one by one or together, by keyboard too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from browser.ground import AGENT, LIMIT, NARROW, SCHEMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from browser.ground import Opened, Server

API = f"/api/agents/{AGENT}"
REVIEW = f"/agents/{AGENT}/review"
GRAMS, OPEN_ENDS = "Quantities are metric weights", "Name what is still open"
FORM = "Anders has sent a form"
CONFLICT = "The proofing cabinet is set to 27 degrees"


def _waiting(server: Server) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = server.ask("GET", f"{API}/proposals")["proposals"]
    return found


def _proposal(server: Server, words: str) -> dict[str, Any]:
    every: list[dict[str, Any]] = server.ask("GET", f"{API}/proposals?state=")["proposals"]
    return next(each for each in every if words in " ".join([*each["words"], each["reason"]]))


def _prompt(server: Server) -> str:
    return str(server.ask("POST", f"{API}/prompt", {"message": "How much rye for ten loaves?"})["system"])


def _cabinet(server: Server) -> list[str]:
    """What memory says of the cabinet, but for what was replaced."""
    found = server.ask("GET", f"{API}/entries?limit=1000")["entries"]
    said = [each for each in found if "proofing cabinet" in each["text"] and each["path"].startswith("rooms/")]
    return sorted(re.findall(r"\d+ degrees", str([each["text"] for each in said if not each["superseded"]])))


def _choose(page: Page, words: str) -> None:
    """Go down the list by J until the row with these words is shown."""
    chosen = page.locator(".it.on .open")
    expect(chosen).to_be_visible()
    while words not in chosen.inner_text():
        before = chosen.inner_text()
        page.keyboard.press("j")
        expect(chosen).not_to_have_text(before)
    expect(page.locator(".detail .ttl")).to_be_visible()


def _write(server: Server, path: str, before: str, line: str) -> None:
    """Save a file with one line more, as an editor does."""
    file = server.workspace / path
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, f"- {line}\n{before}", 1))


def test_a_soul_proposal_is_approved_by_keyboard_alone_and_changes_the_next_prompt(opened_own: Opened) -> None:
    server = opened_own.server
    assert GRAMS not in _prompt(server)
    page = opened_own(f"/agents/{AGENT}/home")
    expect(page.get_by_role("heading", name="Waits for you")).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("r")
    _choose(page, GRAMS)
    expect(page.get_by_role("heading", name="Add a line to SOUL.md")).to_be_visible()
    expect(page.locator(".diff .add")).to_contain_text(GRAMS)
    quote = page.locator(".quote")
    expect(quote).to_contain_text("Grams please, always grams")
    expect(quote.get_by_role("link", name="Open conversation")).to_have_attribute("href", re.compile(r"message=\d+$"))
    expect(page.get_by_text("shows everyone text that only you could see")).to_be_visible()
    page.keyboard.press("a")
    expect(page.get_by_text("Approved. It holds from the next reply.")).to_be_visible()
    expect(page.locator(".it .open", has_text=GRAMS)).to_have_count(0)
    expect(page.locator(".it.on")).to_have_count(1)  # another one is shown
    assert GRAMS in _prompt(server)
    page.keyboard.press("z")
    expect(page.get_by_text("Taken back.")).to_be_visible()
    assert GRAMS not in _prompt(server)
    page.get_by_role("radio", name="Decided").click()
    page.locator(".it .open", has_text=GRAMS).click()
    expect(page.get_by_text(re.compile("Approved by you.*Taken back"))).to_be_visible()


def test_a_proposal_is_edited_and_approved_and_another_is_rejected_with_a_reason(opened_own: Opened) -> None:
    server = opened_own.server
    page = opened_own(REVIEW)
    _choose(page, OPEN_ENDS)
    page.keyboard.press("e")
    editor = page.get_by_role("textbox", name="SOUL.md")
    expect(editor).to_contain_text(OPEN_ENDS)
    editor.focus()  # the cursor stands at the line that is new
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.type("In the evening: ")
    page.keyboard.press("Escape")
    expect(page.get_by_text("Your edited text is kept")).to_be_visible()
    page.keyboard.press("e")
    expect(editor).to_contain_text(f"In the evening: {OPEN_ENDS}")
    editor.focus()
    page.keyboard.press("ControlOrMeta+s")
    expect(page.get_by_text("Approved with your words.")).to_be_visible()
    assert f"- In the evening: {OPEN_ENDS}" in (server.workspace / "SOUL.md").read_text()
    assert _proposal(server, OPEN_ENDS)["state"] == "approved"

    _choose(page, FORM)
    expect(page.get_by_role("heading", name="Take a line out of MEMORY.md")).to_be_visible()
    page.keyboard.press("r")
    why = page.get_by_role("textbox", name="Why")
    expect(why).to_be_focused()
    page.keyboard.press("Escape")
    expect(why).to_have_count(0)
    page.keyboard.press("r")
    page.keyboard.type("he still likes the telephone")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Rejected. Nothing was changed.")).to_be_visible()
    found = _proposal(server, FORM)
    assert (found["state"], found["note"]) == ("rejected", "he still likes the telephone")
    page.get_by_role("radio", name="Decided").click()
    page.locator(".it .open", has_text=FORM).click()
    expect(page.get_by_text("He still likes the telephone.")).to_be_visible()


def test_several_are_decided_together_and_what_could_not_be_is_told(opened_own: Opened) -> None:
    server = opened_own.server
    page = opened_own(REVIEW)
    for words in (OPEN_ENDS, CONFLICT, GRAMS):
        _choose(page, words)
        page.keyboard.press("x")
    expect(page.get_by_text("3 selected", exact=True)).to_be_visible()
    page.keyboard.press("a")
    told = page.get_by_role("alert")
    expect(told).to_contain_text("2 proposals approved, 1 not")
    expect(told).to_contain_text("It is a conflict: open it and say what is kept.")
    expect(page.locator(".it .open", has_text=OPEN_ENDS)).to_have_count(0)
    assert GRAMS in _prompt(server)
    told.get_by_role("button", name="Close").click()
    page.get_by_role("checkbox", name="1 selected").check()
    page.get_by_role("button", name=re.compile(r"^Reject \d")).click()
    page.get_by_role("textbox", name="Why").fill("later")
    page.keyboard.press("Enter")
    expect(told).to_contain_text(re.compile(r"\d proposals rejected, 1 not"))
    assert [each["author"] for each in _waiting(server)] == ["keeper:conflict-detector"]


def test_a_conflict_is_settled_in_three_ways(opened_own: Opened) -> None:
    server = opened_own.server
    page = opened_own(REVIEW)
    row = page.locator(".it .open", has_text=CONFLICT)
    for key, kept in (("1", ["27 degrees"]), ("2", ["29 degrees"]), ("b", ["27 degrees", "29 degrees"])):
        row.click()
        claims = page.locator(".claim")
        expect(claims).to_have_count(2)
        expect(claims.first).to_contain_text("What you said")
        expect(claims.first.locator("mark")).to_have_text("The proofing cabinet is set to 27 degrees.")
        expect(page.get_by_text("Tomas’s is archived and no longer found.")).to_be_visible()
        page.keyboard.press(key)
        expect(row).to_have_count(0)
        assert server.ask("GET", f"{API}/conflicts")["conflicts"] == []
        assert _cabinet(server) == kept
        if key != "b":
            page.keyboard.press("z")
            expect(row).to_have_count(1)
            assert _cabinet(server) == ["27 degrees", "29 degrees"]
    page.get_by_role("radio", name="Decided").click()
    row.click()
    expect(page.get_by_text("Both were kept.")).to_be_visible()


def test_what_changed_since_it_was_shown_is_asked_again(opened_own: Opened) -> None:
    server = opened_own.server
    page = opened_own(REVIEW)
    _choose(page, FORM)
    expect(page.locator(".diff .del")).to_contain_text("Anders brings the butter")
    _write(server, "MEMORY.md", "- **Butter**", "Written in an editor.")
    # The watcher of the server's files has to see it first.
    expect(page.get_by_text("The file has changed since you opened this.")).to_be_visible(timeout=LIMIT * 1000)
    expect(page.locator(".diff")).not_to_contain_text("Written in an editor")  # nothing moves under the reader
    page.keyboard.press("a")
    expect(page.get_by_text("This is what approval would do now.")).to_be_visible()
    expect(page.locator(".diff")).to_contain_text("Written in an editor")
    assert _proposal(server, FORM)["state"] == "open"
    page.keyboard.press("a")
    expect(page.get_by_text("Approved. It holds from the next reply.")).to_be_visible()
    text = (server.workspace / "MEMORY.md").read_text()
    assert "- Written in an editor." in text
    assert "Anders brings the butter" not in text


def test_an_edited_text_is_merged_with_a_change_that_the_page_did_not_hear_of(opened_own: Opened) -> None:
    server = opened_own.server
    opened_own.allow("409")  # the browser tells of the answer that asks again
    context = opened_own.context()
    context.route("**/api/events*", lambda route: route.fulfill(content_type="text/event-stream", body=""))
    page = context.new_page()
    server.log_in(page)
    page.goto(f"{server.url}{REVIEW}")
    _choose(page, OPEN_ENDS)
    page.keyboard.press("e")
    editor = page.get_by_role("textbox", name="SOUL.md")
    expect(editor).to_contain_text(OPEN_ENDS)
    editor.press("ControlOrMeta+End")
    page.keyboard.type("\nMine.")
    _write(server, "SOUL.md", "- Beside every weekday", "Written in an editor.")
    page.get_by_role("button", name="Approve edited").click()
    expect(page.get_by_text("bring both together, then approve")).to_be_visible()
    assert _proposal(server, OPEN_ENDS)["state"] == "open"
    mine = page.get_by_role("textbox", name="Your text")
    expect(mine).to_contain_text("Mine.")
    expect(mine).not_to_contain_text("Written in an editor")
    page.locator(".cm-merge-revert button").first.click()
    expect(mine).to_contain_text("Written in an editor")
    page.get_by_role("button", name="Approve edited").click()
    expect(page.get_by_text("Approved with your words.")).to_be_visible()
    text = (server.workspace / "SOUL.md").read_text()
    assert all(each in text for each in ("- Written in an editor.", f"- {OPEN_ENDS}", "\nMine."))


def test_a_phone_shows_one_pane_with_the_decisions_above_the_tabs(opened: Opened) -> None:
    page = opened(REVIEW, size=NARROW)
    expect(page.locator(".detail")).to_be_hidden()
    page.locator(".it .open", has_text=GRAMS).click()
    expect(page.locator(".list")).to_be_hidden()
    approve = page.get_by_role("button", name="Approve")
    box, tabs = approve.bounding_box(), page.locator(".tabbar").bounding_box()
    assert box is not None
    assert tabs is not None
    assert box["height"] >= 44
    assert box["y"] + box["height"] <= tabs["y"]
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW[0]
    page.get_by_role("button", name="Back to the list").click()
    expect(page.locator(".list")).to_be_visible()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_nothing_is_wrong_for_screen_readers(opened: Opened, axe: Callable[[Page], None], scheme: str) -> None:
    page = opened(REVIEW, scheme=scheme)
    _choose(page, CONFLICT)
    page.keyboard.press("x")
    expect(page.locator(".claim")).to_have_count(2)
    axe(page)
    page.keyboard.press("x")
    _choose(page, GRAMS)
    expect(page.locator(".quote")).to_be_visible()
    axe(page)
    page.keyboard.press("e")
    expect(page.get_by_role("textbox", name="SOUL.md")).to_be_visible()
    axe(page)
    page.keyboard.press("Escape")
    page.get_by_role("radio", name="Decided").click()
    expect(page.locator(".it").first).to_be_visible()
    axe(page)
