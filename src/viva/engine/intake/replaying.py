"""Builds a conversation from recorded calls of models and tools. Each call of a model repeats what was said before it."""

from typing import Any

from viva.engine.intake import chat
from viva.engine.intake.faults import Faults
from viva.engine.intake.messages import ConversationBuilder, IntakeMessage, MessageRole, ToolResult, UnreadPart
from viva.engine.intake.plain import text_length
from viva.engine.intake.speakers import Speakers


class Replay:
    """One run while its conversation is built."""

    def __init__(self) -> None:
        self.built = ConversationBuilder()
        self.user_texts: list[str | None] = []
        self.about: dict[str, dict[str, Any]] = {}  # what is known of each agent
        self.has_begun = False

    def add_model(
        self, history: list[IntakeMessage], answers: list[IntakeMessage], agent: str | None, latency_ms: float | None
    ) -> None:
        """Add what is new in a history, then what was answered to it."""
        self.describe(agent, history)
        if self.has_begun:
            self.add_news(history, agent)
        else:
            self.add_opening(history)
        self.has_begun = self.has_begun or bool(history or answers)
        self.built.add_knowledge()
        for answer in answers:
            self.built.add(answer._replace(agent=agent or answer.agent, latency_ms=latency_ms))
            latency_ms = None  # is that of all answers

    def describe(self, agent: str | None, history: list[IntakeMessage]) -> None:
        """Keep the instructions of an agent."""
        told = "\n\n".join(message.text for message in history if message.role == "system" and message.text)
        if told:
            self.about.setdefault(agent or "", {}).setdefault("description", told)

    def add_opening(self, history: list[IntakeMessage]) -> None:
        """The first history may hold earlier turns."""
        for message in history:
            if message.role != "system":
                self.built.add(message)
        self.user_texts = [message.text for message in user_messages(history)]

    def add_news(self, history: list[IntakeMessage], agent: str | None) -> None:
        """Add the user's new messages and the results of open calls. Another agent's own history has other beginnings."""
        said, known = user_messages(history), len(self.user_texts)
        if [message.text for message in said[:known]] == self.user_texts:
            for message in said[known:]:
                self.built.add(message)
                self.user_texts.append(message.text)
        self.built.add_open_results(history, agent)

    def add_tool(self, result: ToolResult, agent: str | None) -> None:
        """Add the result of a call, and the call itself if no model asked for it."""
        self.built.add(IntakeMessage("tool", agent=agent, results=(result,)))

    def add_failure(self, error: str, agent: str | None) -> None:
        """A model that failed leaves what it said as an observation."""
        self.built.interaction(agent)["agent_steps"].append({"observation": error})

    def offer(self, agent: str | None, tools: list[dict[str, Any]] | None) -> None:
        """Keep the tools that an agent was offered."""
        if tools:
            about = self.about.setdefault(agent or "", {})
            about["tools"] = about.get("tools", {}) | {tool["name"]: tool for tool in tools}

    def agents(self) -> list[dict[str, Any]]:
        """Each agent that speaks, with its instructions and tools."""
        return [{"id": agent, "name": agent} | self.about_agent(agent) for agent in self.built.agents]

    def about_agent(self, agent: str) -> dict[str, Any]:
        known = self.about.get(agent) or self.about.get("") or {}
        offered = list(known.get("tools", {}).values())
        return {"description": known.get("description")} | ({"tools_available": offered} if offered else {})


def user_messages(history: list[IntakeMessage]) -> list[IntakeMessage]:
    """What the user said. A message in the user's role may only carry results."""
    return [message for message in history if message.role == "user" and (message.text or not message.results)]


def read_history(messages: list[Any], path: str) -> list[IntakeMessage]:
    """The messages that a model was given or answered, or BadTrace."""
    faults = Faults()
    read = [message for message in chat.read_each(messages, path, Speakers(), faults) if message]
    faults.raise_any()
    return read


def unread_message(role: MessageRole, value: Any, path: str) -> list[IntakeMessage]:
    """A message in place of what a model was given or answered in an unknown layout; none if it has no words."""
    length = text_length(value)
    return [IntakeMessage(role, unread=(UnreadPart(path, "has an unknown layout", length),))] if length else []
