"""One prompt of an evaluation: the marks of the best agents for it."""

from msgspec import Struct

from viva.kit.db import Connection
from viva.results import leaderboard, matrix
from viva.results.criteria import read_judged_criteria
from viva.results.matrix import Cell
from viva.results.model import NamedResult


class PromptResult(Struct, frozen=True):
    """One line; `cell` is None if the result does not have the prompt."""

    id: str  # of the result
    agent_name: str
    cell: Cell | None


def list_prompt_results(db: Connection, result: NamedResult, prompt_id: str) -> list[PromptResult]:
    """The best results of the version in the order of the leaderboard; the given result is last if it is not one of them."""
    best = leaderboard.top(db, result.evaluation_id, result.evaluation_version, matrix.MAX_MATRIX_AGENTS, None).items
    names = {standing.result_id: standing.agent_name for standing in best} | {result.id: result.agent_name}
    data = matrix.read_result_data(db, list(names))
    lines = [prompt_result(result_id, name, data.get(result_id), prompt_id) for result_id, name in names.items()]
    return [line for line in lines if line.cell or line.id == result.id]


def prompt_result(result_id: str, name: str, data: object, prompt_id: str) -> PromptResult:
    judged = matrix.group_by_prompt(read_judged_criteria(data)).get(prompt_id)
    return PromptResult(result_id, name, matrix.build_cell(result_id, judged))
