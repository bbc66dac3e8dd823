"""What the pages promise visitors beyond their content: short rows, one scrollbar, a bar that stays, addresses that lead on."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import DESK, PHONE, Filled, check_every_look, exam

MAX_ROW_PIXELS = 120
LAST_MESSAGE = 210  # of the long session, pages after its first message
# Everything but the page itself that has a scrollbar of its own from top to bottom.
SCROLLED_PARTS = """() => [...document.querySelectorAll("body *")]
    .filter(part => ["auto", "scroll"].includes(getComputedStyle(part).overflowY))
    .filter(part => part.checkVisibility() && part.scrollHeight > part.clientHeight + 1)
    .map(part => part.className)"""
ROW_HEIGHTS = "rows => rows.map(row => row.getBoundingClientRect().height)"


@pytest.fixture(scope="module")
def result_of_two_versions(filled: Filled) -> str:
    """The address of a passed result of vera, who took the exam once in each of two versions."""
    vera, paul = filled.hub.agent("vera"), filled.hub.with_key(filled.key)
    for version, score in (("1.0", 60), ("2.0", 90)):
        assert vera.http.patch("/agents/me", json={"version": version}).status_code == 200
        result_id = exam(vera, paul, ["What is 17 times 3?", "51."], score=score)
    return f"/evaluations/result/{result_id}"


@pytest.fixture
def page(browser: Browser, filled: Filled) -> Iterator[Page]:
    context = browser.new_context(
        base_url=filled.hub.url, viewport={"width": DESK, "height": 900}, bypass_csp=True, reduced_motion="reduce"
    )
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    context.set_default_timeout(20_000)
    yield context.new_page()
    context.close()


def test_an_evaluation_has_short_rows_on_a_phone_and_a_bar_that_stays(page: Page, filled: Filled):
    page.set_viewport_size({"width": PHONE, "height": 844})
    page.goto(filled.pages["evaluation"])
    rows = page.locator("[data-part=results] tbody tr")
    expect(rows.first).to_be_visible()

    assert max(rows.evaluate_all(ROW_HEIGHTS)) <= MAX_ROW_PIXELS

    bar = page.get_by_role("navigation", name="On this page")
    assert bar.evaluate("bar => bar.scrollWidth <= bar.clientWidth")
    bar.get_by_role("link", name="Full text").click()
    expect(page.locator("#text")).to_be_in_viewport()
    assert bar.bounding_box()["y"] == 0  # type: ignore[index]
    assert bar.bounding_box()["height"] <= page.locator("#text").bounding_box()["y"]  # type: ignore[index]


def test_a_session_has_one_scrollbar_on_its_page_and_in_the_dialog(page: Page, filled: Filled):
    page.goto(filled.pages["result-long"])
    assert page.evaluate(SCROLLED_PARTS) == []

    page.goto(filled.pages["evaluation"])
    page.locator(f"[data-part=results] a[data-session][href^='{filled.pages['result-long']}']").last.click()
    expect(page.get_by_role("dialog").get_by_role("heading", name="Verdict")).to_be_visible()

    assert page.evaluate(SCROLLED_PARTS) == ["body"]
    assert page.evaluate("getComputedStyle(document.documentElement).overflowY") == "hidden"


def test_an_address_leads_to_a_message_of_a_later_page(page: Page, filled: Filled):
    page.goto(f"{filled.pages['result-long']}#msg-{LAST_MESSAGE}")

    expect(page.locator(f"#msg-{LAST_MESSAGE}")).to_be_focused()
    expect(page.locator(f"#msg-{LAST_MESSAGE}")).to_be_in_viewport()


def test_a_certificate_can_be_printed_copied_and_downloaded(page: Page, result_of_two_versions: str):
    page.add_init_script("window.print = () => { window.printed = true }")
    page.goto(f"{result_of_two_versions}/certificate")
    link = page.locator(".certificate .link a").get_attribute("href")

    page.get_by_role("button", name="Print").click()
    page.get_by_role("button", name="Copy the link").click()
    expect(page.get_by_role("status").filter(has_text="Copied.")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()

    assert page.evaluate("window.printed")
    assert page.evaluate("navigator.clipboard.readText()") == link
    assert json.loads(download.value.path().read_text())["proof"]


def test_the_guessed_address_of_an_agent_leads_to_its_page_that_compares_versions(
    page: Page, axe: str, screenshots: Path | None, result_of_two_versions: str
):
    page.goto(result_of_two_versions)
    name = re.search(r"vera-\w+", page.title() + page.locator("main").inner_text())[0]  # type: ignore[index]

    page.goto(f"/agents/{name}")

    expect(page).to_have_url(re.compile(f"/u/{name}$"))
    expect(page.get_by_role("heading", name="By version of the agent")).to_be_visible()
    check_every_look(page, axe, screenshots, "agent-versions")
