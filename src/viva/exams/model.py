"""The parts of an exam: registration, challenge, attempt, sheet, marks, cohort and outcome."""

from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from viva.agents.model import Agent
from viva.evaluations.model import Evaluation


class Registration(Struct, frozen=True):
    """One agent's place in one evaluation."""

    id: str
    agent_id: str
    evaluation_id: str
    status: str
    evaluation_version: str | None
    evaluation_digest: str | None
    registered_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    is_practice: bool = False  # the candidate asked for practice, so it never counts
    is_try: bool = True  # an ended one counts towards the limit of tries


class Challenge(Struct, frozen=True):
    """What an attempt was given when it started; `content` is all that the hub stores of it."""

    id: str
    registration_id: str
    content: dict[str, Any]
    issued_at: datetime
    expires_at: datetime
    used_at: datetime | None


class Attempt(Struct, frozen=True):
    """What was handed in under a registration, with everything needed to decide it."""

    registration_id: str
    content: dict[str, Any]
    submitted_at: datetime


ProctorPolicy = Literal["anyone", "qualified"]  # whose verdict is official on a hub: VIVA_PROCTORS


class HubFacts(Struct, frozen=True):
    """What flows may know of the hub: its signing secret, its public URL, the hosts it fetches pages from, its rules."""

    secret: bytes
    base_url: str
    proof_hosts: tuple[str, ...] = ()  # empty: the hub fetches no pages
    limits_contributors: bool = True  # False: any number of drafts and submissions
    proctors: ProctorPolicy = "qualified"
    webhook_hosts: tuple[str, ...] = ()  # webhooks and A2A agents may be reached there by http, and inside the network


class Exam(NamedTuple):
    """One attempt as its handler sees it, with the evaluation version that the attempt started with."""

    evaluation: Evaluation
    registration: Registration
    candidate: Agent
    key_hash: str  # of the API key that the candidate calls with
    hub: HubFacts


class StartedAttempt(NamedTuple):
    """A started registration, and what the candidate needs for this type of exam."""

    registration: Registration
    details: dict[str, Any]


class NewChallenge(NamedTuple):
    """A challenge before it is stored: its content, and how long it can be answered."""

    content: dict[str, Any]
    duration: timedelta


class SheetRow(Struct, frozen=True):
    """One row of a sheet: the question about the texts, and the maximum mark."""

    id: str
    ask: str
    most: float
    texts: dict[str, str]  # what the marker reads, by the name of each text
    prompt_id: str | None = None
    agent_id: str | None = None  # the agent it is about, if the sheet is about several
    guidance: str = ""  # for the marker: what to look for, and why
    points: float = 0.0  # added to the score for full marks


class Mark(Struct, frozen=True):
    """The mark of one marker for one row; `mark` is None if a judge gave no mark that counts."""

    row_id: str
    marker: str  # the name of a judge's model, or the id of a proctor
    mark: float | None
    most: float
    reason: str = ""
    quote: str = ""
    notes: dict[str, Any] = {}

    @property
    def has_failed_control(self) -> bool:
        """Whether the judge did not pass its control question on these texts: it gave a mark, or no answer."""
        return bool(self.notes.get("misled") or self.notes.get("untested"))


class Marking(Struct, frozen=True):
    """One judge's or proctor's pass over a sheet."""

    marker: str
    kind: str
    feedback: str | None


class Sheet(Struct, frozen=True):
    """What has to be marked before there is a result: one attempt, or the work of one cohort."""

    id: str
    evaluation_id: str
    registration_id: str | None
    cohort_id: str | None
    status: str
    job_id: str
    opened_at: datetime
    closed_at: datetime | None


class Paper(NamedTuple):
    """A sheet with its rows, what was handed in, and the registrations it is about."""

    sheet: Sheet
    evaluation: Evaluation  # the version that the work started with
    rows: list[SheetRow]
    content: dict[str, Any]
    registrations: list[Registration]


class Cohort(Struct, frozen=True):
    """One run of class work: `open` while agents join, `running`, then `finished`, or `cancelled` without results."""

    id: str
    evaluation_id: str
    evaluation_version: str
    evaluation_digest: str
    status: str
    min_participants: int
    max_participants: int
    participant_count: int  # without those who left
    instructor_agent_id: str | None
    opened_by_agent_id: str
    session_id: str | None
    opened_at: datetime
    started_at: datetime | None
    ends_at: datetime | None
    ended_at: datetime | None


class CohortMember(Struct, frozen=True):
    """An agent of a cohort, as it is shown."""

    agent_id: str
    name: str
    role: str
    joined_at: datetime
    left_at: datetime | None


class Outcome(NamedTuple):
    """What was decided about an attempt."""

    passed: bool
    score: float | None = None
    max_score: float | None = None
    data: dict[str, Any] | None = None
    feedback: str | None = None
    is_try: bool = True  # False if it could not be judged and the candidate did not cause that


class Undecided(NamedTuple):
    """The hub could not decide, and the candidate did not cause it. Proctors decide then."""

    reason: str


class CountedOutcome(NamedTuple):
    """The marks of a sheet that count, and who gave them: judges, or proctors with their feedback."""

    marks: list[Mark]
    markers: dict[str, list[str]]
    proctor_id: str | None
    feedback: str | None

    def apply_to(self, outcome: Outcome) -> Outcome:
        """The outcome with the markers and their feedback."""
        return outcome._replace(feedback=self.feedback or outcome.feedback, data=(outcome.data or {}) | self.markers)


class ToMark(NamedTuple):
    """Rows that judges or proctors have to mark before an attempt can be decided."""

    rows: list[SheetRow]


class ToFetch(NamedTuple):
    """A page that has to be fetched and searched for the proof before an attempt can be decided."""

    url: str
    proof: str


class ToRun(NamedTuple):
    """A contributed handler whose code has to run before an attempt can be decided."""

    handler: str


Decision = Outcome | ToMark | ToFetch | ToRun
