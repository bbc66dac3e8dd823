"""Plays spans in the order of their times into a conversation: models speak, tools answer, retrievers teach."""

from typing import Any

from viva.engine.intake import content, spoken
from viva.engine.intake.messages import ConversationBuilder, IntakeMessage, ToolResult
from viva.engine.intake.span import Span, known_json

MODEL, TOOL, AGENT, RETRIEVER = "model", "tool", "agent", "retriever"
SPAN_KINDS = {
    "chat": MODEL,
    "generate_content": MODEL,
    "text_completion": MODEL,
    "LLM": MODEL,
    "execute_tool": TOOL,
    "TOOL": TOOL,
    "invoke_agent": AGENT,
    "create_agent": AGENT,
    "AGENT": AGENT,
    "RETRIEVER": RETRIEVER,
}
KIND_KEYS = ("gen_ai.operation.name", "openinference.span.kind")
AGENT_KEYS = ("gen_ai.agent.name", "agent.name", "gen_ai.agent.id")
TOOL_KEYS = ("gen_ai.tool.name", "tool.name")
CALL_KEYS = ("gen_ai.tool.call.id", "tool_call.id", "tool.id")
ARGUMENTS = ("gen_ai.tool.call.arguments", "tool.parameters", "input.value")
RESULTS = ("gen_ai.tool.call.result", "output.value")


def kind(span: Span) -> str | None:
    values = [*(span.attributes.get(key) for key in KIND_KEYS), span.written.get("span_kind")]
    return next((SPAN_KINDS[value] for value in values if isinstance(value, str) and value in SPAN_KINDS), None)


class Player:
    """One recorded run while it is played."""

    def __init__(self, every: list[Span]) -> None:
        self.every = every
        self.owners = owners(every)
        self.held = ConversationBuilder()
        self.asked: list[str] = []  # what the user has said so far
        self.found: list[str] = []  # documents that were retrieved for the answer to come
        models = [span for span in every if kind(span) == MODEL]
        self.first = next((self.owner(span) for span in models), None)
        self.histories = {id(span): spoken.input_messages(span) for span in every}
        self.talking = any(self.history_of(span) or spoken.output_messages(span) for span in models)

    def owner(self, span: Span) -> str | None:
        return self.owners.get(span.id) or None

    def history_of(self, span: Span) -> list[IntakeMessage]:
        return self.histories[id(span)]

    def users(self, span: Span) -> list[str]:
        return [message.text for message in self.history_of(span) if message.role == "user" and message.text]

    def play(self) -> None:
        """An agent whose models' words were not recorded speaks when its own span ends."""
        if not any(self.users(span) for span in self.every if kind(span) == MODEL):
            self.open_with_input()
        silent = not self.talking
        for span in sorted(self.every, key=lambda span: span.end if silent and kind(span) == AGENT else span.start):
            playing = PLAYING.get(kind(span) or "")
            if playing:
                playing(self, span)

    def open_with_input(self) -> None:
        """Where no model was told what the user said, the first input of all is that."""
        for span in self.every:
            input = content.text(span.attributes.get("input.value"))
            words = self.users(span) or ([input] if input else [])
            if words and kind(span) != TOOL:
                self.ask(words)
                return

    def ask(self, words: list[str]) -> None:
        """Hear what the user says for the first time: histories repeat what was said before."""
        known = len(self.asked)
        fresh = (
            words[known:] if words[:known] == self.asked else [text for text in words[-1:] if text not in self.asked]
        )
        for text in fresh:
            self.held.add(IntakeMessage("user", text))
        self.asked.extend(fresh)

    def model(self, span: Span) -> None:
        agent = self.owner(span)
        if agent == self.first:
            self.ask(self.users(span))
        self.learn()
        for message in self.history_of(span):
            for result in message.results:
                if self.held.waiting.waits(result.id):
                    self.held.answer(result, agent)
        answers = spoken.output_messages(span) or own_output(span)
        for message in answers[:1]:
            self.held.add(message._replace(agent=agent, latency_ms=span.latency_ms))

    def learn(self) -> None:
        """What was retrieved is the knowledge of the turn."""
        if self.found and self.held.turns:
            turn = self.held.turns[-1]
            turn["knowledge"] = "\n\n".join([*([turn["knowledge"]] if "knowledge" in turn else []), *self.found])
            self.found.clear()

    def tool(self, span: Span) -> None:
        """The record of a call itself knows its time and its outcome."""
        name, id = span.first(TOOL_KEYS), span.first(CALL_KEYS)
        call = content.call(None, name, span.first(ARGUMENTS))
        result = ToolResult(
            str(id) if id else None,
            str(name) if name else None,
            known_json(span.first(RESULTS)),
            span.error,
            span.latency_ms,
            call.parameters,
        )
        self.held.add(IntakeMessage("tool", agent=self.owner(span), results=(result,)))

    def agent(self, span: Span) -> None:
        if not self.talking:
            for message in (spoken.output_messages(span) or own_output(span))[:1]:
                self.held.add(message._replace(agent=self.owner(span)))
                self.held.turns[-1]["agent_interactions"][-1]["latency_ms"] = span.latency_ms

    def retriever(self, span: Span) -> None:
        documents = spoken.unflatten(span.attributes, "retrieval.documents")
        for entry in documents:
            document = entry.get("document", entry) if isinstance(entry, dict) else {}
            if isinstance(document, dict) and isinstance(document.get("content"), str):
                self.found.append(document["content"])

    def agents(self) -> list[dict[str, Any]]:
        """What the spans tell of each agent that speaks: its instructions and its tools."""
        told: dict[str | None, dict[str, Any]] = {}
        for span in self.every:
            about = told.setdefault(self.owner(span), {})
            description = span.attributes.get("gen_ai.agent.description") or (
                kind(span) == MODEL and "description" not in about and spoken.instructions(span, self.history_of(span))
            )
            if isinstance(description, str) and description:
                about.setdefault("description", description)
            if offered := {tool["name"]: tool for tool in spoken.offered_tools(span)}:
                about["tools_available"] = about.get("tools_available", {}) | offered
        return [as_agent(agent, told.get(agent) or told.get(None) or {}) for agent in self.held.agents]


PLAYING = {MODEL: Player.model, TOOL: Player.tool, AGENT: Player.agent, RETRIEVER: Player.retriever}


def as_agent(agent: str, about: dict[str, Any]) -> dict[str, Any]:
    tools = {"tools_available": list(about["tools_available"].values())} if "tools_available" in about else {}
    return {"id": agent, "name": agent} | about | tools


def own_output(span: Span) -> list[IntakeMessage]:
    text = content.text(span.attributes.get("output.value"))
    return [IntakeMessage("assistant", text)] if text else []


def owners(run: list[Span]) -> dict[str, str]:
    """The agent of each span: the one it names, else that of the nearest span around it; empty where there is none."""
    by_id = {span.id: span for span in run}
    known: dict[str, str] = {}
    for span in run:
        path: dict[str, None] = {}
        at: Span | None = span
        while at and at.id not in known and at.id not in path:
            path[at.id] = None
            name = at.first(AGENT_KEYS)
            if name is not None:
                known[at.id] = str(name)
                break
            at = by_id.get(at.parent)
        owner = known.get(at.id, "") if at else ""
        known.update((id, owner) for id in path)
    return known
