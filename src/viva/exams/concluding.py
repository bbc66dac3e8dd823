"""Concluding a sheet: the paper that is marked on it, and the results that follow from all marks."""

import logging
from typing import Any

from viva.evaluations import catalogue
from viva.evaluations.model import Evaluation
from viva.exams import attempts, class_grading, deciding, sheets, store
from viva.exams.handlers.table import CONCLUDING_HANDLERS
from viva.exams.model import CountedOutcome, Mark, Marking, Paper, Sheet, SheetRow, ToMark
from viva.exams.sheet_rows import find_rows, list_sheets_without_rows, store_rows
from viva.kit.db import Connection
from viva.results.model import NamedResult

MAX_SHEETS_AT_ONCE = 10_000  # one class has some 100 rows, so that these take a minute at most

log = logging.getLogger(__name__)


def paper_of(db: Connection, sheet: Sheet) -> Paper:
    if sheet.cohort_id:
        return class_grading.paper_of(db, sheet)
    registration = store.get(db, sheet.registration_id or "")
    evaluation = catalogue.get(db, sheet.evaluation_id, registration.evaluation_version)
    attempt = attempts.find_of(db, registration.id)
    content = attempt.content if attempt else {}
    rows = find_rows(db, sheet.id)
    if rows is None:
        rows = derive_rows(evaluation, content)
    return Paper(sheet, evaluation, rows, content, [registration])


def derive_rows(evaluation: Evaluation, content: dict[str, Any]) -> list[SheetRow]:
    """The rows of a sheet that an earlier release opened without storing them."""
    decision = CONCLUDING_HANDLERS[evaluation.handler].decide(evaluation, content)
    return decision.rows if isinstance(decision, ToMark) else []


def store_missing_rows(db: Connection) -> int:
    """Store the rows of open sheets of earlier releases, before a later release derives others; how many sheets."""
    return sum(store_rows_of(db, sheet_id) for sheet_id in list_sheets_without_rows(db, MAX_SHEETS_AT_ONCE))


def store_rows_of(db: Connection, sheet_id: str) -> bool:
    try:
        return store_rows(db, sheet_id, paper_of(db, sheets.hold(db, sheet_id)).rows)
    except Exception:  # a sheet whose evaluation is broken must not keep the hub from starting
        log.exception("Could not store the rows of sheet %s", sheet_id)
        return False


def conclude(db: Connection, paper: Paper, markings: list[Marking], marks: list[Mark]) -> list[NamedResult]:
    """The results that follow from the marks; none for an agent who was deleted meanwhile."""
    counted = counted_of(markings, marks)
    sheets.close(db, paper.sheet.id)
    if paper.sheet.cohort_id:
        return class_grading.conclude(db, paper, counted)
    registration = store.hold_running(db, paper.registrations[0].id)
    if registration is None:
        return []
    outcome = CONCLUDING_HANDLERS[paper.evaluation.handler].conclude(
        paper.evaluation, paper.content, paper.rows, counted.marks
    )
    return [
        deciding.keep_result(
            db, paper.evaluation, registration, counted.apply_to(outcome), proctor_agent_id=counted.proctor_id
        )
    ]


def counted_of(markings: list[Marking], marks: list[Mark]) -> CountedOutcome:
    """Where proctors have marked, theirs are what counts."""
    proctors = [marking for marking in markings if marking.kind == "proctor"]
    markers = [marking.marker for marking in proctors or markings]
    return CountedOutcome(
        marks=[mark for mark in marks if mark.marker in markers],
        told={"markers" if proctors else "judges": markers} if markers else {},
        proctor_id=proctors[0].marker if proctors else None,
        feedback="\n\n".join(marking.feedback for marking in proctors if marking.feedback) or None,
    )
