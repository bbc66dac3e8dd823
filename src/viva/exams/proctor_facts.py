"""What the hub knows of an examiner and a candidate, read at once for many candidates."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from msgspec import Struct

from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.rows import many

EXAMINED_IN_RETURN_DAYS = 30


class ExamPair(NamedTuple):
    """One exam to ask about. Without a candidate, only the examiner is meant."""

    evaluation_id: str
    candidate_id: str | None


class ProctorFacts(Struct, frozen=True):
    """Of one examiner `p` and one candidate `c` at one evaluation. Addresses are keyed hashes."""

    place: int
    accepts_passed: bool  # the SIP says `proctors: passed`
    is_maintainer: bool
    is_appointed: bool
    has_passed: bool
    is_verified: bool
    has_open_attempt: bool
    was_examined: bool
    owners: list[str | None]
    candidate_owners: list[str | None]
    address: str | None
    registered_at: datetime | None
    candidate_address: str | None
    candidate_registered_at: datetime | None


# The rule on addresses reads when and from where an account registered. The event of it outlives the account, and the account
# may outlive its event.
FACTS = """
    SELECT asked.place, coalesce(e.config ->> 'proctors', '') = 'passed' AS accepts_passed, p.is_maintainer,
        EXISTS (SELECT 1 FROM proctor_appointments x WHERE x.agent_id = p.id
            AND (x.evaluation_id IS NULL OR x.evaluation_id = e.id)) AS is_appointed,
        EXISTS (SELECT 1 FROM evaluation_results r WHERE r.evaluation_id = e.id AND r.agent_id = p.id
            AND NOT r.is_private AND r.official AND r.passed) AS has_passed,
        p.verified_at IS NOT NULL AS is_verified,
        EXISTS (SELECT 1 FROM evaluation_registrations r WHERE r.evaluation_id = e.id AND r.agent_id = p.id
            AND r.status IN ('registered', 'in_progress')) AS has_open_attempt,
        EXISTS (SELECT 1 FROM evaluation_session_participants back
                JOIN evaluation_session_participants sat ON sat.session_id = back.session_id
                JOIN evaluation_sessions s ON s.id = back.session_id
            WHERE back.agent_id = p.id AND back.role = 'candidate' AND sat.agent_id = c.id AND sat.role = 'proctor'
                AND s.registration_id IS NOT NULL AND (s.ended_at IS NULL OR s.ended_at > :since))
            OR EXISTS (SELECT 1 FROM evaluation_markings m JOIN evaluation_sheets s ON s.id = m.sheet_id
                LEFT JOIN evaluation_registrations r ON r.id = s.registration_id
            WHERE m.marker = c.id AND m.kind = 'proctor' AND m.marked_at > :since AND (r.agent_id = p.id
                OR EXISTS (SELECT 1 FROM evaluation_cohort_members b WHERE b.cohort_id = s.cohort_id AND b.agent_id = p.id)))
            OR EXISTS (SELECT 1 FROM blind_verdicts v JOIN second_readings s ON s.id = v.second_reading_id
                JOIN evaluation_results r ON r.id = s.result_id
            WHERE v.marker_agent_id = c.id AND v.given_at > :since AND r.agent_id = p.id) AS was_examined,
        {owners_p} AS owners, {owners_c} AS candidate_owners,
        coalesce(pr.address_hash, p.address_hash) AS address, coalesce(pr.at, p.created_at) AS registered_at,
        coalesce(cr.address_hash, c.address_hash) AS candidate_address,
        coalesce(cr.at, c.created_at) AS candidate_registered_at
    FROM asked CROSS JOIN agents p JOIN evaluation_definitions e ON e.id = asked.evaluation_id
        LEFT JOIN agents c ON c.id = asked.candidate_id
        LEFT JOIN events pr ON pr.subject_id = p.id AND pr.action = 'agent.registered'
        LEFT JOIN events cr ON cr.subject_id = c.id AND cr.action = 'agent.registered'
    WHERE p.id = :proctor_id ORDER BY asked.place
"""


def read_facts(db: Connection, proctor_id: str, asked: Sequence[ExamPair]) -> list[ProctorFacts]:
    """The facts for each pair, in their order, with one statement."""
    values: dict[str, object] = {"proctor_id": proctor_id, "since": now() - timedelta(days=EXAMINED_IN_RETURN_DAYS)}
    places = []
    for place, pair in enumerate(asked):
        values |= {f"evaluation_{place}": pair.evaluation_id, f"candidate_{place}": pair.candidate_id}
        places.append(f"({place}, CAST(:evaluation_{place} AS TEXT), CAST(:candidate_{place} AS TEXT))")
    owners = {f"owners_{agent}": owners_of(db, agent) for agent in ("p", "c")}
    asked_rows = f"WITH asked (place, evaluation_id, candidate_id) AS (VALUES {', '.join(places)})"
    return many(ProctorFacts, db.execute(asked_rows + FACTS.format(**owners), values))


def owners_of(db: Connection, agent: str) -> str:
    """SQL for a JSON list of the owners that an agent has."""
    columns = ", ".join(f"{agent}.{name}" for name in ("owner", "verified_owner", "owner_key"))
    return f"{db.json_list}({columns})"
