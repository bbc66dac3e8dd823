"""A trace: one recorded run of agents. It has turns, interactions and steps."""

from typing import Any

import msgspec


class ToolCall(msgspec.Struct, frozen=True):
    """One tool call with its result or its error."""

    tool_name: str
    parameters: dict[str, Any] = {}
    result: Any = None
    error: str | None = None
    latency_ms: float | None = None


class Step(msgspec.Struct, frozen=True):
    """One thought, action, observation or tool call of an agent."""

    thought: str | None = None
    action: str | None = None
    observation: str | None = None
    tool_call: ToolCall | None = None


class Interaction(msgspec.Struct, frozen=True):
    """One agent's part in a turn."""

    agent_id: str
    agent_response: str | None = None
    agent_steps: tuple[Step, ...] = ()
    latency_ms: float | None = None


class Turn(msgspec.Struct, frozen=True):
    """One message of the user and what the agents did about it."""

    turn_index: int
    user_message: str | None = None
    knowledge: str | None = None
    agent_interactions: tuple[Interaction, ...] = ()


class Tool(msgspec.Struct, frozen=True):
    """A tool that an agent may call. The schema is a JSON Schema object or the shorthand `{"path": "string"}`."""

    name: str
    description: str | None = None
    parameters_schema: dict[str, Any] | None = None


class TraceAgent(msgspec.Struct, frozen=True):
    """An agent of the run. `tools_available` is None if its tools are not declared."""

    id: str
    name: str | None = None
    role: str | None = None
    description: str | None = None
    capabilities: tuple[str, ...] = ()
    tools_available: tuple[Tool, ...] | None = None


class DroppedPart(msgspec.Struct, frozen=True):
    """A part of the recording that could not be read, so that nothing is scored by it."""

    path: str
    why: str


class Trace(msgspec.Struct, frozen=True):
    """One recorded run. `agents` has every agent that speaks; `form` names the format it was read from, if not our own."""

    id: str
    turns: tuple[Turn, ...]
    agents: tuple[TraceAgent, ...] = ()
    initial_task: str | None = None
    success: bool | None = None
    total_cost: float | None = None
    total_latency_ms: float | None = None
    session_metadata: dict[str, Any] | None = None
    form: str | None = None
    form_version: str | None = None
    dropped: tuple[DroppedPart, ...] = ()


def answering(turn: Turn) -> int:
    """The position of the interaction whose response the user saw; -1 where there is none."""
    for part in range(len(turn.agent_interactions) - 1, -1, -1):
        if turn.agent_interactions[part].agent_response:
            return part
    return -1
