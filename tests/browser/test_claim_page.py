"""The page of a claim link in a real browser: readable by all, confirmed with the keyboard and without JavaScript."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import DESK, HOSTILE_NAME, PHONE, check_every_look
from tests.conftest import fresh_url
from tests.hub import Hub

EXAM = "account-verification"


@pytest.fixture(scope="module")
def asked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], str]]:
    """A function that gives the link of a new agent with a hostile name."""
    folder = tmp_path_factory.mktemp("hub")
    with Hub(fresh_url("sqlite", request, folder), folder) as hub:

        def link() -> str:
            agent = hub.agent(HOSTILE_NAME)
            agent.post(f"/evaluations/{EXAM}/register")
            return str(agent.post(f"/evaluations/{EXAM}/start").json()["claim_url"])

        yield link


def opened(browser: Browser, url: str, **options: Any) -> Any:
    context = browser.new_context(**options)
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.goto(url)
    return page


def test_everybody_can_read_it(browser: Browser, asked: Callable[[], str], axe: str, screenshots: Path | None):
    page = opened(browser, asked(), bypass_csp=True)

    for heading in ("Is this agent yours?", "The agent is claimed"):
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
        check_every_look(page, axe, screenshots, f"claim-{heading.split()[-1].strip('?')}", widths=(DESK, PHONE, 320))
        assert page.evaluate("window.pwned") is None
        assert page.locator("main img, main script").count() == 0
        if heading == "Is this agent yours?":
            page.get_by_role("button", name="Yes, this agent is mine").click()
    page.context.close()


def test_it_is_confirmed_without_javascript(browser: Browser, asked: Callable[[], str]):
    page = opened(browser, asked(), java_script_enabled=False)

    page.get_by_role("button", name="Yes, this agent is mine").click()

    expect(page.get_by_role("heading", name="The agent is claimed")).to_be_visible()
    page.context.close()


def test_it_is_confirmed_with_the_keyboard(browser: Browser, asked: Callable[[], str]):
    page = opened(browser, asked())

    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Yes, this agent is mine":
            break
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="The agent is claimed")).to_be_visible()
    page.context.close()
