"""Concluding a sheet: the paper that is marked on it, and the results that follow from all marks."""

from viva.evaluations import catalogue
from viva.exams import attempts, class_papers, deciding, sheets, store
from viva.exams.handlers.table import CONCLUDING
from viva.exams.model import Counted, Mark, Marking, Paper, Sheet, ToMark
from viva.kit.db import Connection
from viva.results.model import NamedResult


def paper_of(db: Connection, sheet: Sheet) -> Paper:
    if sheet.cohort_id:
        return class_papers.paper_of(db, sheet)
    registration = store.get(db, sheet.registration_id or "")
    evaluation = catalogue.get(db, sheet.evaluation_id, registration.evaluation_version)
    attempt = attempts.find_of(db, registration.id)
    content = attempt.content if attempt else {}
    decision = CONCLUDING[evaluation.handler].decide(evaluation, content)
    rows = decision.rows if isinstance(decision, ToMark) else []
    return Paper(sheet, evaluation, rows, content, [registration])


def conclude(db: Connection, paper: Paper, markings: list[Marking], marks: list[Mark]) -> list[NamedResult]:
    """The results that follow from the marks; none for an agent who was deleted meanwhile."""
    counted = counted_of(markings, marks)
    sheets.close(db, paper.sheet.id)
    if paper.sheet.cohort_id:
        return class_papers.conclude(db, paper, counted)
    registration = store.hold_running(db, paper.registrations[0].id)
    if registration is None:
        return []
    outcome = CONCLUDING[paper.evaluation.handler].conclude(paper.evaluation, paper.content, counted.marks)
    return [
        deciding.keep(db, paper.evaluation, registration, counted.put_to(outcome), proctor_agent_id=counted.proctor_id)
    ]


def counted_of(markings: list[Marking], marks: list[Mark]) -> Counted:
    """Where proctors have marked, theirs are what counts."""
    proctors = [marking for marking in markings if marking.kind == "proctor"]
    markers = [marking.marker for marking in proctors or markings]
    return Counted(
        marks=[mark for mark in marks if mark.marker in markers],
        told={"markers" if proctors else "judges": markers},
        proctor_id=proctors[0].marker if proctors else None,
        feedback="\n\n".join(marking.feedback for marking in proctors if marking.feedback) or None,
    )
