"""The matrix shows, for each prompt, what the best result of each of the best agents has for it, and no other result."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests import make
from tests.results.taken import (
    EVALUATION,
    HOSTILE,
    VERSIONS,
    Counting,
    Taken,
    attempts,
    example,
    keep_all,
    outcome,
    plain,
    plans,
)
from viva.kit.db import Connection
from viva.kit.sqlite_connection import SqliteConnection
from viva.results import leaderboard, store
from viva.results.matrix import Cell, Matrix, MatrixPage, Prompt, read_matrix
from viva.results.model import Result


def number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12


def cell_of(result: Result, prompt_id: str) -> tuple[object, ...] | None:
    """Mark, most and whether all is met of one prompt, read from the result's data row by row."""
    given = (result.result_data or {}).get("criteria")
    first: dict[str, Any] = {}
    for row in given if isinstance(given, list) else ():
        if isinstance(row, dict) and isinstance(row.get("id"), str) and row["id"]:
            first.setdefault(row["id"], row)
    rows = [row for row in first.values() if row.get("prompt_id") == prompt_id]
    if not rows:
        return None
    marked = [row for row in rows if number(row.get("mark")) and number(row.get("max")) and row["max"] > 0]
    mark = sum(min(max(row["mark"], 0), row["max"]) for row in marked) if marked else None
    most = sum(row["max"] for row in marked) if marked else None
    verdicts = [row.get("met") if isinstance(row.get("met"), bool) else None for row in rows]
    return mark, most, False if False in verdicts else None if None in verdicts else True


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(taken=attempts)
def test_every_cell_is_what_the_best_result_has_for_the_prompt(db: Connection, taken: list[Taken]):
    with example(db):
        results = {result.id: result for result in keep_all(db, taken)}

        for version in (None, *VERSIONS):
            best = leaderboard.top(db, EVALUATION, version, 20, None).items
            given = [cell_of(results[each.result_id], prompt) for prompt in ("p1", "p2") for each in best]
            prompts = {
                prompt
                for prompt in ("p1", "p2")
                if any(cell_of(results[each.result_id], prompt) is not None for each in best)
            }

            found, next_cursor = read_matrix(db, EVALUATION, version)

            assert next_cursor is None
            assert {prompt.id for prompt in found.prompts} == prompts
            assert found.agents == (best if prompts else [])
            shown = {
                (prompt.id, agent.result_id): told(cell)
                for prompt, row in zip(found.prompts, found.cells, strict=True)
                for agent, cell in zip(found.agents, row, strict=True)
            }
            assert shown == {
                (prompt, each.result_id): cell
                for (prompt, each), cell in zip(
                    [(prompt, each) for prompt in ("p1", "p2") for each in best], given, strict=True
                )
                if prompt in prompts
            }


def told(cell: Cell | None) -> tuple[object, ...] | None:
    return None if cell is None else (cell.mark, cell.max, cell.met)


def probe(prompt_id: str, row: str = "r", **more: Any) -> dict[str, Any]:
    return {"id": f"{prompt_id}-{row}", "prompt_id": prompt_id, "text": f"About {prompt_id}", **more}


def test_a_cell_sums_up_the_criteria_of_its_prompt(db):
    (result,) = keep_all(
        db,
        [
            plain(
                data={
                    "criteria": [
                        probe("p1", "a", mark=3, max=4, met=True),
                        probe("p1", "b", mark=0, max=2, met=False),
                        probe("p2", mark=None, max=4, met=None),
                    ]
                }
            )
        ],
    )

    found, _ = read_matrix(db, EVALUATION, None)

    assert found.prompts == [Prompt("p1", "About p1"), Prompt("p2", "About p2")]
    assert found.cells == [[Cell(result.id, 3, 6, 0.5, False)], [Cell(result.id, None, None, None, None)]]


def test_columns_follow_the_leaderboard_page_by_page(db):
    make.evaluation(db)
    for place in range(45):
        data = {"criteria": [probe("p1", mark=place, max=45, met=True)]}
        store.add(db, outcome(db, make.agent(db, f"agent-{place}"), plain(score=place / 5, data=data)))

    names: list[list[str]] = []
    cursor: str | None = None
    while not names or cursor:
        found, cursor = read_matrix(db, EVALUATION, None, cursor)
        names.append([agent.agent_name for agent in found.agents])
        assert [cell.mark for cell in found.cells[0] if cell] == [int(name[6:]) for name in names[-1]]

    assert [len(page) for page in names] == [20, 20, 5]
    assert [name for page in names for name in page] == [f"agent-{place}" for place in range(44, -1, -1)]


@pytest.mark.parametrize("data", [None, {"criteria": [{"id": "tact", "met": True}]}, *HOSTILE[:5], *HOSTILE[6:]])
def test_results_without_prompts_make_no_matrix(db, data):
    keep_all(db, [plain(data=data)])

    assert read_matrix(db, EVALUATION, None) == MatrixPage(Matrix([], [], []), None)


def test_rows_are_bounded_and_their_ids_cut(db):
    many = [probe(f"p{number}", met=True) for number in range(100)]
    long = {"id": "x", "prompt_id": "p" * 5_000, "met": True}
    keep_all(
        db,
        [
            plain("ada", score=9.0, data={"criteria": [long, *many]}),
            plain("abe", score=1.0, data={"criteria": [probe(f"q{number}", met=True) for number in range(50)]}),
        ],
    )

    found, _ = read_matrix(db, EVALUATION, None)

    assert [prompt.id for prompt in found.prompts] == ["p" * 100, *(f"p{number}" for number in range(99))]
    assert widths(found.cells) == {2}


def widths(cells: Sequence[Sequence[object]]) -> set[int]:
    return set(map(len, cells))


def test_a_matrix_reads_the_best_results_alone(db):
    make.evaluation(db)
    people = [make.agent(db, f"agent-{place}") for place in range(30)]
    statements = []
    for _ in range(2):
        for agent in people:
            store.add(db, outcome(db, agent, plain(data={"criteria": [probe("p1", mark=1, max=2)]})))
        counting = Counting(db)
        read_matrix(counting, EVALUATION, None)
        statements.append(len(counting.asked))

    assert statements == [2, 2]
    if isinstance(db, SqliteConnection):
        assert not any("SCAN" in step or "B-TREE" in step for step in plans(db, counting))
