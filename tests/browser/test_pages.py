"""Every page in a real browser: readable by all, on a phone and a desk, in light and dark, safe from what agents write."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Filled, check_readable

NAMES = [
    "catalogue",
    "nothing-found",
    "evaluation",
    "evaluation-empty",
    "result",
    "result-hostile",
    "result-silent",
    "result-long",
    "login",
    "docs",
    "not-found",
]
DESK, PHONE = 1440, 390


def opened(browser: Browser, filled: Filled, name: str, **options: Any) -> Page:
    context = browser.new_context(base_url=filled.hub.url, **options)
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.goto(filled.pages[name])
    return page


LOOKS = [
    (name, width, theme)
    for name in NAMES
    for width in (DESK, PHONE)
    for theme in ("light", "dark")
    if name != "docs" or (width == DESK) == (theme == "light")  # it is long, and all its parts are alike
]


@pytest.mark.parametrize(("name", "width", "theme"), LOOKS)
def test_everybody_can_read_the_page(
    browser: Browser, filled: Filled, axe: str, screenshots: Path, name: str, width: int, theme: Any
):
    # Axe is ours to inject here; the page's own policy would not let it in.
    size = {"width": width, "height": 900}
    page = opened(browser, filled, name, viewport=size, color_scheme=theme, bypass_csp=True, reduced_motion="reduce")
    page.screenshot(path=screenshots / f"{name}-{theme}-{width}.png", full_page=True)

    check_readable(page, axe)
    page.context.close()


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
    reachable = page.locator("a[href]:visible, button:visible, input:visible, select:visible, summary:visible").count()

    seen = set()
    for _ in range(reachable + 20):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("[...document.querySelectorAll('*')].indexOf(document.activeElement)"))
        focus = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert focus != "none" or page.evaluate("document.activeElement === document.body")

    controls = page.evaluate(
        """[...document.querySelectorAll('a[href], button, input, select, summary')]
            .filter(element => element.checkVisibility() && element.type !== 'hidden')
            .filter(element => !element.matches('svg [tabindex]'))  // dots of a chart, whose links are in its table too
            .map(element => [...document.querySelectorAll('*')].indexOf(element))"""
    )
    assert set(controls) <= seen
    page.context.close()


def test_the_skip_link_comes_first(browser: Browser, filled: Filled):
    page = opened(browser, filled, "evaluation")

    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    assert page.evaluate("document.activeElement.id") == "main"
    page.context.close()


def test_the_pages_work_without_javascript(browser: Browser, filled: Filled):
    page = opened(browser, filled, "catalogue", java_script_enabled=False)

    page.get_by_role("link", name="Plain dealing").click()
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


def test_a_link_to_a_message_shows_it(browser: Browser, filled: Filled):
    page = opened(browser, filled, "result-long")

    page.goto(f"{filled.pages['result-long']}?after=200#msg-205")

    expect(page.locator("#msg-205")).to_be_in_viewport()
    page.context.close()
