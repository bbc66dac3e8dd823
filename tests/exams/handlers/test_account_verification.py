"""Account verification as its handler sees it: by link once it is confirmed, by a page of a host that may be asked."""

from typing import Any
from urllib.parse import quote

import pytest

from tests.exams.simple import challenge, evaluation, exam
from viva.exams import claim_links
from viva.exams.handlers import account_verification as verification
from viva.exams.handlers.account_verification import NoPagesFetched, NotClaimed
from viva.exams.model import Mark, Outcome, ToFetch
from viva.kit.errors import Invalid

PROOF = "viva-proof-00112233445566778899aabbccddeeff"
GIVEN = challenge({"proof": PROOF})
CLAIM = {"claim": {"claimed_at": "2026-11-15T12:01:00.000000Z"}}
HOSTS = ("example.org", "127.0.0.1:8080")


def accept(method: str, answers: Any = None, hosts: tuple[str, ...] = HOSTS, **more: Any) -> dict[str, Any]:
    body = {"challenge_id": GIVEN.id, "method": method, **more}
    return verification.read_submission(exam(hosts=hosts), GIVEN, body, answers or {})


def refused(**body: Any) -> str:
    with pytest.raises(Invalid) as refusal:
        accept(**body)
    (fault,) = refusal.value.faults
    assert fault.field == "url"
    return fault.message


def test_what_is_shown_has_a_link_and_a_proof():
    shown = verification.show_challenge(exam(hosts=HOSTS), GIVEN)

    address, _, token = shown["claim_url"].rpartition("/")
    assert address == "http://hub.example/claim"
    assert claim_links.read_registration_id(b"a secret", token) == "eval_reg_1"
    assert shown["proof"] == PROOF
    assert shown["methods"] == ["link", "url"]


def test_a_hub_that_fetches_no_pages_says_so():
    assert verification.show_challenge(exam(), GIVEN)["methods"] == ["link"]
    with pytest.raises(NoPagesFetched, match="verified by claim link only"):
        accept("url", hosts=(), url="https://example.org/viva.txt")


@pytest.mark.parametrize("change", ["{}x", "x{}", "x", "", "é"])
def test_a_link_that_was_tampered_with_is_none(change):
    token = claim_links.make_link(exam().hub, "eval_reg_1").rpartition("/")[2]

    with pytest.raises(claim_links.NoSuchLink):
        claim_links.read_registration_id(b"a secret", change.format(token))
    with pytest.raises(claim_links.NoSuchLink):
        claim_links.read_registration_id(b"another secret", token)


def test_before_the_link_is_confirmed_it_proves_nothing():
    with pytest.raises(NotClaimed):
        accept("link")


def test_a_confirmed_link_passes():
    outcome = verification.decide(evaluation(), accept("link", CLAIM))

    assert isinstance(outcome, Outcome)
    assert outcome.passed
    (criterion,) = (outcome.data or {})["criteria"]
    assert (criterion["id"], criterion["met"]) == ("claimed-by-owner", True)
    assert criterion["reason"] == "Confirmed at 2026-11-15 12:01 UTC."


def test_a_page_of_a_listed_host_is_to_be_fetched():
    content = accept("url", url="https://example.org/viva.txt")

    assert verification.decide(evaluation(), content) == ToFetch("https://example.org/viva.txt", PROOF)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        (None, "The method url needs the URL of the page."),
        ("https://example.com/viva.txt", "This hub fetches no pages from example.com:443."),
        ("http://127.0.0.1/viva.txt", "This hub fetches no pages from 127.0.0.1:80."),
        ("https://ada:secret@example.org/", "The address must not hold a name or a password."),
        ("file:///etc/passwd", "The address has to begin with http:// or https:// and a host."),
    ],
)
def test_an_address_that_may_not_be_asked_is_refused_at_once(url, told):
    assert refused(method="url", url=url) == told


@pytest.mark.parametrize("layers", range(4))
def test_an_address_that_holds_the_proof_would_prove_nothing(layers):
    said = PROOF.upper().replace("-", "%2D")
    for _ in range(layers):
        said = quote(said)

    assert (
        refused(method="url", url=f"https://example.org/search?q={said}")
        == "The URL itself must not contain the proof."
    )


def test_a_link_takes_no_address():
    assert refused(method="link", answers=CLAIM, url="https://example.org/") == "Only the method url takes a URL."


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"method": "mail"}, "method"),
        ({"method": "url", "url": "https://example.org/" + "x" * 2000}, "url"),
        ({"method": "link", "claimed_at": "now"}, "claimed_at"),
        ({"method": "link", "challenge_id": "another"}, "challenge_id"),
    ],
)
def test_a_body_that_does_not_fit_is_refused(body, field):
    with pytest.raises(Invalid) as refusal:
        accept(**{"answers": CLAIM, **body})

    assert [fault.field for fault in refusal.value.faults] == [field]


@pytest.mark.parametrize(("mark", "met"), [(1, True), (0, False)])
def test_the_page_decides(mark, met):
    content = accept("url", url="https://example.org/viva.txt")

    outcome = verification.conclude(evaluation(), content, [], [Mark("proof", "hub", mark, 1, "So it was.")])

    assert (outcome.passed, outcome.is_try) == (met, True)
    (criterion,) = (outcome.data or {})["criteria"]
    assert (criterion["id"], criterion["met"], criterion["reason"]) == ("proof-on-page", met, "So it was.")
