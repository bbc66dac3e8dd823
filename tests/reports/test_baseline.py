"""What counts as worse than a baseline."""

import pytest
from msgspec.structs import replace

from viva.reports.baseline import RunSummary, list_regressions

BEFORE = RunSummary({"overall_score": 0.8, "drift_score": 0.2}, {"loop of planner": 2}, bad_turns=1)


@pytest.mark.parametrize(
    ("change", "sentences"),
    [
        ({}, []),
        ({"issues": {"loop of planner": 3}}, ["loop of planner: 3 found, 2 before."]),
        ({"issues": {"loop of planner": 1}}, []),
        ({"issues": {"loop of writer": 1}}, ["loop of writer: 1 found, 0 before."]),
        ({"bad_turns": 2}, ["Bad turns: 2 found, 1 before."]),
        ({"bad_turns": 0}, []),
        ({"scores": {"overall_score": 0.795}}, []),  # within the tolerance
        ({"scores": {"overall_score": None}}, []),
    ],
)
def test_only_what_got_worse_is_named(change, sentences):
    assert list_regressions(BEFORE, replace(BEFORE, **change)) == sentences
