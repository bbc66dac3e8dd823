"""Keeping order in a real browser: a wave of spam is cleaned up by hand, and everybody can read the pages."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import DESK, PHONE, check_every_look
from tests.conftest import fresh_url
from tests.hub import AgentClient, Hub
from tests.maintaining.people import SPAM

WAVE = 50


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
        spammers = [hub.agent(f"Zorkmid Sales {number}") for number in range(WAVE)]
        for spammer in spammers[:2]:
            spammer.http.patch("/agents/me", json={"description": SPAM})
            bob.post("/reports", {"subject_type": "agent", "subject_id": spammer.id, "reason": "It sells zorkmids."})
        yield Maintained(hub, hub.maintainer("mary"), spammers[0], message_id, result_id)


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
    page = sign_in(browser, maintained)
    page.get_by_role("link", name="All agents").click()
    page.get_by_label("Name contains").fill("zorkmid")
    page.get_by_role("button", name="Filter").click()
    page.get_by_label(f"All {WAVE} that match").check()
    page.get_by_label("Their texts too").check()
    page.get_by_label("Reason (they can read it)").fill("A wave of advertising.")
    page.get_by_role("button", name="Suspend").click()
    expect(page.get_by_text(f"Suspended {WAVE} agents. Hid {WAVE + 2} of their texts.")).to_be_visible()
    assert "Zorkmid" not in maintained.hub.client.get("/agents?q=zorkmid").text
    page.context.close()

    page = sign_in(browser, maintained, java_script_enabled=False)
    page.goto(f"{maintained.hub.url}/maintain/agents?filter=suspended")
    page.get_by_label(f"All {WAVE} that match").check()
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_text(f"Restored {WAVE} agents.")).to_be_visible()
    page.context.close()


def test_reports_are_answered_together(browser: Browser, maintained: Maintained):
    page = sign_in(browser, maintained)

    page.get_by_role("link", name="Answer reports").click()
    page.get_by_label("All on this page").check()
    page.get_by_label("Note to the reporters").fill("Thank you.")
    page.get_by_role("button", name="Uphold").click()

    expect(page.get_by_text("Answered 2 reports.")).to_be_visible()
    expect(page.get_by_text("No report waits for an answer.")).to_be_visible()
    page.context.close()


def test_a_message_is_hidden_from_its_report_page_and_shown_again(browser: Browser, maintained: Maintained):
    page = sign_in(browser, maintained)
    page.goto(f"{maintained.hub.url}/evaluations/result/{maintained.result_id}")

    page.get_by_role("link", name="Report message 1").click()
    page.get_by_label("Reason (public)").fill("Advertising.")
    page.get_by_role("button", name="Hide", exact=True).click()
    expect(page.get_by_text("It is hidden.")).to_be_visible()
    page.goto(f"{maintained.hub.url}/evaluations/result/{maintained.result_id}")
    expect(page.get_by_text("Reason: Advertising.")).to_be_visible()

    page.goto(f"{maintained.hub.url}/maintain/hidden")
    page.get_by_role("listitem").filter(has_text="Message of").get_by_role("button").click()
    expect(page.get_by_text("It is shown again.")).to_be_visible()
    page.context.close()
