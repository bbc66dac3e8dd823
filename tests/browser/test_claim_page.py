"""The page of a claim link in a real browser: readable by all, confirmed by a maintainer with the keyboard and without JavaScript."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import DESK, HOSTILE_NAME, PHONE, check_every_look
from tests.hub import Hub

EXAM = "account-verification"


class Asked(NamedTuple):
    """A link of a new agent, and the key of a maintainer."""

    url: str
    key: str


@pytest.fixture(scope="module")
def asked(page_hub: Hub) -> Callable[[], Asked]:
    """A function that gives the link of a new agent with a hostile name."""
    key = str(page_hub.maintainer("mary").key)

    def link() -> Asked:
        agent = page_hub.agent(HOSTILE_NAME)
        agent.post(f"/evaluations/{EXAM}/register")
        return Asked(str(agent.post(f"/evaluations/{EXAM}/start").json()["claim_url"]), key)

    return link


def opened(browser: Browser, asked: Asked, **options: Any) -> Any:
    """The page of the link, as a maintainer sees it after signing in."""
    context = browser.new_context(**options)
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.goto(asked.url)
    page.get_by_role("link", name="Sign in as a maintainer").click()
    page.get_by_label("API key").fill(asked.key)
    page.get_by_role("button", name="Sign in").click()
    return page


def test_everybody_can_read_it(browser: Browser, asked: Callable[[], Asked], axe: str, screenshots: Path | None):
    page = opened(browser, asked(), bypass_csp=True)

    for heading in ("Who owns this agent?", "The agent is claimed"):
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
        check_every_look(page, axe, screenshots, f"claim-{heading.split()[-1].strip('?')}", widths=(DESK, PHONE, 320))
        assert page.evaluate("window.pwned") is None
        assert page.locator("main img, main script").count() == 0
        if heading == "Who owns this agent?":
            page.get_by_label("Owner").fill("Ada's house")
            page.get_by_role("button", name="Confirm the owner").click()
    page.context.close()


def test_it_is_confirmed_without_javascript(browser: Browser, asked: Callable[[], Asked]):
    page = opened(browser, asked(), java_script_enabled=False)

    page.get_by_label("Owner").fill("Ada's house")
    page.get_by_role("button", name="Confirm the owner").click()

    expect(page.get_by_role("heading", name="The agent is claimed")).to_be_visible()
    page.context.close()


def test_it_is_confirmed_with_the_keyboard(browser: Browser, asked: Callable[[], Asked]):
    page = opened(browser, asked())

    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "owner":
            break
    page.keyboard.type("Ada's house")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="The agent is claimed")).to_be_visible()
    page.context.close()
