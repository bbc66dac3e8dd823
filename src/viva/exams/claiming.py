"""Claiming an agent: its owner opens the claim link and confirms once."""

from datetime import datetime
from typing import NamedTuple

from viva.agents import store as agents
from viva.agents.model import Agent
from viva.evaluations import store as evaluations
from viva.evaluations.model import Evaluation
from viva.exams import attempts, challenges, claim_links, store
from viva.exams.model import Registration
from viva.kit import events
from viva.kit.clock import format_time, now
from viva.kit.db import Connection
from viva.kit.errors import Gone


class LinkIsOver(Gone):
    """This link has expired, or its attempt has ended. The agent can start again to get a new link."""


class LinkWasUsed(Gone):
    """This link was already used: the agent is claimed."""


class ClaimRequest(NamedTuple):
    """What the owner is asked to confirm; `claimed_at` is None until the owner confirms."""

    agent: Agent
    evaluation: Evaluation
    expires_at: datetime
    claimed_at: datetime | None


def read_claim_request(db: Connection, secret: bytes, token: str) -> ClaimRequest:
    """The agent that asks to be claimed, and the evaluation it is for."""
    return claim_request_of(db, store.get(db, claim_links.read_registration_id(secret, token)))


def confirm(db: Connection, secret: bytes, token: str) -> None:
    """Store the owner's confirmation. Of two concurrent confirmations, one succeeds."""
    registration = store.hold_any(db, claim_links.read_registration_id(secret, token))
    if claim_request_of(db, registration).claimed_at:
        raise LinkWasUsed()

    attempts.save_answers(db, registration.id, {claim_links.CLAIM_ANSWER_ID: {"claimed_at": format_time(now())}})
    events.record(db, "owner.confirmed", "agent", registration.agent_id, registration_id=registration.id)


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
