"""Reads runs recorded as spans, in any of the forms and dialects that hold them."""

from typing import Any

from viva.engine.intake import span_forms
from viva.engine.intake.building import NOT_UNDERSTOOD, make_trace
from viva.engine.intake.dialects import describe_version, translate
from viva.engine.intake.faults import check_count, refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.playing import Player
from viva.engine.intake.span import Span, entries, parse_span
from viva.engine.intake.span_agents import describe_agents
from viva.engine.intake.span_kinds import in_order, kind
from viva.engine.intake.usage import cost_by_agent, total_tokens
from viva.engine.model import Trace

NANOSECONDS_PER_MILLISECOND = 1_000_000
BATCH_BEGINNINGS = (b'{"resourceSpans"', b'{"resource_spans"', b'{"resourceLogs"', b'{"resource_logs"')
CONVERSATION_KEYS = ("gen_ai.conversation.id", "session.id")
NO_CONTENT = "its spans have no messages: let the instrumentation record the content of messages"


def is_export(raw: bytes) -> bool:
    """Whether a line begins like an exporter's batch."""
    return raw.lstrip().startswith(BATCH_BEGINNINGS)


def merge_batches(batches: list[Any]) -> dict[str, list[Any]]:
    """Several exports as one. A trace may be spread over them, and so may the log records of its spans."""
    return {
        key: [part for batch in batches for part in entries(batch, key, other)]
        for key, other in (("resourceSpans", "resource_spans"), ("resourceLogs", "resource_logs"))
    }


def is_form(name: str, document: object) -> bool:
    """Whether a document holds spans in this form."""
    return span_forms.form_name(document) == name


def parts(document: Any) -> list[Any]:
    """The spans of each run, the oldest first. Traces of one conversation are one run."""
    found = span_forms.unpack(document)
    parsed = [translate(parse_span(part)) for part in found]
    runs = name_runs(parsed)
    if len(set(runs.values())) < 2:
        return [document]
    grouped: dict[tuple[str, str], list[Any]] = {}
    for part, span in sorted(zip(found, parsed, strict=True), key=lambda pair: pair[1].start):
        grouped.setdefault(runs[span.trace], []).append(part)
    return [{span_forms.FORM_KEY: span_forms.form_name(document), "spans": part} for part in grouped.values()]


def name_runs(parsed: list[Span]) -> dict[str, tuple[str, str]]:
    """The run of each trace: the conversation of its first span that names one, else the trace itself."""
    conversations: dict[str, str] = {}
    for span in sorted(parsed, key=lambda span: span.start):
        if span.trace not in conversations and (found := conversation_of(span)):
            conversations[span.trace] = found
    return {
        span.trace: ("conversation", conversations[span.trace])
        if span.trace in conversations
        else ("trace", span.trace)
        for span in parsed
    }


def conversation_of(span: Span) -> str | None:
    found = span.first(CONVERSATION_KEYS) or span.source.get("session")
    return found if isinstance(found, str) else None


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of the spans of one run."""
    found = span_forms.unpack(document)
    ordered = in_order([translate(parse_span(part)) for part in found])
    check_count(ordered, limits.messages, "spans")
    if not any(map(kind, ordered)):
        refuse("", NOT_UNDERSTOOD, "it has no span of a model, a tool or an agent")
    run = Player(ordered)
    run.play()
    if not run.conversation.unread and not any(map(has_content, run.conversation.turns)):
        refuse("", NOT_UNDERSTOOD, NO_CONTENT)
    costs = cost_by_agent(run)
    extra = total_tokens(run) | ({"cost_by_agent": costs} if costs else {})
    about = {
        "id": name_run(ordered),
        "agents": describe_agents(run),
        "total_latency_ms": total_latency_ms(ordered),
        "total_cost": sum(costs.values()) if costs else None,
        "session_metadata": {"extra": extra} if extra else None,
        "form_version": describe_version((run.models() or ordered)[0]),
    }
    return make_trace(run.conversation, about, name, limits)


def has_content(turn: dict[str, Any]) -> bool:
    """Whether anything of a turn is known beside who did it. Instrumentations may record names and leave out words."""
    steps = [step for act in turn["agent_interactions"] for step in act["agent_steps"]]
    calls = [step.get("tool_call", {}) for step in steps]
    return bool(
        turn["user_message"]
        or any(act.get("agent_response") for act in turn["agent_interactions"])
        or any(step.get("thought") or step.get("observation") for step in steps)
        or any(call.get("parameters") or call.get("result") for call in calls)
    )


def name_run(spans: list[Span]) -> str | None:
    """The id of the trace, or of the conversation if several traces belong to it."""
    traces = {span.trace for span in spans}
    conversation = next(filter(None, map(conversation_of, spans)), None)
    return conversation if len(traces) > 1 and conversation else spans[0].trace or None


def total_latency_ms(spans: list[Span]) -> float:
    """The time of all traces, without the pauses between them."""
    ends: dict[str, tuple[int, int]] = {}
    for span in spans:
        start, end = ends.get(span.trace, (span.start, span.end))
        ends[span.trace] = min(start, span.start), max(end, span.end)
    return sum(end - start for start, end in ends.values()) / NANOSECONDS_PER_MILLISECOND
