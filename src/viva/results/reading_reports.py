"""What a result tells about its second readings: nothing of the verdicts while one is open, all of them afterwards."""

from datetime import datetime

from msgspec import Struct, structs

from viva.kit.db import Connection
from viva.results import second_readings
from viva.results.model import Result
from viva.results.second_readings import NamedVerdict, ReadingCause, ReadingStatus, SecondReading


class ToldVerdict(Struct, frozen=True):
    """What the result said before the reading."""

    passed: bool
    score: float | None
    max_score: float | None
    points_earned: float
    proctor_feedback: str | None


class ReadingReport(Struct, frozen=True):
    """One second reading. Until it is closed, `first` is missing and there are no `verdicts`."""

    state: ReadingStatus
    cause: ReadingCause
    opened_at: datetime
    closed_at: datetime | None
    first: ToldVerdict | None
    verdicts: list[NamedVerdict]


def list_reports(db: Connection, result: Result, with_feedback: bool = True) -> list[ReadingReport]:
    """The readings of a result, oldest first. Feedback may quote answers, so not everybody gets it."""
    readings = second_readings.list_of(db, result.id) if result.second_reading else []
    return [report_of(db, reading, with_feedback) for reading in readings]


def report_of(db: Connection, reading: SecondReading, with_feedback: bool) -> ReadingReport:
    if reading.status == "open":
        return ReadingReport("open", reading.cause, reading.opened_at, None, None, [])
    first = reading.first_verdict
    feedback = first.proctor_feedback if with_feedback else None
    verdicts = second_readings.list_named_verdicts(db, reading.id)
    return ReadingReport(
        reading.status,
        reading.cause,
        reading.opened_at,
        reading.closed_at,
        ToldVerdict(first.passed, first.score, first.max_score, first.points_earned, feedback),
        verdicts if with_feedback else [structs.replace(verdict, feedback=None) for verdict in verdicts],
    )
