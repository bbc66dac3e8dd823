"""Files of traces: in their order on any number of processes, and nothing more analysed once one is at fault."""

import json
from pathlib import Path

import pytest

from viva.engine.bulk import analyze_files

GOOD = {"turns": [{"user_message": "When does the pool open?", "agent_response": "At 8."}]}


def written(folder: Path, traces: list[object]) -> Path:
    path = folder / "runs.jsonl"
    path.write_text("\n".join(map(json.dumps, traces)))
    return path


def test_after_a_trace_at_fault_the_rest_is_only_checked(tmp_path):
    found = list(analyze_files([written(tmp_path, [GOOD, {"turns": 7}, GOOD, {"turns": 8}])]))

    assert [bool(one.analysis) for one in found] == [True, False, False, False]
    assert [one.fault is not None for one in found] == [False, True, False, True]


@pytest.mark.parametrize("jobs", [1, 2])
def test_traces_come_in_the_order_of_their_files(tmp_path, jobs):
    path = written(tmp_path, [GOOD | {"id": str(n)} for n in range(40)])

    found = list(analyze_files([path, path], jobs))

    assert [json.loads(one.analysis)["id"] for one in found] == [str(n) for n in range(40)] * 2
