"""Grading class work: messages become rows to mark, and marks become one result per participant."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import to_builtins

from viva.analyses import store as analyses
from viva.analyses.model import AnalysisChoices, FinishedAnalysis, Subject
from viva.engine.model import Trace
from viva.exams import class_tasks, cohorts, deciding, members, store
from viva.exams.handlers import class_trace, live_class_work
from viva.exams.handlers.classroom import MAX_MARKED_MESSAGE_CHARACTERS, ClassMessage, Classroom
from viva.exams.model import Cohort, CountedOutcome, Paper, Registration, Sheet, SheetRow
from viva.exams.sheet_rows import find_rows
from viva.jobs.processes import ProcessPool
from viva.kit.db import Connection
from viva.results.model import NamedResult
from viva.results.official import PracticeReason
from viva.sessions import store as sessions

MAX_CLASS_MESSAGES = 1_000  # from the start of a class, and as many from its end, are marked and analysed
CLASS_CHOICES = AnalysisChoices(fast=True)

log = logging.getLogger(__name__)


def read_paper(db: Connection, sheet: Sheet) -> Paper:
    cohort = cohorts.get(db, sheet.evaluation_id, sheet.cohort_id or "")
    evaluation = class_tasks.read_evaluation(db, cohort)
    stayed = members.list_present(db, cohort.id)
    room = read_classroom(db, cohort, stayed)
    rows = find_rows(db, sheet.id)
    if rows is None:
        rows = live_class_work.make_rows(evaluation, room)
    return Paper(sheet, evaluation, rows, to_builtins(room), stayed)


def derive_rows(db: Connection, cohort: Cohort) -> list[SheetRow]:
    """The rows to mark of a class that ends now."""
    evaluation = class_tasks.read_evaluation(db, cohort)
    return live_class_work.make_rows(evaluation, read_classroom(db, cohort, members.list_present(db, cohort.id)))


def read_change(db: Connection, cohort_id: str) -> object:
    """When a message of the class was last hidden or shown again, as a value that can only be compared."""
    sql = "SELECT texts_changed_at FROM evaluation_sessions WHERE id = (SELECT session_id FROM evaluation_cohorts WHERE id = ?)"
    return db.execute(sql, [cohort_id]).fetchone()


def hold_texts(db: Connection, cohort_id: str) -> None:
    """Nobody hides or shows a message of the class until commit."""
    db.execute(
        "UPDATE evaluation_sessions SET id = id WHERE id = (SELECT session_id FROM evaluation_cohorts WHERE id = ?)",
        [cohort_id],
    )


def read_classroom(db: Connection, cohort: Cohort, stayed: list[Registration]) -> Classroom:
    session_id = cohort.session_id or ""
    people = sessions.list_participants(db, session_id)
    messages = sessions.list_first_and_last_messages(
        db, session_id, MAX_CLASS_MESSAGES, MAX_MARKED_MESSAGE_CHARACTERS + 1
    )
    return Classroom(
        id=cohort.id,
        names={person.agent_id: person.name for person in people},
        participants=[registration.agent_id for registration in stayed],
        said=[ClassMessage(message.sender_agent_id, message.role, message.content) for message in messages],
        left_out=sessions.read_state(db, session_id).message_count - len(messages),
    )


def analyse_class(paper: Paper, pool: ProcessPool | None) -> FinishedAnalysis | None:
    """The engine's analysis of the conversation, in a process of the pool if there is one; None if it fails."""
    trace = class_trace.make_trace(paper.evaluation, msgspec.convert(paper.content, Classroom))
    try:
        found: FinishedAnalysis = pool.run_from_thread(analyse_trace, trace) if pool else analyse_trace(trace)
        return found
    except Exception:  # the class must get its marks even if the analysis fails every time
        log.exception("Could not analyse cohort %s", paper.sheet.cohort_id)
        return None


def analyse_trace(trace: Trace) -> FinishedAnalysis:
    """Without the slow sentence model."""
    # Imported here because the engine is large, and most processes never analyse a class.
    from viva.analyses import analysing

    return analysing.analyse_trace(trace, CLASS_CHOICES, None)


def keep_analysis(db: Connection, cohort_id: str, found: FinishedAnalysis) -> None:
    analyses.add_finished(db, Subject("cohort", cohort_id), CLASS_CHOICES, found)


def find_analysis(db: Connection, cohort_id: str) -> dict[str, Any] | None:
    """The part of the newest analysis that results and pages show; None if there is none."""
    found = analyses.find_newest_json(db, Subject("cohort", cohort_id))
    return class_trace.summarize_analysis(msgspec.json.decode(found)) if found else None


def conclude(
    db: Connection, paper: Paper, counted: CountedOutcome, reasons: Mapping[str, Sequence[PracticeReason]]
) -> list[NamedResult]:
    """One result for each participant who stayed. A participant deleted meanwhile gets none."""
    cohort = cohorts.get(db, paper.sheet.evaluation_id, paper.sheet.cohort_id or "")
    room, analysis = msgspec.convert(paper.content, Classroom), find_analysis(db, cohort.id)
    by_registration: dict[str, NamedResult] = {}
    # Sorted by agent, because each result locks its agent and two classes may share agents.
    for registration in sorted(paper.registrations, key=lambda registration: registration.agent_id):
        held = store.hold_running(db, registration.id)
        if held is None:
            continue
        outcome = live_class_work.make_outcome(
            paper.evaluation, room, paper.rows, held.agent_id, counted.marks, analysis
        )
        by_registration[registration.id] = deciding.keep_result(
            db,
            paper.evaluation,
            held,
            counted.apply_to(outcome),
            decided_by=deciding.DecidedBy(counted.proctor_id, cohort.session_id, cohort.id),
            reasons=reasons[held.agent_id],
        )
    return [
        by_registration[registration.id] for registration in paper.registrations if registration.id in by_registration
    ]
