"""Sums that are updated with every new result, so that no read has to count results."""

from collections.abc import Iterable, Sequence
from typing import Any

from viva.kit.clock import format_time
from viva.kit.db import Connection
from viva.kit.rows import many
from viva.results.criteria import read_judged_criteria
from viva.results.model import Result
from viva.results.standing_order import STANDING_COLUMNS, share_of, standing_order_of

ALL_VERSIONS = ""  # the version under which the sums over all versions are stored
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
STANDING_FIELDS = (
    "score",
    "max_score",
    "completed_at",
    "result_version",
)  # of the best result, besides its place in the order
SUM_TABLES = ("standings", "tallies", "group_tallies", "criterion_tallies")


def add(db: Connection, result: Result) -> None:
    """Add a stored result to the sums.

    The tally over all versions comes first. Its row lock makes results of one evaluation wait for each other, so that
    the later steps run one at a time and cannot deadlock."""
    versions = list(dict.fromkeys((ALL_VERSIONS, result.evaluation_version)))
    add_tallies(db, result, versions)
    add_groups(db, result, versions)
    add_criteria(db, result, versions)
    add_standings(db, result, versions)
    add_to_agent(db, result)


def add_tallies(db: Connection, result: Result, versions: Sequence[str]) -> None:
    share = share_of(result.score, result.max_score)
    bin_ = None if share is None else bin_of(share)
    bins = [int(number == bin_) for number in range(HISTOGRAM_BINS)]
    scored = [int(share is not None), share or 0.0, (share or 0.0) ** 2, *bins]
    counts = [1, int(result.passed), float(result.points_earned), *scored]
    rows = [(result.evaluation_id, version, *counts, result.completed_at, result.completed_at) for version in versions]
    add_counts(db, "evaluation_tallies", ("evaluation_id", "evaluation_version"), TALLY_COLUMNS, rows, SPAN_UPDATES)


def bin_of(share: float) -> int:
    return min(HISTOGRAM_BINS - 1, int(share * HISTOGRAM_BINS))


def add_groups(db: Connection, result: Result, versions: Sequence[str]) -> None:
    """Attempts and passes by month, and by session length if the session was the candidate's own."""
    groups = [("month", format_time(result.completed_at)[:7])]
    length = session_length(db, result)
    if length is not None:
        groups.append(("messages", str(length)))
    key = ("evaluation_id", "evaluation_version", "kind", "value")
    rows = [(result.evaluation_id, version, *group, 1, int(result.passed)) for version in versions for group in groups]
    add_counts(db, "evaluation_group_tallies", key, ("attempts", "passed"), rows)


def session_length(db: Connection, result: Result) -> int | None:
    if result.session_id is None or result.cohort_id is not None:
        return None
    row = db.execute("SELECT message_count FROM evaluation_sessions WHERE id = ?", [result.session_id]).fetchone()
    return None if row is None else max(length for length in SESSION_LENGTHS_MESSAGES if length <= row[0])


def add_criteria(db: Connection, result: Result, versions: Sequence[str]) -> None:
    judged = read_judged_criteria(result.result_data)
    if not judged:
        return
    known = known_criteria(db, result.evaluation_id, versions)
    rows = []
    for version in versions:
        room = MAX_CRITERIA_PER_VERSION - len(known[version])
        new = [criterion.id for criterion in judged if criterion.id not in known[version]][:room]
        counted = known[version].union(new)
        rows += [
            (result.evaluation_id, version, id_, int(met is True), int(met is False), int(met is None), text)
            for id_, text, met, *_ in judged
            if id_ in counted
        ]
    key = ("evaluation_id", "evaluation_version", "criterion_id")
    add_counts(db, "evaluation_criterion_tallies", key, ("met", "not_met", "unscored"), rows, {"text": "excluded.text"})


def known_criteria(db: Connection, evaluation_id: str, versions: Sequence[str]) -> dict[str, set[str]]:
    rows = db.execute(
        f"""
        SELECT evaluation_version, criterion_id FROM evaluation_criterion_tallies
        WHERE evaluation_id = ? AND evaluation_version IN ({placeholders(versions)})
        """,
        [evaluation_id, *versions],
    ).fetchall()
    return {version: {name for at, name in rows if at == version} for version in versions}


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


def add_standings(db: Connection, result: Result, versions: Sequence[str]) -> None:
    """Update the agent's standing in the version and in all versions, if this result is better."""
    place = standing_order_of(result)
    fields = (result.score, result.max_score, result.completed_at, result.evaluation_version)
    columns = ("evaluation_id", "agent_id", "evaluation_version", "most_points", *STANDING_COLUMNS, *STANDING_FIELDS)
    rows = [
        (result.evaluation_id, result.agent_id, version, place.points_earned, *place, *fields) for version in versions
    ]
    values = f"({placeholders(columns)}, 1)"
    attempts = db.execute(
        f"""
        INSERT INTO evaluation_standings AS stored ({", ".join(columns)}, attempts)
        VALUES {", ".join([values] * len(rows))}
        ON CONFLICT (evaluation_id, evaluation_version, agent_id) DO UPDATE SET attempts = stored.attempts + 1,
            most_points = CASE WHEN excluded.most_points > stored.most_points THEN excluded.most_points
                ELSE stored.most_points END
        RETURNING evaluation_version, attempts
        """,
        [value for row in rows for value in row],
    ).fetchall()
    new = [version for version, count in attempts if count == 1]
    if len(new) < len(versions):
        db.execute(
            f"""
            UPDATE evaluation_standings SET {", ".join(f"{name} = ?" for name in (*STANDING_COLUMNS, *STANDING_FIELDS))}
            WHERE evaluation_id = ? AND evaluation_version IN ({placeholders(versions)}) AND agent_id = ?
                AND ({", ".join(STANDING_COLUMNS)}) < ({placeholders(STANDING_COLUMNS)})
            """,
            [*place, *fields, result.evaluation_id, *versions, result.agent_id, *place],
        )
    if new:
        db.execute(
            f"""
            UPDATE evaluation_tallies SET agents = agents + 1
            WHERE evaluation_id = ? AND evaluation_version IN ({placeholders(new)})
            """,
            [result.evaluation_id, *new],
        )


UPDATE_POINTS = """
    points = (SELECT coalesce(sum(most_points), 0) FROM evaluation_standings
        WHERE agent_id = agents.id AND evaluation_version = '')
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


def placeholders(values: Sequence[Any]) -> str:
    return ", ".join("?" for _ in values)


def recount(db: Connection, evaluation_id: str) -> None:
    """Compute the evaluation's sums again from its results, after stored results were changed."""
    for table in SUM_TABLES:
        db.execute(f"DELETE FROM evaluation_{table} WHERE evaluation_id = ?", [evaluation_id])
    columns = ", ".join(Result.__struct_fields__)
    stored = db.execute(
        f"SELECT {columns} FROM evaluation_results WHERE evaluation_id = ? ORDER BY completed_at, id", [evaluation_id]
    )
    for result in many(Result, stored):
        add(db, result)
    db.execute(
        f"""
        UPDATE agents SET {UPDATE_POINTS},
            results = (SELECT count(*) FROM evaluation_results WHERE agent_id = agents.id),
            last_result_at = (SELECT max(completed_at) FROM evaluation_results WHERE agent_id = agents.id)
        WHERE id IN (SELECT agent_id FROM evaluation_results WHERE evaluation_id = ?)
        """,
        [evaluation_id],
    )
