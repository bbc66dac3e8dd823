"""A program of two agents that sends its spans with OpenTelemetry's SDK for Python, in protobuf over HTTP.

The SDK reads from the environment where to: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS.
"""

import json
from pathlib import Path
from typing import Any

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import Status, StatusCode, Tracer

STORY = json.loads(Path(__file__).with_suffix(".json").read_text())
SPANS_PER_REQUEST = 3  # so that the spans of one trace come in several requests


def send(exporter: SpanExporter) -> None:
    """Record the story, and wait until all of it is sent."""
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(exporter, max_export_batch_size=SPANS_PER_REQUEST))
    record(provider.get_tracer("hotel", "1.0"), STORY)
    provider.shutdown()


def record(tracer: Tracer, part: dict[str, Any]) -> None:
    attributes = {key: as_attribute(value) for key, value in part["attributes"].items()}
    with tracer.start_as_current_span(part["name"], attributes=attributes) as span:
        if "error" in part:
            span.set_status(Status(StatusCode.ERROR, part["error"]))
        for child in part.get("children", ()):
            record(tracer, child)


def as_attribute(value: Any) -> Any:
    """Instrumentations write lists and objects as JSON."""
    return json.dumps(value) if isinstance(value, list | dict) else value


if __name__ == "__main__":
    send(OTLPSpanExporter())
