"""Claiming an agent: a maintainer opens the claim link, and confirms once who owns the agent."""

from datetime import datetime
from typing import NamedTuple

from viva.agents import owners
from viva.agents import store as agents
from viva.agents.model import Agent
from viva.evaluations import store as evaluations
from viva.evaluations.model import Evaluation
from viva.exams import attempts, challenges, claim_links, store
from viva.exams.model import Registration
from viva.kit.clock import format_time, now
from viva.kit.db import Connection
from viva.kit.errors import Fault, Forbidden, Gone, Invalid
from viva.notices.notifying import clean_text

MAX_OWNER_CHARACTERS = 200


class LinkIsOver(Gone):
    """This link has expired, or its attempt has ended. The agent can start again to get a new link."""


class OwnAgent(Forbidden):
    """Nobody confirms the owner of their own account."""


class OwnerNeeded(Invalid):
    """Name the owner in 1 to 200 characters, as you have confirmed it."""

    def __init__(self) -> None:
        super().__init__(faults=(Fault("owner", "owner_needed", self.__doc__ or ""),))


class LinkWasUsed(Gone):
    """This link was already used: the agent is claimed."""


class ClaimRequest(NamedTuple):
    """What a maintainer is asked to confirm; `claimed_at` is None until then."""

    agent: Agent
    evaluation: Evaluation
    expires_at: datetime
    claimed_at: datetime | None


def read_claim_request(db: Connection, secret: bytes, token: str) -> ClaimRequest:
    """The agent that asks to be claimed, and the evaluation it is for."""
    return claim_request_of(db, store.get(db, claim_links.read_registration_id(secret, token)))


def confirm(db: Connection, secret: bytes, token: str, owner: str) -> None:
    """Store who owns the agent, as the maintainer who acts has confirmed it. Of two at once, one succeeds."""
    owner = clean_owner(owner)
    registration = store.hold_any(db, claim_links.read_registration_id(secret, token))
    if claim_request_of(db, registration).claimed_at:
        raise LinkWasUsed()
    if registration.agent_id == db.actor.account_id:
        raise OwnAgent()

    owners.confirm_owner(db, registration.agent_id, owner, "owner.confirmed", registration_id=registration.id)
    attempts.save_answers(db, registration.id, {claim_links.CLAIM_ANSWER_ID: {"claimed_at": format_time(now())}})


def clean_owner(text: str) -> str:
    """The name of an owner on one line."""
    owner = " ".join(clean_text(text).split())
    if not 1 <= len(owner) <= MAX_OWNER_CHARACTERS:
        raise OwnerNeeded()
    return owner


def claim_request_of(db: Connection, registration: Registration) -> ClaimRequest:
    challenge = challenges.find_of(db, registration.id)
    claim = attempts.read_answers(db, registration.id).get(claim_links.CLAIM_ANSWER_ID)
    is_over = challenge is None or challenge.used_at or challenge.expires_at <= now()
    if challenge is None or (not claim and (is_over or registration.status != "in_progress")):
        raise LinkIsOver()
    return ClaimRequest(
        agents.get(db, registration.agent_id),
        evaluations.get(db, registration.evaluation_id),
        challenge.expires_at,
        datetime.fromisoformat(claim["claimed_at"]) if claim else None,
    )
