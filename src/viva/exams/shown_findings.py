"""Findings and the matrix of an evaluation, as one viewer may see them: figures for all, texts of items in use for few."""

from typing import TypeVar

from msgspec import structs

from viva.agents.model import Agent
from viva.evaluations.model import Evaluation
from viva.exams.revealing import Disclosure, disclose
from viva.kit.db import Connection
from viva.results import findings, matrix
from viva.results.findings import NO_THEMES, CriterionDifference, CriterionRate, Findings
from viva.results.matrix import MatrixPage, Prompt
from viva.results.official import Scope

Told = TypeVar("Told", CriterionRate, CriterionDifference)
CRITERION_LISTS = ("criteria", "strengths", "weaknesses", "distinguishing")


def read_findings(
    db: Connection,
    current: Evaluation,
    evaluation: Evaluation,
    version: str | None,
    viewer: Agent | None,
    scope: Scope = "official",
) -> Findings:
    """The findings of a version, or of all. `evaluation` is the version whose authors' sentences are shown."""
    found = findings.read_findings(db, current.id, version, evaluation.config.get("findings"), scope)
    disclosure = disclose(db, current, version, viewer)
    if not disclosure.hides_texts:
        return found
    lists = {name: hide_texts(getattr(found, name), disclosure) for name in CRITERION_LISTS}
    return structs.replace(found, **lists, themes=NO_THEMES if disclosure.hides_feedback else found.themes)


def hide_texts(rates: list[Told], disclosure: Disclosure) -> list[Told]:
    """The findings about criteria with ids in place of texts, which may be those of a rubric."""
    return [
        structs.replace(rate, text=rate.criterion_id) if disclosure.hidden.has(rate.criterion_id) else rate
        for rate in rates
    ]


def read_matrix(
    db: Connection,
    current: Evaluation,
    version: str | None,
    viewer: Agent | None,
    cursor: str | None,
    scope: Scope = "official",
) -> MatrixPage:
    """The marks of the best agents. A prompt in use has its id as its text."""
    found, next_cursor = matrix.read_matrix(db, current.id, version, cursor, scope)
    disclosure = disclose(db, current, version, viewer)
    if disclosure.hides_texts:
        prompts = [Prompt(row.id, row.id) if disclosure.hidden.has(row.id) else row for row in found.prompts]
        found = structs.replace(found, prompts=prompts)
    return MatrixPage(found, next_cursor)
