"""What a proctor knows of the exam it holds: the criteria, the procedure and the script, as the hub gives them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from viva.evaluations.configs import Script
from viva.exams.script_marks import CriterionMark
from viva.sittings.accounts import HubAccount


class ProctorBrief(NamedTuple):
    evaluation_id: str
    registration_id: str
    session_id: str
    candidate_name: str
    criteria: list[CriterionMark]  # without marks
    has_score: bool
    procedure: str
    script: Script | None

    @property
    def path(self) -> str:
        return f"/evaluations/{self.evaluation_id}"

    @property
    def session_path(self) -> str:
        return f"{self.path}/sessions/{self.session_id}"


def read_brief(account: HubAccount, evaluation_id: str, claim: Mapping[str, Any]) -> ProctorBrief:
    """The brief of a claimed candidate."""
    path = f"/evaluations/{evaluation_id}"
    rubric = account.get(f"{path}/proctor/rubric", registration_id=claim["registration_id"])
    criteria = [
        CriterionMark(row["row_id"], join_guidance(row), None, row["max"])  # the guidance is for whoever marks
        for row in rubric["rows"]
    ]
    return ProctorBrief(
        evaluation_id,
        claim["registration_id"],
        claim["session_id"],
        claim["candidate_name"],
        criteria,
        rubric.get("has_score", False),
        rubric.get("procedure", ""),
        msgspec.convert(rubric.get("script"), Script | None),
    )


def join_guidance(row: Mapping[str, Any]) -> str:
    return f"{row['criteria']}\n{row['guidance']}" if row.get("guidance") else str(row["criteria"])
