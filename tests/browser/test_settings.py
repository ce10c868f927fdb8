"""Settings in the browser: values, secrets, tokens, people, colours, keys and logging out."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from browser.ground import LIMIT

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from browser.ground import Opened, Server

DAYS = "memory.short_term_days"
SECRET = "sk-walnut-4711"  # noqa: S105 - made up


def row(page: Page, path: str) -> Locator:
    return page.get_by_role("listitem").filter(has=page.get_by_role("heading", name=path, exact=True))


def config(server: Server) -> str:
    return (server.home / "config.yaml").read_text()


def test_a_value_is_checked_saved_and_reset(opened: Opened, server: Server) -> None:
    opened.allow("400")
    page = opened(f"/settings?q={DAYS}")
    one = row(page, DAYS)
    expect(one).to_contain_text("7default")
    one.get_by_role("button", name=f"Edit {DAYS}").click()
    field = one.get_by_label(f"Value of {DAYS}")
    expect(field).to_be_focused()
    field.fill("many")
    field.press("Enter")
    expect(one.get_by_text('Expected a whole number from 0 to 3650, found the text "many".')).to_be_visible()
    expect(field).to_have_value("many")
    field.fill("9")
    field.press("Enter")
    expect(one).to_contain_text("set in config.yaml")
    assert "short_term_days: 9" in config(server)
    one.get_by_role("button", name=f"Reset {DAYS}").click()
    expect(one).to_contain_text("7default")
    assert "short_term_days" not in config(server)
    page.get_by_role("button", name="Undo").click()
    expect(one).to_contain_text("set in config.yaml")


def test_a_refused_setting_keeps_what_was_typed(opened: Opened) -> None:
    opened.allow("500")
    page = opened("/settings?q=agents.defaults.model")
    one = row(page, "agents.defaults.model")
    one.get_by_role("button", name="Edit agents.defaults.model").click()
    page.route("**/api/settings/*", lambda route: route.fulfill(status=500, body="{}"))
    field = one.get_by_label("Value of agents.defaults.model")
    field.fill("a-model")
    field.press("Enter")
    expect(one.get_by_role("alert")).to_contain_text("What you typed is still here.")
    expect(field).to_have_value("a-model")


def test_a_setting_that_runs_a_program_needs_a_link_of_the_command_line(opened: Opened, server: Server) -> None:
    opened.allow("status of 403")
    before = config(server)
    page = opened("/settings?q=keepers.recall_handler")
    one = row(page, "keepers.recall_handler")
    one.get_by_role("button", name="Edit keepers.recall_handler").click()
    field = one.get_by_label("Value of keepers.recall_handler")
    field.fill("/usr/bin/true")
    field.press("ControlOrMeta+Enter")
    expect(one.get_by_role("alert")).to_contain_text("a login link that the command line gave")
    expect(field).to_have_value("/usr/bin/true")
    assert config(server) == before


def test_a_secret_is_set_and_never_shown(opened_own: Opened, own_server: Server) -> None:
    server = own_server
    page = opened_own.context().new_page()
    server.log_in(page, server.first_link)
    page.goto(f"{server.url}/settings?q=keepers.model.api_key")
    one = row(page, "keepers.model.api_key")
    expect(one).to_contain_text("not set")
    one.get_by_role("button", name="Set keepers.model.api_key").click()
    field = one.get_by_label("Value of keepers.model.api_key")
    expect(field).to_have_attribute("type", "password")
    field.fill(SECRET)
    field.press("Enter")
    expect(one).to_contain_text("set, never shown")
    assert SECRET in config(server)
    page.reload()
    expect(row(page, "keepers.model.api_key")).to_contain_text("set, never shown")
    assert SECRET not in page.content()
    assert SECRET not in json.dumps(server.ask("GET", "/api/settings"))


def test_a_token_is_shown_once_and_revoked(opened: Opened, server: Server) -> None:
    page = opened("/settings?section=tokens")
    page.get_by_label("What you call it").fill("wall display")
    page.get_by_label("It is for").select_option("reader")
    page.get_by_role("button", name="Make the token").click()
    secret = page.get_by_text(re.compile("^os_")).inner_text()
    assert me(server, secret)["role"] == "reader"
    page.get_by_role("button", name="I have it").click()
    expect(page.get_by_text(secret)).to_have_count(0)
    page.get_by_role("button", name="Revoke wall display").click()
    page.get_by_role("button", name="Revoke for good").click()
    expect(page.get_by_role("listitem").filter(has_text="wall display")).to_have_count(0)
    with pytest.raises(urllib.error.HTTPError, match="401"):
        me(server, secret)


def me(server: Server, secret: str) -> dict[str, str]:
    request = urllib.request.Request(f"{server.url}/api/me", headers={"Authorization": f"Bearer {secret}"})  # noqa: S310 - our own server
    with urllib.request.urlopen(request, timeout=LIMIT) as answer:  # noqa: S310 - as above
        found: dict[str, str] = json.loads(answer.read())
        return found


def test_a_name_is_bound_to_a_person(opened: Opened) -> None:
    opened.allow("422")
    page = opened("/settings?section=people")
    name = page.get_by_label("Name in a channel")
    name.fill("tomas")
    page.get_by_label("Is", exact=True).select_option("acct:tomas")
    page.get_by_role("button", name="Bind", exact=True).click()
    expect(page.get_by_text("It has to be ext, the channel and the name there")).to_be_visible()
    name.fill("ext:telegram:77")
    page.get_by_role("button", name="Bind", exact=True).click()
    bound = page.get_by_role("listitem").filter(has_text="acct:tomas")
    expect(bound).to_contain_text("ext:telegram:77")
    page.get_by_role("button", name="Unbind ext:telegram:77").click()
    expect(bound).not_to_contain_text("ext:telegram:77")


def test_colours_and_letters_are_a_choice_of_the_browser(opened: Opened) -> None:
    page = opened("/settings")
    page.get_by_role("radio", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.get_by_role("checkbox", name=re.compile("Letters are keys")).uncheck()
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.get_by_role("checkbox", name=re.compile("Letters are keys"))).not_to_be_checked()
    page.get_by_role("heading", name="Settings").click()
    page.keyboard.press("g")
    page.keyboard.press("h")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Search memory, places and deeds")).to_be_focused()
    expect(page).to_have_url(re.compile("/settings$"))


def test_who_logs_out_is_out(opened: Opened) -> None:
    opened.allow("401")
    page = opened("/settings")
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("heading", name="Log in to Oldsoul")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Log in to Oldsoul")).to_be_visible()
