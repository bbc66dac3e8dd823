"""The analysis of a class whose texts have changed since it was marked. The first one is made beside the marks."""

from viva.analyses import running
from viva.analyses.model import Subject
from viva.engine.model import Trace
from viva.evaluations import catalogue
from viva.exams import class_grading, cohorts, members, sheets
from viva.exams.class_grading import CLASS_CHOICES
from viva.exams.handlers import class_trace
from viva.exams.model import Cohort
from viva.kit.db import Connection
from viva.traces.reading import pack_content


def request_analysis(db: Connection, session_id: str) -> None:
    """Ask for the analysis of a class again. While judges read, theirs comes with the marks."""
    cohort = cohorts.find_of_session(db, session_id)
    if cohort and cohort.status == "finished" and sheets.get_about(db, cohort.id).status != "judges":
        request_again(db, cohort)


def request_again(db: Connection, cohort: Cohort) -> None:
    running.request(db, Subject("cohort", cohort.id), len(make_trace(db, cohort).turns), CLASS_CHOICES)


def read_content(db: Connection, cohort_id: str) -> bytes:
    """The class as a stored trace."""
    return pack_content(make_trace(db, cohorts.get_by_id(db, cohort_id)))


def make_trace(db: Connection, cohort: Cohort) -> Trace:
    evaluation = catalogue.get(db, cohort.evaluation_id, cohort.evaluation_version)
    room = class_grading.read_classroom(db, cohort, members.list_present(db, cohort.id))
    return class_trace.make_trace(evaluation, room)
