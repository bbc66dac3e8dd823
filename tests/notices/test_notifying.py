"""Notices are written with what they are about, once for each recipient, and never more than a mailbox may get."""

import time
from functools import partial

import pytest

from tests import make
from tests.web.counting import CountingConnection
from viva.agents import accounts
from viva.agents.model import Agent
from viva.jobs import queue
from viva.kit.db import Connection
from viva.notices import addresses, deliveries, emails, notifying, store, webhooks
from viva.notices.notifying import clean_line, notify


def tell(db: Connection, *recipients: str, event: str = "thing.happened", subject: str = "It happened") -> None:
    time.sleep(0.002)  # ids sort by milliseconds
    notify(db, event, recipients, subject, "A thing has happened.", "/things/1", {"thing_id": 1})


def notices_of(db: Connection, account_id: str, is_unread: bool | None = None) -> list[str]:
    return [notice.subject for notice in store.list_notices(db, account_id, is_unread, 200, None).items]


def works(db: Connection) -> list[str]:
    return sorted(job.work for job in queue.list_jobs(db, None, 200, None).items)


def test_an_account_finds_a_notice_with_everything_in_it(db):
    ada = make.agent(db, "ada")

    tell(db, ada.id)

    (notice,) = store.list_notices(db, ada.id, None, 10, None).items
    assert (notice.event, notice.subject, notice.text) == ("thing.happened", "It happened", "A thing has happened.")
    assert (notice.link, notice.data, notice.read_at) == ("/things/1", {"thing_id": 1}, None)
    assert store.count_unread(db, ada.id) == 1
    assert works(db) == []


def test_accounts_without_address_and_webhook_cost_one_statement(db):
    people = [make.agent(db, name).id for name in ("ada", "paul", "pia")]
    told: list[str] = []

    tell(CountingConnection(db, told), *people)

    assert len(told) == 1
    assert [store.count_unread(db, account_id) for account_id in people] == [1, 1, 1]


def test_each_recipient_is_notified_once(db):
    ada = make.agent(db, "ada")

    tell(db, ada.id, "pia@example.org", ada.id, "pia@example.org")

    assert notices_of(db, ada.id) == ["It happened"]
    assert [email.address for email in emails.list_emails(db, 10, None).items] == ["pia@example.org"]
    assert works(db) == ["send_email"]


def test_nothing_is_left_if_the_transaction_fails(database):
    ada = database.write_now(lambda db: make.agent(db, "ada"))

    def fail(db: Connection) -> None:
        tell(db, ada.id, "pia@example.org")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        database.write_now(fail)

    assert database.read_now(lambda db: (notices_of(db, ada.id), works(db))) == ([], [])


def test_an_account_with_a_confirmed_address_gets_an_e_mail_too(db):
    ada = make.agent(db, "ada")
    addresses.put_address(db, ada.id, "ada@example.org")

    tell(db, ada.id)

    (email,) = emails.list_emails(db, 10, None).items
    assert (email.account_id, email.address, email.status) == (ada.id, "ada@example.org", "waiting")
    assert email.link == "/things/1"


def test_a_webhook_gets_the_events_that_it_wants(db):
    ada = make.agent(db, "ada")
    some = webhooks.add(db, ada.id, "https://ada.example/some", ["thing.happened"])
    every = webhooks.add(db, ada.id, "https://ada.example/every", ["*"])
    other = webhooks.add(db, ada.id, "https://ada.example/other", ["other.thing"])
    foreign = webhooks.add(db, make.agent(db, "paul").id, "https://paul.example/", ["*"])

    tell(db, ada.id)

    counts = [len(deliveries.list_deliveries(db, hook.id, 10, None).items) for hook in (some, every, other, foreign)]
    assert counts == [1, 1, 0, 0]
    assert works(db) == ["deliver_webhook", "deliver_webhook"]


def test_a_stranger_s_mailbox_cannot_be_flooded(db):
    for number in range(15):
        tell(db, ("victim@example.org", "Victim@example.org", f"victim+{number}@example.org")[number % 3])
    tell(db, "other@example.org")

    written = [email.address for email in emails.list_emails(db, 50, None).items]
    assert len(written) == 11
    assert written[0] == "other@example.org"


def test_a_webhook_gets_a_bounded_number_a_day(db, monkeypatch):
    monkeypatch.setattr(deliveries, "MAX_DELIVERIES_PER_DAY", 3)
    ada = make.agent(db, "ada")
    hook = webhooks.add(db, ada.id, "https://ada.example/", ["*"])

    for _ in range(5):
        tell(db, ada.id)

    assert len(deliveries.list_deliveries(db, hook.id, 10, None).items) == 3
    assert store.count_unread(db, ada.id) == 5


@pytest.mark.parametrize(
    "address",
    [
        "a@b",
        "a@1.2",
        "a@-b.org",
        "a@@example.org",
        ".a@example.org",
        "ü@example.org",
        "a b@example.org",
        '"a b"@example.org',
        "a@example.org>",
        "a@example.org\nBcc: b@example.org",
        f"{'a' * 65}@example.org",
        f"a@{'b.' * 130}org",
    ],
)
def test_no_e_mail_goes_to_what_is_not_an_address(db, address):
    tell(db, address, "pia@example.org")

    assert not addresses.is_address(address)
    assert [email.address for email in emails.list_emails(db, 10, None).items] == ["pia@example.org"]


def test_a_subject_is_one_printable_line():
    assert clean_line("Ada\r\nBcc: paul@example.org\x00\u2028\u202egro\ud800") == "Ada Bcc: paul@example.org gro"
    assert clean_line("  日本  🎓 ") == "日本 🎓"
    assert len(clean_line("x" * 100_000)) == 200


def test_a_text_keeps_its_lines(db):
    assert notifying.clean_text("one\r\ntwo\x00\rthree\ud800\n") == "one\ntwo  three"
    assert len(notifying.clean_text("x" * 100_000)) == 4_000


def test_reading_marks_only_the_own_notices(db):
    ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
    for subject in ("first", "second", "third"):
        tell(db, ada.id, paul.id, subject=subject)
    newest, middle, oldest = store.list_notices(db, ada.id, None, 10, None).items

    assert store.mark_read(db, paul.id, [newest.id]) == 0
    assert store.mark_read(db, ada.id, [newest.id, newest.id]) == 1
    assert notices_of(db, ada.id, True) == ["second", "first"]
    assert notices_of(db, ada.id, False) == ["third"]

    assert store.mark_read_until(db, ada.id, oldest.id) == 1
    assert notices_of(db, ada.id, True) == [middle.subject]
    assert store.count_unread(db, paul.id) == 3


def test_the_oldest_notices_go_when_there_are_too_many(db, monkeypatch):
    monkeypatch.setattr(store, "MAX_NOTICES_PER_ACCOUNT", 3)
    ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
    tell(db, paul.id)
    for number in range(5):
        tell(db, ada.id, subject=f"number {number}")

    assert store.forget_oldest(db) == 2
    assert notices_of(db, ada.id) == ["number 4", "number 3", "number 2"]
    assert notices_of(db, paul.id) == ["It happened"]
    assert store.forget_oldest(db) == 0


def test_a_deleted_account_takes_everything_with_it_and_gets_nothing_more(db):
    ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
    for person in (ada, paul):
        addresses.put_address(db, person.id, f"{person.name}@example.org")
        webhooks.add(db, person.id, f"https://{person.name}.example/", ["*"])
    tell(db, ada.id, paul.id)

    accounts.delete(db, ada)
    tell(db, ada.id, paul.id)
    addresses.put_address(db, ada.id, "late@example.org")

    for table in ("notices", "notice_addresses", "notice_emails", "webhooks"):
        owners = {owner for (owner,) in db.execute(f"SELECT account_id FROM {table}").fetchall()}
        assert owners == {paul.id}, table
    kept = db.execute("SELECT DISTINCT w.account_id FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id")
    assert kept.fetchall() == [(paul.id,)]
    (job,) = [job for job in queue.list_jobs(db, None, 50, None).items if job.work == "remove_outbox_files"]
    assert len(job.data["email_ids"]) == 1


def test_a_notice_never_follows_a_deletion_that_happens_at_once(database):
    def delete_and_tell(ada: Agent) -> None:
        make.together(
            lambda: database.write_now(lambda db: accounts.delete(db, ada)),
            *[lambda: database.write_now(lambda db: tell(db, ada.id)) for _ in range(4)],
        )

    for number in range(5):
        delete_and_tell(database.write_now(partial(make.agent, name=f"ada-{number}")))

    assert database.read_now(lambda db: db.execute("SELECT count(*) FROM notices").fetchone()[0]) == 0
