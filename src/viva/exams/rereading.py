"""Second readings: a marker takes one, reads without knowing the verdict, and decides; a third decides a difference."""

from typing import NamedTuple

from viva.agents.model import Agent
from viva.evaluations.model import Evaluation
from viva.exams import announcing, key_readers, marking_locks, store, visibility
from viva.exams.markers import check_may_mark
from viva.exams.marking_locks import MarkingLock
from viva.exams.model import Outcome, ProctorPolicy
from viva.exams.proctored_rows import GivenReading
from viva.exams.reading_forms import ReadingForm, decide_reading, make_form
from viva.exams.verdict_differences import ComparedVerdict, do_differ
from viva.kit import events
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.results import changing, second_readings
from viva.results import store as results
from viva.results.model import NamedResult
from viva.results.second_readings import BlindVerdict, NoSuchReading, ReadingStatus, SecondReading

SECOND_PLACE, DECIDING_PLACE = 2, 3
MAX_READINGS_PER_SWEEP = 100  # ended in one transaction
PLACES = 1  # one marker at a time, so that nobody reads for nothing


class TakenReading(NamedTuple):
    """A reading with its form and the marker's lock on it."""

    reading: SecondReading
    form: ReadingForm
    lock: MarkingLock


def take(
    db: Connection, evaluation_id: str, reading_id: str, marker: Agent, policy: ProctorPolicy = "qualified"
) -> TakenReading:
    """Take a second reading for a stated time. Nobody else can then read it."""
    reading, result = check_readable(db, evaluation_id, reading_id, marker, policy)
    hold_reading(db, reading)

    lock = marking_locks.take(db, reading.id, marker.id, PLACES)
    key_readers.record_reading(db, reading.evaluation_id, result.evaluation_digest, marker.id)
    events.record(db, "reading.taken", "reading", reading.id)
    return TakenReading(reading, make_form(db, result), lock)


def read_form(
    db: Connection, evaluation_id: str, reading_id: str, marker: Agent, policy: ProctorPolicy = "qualified"
) -> TakenReading:
    """What the marker has to read, if the marker has taken it and the time is not over."""
    reading, result = check_readable(db, evaluation_id, reading_id, marker, policy)
    lock = marking_locks.get_live(db, reading.id, marker.id)
    return TakenReading(reading, make_form(db, result), lock)


def open_form(
    db: Connection, evaluation_id: str, reading_id: str, marker: Agent, policy: ProctorPolicy = "qualified"
) -> TakenReading:
    """The same, and the time begins anew. If it is over, the reading has to be free still."""
    reading, result = check_readable(db, evaluation_id, reading_id, marker, policy)
    hold_reading(db, reading)
    lock = marking_locks.renew(db, reading.id, marker.id, PLACES)
    return TakenReading(reading, make_form(db, result), lock)


def release(db: Connection, evaluation_id: str, reading_id: str, marker: Agent) -> None:
    """Give the reading back, so that another marker can take it."""
    reading = get_reading(db, evaluation_id, reading_id, marker)
    if not marking_locks.drop(db, reading.id, marker.id):
        raise marking_locks.NotTaken()
    events.record(db, "reading.released", "reading", reading.id)


def give_verdict(
    db: Connection,
    evaluation_id: str,
    reading_id: str,
    marker: Agent,
    given: GivenReading,
    policy: ProctorPolicy = "qualified",
) -> SecondReading:
    """Store what the marker decided. The reading closes if it agrees with the first verdict, or if it is the third."""
    reading, form, _ = open_form(db, evaluation_id, reading_id, marker, policy)
    result = results.hold(db, reading.result_id)
    if result.voided_at:  # while we waited for the lock
        raise NoSuchReading()
    outcome = decide_reading(db, form, result, marker.id, given)
    place = SECOND_PLACE + len(second_readings.list_verdicts(db, reading.id))

    second_readings.add_verdict(db, blind_verdict(reading, place, marker, outcome, given.feedback))
    marking_locks.drop_all_on(db, reading.id)
    events.record(db, "reading.given", "reading", reading.id, place=place, passed=outcome.passed, score=outcome.score)
    differs = is_different(reading, outcome, form.evaluation)
    if place == DECIDING_PLACE or not differs:
        conclude(db, form.evaluation, reading, result, outcome if differs else None)
    return second_readings.get(db, reading.id)


def check_readable(
    db: Connection, evaluation_id: str, reading_id: str, marker: Agent, policy: ProctorPolicy
) -> tuple[SecondReading, NamedResult]:
    """The open reading and its result, if the marker may read it."""
    reading = get_reading(db, evaluation_id, reading_id, marker)
    result = results.get(db, reading.result_id)
    if any(verdict.marker_agent_id == marker.id for verdict in second_readings.list_verdicts(db, reading.id)):
        raise second_readings.ReadAlready()
    if reading.status != "open" or result.voided_at or second_readings.is_party(db, reading.id, marker.id):
        raise NoSuchReading()
    check_may_mark(db, policy, reading.evaluation_id, marker, [result.agent_id])
    return reading, result


def hold_reading(db: Connection, reading: SecondReading) -> None:
    """Lock the reading until commit."""
    if second_readings.hold(db, reading.id).status != "open":  # it was closed while we waited for the lock
        raise NoSuchReading()


def get_reading(db: Connection, evaluation_id: str, reading_id: str, marker: Agent) -> SecondReading:
    evaluation, reading = visibility.get_evaluation(db, evaluation_id, marker), second_readings.get(db, reading_id)
    if reading.evaluation_id != evaluation.id:
        raise NoSuchReading()
    return reading


def blind_verdict(
    reading: SecondReading, place: int, marker: Agent, outcome: Outcome, feedback: str | None
) -> BlindVerdict:
    max_score = None if outcome.score is None else outcome.max_score
    data = (outcome.data or {}) | {"markers": [marker.id]}
    return BlindVerdict(reading.id, place, marker.id, outcome.passed, outcome.score, max_score, data, feedback, now())


def is_different(reading: SecondReading, outcome: Outcome, evaluation: Evaluation) -> bool:
    first = reading.first_verdict
    return do_differ(
        ComparedVerdict(first.passed, first.score, first.max_score, first.result_data),
        ComparedVerdict(outcome.passed, outcome.score, outcome.max_score, outcome.data),
        evaluation.margin,
    )


def conclude(
    db: Connection, evaluation: Evaluation, reading: SecondReading, result: NamedResult, decided: Outcome | None
) -> None:
    """Close the reading: the first verdict stands, or the result gets the deciding one."""
    status: ReadingStatus = "changed" if decided else "stands"
    if decided:
        verdict = second_readings.list_verdicts(db, reading.id)[-1]
        points = evaluation.points if verdict.passed and result.official else 0.0
        changing.change_result(db, result, verdict, points, reading.cause)
        store.set_decision(db, result.registration_id, verdict.passed)
    second_readings.close(db, reading, status)
    events.record(db, "result.reread", "result", result.id, reading_id=reading.id, cause=reading.cause, decision=status)
    announcing.announce_reading(db, evaluation, results.get(db, result.id), reading.cause, status)


def end_readings_of(db: Connection, agent: Agent) -> None:
    """End the open readings of an agent whose account is deleted, and give back what it has taken."""
    for reading in second_readings.list_open_of_agent(db, agent.id):
        end_reading(db, reading)
    marking_locks.drop_all_of(db, agent.id)


def end_void_readings(db: Connection) -> int:
    """End readings of results that a maintainer has voided. Returns how many there were."""
    void = second_readings.list_open_of_void(db, MAX_READINGS_PER_SWEEP)
    for reading in void:
        hold_reading(db, reading)
        end_reading(db, reading)
    return len(void)


def end_reading(db: Connection, reading: SecondReading) -> None:
    """End a reading without a decision."""
    second_readings.close(db, reading, "ended")
    events.record(db, "reading.ended", "reading", reading.id, result_id=reading.result_id)
