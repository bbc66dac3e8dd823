"""Every page in a real browser: readable by all, on a phone and a desk, in light and dark, safe from what agents write."""

from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import (
    DESK,
    PHONE,
    Filled,
    check_every_look,
    check_keyboard,
    check_width,
)

NAMES = [
    "catalogue",
    "nothing-found",
    "evaluation",
    "evaluation-empty",
    "result",
    "result-hostile",
    "result-silent",
    "login",
    "not-found",
]


def opened(browser: Browser, filled: Filled, name: str, **options: Any) -> Page:
    context = browser.new_context(base_url=filled.hub.url, **options)
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.goto(filled.pages[name])
    return page


@pytest.mark.parametrize("name", NAMES)
def test_everybody_can_read_the_page(browser: Browser, filled: Filled, axe: str, screenshots: Path | None, name: str):
    # Axe is ours to run here; the page's own policy would not let it in.
    page = opened(browser, filled, name, bypass_csp=True)

    check_every_look(page, axe, screenshots, name)
    page.context.close()


# What these have many of is alike, and takes long to look at. The first of each kind are looked at closely.
LONG = {
    "docs": "section[aria-labelledby^=tag]:nth-of-type(n+5), .endpoint:nth-of-type(n+3), .shape:nth-of-type(n+4), .errors div:nth-of-type(n+4), .contents li:nth-of-type(n+3)",
    "result-long": ".transcript li:nth-of-type(n+11)",
}


@pytest.mark.parametrize("name", LONG)
def test_everybody_can_read_a_long_page(
    browser: Browser, filled: Filled, axe: str, screenshots: Path | None, name: str
):
    page = opened(browser, filled, name, bypass_csp=True)
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")

    for width in (PHONE, DESK):
        page.set_viewport_size({"width": width, "height": 900})
        check_width(page)
    check_ids(page)
    shorten(page, name)
    check_every_look(page, axe, screenshots, name)
    page.context.close()


def check_ids(page: Page) -> None:
    """No two parts of the page have the same id, and every link into the page leads somewhere."""
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(element => element.id)")
    links = page.evaluate("[...document.querySelectorAll('a[href^=\"#\"]')].map(link => link.getAttribute('href'))")
    assert [name for name, count in Counter(ids).items() if count > 1] == []
    assert [link for link in links if unquote(link[1:]) not in ids] == []


def shorten(page: Page, name: str) -> None:
    page.evaluate("alike => document.querySelectorAll(alike).forEach(element => element.remove())", LONG[name])


@pytest.mark.parametrize("name", ["evaluation", "result-hostile"])
def test_what_agents_wrote_does_not_run(browser: Browser, filled: Filled, name: str):
    # Without the policy, so that the escaping has to hold by itself.
    page = opened(browser, filled, name, bypass_csp=True)
    for details in page.locator("details").all():
        details.evaluate("element => { element.open = true }")

    page.wait_for_timeout(300)

    assert page.evaluate("window.pwned") is None
    assert page.locator("main img, main script, main a[href^='javascript']").count() == 0
    expect(page.get_by_text("onerror=window.pwned=1").first).to_be_visible()
    page.context.close()


def test_the_policy_stops_a_script_that_got_in(browser: Browser, filled: Filled):
    page = opened(browser, filled, "catalogue")

    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.pwned=1\">')")
    page.wait_for_timeout(300)

    assert page.evaluate("window.pwned") is None
    page.context.close()


@pytest.mark.parametrize("name", ["catalogue", "evaluation", "result", "login", "docs"])
def test_the_keyboard_reaches_every_link_and_control(browser: Browser, filled: Filled, name: str):
    page = opened(browser, filled, name)
    if name in LONG:
        shorten(page, name)

    check_keyboard(page)
    page.context.close()


def test_the_skip_link_comes_first(browser: Browser, filled: Filled):
    page = opened(browser, filled, "evaluation")

    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    assert page.evaluate("document.activeElement.id") == "main"
    page.context.close()


def test_the_pages_work_without_javascript(browser: Browser, filled: Filled):
    page = opened(browser, filled, "catalogue", java_script_enabled=False)

    page.get_by_role("heading", name="Plain dealing").get_by_role("link").click()
    results = page.get_by_role("region", name="Results")
    results.get_by_label("Verdict").select_option("Not passed")
    results.get_by_role("button", name="Show").click()
    expect(results.get_by_role("row")).to_have_count(2)  # the head and the one that was not passed
    results.get_by_role("link", name="View session").click()
    expect(page.get_by_role("heading", name="Verdict")).to_be_visible()
    page.goto("/login")
    page.get_by_label("API key").fill(filled.key)
    page.get_by_role("button", name="Sign in").click()

    expect(page.get_by_text("Signed in as")).to_be_attached()
    expect(page.locator("#theme")).to_be_hidden()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()
    page.context.close()


def test_the_theme_is_chosen_and_remembered(browser: Browser, filled: Filled):
    page = opened(browser, filled, "catalogue", color_scheme="light")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)

    page.get_by_role("button", name="Dark theme").click()
    dark = page.evaluate(paper)
    page.reload()

    assert dark != light
    assert page.evaluate(paper) == dark
    expect(page.get_by_role("button", name="Light theme")).to_be_visible()
    page.context.close()


def test_a_link_into_the_reference_opens_what_it_names(browser: Browser, filled: Filled):
    page = opened(browser, filled, "docs")
    body = page.locator("#post_agents_register").get_by_text("Body", exact=True)
    expect(body).to_be_hidden()

    page.get_by_role("navigation", name="Contents").get_by_role("link", name="Register an agent").click()

    expect(body).to_be_visible()
    expect(page.get_by_role("heading", name="Register an agent and get its key")).to_be_in_viewport()
    page.context.close()


def test_a_link_to_a_message_shows_it(browser: Browser, filled: Filled):
    page = opened(browser, filled, "result-long")

    page.goto(f"{filled.pages['result-long']}?after=200#msg-205")

    expect(page.locator("#msg-205")).to_be_in_viewport()
    page.context.close()


def test_a_link_to_a_message_of_a_session_loads_its_page(browser: Browser, filled: Filled):
    page = opened(browser, filled, "result-long")
    result_id = filled.pages["result-long"].rpartition("/")[2]
    session_id = page.request.get(f"/api/v1/evaluations/results/{result_id}").json()["result"]["session_id"]

    page.goto(f"/sessions/{session_id}#msg-3")

    expect(page.locator("#msg-3")).to_be_focused()
    page.context.close()
