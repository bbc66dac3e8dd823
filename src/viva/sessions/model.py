"""Sessions, their participants and their messages."""

from datetime import datetime
from typing import Literal

from msgspec import Struct

SessionKind = Literal["proctored", "live_class_work"]
Role = Literal["proctor", "candidate", "participant", "instructor"]


class Session(Struct, frozen=True):
    id: str
    evaluation_id: str
    kind: str
    registration_id: str | None
    released_registration_id: str | None
    status: str
    started_at: datetime
    ended_at: datetime | None
    message_count: int
    active_at: datetime
    texts_changed_at: datetime | None  # when a message was last hidden or shown again


class OwnSession(Session, frozen=True):
    """A session as one of its participants sees it."""

    role: str


class Participant(Struct, frozen=True):
    agent_id: str
    name: str
    role: str
    joined_at: datetime
    left_at: datetime | None = None


class Message(Struct, frozen=True, omit_defaults=True):
    id: str
    sender_agent_id: str
    role: str
    content: str
    created_at: datetime
    sequence: int
    prompt_id: str | None = None  # the prompt it belongs to, if the evaluation has several
    salt: str | None = None  # of its text in the chain; None once the text is erased
    hash: str | None = None  # of the message and the one before it; see chain.py
    content_hash: str | None = None  # of an erased text
    hidden_at: datetime | None = None  # then its content says who hid it, and why
