"""Sums that are updated with every new or voided result, so that no read has to count results."""

from collections.abc import Collection, Iterable, Sequence
from itertools import chain, product
from typing import Any

from viva.kit.clock import format_time
from viva.kit.db import Connection
from viva.kit.rows import many
from viva.results import standing_sums
from viva.results.criteria import read_judged_criteria
from viva.results.model import Result
from viva.results.official import Scope
from viva.results.standing_order import share_of
from viva.results.sum_keys import ALL_VERSIONS, SUM_KEY, SumKey, is_one_of, placeholders

HISTOGRAM_BINS = 10  # of scores, each a tenth of the maximum
SESSION_LENGTHS_MESSAGES = (0, 2, 4, 8, 16, 32, 64)  # the fewest messages of each group of sessions
MAX_CRITERIA_PER_VERSION = 200  # so that new criterion ids in every result cannot fill the table

TALLY_COLUMNS = (
    "attempts",
    "passed",
    "points_sum",
    "scored",
    "share_sum",
    "share_squares",
    *(f"bin_{n}" for n in range(HISTOGRAM_BINS)),
)
SPAN_UPDATES = {
    "first_at": "CASE WHEN excluded.first_at < stored.first_at THEN excluded.first_at ELSE stored.first_at END",
    "last_at": "CASE WHEN excluded.last_at > stored.last_at THEN excluded.last_at ELSE stored.last_at END",
}
SUM_TABLES = (
    "evaluation_standings",
    "agent_version_standings",
    "evaluation_tallies",
    "evaluation_group_tallies",
    "evaluation_criterion_tallies",
)


def keys_of(result: Result) -> list[SumKey]:
    """The sums in which the result counts. The official sum over all versions comes last of its version."""
    if result.is_private or result.voided_at is not None:
        return []
    scopes: tuple[Scope, ...] = ("any", "official") if result.official else ("any",)
    return [SumKey(scope, version) for version, scope in product(versions_of(result), scopes)]


def versions_of(result: Result) -> list[str]:
    return list(dict.fromkeys((ALL_VERSIONS, result.evaluation_version)))


def add(db: Connection, result: Result) -> None:
    """Add a stored result to the sums.

    The tallies come first, that over all results before the others. Its row lock makes results of one evaluation wait
    for each other, so that the later steps run one at a time and cannot deadlock."""
    keys = keys_of(result)
    if keys:
        add_tallies(db, result, keys)
        add_groups(db, result, keys)
        add_criteria(db, result, keys)
        add_agents(db, result.evaluation_id, standing_sums.add(db, result, keys), 1)
        add_to_agent(db, result)


def add_tallies(db: Connection, result: Result, keys: Sequence[SumKey], sign: int = 1) -> None:
    share = share_of(result.score, result.max_score)
    bin_ = None if share is None else bin_of(share)
    bins = [int(number == bin_) for number in range(HISTOGRAM_BINS)]
    scored = [int(share is not None), share or 0.0, (share or 0.0) ** 2, *bins]
    counts = [sign * count for count in (1, int(result.passed), float(result.points_earned), *scored)]
    rows = [
        (result.evaluation_id, key.version, key.scope, *counts, result.completed_at, result.completed_at)
        for key in keys
    ]
    add_counts(db, "evaluation_tallies", SUM_KEY, TALLY_COLUMNS, rows, SPAN_UPDATES)


def bin_of(share: float) -> int:
    return min(HISTOGRAM_BINS - 1, int(share * HISTOGRAM_BINS))


def add_groups(db: Connection, result: Result, keys: Sequence[SumKey], sign: int = 1) -> None:
    """Attempts and passes by month, and by session length if the session was the candidate's own."""
    groups = [("month", format_time(result.completed_at)[:7])]
    length = session_length(db, result)
    if length is not None:
        groups.append(("messages", str(length)))
    rows = [
        (result.evaluation_id, key.version, key.scope, *group, sign, sign * int(result.passed))
        for key in keys
        for group in groups
    ]
    add_counts(db, "evaluation_group_tallies", (*SUM_KEY, "kind", "value"), ("attempts", "passed"), rows)


def session_length(db: Connection, result: Result) -> int | None:
    if result.session_id is None or result.cohort_id is not None:
        return None
    row = db.execute("SELECT message_count FROM evaluation_sessions WHERE id = ?", [result.session_id]).fetchone()
    return None if row is None else max(length for length in SESSION_LENGTHS_MESSAGES if length <= row[0])


def add_criteria(db: Connection, result: Result, keys: Sequence[SumKey], sign: int = 1) -> None:
    judged = read_judged_criteria(result.result_data)
    if not judged:
        return
    known = known_criteria(db, result.evaluation_id, keys)
    rows = []
    for key in keys:
        room = MAX_CRITERIA_PER_VERSION - len(known[key])
        new = [criterion.id for criterion in judged if criterion.id not in known[key]][:room]
        counted = known[key].union(new)
        rows += [
            (
                result.evaluation_id,
                key.version,
                key.scope,
                id_,
                *(sign * (met is case) for case in (True, False, None)),
                *(sign * (result.passed and met is case) for case in (True, False)),
                text,
            )
            for id_, text, met, *_ in judged
            if id_ in counted
        ]
    columns = ("met", "not_met", "unscored", "met_passed", "not_met_passed")
    add_counts(db, "evaluation_criterion_tallies", (*SUM_KEY, "criterion_id"), columns, rows, {"text": "excluded.text"})


def change_criteria(db: Connection, before: Result, after: Result) -> None:
    """Count the criteria as the result has them after its words were hidden or shown again. No text of before is left.

    The tallies are locked first, as in `add`."""
    read_before, read_after = read_judged_criteria(before.result_data), read_judged_criteria(after.result_data)
    if read_before == read_after:
        return
    id_, texts = after.evaluation_id, {each.id: each.text for each in read_after}
    db.execute(
        f"SELECT 1 FROM evaluation_tallies WHERE evaluation_id = ? ORDER BY evaluation_version, scope {db.lock_rows}",
        [id_],
    ).fetchall()
    if keys := keys_of(after):
        add_criteria(db, before, keys, sign=-1)
        add_criteria(db, after, keys)
    for each in read_before:
        db.execute(
            "UPDATE evaluation_criterion_tallies SET text = ? WHERE evaluation_id = ? AND criterion_id = ? AND text = ?",
            [texts.get(each.id, ""), id_, each.id, each.text],
        )
    drop_empty_criteria(db, id_)


def drop_empty_criteria(db: Connection, evaluation_id: str) -> None:
    """Delete the sums of criteria that no result has any more."""
    db.execute(
        """
        DELETE FROM evaluation_criterion_tallies
        WHERE evaluation_id = ? AND met = 0 AND not_met = 0 AND unscored = 0
        """,
        [evaluation_id],
    )


def known_criteria(db: Connection, evaluation_id: str, keys: Sequence[SumKey]) -> dict[SumKey, set[str]]:
    versions = list(dict.fromkeys(key.version for key in keys))
    rows = db.execute(
        f"""
        SELECT scope, evaluation_version, criterion_id FROM evaluation_criterion_tallies
        WHERE evaluation_id = ? AND evaluation_version IN ({placeholders(versions)})
        """,
        [evaluation_id, *versions],
    ).fetchall()
    return {key: {name for scope, version, name in rows if (scope, version) == key} for key in keys}


def add_counts(
    db: Connection,
    table: str,
    key: Sequence[str],
    counts: Sequence[str],
    rows: Iterable[Sequence[Any]],
    others: dict[str, str] | None = None,
) -> None:
    """Add each row's counts to those stored under its key; `others` says how the other columns change."""
    rows = list(rows)
    if not rows:
        return
    changes = {name: f"stored.{name} + excluded.{name}" for name in counts} | (others or {})
    values = f"({placeholders(rows[0])})"
    db.execute(
        f"""
        INSERT INTO {table} AS stored ({", ".join((*key, *changes))}) VALUES {", ".join([values] * len(rows))}
        ON CONFLICT ({", ".join(key)}) DO UPDATE SET {", ".join(f"{name} = {to}" for name, to in changes.items())}
        """,
        [value for row in rows for value in row],
    )


def add_agents(db: Connection, evaluation_id: str, keys: Sequence[SumKey], number: int) -> None:
    """Add to the number of agents that have a result under each key."""
    if keys:
        db.execute(
            f"UPDATE evaluation_tallies SET agents = agents + ? WHERE evaluation_id = ? AND {is_one_of(keys)}",
            [number, evaluation_id, *chain.from_iterable(keys)],
        )


UPDATE_POINTS = f"""
    points = (SELECT coalesce(sum(most_points), 0) FROM evaluation_standings
        WHERE agent_id = agents.id AND evaluation_version = '{ALL_VERSIONS}' AND scope = 'official')
"""
COUNTED_RESULTS = "FROM evaluation_results WHERE agent_id = agents.id AND NOT is_private AND voided_at IS NULL"
RECOUNT_AGENT = f"""
    UPDATE agents SET {UPDATE_POINTS}, results = (SELECT count(*) {COUNTED_RESULTS}),
        last_result_at = (SELECT max(completed_at) {COUNTED_RESULTS})
"""


def add_to_agent(db: Connection, result: Result) -> None:
    """Update the agent's own sums. Only the most points of each evaluation count.

    The first statement locks the agent's row, so that the sum misses no simultaneous result of another evaluation."""
    db.execute(
        """
        UPDATE agents SET results = results + 1, last_result_at =
            CASE WHEN last_result_at > :at THEN last_result_at ELSE :at END
        WHERE id = :agent_id
        """,
        {"at": result.completed_at, "agent_id": result.agent_id},
    )
    db.execute(f"UPDATE agents SET {UPDATE_POINTS} WHERE id = ?", [result.agent_id])


def recount_versions(db: Connection, agent_id: str) -> None:
    """Compute the standings of an agent's versions again, after its results call the version otherwise.

    The tallies of its evaluations are locked first, as in `add`."""
    taken = db.execute("SELECT DISTINCT evaluation_id FROM evaluation_results WHERE agent_id = ?", [agent_id])
    lock_tallies(db, [evaluation_id for (evaluation_id,) in taken.fetchall()])
    db.execute("DELETE FROM agent_version_standings WHERE agent_id = ?", [agent_id])
    columns = ", ".join(Result.__struct_fields__)
    stored = db.execute(f"SELECT {columns} FROM evaluation_results WHERE agent_id = ? ORDER BY id", [agent_id])
    for result in many(Result, stored):
        if keys := keys_of(result):
            standing_sums.add_to_table(db, standing_sums.AGENT_VERSIONS, result, keys)


def lock_tallies(db: Connection, evaluation_ids: Collection[str]) -> None:
    """Lock the sums of these evaluations until commit. On SQLite nobody else writes anyway."""
    if evaluation_ids and db.lock_rows:
        db.execute(
            f"""
            SELECT 1 FROM evaluation_tallies WHERE evaluation_id IN ({placeholders(tuple(evaluation_ids))})
            ORDER BY evaluation_id, evaluation_version, scope {db.lock_rows}
            """,
            list(evaluation_ids),
        ).fetchall()


def recount(db: Connection, evaluation_id: str) -> None:
    """Compute the evaluation's sums again from its results, after stored results were changed."""
    for table in SUM_TABLES:
        db.execute(f"DELETE FROM {table} WHERE evaluation_id = ?", [evaluation_id])
    columns = ", ".join(Result.__struct_fields__)
    stored = db.execute(
        f"SELECT {columns} FROM evaluation_results WHERE evaluation_id = ? ORDER BY completed_at, id", [evaluation_id]
    )
    for result in many(Result, stored):
        add(db, result)
    db.execute(
        f"{RECOUNT_AGENT} WHERE id IN (SELECT agent_id FROM evaluation_results WHERE evaluation_id = ?)",
        [evaluation_id],
    )
