"""The page of a class in a real browser: readable by all in every state, safe from what agents write."""

import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import HOSTILE, HOSTILE_NAME, check_every_look
from tests.hub import AgentClient, Hub, until

ROOM = "planning-a-day-out"
STATES = ["open", "running", "marked"]


class Classes(NamedTuple):
    """A hub with a class in each state, by its address, and the key of who leads them."""

    hub: Hub
    pages: dict[str, str]
    key: str


@pytest.fixture(scope="module")
def held(page_hub: Hub, tmp_path_factory: pytest.TempPathFactory) -> Classes:
    executable = {"handler": "live_class_work"}
    page_hub.evaluation(
        tmp_path_factory.mktemp("sips"), id=ROOM, type="live_class_work", config=config(), executable=executable
    )
    ida = page_hub.agent("ida")
    opened = {state: open_class(ida) for state in STATES}
    join(page_hub, opened["open"], "ada")
    begin(page_hub, ida, opened["running"], ["Hello."])
    finish(page_hub, ida, opened["marked"])
    return Classes(page_hub, {state: f"/classes/{cohort_id}" for state, cohort_id in opened.items()}, str(ida.key))


def config() -> dict[str, Any]:
    rows = [("plan", "group", "The plan can be carried out."), ("share", "participant", "Tells what it knows.")]
    return {
        "summary": "Whether agents plan together.",
        "task": "Plan a day out for thirty children.",
        "rubric": [{"id": name, "of": of, "criteria": criteria, "max_score": 10} for name, of, criteria in rows],
        "min_participants": 2,
        "max_participants": 4,
    }


def open_class(leader: AgentClient) -> str:
    answer = leader.post(f"/evaluations/{ROOM}/cohorts", {"role": "instructor"})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["cohort"]["id"])


def join(hub: Hub, cohort_id: str, name: str) -> AgentClient:
    agent = hub.agent(name)
    assert agent.post(f"/evaluations/{ROOM}/register").status_code == 201
    assert agent.post(f"/evaluations/{ROOM}/cohorts/{cohort_id}/join").status_code == 201
    return agent


def begin(hub: Hub, leader: AgentClient, cohort_id: str, words: list[str]) -> None:
    people = [join(hub, cohort_id, name) for name in (HOSTILE_NAME, "bob")]
    session_id = leader.post(f"/evaluations/{ROOM}/cohorts/{cohort_id}/start").json()["session_id"]
    for content in words:
        for agent in people:
            assert agent.say(session_id, content, ROOM).status_code == 201


def finish(hub: Hub, leader: AgentClient, cohort_id: str) -> None:
    begin(hub, leader, cohort_id, [HOSTILE, "The museum opens at ten."])
    assert leader.post(f"/evaluations/{ROOM}/cohorts/{cohort_id}/finish").status_code == 200
    marks = [{"row_id": row, "mark": 8} for row in ("group/plan", "1/share", "2/share")]
    body = {"cohort_id": cohort_id, "marks": marks, "feedback": "Well planned."}
    paul = hub.agent("paul")
    sheet = {"cohort_id": cohort_id}
    until(lambda: paul.post(f"/evaluations/{ROOM}/proctor/rubric/take", sheet).status_code == 200)
    assert paul.post(f"/evaluations/{ROOM}/proctor/rubric", body).status_code == 201


def opened(browser: Browser, held: Classes, state: str, **options: Any) -> Page:
    context = browser.new_context(base_url=held.hub.url, **options)
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.goto(held.pages[state])
    return page


@pytest.mark.parametrize("state", STATES)
def test_everybody_can_read_the_page_of_a_class(
    browser: Browser, held: Classes, axe: str, screenshots: Path | None, state: str
):
    page = opened(browser, held, state, bypass_csp=True)

    check_every_look(page, axe, screenshots, f"class-{state}")
    page.context.close()


def test_the_session_of_a_class_counts_its_time_down_and_a_link_to_a_message_shows_it(browser: Browser, held: Classes):
    page = opened(browser, held, "running")
    page.request.post("/login", form={"key": held.key})
    page.reload()

    page.get_by_role("link", name=re.compile("session|live")).first.click()
    expect(page.locator("#clock")).to_have_text(re.compile(r"^\d+:\d\d"))
    page.goto(f"{held.pages['marked']}#msg-3")

    expect(page.locator("#msg-3")).to_be_focused()
    page.context.close()


def test_what_agents_said_in_a_class_does_not_run(browser: Browser, held: Classes):
    page = opened(browser, held, "marked", bypass_csp=True)

    page.wait_for_timeout(300)

    assert page.evaluate("window.pwned") is None
    assert page.locator("main img, main script, main a[href^='javascript']").count() == 0
    page.context.close()


def test_who_leads_a_class_calls_it_off_with_the_keyboard(browser: Browser, held: Classes):
    page = opened(browser, held, "open", java_script_enabled=False)
    page.goto("/login")
    page.get_by_role("textbox", name="API key").fill(held.key)
    page.keyboard.press("Enter")
    expect(page.get_by_text("Signed in as")).to_be_attached()
    page.goto(held.pages["open"])

    page.get_by_role("button", name="Cancel the class").focus()
    page.keyboard.press("Enter")

    expect(page.get_by_text("cancelled it before it began")).to_be_visible()
    page.context.close()
