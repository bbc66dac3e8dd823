"""Messages of a chat as turns: the user's begin a turn, what agents say and do until the next belongs to it."""

import json
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from viva.engine.intake.waiting import OpenCalls

MessageRole = Literal["system", "user", "assistant", "tool"]
UNNAMED_AGENT = "assistant"  # the agent whose messages have no name


class IntakeCall(NamedTuple):
    """A call of a tool that an agent asks for."""

    id: str | None
    tool_name: str
    parameters: dict[str, Any]
    error: str | None = None  # why the call cannot be carried out as it is written


class ToolResult(NamedTuple):
    """What came back. `parameters` are known where the record of the call itself tells them."""

    id: str | None
    tool_name: str | None
    value: Any = None
    error: str | None = None
    latency_ms: float | None = None
    parameters: dict[str, Any] | None = None


class IntakeMessage(NamedTuple):
    """One message, whatever form it was written in."""

    role: MessageRole
    text: str | None = None
    agent: str | None = None
    thought: str | None = None
    calls: tuple[IntakeCall, ...] = ()
    results: tuple[ToolResult, ...] = ()
    knowledge: str | None = None
    latency_ms: float | None = None


class ConversationBuilder:
    """Builds the turns of our own form from messages in their order."""

    def __init__(self) -> None:
        self.turns: list[dict[str, Any]] = []
        self.agents: dict[str, None] = {}
        self.system: list[str] = []
        self.waiting = OpenCalls()

    def add(self, message: IntakeMessage) -> None:
        for result in message.results:
            self.answer(result, message.agent)
        ADDING[message.role](self, message)

    def hear_system(self, message: IntakeMessage) -> None:
        if message.text:
            self.system.append(message.text)

    def hear_user(self, message: IntakeMessage) -> None:
        """Begin a turn, unless the message only hands over results of tools."""
        if message.text is not None or not message.results:
            self.turns.append({"user_message": message.text, "agent_interactions": []})
            if message.knowledge:
                self.turns[-1]["knowledge"] = message.knowledge

    def hear_agent(self, message: IntakeMessage) -> None:
        """What an agent says beside a call is its thought; what it says without one is its response."""
        interaction = self.interaction(message.agent)
        add_time(interaction, message.latency_ms)
        thoughts = [message.thought, message.text if message.calls else None]
        thought = "\n\n".join(part for part in thoughts if part)
        for call in message.calls:
            self.ask(interaction, call, thought)
            thought = ""
        if thought:
            interaction["agent_steps"].append({"thought": thought})
        if not message.calls:
            interaction["agent_response"] = message.text

    def hear_tool(self, message: IntakeMessage) -> None:
        """Its results have been taken in already."""

    def ask(self, interaction: dict[str, Any], call: IntakeCall, thought: str = "") -> None:
        made: dict[str, Any] = {"tool_name": call.tool_name, "parameters": call.parameters}
        if call.error:
            made["error"] = call.error
        interaction["agent_steps"].append(({"thought": thought} if thought else {}) | {"tool_call": made})
        self.waiting.add(call.id, made, interaction)

    def answer(self, result: ToolResult, agent: str | None) -> None:
        """Put a result to the call it answers; without one it is an observation."""
        asked = self.waiting.take(result.id, result.tool_name)
        if asked is None and result.parameters is not None and result.tool_name:
            self.ask(self.interaction(agent), IntakeCall(result.id, result.tool_name, result.parameters))
            asked = self.waiting.take(result.id, result.tool_name)
        if asked is None:
            self.interaction(agent)["agent_steps"].append({"observation": result.error or as_text(result.value)})
            return
        asked.call["result"] = result.value
        if result.error:
            asked.call["error"] = result.error
        if result.latency_ms is not None:
            asked.call["latency_ms"] = result.latency_ms
            add_time(asked.interaction, result.latency_ms)

    def interaction(self, agent: str | None) -> dict[str, Any]:
        """The part of an agent that is under way: it ends with a response, or when another begins."""
        if not self.turns:
            self.turns.append({"user_message": None, "agent_interactions": []})
        parts: list[dict[str, Any]] = self.turns[-1]["agent_interactions"]
        if parts and "agent_response" not in parts[-1] and agent in (None, parts[-1]["agent_id"]):
            return parts[-1]
        who = agent or (parts[-1]["agent_id"] if parts else UNNAMED_AGENT)
        self.agents.setdefault(who)
        parts.append({"agent_id": who, "agent_steps": []})
        return parts[-1]


ADDING = {
    "system": ConversationBuilder.hear_system,
    "user": ConversationBuilder.hear_user,
    "assistant": ConversationBuilder.hear_agent,
    "tool": ConversationBuilder.hear_tool,
}


def conversation(messages: Iterable[IntakeMessage]) -> ConversationBuilder:
    """The conversation that messages make up."""
    heard = ConversationBuilder()
    for message in messages:
        heard.add(message)
    return heard


def add_time(interaction: dict[str, Any], latency_ms: float | None) -> None:
    if latency_ms is not None:
        interaction["latency_ms"] = interaction.get("latency_ms", 0) + latency_ms


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
