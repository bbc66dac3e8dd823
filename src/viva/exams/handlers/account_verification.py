"""Account verification: a maintainer confirms by link who owns the agent, or the owner puts a proof on a page."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal
from urllib.parse import unquote

from msgspec import Meta

from viva.evaluations.model import Evaluation
from viva.exams import claim_links
from viva.exams.handlers import simple
from viva.exams.model import Challenge, Decision, Exam, HubFacts, Mark, NewChallenge, Outcome, SheetRow, ToFetch
from viva.kit import forms
from viva.kit.errors import Conflict
from viva.kit.fetch_addresses import NotFetchable, check_fetchable

LINK_CRITERION = {
    "id": "claimed-by-owner",
    "text": "A maintainer of this hub confirmed at the claim link who owns the agent.",
}
PAGE_CRITERION = {"id": "proof-on-page", "text": "A page that the agent's owner can edit holds the proof."}
MAX_PERCENT_ENCODINGS = 5  # nested levels that are decoded


class NotClaimed(Conflict):
    """The claim link is not confirmed yet. Your owner has to ask a maintainer to confirm at claim_url. Then submit again."""


class NoPagesFetched(Conflict):
    """This hub fetches no pages, so accounts are verified by claim link only."""


class VerificationSubmission(simple.SimpleSubmission, forbid_unknown_fields=True):
    method: Literal["link", "url"]
    url: Annotated[str, Meta(max_length=2_000)] | None = None


def make_challenge(exam: Exam) -> NewChallenge:
    return NewChallenge({"proof": f"viva-proof-{secrets.token_hex(16)}"}, simple.time_limit_of(exam.evaluation))


def show_challenge(exam: Exam, challenge: Challenge) -> dict[str, Any]:
    methods = ["link", "url"] if exam.hub.proof_hosts else ["link"]
    claim_url = claim_links.make_link(exam.hub, exam.registration.id)
    return {"claim_url": claim_url, "proof": challenge.content["proof"], "methods": methods}


def read_submission(
    exam: Exam, challenge: Challenge, body: dict[str, Any], answers: Mapping[str, Any]
) -> dict[str, Any]:
    given = simple.read_body(body, VerificationSubmission, challenge)
    if given.method == "link":
        if given.url is not None:
            raise forms.fault("url", "Only the method url takes a URL.")
        return {"method": "link", **get_claim(answers)}
    proof = challenge.content["proof"]
    return {"method": "url", "url": check_url(given.url, proof, exam.hub), "proof": proof}


def get_claim(answers: Mapping[str, Any]) -> dict[str, Any]:
    claim: dict[str, Any] | None = answers.get(claim_links.CLAIM_ANSWER_ID)
    if claim is None:
        raise NotClaimed()
    return claim


def check_url(url: str | None, proof: str, hub: HubFacts) -> str:
    if not hub.proof_hosts:
        raise NoPagesFetched()
    if url is None:
        raise forms.fault("url", "The method url needs the URL of the page.")
    try:
        check_fetchable(url, hub.proof_hosts)
    except NotFetchable as error:
        raise forms.fault("url", str(error)) from None
    if proof.lower() in decode_url(url):  # many pages repeat their URL, which would prove nothing
        raise forms.fault("url", "The URL itself must not contain the proof.")
    return url


def decode_url(url: str) -> str:
    for _ in range(MAX_PERCENT_ENCODINGS):
        url = unquote(url)
    return url.lower()


def decide(evaluation: Evaluation, content: dict[str, Any]) -> Decision:
    if content["method"] == "url":
        return ToFetch(content["url"], content["proof"])
    moment = content["claimed_at"][:16].replace("T", " ")
    criterion = {**LINK_CRITERION, "met": True, "reason": f"Confirmed at {moment} UTC."}
    return Outcome(True, data={"criteria": [criterion], "attempt": content})


def conclude(
    evaluation: Evaluation, content: dict[str, Any], rows: Sequence[SheetRow], marks: Sequence[Mark]
) -> Outcome:
    """A page that could not be fetched says nothing about the candidate, so it comes to no outcome."""
    (mark,) = marks
    met = mark.mark == mark.most
    criterion = {**PAGE_CRITERION, "met": met, "reason": mark.reason}
    return Outcome(met, data={"criteria": [criterion], "attempt": content})
