"""A person sits each type of exam with the keyboard alone and a reload in the middle, up to the outcome, on readable pages."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import check_readable
from tests.browser.keyboard import choose, press, reach, tick, write
from tests.browser.sitting import PAIRS, TEXT, serve_exams
from tests.exams import certification, quiz, simple
from tests.hub import AgentClient, Hub, until

PROCTORED = "plain-dealing"
PAGE_PROOF = "https://example.org/proof"


@pytest.fixture(scope="module")
def hub(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    with serve_exams(request, tmp_path_factory) as hub:
        yield hub


@pytest.fixture
def ada(hub: Hub) -> AgentClient:
    return hub.agent("ada")


@pytest.fixture
def page(browser: Browser, hub: Hub, ada: AgentClient) -> Iterator[Page]:
    """A browser in which ada has signed in with the keyboard."""
    context = browser.new_context(base_url=hub.url, bypass_csp=True)
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.goto("/login")
    write(page, page.get_by_label("API key"), str(ada.key))
    page.keyboard.press("Enter")
    expect(page.locator(".who")).to_contain_text(ada.name)
    yield page
    context.close()


def begin(page: Page, axe: str, evaluation: str, start: str = "Start now") -> None:
    """From the evaluation's page to the started attempt."""
    page.goto(f"/evaluations/{evaluation}")
    press(page, "Sit it in the browser")
    expect(page.get_by_role("button", name=start)).to_be_visible()
    check_readable(page, axe)
    press(page, start)
    expect(page.get_by_role("button", name=start)).to_have_count(0)
    check_readable(page, axe)


def item(page: Page, text: str) -> Locator:
    return page.locator("fieldset.sit-item", has_text=text)


def field(page: Page, text: str) -> Locator:
    """The last field that belongs to a text."""
    return item(page, text).locator("input:not([type=hidden]), textarea").last


def reload_saved(page: Page) -> None:
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    page.reload()


def wait_for(page: Page, text: str) -> None:
    """The page goes on by itself, at the latest when its request for news comes back empty and is sent again."""
    expect(page.locator("main")).to_contain_text(text, timeout=60_000)


def expect_outcome(page: Page, axe: str, outcome: str) -> None:
    """The verdict is on the page of the attempt, and a link leads to its reasons."""
    expect(page.locator(".last-attempt .headline")).to_contain_text(outcome)
    check_readable(page, axe)
    press(page, "See the result and its reasons")
    expect(page.get_by_role("heading", name="Verdict")).to_be_visible()
    check_readable(page, axe)


def test_a_benchmark(page: Page, axe: str):
    begin(page, axe, quiz.ID)
    choose(page, item(page, "Which colour?").get_by_label("blue"))
    for option in ("2", "3"):
        tick(page, item(page, "Which are prime?").get_by_label(option, exact=True))
    write(page, field(page, "The capital of France?"), "Par")
    reload_saved(page)

    expect(page.locator("#answered")).to_have_text("3")
    expect(item(page, "Which colour?").get_by_label("blue")).to_be_checked()
    expect(field(page, "The capital of France?")).to_be_focused()
    page.keyboard.type("is")
    for text, answer in {"A half?": "0.5", "Two letters and a digit?": "ab1", "A point?": '{"x": 7}'}.items():
        write(page, field(page, text), answer)
    press(page, "Hand in")

    expect(page.get_by_text("Some questions have no answer.")).to_be_visible()
    check_readable(page, axe)
    expect(page.locator("#refusal")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the link to the item without an answer
    page.keyboard.press("Tab")
    expect(field(page, "press me")).to_be_focused()
    page.keyboard.type("safe")
    reload_saved(page)
    press(page, "Hand in")
    expect_outcome(page, axe, "Passed")
    assert page.evaluate("window.pwned") is None


def test_a_certification(page: Page, axe: str, hub: Hub, ada: AgentClient):
    begin(page, axe, certification.EXAM)
    registration_id = ada.get("/agents/me/registrations").json()["registrations"][0]["id"]
    write(page, field(page, "You are a host."), "Good morning.")
    reload_saved(page)
    expect(field(page, "You are a host.")).to_have_value("Good morning.")
    write(page, field(page, "Say it again."), "I am still sorry.")
    press(page, "Hand in")

    wait_for(page, "It waits for a proctor to mark it.")
    check_readable(page, axe)
    mark(hub, certification.EXAM, {"registration_id": registration_id}, certification.ROWS)
    expect_outcome(page, axe, "Passed")


def mark(hub: Hub, evaluation: str, about: dict[str, str], rows: tuple[str, ...]) -> None:
    """A proctor gives full marks."""
    paul = hub.agent("paul")
    path = f"/evaluations/{evaluation}/proctor/rubric"
    until(lambda: paul.post(f"{path}/take", about).status_code == 200)
    marks = [{"row_id": row, "mark": 10, "reason": "Well done."} for row in rows]
    assert paul.post(path, {**about, "marks": marks}).status_code == 201


def test_a_text_that_code_checks(page: Page, axe: str):
    begin(page, axe, TEXT)
    write(page, page.get_by_label("Your answer"), "5")
    reload_saved(page)
    expect(page.get_by_label("Your answer")).to_have_value("5")
    expect(page.get_by_label("Your answer")).to_be_focused()
    page.keyboard.type("1")
    press(page, "Hand in")
    expect_outcome(page, axe, "Passed")


def test_proof_of_agentic_work(page: Page, axe: str):
    begin(page, axe, "proof-of-agentic-work")
    words = item(page, "The recipe").locator(".quoted").inner_text().split()
    for step in item(page, "The recipe").locator("ol li").all_inner_texts():
        words = simple.carried_out(step, words)
    answer = page.get_by_label("The words that are left, in their order")
    write(page, answer, words[0])
    reload_saved(page)
    expect(answer).to_have_value(words[0])
    write(page, answer, " " + " ".join(words[1:]))
    press(page, "Hand in")
    expect_outcome(page, axe, "Passed")


def test_an_identity_check(page: Page, axe: str, ada: AgentClient):
    ada.http.patch("/agents/me", json={"description": "An agent that sits exams with the keyboard."})
    begin(page, axe, "proof-of-identity")
    name, key = page.get_by_label("Your name, as your profile has it"), page.get_by_label("Your API key")
    write(page, name, ada.name)
    write(page, key, str(ada.key))
    page.reload()

    expect(name).to_have_value(ada.name)
    expect(key).to_have_value("")  # a key is never stored, also not in the browser
    expect(page.locator("#save-state")).to_be_empty()
    write(page, key, str(ada.key))
    press(page, "Hand in")
    expect_outcome(page, axe, "Passed")


def test_an_account_verification(page: Page, axe: str, hub: Hub):
    begin(page, axe, "account-verification")
    link = page.locator(".quoted").first.inner_text()
    choose(page, page.get_by_label("The page at this address holds the proof"))
    write(page, page.get_by_label("The address of the page"), PAGE_PROOF.replace("org", "net"))
    page.reload()
    expect(page.get_by_label("The address of the page")).to_have_value(PAGE_PROOF.replace("org", "net"))
    press(page, "Check it")
    expect(page.locator("#refusal")).to_contain_text("This hub fetches no pages from example.net")
    expect(page.get_by_label("The address of the page")).to_have_value(PAGE_PROOF.replace("org", "net"))
    check_readable(page, axe)

    choose(page, page.get_by_label("A maintainer has confirmed at the link"))
    press(page, "Check it")
    expect(page.locator("#refusal")).to_contain_text("not confirmed yet")
    expect(page.get_by_label("A maintainer has confirmed at the link")).to_be_checked()
    confirm(hub, link)
    press(page, "Check it")
    expect_outcome(page, axe, "Passed")


def confirm(hub: Hub, link: str) -> None:
    """A maintainer confirms the owner at the link."""
    mary = hub.maintainer("mary")
    hub.client.post("/login", data={"key": str(mary.key)})
    assert hub.client.post(link, data={"owner": "Ada's house"}).status_code == 303
    hub.client.cookies.clear()


def test_a_proctored_exam(page: Page, axe: str, hub: Hub, ada: AgentClient):
    paul = hub.agent("paul")
    begin(page, axe, PROCTORED, "Start and wait for a proctor")
    page.reload()
    registration_id = ada.get("/agents/me/registrations").json()["registrations"][0]["id"]
    session_id = paul.claim(registration_id)
    page.wait_for_url("**/sessions/*")
    expect(page.locator("#connection")).to_have_text("Live")
    check_readable(page, axe)
    paul.say(session_id, "What is 17 times 3?")

    content = page.get_by_label(re.compile("^Your message"))
    write(page, content, "It is ")
    page.reload()
    expect(page.locator("#msg-1")).to_contain_text("What is 17 times 3?")
    expect(content).to_have_value("It is ")
    write(page, content, "51.")
    press(page, "Send")
    expect(page.locator("#msg-2")).to_contain_text("It is 51.")
    expect(content).to_be_focused()

    paul.submit(registration_id, proctor_feedback="Plain and right.")
    expect(page.locator("#connection")).to_contain_text("The session has ended.")
    press(page, "See the result")
    expect(page.get_by_text("Plain and right.")).to_be_visible()
    check_readable(page, axe)


def test_a_class(page: Page, axe: str, hub: Hub):
    begin(page, axe, PAIRS, "Look for a class")
    page.wait_for_url("**/classes/*")
    class_path = page.url.removeprefix(hub.url)
    page.reload()
    expect(page.get_by_text("You have a seat.")).to_be_visible()
    bob = hub.agent("bob")
    bob.start(PAIRS)
    page.wait_for_url("**/sessions/*")
    bob.say(page.url.split("/")[-1], "I take the evening.", PAIRS)
    check_readable(page, axe)

    content = page.get_by_label(re.compile("^Your message"))
    write(page, content, "I take ")
    page.reload()
    expect(content).to_have_value("I take ")
    write(page, content, "the morning.")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#msg-2")).to_contain_text("I take the morning.")
    press(page, "The class")
    press(page, "End the class")
    expect(page.get_by_text("You took part, and wait for the marks.")).to_be_visible()
    wait_for(page, "It waits for a proctor’s marks.")
    check_readable(page, axe)
    mark(hub, PAIRS, {"cohort_id": class_path.split("/")[-1]}, ("group/plan",))
    expect(page.locator("main")).to_contain_text("Marked: 2 of 2 passed.")
    check_readable(page, axe)


def test_withdrawing_takes_two_steps(page: Page, axe: str):
    begin(page, axe, TEXT)
    reach(page, page.get_by_text("Withdraw", exact=True))
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("You withdrew")).to_be_visible()
