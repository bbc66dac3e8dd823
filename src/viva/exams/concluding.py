"""Concluding a sheet: reading its paper, and turning all marks into results."""

import logging
from typing import Any

from msgspec.structs import replace

from viva.evaluations import catalogue
from viva.evaluations.model import Evaluation
from viva.exams import attempts, class_grading, deciding, sheet_reasons, sheets, store
from viva.exams.handlers.table import concluding_handler
from viva.exams.model import CountedOutcome, Mark, Marking, Paper, ProctorPolicy, Sheet, SheetRow, ToMark
from viva.exams.sheet_rows import find_rows, list_sheets_without_rows, store_rows
from viva.kit.db import Connection
from viva.results.model import NamedResult

MAX_SHEETS_AT_ONCE = 10_000  # a class has about 100 rows, so this many sheets take a minute at most

log = logging.getLogger(__name__)


def read_paper(db: Connection, sheet: Sheet) -> Paper:
    if sheet.cohort_id:
        return class_grading.read_paper(db, sheet)
    registration = store.get(db, sheet.registration_id or "")
    evaluation = catalogue.get(db, sheet.evaluation_id, registration.evaluation_version)
    attempt = attempts.find_of(db, registration.id)
    content = attempt.content if attempt else {}
    rows = find_rows(db, sheet.id)
    if rows is None:
        rows = derive_rows(evaluation, content)
    return Paper(sheet, evaluation, rows, content, [registration])


def derive_rows(evaluation: Evaluation, content: dict[str, Any]) -> list[SheetRow]:
    """The rows of a sheet that an earlier release opened without storing its rows."""
    decision = concluding_handler(evaluation).decide(evaluation, content)
    return decision.rows if isinstance(decision, ToMark) else []


def store_missing_rows(db: Connection) -> int:
    """Store the rows of open sheets from earlier releases, because a later release may derive others.

    Returns the number of sheets."""
    return sum(store_rows_of(db, sheet_id) for sheet_id in list_sheets_without_rows(db, MAX_SHEETS_AT_ONCE))


def store_rows_of(db: Connection, sheet_id: str) -> bool:
    try:
        return store_rows(db, sheet_id, read_paper(db, sheets.hold(db, sheet_id)).rows)
    except Exception:  # a broken evaluation must not stop the hub from starting
        log.exception("Could not store the rows of sheet %s", sheet_id)
        return False


def conclude(
    db: Connection, paper: Paper, markings: list[Marking], marks: list[Mark], policy: ProctorPolicy = "qualified"
) -> list[NamedResult]:
    """Close the sheet and keep the results. An agent deleted meanwhile gets none."""
    counted = count_marks(markings, marks)
    reasons = sheet_reasons.find_reasons(db, policy, paper, counted)
    sheets.close(db, paper.sheet.id)
    if paper.sheet.cohort_id:
        return class_grading.conclude(db, paper, counted, reasons)
    registration = store.hold_running(db, paper.registrations[0].id)
    if registration is None:
        return []
    outcome = concluding_handler(paper.evaluation).conclude(paper.evaluation, paper.content, paper.rows, counted.marks)
    return [
        deciding.keep_result(
            db,
            paper.evaluation,
            registration,
            counted.apply_to(outcome),
            decided_by=deciding.DecidedBy(counted.proctor_id),
            reasons=reasons[registration.agent_id],
        )
    ]


def count_marks(markings: list[Marking], marks: list[Mark]) -> CountedOutcome:
    """The marks that count: those of proctors if there are any, otherwise those of judges."""
    proctors = [marking for marking in markings if marking.kind == "proctor"]
    names = [marking.marker for marking in proctors or markings]
    counted = [mark for mark in marks if mark.marker in names]
    instructions = {mark.row_id: mark.notes["instructions"] for mark in marks if "instructions" in mark.notes}
    return CountedOutcome(
        marks=[note_instructions(mark, instructions.get(mark.row_id)) for mark in counted],
        markers={"markers" if proctors else "judges": names} if names else {},
        proctor_id=proctors[0].marker if proctors else None,
        feedback="\n\n".join(marking.feedback for marking in proctors if marking.feedback) or None,
    )


def note_instructions(mark: Mark, found: list[str] | None) -> Mark:
    """The mark with the instructions to judges that were found in its row, also if no judge's mark counts."""
    return replace(mark, notes=mark.notes | {"instructions": found}) if found else mark
