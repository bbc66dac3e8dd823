"""Limits of contributors: open drafts and submissions of a day, for each contributor and each address."""

import time
from typing import Any

import pytest

from tests import make
from tests.contributions.proposals import by_agent, by_mail, proposal
from viva.contributions import drafting, limiting, store, submitting
from viva.contributions.drafting import NewDraft
from viva.contributions.limiting import TooManyDrafts, TooManySubmissions, TooManyValidations
from viva.contributions.model import Contributor, Proposal
from viva.contributions.ownership import Editor
from viva.exams.model import HubFacts
from viva.kit.db import Connection
from viva.kit.events import actor_at

UNLIMITED = HubFacts(make.HALL.secret, make.HALL.base_url, limits_contributors=False)


@pytest.fixture(autouse=True)
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules are the same with fewer drafts, and the tests are shorter."""
    monkeypatch.setattr(limiting, "MAX_OPEN_DRAFTS", 3)
    monkeypatch.setattr(limiting, "MAX_SUBMISSIONS_PER_DAY", 2)


def test_the_limits_are_those_of_the_specification(monkeypatch):
    monkeypatch.undo()

    assert (limiting.MAX_OPEN_DRAFTS, limiting.MAX_SUBMISSIONS_PER_DAY) == (20, 5)


def call_from(db: Connection, address: str) -> None:
    db.actor = actor_at("api", make.HALL.secret, address)


def create(db: Connection, contributor: Contributor, hub: HubFacts = make.HALL) -> NewDraft:
    return drafting.create(db, hub, proposal(), contributor)


def submit(db: Connection, draft: NewDraft, hub: HubFacts = make.HALL) -> None:
    held = draft.contribution
    submitting.submit(db, hub, Editor(held, "contributor", held.contributor_id, "Mia"), held.id)


@pytest.mark.parametrize("has_account", [True, False])
def test_rate_limiting_prevents_abuse(db, has_account):
    contributor = by_agent(make.agent(db, "ada")) if has_account else by_mail("Mia")
    drafts = []
    for number in range(3):
        call_from(db, f"192.0.2.{number}")
        drafts.append(create(db, contributor))

    call_from(db, "192.0.2.99")
    with pytest.raises(TooManyDrafts) as refused:
        create(db, contributor)
    for draft in drafts[:2]:
        submit(db, draft)
    create(db, contributor)
    with pytest.raises(TooManySubmissions) as refused_submission:
        submit(db, drafts[2])

    assert refused.value.retry_after == 3600
    assert 0 < (refused_submission.value.retry_after or 0) <= 24 * 3600
    create(db, by_mail("Otto"))


def test_an_address_counts_whatever_name_it_gives(db):
    for number in range(3):
        call_from(db, f"2001:db8:1:2::{number}")
        submitted = create(db, by_mail(f"Mia{number}"))
        if number:
            submit(db, submitted)

    call_from(db, "2001:db8:1:2:ffff::1")
    last = create(db, by_mail("Otto"))
    with pytest.raises(TooManySubmissions), make.unit(db):
        submit(db, last)
    create(db, by_mail("Pia"))
    with pytest.raises(TooManyDrafts):
        create(db, by_mail("Nora"))
    call_from(db, "2001:db8:1:3::1")  # another subscriber
    submit(db, create(db, by_mail("Nora")))


def test_the_address_itself_is_not_stored(db):
    call_from(db, "192.0.2.7")
    create(db, by_mail())

    rows = db.execute("SELECT address_hash FROM evaluation_contributions").fetchall()
    assert rows == [(db.actor.address_hash,)]
    assert "192.0.2" not in str(rows) + str(db.execute("SELECT * FROM limit_counters").fetchall())


def test_a_hub_without_rate_limit_has_none_here(db):
    call_from(db, "192.0.2.7")

    for _ in range(4):
        submit(db, create(db, by_mail(), UNLIMITED), UNLIMITED)
        create(db, by_mail(), UNLIMITED)

    assert store.count_drafts(db, "contributor_email", "mia@example.org") == 4


def test_a_draft_with_errors_is_no_submission(db):
    for _ in range(4):
        made = drafting.create(db, make.HALL, proposal(name=""), by_mail())
        submit(db, made)
        drafting.delete(db, Editor(made.contribution, "contributor", None, "Mia"), made.contribution.id)

    submit(db, create(db, by_mail()))


def test_ten_parallel_requests_do_not_pass_the_limit(database, monkeypatch):
    count_drafts = store.count_drafts

    def count_slowly(db: Connection, column: str, value: str) -> int:
        counted = count_drafts(db, column, value)
        time.sleep(0.02)  # long enough for the others to count the same, if nothing keeps them from it
        return counted

    monkeypatch.setattr(store, "count_drafts", count_slowly)

    def create_at(number: int) -> Any:
        def unit(db: Connection) -> Any:
            call_from(db, "192.0.2.7")
            return create(db, by_mail(f"Mia{number % 2}"))

        return database.write_now(unit)

    outcomes = make.together(*[lambda number=number: create_at(number) for number in range(10)])

    made = [outcome for outcome in outcomes if isinstance(outcome, NewDraft)]
    assert len(made) == 3
    assert sum(isinstance(outcome, TooManyDrafts) for outcome in outcomes) == 7

    def submit_at(draft: NewDraft) -> Any:
        def unit(db: Connection) -> None:
            call_from(db, "192.0.2.7")
            submit(db, draft)

        return database.write_now(unit)

    outcomes = make.together(*[lambda draft=draft: submit_at(draft) for draft in made])

    assert sorted(isinstance(outcome, TooManySubmissions) for outcome in outcomes) == [False, False, True]


def test_validations_are_limited_since_each_keeps_a_writer_busy(db, monkeypatch):
    """A try that finds errors counts, too."""
    monkeypatch.setattr(limiting, "MAX_VALIDATIONS_PER_MINUTE", 2)
    monkeypatch.setattr(time, "time", lambda: 1_000_000_000.0)
    drafts = [drafting.create(db, make.HALL, Proposal(name="Empty"), by_mail(name)) for name in ("Mia", "Otto")]
    call_from(db, "192.0.2.1")
    for _ in range(2):
        submit(db, drafts[0])

    for draft in drafts:
        with pytest.raises(TooManyValidations), make.unit(db):
            submit(db, draft)

    call_from(db, "192.0.2.2")
    with pytest.raises(TooManyValidations), make.unit(db):
        submit(db, drafts[0])
    submit(db, drafts[1])
    submit(db, drafts[0], UNLIMITED)
