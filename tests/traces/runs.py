"""Recorded runs for tests."""

import json
from typing import Any

from viva.agents.model import Agent
from viva.analyses import uploading
from viva.analyses.uploading import TakenTrace, Upload
from viva.kit.db import Connection
from viva.traces.batches import NumberedTrace
from viva.traces.reading import read_trace


def run(name: str = "run-1", **changes: Any) -> dict[str, Any]:
    """A short run of two agents, in our own format. The executor calls a tool that it does not have."""
    return {
        "id": name,
        "agents": [
            {"id": "planner", "name": "Planner", "role": "lead"},
            {"id": "executor", "role": "worker", "tools_available": [{"name": "refund"}]},
        ],
        "turns": [
            {
                "user_message": "Refund order 12345, please.",
                "agent_interactions": [
                    {"agent_id": "planner", "agent_response": "The executor refunds order 12345."},
                    {
                        "agent_id": "executor",
                        "agent_response": "Order 12345 is refunded.",
                        "agent_steps": [{"tool_call": {"tool_name": "drop_table", "parameters": {}, "result": "ok"}}],
                    },
                ],
            },
            {
                "user_message": "No, that is wrong. You refunded the wrong order.",
                "agent_interactions": [{"agent_id": "planner", "agent_response": "I am sorry."}],
            },
        ],
        **changes,
    }


def raw(name: str = "run-1", **changes: Any) -> bytes:
    return json.dumps(run(name, **changes)).encode()


def upload(db: Connection, owner: Agent, *names: str, **options: Any) -> list[TakenTrace]:
    """Store a run for each name."""
    traces = [NumberedTrace(line, read_trace(raw(name), None)) for line, name in enumerate(names, 1)]
    return uploading.take(db, Upload(owner.id, **options), traces)
