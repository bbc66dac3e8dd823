"""A program of two agents that sends its spans, or spans and events, with OpenTelemetry's SDK for Python, in protobuf.

The SDK reads from the environment where to: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from opentelemetry._logs import Logger
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor, LogRecordExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import Status, StatusCode, Tracer

STORY = json.loads(Path(__file__).with_suffix(".json").read_text())
MESSAGE_KEYS = ("gen_ai.input.messages", "gen_ai.output.messages")
EmitMessages = Callable[[Logger, dict[str, Any]], None]
SPANS_PER_REQUEST = 3  # so that the spans of one trace come in several requests


def send(exporter: SpanExporter) -> None:
    """Record the story, and wait until all of it is sent."""
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(exporter, max_export_batch_size=SPANS_PER_REQUEST))
    record(provider.get_tracer("hotel", "1.0"), STORY)
    provider.shutdown()


def send_with_events(exporter: SpanExporter, event_exporter: LogRecordExporter, emit: EmitMessages) -> None:
    """The same, with the messages of models as events. All of these are sent before the last spans."""
    provider, logs = TracerProvider(), LoggerProvider()
    provider.add_span_processor(BatchSpanProcessor(exporter, max_export_batch_size=SPANS_PER_REQUEST))
    logs.add_log_record_processor(BatchLogRecordProcessor(event_exporter, max_export_batch_size=SPANS_PER_REQUEST))
    logger = logs.get_logger("hotel", "1.0")
    logger.emit(body="The program has begun.")
    record(provider.get_tracer("hotel", "1.0"), STORY, lambda messages: emit(logger, messages))
    logs.shutdown()
    provider.shutdown()


def record(tracer: Tracer, part: dict[str, Any], write: Callable[[dict[str, Any]], None] | None = None) -> None:
    """Record a part of the story. `write` records the messages of a model; without it, they are attributes."""
    messages = {key: part["attributes"][key] for key in MESSAGE_KEYS if write and key in part["attributes"]}
    attributes = {key: as_attribute(value) for key, value in part["attributes"].items() if key not in messages}
    with tracer.start_as_current_span(part["name"], attributes=attributes) as span:
        if write and messages:
            write(messages)
        if "error" in part:
            span.set_status(Status(StatusCode.ERROR, part["error"]))
        for child in part.get("children", ()):
            record(tracer, child, write)


def as_attribute(value: Any) -> Any:
    """Instrumentations write lists and objects as JSON."""
    return json.dumps(value) if isinstance(value, list | dict) else value


def emit_details(logger: Logger, messages: dict[str, Any]) -> None:
    """One event for each call of a model, as the conventions since version 1.37 have it."""
    logger.emit(event_name="gen_ai.client.inference.operation.details", attributes=messages)


def emit_each_message(logger: Logger, messages: dict[str, Any]) -> None:
    """One event for each message, as the conventions before version 1.37 had it."""
    given, answered = (messages[key] for key in MESSAGE_KEYS)
    for message in given:
        logger.emit(event_name=f"gen_ai.{message['role']}.message", body=event_body(message))
    for index, message in enumerate(answered):
        choice: dict[str, Any] = {"index": index, "finish_reason": "stop", "message": event_body(message)}
        logger.emit(attributes={"event.name": "gen_ai.choice"}, body=choice)


def event_body(message: dict[str, Any]) -> dict[str, Any]:
    """A message by the names that events had."""
    parts = message["parts"]
    calls = [
        {
            "id": part["id"],
            "type": "function",
            "function": {"name": part["name"], "arguments": json.dumps(part["arguments"])},
        }
        for part in parts
        if part["type"] == "tool_call"
    ]
    texts = [part.get("content", part.get("response")) for part in parts if part["type"] != "tool_call"]
    answers = [part["id"] for part in parts if part["type"] == "tool_call_response"]
    return (
        ({"tool_calls": calls} if calls else {})
        | ({"content": texts[0]} if texts else {})
        | ({"id": answers[0]} if answers else {})
    )


if __name__ == "__main__":
    send(OTLPSpanExporter())
