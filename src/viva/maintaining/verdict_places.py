"""Where verdicts about a result stand: in its row, and in its second readings. What the words of markers in each are."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import msgspec

from viva.evaluations import catalogue
from viva.evaluations import store as evaluations
from viva.exams.handlers.proctor_marks import is_row
from viva.exams.handlers.traits import traits_of
from viva.kit.db import Connection
from viva.maintaining.verdict_words import KnownTexts, keep_known, without_remarks
from viva.results import second_readings
from viva.results.model import NamedResult

RESULT = "result"  # the place of the verdict that the result has; those of readings have longer names
Strip = Callable[[Any], Any]


class SaidVerdict(NamedTuple):
    """What stands in one place: feedback, and data in any form."""

    feedback: str | None
    data: Any


def read_verdicts(db: Connection, result: NamedResult) -> dict[str, SaidVerdict]:
    """Every verdict about the result, by its place."""
    said = {RESULT: SaidVerdict(result.proctor_feedback, result.result_data)}
    for reading in second_readings.list_of(db, result.id) if result.second_reading else ():
        first = reading.first_verdict
        said[f"first {reading.id}"] = SaidVerdict(first.proctor_feedback, first.result_data)
        for given in second_readings.list_verdicts(db, reading.id):
            said[f"given {reading.id} {given.place}"] = SaidVerdict(given.feedback, given.result_data)
    return said


def write_verdict(db: Connection, result_id: str, place: str, said: SaidVerdict) -> None:
    kind, *where = place.split()
    if kind == "first":
        second_readings.change_first(db, where[0], said.feedback, said.data)
        return
    data = None if said.data is None else write_json(said.data)
    table, feedback, key, values = (
        ("evaluation_results", "proctor_feedback", "id = ?", [result_id])
        if kind == RESULT
        else ("blind_verdicts", "feedback", "second_reading_id = ? AND place = ?", [where[0], int(where[1])])
    )
    db.execute(f"UPDATE {table} SET {feedback} = ?, result_data = ? WHERE {key}", [said.feedback, data, *values])


def write_json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def find_strip(db: Connection, result: NamedResult) -> Strip:
    """How the words of markers are taken out of the data. That of a talk is what its proctor wrote."""
    current = evaluations.get(db, result.evaluation_id)
    if result.session_id is None or result.cohort_id is not None:
        return partial(without_remarks, has_answers_as_evidence=traits_of(current.handler).has_answers_as_evidence)
    config = catalogue.at_known_version(db, current, result.evaluation_version).config
    prompts = [*rows_in(config, "prompts"), *rows_in(config.get("script"), "prompts")]
    known = KnownTexts(
        {row["id"]: row["text"] for row in rows_in(config, "criteria") if is_row(row)},
        frozenset(str(row.get("id")) for row in prompts),
        frozenset(list_markers(db, result)),
    )
    return partial(keep_known, known=known)


def rows_in(config: Any, name: str) -> list[dict[str, Any]]:
    rows = config.get(name) if isinstance(config, dict) else None
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def list_markers(db: Connection, result: NamedResult) -> list[str]:
    given = [
        verdict.marker_agent_id
        for reading in (second_readings.list_of(db, result.id) if result.second_reading else ())
        for verdict in second_readings.list_verdicts(db, reading.id)
    ]
    return [*filter(None, [result.proctor_agent_id]), *given]
