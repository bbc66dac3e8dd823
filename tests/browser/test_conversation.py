"""A session over the page that links to it, in a real browser: by keyboard, by address, when it fails, and safe."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import DESK, HOSTILE, HOSTILE_NAME, PHONE, check_every_look, exam, hostile_verdict
from tests.conftest import fresh_url
from tests.hub import EVALUATION, Hub

HERE = f"/evaluations/{EVALUATION}"


class Talks(NamedTuple):
    """A hub with four sessions, and their results' ids."""

    hub: Hub
    best: str
    middle: str
    hostile: str
    long: str


@pytest.fixture(scope="module")
def talks(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talks]:
    folder = tmp_path_factory.mktemp("hub")
    criteria = [
        {"id": "helps-first", "text": "Helps first.", "prompt_id": "help", "mark": 20, "max": 25, "met": True},
        {"id": "no-brand", "text": "Names no brand.", "prompt_id": "brand", "mark": 5, "max": 25, "met": False},
    ]
    with Hub(fresh_url("sqlite", request, folder), folder) as hub:
        paul = hub.agent("paul")
        best = exam(
            hub.agent("ada"), paul, ["What is 17 times 3?", "**51**."], score=90, result_data={"criteria": criteria}
        )
        middle = exam(hub.agent("bob"), paul, ["And 4 times 4?", "16."], score=60, result_data={"criteria": criteria})
        hostile = exam(hub.agent(HOSTILE_NAME), paul, [HOSTILE, "x" * 5000], passed=False, **hostile_verdict())
        long = exam(hub.agent("eve"), paul, [f"message {number}" for number in range(1, 206)], score=1)
        yield Talks(hub, best, middle, hostile, long)


@pytest.fixture
def opened(browser: Browser, talks: Talks) -> Iterator[Any]:
    """A function that opens a page of the hub in a window of its own."""
    contexts = []

    def open_page(path: str = HERE, **options: Any) -> Page:
        context = browser.new_context(base_url=talks.hub.url, **{"viewport": {"width": DESK, "height": 900}, **options})
        context.set_default_timeout(20_000)
        contexts.append(context)
        page = context.new_page()
        page.goto(path)
        return page

    yield open_page
    for context in contexts:
        context.close()


def link_to(page: Page, result_id: str) -> Locator:
    return page.locator(f'main a[data-session][href^="/evaluations/result/{result_id}"]').last


def session(page: Page) -> Locator:
    return page.get_by_role("dialog")


def title(page: Page) -> Locator:
    return session(page).get_by_role("heading", name="Session transcript for").first


def shows(page: Page, name: str) -> None:
    expect(title(page)).to_have_text(re.compile(rf"Session transcript for {name}-\w+, Plain dealing"))


def is_closed(page: Page) -> None:
    expect(page.locator("dialog.session-dialog[open]")).to_have_count(0)
    expect(page).to_have_url(re.compile(rf"{HERE}$"))


# Opening and closing


def test_the_keyboard_alone_opens_steps_and_closes_and_the_focus_comes_back(opened, talks):
    page = opened()
    link_to(page, talks.middle).focus()

    page.keyboard.press("Enter")
    shows(page, "bob")
    page.keyboard.press("ArrowLeft")
    shows(page, "ada")
    page.keyboard.press("j")
    shows(page, "bob")
    page.keyboard.press("ArrowRight")
    shows(page, "eve|<img.*")
    page.keyboard.press("k")
    shows(page, "bob")
    page.keyboard.press("Escape")

    is_closed(page)
    expect(link_to(page, talks.middle)).to_be_focused()


def test_the_keyboard_scrolls_what_was_opened(opened, talks):
    page = opened()
    link_to(page, talks.long).focus()
    page.keyboard.press("Enter")
    shows(page, "eve")
    session(page).locator("#msg-199").wait_for(state="attached")

    page.keyboard.press("PageDown")
    page.keyboard.press("ArrowDown")
    panels = session(page).locator(".body")
    assert panels.evaluate("part => part.scrollTop > part.clientHeight / 2")
    page.keyboard.press("Home")
    assert panels.evaluate("part => part.scrollTop") == 0


def test_the_focus_stays_in_the_dialog(opened, talks):
    page = opened()
    link_to(page, talks.best).click()
    shows(page, "ada")
    controls = session(page).locator("a[href]:visible, button:visible, summary:visible, [tabindex='0']").count()

    where = []
    for _ in range(controls + 5):
        page.keyboard.press("Tab")
        where.append(
            page.evaluate("document.activeElement.closest('dialog') ? 'inside' : document.activeElement.tagName")
        )

    # Between the last control and the first the browser's own come, when nothing of the page has the focus.
    assert set(where) <= {"inside", "BODY"}
    assert where.count("BODY") <= 1
    assert where[-1] == "inside"


def test_the_close_button_closes_and_the_page_behind_stays_where_it_was(opened, talks):
    page = opened()
    link_to(page, talks.middle).scroll_into_view_if_needed()
    before = page.evaluate("scrollY")
    link_to(page, talks.middle).click()
    shows(page, "bob")

    page.mouse.wheel(0, 2000)
    page.wait_for_timeout(200)
    during = page.evaluate("scrollY")
    session(page).get_by_role("button", name="Close").click()

    is_closed(page)
    assert (during, page.evaluate("scrollY")) == (before, before)
    expect(link_to(page, talks.middle)).to_be_focused()


def test_buttons_and_attempts_load_inside_the_dialog(opened, talks):
    page = opened()
    link_to(page, talks.best).click()
    shows(page, "ada")

    session(page).get_by_role("link", name="Next attempt").click()
    shows(page, "bob")
    expect(session(page).get_by_role("link", name="Next attempt")).to_be_focused()
    session(page).locator(f'.attempts a[data-session][href*="{talks.best}"]').click()
    shows(page, "ada")
    session(page).locator(".prompts").get_by_role("link", name="Brand").click()

    expect(title(page)).to_have_text(re.compile("Prompt: brand$"))
    expect(session(page).get_by_text("Names no brand.")).to_be_visible()
    expect(session(page).get_by_text("Helps first.")).to_have_count(0)
    session(page).get_by_role("link", name="Whole session", exact=True).click()
    expect(session(page).get_by_text("Helps first.")).to_be_visible()


def test_a_click_with_a_key_held_opens_the_page_itself(opened, talks):
    page = opened()

    with page.context.expect_page() as other:
        link_to(page, talks.best).click(modifiers=["ControlOrMeta"])

    expect(other.value).to_have_url(re.compile(rf"/evaluations/result/{talks.best}\?version=[\d.]+$"))
    expect(session(page)).to_have_count(0)


def test_without_javascript_the_link_opens_the_page(opened, talks):
    page = opened(java_script_enabled=False)

    link_to(page, talks.best).click()

    expect(page).to_have_url(re.compile(rf"/evaluations/result/{talks.best}\?version=[\d.]+$"))
    expect(page.get_by_role("heading", name="Verdict")).to_be_visible()


# Addresses


def test_the_address_can_be_loaded_again_and_sent(opened, talks):
    page = opened()
    link_to(page, talks.best).click()
    shows(page, "ada")
    page.keyboard.press("ArrowRight")
    shows(page, "bob")

    page.reload()
    shows(page, "bob")
    sent = opened(page.url)
    shows(sent, "bob")

    session(sent).get_by_role("button", name="Close").click()
    is_closed(sent)
    page.keyboard.press("Escape")
    is_closed(page)


def test_back_closes_and_forward_opens_again(opened, talks):
    page = opened()
    link_to(page, talks.best).click()
    shows(page, "ada")
    page.keyboard.press("ArrowRight")
    shows(page, "bob")

    page.go_back()
    is_closed(page)
    expect(link_to(page, talks.best)).to_be_focused()
    page.go_forward()

    shows(page, "bob")


def test_a_closed_dialog_leaves_no_step_back_behind(opened, talks):
    page = opened("/evaluations")
    page.goto(HERE)
    link_to(page, talks.best).click()
    shows(page, "ada")
    page.keyboard.press("Escape")
    is_closed(page)

    page.go_back()

    expect(page).to_have_url(re.compile("/evaluations$"))


def test_a_prompt_and_a_message_have_addresses_of_their_own(opened, talks):
    prompt = opened(f"{HERE}#session={talks.best}&prompt=brand")
    message = opened(f"{HERE}#session={talks.long}&message=203")

    expect(title(prompt)).to_have_text(re.compile("Prompt: brand$"))
    expect(session(message).locator("#msg-203")).to_be_in_viewport()
    session(message).get_by_role("link", name="Link to message 204").click()
    expect(session(message).locator("#msg-204.targeted")).to_be_in_viewport()
    expect(message).to_have_url(re.compile("message=204$"))
    session(message).get_by_role("link", name="From the beginning").click()
    expect(session(message).locator("#msg-1")).to_be_attached()
    session(message).get_by_role("link", name="Later messages").click()
    expect(session(message).locator("#msg-201")).to_be_in_viewport()


def test_a_message_that_is_far_down_is_shown_on_the_page_too(opened, talks):
    page = opened(f"/evaluations/result/{talks.long}?message=204#msg-204")

    expect(page.locator("#msg-204")).to_be_in_viewport()


@pytest.mark.parametrize("address", ["../../login", "https://elsewhere.example", "%00", "", "x/../../y"])
def test_an_address_that_is_no_sessions_opens_nothing(opened, address):
    asked = []
    page = opened()
    page.on("request", lambda request: asked.append(request.url))

    page.goto(f"{HERE}#session={address}")
    page.wait_for_timeout(200)

    expect(session(page)).to_have_count(0)
    assert [url for url in asked if "part=session" in url] == []


# When it fails


def test_while_it_loads_it_says_so(opened, talks):
    page = opened()
    page.route("**/*part=session*", lambda route: None)

    link_to(page, talks.best).click()

    expect(session(page).get_by_role("status")).to_have_text("Loading the session…")
    page.keyboard.press("Escape")
    is_closed(page)


def test_a_session_that_cannot_be_loaded_can_be_tried_again(opened, talks):
    page = opened()
    page.route("**/*part=session*", lambda route: route.abort())
    link_to(page, talks.best).click()

    expect(session(page).get_by_role("alert")).to_contain_text("Could not load this session.")
    expect(session(page).get_by_role("button", name="Retry")).to_be_focused()
    page.unroute("**/*part=session*")
    page.keyboard.press("Enter")

    shows(page, "ada")
    expect(session(page).get_by_role("alert")).to_have_count(0)


def test_a_session_that_is_not_there_says_that_it_could_not_be_loaded(opened):
    page = opened(f"{HERE}#session=eval_res_0")

    expect(session(page).get_by_role("button", name="Retry")).to_be_visible()


# For everybody


@pytest.mark.parametrize("name", ["dialog", "dialog-hostile"])
def test_everybody_can_read_the_dialog(opened, talks, axe: str, screenshots: Path | None, name: str):
    result_id = talks.best if name == "dialog" else talks.hostile
    page = opened(f"{HERE}#session={result_id}", bypass_csp=True)
    expect(title(page)).to_be_visible()

    check_every_look(page, axe, screenshots, name)
    for width in (DESK, PHONE):
        page.set_viewport_size({"width": width, "height": 900})
        assert session(page).locator(".body").evaluate("element => element.scrollWidth <= element.clientWidth")


def test_everybody_can_read_prompts_comparisons_and_certificates(opened, talks, axe: str, screenshots: Path | None):
    result = f"/evaluations/result/{talks.best}"
    page = opened(f"{result}/certificate", bypass_csp=True)
    check_every_look(page, axe, screenshots, "certificate")
    verified = page.locator(".certificate .link a").get_attribute("href")
    addresses = {
        "verified": verified,
        "prompt": f"{result}?prompt=brand",
        "comparison": f"/evaluations/compare?a={talks.best}&b={talks.middle}",
        "comparison-hostile": f"/evaluations/compare?a={talks.hostile}&b={talks.best}",
        "nothing-to-compare": "/evaluations/compare",
    }
    for name, address in addresses.items():
        page.goto(str(address))
        check_every_look(page, axe, screenshots, name)


def test_on_paper_there_is_the_conversation_and_no_navigation(opened, talks):
    page = opened(f"/evaluations/result/{talks.hostile}")

    page.emulate_media(media="print")

    for hidden in (".masthead", ".trail", ".steps", ".around", ".colophon", ".anchor"):
        expect(page.locator(hidden).first).to_be_hidden()
    expect(page.locator(".folding .prose")).to_be_visible()
    expect(page.get_by_role("heading", name="Verdict")).to_be_visible()


def test_a_certificate_fits_on_one_sheet(opened, talks):
    page = opened(f"/evaluations/result/{talks.best}/certificate")

    sheets = re.findall(rb"/Count (\d+)", page.pdf(prefer_css_page_size=True))

    assert sheets == [b"1"]


def test_on_a_results_page_the_keys_go_to_the_attempts_beside_it(opened, talks):
    page = opened(f"/evaluations/result/{talks.middle}")

    page.keyboard.press("k")
    expect(page).to_have_url(re.compile(talks.best))
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(talks.middle))
    page.locator("[data-search]").press_sequentially("kjk")
    expect(page.locator("[data-search]")).to_have_value("kjk")
    expect(page).to_have_url(re.compile(talks.middle))


def test_what_agents_wrote_does_not_run_in_the_dialog(opened, talks):
    # Without the policy, so that the escaping has to hold by itself.
    page = opened(f"{HERE}#session={talks.hostile}", bypass_csp=True)
    expect(title(page)).to_be_visible()
    for details in session(page).locator("details").all():
        details.evaluate("element => { element.open = true }")

    page.wait_for_timeout(300)

    assert page.evaluate("window.pwned") is None
    assert session(page).locator("img, script, iframe, a[href^='javascript']").count() == 0
    expect(session(page).get_by_text("onerror=window.pwned=1").first).to_be_visible()
