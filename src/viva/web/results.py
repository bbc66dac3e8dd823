"""The page of one result: what was said, and why this verdict."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from litestar import Request, Response, get

from viva.agents import store as agents
from viva.evaluations import store as evaluations
from viva.evaluations.model import Evaluation
from viva.exams import attempts, viewing
from viva.kit.db import Connection
from viva.results import overview, store
from viva.results.model import NamedResult
from viva.results.overview import Attempt
from viva.sessions import store as sessions
from viva.sessions.model import Message, Session
from viva.web import pages
from viva.web.criteria import Criteria, criteria_of, number
from viva.web.evaluations import as_it_was
from viva.web.handed_in import Answered, shown_of
from viva.web.queries import count

MESSAGES = 200  # on one page
CHARACTERS = 200_000  # of messages on one page, so that long ones make it no slower than many
ATTEMPTS = 20
MARKERS = 20


class Said(NamedTuple):
    message: Message
    name: str


@dataclass(frozen=True)
class Transcript:
    """A page of the conversation; `session` is None where the evaluation has none."""

    session: Session | None
    said: list[Said]
    after: int
    is_running: bool = False

    @property
    def is_released(self) -> bool:
        return self.session is not None and self.session.released_registration_id is not None

    @property
    def next_after(self) -> int | None:
        """Where the later messages begin, if any follow."""
        last = self.said[-1].message.sequence if self.said else self.after
        return last if self.said and self.session and last < self.session.message_count else None


class Part(NamedTuple):
    """A part of the score that has a name of its own."""

    name: str
    value: float
    most: float


@dataclass(frozen=True)
class ResultPage:
    result: NamedResult
    evaluation: Evaluation  # as it was in the result's version
    transcript: Transcript
    handed_in: list[Answered]
    criteria: Criteria
    judges: list[str]  # models, where no proctor decided
    names: dict[str, str]  # of the proctors who marked, by their ids
    other_data: dict[str, Any]
    attempts: list[Attempt]
    attempt_count: int
    parts: list[Part]  # of class work: the group's and the participant's own
    is_undecided: bool  # marks that are missing could have turned the verdict

    @property
    def is_criteria_alone(self) -> bool:
        """Whether there is nothing to read but the criteria, which then have the room of the conversation."""
        return bool(self.criteria.all) and not self.handed_in and self.transcript.session is None


@get("/evaluations/result/{result_id:str}")
async def show_result(request: Request, result_id: str) -> Response[str]:
    after = count(request, "after")
    return await pages.show(request, "results/show.html", lambda db: result_page(db, result_id, after))


def result_page(db: Connection, result_id: str, after: int) -> ResultPage:
    result = store.get(db, result_id)
    evaluation = as_it_was(db, evaluations.get(db, result.evaluation_id), result.evaluation_version)
    criteria = criteria_of(result.result_data, evaluation.config)
    return ResultPage(
        result=result,
        evaluation=evaluation,
        transcript=transcript_of(db, result, evaluation, after),
        handed_in=shown_of(evaluation, attempts.find_of(db, result.registration_id)),
        criteria=criteria,
        judges=[] if result.proctor_agent_id else listed(result.result_data, "judges"),
        names=agents.names(db, markers_in(criteria)),
        other_data={
            name: value for name, value in (result.result_data or {}).items() if name != "criteria" or not criteria.all
        },
        attempts=overview.best_attempts(db, result.evaluation_id, ATTEMPTS),
        attempt_count=store.tally(db, result.evaluation_id, None).attempts,
        parts=parts_in(result.result_data or {}),
        is_undecided=(result.result_data or {}).get("is_undecided") is True,
    )


PARTS = {"group": "Group", "own": "Own part"}


def parts_in(result_data: dict[str, Any]) -> list[Part]:
    """The parts that have a figure; the data may hold anything."""
    found = ((name, result_data.get(field)) for field, name in PARTS.items())
    read = (
        (name, number(part.get("score")), number(part.get("max_score")))
        for name, part in found
        if isinstance(part, dict)
    )
    return [Part(name, value, most) for name, value, most in read if value is not None and most is not None]


def listed(result_data: dict[str, Any] | None, name: str) -> list[str]:
    """The texts of a list in the result's data, which may hold anything."""
    given = (result_data or {}).get(name)
    return [each for each in given[:MARKERS] if isinstance(each, str)] if isinstance(given, list) else []


def markers_in(criteria: Criteria) -> list[str]:
    return sorted({given.marker for criterion in criteria.all for given in criterion.given})[:MARKERS]


def transcript_of(db: Connection, result: NamedResult, evaluation: Evaluation, after: int) -> Transcript:
    if result.session_id is None:
        return Transcript(None, [], after)
    session = viewing.session_of_result(db, result)
    if session.status != "ended" and not evaluation.observable:
        return Transcript(session, [], after, is_running=True)
    names = {participant.agent_id: participant.name for participant in sessions.participants(db, session.id)}
    messages = fitting(sessions.transcript(db, session.id, after, MESSAGES))
    return Transcript(session, [Said(message, names.get(message.sender_agent_id, "")) for message in messages], after)


def fitting(messages: list[Message]) -> list[Message]:
    """As many of the messages as go on one page, at least one."""
    room = CHARACTERS
    for place, message in enumerate(messages):
        room -= len(message.content)
        if room < 0 and place:
            return messages[:place]
    return messages
