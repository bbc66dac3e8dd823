"""Pages of notices: a count in the frame, the list, the settings, and the maintainers' outbox."""

import re
from typing import Any

import pytest

from tests.web.people import HOSTILE_NAME, main_of
from viva.agents import accounts
from viva.agents.accounts import Account
from viva.context import NOTICE_EVENTS
from viva.notices import addresses, emails, store, webhooks
from viva.notices.model import NoticeContent
from viva.notices.notifying import notify


def sign_in(site: Any, account: Account) -> None:
    site.client.post("/login", data={"key": account.key.text}, follow_redirects=False)


@pytest.fixture
def site(new_site) -> Any:
    """Without a worker, which would send what a test looks at."""
    return new_site(VIVA_NO_WORKER="1")


@pytest.fixture
def ada(site) -> Account:
    """Signed in."""
    account: Account = site.account("ada")
    sign_in(site, account)
    return account


def tell(site: Any, recipient: str, subject: str = "It happened", times: int = 1) -> None:
    def unit(db: Any) -> None:
        for _ in range(times):
            notify(db, "thing.happened", [recipient], subject, "One.\nTwo.", "/things/1")

    site.database.write_now(unit)


def count_shown(page: str) -> str | None:
    found = re.search(r'class="to-notices".*?</a>', page, re.S)
    return re.sub(r"<[^>]*>", "", found[0]).split(">", 1)[-1].strip() if found else None


def test_every_page_of_a_signed_in_agent_counts_its_unread_notices(site, ada):
    assert count_shown(site.text("/evaluations")) == "Notices"

    tell(site, ada.agent.id, times=2)
    assert count_shown(site.text("/evaluations")) == "Notices 2 unread"

    tell(site, ada.agent.id, times=120)
    assert count_shown(site.text("/agents")) == "Notices 99+ unread"
    site.client.cookies.clear()
    assert count_shown(site.text("/agents")) is None


def test_unread_notices_come_first_and_can_be_marked(site, ada):
    for subject in ("first", "second", "third"):
        tell(site, ada.agent.id, subject)
    shown = {
        item.subject: item
        for item in site.database.read_now(lambda db: store.list_notices(db, ada.agent.id, None, 9, None)).items
    }

    page = site.client.post("/notices/read", data={"id": shown["second"].id}).text

    unread, read = main_of(page).split('<h2 id="read">')
    assert ("first" in unread, "second" in unread, "third" in unread) == (True, False, True)
    assert "second" in read
    assert '<a href="/things/1">' in unread
    newest = re.search(r'name="until" value="([^"]+)"', page)
    assert newest
    page = site.client.post("/notices/read", data={"until": newest[1]}).text
    assert "You have no unread notices." in page


def test_another_site_and_a_visitor_mark_nothing(site, ada):
    tell(site, ada.agent.id)
    (notice,) = site.database.read_now(lambda db: store.list_notices(db, ada.agent.id, None, 9, None)).items

    foreign = site.client.post("/notices/read", data={"id": notice.id}, headers={"Sec-Fetch-Site": "cross-site"})
    site.client.cookies.clear()
    visitor = site.client.post("/notices/read", data={"id": notice.id}, follow_redirects=False)

    assert (foreign.status_code, visitor.headers["location"]) == (403, "/login?next=/notices")
    assert "Sign in" in main_of(site.text("/notices"))
    assert site.database.read_now(lambda db: store.count_unread(db, ada.agent.id)) == 1


def test_old_notices_are_on_further_pages(site, ada):
    tell(site, ada.agent.id, times=120)
    site.database.write_now(lambda db: store.mark_read_until(db, ada.agent.id, "notice_x"))

    seen, path = set(), "/notices"
    for _ in range(3):
        page = site.text(path)
        seen |= set(re.findall(r'<li id="(notice_\w+)"', page))
        found = re.search(r'<a href="([^"]+)" rel="next"', page)
        path = found[1] if found else ""

    assert (len(seen), path) == (120, "")
    assert site.get("/notices?cursor=nonsense").status_code == 200


def test_what_others_wrote_is_shown_as_text(site, ada):
    tell(site, ada.agent.id, f"{HOSTILE_NAME} has come")
    tell(site, "pia@example.org", f"{HOSTILE_NAME} has come")
    maintainer = site.database.write_now(lambda db: accounts.promote(db, "mia"))

    assert "&lt;img src=x" in site.text("/notices")
    assert "<img" not in site.text("/notices")
    sign_in(site, maintainer)
    assert "&lt;img src=x" in site.text("/notices/outbox")
    assert "<img" not in site.text("/notices/outbox")


def test_only_maintainers_see_the_outbox_and_it_has_pages(site, ada):
    site.database.write_now(lambda db: [emails.add(db, None, f"p{n}@example.org", CONTENT) for n in range(60)])
    assert site.get("/notices/outbox").status_code == 403
    maintainer = site.database.write_now(lambda db: accounts.promote(db, "mia"))
    sign_in(site, maintainer)

    first = site.text("/notices/outbox")
    found = re.search(r'<a href="([^"]+)" rel="next"', first)
    assert found
    second = site.text(found[1])
    addresses_shown = re.findall(r'<span class="name">(p\d+@example.org)', first + second)
    assert (first.count('<li id="email_'), len(set(addresses_shown))) == (50, 60)
    site.client.cookies.clear()
    assert site.get("/notices/outbox").status_code == 403


CONTENT = NoticeContent("thing.happened", "It happened", "See.", None, {})


def test_the_settings_add_and_delete_what_belongs_to_the_viewer(site, ada):
    paul = site.account("paul")
    foreign = site.database.write_now(lambda db: webhooks.add(db, paul.agent.id, "https://paul.example/", ["*"]))

    refused = site.client.post("/notices/settings", data={"do": "add-webhook", "url": "http://a.example", "event": "*"})
    added = site.client.post(
        "/notices/settings",
        data={"do": "add-webhook", "url": "https://ada.example/", "event": ["exam.claimed", "exam.decided"]},
    )
    (webhook,) = site.database.read_now(lambda db: webhooks.list_of_accounts(db, [ada.agent.id]))
    assert (refused.status_code, "needs an https address" in refused.text) == (422, True)
    assert re.search(r"whsec_[\w-]{43}", added.text)
    assert "whsec_" not in site.text("/notices/settings")
    assert webhook.events == ["exam.claimed", "exam.decided"]
    assert all(f"{sentence} <code>{event}</code>" in added.text for event, sentence in NOTICE_EVENTS.items())
    assert "<li>Your exam is decided <code>exam.decided</code></li>" in added.text

    for do in ("test-webhook", "delete-webhook"):
        stolen = site.client.post("/notices/settings", data={"do": do, "webhook": foreign.id})
        assert stolen.status_code == 404
    assert (
        "A test event is on its way"
        in site.client.post("/notices/settings", data={"do": "test-webhook", "webhook": webhook.id}).text
    )
    assert "A test of the webhook <code>webhook.test</code>" in site.text("/notices/settings")
    site.client.post("/notices/settings", data={"do": "delete-webhook", "webhook": webhook.id})
    assert site.database.read_now(lambda db: webhooks.list_of_accounts(db, [ada.agent.id, paul.agent.id])) == [foreign]
    assert site.client.post("/notices/settings", data={"do": "dance"}).status_code == 422


def test_the_settings_ask_to_confirm_an_address(site, ada):
    wrong = site.client.post("/notices/settings", data={"do": "ask-address", "email": "ada@home"})
    asked = site.client.post("/notices/settings", data={"do": "ask-address", "email": "ada@example.org"})

    assert wrong.status_code == 422
    assert "has sent a link" in asked.text
    (email,) = site.database.read_now(lambda db: emails.list_emails(db, 9, None)).items
    site.client.post(email.link)
    assert "are e-mailed to" in site.text("/notices/settings")
    site.client.post("/notices/settings", data={"do": "drop-address"})
    assert site.database.read_now(lambda db: addresses.find_address(db, ada.agent.id)) is None
