"""The matrix of an evaluation with several prompts: the marks of the best agents for each prompt."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from viva.kit.db import Connection
from viva.results import leaderboard
from viva.results.criteria import JudgedCriterion, read_judged_criteria
from viva.results.leaderboard import Standing
from viva.results.official import Scope

MAX_MATRIX_AGENTS = 20
MAX_MATRIX_PROMPTS = 100


class Prompt(Struct, frozen=True):
    """A row; `text` is the text of the prompt's first criterion."""

    id: str
    text: str


class Cell(Struct, frozen=True):
    """The marks of an agent's best result for a prompt.

    `share` is the share of the maximum, from 0 to 1, over criteria with marks. `met` is whether all criteria were met;
    None if one was not judged."""

    result_id: str
    mark: float | None
    max: float | None
    share: float | None
    met: bool | None


class Matrix(Struct, frozen=True):
    """One row of cells for each prompt, one cell for each agent; None if its result does not have the prompt."""

    prompts: list[Prompt]
    agents: list[Standing]
    cells: list[list[Cell | None]]


class MatrixPage(NamedTuple):
    matrix: Matrix
    next_cursor: str | None


def read_matrix(
    db: Connection,
    evaluation_id: str,
    version: str | None,
    cursor: str | None = None,
    scope: Scope = "official",
) -> MatrixPage:
    """The next agents as columns, in the order of the leaderboard, and their prompts as rows."""
    agents, next_cursor = leaderboard.top(db, evaluation_id, version, MAX_MATRIX_AGENTS, cursor, scope)
    return MatrixPage(build_matrix(agents, read_result_data(db, [agent.result_id for agent in agents])), next_cursor)


def read_result_data(db: Connection, result_ids: Sequence[str]) -> dict[str, Any]:
    if not result_ids:
        return {}
    placeholders = ", ".join("?" for _ in result_ids)
    rows = db.execute(
        f"SELECT id, result_data FROM evaluation_results WHERE id IN ({placeholders}) AND result_data IS NOT NULL",
        list(result_ids),
    ).fetchall()
    return {result_id: msgspec.json.decode(data) for result_id, data in rows}


def build_matrix(agents: list[Standing], data: dict[str, Any]) -> Matrix:
    by_prompt = [group_by_prompt(read_judged_criteria(data.get(agent.result_id))) for agent in agents]
    prompts: dict[str, Prompt] = {}
    for criteria in by_prompt:
        for prompt_id, judged in criteria.items():
            if len(prompts) < MAX_MATRIX_PROMPTS:
                prompts.setdefault(prompt_id, Prompt(prompt_id, judged[0].text or prompt_id))
    cells = [
        [
            build_cell(agent.result_id, criteria.get(prompt_id))
            for agent, criteria in zip(agents, by_prompt, strict=True)
        ]
        for prompt_id in prompts
    ]
    return Matrix(list(prompts.values()), agents if prompts else [], cells)


def group_by_prompt(judged: Iterable[JudgedCriterion]) -> dict[str, list[JudgedCriterion]]:
    groups: dict[str, list[JudgedCriterion]] = {}
    for criterion in judged:
        if criterion.prompt_id:
            groups.setdefault(criterion.prompt_id, []).append(criterion)
    return groups


def build_cell(result_id: str, judged: list[JudgedCriterion] | None) -> Cell | None:
    if not judged:
        return None
    marks = [
        (min(max(criterion.mark, 0.0), criterion.max_mark), criterion.max_mark)
        for criterion in judged
        if criterion.mark is not None and criterion.max_mark
    ]
    mark, max_mark = sum(mark for mark, _ in marks), sum(max_mark for _, max_mark in marks)
    met = all_met([criterion.met for criterion in judged])
    return Cell(result_id, mark, max_mark, mark / max_mark, met) if marks else Cell(result_id, None, None, None, met)


def all_met(verdicts: list[bool | None]) -> bool | None:
    """False if one criterion is not met, else None if one was not judged."""
    return False if False in verdicts else None if None in verdicts else True
