"""A person sits every type of exam in a real browser: by keyboard, through reloads and second tabs, and without JavaScript."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import HOSTILE, check_every_look
from tests.conftest import fresh_url
from tests.exams import certification, quiz
from tests.hub import AgentClient, Hub

QUESTIONS = [
    *(question for question in quiz.QUESTIONS if question["kind"] != "free_text"),
    {"id": "hostile", "kind": "exact", "text": HOSTILE, "answers": ["safe"]},
]
CHECKS = [{"id": "right", "text": "It is right.", "kind": "exact", "answer": "51"}]
CLASS_RUBRIC = [{"id": "plan", "of": "group", "criteria": "There is a plan."}]


@pytest.fixture(scope="module")
def hub(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    folder = tmp_path_factory.mktemp("hub")
    with Hub(fresh_url("sqlite", request, folder), folder) as hub:
        sips = tmp_path_factory.mktemp("sips")
        for number, changes in enumerate(evaluations(), 70):
            hub.evaluation(sips, **changes | {"sip": number})
        yield hub


def evaluations() -> list[dict[str, Any]]:
    return [
        {**quiz.fields(questions=QUESTIONS, shuffle=False), "executable": {"handler": "benchmark"}},
        certification.front(),
        simple("text-by-code", "text_check", challenge="What is 17 times 3?", checks=CHECKS),
        {
            "id": "work-in-pairs",
            "name": "Work in pairs",
            "type": "live_class_work",
            "config": {"task": "Plan a day.", "rubric": CLASS_RUBRIC, "min_participants": 2, "max_participants": 2},
            "executable": {"handler": "live_class_work"},
        },
    ]


def simple(id_: str, handler: str, **config: Any) -> dict[str, Any]:
    executable = {"handler": handler}
    return {"id": id_, "name": id_, "type": "simple_pass_fail", "config": config, "executable": executable}


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


def tab_to(page: Page, name: str) -> None:
    """Reach the button or the link by the Tab key alone."""
    for _ in range(120):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent.trim()") == name:
            return
    raise AssertionError(f"The Tab key does not reach {name}.")


def press(page: Page, name: str) -> None:
    tab_to(page, name)
    page.keyboard.press("Enter")
    page.wait_for_load_state()


def type_into(page: Page, text: str, answer: str) -> None:
    """Reach the field that belongs to a text by the Tab key, and type."""
    item = page.locator("fieldset.sit-item", has_text=text)
    wanted = item.locator("input:not([type=hidden]), textarea").last.get_attribute("name")
    for _ in range(120):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.name ?? ''") == wanted:
            page.keyboard.press("End")
            page.keyboard.type(answer)
            return
    raise AssertionError(f"The Tab key does not reach the field of {text}.")


def test_a_benchmark_by_keyboard_with_a_reload_in_the_middle(browser: Browser, hub: Hub, ada: AgentClient):
    page = opened(browser, hub, ada, quiz.ID)
    press(page, "Start now")
    expect(page.locator("#clock")).to_have_text(re.compile(r"^(29|30):\d\d$"))
    tab_to_choice(page, "Which colour?")
    page.keyboard.press("Space")
    while page.evaluate("document.activeElement.value") != "blue":
        page.keyboard.press("ArrowDown")
    for option in ("2", "3"):
        tab_to_box(page, option)
        page.keyboard.press("Space")
    type_into(page, "The capital of France?", "Paris")
    expect(page.locator("#save-state")).to_contain_text("Saved at")

    page.reload()
    expect(page.locator("#answered")).to_have_text("3")
    type_into(page, "A half?", "0.5")
    type_into(page, "Two letters and a digit?", "ab1")
    type_into(page, "A point?", '{"x": 7}')
    type_into(page, "press me", "safe")
    press(page, "Hand in")

    expect(page.get_by_text("Your last attempt")).to_be_visible()
    expect(page.locator(".last-attempt")).to_contain_text("Passed")
    assert page.evaluate("window.pwned") is None
    page.context.close()


def tab_to_choice(page: Page, text: str) -> None:
    name = page.locator("fieldset.sit-item", has_text=text).locator("input[type=radio]").first.get_attribute("name")
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.name ?? ''") == name:
            return
    raise AssertionError("The Tab key does not reach the options.")


def tab_to_box(page: Page, option: str) -> None:
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.type === 'checkbox' && document.activeElement.value") == option:
            return
    raise AssertionError("The Tab key does not reach the box.")


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
    second.get_by_role("button", name="Keep mine").click()
    expect(second.locator("#save-state")).to_contain_text("Saved at")
    first.reload()
    expect(first.locator(capital)).to_have_value("Paris")
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


def test_a_certification_by_keyboard_with_a_reload_in_the_middle(browser: Browser, hub: Hub, ada: AgentClient):
    page = opened(browser, hub, ada, certification.EXAM)
    press(page, "Start now")
    type_into(page, "You are a host.", "Good morning.")
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    page.reload()
    expect(page.get_by_label("Your answer, as the assistant").first).to_have_value("Good morning.")
    type_into(page, "Say it again.", "I am still sorry.")
    press(page, "Hand in")

    expect(page.get_by_text("You have handed in.")).to_be_visible()
    page.context.close()


def test_a_text_check_by_keyboard_with_a_reload_in_the_middle(browser: Browser, hub: Hub, ada: AgentClient):
    page = opened(browser, hub, ada, "text-by-code")
    press(page, "Start now")
    type_into(page, "What is 17 times 3?", "5")
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    page.reload()
    expect(page.get_by_label("Your answer")).to_have_value("5")
    type_into(page, "What is 17 times 3?", "1")
    press(page, "Hand in")
    expect(page.locator(".last-attempt")).to_contain_text("Passed")
    page.context.close()


def test_a_waiting_candidate_is_in_the_session_as_soon_as_a_proctor_comes(browser: Browser, hub: Hub, ada: AgentClient):
    page = opened(browser, hub, ada, "plain-dealing")
    press(page, "Start and wait for a proctor")
    expect(page.locator("#wait-state")).to_have_text("This page goes on by itself.")
    page.reload()
    registration = ada.get("/agents/me/registrations").json()["registrations"][0]

    hub.agent("paul").claim(registration["id"])

    page.wait_for_url("**/sessions/*")
    expect(page.locator("#connection")).to_have_text("Live")
    press(page, "Withdraw")
    press(page, "Withdraw from this exam")
    expect(page.get_by_text("You withdrew")).to_be_visible()
    page.context.close()


def test_a_class_is_joined_waited_for_worked_in_and_ended(browser: Browser, hub: Hub, ada: AgentClient):
    page = opened(browser, hub, ada, "work-in-pairs")
    press(page, "Look for a class")
    page.wait_for_url("**/classes/*")
    expect(page.get_by_text("You have a seat.")).to_be_visible()
    page.reload()

    bob = hub.agent("bob")
    bob.start("work-in-pairs")

    page.wait_for_url("**/sessions/*")
    page.get_by_label(re.compile("^Your message")).fill("I take the morning.")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#msg-1")).to_contain_text("I take the morning.")
    press(page, "The class")
    page.get_by_role("button", name="End the class").click()
    expect(page.locator("main")).to_contain_text(re.compile("over|marked|cancelled", re.I))
    page.context.close()


def test_every_page_of_an_attempt_is_readable(
    browser: Browser, hub: Hub, ada: AgentClient, axe: str, screenshots: Path | None
):
    page = opened(browser, hub, ada, quiz.ID)
    check_every_look(page, axe, screenshots, "sit-before")
    page.get_by_role("button", name="Register, and start later").click()
    check_every_look(page, axe, screenshots, "sit-registered")
    page.goto("/")
    expect(page.get_by_role("region", name="Where you are")).to_contain_text("Small quiz")
    check_every_look(page, axe, screenshots, "home-where")
    page.goto(f"/evaluations/{quiz.ID}/sit")
    page.get_by_role("button", name="Start now").click()
    page.wait_for_selector("#sit")
    check_every_look(page, axe, screenshots, "sit-benchmark")
    page.get_by_role("button", name="Hand in").click()
    page.wait_for_selector("#refusal")
    check_every_look(page, axe, screenshots, "sit-confirm")
    for evaluation in (certification.EXAM, "plain-dealing"):
        page.goto(f"/evaluations/{evaluation}/sit")
        page.locator(".start-form button.primary").click()
        page.wait_for_load_state()
        check_every_look(page, axe, screenshots, f"sit-{evaluation}")
    page.goto(f"/evaluations/{quiz.ID}/sit")
    page.get_by_text("Withdraw", exact=True).click()
    page.get_by_role("button", name="Withdraw from this attempt").click()
    check_every_look(page, axe, screenshots, "sit-after")
    page.context.close()
