"""Files in a browser: typed text is saved or kept, never lost, whoever else writes to the file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from browser.ground import AGENT, SCHEMES, SIZES
from scale import scaled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Dialog, Locator, Page

    from browser.ground import Opened, Server

FILES = f"/agents/{AGENT}/files"
LIMIT = 16 * 1024
_LONGEST = """() => new Promise((done) => {
  new PerformanceObserver((list) => done(Math.max(...list.getEntries().map((each) => each.duration))))
    .observe({ type: "longtask", buffered: true });
  setTimeout(() => done(0), 200);
})"""
"""How many milliseconds the page was busy without a pause, at most."""


def editor(page: Page) -> Locator:
    return page.locator(".editor .cm-content")


def type_at_end(page: Page, text: str) -> None:
    """Type into the editor, behind everything else."""
    editor(page).click()
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.insert_text(text)


def as_vim(path: Path, text: str) -> None:
    """Write a file as an editor does: another one that takes its place."""
    other = path.with_name(f".{path.name}.swp-new")
    other.write_text(text, "utf-8")
    other.replace(path)


def saved(page: Page) -> None:
    expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
    expect(page.get_by_text("Not saved", exact=True)).to_have_count(0)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing_on_files(
    opened: Opened, axe: Callable[[Page], None], scheme: str, size: tuple[int, int]
) -> None:
    page = opened(f"{FILES}?file=USER.md", scheme=scheme, size=size)
    expect(editor(page)).to_be_visible()
    type_at_end(page, "\nnot saved")
    expect(page.locator(".is-mine")).to_have_count(1)
    axe(page)


def test_a_file_is_edited_and_saved_by_keyboard_alone(opened: Opened) -> None:
    page = opened(f"/agents/{AGENT}/home")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("f")
    expect(page.get_by_role("heading", name="MEMORY.md")).to_be_visible()
    expect(editor(page)).to_be_visible()
    page.keyboard.press("k")
    expect(page).to_have_url(re.compile(r"file=USER\.md"))
    expect(editor(page)).to_contain_text("# ")
    page.keyboard.press("e")
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.type("- **Tea**: typed by **hand**")
    expect(page.get_by_role("region", name="Preview").get_by_text("hand", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="USER.md").get_by_text("not saved")).to_be_attached()
    page.keyboard.press("ControlOrMeta+s")
    saved(page)
    assert "- **Tea**: typed by **hand**" in (opened.server.workspace / "USER.md").read_text("utf-8")


def test_the_tree_leads_to_every_kind_of_file_and_logs_are_only_read(opened: Opened) -> None:
    page = opened(FILES)
    tree = page.get_by_role("navigation", name="Files")
    for name in ("SOUL.md", "AGENTS.md", "USER.md", "MEMORY.md", "CONFIG.md"):
        expect(tree.get_by_role("button", name=f"{name} can be edited")).to_be_visible()
    expect(tree.get_by_role("button", name=re.compile("Daily Logs read only"))).to_be_visible()
    tree.get_by_role("button", name=re.compile(r"\d (entry|entries)$")).nth(1).click()
    expect(page.get_by_text("Read only", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Save")).to_have_count(0)
    page.get_by_role("radio", name="Source").click()
    expect(editor(page)).to_have_attribute("aria-readonly", "true")
    page.get_by_role("radio", name="Read").click()
    page.get_by_role("button", name="Session", exact=True).first.click()
    expect(page.locator("header h1")).to_have_text(re.compile(r"^memory/\d{4}-\d\d-\d\d/.+\.md$"))
    tree.get_by_role("button", name="bakery-team can be edited").click()
    expect(page.locator("header").get_by_text("Seen by: bakery-team")).to_be_visible()


def test_two_tabs_edit_one_file_and_both_texts_are_kept(opened: Opened) -> None:
    opened.allow(r"status of 409")
    context = opened.context()
    first, second = context.new_page(), context.new_page()
    opened.server.log_in(first)
    for page in (first, second):
        page.goto(f"{opened.server.url}{FILES}?file=AGENTS.md")
        expect(editor(page)).to_be_visible()
    type_at_end(second, "\nfrom the second tab")
    editor(first).click()
    first.keyboard.press("ControlOrMeta+Home")
    first.keyboard.insert_text("from the first tab\n")
    first.keyboard.press("ControlOrMeta+s")
    saved(first)
    expect(second.get_by_text("You, elsewhere, added line 1 while you were typing.")).to_be_visible()
    expect(editor(second)).not_to_contain_text("from the first tab")
    second.keyboard.press("ControlOrMeta+s")
    merge = second.get_by_role("region", name="Merge both texts")
    expect(merge.get_by_label("Your text")).to_contain_text("from the second tab")
    second.get_by_role("button", name="Save merged").click()
    saved(second)
    text = (opened.server.workspace / "AGENTS.md").read_text("utf-8")
    assert text.startswith("from the first tab\n")
    assert "from the second tab" in text
    expect(editor(first)).to_contain_text("from the second tab")


def test_an_edit_on_disk_appears_without_reloading_and_not_under_the_cursor(opened: Opened) -> None:
    path = opened.server.workspace / "rooms/bakery-team.md"
    page = opened(f"{FILES}?file=rooms/bakery-team.md")
    expect(editor(page)).to_be_visible()
    before = path.read_text("utf-8")
    editor(page).locator(".cm-line", has_text="## Notes").click()
    page.keyboard.press("End")
    as_vim(path, before.replace("## Notes\n", "On top, from vim.\n\n## Notes\n") + "- **Below**: from vim\n")
    expect(editor(page).get_by_text("On top, from vim.")).to_be_visible()
    expect(page.locator(".cm-activeLine")).to_have_text("## Notes")
    expect(page.get_by_text("Not saved")).to_have_count(0)
    page.keyboard.insert_text(" and mine")
    expect(page.locator(".cm-activeLine")).to_have_text("## Notes and mine")
    now = path.read_text("utf-8")
    as_vim(path, now + "- **Last**: from vim again\n")
    bar = page.get_by_role("status").filter(has_text="Your text is untouched.")
    expect(bar).to_contain_text("Somebody on disk added line")
    expect(editor(page)).not_to_contain_text("from vim again")
    bar.get_by_role("button", name="Show").click()
    expect(page.locator(".is-theirs", has_text="from vim again")).to_have_count(1)
    expect(editor(page)).to_contain_text("## Notes and mine")
    page.keyboard.press("ControlOrMeta+s")
    saved(page)
    assert "## Notes and mine" in path.read_text("utf-8")
    assert "from vim again" in path.read_text("utf-8")


def test_a_text_that_is_too_large_is_refused_and_stays(opened: Opened) -> None:
    opened.allow(r"status of 400")
    page = opened(f"{FILES}?file=CONFIG.md&view=edit")
    expect(editor(page)).to_be_visible()
    type_at_end(page, "\n" + ("too much " * 14 + "\n") * 90 + "\n")
    expect(page.get_by_text(re.compile(r"% full: more than 16 KiB cannot be saved"))).to_be_visible()
    type_at_end(page, ("too much " * 14 + "\n") * 50 + "the last words")
    expect(page.get_by_text(re.compile(r"too large: it cannot be saved like this"))).to_be_visible()
    page.keyboard.press("ControlOrMeta+s")
    expect(page.get_by_role("alert").get_by_text(f"more than its limit of {LIMIT}")).to_be_visible()
    expect(editor(page)).to_contain_text("the last words")
    expect(page.get_by_text("Not saved", exact=True)).to_be_visible()


def test_a_file_is_reset_and_the_reset_taken_back(opened: Opened) -> None:
    path = opened.server.workspace / "SOUL.md"
    before = path.read_text("utf-8")
    page = opened(f"{FILES}?file=SOUL.md")
    expect(editor(page)).to_be_visible()
    page.get_by_role("button", name="Reset to default").click()
    page.get_by_role("button", name="Reset SOUL.md").click()
    expect(page.get_by_text("SOUL.md is as its template.")).to_be_visible()
    expect(page.get_by_role("button", name="Reset to default")).to_be_disabled()
    assert path.read_text("utf-8") != before
    page.get_by_role("button", name="Undo").first.click()
    expect(page.get_by_role("button", name="Reset to default")).to_be_enabled()
    assert path.read_text("utf-8") == before


def test_what_is_not_saved_holds_the_person_back(opened: Opened) -> None:
    page = opened(f"{FILES}?file=AGENTS.md")
    expect(editor(page)).to_be_visible()
    type_at_end(page, "\nheld back")
    asked = page.get_by_role("alertdialog")
    page.get_by_role("link", name="Home").first.click()
    expect(asked).to_contain_text("AGENTS.md has changes that are not saved.")
    expect(asked.get_by_role("button", name="Save and leave")).to_be_focused()
    asked.get_by_role("button", name="Stay").click()
    expect(asked).to_have_count(0)
    page.keyboard.press("ControlOrMeta+k")
    page.get_by_role("combobox").fill("Days")
    page.keyboard.press("Enter")
    expect(asked.get_by_role("button", name="Save and leave")).to_be_focused()
    page.keyboard.press("Escape")
    expect(asked).to_have_count(0)
    # Another file of the tree is no leaving: the text waits.
    page.get_by_role("button", name="USER.md").click()
    expect(page.get_by_role("heading", name="USER.md")).to_be_visible()
    page.get_by_role("button", name="AGENTS.md").click()
    expect(editor(page)).to_contain_text("held back")
    closing: list[str] = []

    def stay(dialog: Dialog) -> None:
        closing.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    page.close(run_before_unload=True)
    page.get_by_role("link", name="Chat").first.click()
    asked.get_by_role("button", name="Save and leave").click()
    expect(page).to_have_url(re.compile("/chat$"))
    assert closing == ["beforeunload"]
    assert "held back" in (opened.server.workspace / "AGENTS.md").read_text("utf-8")


def test_a_change_is_shown_compared_and_taken_back(opened: Opened) -> None:
    page = opened(f"{FILES}?file=MEMORY.md")
    history = page.get_by_role("complementary", name="History")
    expect(editor(page)).to_be_visible()
    type_at_end(page, "\n- **Kettle**: on the shelf #knowledge")
    page.keyboard.press("ControlOrMeta+s")
    saved(page)
    history.get_by_role("button", name=re.compile("^You .*Kettle")).click()
    expect(history.get_by_role("figure")).to_contain_text("Kettle")
    history.get_by_role("button", name="Compare").click()
    compared = page.get_by_role("region", name="Compare with a version")
    expect(compared.get_by_text("Nothing differs")).to_be_visible()
    history.get_by_role("button", name="Undo this change").click()
    expect(page.get_by_text("Taken back.")).to_be_visible()
    expect(compared.get_by_role("figure")).to_contain_text("removed:")
    compared.get_by_role("button", name="Close").click()
    expect(editor(page)).not_to_contain_text("Kettle")
    history.get_by_role("radio", name="Blame").click()
    history.get_by_role("button", name=re.compile("^You .*Butter")).click()
    expect(page).to_have_url(re.compile(r"line=\d+"))
    expect(page.locator(".cm-activeLine")).to_contain_text("Butter")


def test_the_server_dies_and_comes_back_and_a_login_ends_while_something_is_typed(
    opened_own: Opened, own_server: Server
) -> None:
    opened_own.allow(r"Failed to load resource|ERR_|net::")
    page = opened_own(f"{FILES}?file=USER.md")
    expect(editor(page)).to_be_visible()
    type_at_end(page, "\n- typed while it was away")
    port = int(own_server.url.rpartition(":")[2])
    own_server.stop()
    page.keyboard.press("ControlOrMeta+s")
    expect(page.get_by_role("alert").get_by_text("Your text is still here.")).to_be_visible()
    expect(page.get_by_text("The server does not answer. Trying again.")).to_be_visible()
    own_server.start(port)
    expect(page.get_by_text("The server does not answer. Trying again.")).to_have_count(0)
    page.get_by_role("button", name="Try again").click()
    saved(page)
    path = own_server.workspace / "USER.md"
    assert "typed while it was away" in path.read_text("utf-8")

    type_at_end(page, "\n- typed before the login ended")
    for token in own_server.ask("GET", "/api/tokens")["tokens"]:
        if token["name"] == "browser":
            own_server.ask("DELETE", f"/api/tokens/{token['id']}")
    page.keyboard.press("ControlOrMeta+s")
    page.get_by_label("Token").fill(own_server.token)
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Log in")).to_have_count(0)
    expect(editor(page)).to_contain_text("typed before the login ended")
    page.get_by_role("button", name="Save", exact=True).click()
    saved(page)
    assert "typed before the login ended" in path.read_text("utf-8")


def test_very_many_files_are_listed_and_found(opened_own: Opened, own_server: Server) -> None:
    many = scaled(150, 2_000)
    folder = own_server.workspace / "SOUL_HISTORY"
    for n in range(many):
        (folder / f"SOUL-2012-{n // 28 % 12 + 1:02}-{n % 28 + 1:02}-{n:04}.md").write_text(f"# {n}\n", "utf-8")
        if n % 200 == 0:  # what somebody saved is taken in by a change for each file, which takes its time
            own_server.ask("GET", f"/api/workspace/{AGENT}/files")
    own_server.ask("GET", f"/api/workspace/{AGENT}/files")
    page = opened_own(FILES)
    tree = page.get_by_role("navigation", name="Files")
    tree.get_by_role("button", name=re.compile(r"^Soul before [\d,]+$")).click()
    expect(tree.get_by_role("button", name=re.compile("^SOUL-")).first).to_be_visible()
    assert tree.get_by_role("button").count() < 100
    tree.get_by_label("Find a file").fill("-0077")
    found = tree.get_by_role("button", name="SOUL-2012-03-22-0077")
    found.click()
    expect(page.locator("header h1")).to_have_text("SOUL_HISTORY/SOUL-2012-03-22-0077.md")
    tree.get_by_label("Find a file").press("Escape")
    expect(found).to_be_visible()
    print(f"{many} files: the longest task took {page.evaluate(_LONGEST):.0f} ms")  # noqa: T201 - to be read
