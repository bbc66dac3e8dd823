"""The API of notices, addresses and webhooks: each account sees and changes its own."""

import re
from typing import Any

import pytest

from tests.notices.working import do_due, settings
from tests.web.conftest import Site, idle_apps, new_site, site  # noqa: F401 - fixtures
from viva.agents.accounts import Account
from viva.notices import emails
from viva.notices.notifying import notify

pytestmark = pytest.mark.slow


class Caller:
    """The API as one account calls it."""

    def __init__(self, site: Site, name: str) -> None:  # noqa: F811
        self.site = site
        self.account: Account = site.account(name)

    def call(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {self.account.key.text}"}
        return self.site.client.request(method, f"/api/v1{path}", json=body, headers=headers)


@pytest.fixture
def ada(new_site) -> Caller:  # noqa: F811
    return Caller(new_site(VIVA_NO_WORKER="1", VIVA_WEBHOOK_HOSTS="127.0.0.1:9"), "ada")


def tell(caller: Caller, subject: str) -> None:
    caller.site.database.write_now(
        lambda db: notify(db, "thing.happened", [caller.account.agent.id], subject, "See.", "/things/1")
    )


def test_notices_are_listed_and_marked_as_read(ada):
    paul = Caller(ada.site, "paul")
    for subject in ("first", "second"):
        tell(ada, subject)

    page = ada.call("GET", "/agents/me/notices").json()
    assert (page["unread"], page["next_cursor"]) == (2, None)
    assert sorted(notice["subject"] for notice in page["notices"]) == ["first", "second"]
    assert page["notices"][0]["link"] == "/things/1"
    assert "account_id" not in page["notices"][0]

    newest, oldest = (notice["id"] for notice in page["notices"])
    assert paul.call("POST", "/agents/me/notices/read", {"ids": [newest]}).json() == {"unread": 0}
    assert ada.call("POST", "/agents/me/notices/read", {"ids": [oldest]}).json() == {"unread": 1}
    assert [each["id"] for each in ada.call("GET", "/agents/me/notices?unread=true").json()["notices"]] == [newest]
    assert ada.call("POST", "/agents/me/notices/read", {"until": newest}).json() == {"unread": 0}
    assert ada.site.client.get("/api/v1/agents/me/notices").status_code == 401


def test_a_webhook_is_added_listed_tested_and_deleted(ada):
    paul = Caller(ada.site, "paul")
    answer = ada.call("POST", "/webhooks", {"url": "https://ada.example/hook", "events": ["exam.claimed"]})
    webhook = answer.json()["webhook"]

    assert answer.status_code == 201
    assert re.fullmatch(r"whsec_[\w-]{43}", answer.json()["secret"])
    assert ada.call("GET", "/webhooks").json() == {"webhooks": [webhook]}
    assert "secret" not in ada.call("GET", "/webhooks").text

    tested = ada.call("POST", f"/webhooks/{webhook['id']}/test")
    (delivery,) = ada.call("GET", f"/webhooks/{webhook['id']}/deliveries").json()["deliveries"]
    assert (tested.status_code, tested.json()["delivery_id"]) == (202, delivery["id"])
    assert (delivery["event"], delivery["status"]) == ("webhook.test", "waiting")

    for method, path in (("DELETE", ""), ("POST", "/test"), ("GET", "/deliveries")):
        assert paul.call(method, f"/webhooks/{webhook['id']}{path}").json()["code"] == "no_such_webhook"
    assert paul.call("GET", "/webhooks").json() == {"webhooks": []}

    assert ada.call("DELETE", f"/webhooks/{webhook['id']}").status_code == 204
    assert ada.call("GET", "/webhooks").json() == {"webhooks": []}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"url": "http://ada.example/"}, "bad_webhook_url"),
        ({"url": "https://127.0.0.1/"}, "bad_webhook_url"),
        ({"events": ["exam.clamied"]}, "unknown_event"),
        ({"events": []}, "invalid"),
        ({"url": "https://ada.example/" + "x" * 2_000}, "invalid"),
    ],
)
def test_a_webhook_that_cannot_work_is_refused(ada, change, code):
    answer = ada.call("POST", "/webhooks", {"url": "https://ada.example/", "events": ["*"]} | change)

    assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert ada.call("GET", "/webhooks").json() == {"webhooks": []}


def test_http_is_for_hosts_that_the_maintainer_lists_and_five_are_enough(ada):
    body = {"url": "http://127.0.0.1:9/", "events": ["*"]}

    statuses = [ada.call("POST", "/webhooks", body).status_code for _ in range(6)]

    assert statuses == [201] * 5 + [409]


def test_an_address_is_used_once_its_owner_has_confirmed_it(ada, tmp_path):
    database = ada.site.database

    asked = ada.call("POST", "/agents/me/email", {"email": " ada@example.org"})
    assert (asked.status_code, asked.json()) == (202, {"confirm": "ada@example.org"})
    assert ada.call("GET", "/agents/me/email").json() == {"email": None}

    (email,) = database.read_now(lambda db: emails.list_emails(db, 10, None)).items
    assert (email.address, email.event) == ("ada@example.org", "address.confirmation")
    page = ada.site.text(email.link)
    assert "ada@example.org" in page
    assert ada.call("GET", "/agents/me/email").json() == {"email": None}  # looking confirms nothing
    assert ada.site.client.post(email.link, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert "The address is confirmed" in ada.site.client.post(email.link).text
    assert ada.call("GET", "/agents/me/email").json() == {"email": "ada@example.org"}
    assert ada.site.get(f"{email.link}x").status_code == 404

    tell(ada, "It happened")
    sent = database.read_now(lambda db: emails.list_emails(db, 10, None)).items
    assert sorted(each.subject for each in sent) == ["Confirm your address", "It happened"]
    assert database.write_now(lambda db: do_due(db, settings(tmp_path))) == 2

    assert ada.call("DELETE", "/agents/me/email").status_code == 204
    assert ada.call("GET", "/agents/me/email").json() == {"email": None}


def test_nobody_can_be_sent_many_confirmations(ada):
    statuses = [ada.call("POST", "/agents/me/email", {"email": "victim@example.org"}).status_code for _ in range(6)]

    assert statuses == [202] * 5 + [429]
    assert ada.call("POST", "/agents/me/email", {"email": "no address"}).json()["code"] == "bad_email_address"
