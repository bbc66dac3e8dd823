"""Builds a conversation from spans in the order of their times."""

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
ARGUMENT_KEYS = ("gen_ai.tool.call.arguments", "input.value")
SCHEMA_KEYS = ("tool.parameters", "tool.json_schema")  # OpenInference: what the tool takes, not what it was given
RESULT_KEYS = ("gen_ai.tool.call.result", "output.value")


def kind(span: Span) -> str | None:
    values = [*(span.attributes.get(key) for key in KIND_KEYS), span.source.get("span_kind")]
    return next((SPAN_KINDS[value] for value in values if isinstance(value, str) and value in SPAN_KINDS), None)


class Player:
    """One recorded run while its conversation is built."""

    def __init__(self, spans: list[Span]) -> None:
        self.spans = spans
        self.owners = owners(spans)
        self.conversation = ConversationBuilder()
        self.user_messages: list[str] = []  # so far
        self.documents: list[str] = []  # retrieved for the next answer
        models = [span for span in spans if kind(span) == MODEL]
        self.first = next((self.owner(span) for span in models), None)
        self.histories = {id(span): spoken.input_messages(span) for span in spans}
        self.has_model_text = any(self.history_of(span) or spoken.output_messages(span) for span in models)

    def owner(self, span: Span) -> str | None:
        return self.owners.get(span.id) or None

    def history_of(self, span: Span) -> list[IntakeMessage]:
        return self.histories[id(span)]

    def user_texts(self, span: Span) -> list[str]:
        return [message.text for message in self.history_of(span) if message.role == "user" and message.text]

    def play(self) -> None:
        """Handle the spans in order. Without recorded model text, an agent's output counts at its end."""
        if not any(self.user_texts(span) for span in self.spans if kind(span) == MODEL):
            self.open_with_input()
        is_silent = not self.has_model_text
        for span in sorted(self.spans, key=lambda span: span.end if is_silent and kind(span) == AGENT else span.start):
            handle = SPAN_HANDLERS.get(kind(span) or "")
            if handle:
                handle(self, span)

    def open_with_input(self) -> None:
        """If no model input has a user message, the first input of any span is the user's."""
        for span in self.spans:
            input = content.text(span.attributes.get("input.value"))
            texts = self.user_texts(span) or ([input] if input else [])
            if texts and kind(span) != TOOL:
                self.add_user_texts(texts)
                return

    def add_user_texts(self, texts: list[str]) -> None:
        """Add the user's new messages. Histories repeat the earlier ones."""
        known = len(self.user_messages)
        fresh = (
            texts[known:]
            if texts[:known] == self.user_messages
            else [text for text in texts[-1:] if text not in self.user_messages]
        )
        for text in fresh:
            self.conversation.add(IntakeMessage("user", text))
        self.user_messages.extend(fresh)

    def model(self, span: Span) -> None:
        agent = self.owner(span)
        if not self.conversation.turns:
            self.add_earlier_exchanges(self.history_of(span), agent)
        if agent == self.first:
            self.add_user_texts(self.user_texts(span))
        self.add_knowledge()
        for message in self.history_of(span):
            for result in message.results:
                if self.conversation.waiting.waits(result.id):
                    self.conversation.add_result(result, agent)
        answers = spoken.output_messages(span) or own_output(span)
        for message in answers[:1]:
            self.conversation.add(message._replace(agent=agent, latency_ms=span.latency_ms))

    def add_earlier_exchanges(self, history: list[IntakeMessage], agent: str | None) -> None:
        """What was said before this run: the history of its first model call up to the last user's message."""
        last = max((index for index, message in enumerate(history) if message.role == "user"), default=0)
        for message in history[:last]:
            if message.role != "system":
                self.conversation.add(message._replace(agent=agent))
        self.user_messages = [message.text for message in history[:last] if message.role == "user" and message.text]

    def add_knowledge(self) -> None:
        """Retrieved documents become the knowledge of the turn."""
        if self.documents and self.conversation.turns:
            turn = self.conversation.turns[-1]
            turn["knowledge"] = "\n\n".join([*([turn["knowledge"]] if "knowledge" in turn else []), *self.documents])
            self.documents.clear()

    def tool(self, span: Span) -> None:
        """The span of a call has its duration and its outcome."""
        name, id = span.first(TOOL_KEYS), span.first(CALL_KEYS)
        result = ToolResult(
            str(id) if id else None,
            str(name) if name else None,
            known_json(span.first(RESULT_KEYS)),
            span.error,
            span.latency_ms,
            call_arguments(span),
        )
        self.conversation.add(IntakeMessage("tool", agent=self.owner(span), results=(result,)))

    def agent(self, span: Span) -> None:
        if not self.has_model_text:
            for message in (spoken.output_messages(span) or own_output(span))[:1]:
                self.conversation.add(message._replace(agent=self.owner(span)))
                self.conversation.turns[-1]["agent_interactions"][-1]["latency_ms"] = span.latency_ms

    def retriever(self, span: Span) -> None:
        documents = spoken.unflatten(span.attributes, "retrieval.documents")
        for entry in documents:
            document = entry.get("document", entry) if isinstance(entry, dict) else {}
            if isinstance(document, dict) and isinstance(document.get("content"), str):
                self.documents.append(document["content"])

    def agents(self) -> list[dict[str, Any]]:
        """Each speaking agent with its instructions and its tools."""
        about_agents: dict[str | None, dict[str, Any]] = {}
        for span in self.spans:
            about = about_agents.setdefault(self.owner(span), {})
            description = span.attributes.get("gen_ai.agent.description") or (
                kind(span) == MODEL and "description" not in about and spoken.instructions(span, self.history_of(span))
            )
            if isinstance(description, str) and description:
                about.setdefault("description", description)
            if offered := {tool["name"]: tool for tool in spoken.offered_tools(span)}:
                about["tools_available"] = about.get("tools_available", {}) | offered
            if kind(span) == TOOL and isinstance(name := span.first(TOOL_KEYS), str):
                about.setdefault("called", {}).setdefault(name, described_tool(name, span))
        return [
            as_agent(agent, about_agents.get(agent) or about_agents.get(None) or {})
            for agent in self.conversation.agents
        ]


SPAN_HANDLERS = {MODEL: Player.model, TOOL: Player.tool, AGENT: Player.agent, RETRIEVER: Player.retriever}


def as_agent(agent: str, about: dict[str, Any]) -> dict[str, Any]:
    """An agent with the tools it was offered; else with those it called, where their spans have schemas."""
    called = about.get("called", {})
    offered = {
        name: tool | schema_of(called.get(name, {}), tool) for name, tool in about.get("tools_available", {}).items()
    }
    if not offered and any(schema_of(tool, {}) for tool in called.values()):
        offered = called
    known = {key: value for key, value in about.items() if key == "description"}
    return {"id": agent, "name": agent} | known | ({"tools_available": list(offered.values())} if offered else {})


def schema_of(tool: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """The schema of a tool, unless it is known already."""
    schema = tool.get("parameters_schema")
    return {"parameters_schema": schema} if schema and not known.get("parameters_schema") else {}


def call_arguments(span: Span) -> dict[str, Any]:
    """The arguments of a call: an object, the keyword arguments of a Python function, or a single text."""
    given = known_json(span.first(ARGUMENT_KEYS))
    if given is None:
        schema = known_json(span.first(SCHEMA_KEYS))
        return schema if isinstance(schema, dict) and not is_schema(schema) else {}
    if isinstance(given, dict):
        named = given.get("kwargs")
        return named if isinstance(named, dict) and "args" in given else given
    return {"input": given}


def described_tool(name: str, span: Span) -> dict[str, Any]:
    """The tool of a call as its span describes it."""
    schema, about = known_json(span.first(SCHEMA_KEYS)), span.attributes.get("tool.description")
    if not isinstance(schema, dict) or not is_schema(schema):
        return {"name": name}
    whole = schema if "properties" in schema else {"type": "object", "properties": schema}
    return {"name": name, "description": about if isinstance(about, str) else None, "parameters_schema": whole}


def is_schema(value: dict[str, Any]) -> bool:
    """Whether an object describes parameters instead of having their values."""
    if isinstance(value.get("properties"), dict):
        return True
    return bool(value) and all(isinstance(part, dict) and "type" in part for part in value.values())


def own_output(span: Span) -> list[IntakeMessage]:
    parts = content.read(span.attributes.get("output.value"), "output.value")
    return [IntakeMessage("assistant", parts.text, unread=parts.unread)] if parts.text or parts.unread else []


def owners(run: list[Span]) -> dict[str, str]:
    """The agent of each span: its own name, or that of the nearest parent; empty if there is none."""
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
