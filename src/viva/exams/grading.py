"""Grading in the background: judges mark the rows of a sheet. What they cannot decide goes to proctors."""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from viva.analyses.model import FinishedAnalysis
from viva.exams import attempts, class_analysis, class_grading, cohorts, sheets
from viva.exams.concluding import conclude, read_paper
from viva.exams.handlers.table import ANSWERING_HANDLERS
from viva.exams.model import Mark, Paper, Sheet, SheetRow
from viva.exams.sheet_rows import store_rows
from viva.jobs.model import Work
from viva.jobs.processes import ProcessPool
from viva.judging.model import Grading
from viva.judging.panel import Assessment, Panel
from viva.kit import events
from viva.kit.db import Connection

JUDGE_AWAY_REASON = "Some rows could not be marked because a judge could not be reached."
TEXTS_CHANGED_REASON = "A message was hidden or shown again while the judges read."
JUDGE_MISLED_REASON = "The judge failed its control question, so its marks do not count."
JUDGE_UNTESTED_REASON = "A judge gave no answer to its control question, so its marks do not count."
ROWS_UNMARKED_REASON = "The judge gave no mark that counts."
CANDIDATE_TEXT_NAME = "answer"  # the text that the candidate wrote; in rows without it, no text is trusted


class GradingTask(NamedTuple):
    """A paper for the judges, and the marks of an earlier try."""

    paper: Paper
    marks: list[Mark]
    texts_changed_at: object = None  # when a message of the class was last hidden or shown again

    @property
    def answered_rows(self) -> set[tuple[str, str]]:
        """Pairs of row and judge that are answered. An answer gets only one reading per judge, so that a
        persuasive text cannot try twice."""
        return {(mark.row_id, mark.marker) for mark in self.marks if not mark.notes.get("lost")}

    @property
    def rows(self) -> list[SheetRow]:
        """The rows to ask about: those whose judge could not be reached, and those not asked about yet."""
        lost = {mark.row_id for mark in self.marks if mark.notes.get("lost")}
        asked = {mark.row_id for mark in self.marks} - lost
        return [row for row in self.paper.rows if row.id not in asked]


class GradingResult(NamedTuple):
    """The judges' marks of a paper, the checks of its answers, and the analysis of class work."""

    marks: list[Mark]
    is_away: bool
    analysis: FinishedAnalysis | None
    content: dict[str, Any] | None = None  # what was handed in, with the checks by code


def work(panel: Panel, pool: ProcessPool | None = None) -> Work:
    """The background work "mark_sheet"."""
    return Work(read, partial(think, panel, pool=pool), keep)


def read(db: Connection, data: dict[str, Any]) -> GradingTask:
    sheet = sheets.get_about(db, data.get("registration_id") or data["cohort_id"])
    changed_at = class_grading.read_change(db, sheet.cohort_id) if sheet.cohort_id else None
    return GradingTask(read_paper(db, sheet), sheets.list_marks(db, sheet.id), changed_at)


def think(panel: Panel, task: GradingTask, pool: ProcessPool | None = None) -> GradingResult:
    paper, rows = task.paper, task.rows
    if paper.sheet.status != "judges":  # the proctors have it or it is decided, so asking a judge would be useless
        return GradingResult([], False, None)
    analysis = class_grading.analyse_class(paper, pool) if paper.sheet.cohort_id else None
    handler = ANSWERING_HANDLERS.get(paper.evaluation.handler)
    content = handler.add_checks(paper.evaluation, paper.content) if handler else None
    gradings = [Grading(question_of(row), row.texts, row.most) for row in rows]
    assessments = panel.only(paper.evaluation.config.get("judgeModelId")).grade(gradings, CANDIDATE_TEXT_NAME)
    marks = [mark for row, assessment in zip(rows, assessments, strict=True) for mark in marks_from(row, assessment)]
    return GradingResult(marks, any(assessment.lost for assessment in assessments), analysis, content)


def question_of(row: SheetRow) -> str:
    return f"{row.ask}\n{row.guidance}" if row.guidance else row.ask


def marks_from(row: SheetRow, assessment: Assessment) -> list[Mark]:
    """The mark of each judge for the row."""
    noted = {"instructions": assessment.instructions} if assessment.instructions else {}
    marks = []
    for model, grade in assessment.grades.items():
        notes = noted | ({"misled": True} if model in assessment.misled else {})
        notes |= {"untested": True} if model in assessment.untested else {}
        if grade is None:
            notes |= {"lost": True} if assessment.lost and model not in assessment.misled else {}
            marks.append(Mark(row.id, model, None, row.most, notes=notes))
        else:
            notes |= {"clamped": True} if grade.is_clamped else {}
            marks.append(Mark(row.id, model, grade.mark, row.most, grade.reason, grade.quote, notes))
    return marks


def keep(db: Connection, task: GradingTask, thought: GradingResult, is_last: bool) -> str | None:
    """Store the judges' marks, then conclude, pass the sheet to the proctors, or ask for another try."""
    paper = task.paper
    sheet = sheets.hold(db, paper.sheet.id)
    if sheet.status != "judges":
        return None
    if sheet.cohort_id and have_texts_changed(db, sheet.cohort_id, task):
        return repeat_or_give_up(db, sheet, is_last)
    if thought.analysis is not None:
        class_grading.keep_analysis(db, sheet.cohort_id or "", thought.analysis)
    if thought.content is not None:
        attempts.change_content(db, sheet.registration_id or "", thought.content)
        paper = paper._replace(content=thought.content)
    if paper.rows and not thought.marks:
        sheets.give_to_proctors(db, sheet.id)
        return None
    store_rows(db, sheet.id, paper.rows)
    for model in dict.fromkeys(mark.marker for mark in thought.marks):
        sheets.add_judge(db, sheet.id, model)
    sheets.put_marks(
        db, sheet.id, [mark for mark in thought.marks if (mark.row_id, mark.marker) not in task.answered_rows]
    )
    events.record(db, "marks.given", "sheet", sheet.id, by="judges")
    if thought.is_away and not is_last:
        return JUDGE_AWAY_REASON
    markings, marks = sheets.list_markings(db, sheet.id), sheets.list_marks(db, sheet.id)
    if is_undecided(paper.rows, marks):
        sheets.give_to_proctors(db, sheet.id)
    else:
        conclude(db, paper, markings, marks)
    return None


def have_texts_changed(db: Connection, cohort_id: str, task: GradingTask) -> bool:
    """Whether a message was hidden or shown again since the task was read."""
    class_grading.hold_texts(db, cohort_id)
    return class_grading.read_change(db, cohort_id) != task.texts_changed_at


def repeat_or_give_up(db: Connection, sheet: Sheet, is_last: bool) -> str | None:
    """Ask for another try, because the marks quote texts that have changed. After the last one, proctors mark the sheet."""
    if not is_last:
        return TEXTS_CHANGED_REASON
    sheets.give_to_proctors(db, sheet.id)
    class_analysis.request_again(db, cohorts.get_by_id(db, sheet.cohort_id or ""))
    return None


def is_undecided(rows: Sequence[SheetRow], marks: Sequence[Mark]) -> bool:
    """Whether the judges could not decide: one did not pass its control questions, or a row got no mark from any."""
    marked = {mark.row_id for mark in marks if mark.mark is not None}
    return any(mark.has_failed_control for mark in marks) or any(row.id not in marked for row in rows)


def why_undecided(marks: Sequence[Mark]) -> str | None:
    """Why marks of judges did not decide; None if no judge was asked."""
    if any(mark.notes.get("misled") for mark in marks):
        return JUDGE_MISLED_REASON
    if any(mark.notes.get("untested") for mark in marks):
        return JUDGE_UNTESTED_REASON
    return ROWS_UNMARKED_REASON if any(mark.mark is None for mark in marks) else None
