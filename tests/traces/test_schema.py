"""What the schema itself refuses of traces and analyses, whatever the code above it does."""

import pytest

from tests import make
from tests.traces import runs
from viva.kit.db import Violation


@pytest.fixture
def taken(db):
    return runs.upload(db, make.agent(db, "ada"), "one")[0]


@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ("traces SET name = ''", "traces_name"),
        ("traces SET dataset = ''", "traces_dataset"),
        ("traces SET overall_score = 1.5", "traces_overall_score"),
        ("trace_usage SET traces = -1", "trace_usage_counts"),
        ("analyses SET status = 'lost', finished_at = requested_at", "analyses_status"),
        ("analyses SET subject_kind = 'thing'", "analyses_subject"),
        ("analyses SET finished_at = requested_at", "analyses_finished"),
        ("analyses SET content = 'x'", "analyses_content"),
        ("analyses SET status = 'failed', finished_at = requested_at", "analyses_failed_for_a_reason"),
        ("jobs SET pool = 'elsewhere'", "jobs_pool"),
    ],
)
def test_a_change_that_breaks_a_rule_is_refused_by_the_rules_name(db, taken, change, constraint):
    with pytest.raises(Violation) as refused:
        db.execute(f"UPDATE {change}")

    assert refused.value.constraint == constraint


def test_an_analysis_of_a_trace_that_is_gone_is_refused(db, taken):
    with pytest.raises(Violation):
        db.execute("UPDATE analyses SET subject_id = 'trace_gone'")
