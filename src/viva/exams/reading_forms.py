"""What a second marker reads and marks. Nothing of it names the candidate or tells the first verdict."""

from typing import NamedTuple

import msgspec

from viva.evaluations import catalogue
from viva.evaluations.model import Evaluation
from viva.exams import class_grading, proctored_rows, sheets
from viva.exams.concluding import read_paper
from viva.exams.handlers import live_class_work
from viva.exams.handlers.classroom import Classroom
from viva.exams.handlers.table import concluding_handler
from viva.exams.marking import GivenMark, check_marks
from viva.exams.model import Mark, Outcome, Paper, SheetRow
from viva.exams.proctor_briefs import procedure_of
from viva.exams.proctored_rows import GivenReading
from viva.kit.db import Connection
from viva.results.model import Result


class ReadingForm(NamedTuple):
    """`paper` is the sheet of marked work. A proctored exam has none: its transcript is read instead."""

    evaluation: Evaluation  # the version that the attempt started with
    rows: list[SheetRow]
    session_id: str | None = None
    paper: Paper | None = None

    @property
    def asks_for_verdict(self) -> bool:
        """Whether the marker says what is passed. Of marked work the marks decide that."""
        return self.paper is None

    @property
    def procedure(self) -> str:
        """What the SIP says to a proctor, as Markdown."""
        return procedure_of(self.evaluation) if self.paper is None else ""

    @property
    def asks_for_score(self) -> bool:
        return self.paper is None and not self.rows and self.evaluation.max_score is not None


def make_form(db: Connection, result: Result) -> ReadingForm:
    """The form for a decided result, with the rows that concern its agent."""
    if result.session_id and result.cohort_id is None:
        evaluation = catalogue.get(db, result.evaluation_id, result.evaluation_version)
        return ReadingForm(evaluation, proctored_rows.make_rows(evaluation), session_id=result.session_id)
    paper = read_paper(db, sheets.get_about(db, result.cohort_id or result.registration_id))
    rows = [row for row in paper.rows if row.agent_id in (None, result.agent_id)]
    return ReadingForm(paper.evaluation, rows, paper=paper)


def decide_reading(db: Connection, form: ReadingForm, result: Result, marker_id: str, given: GivenReading) -> Outcome:
    """The outcome of what the marker gave, by the same rule as the first one."""
    check_marks(form.rows, given.marks, given.feedback)
    marks = to_marks(form.rows, marker_id, given.marks)
    if form.paper is None:
        return proctored_rows.decide_by_marks(form.evaluation, form.rows, marks, given)
    if form.paper.sheet.cohort_id:
        room = msgspec.convert(form.paper.content, Classroom)
        analysis = class_grading.find_analysis(db, form.paper.sheet.cohort_id)
        return live_class_work.make_outcome(form.evaluation, room, form.rows, result.agent_id, marks, analysis)
    return concluding_handler(form.evaluation).conclude(form.evaluation, form.paper.content, form.rows, marks)


def to_marks(rows: list[SheetRow], marker_id: str, given: list[GivenMark]) -> list[Mark]:
    max_marks = {row.id: row.most for row in rows}
    return [Mark(each.row_id, marker_id, each.mark, max_marks[each.row_id], each.reason, each.quote) for each in given]
