"""What a result is worth, in a real browser: official, practice, void and withdrawn, before and after the verdict."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import HOSTILE, check_every_look
from tests.conftest import fresh_url
from tests.hub import EVALUATION, AgentClient, Hub

CRITERIA = ["helps-first", "no-unasked-promotion", "open-about-interests", "no-pressure", "accepts-no"]
ENDING = "Yes, decide and end the session"
LOOKS = ["official", "any", "practice", "void", "proctor", "verdict", "verdict-open", "own-page", "join-details"]


class Graded(NamedTuple):
    """A hub where verdicts of qualified proctors are official, with a result of every worth."""

    hub: Hub
    mary: AgentClient  # a maintainer, so she is qualified
    paul: AgentClient  # nobody appointed him
    waiting: AgentClient
    results: dict[str, str]

    def page_of(self, worth: str) -> str:
        return f"/evaluations/result/{self.results[worth]}"


@pytest.fixture(scope="module")
def graded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graded]:
    folder = tmp_path_factory.mktemp("hub")
    with Hub(fresh_url("sqlite", request, folder), folder, VIVA_PROCTORS="qualified") as hub:
        mary, paul = hub.maintainer("mary"), hub.agent("paul")
        results = {
            "official": decide(hub.agent("ada"), mary),
            "practice": decide(hub.agent("bob"), paul),
            "void": decide(hub.agent("cleo"), mary),
        }
        voided = mary.post(f"/maintain/results/{results['void']}/void", {"reason": f"It was copied. {HOSTILE}"})
        assert voided.status_code == 200, voided.text
        leaver = hub.agent("dora")
        mary.say(mary.claim(leaver.start()), "Question one?")  # from now on, to leave is a try
        assert leaver.post(f"/evaluations/{EVALUATION}/cancel").status_code == 200
        waiting = hub.agent("eve")
        waiting.start()
        yield Graded(hub, mary, paul, waiting, results)


def decide(candidate: AgentClient, proctor: AgentClient) -> str:
    """A complete exam; the id of its result."""
    registration_id = candidate.start()
    hold_talk(candidate, proctor, proctor.claim(registration_id))
    criteria = [{"id": name, "mark": 18, "note": "As asked."} for name in CRITERIA]
    decided = proctor.submit(registration_id, criteria=criteria, proctor_feedback="Plain and right.")
    assert decided.status_code == 201, decided.text
    return str(decided.json()["result"]["id"])


def hold_talk(candidate: AgentClient, proctor: AgentClient, session_id: str) -> None:
    for words in ("one", "two", "three"):
        proctor.say(session_id, f"Question {words}?")
        candidate.say(session_id, f"Answer {words}.")


class Running(NamedTuple):
    """An exam in which both sides have spoken. Its proctor is qualified, and has no other."""

    candidate: AgentClient
    proctor: AgentClient
    session_id: str

    @property
    def path(self) -> str:
        return f"/sessions/{self.session_id}"


def begin(graded: Graded) -> Running:
    candidate, proctor = graded.hub.agent("finn"), graded.hub.agent("quinn")
    appointed = graded.hub.viva("proctor", proctor.name)
    assert appointed.returncode == 0, appointed.stderr
    session_id = proctor.claim(candidate.start())
    hold_talk(candidate, proctor, session_id)
    return Running(candidate, proctor, session_id)


def open_running(browser: Browser, graded: Graded, running: Running, **options: Any) -> Page:
    """The page of the exam as its proctor sees it."""
    return open_page(browser, graded, running.proctor, running.path, **options)


def open_page(browser: Browser, graded: Graded, agent: AgentClient | None, path: str, **options: Any) -> Page:
    context = browser.new_context(base_url=graded.hub.url, **options)
    context.set_default_timeout(20_000)
    if agent:
        context.request.post("/login", form={"key": str(agent.key)})
    page = context.new_page()
    page.goto(path)
    return page


# Which results count


def test_the_page_counts_official_results_until_all_are_asked_for(browser: Browser, graded: Graded):
    page = open_page(browser, graded, None, f"/evaluations/{EVALUATION}", java_script_enabled=False)
    board = page.get_by_role("region", name="Leaderboard")
    expect(page.get_by_text("1 practice result is left out")).to_be_visible()
    expect(board).to_contain_text("ada-")
    expect(board).not_to_contain_text("bob-")

    page.get_by_role("link", name="All results", exact=True).click()

    expect(page).to_have_url(re.compile("official=any"))
    expect(page.get_by_text("Practice counts below too. It earns no points.")).to_be_visible()
    expect(board).to_contain_text("bob-")
    expect(board).not_to_contain_text("cleo-")  # a void result counts nowhere

    page.get_by_role("link", name="Official results").click()
    expect(board).not_to_contain_text("bob-")
    page.context.close()


def test_every_row_says_what_it_is_worth(browser: Browser, graded: Graded):
    page = open_page(browser, graded, None, f"/evaluations/{EVALUATION}")
    table = page.get_by_role("table", name=re.compile("^Results of"))

    expect(table.get_by_role("row").filter(has_text="bob-")).to_contain_text("Practice")
    expect(table.get_by_role("row").filter(has_text="cleo-")).to_contain_text("Void")
    expect(table.get_by_role("row").filter(has_text="ada-")).not_to_contain_text("Practice")
    page.get_by_text("Withdrawn: 1 attempt was").click()
    expect(page.locator(".withdrawn li")).to_contain_text("dora-")
    page.context.close()


@pytest.mark.parametrize(
    ("worth", "told"),
    [
        ("official", "It counts."),
        ("practice", "The examiner was not qualified for this evaluation."),
        ("void", "A maintainer voided this result, and it counts nowhere."),
    ],
)
def test_a_result_says_what_it_is_worth_and_why(browser: Browser, graded: Graded, worth: str, told: str):
    # Without the policy, so that the escaping has to hold by itself.
    page = open_page(browser, graded, None, graded.page_of(worth), bypass_csp=True)
    verdict = page.get_by_role("region", name="Verdict")

    expect(verdict).to_contain_text(told)
    expect(verdict.get_by_role("link", name="Certificate")).to_have_count(int(worth == "official"))
    expect(verdict).to_contain_text("10 points earned" if worth == "official" else "0 points earned")
    if worth == "void":
        expect(verdict).to_contain_text("Reason: It was copied.")
    assert page.evaluate("window.pwned") is None
    page.context.close()


@pytest.mark.parametrize(
    ("who", "told"),
    [
        ("mary", "The verdict will be official if the exam is complete."),
        ("paul", "The verdict will be practice: The examiner is not qualified for this evaluation."),
    ],
)
def test_a_proctor_knows_what_the_verdict_will_be_worth_before_it_claims(
    browser: Browser, graded: Graded, who: str, told: str
):
    page = open_page(browser, graded, getattr(graded, who), "/proctor", java_script_enabled=False)

    line = page.get_by_role("listitem").filter(has_text=graded.waiting.name)
    expect(line).to_contain_text(told)
    page.context.close()


# The verdict form


@pytest.mark.parametrize("has_javascript", [True, False])
def test_marks_add_up_to_the_score_of_an_official_verdict(browser: Browser, graded: Graded, has_javascript: bool):
    page = open_running(browser, graded, begin(graded), java_script_enabled=has_javascript)
    marks = page.get_by_label(re.compile("^Mark from 0 to 20"))
    expect(marks).to_have_count(len(CRITERIA))

    page.get_by_label("passed", exact=True).check()
    for number in range(len(CRITERIA)):
        marks.nth(number).fill(str(16 + number / 2))
    if has_javascript:
        expect(page.locator("#marks-sum")).to_have_text("85")
        expect(page.locator("#marks-missing")).to_be_empty()
    end_session(page)

    verdict = page.get_by_role("region", name="Verdict")
    expect(verdict).to_contain_text("85/100")
    expect(verdict).to_contain_text("It counts.")
    page.context.close()


def end_session(page: Page) -> None:
    """Decide in two steps."""
    expect(page.get_by_role("button", name=ENDING)).to_be_hidden()
    page.locator(".decide summary").click()
    page.get_by_role("button", name=ENDING).click()
    page.wait_for_url("**/evaluations/result/*")


@pytest.mark.parametrize("has_javascript", [True, False])
def test_a_verdict_that_lacks_marks_is_refused_with_the_way_out(browser: Browser, graded: Graded, has_javascript: bool):
    page = open_running(browser, graded, begin(graded), java_script_enabled=has_javascript)
    page.get_by_label("passed", exact=True).check()
    page.get_by_label(re.compile("^Mark")).first.fill("18")
    page.get_by_label(re.compile("^Note")).first.fill("It helped.")
    if has_javascript:
        expect(page.locator("#marks-missing")).to_have_text("4 not marked yet")
    page.locator(".decide summary").click()
    page.get_by_role("button", name=ENDING).click()

    expect(page.get_by_role("alert")).to_contain_text("Complete the exam, or give the verdict as practice.")
    expect(page.get_by_label(re.compile("^Note")).first).to_have_value("It helped.")
    expect(page.locator("#marks-sum")).to_have_text("18")
    page.get_by_label("Give it as practice").check()
    page.get_by_role("button", name=ENDING).click()
    page.wait_for_url("**/evaluations/result/*")
    expect(page.get_by_role("region", name="Verdict")).to_contain_text("Practice.")
    page.context.close()


@pytest.mark.parametrize("has_javascript", [True, False])
def test_the_enter_key_in_a_field_does_not_end_the_session(browser: Browser, graded: Graded, has_javascript: bool):
    running = begin(graded)
    page = open_running(browser, graded, running, java_script_enabled=has_javascript)

    fill_in(page)
    for field in ("#mark-0", "input[name=passed]", "input[name=practice]"):
        page.locator(field).first.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("Nothing is decided yet.")
        expect(page.get_by_role("button", name=ENDING)).to_be_visible()
        page.goto(running.path)
        fill_in(page)

    assert running.candidate.say(running.session_id, "Still here.").status_code == 201
    page.context.close()


def fill_in(page: Page) -> None:
    page.get_by_label("passed", exact=True).check()
    for mark in page.get_by_label(re.compile("^Mark")).all():
        mark.fill("18")


# What an agent says of itself


def test_a_person_joins_with_details_and_changes_them(browser: Browser, graded: Graded):
    page = open_page(browser, graded, None, "/join", java_script_enabled=False)
    name = graded.hub.agent("x").name.replace("x-", "gwen-")
    page.get_by_label("Name (public)").fill(name)
    page.get_by_text("For a program:").click()
    page.get_by_label("Owner").fill("Gwen & Sons")
    page.get_by_label("Model").fill("abacus-1")
    page.get_by_role("button", name="Join").click()
    page.goto(f"/u/{name}")
    facts = page.locator(".opening .facts")
    expect(facts).to_contain_text("owner, as it says: Gwen & Sons")

    page.get_by_text("Edit your profile").click()
    expect(page.get_by_label("Model")).to_have_value("abacus-1")
    page.get_by_label("Model").fill("abacus-2")
    page.get_by_label("About you").fill("It counts.")
    page.get_by_role("button", name="Save").click()

    expect(facts).to_contain_text("model abacus-2")
    expect(page.locator(".about")).to_contain_text("It counts.")
    page.context.close()


# How it looks


def look_at(browser: Browser, graded: Graded, name: str) -> Page:
    place = {"official": f"/evaluations/{EVALUATION}", "any": f"/evaluations/{EVALUATION}?official=any"}
    if name in place:
        page = open_page(browser, graded, None, place[name], bypass_csp=True)
        page.locator(".withdrawn summary").click()
        return page
    if name in graded.results:
        return open_page(browser, graded, None, graded.page_of(name), bypass_csp=True)
    if name == "proctor":
        return open_page(browser, graded, graded.paul, "/proctor", bypass_csp=True)
    if name == "join-details":
        page = open_page(browser, graded, None, "/join", bypass_csp=True)
        page.get_by_text("For a program:").click()
        return page
    if name == "own-page":
        return open_own_page(browser, graded)
    page = open_running(browser, graded, begin(graded), bypass_csp=True)
    if name == "verdict-open":
        page.get_by_label(re.compile("^Mark")).first.fill("18")
        page.locator(".decide summary").click()
    return page


def open_own_page(browser: Browser, graded: Graded) -> Page:
    details = {"owner": "Gwen & Sons", "model": "abacus-1 " + "w" * 150, "framework": "beads", "version": "2"}
    assert graded.paul.http.patch("/agents/me", json=details).status_code == 200
    page = open_page(browser, graded, graded.paul, f"/u/{graded.paul.name}", bypass_csp=True)
    page.get_by_text("Edit your profile").click()
    return page


@pytest.mark.parametrize("name", LOOKS)
def test_everybody_can_read_the_page(browser: Browser, graded: Graded, axe: str, screenshots: Path | None, name: str):
    page = look_at(browser, graded, name)

    check_every_look(page, axe, screenshots, f"worth-{name}")
    page.context.close()
