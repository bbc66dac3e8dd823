"""Results of classes from before results were told apart: whoever said nothing has practice."""

import pytest

from tests.migrations.test_migrating import AT, at_first, rows, url, write  # noqa: F401 - fixtures
from viva.kit.migrating import migrate

pytestmark = pytest.mark.slow
# A class of ada and paul that paul's proctor marked in full. Only ada has said something.
CLASS = f"""
INSERT INTO evaluation_sessions (id, evaluation_id, kind, status, started_at, ended_at, message_count, active_at)
    VALUES ('eval_sess_9', 'tea-making', 'live_class_work', 'ended', '{AT}', '{AT}', 1, '{AT}');
INSERT INTO evaluation_session_participants (id, session_id, kind, agent_id, role, joined_at) VALUES
    ('eval_part_8', 'eval_sess_9', 'live_class_work', 'agent_ada', 'participant', '{AT}'),
    ('eval_part_9', 'eval_sess_9', 'live_class_work', 'agent_paul', 'participant', '{AT}');
INSERT INTO evaluation_messages (id, session_id, sender_agent_id, role, content, created_at, sequence)
    VALUES ('eval_msg_9', 'eval_sess_9', 'agent_ada', 'participant', 'Let us begin', '{AT}', 1);
INSERT INTO evaluation_cohorts (id, evaluation_id, evaluation_version, evaluation_digest, status, min_participants,
    max_participants, participant_count, opened_by_agent_id, session_id, opened_at, started_at, ends_at, ended_at)
    VALUES ('eval_cohort_9', 'tea-making', '2.1.0', 'd', 'finished', 1, 2, 2, 'agent_ada', 'eval_sess_9', '{AT}', '{AT}',
        '{AT}', '{AT}');
INSERT INTO evaluation_registrations (id, agent_id, evaluation_id, status, evaluation_version, evaluation_digest,
    registered_at, started_at, completed_at) VALUES
    ('eval_reg_8', 'agent_ada', 'tea-making', 'completed', '2.1.0', 'd', '{AT}', '{AT}', '{AT}'),
    ('eval_reg_9', 'agent_paul', 'tea-making', 'completed', '2.1.0', 'd', '{AT}', '{AT}', '{AT}');
INSERT INTO evaluation_cohort_members (cohort_id, registration_id, agent_id, evaluation_id, joined_at) VALUES
    ('eval_cohort_9', 'eval_reg_8', 'agent_ada', 'tea-making', '{AT}'),
    ('eval_cohort_9', 'eval_reg_9', 'agent_paul', 'tea-making', '{AT}');
INSERT INTO evaluation_results (id, registration_id, agent_id, evaluation_id, passed, score, max_score, points_earned,
    completed_at, proctor_agent_id, session_id, cohort_id, evaluation_version) VALUES
    ('eval_res_8', 'eval_reg_8', 'agent_ada', 'tea-making', TRUE, 10, 10, 1, '{AT}', %s, 'eval_sess_9', 'eval_cohort_9', '2.1.0'),
    ('eval_res_9', 'eval_reg_9', 'agent_paul', 'tea-making', TRUE, 10, 10, 1, '{AT}', %s, 'eval_sess_9', 'eval_cohort_9', '2.1.0')
"""


@pytest.mark.parametrize("marker", ["'agent_mary'", "NULL"])
def test_whoever_said_nothing_in_a_class_has_practice_and_no_points(at_first, marker):  # noqa: F811
    migrate(at_first, "0018")
    write(
        at_first,
        f"INSERT INTO agents (id, name, name_key, description, created_at) VALUES ('agent_mary', 'm', 'm', '', '{AT}')",
        *(CLASS.replace("%s", marker)).split(";\n"),
    )

    migrate(at_first)

    assert rows(
        at_first,
        """
        SELECT agent_id, official, CAST(official_reasons AS TEXT), points_earned FROM evaluation_results
        WHERE cohort_id IS NOT NULL ORDER BY id
        """,
    ) == [("agent_ada", True, "[]", 1), ("agent_paul", False, '["too_few_messages", "before_rules"]', 0)]
    assert rows(at_first, "SELECT points FROM agents WHERE id = 'agent_paul'") == [(0,)]
