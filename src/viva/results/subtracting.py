"""Taking a result out of the sums, when it is void or was changed."""

from viva.kit.db import Connection
from viva.kit.rows import many
from viva.results import standing_sums, sums
from viva.results.model import Result
from viva.results.sum_keys import ALL_VERSIONS, SumKey

RESULT_COLUMNS = ", ".join(Result.__struct_fields__)


def subtract(db: Connection, result: Result) -> None:
    """Take the result, as it was counted, out of the sums. Its row no longer counts, or counts otherwise.

    The tallies come first and lock the evaluation's sums, as in `sums.add`."""
    keys = sums.keys_of(result)
    if not keys:
        return
    sums.add_tallies(db, result, keys, sign=-1)
    sums.add_groups(db, result, keys, sign=-1)
    sums.add_criteria(db, result, keys, sign=-1)
    sums.drop_empty_criteria(db, result.evaluation_id)
    for key in keys:
        restore_standings(db, result, key)
    db.execute("DELETE FROM evaluation_group_tallies WHERE evaluation_id = ? AND attempts = 0", [result.evaluation_id])
    db.execute("DELETE FROM evaluation_tallies WHERE evaluation_id = ? AND attempts = 0", [result.evaluation_id])
    for key in keys:
        restore_span(db, result.evaluation_id, key)
    db.execute(f"{sums.RECOUNT_AGENT} WHERE id = ?", [result.agent_id])


def restore_standings(db: Connection, result: Result, key: SumKey) -> None:
    """The standings of the agent and of its version under the key, from the agent's other results."""
    others = [other for other in list_others(db, result) if key in sums.keys_of(other)]
    standing_sums.restore(db, standing_sums.AGENT_VERSIONS, result, key, others)
    if not standing_sums.restore(db, standing_sums.AGENTS, result, key, others):
        sums.add_agents(db, result.evaluation_id, [key], -1)


def move_version(db: Connection, before: Result, after: Result) -> None:
    """Count a result under the version of its agent that it names now. The caller has locked the sums and changed the row."""
    keys = sums.keys_of(before)
    for key in keys:
        if not standing_sums.take_one(db, standing_sums.AGENT_VERSIONS, before, key):
            others = [other for other in list_others(db, before) if key in sums.keys_of(other)]
            standing_sums.restore(db, standing_sums.AGENT_VERSIONS, before, key, others)
    if keys:
        standing_sums.add_to_table(db, standing_sums.AGENT_VERSIONS, after, keys)


def list_others(db: Connection, result: Result) -> list[Result]:
    """The agent's other results in the evaluation that count."""
    rows = db.execute(
        f"""
        SELECT {RESULT_COLUMNS} FROM evaluation_results
        WHERE evaluation_id = ? AND agent_id = ? AND NOT is_private AND voided_at IS NULL AND id <> ?
        """,
        [result.evaluation_id, result.agent_id, result.id],
    )
    return many(Result, rows)


def restore_span(db: Connection, evaluation_id: str, key: SumKey) -> None:
    """The times of the first and last result under the key."""
    conditions = ["evaluation_id = :evaluation_id", "NOT is_private", "voided_at IS NULL"]
    conditions += ["official"] if key.scope == "official" else []
    conditions += [] if key.version == ALL_VERSIONS else ["evaluation_version = :version"]
    values = {"evaluation_id": evaluation_id, "version": key.version, "scope": key.scope}
    ends = {
        name: f"""(SELECT completed_at FROM evaluation_results WHERE {" AND ".join(conditions)}
            ORDER BY completed_at {order} LIMIT 1)"""
        for name, order in (("first_at", "ASC"), ("last_at", "DESC"))
    }
    db.execute(
        f"""
        UPDATE evaluation_tallies SET {", ".join(f"{name} = {end}" for name, end in ends.items())}
        WHERE evaluation_id = :evaluation_id AND evaluation_version = :version AND scope = :scope
        """,
        values,
    )
