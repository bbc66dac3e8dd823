"""The best result of each agent, and of each version of an agent, stored with every new result."""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, NamedTuple

from viva.kit.db import Connection
from viva.results.model import Result
from viva.results.standing_order import BETTER_COLUMNS, STANDING_COLUMNS, better_order_of, standing_order_of
from viva.results.sum_keys import SUM_KEY, SumKey, is_one_of, placeholders

BEST_COLUMNS = (*STANDING_COLUMNS, "score", "max_score", "completed_at", "result_version")


class StandingTable(NamedTuple):
    """A table with one row for each holder of a best result. `counted` is a column over all results of the holder."""

    name: str
    holder: tuple[str, ...]
    holder_of: Callable[[Result], tuple[str, ...]]
    counted: str
    count_of: Callable[[Result], float]
    add_count: str  # in SQL, to what is stored
    sum_counts: Callable[[Sequence[float]], float]


AGENTS = StandingTable(
    name="evaluation_standings",
    holder=("agent_id",),
    holder_of=lambda result: (result.agent_id,),
    counted="most_points",
    count_of=lambda result: float(result.points_earned),
    add_count="CASE WHEN excluded.most_points > stored.most_points THEN excluded.most_points ELSE stored.most_points END",
    sum_counts=max,
)
AGENT_VERSIONS = StandingTable(
    name="agent_version_standings",
    holder=("agent_id", "agent_version", "agent_model", "agent_framework"),
    holder_of=lambda result: (
        result.agent_id,
        result.agent_version or "",
        result.agent_model or "",
        result.agent_framework or "",
    ),
    counted="passes",
    count_of=lambda result: int(result.passed),
    add_count="stored.passes + excluded.passes",
    sum_counts=sum,
)


def add(db: Connection, result: Result, keys: Sequence[SumKey]) -> list[SumKey]:
    """Update both standings under each key. Return the keys under which the agent is new."""
    add_to_table(db, AGENT_VERSIONS, result, keys)
    return add_to_table(db, AGENTS, result, keys)


def add_to_table(db: Connection, table: StandingTable, result: Result, keys: Sequence[SumKey]) -> list[SumKey]:
    """Count the result, and store it as the best one if it is better. Return the keys that had no row."""
    holder, best = table.holder_of(result), best_values(result)
    columns = (*SUM_KEY, *table.holder, table.counted, *BEST_COLUMNS)
    rows = [(result.evaluation_id, key.version, key.scope, *holder, table.count_of(result), *best) for key in keys]
    values = f"({placeholders(columns)}, 1)"
    counted = db.execute(
        f"""
        INSERT INTO {table.name} AS stored ({", ".join(columns)}, attempts) VALUES {", ".join([values] * len(rows))}
        ON CONFLICT ({", ".join((*SUM_KEY, *table.holder))}) DO UPDATE
            SET attempts = stored.attempts + 1, {table.counted} = {table.add_count}
        RETURNING scope, evaluation_version, attempts
        """,
        list(chain.from_iterable(rows)),
    ).fetchall()
    new = [SumKey(scope, version) for scope, version, attempts in counted if attempts == 1]
    if len(new) < len(keys):
        replace_worse(db, table, result, keys)
    return new


def replace_worse(db: Connection, table: StandingTable, result: Result, keys: Sequence[SumKey]) -> None:
    db.execute(
        f"""
        UPDATE {table.name} SET {", ".join(f"{name} = ?" for name in BEST_COLUMNS)}
        WHERE evaluation_id = ? AND {is_holder(table)} AND {is_one_of(keys)}
            AND ({", ".join(BETTER_COLUMNS)}) < ({placeholders(BETTER_COLUMNS)})
        """,
        [
            *best_values(result),
            result.evaluation_id,
            *table.holder_of(result),
            *chain.from_iterable(keys),
            *better_order_of(result),
        ],
    )


def restore(
    db: Connection, table: StandingTable, result: Result, key: SumKey, counted_results: Sequence[Result]
) -> bool:
    """Store what stands without the result: the best of the others, which have its key. False if no row is left."""
    others = [other for other in counted_results if table.holder_of(other) == table.holder_of(result)]
    at = [result.evaluation_id, *table.holder_of(result), *key]
    same = f"evaluation_id = ? AND {is_holder(table)} AND {is_one_of([key])}"
    if not others:
        db.execute(f"DELETE FROM {table.name} WHERE {same}", at)
        return False
    columns = ("attempts", table.counted, *BEST_COLUMNS)
    count = table.sum_counts([table.count_of(other) for other in others])
    db.execute(
        f"UPDATE {table.name} SET {', '.join(f'{name} = ?' for name in columns)} WHERE {same}",
        [len(others), count, *best_values(max(others, key=better_order_of)), *at],
    )
    return True


def take_one(db: Connection, table: StandingTable, result: Result, key: SumKey) -> bool:
    """Take the result out of a count that is a sum. False if it was the best one of several, so that another one has to be found."""
    at = [result.evaluation_id, *table.holder_of(result), *key]
    same = f"evaluation_id = ? AND {is_holder(table)} AND {is_one_of([key])}"
    sql = f"UPDATE {table.name} SET attempts = attempts - 1, {table.counted} = {table.counted} - ? WHERE {same}"
    (left, best_id) = db.execute(f"{sql} RETURNING attempts, result_id", [table.count_of(result), *at]).fetchone()
    if not left:
        db.execute(f"DELETE FROM {table.name} WHERE {same}", at)
    return bool(left == 0 or best_id != result.id)


def best_values(result: Result) -> tuple[Any, ...]:
    place = standing_order_of(result)
    return *place, result.score, result.max_score, result.completed_at, result.evaluation_version


def is_holder(table: StandingTable) -> str:
    return " AND ".join(f"{name} = ?" for name in table.holder)
