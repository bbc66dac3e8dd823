"""Exams that are passed or failed at once: one challenge for each attempt, in its time, used once, on both databases."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from msgspec import structs

from tests import make
from tests.exams.simple import solved
from tests.pages import Pages
from tests.values import require
from viva.agents import accounts, owners
from viva.agents import store as agents
from viva.agents.accounts import Account
from viva.evaluations.sip import Executable
from viva.exams import (
    account_deletion,
    attempts,
    challenges,
    claiming,
    expiring,
    page_proofs,
    registering,
    starting,
    store,
    submitting,
)
from viva.exams.challenges import AlreadyHandedIn, TimeIsOver
from viva.exams.claiming import LinkIsOver, LinkWasUsed
from viva.exams.handlers import identity_check
from viva.exams.handlers.account_verification import NoPagesFetched, NotClaimed
from viva.exams.model import HubFacts
from viva.jobs import queue
from viva.jobs.model import Job
from viva.kit.clock import now
from viva.kit.db import Connection, Database
from viva.kit.errors import Invalid
from viva.kit.fetching import Fetcher
from viva.results import listing
from viva.results.model import NamedResult

WORK, IDENTITY, ACCOUNT = "simple-work", "simple-identity", "simple-account"
HANDLERS = {WORK: "proof_of_agentic_work", IDENTITY: "identity_check", ACCOUNT: "account_verification"}


def evaluation(db: Connection, id_: str, **config: Any) -> None:
    number = 70 + list(HANDLERS).index(id_)
    executable = Executable(HANDLERS[id_], None)
    make.evaluation(db, sip=number, id=id_, type="simple_pass_fail", config=config, executable=executable)


def ada_in(db: Connection, id_: str, **config: Any) -> Account:
    """A candidate who is registered for the evaluation."""
    evaluation(db, id_, **config)
    ada = accounts.register(db, "ada", "An agent that sits exams for others.")
    registering.register(db, id_, ada.agent)
    return ada


def start(db: Connection, id_: str, who: Account, hosts: tuple[str, ...] = ()) -> dict[str, Any]:
    return starting.start(db, hall(hosts), id_, who.agent, who.key.hash).details


def submit(
    db: Connection, id_: str, who: Account, body: dict[str, Any], hosts: tuple[str, ...] = ()
) -> submitting.SubmittedAttempt:
    return submitting.submit(db, submitting.exam_of(db, hall(hosts), id_, who.agent, who.key.hash), body)


def hall(hosts: tuple[str, ...]) -> HubFacts:
    return structs.replace(make.HALL, proof_hosts=hosts)


def answered(shown: dict[str, Any], answer: str | None = None) -> dict[str, Any]:
    return {"challenge_id": shown["challenge_id"], "answer": solved(shown) if answer is None else answer}


def by_link(shown: dict[str, Any]) -> dict[str, Any]:
    return {"challenge_id": shown["challenge_id"], "method": "link"}


def by_url(shown: dict[str, Any], url: str) -> dict[str, Any]:
    return {"challenge_id": shown["challenge_id"], "method": "url", "url": url}


def token(shown: dict[str, Any]) -> str:
    return str(shown["claim_url"]).rpartition("/")[2]


def confirm(db: Connection, shown: dict[str, Any]) -> None:
    claiming.confirm(db, make.HALL.secret, token(shown), "Ada's house")


def let_pass(db: Connection, shown: dict[str, Any]) -> None:
    """Let the time of the challenge be over."""
    db.execute(
        "UPDATE evaluation_challenges SET issued_at = ?, expires_at = ? WHERE id = ?",
        [now() - timedelta(hours=2), now() - timedelta(seconds=1), shown["challenge_id"]],
    )


def status_of(db: Connection, who: Account, id_: str) -> str | None:
    return store.find_last_status(db, who.agent.id, id_)


def counts(db: Connection) -> list[int]:
    tables = ("evaluation_attempts", "evaluation_results", "evaluation_answers", "jobs")
    return [db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]


# One challenge for each attempt


@pytest.mark.parametrize("id_", HANDLERS)
def test_starting_again_gives_the_same_challenge(db, id_):
    ada = ada_in(db, id_)

    first, second = start(db, id_, ada), start(db, id_, ada)

    assert first == second
    exam = submitting.exam_of(db, make.HALL, id_, ada.agent, ada.key.hash)
    again = starting.show_again(db, exam, first["challenge_id"])
    assert again == first


@pytest.mark.parametrize("id_", HANDLERS)
def test_the_time_of_a_challenge_is_that_of_the_config(db, id_):
    shown = start(db, id_, ada_in(db, id_, minutes=7))

    times = [datetime.fromisoformat(shown[name]) for name in ("issued_at", "expires_at")]
    assert times[1] - times[0] == timedelta(minutes=7)


def test_a_right_answer_passes_and_uses_the_challenge_up(db):
    ada = ada_in(db, WORK)
    shown = start(db, WORK, ada)

    result, job = submit(db, WORK, ada, answered(shown))

    assert job is None
    assert result is not None
    assert (result.passed, result.points_earned, result.score) == (True, 10, None)
    assert status_of(db, ada, WORK) == "completed"
    with pytest.raises(AlreadyHandedIn):
        submit(db, WORK, ada, answered(shown))


def test_a_wrong_answer_fails_and_uses_the_challenge_up(db):
    ada = ada_in(db, WORK)
    shown = start(db, WORK, ada)

    result, _ = submit(db, WORK, ada, answered(shown, "0" * 64))

    assert result is not None
    assert (result.passed, result.points_earned) == (False, 0)
    assert status_of(db, ada, WORK) == "failed"
    with pytest.raises(AlreadyHandedIn):
        submit(db, WORK, ada, answered(shown))


def test_another_try_gets_another_challenge(db):
    ada = ada_in(db, WORK)
    first = start(db, WORK, ada)
    submit(db, WORK, ada, answered(first, "wrong"))

    registering.register(db, WORK, ada.agent)
    second = start(db, WORK, ada)

    assert second["challenge_id"] != first["challenge_id"]
    assert second["nonce"] != first["nonce"]
    with pytest.raises(Invalid):
        submit(db, WORK, ada, answered(first))


def test_a_body_that_does_not_fit_uses_nothing_up(db):
    ada = ada_in(db, WORK)
    shown = start(db, WORK, ada)

    with pytest.raises(Invalid), make.unit(db):
        submit(db, WORK, ada, {"answer": solved(shown)})

    assert counts(db) == [0, 0, 0, 0]
    assert submit(db, WORK, ada, answered(shown)).result is not None


@pytest.mark.parametrize("id_", HANDLERS)
def test_after_its_time_a_challenge_is_over(db, id_):
    ada = ada_in(db, id_)
    shown = start(db, id_, ada)
    let_pass(db, shown)
    exam = submitting.exam_of(db, make.HALL, id_, ada.agent, ada.key.hash)

    with pytest.raises(TimeIsOver):
        starting.show_again(db, exam, shown["challenge_id"])
    with pytest.raises(TimeIsOver), make.unit(db):
        submit(db, id_, ada, answered(shown, ""))
    assert expiring.end_overdue(db) == 1
    with pytest.raises(TimeIsOver):
        submit(db, id_, ada, answered(shown, ""))

    assert status_of(db, ada, id_) == "expired"
    assert counts(db) == [0, 0, 0, 0]


def test_the_answer_to_somebody_else_s_challenge_is_none(db):
    ada = ada_in(db, WORK)
    bob = accounts.register(db, "bob", "")
    registering.register(db, WORK, bob.agent)
    shown = start(db, WORK, ada)
    start(db, WORK, bob)

    with pytest.raises(Invalid, match="not the id of your challenge"):
        submit(db, WORK, bob, answered(shown))


# The identity check


def test_an_identity_is_proven_with_the_key_of_the_call(db):
    ada = ada_in(db, IDENTITY)
    shown = start(db, IDENTITY, ada)
    proof = identity_check.proof_of(ada.key.hash, shown["nonce"], "ada")

    result, _ = submit(db, IDENTITY, ada, {"challenge_id": shown["challenge_id"], "name": "ada", "proof": proof})

    assert result is not None
    assert result.passed
    assert ada.key.hash not in str(attempts.find_of(db, result.registration_id))


def test_the_profile_counts_as_it_stands_when_it_is_handed_in(db):
    ada = ada_in(db, IDENTITY, min_description=30)
    shown = start(db, IDENTITY, ada)
    changed = Account(accounts.change(db, ada.agent, "ada the second", "short"), ada.key)
    proof = identity_check.proof_of(ada.key.hash, shown["nonce"], "ada")

    body = {"challenge_id": shown["challenge_id"], "name": "ada", "proof": proof}
    result, _ = submit(db, IDENTITY, changed, body)

    assert result is not None
    assert [each["met"] for each in (result.result_data or {})["criteria"]] == [True, False, False]


# The claim link


def test_a_link_tells_who_asks_for_what(db):
    ada = ada_in(db, ACCOUNT)

    asked = claiming.read_claim_request(db, make.HALL.secret, token(start(db, ACCOUNT, ada)))

    assert (asked.agent, asked.evaluation.id, asked.claimed_at) == (ada.agent, ACCOUNT, None)


def test_a_link_counts_once_it_is_confirmed(db):
    ada = ada_in(db, ACCOUNT)
    shown = start(db, ACCOUNT, ada)

    with pytest.raises(NotClaimed), make.unit(db):
        submit(db, ACCOUNT, ada, by_link(shown))
    assert counts(db) == [0, 0, 0, 0]
    confirm(db, shown)
    result, _ = submit(db, ACCOUNT, ada, by_link(shown))

    assert result is not None
    assert result.passed
    assert claiming.read_claim_request(db, make.HALL.secret, token(shown)).claimed_at is not None


def test_a_link_works_once(db):
    shown = start(db, ACCOUNT, ada_in(db, ACCOUNT))
    confirm(db, shown)

    with pytest.raises(LinkWasUsed):
        confirm(db, shown)


def test_a_link_ends_with_its_challenge(db):
    ada = ada_in(db, ACCOUNT)
    shown = start(db, ACCOUNT, ada)
    let_pass(db, shown)

    for _ in range(2):
        with pytest.raises(LinkIsOver):
            confirm(db, shown)
        with pytest.raises(LinkIsOver):
            claiming.read_claim_request(db, make.HALL.secret, token(shown))
        expiring.end_overdue(db)


def test_a_link_ends_with_its_attempt(db):
    ada = ada_in(db, ACCOUNT)
    shown = start(db, ACCOUNT, ada)
    registering.cancel(db, ACCOUNT, ada.agent)

    with pytest.raises(LinkIsOver):
        confirm(db, shown)


def test_the_link_of_one_attempt_does_not_serve_the_next(db):
    ada = ada_in(db, ACCOUNT)
    confirm(db, start(db, ACCOUNT, ada))
    registering.cancel(db, ACCOUNT, ada.agent)
    registering.register(db, ACCOUNT, ada.agent)

    with pytest.raises(NotClaimed):
        submit(db, ACCOUNT, ada, by_link(start(db, ACCOUNT, ada)))


def test_nobody_confirms_by_saving_an_answer(db):
    ada = ada_in(db, ACCOUNT)
    shown = start(db, ACCOUNT, ada)
    exam = submitting.exam_of(db, make.HALL, ACCOUNT, ada.agent, ada.key.hash)

    with pytest.raises(submitting.NoQuestions):
        submitting.save_answers(db, exam, {"claim": {"claimed_at": "2026-11-15T12:00:00Z"}})
    with pytest.raises(NotClaimed):
        submit(db, ACCOUNT, ada, by_link(shown))


# The proof on a page


def fetched(db: Connection, fetcher: Fetcher, lease: float = 30) -> Job:
    """The job that is due, done as a worker does it."""
    db.execute("UPDATE jobs SET due_at = ? WHERE status = 'waiting'", [now() - timedelta(seconds=1)])
    job = queue.take(db, lease)
    assert job is not None
    work = page_proofs.work(fetcher)
    task = work.read(db, job.data)
    reason = work.keep(db, task, work.think(task), job.is_at_last_try)
    return queue.finish(db, job) if reason is None else queue.retry_later(db, job, reason)


def handed_in(db: Connection, ada: Account, pages: Pages, path: str = "/viva.txt") -> dict[str, Any]:
    hosts = (pages.host,)
    shown = start(db, ACCOUNT, ada, hosts)
    result, job = submit(db, ACCOUNT, ada, by_url(shown, pages.url(path)), hosts)
    assert result is None
    assert job is not None
    assert (job.work, job.status) == ("fetch_proof", "waiting")
    return shown


def result_of(db: Connection, ada: Account) -> NamedResult:
    (result,) = listing.list_results(db, listing.ResultFilter(ACCOUNT), "completed_at", 10, None).items
    assert result.agent_id == ada.agent.id
    return result


def test_a_page_with_the_proof_passes(db):
    ada = ada_in(db, ACCOUNT)
    with Pages({}) as pages:
        shown = handed_in(db, ada, pages)
        pages.pages["/viva.txt"] = f"I am ada.\n{shown['proof']}\n"
        job = fetched(db, Fetcher((pages.host,)))

    assert job.status == "done"
    result = result_of(db, ada)
    assert (result.passed, result.points_earned) == (True, 10)
    assert (result.result_data or {})["attempt"]["url"] == pages.url("/viva.txt")
    assert status_of(db, ada, ACCOUNT) == "completed"


def owner_after_page(db: Connection, hosts: tuple[str, ...], before: str | None = None) -> str | None:
    """The confirmed owner of an agent after a page with the proof, on a hub that fetches from these hosts."""
    ada = ada_in(db, ACCOUNT)
    if before:
        owners.confirm_owner(db, ada.agent.id, before)
    with Pages({}) as pages:
        shown = handed_in(db, ada, pages)
        pages.pages["/viva.txt"] = shown["proof"]
        work = page_proofs.work(Fetcher((pages.host,)))
        job = queue.take(db, 30)
        assert job is not None
        task = work.read(db, job.data)
        found = work.think(task)
    allowed = tuple(host.format(pages.host) for host in hosts)
    assert page_proofs.work(Fetcher(allowed)).keep(db, task, found, True) is None
    assert result_of(db, ada).passed
    return agents.profile(db, "ada").verified_owner


def test_a_page_proves_an_owner_only_on_a_host_that_a_maintainer_has_listed(db):
    assert owner_after_page(db, ("{}",)) == "127.0.0.1"


def test_a_page_on_any_other_host_proves_no_owner(db):
    assert owner_after_page(db, ("*",)) is None


def test_a_page_does_not_replace_a_confirmed_owner(db):
    assert owner_after_page(db, ("{}",), before="Ada's house") == "Ada's house"


def test_a_page_without_the_proof_fails(db):
    ada = ada_in(db, ACCOUNT)
    with Pages({"/viva.txt": "viva-proof-of somebody else"}) as pages:
        handed_in(db, ada, pages)
        job = fetched(db, Fetcher((pages.host,)))

    assert job.status == "done"
    result = result_of(db, ada)
    (criterion,) = (result.result_data or {})["criteria"]
    assert (result.passed, criterion["met"]) == (False, False)
    assert criterion["reason"] == "The page does not hold the proof."
    assert store.count_tries(db, [ada.agent.id], ACCOUNT).number == 1


UNREAD = "The page could not be read (ConnectError)."


@pytest.mark.parametrize(
    ("page", "hosts", "told"),
    [
        (404, ("{}",), "The page answered with status 404."),
        (302, ("{}",), "The page answered with status 302. Redirects are not followed."),
        (503, ("{}",), "The page answered with status 503."),
        ("a page that this hub may no longer fetch", ("*",), "The host has to have a public address."),
        (None, ("{}",), UNREAD),
    ],
)
def test_a_page_that_cannot_be_fetched_decides_nothing(db, page, hosts, told):
    ada = ada_in(db, ACCOUNT, max_tries=1)
    with Pages({} if page is None else {"/viva.txt": page}) as pages:
        handed_in(db, ada, pages)
        allowed = tuple(host.format(pages.host) for host in hosts)
        if page is not None:
            jobs = [fetched(db, Fetcher(allowed)) for _ in range(5)]
    if page is None:  # nobody listens there any more
        jobs = [fetched(db, Fetcher(allowed)) for _ in range(5)]

    assert [job.status for job in jobs] == ["waiting"] * 4 + ["failed"]
    assert jobs[-1].reason == told
    assert status_of(db, ada, ACCOUNT) == "cancelled"
    assert listing.list_results(db, listing.ResultFilter(ACCOUNT), "completed_at", 10, None).items == []
    assert store.count_tries(db, [ada.agent.id], ACCOUNT).number == 0
    assert registering.register(db, ACCOUNT, ada.agent).is_new


def test_a_page_that_comes_back_in_time_passes(db):
    ada = ada_in(db, ACCOUNT)
    with Pages({"/viva.txt": 503}) as pages:
        shown = handed_in(db, ada, pages)
        assert fetched(db, Fetcher((pages.host,))).status == "waiting"
        pages.pages["/viva.txt"] = shown["proof"]
        assert fetched(db, Fetcher((pages.host,))).status == "done"

    assert result_of(db, ada).passed


def test_a_page_of_an_agent_that_was_deleted_is_not_fetched(db):
    ada = ada_in(db, ACCOUNT)
    with Pages({}) as pages:
        handed_in(db, ada, pages)
        account_deletion.delete_account(db, ada.agent)
        job = fetched(db, Fetcher((pages.host,)))

    assert job.status == "done"
    assert pages.seen == []
    assert listing.list_results(db, listing.ResultFilter(ACCOUNT), "completed_at", 10, None).items == []


@pytest.mark.parametrize(
    ("hosts", "url", "error"),
    [
        ((), "https://example.org/viva.txt", NoPagesFetched),
        (("example.org",), "https://example.com/viva.txt", Invalid),
        (("*",), "http://127.0.0.1/viva.txt", Invalid),
        (("*",), "http://169.254.169.254/latest/meta-data", Invalid),
    ],
)
def test_an_address_that_may_not_be_fetched_uses_nothing_up(db, hosts, url, error):
    ada = ada_in(db, ACCOUNT)
    shown = start(db, ACCOUNT, ada, hosts)

    with pytest.raises(error), make.unit(db):
        submit(db, ACCOUNT, ada, by_url(shown, url), hosts)

    assert counts(db) == [0, 0, 0, 0]
    challenges.check_open(challenges.get_of(db, require(store.find_open(db, ada.agent.id, ACCOUNT)).id))


# Two at once


def doing(database: Database, work: Any, *args: Any) -> Any:
    return lambda: database.write_now(lambda db: work(db, *args))


def kinds(outcomes: list[Any]) -> list[str]:
    return sorted(type(outcome).__name__ for outcome in outcomes)


def test_of_two_starts_at_once_both_get_the_same_challenge(database):
    ada = database.write_now(lambda db: ada_in(db, WORK))

    outcomes = make.together(*[doing(database, start, WORK, ada)] * 8)

    assert all(outcome == outcomes[0] for outcome in outcomes)


def test_of_many_answers_at_once_one_counts(database):
    ada = database.write_now(lambda db: ada_in(db, WORK))
    for _ in range(5):
        shown = database.write_now(lambda db: start(db, WORK, ada))
        bodies = [answered(shown), *(answered(shown, f"guess {number}") for number in range(9))]

        outcomes = make.together(*(doing(database, submit, WORK, ada, body) for body in bodies))

        assert kinds(outcomes) == ["AlreadyHandedIn"] * 9 + ["SubmittedAttempt"]
        database.write_now(lambda db: registering.register(db, WORK, ada.agent))
    assert database.read_now(counts)[:2] == [5, 5]


def test_of_two_who_confirm_at_once_one_does(database):
    ada = database.write_now(lambda db: ada_in(db, ACCOUNT))
    for _ in range(5):
        shown = database.write_now(lambda db: start(db, ACCOUNT, ada))

        outcomes = make.together(*[doing(database, confirm, shown)] * 8)

        assert kinds(outcomes) == ["LinkWasUsed"] * 7 + ["NoneType"]
        database.write_now(lambda db: registering.cancel(db, ACCOUNT, ada.agent))
        database.write_now(lambda db: registering.register(db, ACCOUNT, ada.agent))


def test_handing_in_while_the_link_is_confirmed_passes_or_waits(database):
    ada = database.write_now(lambda db: ada_in(db, ACCOUNT))
    for _ in range(10):
        shown = database.write_now(lambda db: start(db, ACCOUNT, ada))

        confirmed, handed = make.together(
            doing(database, confirm, shown), doing(database, submit, ACCOUNT, ada, by_link(shown))
        )

        assert confirmed is None
        assert isinstance(handed, NotClaimed | submitting.SubmittedAttempt)
        if isinstance(handed, NotClaimed):
            database.write_now(lambda db, shown=shown: submit(db, ACCOUNT, ada, by_link(shown)))
        database.write_now(lambda db: registering.register(db, ACCOUNT, ada.agent))


def test_handing_in_when_the_time_is_over_against_the_sweep(database):
    ada = database.write_now(lambda db: ada_in(db, WORK))
    for _ in range(10):
        shown = database.write_now(lambda db: start(db, WORK, ada))
        database.write_now(lambda db, shown=shown: let_pass(db, shown))

        ended, handed = make.together(
            doing(database, expiring.end_overdue), doing(database, submit, WORK, ada, answered(shown))
        )

        assert ended == 1
        assert isinstance(handed, TimeIsOver | challenges.NoSuchChallenge)
        database.write_now(lambda db: registering.register(db, WORK, ada.agent))
    assert database.read_now(counts) == [0, 0, 0, 0]


def test_of_two_workers_with_one_page_one_decides(database):
    ada = database.write_now(lambda db: ada_in(db, ACCOUNT))
    with Pages({}) as pages:
        shown = database.write_now(lambda db: handed_in(db, ada, pages))
        pages.pages["/viva.txt"] = shown["proof"]
        work = page_proofs.work(Fetcher((pages.host,)))
        registration = database.read_now(lambda db: store.find_open(db, ada.agent.id, ACCOUNT))
        assert registration is not None
        errand = database.read_now(lambda db: work.read(db, {"registration_id": registration.id}))
        found = work.think(errand)

        outcomes = make.together(*[doing(database, work.keep, errand, found, False)] * 4)

    assert outcomes == [None] * 4
    assert database.read_now(counts)[1] == 1


# A text check


def test_a_text_check_is_passed_by_the_right_answer_and_its_result_has_no_answer(db):
    row = {"id": "river", "kind": "one_of", "text": "The river.", "answers": ["Danube", "Donau"]}
    config = {"challenge": "Which river flows through Vienna?", "checks": [row]}
    make.evaluation(
        db, sip=79, id="river", type="simple_pass_fail", config=config, executable=Executable("text_check", None)
    )
    ada = accounts.register(db, "ada", "")
    registering.register(db, "river", ada.agent)
    shown = starting.start(db, make.HALL, "river", ada.agent, "").details

    exam = submitting.exam_of(db, make.HALL, "river", ada.agent, "")
    result = submitting.submit(db, exam, {"challenge_id": shown["challenge_id"], "answer": "donau"}).result

    assert shown["challenge"] == "Which river flows through Vienna?"
    assert require(result).passed
    assert require(result).result_data == {
        "criteria": [{"id": "river", "text": "The river.", "met": True, "reason": "The answer is right."}]
    }
