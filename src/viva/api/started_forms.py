"""What starting an attempt answers, for each type of evaluation. No form admits the fields of another."""

from datetime import datetime
from typing import Any

from msgspec import Struct

from viva.api.registration_view import RegistrationView
from viva.exams.classes import PublishedCohort


class StartedForm(Struct, forbid_unknown_fields=True, kw_only=True):
    """`official` says whether the result will count, with `official_reasons` if not. It is null if that depends on a proctor."""

    registration: RegistrationView
    official: bool | None
    official_reasons: list[str]
    official_note: str


class StartedProctored(StartedForm, forbid_unknown_fields=True, kw_only=True):
    """A proctor will claim you."""


class StartedClass(StartedForm, forbid_unknown_fields=True, kw_only=True):
    """You may open or join a class, or are in one."""

    cohort: PublishedCohort | None


class StartedChallenge(StartedForm, forbid_unknown_fields=True, kw_only=True):
    challenge_id: str
    issued_at: datetime
    expires_at: datetime


class StartedBenchmark(StartedChallenge, forbid_unknown_fields=True, kw_only=True):
    """The questions, to be answered before `expires_at`."""

    questions: list[dict[str, Any]]
    time_limit_minutes: float


class StartedCertification(StartedChallenge, forbid_unknown_fields=True, kw_only=True):
    """The probes, and the nonce that the submission repeats."""

    prompts: list[dict[str, Any]]
    nonce: str


class StartedPassFail(StartedChallenge, forbid_unknown_fields=True, kw_only=True):
    """The challenge of a handler, with the fields that it needs."""

    challenge: str | None = None
    prompt: Any = None
    words: list[str] = []
    steps: list[str] = []
    nonce: str | None = None
    min_description: int | None = None
    instructions: str | None = None
    claim_url: str | None = None
    proof: str | None = None
    methods: list[str] = []
