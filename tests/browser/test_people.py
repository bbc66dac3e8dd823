"""The first page, the pages of people, the search and the keys in a real browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import HOSTILE, HOSTILE_NAME, PHONE, check_every_look, check_readable, exam
from tests.conftest import fresh_url
from tests.hub import Hub

NAMES = [
    "home",
    "agents",
    "agent",
    "agent-hostile",
    "proctor",
    "agent-results",
    "search",
    "search-nothing",
    "no-agent",
]
EMPTY = ["/", "/agents", "/search"]


class People(NamedTuple):
    """A hub with agents in it, an empty one, the addresses of pages of the first, and the key of somebody in an exam."""

    hub: Hub
    empty: Hub
    pages: dict[str, str]
    key: str


@pytest.fixture(scope="module")
def people(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[People]:
    folder, other = tmp_path_factory.mktemp("hub"), tmp_path_factory.mktemp("empty")
    none = tmp_path_factory.mktemp("sips")
    with (
        Hub(fresh_url("sqlite", request, folder), folder) as hub,
        Hub(fresh_url("sqlite", request, other), other, VIVA_SIPS_DIR=str(none)) as empty,
    ):
        paul, ada, hostile = hub.agent("paul"), hub.agent("ada"), hub.agent(HOSTILE_NAME)
        for somebody in (ada, hostile):
            somebody.http.patch("/agents/me", json={"description": f"I answer **plainly**. {HOSTILE}" + "x" * 2000})
        exam(ada, paul, ["What is 17 times 3?", "**51**."], score=90, proctor_feedback="Plain and right.")
        exam(hostile, paul, [HOSTILE, "x" * 3000], passed=False, score=12, proctor_feedback=HOSTILE)
        bob = hub.agent("bob")
        paul.claim(bob.start())
        yield People(hub, empty, pages_of(*(quote(each.name, safe="") for each in (paul, ada, hostile))), str(bob.key))


def pages_of(paul: str, ada: str, hostile: str) -> dict[str, str]:
    return {
        "home": "/",
        "agents": "/agents",
        "agent": f"/u/{ada}",
        "agent-hostile": f"/u/{hostile}",
        "proctor": f"/u/{paul}",
        "agent-results": f"/u/{ada}/results",
        "search": "/search?q=p",
        "search-nothing": "/search?q=nothing-like-it",
        "no-agent": "/u/nobody",
    }


def opened(browser: Browser, hub: Hub, path: str, **options: Any) -> Page:
    context = browser.new_context(base_url=hub.url, **options)
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.goto(path)
    return page


@pytest.mark.parametrize("name", NAMES)
def test_everybody_can_read_the_page(browser: Browser, people: People, axe: str, screenshots: Path | None, name: str):
    # Axe is ours to run here; the page's own policy would not let it in.
    page = opened(browser, people.hub, people.pages[name], bypass_csp=True)

    check_every_look(page, axe, screenshots, f"people-{name}")
    page.context.close()


@pytest.mark.parametrize("path", EMPTY)
def test_everybody_can_read_an_empty_hub(
    browser: Browser, people: People, axe: str, screenshots: Path | None, path: str
):
    page = opened(browser, people.empty, path, bypass_csp=True)

    check_every_look(page, axe, screenshots, f"people-empty-{path.strip('/') or 'home'}", widths=(PHONE,))
    page.context.close()


def test_everybody_can_read_what_is_their_own(browser: Browser, people: People, axe: str, screenshots: Path | None):
    page = opened(browser, people.hub, "/login", bypass_csp=True)
    sign_in(page, people.key)

    page.goto("/")
    expect(page.get_by_role("heading", name="Your sessions now")).to_be_visible()
    check_every_look(page, axe, screenshots, "people-home-signed-in")
    page.goto("/evaluations")
    expect(page.get_by_role("list", name="Your status")).to_have_text("Your exam of Plain dealing is in progress")
    check_every_look(page, axe, screenshots, "people-catalogue-signed-in")
    page.context.close()


@pytest.mark.parametrize("width", [320, 700, 1000])
def test_no_page_is_wider_than_its_window(browser: Browser, people: People, width: int):
    page = opened(browser, people.hub, "/", viewport={"width": width, "height": 900})
    sign_in(page, people.key)

    for path in [*people.pages.values(), "/evaluations", "/nothing-is-here"]:
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), path
    page.context.close()


@pytest.mark.parametrize("name", ["home", "agents", "agent", "agent-hostile", "proctor"])
def test_what_agents_wrote_does_not_run(browser: Browser, people: People, name: str):
    # Without the policy, so that the escaping has to hold by itself.
    page = opened(browser, people.hub, people.pages[name], bypass_csp=True)

    page.wait_for_timeout(300)

    assert page.evaluate("window.pwned") is None
    assert page.locator("main img, main script, main a[href^='javascript']").count() == 0
    page.context.close()


def test_a_key_lists_the_keys_and_gives_the_focus_back(browser: Browser, people: People):
    page = opened(browser, people.hub, "/agents")
    page.get_by_role("link", name="Points").focus()

    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys")
    expect(keys).to_be_visible()
    for _ in range(5):
        page.keyboard.press("Tab")
        assert page.evaluate(
            "document.activeElement === document.body || document.activeElement.closest('#keys') !== null"
        )
    page.keyboard.press("Escape")

    expect(keys).to_be_hidden()
    expect(page.get_by_role("link", name="Points")).to_be_focused()
    page.context.close()


def test_a_button_lists_the_keys_too(browser: Browser, people: People, axe: str):
    page = opened(browser, people.hub, "/", bypass_csp=True)

    page.get_by_role("button", name="Keys").click()
    check_readable(page, axe)
    page.get_by_role("button", name="Close").click()

    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.get_by_role("button", name="Keys")).to_be_focused()
    page.context.close()


def test_a_key_goes_to_the_search_and_is_not_typed(browser: Browser, people: People):
    page = opened(browser, people.hub, "/")

    page.keyboard.press("/")
    page.keyboard.type("pa/ul?")
    field = page.get_by_label("Search evaluations and agents")

    expect(field).to_be_focused()
    expect(field).to_have_value("pa/ul?")
    expect(page.get_by_role("dialog")).to_be_hidden()
    field.fill("paul")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Agents")).to_be_visible()
    page.context.close()


def test_on_a_phone_the_key_leads_to_the_page_of_the_search(browser: Browser, people: People):
    page = opened(browser, people.hub, "/agents", viewport={"width": PHONE, "height": 800})

    page.keyboard.press("/")

    page.wait_for_url("**/search")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.context.close()


def test_keys_that_are_turned_off_stay_off(browser: Browser, people: People):
    page = opened(browser, people.hub, "/")
    page.get_by_role("button", name="Keys").click()
    page.get_by_role("button", name="Turn single keys off").click()
    page.get_by_role("button", name="Close").click()

    page.goto("/agents")
    page.keyboard.press("?")
    page.keyboard.press("/")

    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator("#find")).not_to_be_focused()
    page.get_by_role("button", name="Keys").click()
    page.get_by_role("button", name="Turn single keys on").click()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.context.close()


def test_the_way_from_the_first_page_to_a_result_needs_no_javascript(browser: Browser, people: People):
    page = opened(browser, people.hub, "/", java_script_enabled=False)

    expect(page.locator("#show-keys")).to_be_hidden()
    expect(page.locator("#keys")).to_be_hidden()
    page.get_by_label("Search evaluations and agents").fill("ada")
    page.keyboard.press("Enter")
    page.locator("main").get_by_role("link", name="ada-").click()
    page.get_by_role("link", name="View result & transcript").click()

    expect(page.get_by_role("heading", name="Verdict", exact=True)).to_be_visible()
    page.context.close()


def sign_in(page: Page, key: str) -> None:
    page.goto("/login")
    page.get_by_label("API key").fill(key)
    page.locator("main").get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("Signed in as")).to_be_attached()
