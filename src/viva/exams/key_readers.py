"""Who has read the keys of an evaluation, or may: its answers, its rubric or its procedure.

Nobody is examined officially by a rubric that it has read. So takes and claims are recorded, for each version by its digest.
Maintainers, appointed proctors and authors may read at any time. When such a right ends, that is recorded too. Whoever
has collaborated on a contribution counts as an author for ever."""

from collections.abc import Sequence

from viva.evaluations.model import Evaluation
from viva.exams.handlers.traits import HANDLER_TRAITS, traits_of
from viva.exams.model import Registration
from viva.kit.clock import now
from viva.kit.db import Connection

# Whether the account `o` has read, or may read, the keys of the version with this digest.
READS_KEYS = """(o.is_maintainer
    OR EXISTS (SELECT 1 FROM proctor_appointments x WHERE x.agent_id = o.id
        AND (x.evaluation_id IS NULL OR x.evaluation_id = {evaluation_id}))
    OR EXISTS (SELECT 1 FROM evaluation_contributions x WHERE x.evaluation_id = {evaluation_id} AND x.status = 'merged'
        AND (x.contributor_id = o.id OR EXISTS (SELECT 1 FROM evaluation_contribution_readers w
            WHERE w.contribution_id = x.id AND w.agent_id = o.id)))
    OR EXISTS (SELECT 1 FROM key_readings x WHERE x.evaluation_id = {evaluation_id}
        AND x.evaluation_digest = {digest} AND x.agent_id = o.id))"""
# The account `a` and the others of its verified owner.
ACCOUNTS = "JOIN agents o ON o.id = a.id OR o.owner_key = a.owner_key"


def record_reading(db: Connection, evaluation_id: str, digest: str | None, agent_id: str) -> None:
    """Write down that the agent was given the keys of the version."""
    db.execute(
        """
        INSERT INTO key_readings (evaluation_id, evaluation_digest, agent_id, read_at) VALUES (?, ?, ?, ?)
        ON CONFLICT DO NOTHING
        """,
        [evaluation_id, digest or "", agent_id, now()],
    )


def record_right(db: Connection, agent_id: str, evaluation_id: str | None) -> None:
    """Write down that the agent could read the keys of every version of the evaluation, or of all evaluations."""
    db.execute(
        """
        INSERT INTO key_readings (evaluation_id, evaluation_digest, agent_id, read_at)
        SELECT DISTINCT evaluation_id, digest, :agent_id, :at FROM evaluation_versions
        WHERE evaluation_id = coalesce(:evaluation_id, evaluation_id)
        ON CONFLICT DO NOTHING
        """,
        {"agent_id": agent_id, "at": now(), "evaluation_id": evaluation_id},
    )


def has_read_keys(db: Connection, evaluation: Evaluation, agent_id: str) -> bool:
    """Whether the agent, or another account of its verified owner, has read the keys of this version."""
    if not traits_of(evaluation.handler).has_keys:
        return False
    row = db.execute(
        f"""
        SELECT 1 FROM agents a {ACCOUNTS}
        WHERE a.id = :agent_id AND {READS_KEYS.format(evaluation_id=":evaluation_id", digest=":digest")} LIMIT 1
        """,
        {"agent_id": agent_id, "evaluation_id": evaluation.id, "digest": evaluation.digest},
    ).fetchone()
    return row is not None


def list_informed(db: Connection, registration_ids: Sequence[str]) -> set[str]:
    """Those of the started registrations whose candidate has read the keys of the version that it started with."""
    ids = {f"registration_{place}": id_ for place, id_ in enumerate(registration_ids)}
    if not ids:
        return set()
    keyless = ", ".join(f"'{name}'" for name, traits in HANDLER_TRAITS.items() if not traits.has_keys)
    rows = db.execute(
        f"""
        SELECT DISTINCT r.id FROM evaluation_registrations r JOIN evaluation_definitions e ON e.id = r.evaluation_id
            JOIN agents a ON a.id = r.agent_id {ACCOUNTS}
        WHERE r.id IN ({", ".join(f":{name}" for name in ids)}) AND e.handler NOT IN ({keyless})
            AND {READS_KEYS.format(evaluation_id="r.evaluation_id", digest="r.evaluation_digest")}
        """,
        ids,
    ).fetchall()
    return {registration_id for (registration_id,) in rows}


def is_informed(db: Connection, registration: Registration) -> bool:
    return bool(list_informed(db, [registration.id]))
