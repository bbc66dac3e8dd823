"""Builds a conversation from spans in the order of their times."""

from viva.engine.intake import content, spoken
from viva.engine.intake.messages import UNNAMED_AGENT, ConversationBuilder, IntakeMessage, ToolResult
from viva.engine.intake.payloads import only_text
from viva.engine.intake.span import Span, known_json
from viva.engine.intake.span_kinds import (
    AGENT,
    HANDOVER,
    HANDOVER_NAME,
    MODEL,
    RETRIEVER,
    TOOL,
    kind,
    owners,
    parents,
)
from viva.engine.intake.span_tools import tool_result

HANDOVER_KEYS = ("gen_ai.handoff.to_agent", "output.value")


class Player:
    """One recorded run while its conversation is built."""

    def __init__(self, spans: list[Span]) -> None:
        self.spans = spans
        self.by_id = {span.id: span for span in spans}
        self.owners = owners(spans)
        self.conversation = ConversationBuilder()
        self.user_messages: list[str | None] = []  # their texts so far
        self.known_texts: set[str | None] = set()  # the same, for look-ups
        self.trace: str | None = None  # of the last of them
        self.histories = {id(span): spoken.input_messages(span) for span in spans}
        self.doubles = self.find_doubles()
        self.speaking = {self.owner(span) for span in self.models()}
        self.first = next((self.owner(span) for span in self.models()), None)
        self.has_model_text = any(map(self.has_text, self.models()))

    def kind(self, span: Span) -> str | None:
        return None if id(span) in self.doubles else kind(span)

    def models(self) -> list[Span]:
        return [span for span in self.spans if self.kind(span) == MODEL]

    def has_text(self, span: Span) -> bool:
        return bool(self.history_of(span) or spoken.output_messages(span))

    def find_doubles(self) -> set[int]:
        """Two libraries may record one call of a model, one inside the other. The outer one counts if it has text.

        A call that was given all that the outer one was given, and more, is another call."""
        found: set[int] = set()
        for span in self.spans:
            if kind(span) == MODEL and (around := self.models_around(span, found)):
                found.update([id(span)] if self.has_text(around[-1]) else map(id, around))
        return found

    def models_around(self, span: Span, doubles: set[int]) -> list[Span]:
        around = [part for part in parents(span, self.by_id) if kind(part) == MODEL and id(part) not in doubles]
        return [part for part in around if not self.follows(span, part)]

    def follows(self, span: Span, earlier: Span) -> bool:
        known = self.history_of(earlier)
        return len(self.history_of(span)) > len(known) > 0 and self.history_of(span)[: len(known)] == known

    def owner(self, span: Span) -> str | None:
        return self.owners.get(span.id) or None

    def speaker(self, span: Span) -> str:
        return self.owner(span) or UNNAMED_AGENT

    def history_of(self, span: Span) -> list[IntakeMessage]:
        return self.histories[id(span)]

    def questions(self, span: Span) -> list[IntakeMessage]:
        """The user's messages in a history, also those that could not be read."""
        return [part for part in self.history_of(span) if part.role == "user" and (part.text or part.unread)]

    def play(self) -> None:
        """Handle the spans in order. Without recorded model text, an agent's output counts at its end."""
        if not any(map(self.questions, self.models())):
            self.open_with_input()
        is_silent = not self.has_model_text
        for span in sorted(
            self.spans, key=lambda span: span.end if is_silent and self.kind(span) == AGENT else span.start
        ):
            handle = SPAN_HANDLERS.get(self.kind(span) or "")
            if handle:
                handle(self, span)

    def open_with_input(self) -> None:
        """If no model input has a user message, the first input of any span is the user's."""
        for span in self.spans:
            given = span.attributes.get("input.value")
            input = only_text(known_json(given)) or content.text(given)
            found = self.questions(span) or ([IntakeMessage("user", input)] if input else [])
            if found and kind(span) != TOOL:
                self.add_user_messages(found, span.trace)
                return

    def add_user_messages(self, asked: list[IntakeMessage], trace: str) -> None:
        """Add the user's new messages. Histories repeat the earlier ones."""
        for message in self.new_messages(asked, trace):
            self.conversation.add(IntakeMessage("user", message.text, unread=message.unread))
            self.user_messages.append(message.text)
            self.known_texts.add(message.text)
            self.trace = trace

    def new_messages(self, asked: list[IntakeMessage], trace: str) -> list[IntakeMessage]:
        known = len(self.user_messages)
        last = [message for message in asked[-1:] if message.text]
        if texts(asked)[:known] == self.user_messages and len(asked) > known:
            return asked[known:]
        if trace != self.trace and self.is_answered():
            return last  # a trace that begins with what the user said before: they ask it again
        return [message for message in last if message.text not in self.known_texts]

    def is_answered(self) -> bool:
        acts = self.conversation.turns[-1]["agent_interactions"] if self.conversation.turns else []
        return bool(acts) and acts[-1].get("agent_response") is not None

    def model(self, span: Span) -> None:
        agent, is_first = self.owner(span), not self.conversation.turns
        if is_first:
            self.add_earlier_exchanges(self.history_of(span), agent)
        if agent == self.first or (not self.is_delegated(span) and self.continues(span)):
            self.add_user_messages(self.questions(span), span.trace)
        if is_first:
            self.add_earlier_work(self.history_of(span), agent)
        self.conversation.add_knowledge()
        self.conversation.add_open_results(self.history_of(span), agent)
        answers = spoken.output_messages(span) or own_output(span)
        for message in answers[:1]:
            self.conversation.add(message._replace(agent=agent, latency_ms=span.latency_ms))

    def is_delegated(self, span: Span) -> bool:
        """Whether another agent gave this work: inside its span, or inside a call that it made."""
        around = [self.owner(part) for part in parents(span, self.by_id) if kind(part) in (AGENT, TOOL)]
        return any(name != self.owner(span) and name in self.speaking for name in around)

    def continues(self, span: Span) -> bool:
        """Whether the history tells all that the user said so far, an answer to it, and something new."""
        said = [
            part for part in self.history_of(span) if part.role in ("user", "assistant") and (part.text or part.unread)
        ]
        asked = [index for index, message in enumerate(said) if message.role == "user"]
        known = len(self.user_messages)
        if not known or len(asked) <= known or texts(self.questions(span))[:known] != self.user_messages:
            return False
        return said[asked[known] - 1].role == "assistant"

    def add_earlier_exchanges(self, history: list[IntakeMessage], agent: str | None) -> None:
        """What was said before this run: the history of its first model call up to the last user's message."""
        last = max((index for index, message in enumerate(history) if message.role == "user"), default=0)
        for message in spoken.with_matching_ids(history[:last]):
            if message.role != "system":
                self.conversation.add(message._replace(agent=agent))
        self.user_messages = texts(
            [part for part in history[:last] if part.role == "user" and (part.text or part.unread)]
        )
        self.known_texts = set(self.user_messages)

    def add_earlier_work(self, history: list[IntakeMessage], agent: str | None) -> None:
        """What an agent did for the last user's message before this run. No other span tells it."""
        last = max((index for index, message in enumerate(history) if message.role == "user"), default=len(history))
        for message in spoken.with_matching_ids(history[last + 1 :]):
            if message.role != "system":
                self.conversation.add(message._replace(agent=agent))

    def tool(self, span: Span) -> None:
        self.conversation.add(IntakeMessage("tool", agent=self.owner(span), results=(tool_result(span),)))

    def handover(self, span: Span) -> None:
        """The handover answers the call by which an agent asked for it. The next agent speaks after it."""
        named = HANDOVER_NAME.match(span.name)
        to = named["name"] if named else span.first(HANDOVER_KEYS)
        asked = self.conversation.waiting.first((None, True)) or self.conversation.waiting.first((None, False))
        if to and asked and str(to).lower().replace(" ", "_") in asked.call["tool_name"].lower():
            result = ToolResult(asked.id, asked.call["tool_name"], to, None, span.latency_ms)
            self.conversation.add_result(result, self.owner(span))

    def agent(self, span: Span) -> None:
        if not self.has_model_text:
            for message in (spoken.output_messages(span) or own_output(span))[:1]:
                self.conversation.add(message._replace(agent=self.owner(span)))
                self.conversation.turns[-1]["agent_interactions"][-1]["latency_ms"] = span.latency_ms

    def retriever(self, span: Span) -> None:
        self.conversation.documents += spoken.retrieved_texts(span)


SPAN_HANDLERS = {
    MODEL: Player.model,
    TOOL: Player.tool,
    AGENT: Player.agent,
    RETRIEVER: Player.retriever,
    HANDOVER: Player.handover,
}


def texts(messages: list[IntakeMessage]) -> list[str | None]:
    return [message.text for message in messages]


def own_output(span: Span) -> list[IntakeMessage]:
    said = span.attributes.get("output.value")
    parts = content.read(only_text(known_json(said)) or said, "output.value")
    return [IntakeMessage("assistant", parts.text, unread=parts.unread)] if parts.text or parts.unread else []
