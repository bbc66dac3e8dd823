"""The matrix of an evaluation with several prompts: what each of the best agents got for each prompt."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from viva.kit.db import Connection
from viva.results import leaderboard
from viva.results.criteria import JudgedCriterion, read_judged_criteria
from viva.results.leaderboard import Standing

MAX_MATRIX_AGENTS = 20
MAX_MATRIX_PROMPTS = 100


class Prompt(Struct, frozen=True):
    """A row; `text` is that of the prompt's first criterion."""

    id: str
    text: str


class Cell(Struct, frozen=True):
    """What an agent's best result has for a prompt.

    `share` is of the marks of its criteria that have any, from 0 to 1; `met` is whether all were, None where one was not judged."""

    result_id: str
    mark: float | None
    max: float | None
    share: float | None
    met: bool | None


class Matrix(Struct, frozen=True):
    """A row of cells for each prompt, a cell in it for each agent; None where its result knows no such prompt."""

    prompts: list[Prompt]
    agents: list[Standing]
    cells: list[list[Cell | None]]


class MatrixPage(NamedTuple):
    matrix: Matrix
    next_cursor: str | None


def read_matrix(db: Connection, evaluation_id: str, version: str | None, cursor: str | None = None) -> MatrixPage:
    """The next columns, in the order of the leaderboard; the rows are the prompts that these agents were given."""
    agents, next_cursor = leaderboard.top(db, evaluation_id, version, MAX_MATRIX_AGENTS, cursor)
    return MatrixPage(build_matrix(agents, read_result_data(db, [agent.result_id for agent in agents])), next_cursor)


def read_result_data(db: Connection, result_ids: Sequence[str]) -> dict[str, Any]:
    if not result_ids:
        return {}
    places = ", ".join("?" for _ in result_ids)
    rows = db.execute(
        f"SELECT id, result_data FROM evaluation_results WHERE id IN ({places}) AND result_data IS NOT NULL",
        list(result_ids),
    ).fetchall()
    return {result_id: msgspec.json.decode(data) for result_id, data in rows}


def build_matrix(agents: list[Standing], data: dict[str, Any]) -> Matrix:
    by_prompt = [group_by_prompt(read_judged_criteria(data.get(agent.result_id))) for agent in agents]
    prompts: dict[str, Prompt] = {}
    for given in by_prompt:
        for prompt_id, judged in given.items():
            if len(prompts) < MAX_MATRIX_PROMPTS:
                prompts.setdefault(prompt_id, Prompt(prompt_id, judged[0].text or prompt_id))
    cells = [
        [build_cell(agent.result_id, given.get(prompt_id)) for agent, given in zip(agents, by_prompt, strict=True)]
        for prompt_id in prompts
    ]
    return Matrix(list(prompts.values()), agents if prompts else [], cells)


def group_by_prompt(judged: Iterable[JudgedCriterion]) -> dict[str, list[JudgedCriterion]]:
    found: dict[str, list[JudgedCriterion]] = {}
    for each in judged:
        if each.prompt_id:
            found.setdefault(each.prompt_id, []).append(each)
    return found


def build_cell(result_id: str, judged: list[JudgedCriterion] | None) -> Cell | None:
    if not judged:
        return None
    marks = [(min(max(each.mark, 0.0), each.most), each.most) for each in judged if each.mark is not None and each.most]
    mark, most = sum(mark for mark, _ in marks), sum(most for _, most in marks)
    met = all_met([each.met for each in judged])
    return Cell(result_id, mark, most, mark / most, met) if marks else Cell(result_id, None, None, None, met)


def all_met(verdicts: list[bool | None]) -> bool | None:
    """One that is not met is enough to say no; only when all are judged is it a yes."""
    return False if False in verdicts else None if None in verdicts else True
