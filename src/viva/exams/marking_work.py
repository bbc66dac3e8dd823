"""What a marker may take: sheets and second readings, in the evaluations for which the marker is qualified."""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from viva.agents.model import Agent
from viva.exams import qualifying, visibility, waiting_list
from viva.exams.model import ProctorPolicy
from viva.exams.proctor_facts import ExamPair
from viva.exams.waiting_list import AwaitedReading, AwaitedSheet, ReadingOfCandidate
from viva.kit.db import Connection

MAX_READINGS_LISTED = 100

Waiting = TypeVar("Waiting", AwaitedSheet, ReadingOfCandidate)


class MarkingWork(NamedTuple):
    sheets: list[AwaitedSheet]
    readings: list[AwaitedReading]


def list_work(db: Connection, marker: Agent, policy: ProctorPolicy, limit: int) -> MarkingWork:
    """Everything that the marker may mark, longest waiting first."""
    ids = qualified_in(db, marker, policy, waiting_list.list_evaluations_to_mark(db))
    to_mark = waiting_list.list_sheets_to_mark(db, marker.id, ids, limit, visibility.sees_drafts(marker))
    readings = waiting_list.list_readings(db, marker.id, ids, limit)
    return MarkingWork(
        leave_out_dependent(db, marker, policy, to_mark), [*leave_out_dependent(db, marker, policy, readings)]
    )


def list_readings(db: Connection, marker: Agent, policy: ProctorPolicy, evaluation_id: str) -> list[AwaitedReading]:
    """Second readings of one evaluation that the marker may take."""
    ids = qualified_in(db, marker, policy, [evaluation_id])
    found = waiting_list.list_readings(db, marker.id, ids, MAX_READINGS_LISTED)
    return [*leave_out_dependent(db, marker, policy, found)]


def qualified_in(db: Connection, marker: Agent, policy: ProctorPolicy, evaluation_ids: Sequence[str]) -> list[str]:
    """Those of the evaluations for which the marker is qualified."""
    asked = [ExamPair(evaluation_id, None) for evaluation_id in evaluation_ids]
    worths = qualifying.assess_each(db, policy, marker, asked)
    return [id_ for id_, worth in zip(evaluation_ids, worths, strict=True) if worth.official]


def leave_out_dependent(
    db: Connection, marker: Agent, policy: ProctorPolicy, waiting: Sequence[Waiting]
) -> list[Waiting]:
    """Without the work of candidates of whom the marker is not independent."""
    asked = [ExamPair(each.evaluation_id, each.candidate_id) for each in waiting]
    worths = qualifying.assess_each(db, policy, marker, asked)
    return [each for each, worth in zip(waiting, worths, strict=True) if worth.official]
