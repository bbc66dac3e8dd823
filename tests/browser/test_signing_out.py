"""Signing out, and texts that are shown plain, in a real browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import DESK, Filled, check_every_look, exam

COSTLY = "This is *my list*:\n\n- <script>window.pwned=1</script>\n" + "- a\n" * 900


@pytest.fixture
def page(browser: Browser, filled: Filled) -> Iterator[Page]:
    context = browser.new_context(base_url=filled.hub.url, viewport={"width": DESK, "height": 900})
    context.set_default_timeout(20_000)
    yield context.new_page()
    context.close()


def test_after_signing_out_back_shows_nothing_of_the_login(page: Page, filled: Filled):
    page.goto("/login")
    page.get_by_label("API key").fill(filled.key)
    page.get_by_role("button", name="Sign in").click()
    page.goto("/proctor")
    expect(page.locator(".who")).to_contain_text("paul")
    cookie: Any = page.context.cookies()[0]

    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()
    page.go_back()

    expect(page.get_by_role("banner").get_by_role("link", name="Sign in")).to_be_visible()
    expect(page.locator(".who")).to_have_count(0)
    page.context.add_cookies([cookie])  # somebody had copied it
    page.goto("/proctor")
    expect(page.locator(".who")).to_have_count(0)


def test_the_page_to_sign_out_everywhere_is_readable(page: Page, filled: Filled, axe: str, screenshots: Path | None):
    page.goto("/login")
    page.get_by_label("API key").fill(filled.key)
    page.get_by_role("button", name="Sign in").click()
    page.goto("/login")

    check_every_look(page, axe, screenshots, "signed-in")
    page.get_by_role("button", name="Sign out everywhere").click()

    expect(page.get_by_role("banner").get_by_role("link", name="Sign in")).to_be_visible()


def test_a_costly_text_is_plain_at_first_and_rendered_later(
    page: Page, filled: Filled, axe: str, screenshots: Path | None
):
    result = exam(filled.hub.agent("lea"), filled.hub.agent("pia"), ["What do you *think*?", COSTLY, "Thank **you**."])

    page.goto(f"/evaluations/result/{result}")
    plain: Any = page.locator("pre.as-written")
    expect(plain).to_have_count(1)
    expect(plain).to_contain_text("This is *my list*:\n\n- <script>window.pwned=1</script>\n- a")
    expect(page.locator(".transcript em").first).to_have_text("think")
    check_every_look(page, axe, screenshots, "shown-plain")
    for _ in range(100):
        page.reload()
        if plain.count() == 0:
            break

    expect(plain).to_have_count(0)
    expect(page.locator(".transcript li li")).to_have_count(901)
    assert page.evaluate("window.pwned") is None
