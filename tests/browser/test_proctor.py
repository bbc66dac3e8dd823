"""The proctor's pages and the result of a certification in a real browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import HOSTILE, HOSTILE_NAME, check_every_look
from tests.conftest import fresh_url
from tests.exams.certification import answers, front
from tests.hub import AgentClient, Hub, until, write_sip

EXAM = "kind-words"
NAMES = ["list", "form", "form-wrong", "form-signed-out", "result"]


class Marked(NamedTuple):
    """A hub where something waits to be marked and something is."""

    hub: Hub
    key: str
    pages: dict[str, str]


@pytest.fixture(scope="module")
def marked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Marked]:
    folder, sips = tmp_path_factory.mktemp("hub"), tmp_path_factory.mktemp("sips")
    write_sip(sips, **front())
    with Hub(fresh_url("sqlite", request, folder), folder) as hub:
        assert hub.viva("sync", str(sips)).returncode == 0
        paul = hub.agent("paul")
        hub.agent("bob").start()
        waiting, done = handed_in(hub.agent(HOSTILE_NAME)), handed_in(hub.agent("eve"))
        rows = [{"row_id": id_, "mark": 5, "reason": HOSTILE} for id_ in ("greeting", "greeting-2", "quarrel")]
        body = {"registration_id": done, "marks": rows, "feedback": HOSTILE}
        for registration_id in (done, waiting):
            paul.post(f"/evaluations/{EXAM}/proctor/rubric/take", {"registration_id": registration_id})
        result = paul.post(f"/evaluations/{EXAM}/proctor/rubric", body).json()["result"]
        form = f"/proctor/{EXAM}/{waiting}"
        pages = {"list": "/proctor", "form": form, "form-wrong": form, "form-signed-out": form}
        yield Marked(hub, str(paul.key), {**pages, "result": f"/evaluations/result/{result['id']}"})


def handed_in(agent: AgentClient) -> str:
    """A registration that waits for a proctor."""
    agent.post(f"/evaluations/{EXAM}/register")
    started = agent.post(f"/evaluations/{EXAM}/start").json()
    body = {"nonce": started["nonce"], "transcript": answers(greeting=HOSTILE, quarrel="x" * 3000 + "\n\nline " * 80)}
    job_id = agent.post(f"/evaluations/{EXAM}/submit", body).json()["job_id"]
    until(lambda: agent.get(f"/evaluations/{EXAM}/job/{job_id}").json()["job"]["waiting_for"] == "proctor")
    return str(started["registration"]["id"])


def opened(browser: Browser, marked: Marked, name: str, **options: Any) -> Page:
    context = browser.new_context(base_url=marked.hub.url, **options)
    context.set_default_timeout(20_000)
    page = context.new_page()
    if name != "form-signed-out":
        page.goto("/login")
        page.get_by_label("API key").fill(marked.key)
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_text("Signed in as")).to_be_attached()
    page.goto(marked.pages[name])
    if name == "form-wrong":
        page.locator("form.rubric").evaluate("form => { form.noValidate = true }")
        page.get_by_role("button", name="Save these marks").click()
        expect(page.get_by_role("alert")).to_be_visible()
    return page


@pytest.mark.parametrize("name", NAMES)
def test_everybody_can_read_the_page(browser: Browser, marked: Marked, axe: str, screenshots: Path | None, name: str):
    page = opened(browser, marked, name, bypass_csp=True)

    check_every_look(page, axe, screenshots, f"proctor-{name}")
    page.context.close()


@pytest.mark.parametrize("name", ["list", "form", "result"])
def test_what_agents_wrote_does_not_run(browser: Browser, marked: Marked, name: str):
    page = opened(browser, marked, name, bypass_csp=True)

    page.wait_for_timeout(300)

    assert page.evaluate("window.pwned") is None
    assert page.locator("main img, main script, main a[href^='javascript']").count() == 0
    page.context.close()


def test_a_proctor_marks_with_the_keyboard_and_without_javascript(browser: Browser, marked: Marked):
    page = opened(browser, marked, "list", java_script_enabled=False)

    page.get_by_role("link", name="Kind words").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Mark, 0 to 10").first.focus()
    page.keyboard.type("10")
    for field in page.get_by_label("Mark, 0 to 10").all()[1:]:
        field.focus()
        page.keyboard.type("7.5")
    page.get_by_label("Reason").first.focus()
    page.keyboard.type("Kind and plain.")
    page.get_by_role("button", name="Save these marks").focus()
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="Verdict")).to_be_visible()
    expect(page.get_by_text("Kind and plain.")).to_be_visible()
    expect(page.get_by_text("7.5 of 10")).to_have_count(2)
    page.context.close()
