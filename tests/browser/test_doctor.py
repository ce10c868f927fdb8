"""Doctor, Skills and Tools in the browser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from browser.ground import AGENT

if TYPE_CHECKING:
    from browser.ground import Opened, Server

PLACE = f"/agents/{AGENT}"


def test_the_doctor_tries_the_services_and_makes_the_index_anew(opened: Opened) -> None:
    page = opened(f"{PLACE}/doctor")
    page.get_by_role("button", name="Try now").click()
    services = page.get_by_role("region", name="Embedder and model")
    expect(services).to_contain_text("Works")
    expect(services).to_contain_text("no text leaves this machine")
    expect(services).to_contain_text("Not set up")
    expect(services.get_by_role("link", name="Settings of the language model")).to_be_visible()
    index = page.get_by_role("region", name="Index of Juniper")
    index.get_by_role("button", name="Make it anew").click()
    expect(index.get_by_text(re.compile("^It was made anew"))).to_be_visible()


def test_the_doctor_says_what_is_wrong_and_what_to_do(opened: Opened, server: Server) -> None:
    page = opened(f"{PLACE}/doctor")
    expect(page.get_by_text("Everything is in order")).to_be_visible()
    big = "# MEMORY.md\n\n" + "- The bakery has many shelves and each has a number.\n" * 300
    (server.workspace / "MEMORY.md").write_text(big)
    page.get_by_role("button", name="Look again").click()
    wrong = page.get_by_role("region", name=re.compile("^(Needs you|Good to know)"))
    expect(wrong).to_contain_text("MEMORY.md")


def test_skills_say_why_one_is_left_out_and_open_their_file(opened: Opened) -> None:
    page = opened(f"{PLACE}/skills")
    told = page.get_by_role("region", name=re.compile("^Told"))
    expect(told.get_by_role("heading", name="scale-a-dough")).to_be_visible()
    out = page.get_by_role("region", name=re.compile("^Left out"))
    expect(out).to_contain_text("Needs BAKERY_PRINTER in the environment.")
    out.get_by_role("link", name="skills/weekly-order/SKILL.md").click()
    expect(page).to_have_url(re.compile(r"/files\?file=skills%2Fweekly-order%2FSKILL\.md"))


def test_tools_say_what_they_take_and_who_may_use_them(opened: Opened) -> None:
    page = opened(f"{PLACE}/tools")
    writing = page.get_by_role("region", name=re.compile("^Write to memory"))
    expect(writing).to_contain_text("readers may not")
    page.get_by_role("button", name=re.compile("^Memory Search")).click()
    expect(page).to_have_url(re.compile(r"\?tool=memory_search"))
    expect(page.get_by_role("region", name="Memory Search")).to_contain_text("text, needed")
