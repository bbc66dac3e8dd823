"""Reads trace exports of the OpenAI Agents SDK: records of a trace and of its spans."""

from typing import Any

from viva.engine.intake import content
from viva.engine.intake.building import NOT_UNDERSTOOD, make_trace
from viva.engine.intake.faults import check_count, refuse
from viva.engine.intake.forms import responses
from viva.engine.intake.forms.response_items import as_messages
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.messages import ToolResult
from viva.engine.intake.plain import as_list, decode_text, first_value
from viva.engine.intake.replaying import Replay, read_history, unread_message
from viva.engine.intake.span import nanoseconds
from viva.engine.intake.times import elapsed_ms, overall_ms
from viva.engine.model import Trace

TRACE_RECORD, SPAN_RECORD = "trace", "trace.span"
MAX_SPAN_LEVELS = 100  # from a span up to its agent; two are usual
MISSING_TEXTS = (
    "it lacks texts of the model, because the SDK records a response by its id only; "
    "send the items of the run instead, which `result.to_input_list()` gives"
)


def recognise(document: object) -> bool:
    """Whether this is a list of records, or what the SDK sends."""
    first = next(iter(records(document)), None)
    return isinstance(first, dict) and (
        (first.get("object") == TRACE_RECORD and "workflow_name" in first)
        or (first.get("object") == SPAN_RECORD and isinstance(first.get("span_data"), dict))
    )


def records(document: object) -> list[Any]:
    found = first_value(document, "data", "spans") if isinstance(document, dict) else document
    return as_list(found)


def parts(document: Any) -> list[Any]:
    """The records of each trace."""
    traces: dict[str, list[Any]] = {}
    for record in records(document):
        if isinstance(record, dict):
            key = record.get("id") if record.get("object") == TRACE_RECORD else record.get("trace_id")
            traces.setdefault(str(key), []).append(record)
    return list(traces.values())


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of one workflow."""
    if not recognise(document):
        refuse("", "missing", "has no records of a trace")
    found = [record for record in records(document) if isinstance(record, dict)]
    spans = [
        record for record in found if record.get("object") == SPAN_RECORD and isinstance(record.get("span_data"), dict)
    ]
    check_count(spans, limits.messages, "spans")
    run = AgentsRun(spans)
    for span in sorted(spans, key=lambda span: nanoseconds(span.get("started_at"))):
        if handle := SPAN_HANDLERS.get(str(span["span_data"].get("type"))):
            handle(run, span)
    if run.lacks_texts or not run.replay.has_begun:
        refuse("", NOT_UNDERSTOOD, MISSING_TEXTS)
    about = {
        "id": next((record.get("id") for record in found if record.get("object") == TRACE_RECORD), None),
        "agents": run.replay.agents(),
        "total_latency_ms": overall_ms(span.get(key) for span in spans for key in ("started_at", "ended_at")),
    }
    return make_trace(run.replay.built, about, name, limits)


class AgentsRun:
    """The spans of one workflow while its conversation is built."""

    def __init__(self, spans: list[dict[str, Any]]) -> None:
        self.replay = Replay()
        self.lacks_texts = False  # of a response
        self.by_id = {str(first_value(span, "id", "span_id")): span for span in spans}

    def agent_of(self, span: dict[str, Any]) -> str | None:
        """The name of the nearest agent above a span."""
        at: dict[str, Any] | None = span
        for _ in range(MAX_SPAN_LEVELS):
            data = at["span_data"] if at else {}
            if not at or data.get("type") == "agent":
                return str(data["name"]) if data.get("name") else None
            at = self.by_id.get(str(at.get("parent_id")))
        return None

    def add_generation(self, span: dict[str, Any]) -> None:
        data, agent = span["span_data"], self.agent_of(span)
        asked, told = data.get("input"), data.get("output")
        history = read_history(as_list(asked), "input") or unread_message("user", asked, "input")
        answers = read_history(as_list(told), "output") or unread_message("assistant", told, "output")
        self.replay.add_model(history, answers, agent, latency(span))

    def add_response(self, span: dict[str, Any]) -> None:
        """A response is recorded by its id; some exporters add its items."""
        data, agent = span["span_data"], self.agent_of(span)
        if not responses.is_response(data.get("response")):
            self.lacks_texts = True
            return
        _, response, items = responses.split_exchange(data)
        told = list(as_messages(response["output"]))
        asked = list(as_messages(items[: len(items) - len(response["output"])]))
        instruction = [{"role": "system", "content": response["instructions"]}] if response.get("instructions") else []
        history = read_history([*instruction, *asked], "span_data.input")
        answers = read_history(told, "span_data.response.output")
        self.replay.add_model(history, answers, agent, latency(span))

    def add_function(self, span: dict[str, Any]) -> None:
        data = span["span_data"]
        given = data.get("input")
        known = decode_text(given) if isinstance(given, str) else given
        arguments = known if isinstance(known, dict) else {"input": given} if given else {}
        result = ToolResult(None, str(data.get("name")), data.get("output"), error_of(span), latency(span), arguments)
        self.replay.add_tool(result, self.agent_of(span))


SPAN_HANDLERS = {
    "generation": AgentsRun.add_generation,
    "response": AgentsRun.add_response,
    "function": AgentsRun.add_function,
}


def error_of(span: dict[str, Any]) -> str | None:
    """The error of a span, with what the tool said of it."""
    failed = span.get("error")
    data = failed.get("data") if isinstance(failed, dict) else None
    detail = data.get("error") if isinstance(data, dict) else None
    return content.error(detail) or content.error(failed)


def latency(span: dict[str, Any]) -> float | None:
    return elapsed_ms(span.get("started_at"), span.get("ended_at"))
