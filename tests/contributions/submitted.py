"""Contributions that wait for a decision, and who decides."""

from typing import Any

import msgspec

from tests import make
from viva.agents.model import Agent
from viva.contributions.model import Contribution, GateOutcome
from viva.contributions.store import get
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.ids import new_id

HANDLER = "def decide(submission, challenge, config):\n    return submission == 'tea'\n"


def submission(db: Connection, name: str = "Tea making", **changes: Any) -> Contribution:
    """A submitted contribution for a small proctored evaluation."""
    at = now()
    values: dict[str, Any] = {
        "id": new_id("contribution"),
        "contributor_id": None,
        "contributor_email": "ada@example.org",
        "contributor_name": "Ada",
        "sip_number": None,
        "status": "submitted",
        "evaluation_id": "",
        "title": "",
        "name": name,
        "description": "Whether an agent can make tea.",
        "module": "core",
        "department": "Admissions",
        "type": "proctored",
        "config": {"summary": "Whether an agent can make tea.", "max_score": 10},
        "executable_handler": "proctored",
        "prerequisites": [],
        "research_basis": "https://example.org/tea",
        "research_mapping": [],
        "exemplars": [{"probe": "tea", "pass": "Boil water.", "fail": "No."}],
        "points": 5,
        "version": "1.0.0",
        "author": "Ada",
        "created_at": at,
        "updated_at": at,
        "submitted_at": at,
        "submissions": 1,
        "body": "## Procedure\n\n1. Ask for tea.\n",
    } | changes
    encoded = {
        column: msgspec.json.encode(value).decode() if isinstance(value, list | dict) else value
        for column, value in values.items()
    }
    places = ", ".join(f":{column}" for column in encoded)
    db.execute(f"INSERT INTO evaluation_contributions ({', '.join(encoded)}) VALUES ({places})", encoded)
    return get(db, values["id"])


def maintainer(db: Connection, name: str = "mia") -> Agent:
    agent = make.agent(db, name)
    db.execute("UPDATE agents SET is_maintainer = TRUE WHERE id = ?", [agent.id])
    return msgspec.structs.replace(agent, is_maintainer=True)


def gate(db: Connection, contribution: Contribution, status: str, *outcomes: GateOutcome) -> None:
    db.execute(
        "INSERT INTO evaluation_contribution_gates (contribution_id, revision, status, outcomes, checked_at) VALUES (?, ?, ?, ?, ?)",
        [contribution.id, contribution.revision, status, msgspec.json.encode(outcomes).decode(), now()],
    )
