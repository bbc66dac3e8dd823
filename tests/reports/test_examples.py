"""The examples of the guide to analysis, run as they stand there."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.contracts.tree import ROOT
from tests.engine.refund import refund

GUIDE = (ROOT / "docs/howto/analyze-a-run.md").read_text()
ONE_TRACE, MANY, IN_A_TEST = re.findall(r"```python\n(.*?)```", GUIDE, flags=re.S)
POOL = {"turns": [{"user_message": "When does the pool open?", "agent_response": "At 8."}]}


def run(example: str, **names: Any) -> dict[str, Any]:
    space = dict(names)
    exec(example, space)
    return space


def test_one_trace(capsys):
    run(ONE_TRACE)

    assert capsys.readouterr().out.startswith("0 True rdm ")


def test_a_file_as_a_data_frame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    (tmp_path / "runs.jsonl").write_text("\n".join(json.dumps(POOL | {"id": f"run-{n}"}) for n in range(40)))
    monkeypatch.chdir(tmp_path)

    frame = run(MANY)["frame"]

    assert frame.columns == ["id", "overall_score", "task_completion_score"]
    assert frame.height == 40
    assert "overall_score" in capsys.readouterr().out


def test_in_a_test():
    run(IN_A_TEST, refund_run=refund)["test_the_refund_agent_keeps_to_its_tools"]()
