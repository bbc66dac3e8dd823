"""Keeping order in a real browser: a wave of spam is cleaned up by hand, and everybody can read the pages."""

import itertools
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import DESK, PHONE, check_every_look
from tests.conftest import fresh_url
from tests.hub import EVALUATION, AgentClient, Hub
from tests.maintaining.people import SPAM

# A wave of spam has no word in common, and comes from several addresses.
NAMES = [
    f"{first} {last}"
    for first, last in itertools.product(
        ("Golden", "Happy", "Prime", "Rapid", "Lucky"),
        ("Deals", "Market", "Trader", "Offers", "Store", "Bazaar", "Outlet", "Vendor", "Broker", "Shop"),
    )
]
ADDRESSES = [f"203.0.113.{number}" for number in range(1, 6)]
REASON = "A wave of advertising."


class Maintained(NamedTuple):
    """A hub with a wave of spam, a maintainer, and an exam."""

    hub: Hub
    mary: AgentClient
    spammer: AgentClient
    message_id: str
    result_id: str


@pytest.fixture(scope="module")
def maintained(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Maintained]:
    folder = tmp_path_factory.mktemp("hub")
    with Hub(fresh_url("sqlite", request, folder), folder) as hub:
        ada, paul, bob = hub.agent("ada"), hub.agent("paul"), hub.agent("bob")
        registration_id = ada.start()
        session_id = paul.claim(registration_id)
        message_id = ada.say(session_id, "Hello.").json()["id"]
        result_id = paul.submit(registration_id, passed=False, proctor_feedback="No.").json()["result"]["id"]
        spammers = send_wave(hub, bob)
        yield Maintained(hub, hub.maintainer("mary"), spammers[0], message_id, result_id)


def send_wave(hub: Hub, reporter: AgentClient) -> list[AgentClient]:
    """Agents of all names register from all addresses. They examine each other, with advertising, and are reported."""
    spammers = [join(hub, name, address) for name, address in zip(NAMES, itertools.cycle(ADDRESSES), strict=False)]
    for candidate, proctor in itertools.pairwise(spammers):
        candidate.http.patch("/agents/me", json={"description": SPAM})
        registration_id = candidate.start()
        session_id = proctor.claim(registration_id)
        for speaker in (proctor, candidate, proctor):
            assert speaker.say(session_id, SPAM).status_code == 201
        assert proctor.submit(registration_id, proctor_feedback=SPAM).status_code == 201
    for spammer in spammers[::5]:
        body = {"subject_type": "agent", "subject_id": spammer.id, "reason": "It sells zorkmids."}
        assert reporter.post("/reports", body).status_code == 201
    return spammers


def join(hub: Hub, name: str, address: str) -> AgentClient:
    """Register as somebody behind the proxy of this machine does."""
    answer = hub.client.post("/api/v1/agents/register", json={"name": name}, headers={"X-Forwarded-For": address})
    assert answer.status_code == 201, answer.text
    return hub.caller(answer.json()["api_key"], answer.json()["agent"])


class Hand:
    """A hand that clicks and types, and counts."""

    def __init__(self) -> None:
        self.clicks = self.keys = 0

    def click(self, place: Locator) -> None:
        place.click()
        self.clicks += 1

    def type(self, place: Locator, text: str) -> None:
        self.click(place)
        place.press_sequentially(text)
        self.keys += len(text)

    def choose(self, place: Locator, label: str) -> None:
        place.select_option(label=label)
        self.clicks += 2  # open the list, and choose


def sign_in(browser: Browser, maintained: Maintained, **options: bool) -> Page:
    context = browser.new_context(**options)  # type: ignore[arg-type]
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.goto(f"{maintained.hub.url}/login?next=/maintain")
    page.get_by_label("API key").fill(str(maintained.mary.key))
    page.get_by_role("button", name="Sign in").click()
    return page


def test_everybody_can_read_the_pages(browser: Browser, maintained: Maintained, axe: str, screenshots: Path | None):
    page = sign_in(browser, maintained, bypass_csp=True)

    for name, path in {
        "overview": "/maintain",
        "agents": "/maintain/agents",
        "agent": f"/maintain/agents/{maintained.spammer.id}",
        "reports": "/maintain/reports",
        "hidden": "/maintain/hidden",
        "invitations": "/maintain/invitations",
        "proctors": "/maintain/proctors",
        "evaluations": "/maintain/evaluations",
        "report-message": f"/report?type=message&id={maintained.message_id}",
        "report-result": f"/report?type=result&id={maintained.result_id}",
    }.items():
        page.goto(maintained.hub.url + path)
        check_every_look(page, axe, screenshots, f"maintain-{name}", widths=(DESK, PHONE))
    page.context.close()


def test_a_wave_of_spam_is_cleaned_up_by_hand_and_restored_without_javascript(browser: Browser, maintained: Maintained):
    page, hand, began = sign_in(browser, maintained), Hand(), time.monotonic()
    hand.click(page.get_by_role("link", name="All agents"))
    hand.choose(page.get_by_label("Show"), "Not suspended")
    hand.click(page.get_by_role("button", name="Show"))
    for _ in ADDRESSES:  # one group of agents after the other
        newest = page.get_by_role("row").filter(has_text=re.compile("|".join(NAMES))).first
        hand.click(newest.get_by_role("link").last)
        hand.click(page.get_by_label(f"All {len(NAMES) // len(ADDRESSES)} that match"))
        hand.click(page.get_by_label("Their texts too"))
        hand.type(page.get_by_label("Reason (they can read it)"), REASON)
        hand.click(page.get_by_role("button", name="Suspend"))
        expect(page.get_by_text(f"Suspended {len(NAMES) // len(ADDRESSES)} agents.")).to_be_visible()
    wait_for_worker(page, hand)

    hand.click(page.get_by_label("Maintaining").get_by_role("link", name="Reports"))
    hand.click(page.get_by_label("All on this page"))
    hand.type(page.get_by_label("Note to the reporters"), "Thank you.")
    hand.click(page.get_by_role("button", name="Uphold"))
    expect(page.get_by_text("Answered 10 reports.")).to_be_visible()
    expect(page.get_by_text("No report waits for an answer.")).to_be_visible()
    print(f"a wave of {len(NAMES)} agents: {time.monotonic() - began:.0f} s, {hand.clicks} clicks, {hand.keys} keys")
    assert hand.clicks <= 40
    assert SPAM not in everything_public(maintained)
    assert not any(name in everything_public(maintained) for name in NAMES)
    page.context.close()

    page = sign_in(browser, maintained, java_script_enabled=False)
    page.goto(f"{maintained.hub.url}/maintain/agents?filter=suspended")
    page.get_by_label(f"All {len(NAMES)} that match").check()
    page.get_by_label("Their texts too").check()
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_text(f"Restored {len(NAMES)} agents.")).to_be_visible()
    wait_for_worker(page, Hand())
    assert SPAM in everything_public(maintained)
    page.context.close()


def wait_for_worker(page: Page, hand: Hand) -> None:
    """Look again until the texts are hidden or shown."""
    deadline = time.monotonic() + 60
    while page.get_by_role("link", name="Look again").count() and time.monotonic() < deadline:
        page.wait_for_timeout(500)
        hand.click(page.get_by_role("link", name="Look again"))
        page.wait_for_load_state()
    expect(page.get_by_role("link", name="Look again")).to_have_count(0)


def everything_public(maintained: Maintained) -> str:
    """Lists and exports, as everybody sees them."""
    paths = ("/agents", f"/evaluations/{EVALUATION}", f"/api/v1/evaluations/{EVALUATION}/results/export?format=jsonl")
    return "".join(maintained.hub.client.get(path).text for path in paths)


def test_a_message_is_hidden_from_its_report_page_shown_again_and_erased(browser: Browser, maintained: Maintained):
    page = sign_in(browser, maintained)
    hide_message(page, maintained)
    page.goto(f"{maintained.hub.url}/evaluations/result/{maintained.result_id}")
    expect(page.get_by_text("Reason: Advertising.")).to_be_visible()

    page.goto(f"{maintained.hub.url}/maintain/hidden")
    message = page.get_by_role("listitem").filter(has_text="Message of")
    message.get_by_role("button", name="Show again").click()
    expect(page.get_by_text("It is shown again.")).to_be_visible()

    hide_message(page, maintained)
    page.goto(f"{maintained.hub.url}/maintain/hidden")
    message.get_by_text("Erase for good…").click()
    message.get_by_role("button", name="Erase for good").click()
    expect(message.get_by_role("checkbox")).to_be_focused()  # it asks first
    message.get_by_label("Yes, erase it. Nobody can take this back.").check()
    message.get_by_role("button", name="Erase for good").click()
    expect(page.get_by_text("It is erased for good.")).to_be_visible()
    expect(message.get_by_text("The original was erased for good on")).to_be_visible()
    expect(message.get_by_role("button")).to_have_count(0)
    page.context.close()


def hide_message(page: Page, maintained: Maintained) -> None:
    page.goto(f"{maintained.hub.url}/evaluations/result/{maintained.result_id}")
    page.get_by_role("link", name="Report message 1").click()
    page.get_by_label("Reason (public)").fill("Advertising.")
    page.get_by_role("button", name="Hide", exact=True).click()
    expect(page.get_by_text("It is hidden.")).to_be_visible()
