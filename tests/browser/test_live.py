"""Exams held in real browsers: live both ways, through lost connections, by keyboard, and without JavaScript."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import HOSTILE, HOSTILE_NAME, check_every_look
from tests.conftest import fresh_url
from tests.hub import AgentClient, Hub

NAMES = ["session", "session-of-candidate", "session-wrong", "closed", "ended", "join", "joined", "login"]


class Exam(NamedTuple):
    candidate: AgentClient
    proctor: AgentClient
    registration_id: str
    session_id: str

    @property
    def address(self) -> str:
        return f"/sessions/{self.session_id}"


@pytest.fixture(scope="module")
def hub(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    folder = tmp_path_factory.mktemp("hub")
    with Hub(fresh_url("sqlite", request, folder), folder) as hub:
        yield hub


def held(hub: Hub, candidate: str = "ada") -> Exam:
    ada, paul = hub.agent(candidate), hub.agent("paul")
    registration_id = ada.start()
    return Exam(ada, paul, registration_id, paul.claim(registration_id))


@pytest.fixture
def exam(hub: Hub) -> Exam:
    """An exam in which nothing has been said."""
    return held(hub)


def context_of(browser: Browser, hub: Hub, agent: AgentClient | None, **options: Any) -> BrowserContext:
    context = browser.new_context(base_url=hub.url, **options)
    context.set_default_timeout(20_000)
    if agent:
        context.request.post("/login", form={"key": str(agent.key)})
    return context


def opened(browser: Browser, hub: Hub, agent: AgentClient | None, path: str, **options: Any) -> Page:
    page = context_of(browser, hub, agent, **options).new_page()
    page.goto(path)
    return page


def watched(browser: Browser, hub: Hub, agent: AgentClient, path: str, **options: Any) -> Page:
    """A page of a session that is live."""
    page = opened(browser, hub, agent, path, **options)
    expect(page.locator("#connection")).to_have_text("Live")
    return page


def say(page: Page, text: str) -> None:
    page.get_by_label(re.compile("^Your message")).fill(text)
    page.get_by_role("button", name="Send").click()


def test_two_people_hold_an_exam_in_their_browsers(browser: Browser, hub: Hub):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    ada.start()
    proctor = opened(browser, hub, paul, "/proctor")
    proctor.get_by_role("button", name=f"Claim {ada.name}").click()
    proctor.wait_for_url("**/sessions/*")
    candidate = opened(browser, hub, ada, "/proctor")
    candidate.get_by_role("region", name="Your open sessions").get_by_role("link", name="Plain dealing").click()
    expect(candidate.locator("#connection")).to_have_text("Live")

    say(proctor, "What is **17** times 3?")
    expect(candidate.locator("#msg-1")).to_contain_text("What is 17 times 3?")
    expect(candidate.locator("#msg-1 strong")).to_have_text("17")
    say(candidate, "It is 51.")
    expect(proctor.locator("#msg-2")).to_contain_text("It is 51.")
    expect(proctor.locator("#count")).to_have_text("2 messages")
    expect(candidate.get_by_label(re.compile("^Your message"))).to_have_value("")
    proctor.get_by_label("passed", exact=True).check()
    for mark in proctor.get_by_label(re.compile("^Mark")).all():
        mark.fill("18")
    expect(proctor.locator("#marks-sum")).to_have_text("90")
    proctor.get_by_label(re.compile("^Note")).first.fill("It could be kinder.")
    proctor.get_by_label(re.compile("^Feedback")).fill("Plain and right.")
    proctor.locator(".decide summary").click()
    proctor.get_by_role("button", name="Yes, decide and end the session").click()

    proctor.wait_for_url("**/evaluations/result/*")
    expect(proctor.get_by_text("Plain and right.")).to_be_visible()
    expect(proctor.get_by_text("It could be kinder.")).to_be_visible()
    expect(candidate.locator("#connection")).to_contain_text("The session has ended.")
    candidate.locator("#connection").get_by_role("link", name="See the result").click()
    expect(candidate.get_by_text("Plain and right.")).to_be_visible()
    for page in (proctor, candidate):
        page.context.close()


def test_a_lost_connection_loses_nothing(browser: Browser, hub: Hub, exam: Exam):
    guest = hub.maintainer("mary")
    candidate = watched(browser, hub, exam.candidate, exam.address)
    watcher = watched(browser, hub, guest, exam.address)
    exam.proctor.say(exam.session_id, "Before")
    expect(candidate.locator("#msg-1")).to_be_visible()
    guest.http.delete("/agents/me/keys")

    hub.stop()
    expect(candidate.locator("#connection")).to_have_text("Connection lost. Reconnecting…")
    say(candidate, "Are you there?")
    expect(candidate.locator("#sending")).to_contain_text("Could not send your message: the hub does not respond.")
    expect(candidate.get_by_label(re.compile("^Your message"))).to_have_value("Are you there?")
    hub.start()
    exam.proctor.say(exam.session_id, "Meanwhile")

    expect(candidate.locator("#connection")).to_have_text("Live")
    expect(candidate.locator("#msg-2")).to_contain_text("Meanwhile")
    candidate.get_by_role("button", name="Retry").click()
    expect(candidate.locator("#msg-3")).to_contain_text("Are you there?")
    expect(candidate.locator("#sending")).to_be_empty()
    assert [message["content"] for message in exam.proctor.messages(exam.session_id)] == [
        "Before",
        "Meanwhile",
        "Are you there?",
    ]
    assert candidate.locator("#messages li").count() == 3
    expect(watcher.locator("#connection")).to_contain_text("You can no longer follow this session.")
    for page in (candidate, watcher):
        page.context.close()


def test_a_message_whose_answer_was_lost_is_said_once(browser: Browser, hub: Hub, exam: Exam):
    page = watched(browser, hub, exam.candidate, exam.address)

    def lose_the_answer(route: Any) -> None:
        route.fetch(max_redirects=0)
        route.abort()

    page.route("**/messages", lose_the_answer)
    say(page, "Only once")
    expect(page.locator("#msg-1")).to_contain_text("Only once")
    page.unroute("**/messages")
    page.get_by_role("button", name="Retry").click()

    expect(page.get_by_label(re.compile("^Your message"))).to_have_value("")
    say(page, "Then this")
    expect(page.locator("#msg-2")).to_contain_text("Then this")
    page.context.close()


def test_what_is_refused_is_told_in_words_and_kept(browser: Browser, hub: Hub, exam: Exam):
    page = watched(browser, hub, exam.candidate, exam.address)

    say(page, "é" * 33_000)

    expect(page.locator("#sending")).to_contain_text("A message has at most 65536 bytes.")
    assert len(page.get_by_label(re.compile("^Your message")).input_value()) == 33_000
    page.context.close()


def test_the_end_stays_in_view_only_for_who_is_there(browser: Browser, hub: Hub, exam: Exam):
    for number in range(30):
        exam.proctor.say(exam.session_id, f"Question {number}")
    page = watched(browser, hub, exam.candidate, exam.address)
    expect(page.locator("#msg-30")).to_be_in_viewport()

    exam.proctor.say(exam.session_id, "At the end")
    expect(page.locator("#msg-31")).to_be_in_viewport()
    page.locator("#messages").evaluate("element => { element.scrollTop = 0 }")
    for words in ("Out of view", "Out of view too"):
        exam.proctor.say(exam.session_id, words)
    more = page.get_by_role("button", name="2 new messages")
    expect(more).to_be_visible()
    expect(page.locator("#msg-1")).to_be_in_viewport()
    more.click()

    expect(page.locator("#msg-33")).to_be_in_viewport()
    expect(more).to_be_hidden()
    page.context.close()


def test_what_was_begun_is_there_after_looking_elsewhere(browser: Browser, hub: Hub, exam: Exam):
    page = watched(browser, hub, exam.proctor, exam.address)
    page.get_by_label(re.compile("^Your message")).fill("Half a sen")
    page.get_by_label(re.compile("^Feedback")).fill("So far so good.")
    page.get_by_label(re.compile("^Mark")).first.fill("20")
    page.get_by_label("Give it as practice").check()

    page.goto("/proctor")
    page.goto(exam.address)

    expect(page.get_by_label(re.compile("^Your message"))).to_have_value("Half a sen")
    expect(page.get_by_label(re.compile("^Feedback"))).to_have_value("So far so good.")
    expect(page.get_by_label(re.compile("^Mark")).first).to_have_value("20")
    expect(page.locator("#marks-sum")).to_have_text("20")
    expect(page.get_by_label("Give it as practice")).to_be_checked()
    page.context.close()


def test_a_verdict_that_is_not_complete_loses_no_word(browser: Browser, hub: Hub, exam: Exam):
    page = watched(browser, hub, exam.proctor, exam.address)
    page.get_by_label(re.compile("^Your message")).fill("Half a sen")
    page.get_by_label(re.compile("^Feedback")).fill("So far so good.")

    page.locator("#verdict-form").evaluate("form => { form.noValidate = true }")
    page.locator(".decide summary").click()
    page.get_by_role("button", name="Yes, decide and end the session").click()

    expect(page.get_by_text("Choose whether the candidate passed.")).to_be_in_viewport()
    expect(page.get_by_label(re.compile("^Your message"))).to_have_value("Half a sen")
    expect(page.get_by_label(re.compile("^Feedback"))).to_have_value("So far so good.")
    page.context.close()


def test_what_agents_say_does_not_run_when_it_arrives(browser: Browser, hub: Hub):
    exam = held(hub, HOSTILE_NAME)
    # Without the policy, so that the escaping has to hold by itself.
    page = watched(browser, hub, exam.proctor, exam.address, bypass_csp=True)

    exam.candidate.say(exam.session_id, HOSTILE)
    expect(page.locator("#msg-1")).to_contain_text("onerror=window.pwned=1")
    page.wait_for_timeout(300)

    assert page.evaluate("window.pwned") is None
    assert page.locator("main img, main script, main a[href^='javascript']").count() == 0
    page.context.close()


def test_an_exam_is_held_without_javascript(browser: Browser, hub: Hub):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    ada.start()
    page = opened(browser, hub, paul, "/proctor", java_script_enabled=False)

    page.get_by_role("button", name=f"Claim {ada.name}").click()
    for number in range(12):
        say(page, f"Question {number}\n\nwith\n\nlines")
    expect(page.locator("#msg-12")).to_be_in_viewport()
    session_id = page.url.partition("/sessions/")[2].partition("#")[0]
    ada.say(session_id, "An answer")
    page.get_by_role("link", name="Show new messages").click()
    page.reload()
    expect(page.locator("#msg-13")).to_be_in_viewport()
    page.get_by_label("did not pass").check()
    page.locator(".decide summary").click()
    page.get_by_role("button", name="Yes, decide and end the session").click()

    expect(page.get_by_role("heading", name=ada.name)).to_be_visible()
    page.context.close()


def test_giving_back_takes_two_steps_without_javascript(browser: Browser, hub: Hub, exam: Exam):
    page = opened(browser, hub, exam.proctor, exam.address, java_script_enabled=False)
    yes = page.get_by_role("button", name="Yes, release the candidate")
    expect(yes).to_be_hidden()

    page.get_by_text("Release the candidate", exact=True).click()
    yes.click()

    expect(page.get_by_role("status")).to_contain_text("back on the waiting list")
    page.context.close()


def test_the_keyboard_is_enough(browser: Browser, hub: Hub, exam: Exam):
    page = watched(browser, hub, exam.proctor, exam.address)

    tab_to(page, "content")
    page.keyboard.type("What is 17 times 3?")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#msg-1")).to_be_visible()
    exam.candidate.say(exam.session_id, "51.")
    tab_to(page, "yes")
    page.keyboard.press("Space")
    tab_to(page, "feedback")
    page.keyboard.type("Right.")
    for _ in range(2):  # past the choice of practice, to what opens the second step
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    page.wait_for_url("**/evaluations/result/*")
    expect(page.get_by_text("Right.", exact=True)).to_be_visible()
    page.context.close()


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the field with this id or value has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if name in page.evaluate("[document.activeElement.id, document.activeElement.value]"):
            return
    pytest.fail(f"Tab never came to {name}.")


def test_a_person_joins_keeps_the_key_and_signs_in_with_it(browser: Browser, hub: Hub):
    page = opened(browser, hub, None, "/proctor", permissions=["clipboard-read", "clipboard-write"])
    name = hub.agent("x").name.replace("x-", "grace-")

    page.get_by_role("link", name="Join").click()
    page.get_by_label("Name (public)").fill(name)
    page.get_by_role("button", name="Join").click()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    key = page.evaluate("navigator.clipboard.readText()")
    page.reload()
    expect(page.get_by_text("You have an account")).to_be_visible()
    expect(page.get_by_text(key)).to_have_count(0)
    page.get_by_role("button", name="Sign out").first.click()
    expect(page.get_by_text("Signed in as")).to_have_count(0)
    page.goto("/proctor")
    page.get_by_role("main").get_by_role("link", name="Sign in").click()
    page.get_by_label("API key").fill(key)
    page.get_by_role("button", name="Sign in").click()

    page.wait_for_url("**/proctor")
    expect(page.locator(".who")).to_contain_text(name)
    page.context.close()


# How it looks


@pytest.fixture(scope="module")
def talked(hub: Hub) -> Exam:
    exam = held(hub, HOSTILE_NAME)
    for number, content in enumerate(["Hello.", HOSTILE, "x" * 5000, "## Heading\n\n- one\n- two", "w" * 300]):
        (exam.proctor, exam.candidate)[number % 2].say(exam.session_id, content)
    return exam


@pytest.fixture(scope="module")
def decided(hub: Hub) -> Exam:
    exam = held(hub)
    exam.proctor.say(exam.session_id, "Hello.")
    exam.proctor.submit(exam.registration_id)
    return exam


def look(browser: Browser, hub: Hub, talked: Exam, decided: Exam, name: str, **options: Any) -> Page:
    if name == "ended":
        return opened(browser, hub, None, decided.address, **options)
    if name in ("join", "joined", "login"):
        page = opened(browser, hub, None, "/login" if name == "login" else "/join", **options)
        if name == "joined":
            page.get_by_label("Name (public)").fill(hub.agent("x").name.replace("x-", "w" * 150))
            page.get_by_role("button", name="Join").click()
            expect(page.locator("#key")).to_be_visible()
        return page
    who = {"session-of-candidate": talked.candidate, "closed": None}.get(name, talked.proctor)
    page = opened(browser, hub, who, talked.address, **options)
    if name != "closed":
        expect(page.locator("#connection")).to_have_text("Live")
    if name == "session-wrong":
        page.locator("#verdict-form").evaluate("form => { form.noValidate = true }")
        page.locator(".decide summary").click()
        page.get_by_role("button", name="Yes, decide and end the session").click()
        expect(page.get_by_text("Choose whether the candidate passed.")).to_be_visible()
        page.get_by_text("The evaluation’s text").click()
    return page


@pytest.mark.parametrize("name", NAMES)
def test_everybody_can_read_the_page(
    browser: Browser, hub: Hub, talked: Exam, decided: Exam, axe: str, screenshots: Path | None, name: str
):
    page = look(browser, hub, talked, decided, name, bypass_csp=True)

    check_every_look(page, axe, screenshots, f"live-{name}")
    page.context.close()
