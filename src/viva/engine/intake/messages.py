"""Builds turns from messages. A user message begins a turn, and all until the next one belongs to it."""

import json
from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple

from viva.engine.intake.waiting import OpenCalls

MessageRole = Literal["system", "user", "assistant", "tool", "environment"]
UNNAMED_AGENT = "assistant"  # for messages without a name


class IntakeCall(NamedTuple):
    """A tool call by an agent."""

    id: str | None
    tool_name: str
    parameters: dict[str, Any]
    error: str | None = None  # why the call cannot be executed as written


class ToolResult(NamedTuple):
    """The result of a call. `parameters` is set where the record of the call contains them."""

    id: str | None
    tool_name: str | None
    value: Any = None
    error: str | None = None
    latency_ms: float | None = None
    parameters: dict[str, Any] | None = None


class UnreadPart(NamedTuple):
    """A part of a message that is not understood, and how many characters of text it may have."""

    path: str
    why: str
    characters: int
    is_in_result: bool = False  # of a tool, so that it is not what the speaker said


class IntakeMessage(NamedTuple):
    """One message of any format. A format reads its document into a list of these."""

    role: MessageRole
    text: str | None = None
    agent: str | None = None
    thought: str | None = None
    calls: tuple[IntakeCall, ...] = ()
    results: tuple[ToolResult, ...] = ()
    knowledge: str | None = None
    latency_ms: float | None = None
    unread: tuple[UnreadPart, ...] = ()

    def find_gap(self) -> UnreadPart | None:
        """The part without which it is unknown what was said: one with words, or all there is."""
        says_nothing = not self.text and not self.calls and not self.results
        own = [part for part in self.unread if not part.is_in_result]
        return next((part for part in own if part.characters or says_nothing), None)


class ConversationBuilder:
    """Builds the turns of our own format from messages in order."""

    def __init__(self) -> None:
        self.turns: list[dict[str, Any]] = []
        self.agents: dict[str, None] = {}
        self.system: list[str] = []
        self.waiting = OpenCalls()
        self.documents: list[str] = []  # retrieved for the next answer
        self.unread: list[UnreadPart] = []
        self.request_gap: UnreadPart | None = None  # of the first user's message that is not understood
        self.answer_gap: UnreadPart | None = None  # of the last answer

    def add(self, message: IntakeMessage) -> None:
        """Add a message. Results that an agent's own message carries belong to its calls, so they come after them."""
        self.unread += message.unread
        said = message.text if message.role == "assistant" and answers_itself(message) else None
        if message.role == "assistant":
            self.add_agent(message if said is None else message._replace(text=None))
        for result in message.results:
            self.add_result(result, message.agent)
        if said is not None:
            self.add_agent(IntakeMessage("assistant", said, message.agent, unread=message.unread))
        if message.role != "assistant":
            ROLE_HANDLERS[message.role](self, message)

    def add_system(self, message: IntakeMessage) -> None:
        if message.text:
            self.system.append(message.text)

    def add_user(self, message: IntakeMessage) -> None:
        """Begin a turn, unless the message only carries tool results."""
        self.request_gap = self.request_gap or message.find_gap()
        if message.text is not None or not message.results:
            self.turns.append({"user_message": message.text, "agent_interactions": []})
            if message.knowledge:
                self.turns[-1]["knowledge"] = message.knowledge

    def add_agent(self, message: IntakeMessage) -> None:
        """Text beside a call is a thought. Text without a call is the response."""
        interaction = self.interaction(message.agent)
        add_time(interaction, message.latency_ms)
        thoughts = [message.thought, message.text if message.calls else None]
        thought = "\n\n".join(part for part in thoughts if part)
        for call in message.calls:
            self.add_call(interaction, call, thought)
            thought = ""
        if thought:
            interaction["agent_steps"].append({"thought": thought})
        self.answer_gap = message.find_gap()
        if not message.calls:
            interaction["agent_response"] = message.text

    def add_tool(self, message: IntakeMessage) -> None:
        """Its results have been added already."""

    def add_environment(self, message: IntakeMessage) -> None:
        """What the environment shows answers the open call. Without one it answers what the agent just wrote."""
        asked = self.waiting.take(None, None)
        if asked is not None:
            asked.call["result"] = message.text
            return
        parts = self.turns[-1]["agent_interactions"] if self.turns else []
        said = parts[-1].pop("agent_response", None) if parts else None
        step = {"thought": said} if said else {}
        self.interaction(None)["agent_steps"].append(step | {"observation": message.text or ""})

    def add_call(self, interaction: dict[str, Any], call: IntakeCall, thought: str = "") -> None:
        made: dict[str, Any] = {"tool_name": call.tool_name, "parameters": call.parameters}
        if call.error:
            made["error"] = call.error
        interaction["agent_steps"].append(({"thought": thought} if thought else {}) | {"tool_call": made})
        self.waiting.add(call.id, made, interaction)

    def add_result(self, result: ToolResult, agent: str | None) -> None:
        """Add a result to its call. A result without a call is an observation."""
        asked = self.waiting.take(result.id, result.tool_name, result.parameters)
        if asked is None and result.parameters is not None and result.tool_name:
            self.add_call(self.interaction(agent), IntakeCall(result.id, result.tool_name, result.parameters))
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

    def add_open_results(self, history: Iterable[IntakeMessage], agent: str | None) -> None:
        """Add the results in a history that calls still wait for. The others are known already."""
        for message in history:
            for result in message.results:
                if self.waiting.waits(result.id):
                    self.add_result(result, agent)

    def add_knowledge(self) -> None:
        """Retrieved documents become the knowledge of the turn."""
        if self.documents and self.turns:
            turn = self.turns[-1]
            turn["knowledge"] = "\n\n".join([*([turn["knowledge"]] if "knowledge" in turn else []), *self.documents])
            self.documents.clear()

    def interaction(self, agent: str | None) -> dict[str, Any]:
        """The current interaction of an agent. It ends with a response, or when another agent begins."""
        if not self.turns:
            self.turns.append({"user_message": None, "agent_interactions": []})
        parts: list[dict[str, Any]] = self.turns[-1]["agent_interactions"]
        if parts and "agent_response" not in parts[-1] and agent in (None, parts[-1]["agent_id"]):
            return parts[-1]
        who = agent or (parts[-1]["agent_id"] if parts else next(reversed(self.agents), UNNAMED_AGENT))
        self.agents.setdefault(who)
        parts.append({"agent_id": who, "agent_steps": []})
        return parts[-1]


ROLE_HANDLERS: dict[MessageRole, Callable[[ConversationBuilder, IntakeMessage], None]] = {
    "system": ConversationBuilder.add_system,
    "user": ConversationBuilder.add_user,
    "tool": ConversationBuilder.add_tool,
    "environment": ConversationBuilder.add_environment,
}


def build_conversation(messages: Iterable[IntakeMessage]) -> ConversationBuilder:
    """The conversation of these messages."""
    built = ConversationBuilder()
    for message in messages:
        built.add(message)
    return built


def answers_itself(message: IntakeMessage) -> bool:
    """Whether all calls of a message have their results in it, as tools have that the provider runs. Then its text is said."""
    return bool(message.calls) and {call.id for call in message.calls} <= {result.id for result in message.results}


def add_time(interaction: dict[str, Any], latency_ms: float | None) -> None:
    if latency_ms is not None:
        interaction["latency_ms"] = interaction.get("latency_ms", 0) + latency_ms


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
