"""The task of a class: an evaluation with parameters draws their values once, when the cohort is opened."""

import secrets

import msgspec
from msgspec.structs import replace

from viva.evaluations import catalogue
from viva.evaluations.model import Evaluation
from viva.evaluations.text_filling import FilledTexts, fill_config, fill_texts
from viva.exams.model import Cohort
from viva.kit.db import Connection


def draw_task(db: Connection, evaluation: Evaluation, cohort: Cohort) -> None:
    """Store the texts of a new cohort, if they have parameters."""
    if filled := fill_texts(evaluation.config, secrets.token_hex(8)):
        encoded = msgspec.json.encode(filled).decode()
        db.execute("UPDATE evaluation_cohorts SET filled = ? WHERE id = ?", [encoded, cohort.id])


def read_evaluation(db: Connection, cohort: Cohort) -> Evaluation:
    """The evaluation as it was when the cohort was opened, with the task and the rubric of this class."""
    evaluation = catalogue.get(db, cohort.evaluation_id, cohort.evaluation_version)
    if not evaluation.config.get("parameters"):
        return evaluation
    return replace(evaluation, config=fill_config(evaluation.config, read_texts(db, cohort.id)))


def read_texts(db: Connection, cohort_id: str) -> FilledTexts:
    (filled,) = db.execute("SELECT filled FROM evaluation_cohorts WHERE id = ?", [cohort_id]).fetchone()
    return msgspec.json.decode(filled, type=FilledTexts) if filled else {}
