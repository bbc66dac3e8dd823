"""A person sits an exam in a real browser: through restarts and second tabs, without JavaScript, on pages that all can read."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import check_every_look
from tests.browser.keyboard import press
from tests.browser.sitting import serve_exams
from tests.exams import certification, quiz
from tests.hub import AgentClient, Hub

SHIPPED = (
    "plain-dealing",
    "proof-of-agentic-work",
    "proof-of-identity",
    "account-verification",
    "careful-work",
    "steady-hand",
    "island-round",
)


@pytest.fixture(scope="module")
def hub(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    with serve_exams(request, tmp_path_factory) as hub:
        yield hub


@pytest.fixture
def ada(hub: Hub) -> AgentClient:
    return hub.agent("ada")


def signed_in(browser: Browser, hub: Hub, agent: AgentClient, **options: Any) -> BrowserContext:
    context = browser.new_context(base_url=hub.url, **options)
    context.set_default_timeout(20_000)
    context.request.post("/login", form={"key": str(agent.key)})
    return context


def opened(browser: Browser, hub: Hub, agent: AgentClient, evaluation: str, **options: Any) -> Page:
    page = signed_in(browser, hub, agent, **options).new_page()
    page.goto(f"/evaluations/{evaluation}/sit")
    return page


def test_a_second_tab_is_told_of_the_conflict(browser: Browser, hub: Hub, ada: AgentClient):
    first = opened(browser, hub, ada, quiz.ID)
    first.get_by_role("button", name="Start now").click()
    first.wait_for_selector("#sit")
    second = first.context.new_page()
    second.goto(f"/evaluations/{quiz.ID}/sit")
    capital = "fieldset.sit-item:has-text('The capital of France?') input[type=text]"
    first.locator(capital).fill("Lyon")
    expect(first.locator("#save-state")).to_contain_text("Saved at")

    second.locator(capital).fill("Paris")
    expect(second.locator(".sit-field .wrong", has_text="another tab")).to_contain_text("Lyon")
    second.locator(capital).fill("Paris!")
    second.get_by_role("button", name="Keep mine").click()  # ends the change, too
    expect(second.locator("#save-state")).to_contain_text("Saved at")
    first.reload()
    expect(first.locator(capital)).to_have_value("Paris!")
    first.context.close()


def test_nothing_is_lost_when_the_hub_restarts(browser: Browser, hub: Hub, ada: AgentClient):
    page = opened(browser, hub, ada, quiz.ID)
    page.get_by_role("button", name="Start now").click()
    page.wait_for_selector("#sit")
    capital = page.locator("fieldset.sit-item:has-text('The capital of France?') input[type=text]")

    hub.stop()
    capital.fill("Paris")
    expect(page.locator("#save-state")).to_contain_text("the hub does not respond")
    hub.start()

    expect(page.locator("#save-state")).to_contain_text("Saved at")
    page.reload()
    expect(capital).to_have_value("Paris")
    page.context.close()


def test_without_javascript_a_benchmark_is_saved_and_handed_in(browser: Browser, hub: Hub, ada: AgentClient):
    page = opened(browser, hub, ada, quiz.ID, java_script_enabled=False)
    page.get_by_role("button", name="Start now").click()
    page.locator("fieldset.sit-item:has-text('The capital of France?') input[type=text]").fill("Paris")
    page.locator(".sit-foot").get_by_role("button", name="Save").click()
    expect(page.locator("fieldset.sit-item:has-text('The capital of France?') input[type=text]")).to_have_value("Paris")
    page.get_by_role("button", name="Hand in").click()
    page.get_by_role("button", name="Hand in without these answers").click()
    expect(page.locator(".last-attempt")).to_contain_text("Not passed")
    page.context.close()


def test_a_waiting_candidate_is_in_the_session_as_soon_as_a_proctor_comes(browser: Browser, hub: Hub, ada: AgentClient):
    page = opened(browser, hub, ada, "plain-dealing")
    press(page, "Start and wait for a proctor")
    expect(page.locator("#wait-state")).to_have_text("This page updates by itself.")
    page.reload()
    registration = ada.get("/agents/me/registrations").json()["registrations"][0]

    hub.agent("paul").claim(registration["id"])

    page.wait_for_url("**/sessions/*")
    expect(page.locator("#connection")).to_have_text("Live")
    press(page, "Withdraw")
    press(page, "Withdraw from this exam")
    expect(page.get_by_text("You withdrew")).to_be_visible()
    page.context.close()


def test_every_page_of_an_attempt_is_readable(
    browser: Browser, hub: Hub, ada: AgentClient, axe: str, screenshots: Path | None
):
    page = opened(browser, hub, ada, quiz.ID)
    check_every_look(page, axe, screenshots, "sit-before")
    page.get_by_role("button", name="Register, and start later").click()
    check_every_look(page, axe, screenshots, "sit-registered")
    page.goto("/")
    expect(page.get_by_role("region", name="Your open exams")).to_contain_text("Small quiz")
    check_every_look(page, axe, screenshots, "home-where")
    page.goto(f"/evaluations/{quiz.ID}/sit")
    page.get_by_role("button", name="Start now").click()
    page.wait_for_selector("#sit")
    check_every_look(page, axe, screenshots, "sit-benchmark")
    page.get_by_role("button", name="Hand in").click()
    page.wait_for_selector("#refusal")
    check_every_look(page, axe, screenshots, "sit-confirm")
    for evaluation in (certification.EXAM, *SHIPPED):
        page.goto(f"/evaluations/{evaluation}/sit")
        page.locator(".start-form button.primary").click()
        page.wait_for_load_state()
        check_every_look(page, axe, screenshots, f"sit-{evaluation}")
    page.goto(f"/evaluations/{quiz.ID}/sit")
    page.get_by_text("Withdraw", exact=True).click()
    page.get_by_role("button", name="Withdraw from this attempt").click()
    check_every_look(page, axe, screenshots, "sit-after")
    page.context.close()
