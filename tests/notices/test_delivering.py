"""Events are posted to webhooks, signed, again if that fails, and never into the hub's own network."""

import hashlib
import hmac
import json
import time
from datetime import timedelta
from typing import Any

import pytest

from tests import make
from tests.kit.test_fetching import names  # noqa: F401 - a fixture
from tests.notices.working import SECRET, do_and_die, do_due, hurry, pauses, settings
from tests.pages import Pages
from viva.agents.model import Agent
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.notices import deliveries, delivering, store, webhooks
from viva.notices.model import Delivery, Webhook
from viva.notices.notifying import notify
from viva.notices.signing import webhook_secret
from viva.notices.webhook_urls import BadWebhookUrl, check_webhook_url


@pytest.fixture
def ada(db: Connection) -> Agent:
    return make.agent(db, "ada")


def tell(db: Connection, ada: Agent, subject: str = "It happened") -> None:
    notify(db, "thing.happened", [ada.id], subject, "See.", "/things/1", {"thing_id": 1})


def log_of(db: Connection, hook: Webhook) -> list[Delivery]:
    return deliveries.list_deliveries(db, hook.id, 200, None).items


def now_of(db: Connection, hook: Webhook) -> Webhook:
    return webhooks.get(db, hook.account_id, hook.id)


def test_an_event_is_posted_and_signed(db, tmp_path, ada):
    with Pages({"/hook": "thanks"}) as pages:
        hook = webhooks.add(db, ada.id, pages.url("/hook"), ["thing.happened"])
        tell(db, ada)

        assert do_due(db, settings(tmp_path, hosts=(pages.host,))) == 1

    (delivery,) = log_of(db, hook)
    ((path, headers),) = pages.seen
    (body,) = pages.posted
    content = json.loads(body)
    assert content.pop("created_at")
    assert content == {
        "id": delivery.id,
        "event": "thing.happened",
        "subject": "It happened",
        "text": "See.",
        "link": "https://hub.example/things/1",
        "data": {"thing_id": 1},
    }
    assert (path, headers["content-type"], headers["viva-event"]) == ("/hook", "application/json", "thing.happened")
    assert headers["viva-delivery"] == delivery.id
    assert is_from_hub(webhook_secret(SECRET, hook.id), headers["viva-signature"], body)
    assert not is_from_hub(webhook_secret(SECRET, "hook_2"), headers["viva-signature"], body)
    assert not {"authorization", "cookie"} & headers.keys()
    assert (delivery.status, delivery.tries, delivery.response_status, delivery.reason) == ("delivered", 1, 200, None)


def is_from_hub(secret: str, header: str, body: bytes) -> bool:
    """As docs/howto/notices.md has it."""
    parts = dict(part.split("=", 1) for part in header.split(","))
    expected = hmac.new(secret.encode(), parts["t"].encode() + b"." + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, parts["v1"]) and abs(time.time() - int(parts["t"])) < 300


def test_the_database_does_not_hold_the_secret(db, ada):
    hook = webhooks.add(db, ada.id, "https://ada.example/", ["*"])

    secret = webhook_secret(SECRET, hook.id)

    assert len(secret) == 49
    assert secret not in str(db.execute("SELECT * FROM webhooks").fetchall())


@pytest.mark.parametrize("trouble", [500, 404, 302])
def test_a_failing_address_is_tried_again_later_each_time(db, tmp_path, ada, trouble):
    answers: dict[str, Any] = {"/hook": trouble}
    with Pages(answers) as pages:
        hook = webhooks.add(db, ada.id, pages.url("/hook"), ["*"])
        tell(db, ada)
        waited = []
        for _ in range(4):
            do_due(db, settings(tmp_path, hosts=(pages.host,)))
            waited += pauses(db)
            hurry(db)
        assert waited == [0, 1, 10, 60]
        answers["/hook"] = "thanks"
        do_due(db, settings(tmp_path, hosts=(pages.host,)))

    (delivery,) = log_of(db, hook)
    assert (delivery.status, delivery.tries) == ("delivered", 5)
    assert len(set(pages.posted)) == 1
    assert {headers["viva-delivery"] for _, headers in pages.seen} == {delivery.id}
    assert [path for path, _ in pages.seen] == ["/hook"] * 5  # no redirect was followed
    assert now_of(db, hook).failures == 0


def test_after_failures_in_a_row_the_webhook_is_switched_off_until_a_test_succeeds(db, tmp_path, ada):
    answers: dict[str, Any] = {"/hook": 500}
    with Pages(answers) as pages:
        of = settings(tmp_path, hosts=(pages.host,))
        hook = webhooks.add(db, ada.id, pages.url("/hook"), ["*"])
        for number in range(5):
            tell(db, ada, f"number {number}")
        for _ in range(5):
            do_due(db, of)
            hurry(db)

        assert [delivery.status for delivery in log_of(db, hook)] == ["failed"] * 5
        assert (now_of(db, hook).is_active, now_of(db, hook).failures) == (False, 5)
        events = [notice.event for notice in store.list_notices(db, ada.id, None, 50, None).items]
        assert events.count("webhook.switched_off") == 1

        tell(db, ada, "while it is off")
        assert (do_due(db, of), len(pages.seen)) == (0, 25)

        answers["/hook"] = "thanks"
        deliveries.add(db, hook.id, delivering.TEST_CONTENT)
        do_due(db, of)
        assert (now_of(db, hook).is_active, now_of(db, hook).failures) == (True, 0)

        tell(db, ada, "after that")
        do_due(db, of)
    assert json.loads(pages.posted[-1])["subject"] == "after that"


def test_what_waits_when_a_webhook_is_switched_off_is_not_sent(db, tmp_path, ada):
    with Pages({"/hook": "thanks"}) as pages:
        hook = webhooks.add(db, ada.id, pages.url("/hook"), ["*"])
        tell(db, ada)
        db.execute("UPDATE webhooks SET is_active = FALSE")
        do_due(db, settings(tmp_path, hosts=(pages.host,)))

    (delivery,) = log_of(db, hook)
    assert (delivery.status, delivery.reason, pages.seen) == ("failed", "The webhook is switched off.", [])


def test_a_test_event_is_tried_once(db, tmp_path, ada):
    with Pages({"/hook": 500}) as pages:
        hook = webhooks.add(db, ada.id, pages.url("/hook"), [])
        deliveries.add(db, hook.id, delivering.TEST_CONTENT)
        do_due(db, settings(tmp_path, hosts=(pages.host,)))

    (delivery,) = log_of(db, hook)
    assert (delivery.status, delivery.reason) == ("failed", "The page answered with status 500.")
    assert (pauses(db), now_of(db, hook).failures) == ([], 0)


def test_a_worker_that_dies_after_posting_posts_the_same_again(db, tmp_path, ada):
    with Pages({"/hook": "thanks"}) as pages:
        of = settings(tmp_path, hosts=(pages.host,))
        hook = webhooks.add(db, ada.id, pages.url("/hook"), ["*"])
        tell(db, ada)
        do_and_die(db, of)
        assert log_of(db, hook)[0].status == "waiting"
        do_due(db, of)

    first, second = pages.posted
    assert first == second
    assert log_of(db, hook)[0].status == "delivered"


def test_a_deleted_webhook_gets_nothing_that_waited(db, tmp_path, ada):
    with Pages({"/hook": "thanks"}) as pages:
        hook = webhooks.add(db, ada.id, pages.url("/hook"), ["*"])
        tell(db, ada)
        webhooks.drop(db, ada.id, hook.id)
        do_due(db, settings(tmp_path, hosts=(pages.host,)))

    assert pages.seen == []


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1"])
def test_a_name_that_leads_into_our_own_network_gets_nothing(db, tmp_path, ada, names, address):  # noqa: F811
    names["innocent.example"] = [address]
    hook = webhooks.add(db, ada.id, "https://innocent.example/", ["*"])
    tell(db, ada)
    do_due(db, settings(tmp_path))

    assert log_of(db, hook)[0].reason == "The host has to have a public address."


def test_a_host_that_is_no_longer_listed_gets_nothing_by_http(db, tmp_path, ada, names):  # noqa: F811
    names["public.example"] = ["8.8.8.8"]
    hook = webhooks.add(db, ada.id, "http://public.example/", ["*"])  # while it was listed
    tell(db, ada)
    do_due(db, settings(tmp_path))

    assert "asked" not in names
    assert log_of(db, hook)[0].reason == BadWebhookUrl.__doc__


def test_the_log_of_a_webhook_is_bounded(db, tmp_path, ada, monkeypatch):
    monkeypatch.setattr(deliveries, "MAX_DELIVERIES_KEPT", 2)
    with Pages({"/hook": "thanks"}) as pages:
        hook = webhooks.add(db, ada.id, pages.url("/hook"), ["*"])
        for number in range(4):
            time.sleep(0.002)  # ids sort by milliseconds
            tell(db, ada, f"number {number}")
        do_due(db, settings(tmp_path, hosts=(pages.host,)))

    assert len(pages.seen) == 4
    assert len(log_of(db, hook)) == 2


def test_a_delivery_that_lost_its_job_is_deleted(db, tmp_path, ada):
    with Pages({"/hook": "thanks"}) as pages:
        hook = webhooks.add(db, ada.id, pages.url("/hook"), ["*"])
        tell(db, ada)
        tell(db, ada)
        db.execute("DELETE FROM jobs")
        db.execute("UPDATE webhook_deliveries SET created_at = ?", [now() - timedelta(days=3)])
        tell(db, ada)
        do_due(db, settings(tmp_path, hosts=(pages.host,)))

    assert [delivery.status for delivery in log_of(db, hook)] == ["delivered"]


def test_an_account_has_five_webhooks_at_most_however_many_it_adds_at_once(database):
    ada = database.write_now(lambda db: make.agent(db, "ada"))

    def add() -> None:
        database.write_now(lambda db: webhooks.add(db, ada.id, "https://ada.example/", ["*"]))

    outcomes = make.together(*[add] * 8)

    refused = [outcome for outcome in outcomes if outcome is not None]
    assert len(refused) == 3
    assert all(isinstance(outcome, webhooks.TooManyWebhooks) for outcome in refused)


@pytest.mark.parametrize(
    ("url", "hosts"),
    [
        ("http://public.example/", ()),
        ("http://public.example/", ("*",)),
        ("https://127.0.0.1/", ()),
        ("https://[::1]/", ()),
        ("https://169.254.169.254/latest/meta-data", ()),
        ("https://user:password@public.example/", ()),
        ("ftp://public.example/", ("public.example",)),
        ("https://", ()),
        ("https://public.example/\n", ()),
        ("https://public.example/" + "x" * 2_000, ()),
    ],
)
def test_an_address_that_no_webhook_may_have(url, hosts):
    with pytest.raises(BadWebhookUrl):
        check_webhook_url(url, hosts)


def test_addresses_that_a_webhook_may_have():
    check_webhook_url("https://public.example:8443/hook?a=b", ())
    check_webhook_url("http://127.0.0.1:8080/", ("127.0.0.1:8080",))
