"""Reads what item statistics are computed from: criteria of the newest results, and the times of saved answers."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

import msgspec

from viva.kit.db import Connection
from viva.kit.rows import moment
from viva.results.criteria import JudgedCriterion, read_judged_criteria

MAX_ITEM_RESULTS = 5_000  # the newest ones
MAX_ITEM_RESULTS_BYTES = 32 * 1024 * 1024  # of their data, which takes about a second to read
MAX_ITEMS = 1_000  # as many as a benchmark may have questions
MAX_TIMED_ANSWERS = 100_000
RESULTS_AT_ONCE = 100  # a result has at most some 300 kB of data
SAME_REQUEST_SECONDS = 0.001  # earlier releases dated each answer of a request by itself

SELECT_NEWEST = """
    SELECT id, completed_at, result_data FROM evaluation_results
    WHERE NOT is_private AND official AND evaluation_id = :evaluation_id AND evaluation_version = :version {before}
    ORDER BY completed_at DESC, id DESC LIMIT :limit
"""
SELECT_TIMES = """
    SELECT a.registration_id, a.question_id, a.answered_at, g.started_at
    FROM (
        SELECT registration_id, completed_at, id FROM evaluation_results
        WHERE NOT is_private AND official AND evaluation_id = :evaluation_id AND evaluation_version = :version
        ORDER BY completed_at DESC, id DESC LIMIT :limit
    ) latest JOIN evaluation_registrations g ON g.id = latest.registration_id
        JOIN evaluation_answers a ON a.registration_id = g.id
    ORDER BY latest.completed_at DESC, latest.id DESC, a.answered_at LIMIT :answers
"""

HIDDEN = "(SELECT {} FROM hidden_texts WHERE subject_type = 'feedback')"  # criteria of a verdict are hidden with it


class NewestResult(NamedTuple):
    """The newest result of a version, how many there are, and what is hidden on the hub. A change of results changes one."""

    result_id: str
    results: int
    hidden: int
    hidden_at: str | datetime | None


class SavedAnswer(NamedTuple):
    item_id: str
    answered_at: datetime


def find_newest(db: Connection, evaluation_id: str, version: str) -> NewestResult | None:
    row = db.execute(
        f"""
        SELECT r.id, t.attempts, {HIDDEN.format("count(*)")}, {HIDDEN.format("max(hidden_at)")}
        FROM evaluation_results r JOIN evaluation_tallies t
            ON t.scope = 'official' AND t.evaluation_id = r.evaluation_id AND t.evaluation_version = r.evaluation_version
        WHERE NOT r.is_private AND r.official AND r.evaluation_id = ? AND r.evaluation_version = ? ORDER BY r.completed_at DESC, r.id DESC LIMIT 1
        """,
        [evaluation_id, version],
    ).fetchone()
    return NewestResult(*row) if row else None


def list_judged(db: Connection, evaluation_id: str, version: str) -> Iterator[list[JudgedCriterion]]:
    """The criteria of each of the newest results, within the limits."""
    size = 0
    for data in list_data(db, evaluation_id, version):
        size += len(data or "")
        if size > MAX_ITEM_RESULTS_BYTES:
            return
        yield read_judged_criteria(msgspec.json.decode(data) if data else None, MAX_ITEMS)


def list_data(db: Connection, evaluation_id: str, version: str) -> Iterator[str | None]:
    """The data of the newest results, read in batches, because all of it could be large."""
    values: dict[str, Any] = {"evaluation_id": evaluation_id, "version": version, "limit": RESULTS_AT_ONCE}
    before = ""
    for _ in range(MAX_ITEM_RESULTS // RESULTS_AT_ONCE):
        rows = db.execute(SELECT_NEWEST.format(before=before), values).fetchall()
        yield from (row[2] for row in rows)
        if len(rows) < RESULTS_AT_ONCE:
            return
        before = "AND (completed_at, id) < (:last_at, :last_id)"
        values |= {"last_at": rows[-1][1], "last_id": rows[-1][0]}


def list_times(db: Connection, evaluation_id: str, version: str) -> Iterator[tuple[str, float]]:
    """The id and the seconds of each answer in the newest results whose time is known."""
    values = {"evaluation_id": evaluation_id, "version": version}
    limits = {"limit": MAX_ITEM_RESULTS, "answers": MAX_TIMED_ANSWERS}
    rows = db.execute(SELECT_TIMES, values | limits).fetchall()
    for _, group in groupby(rows, key=lambda row: row[0]):
        answers = list(group)
        started_at = moment(answers[0][3])
        yield from measure_times(started_at, [SavedAnswer(row[1], moment(row[2])) for row in answers])


def measure_times(started_at: datetime, answers: Sequence[SavedAnswer]) -> Iterator[tuple[str, float]]:
    """The seconds since the save before, or since the start. Answers that were saved together have no time of their own."""
    before = started_at
    for at, answer in enumerate(answers):
        later = answers[at + 1] if at + 1 < len(answers) else None
        is_with_next = later and (later.answered_at - answer.answered_at).total_seconds() < SAME_REQUEST_SECONDS
        seconds = (answer.answered_at - before).total_seconds()
        if seconds >= SAME_REQUEST_SECONDS and not is_with_next:
            yield answer.item_id, seconds
        before = answer.answered_at
