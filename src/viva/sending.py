"""Sends what the OpenTelemetry SDK of your program records to a hub.

Two lines let it send spans:

from viva.sending import otlp_exporter
provider.add_span_processor(BatchSpanProcessor(otlp_exporter("https://viva.example", "viva_…")))
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

MISSING_PACKAGE = "Spans are sent by a package of OpenTelemetry. Install it with: pip install 'viva[otlp]'"


def otlp_exporter(url: str, key: str) -> "OTLPSpanExporter":
    """An exporter for the OpenTelemetry SDK that sends spans to the hub at `url`, with an API key."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(MISSING_PACKAGE) from error
    return OTLPSpanExporter(endpoint=f"{url.rstrip('/')}/v1/traces", headers=headers_of(key))


def otlp_event_exporter(url: str, key: str) -> "OTLPLogExporter":
    """An exporter for log records, where an instrumentation records the messages of models as events."""
    try:
        from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(MISSING_PACKAGE) from error
    return OTLPLogExporter(endpoint=f"{url.rstrip('/')}/v1/logs", headers=headers_of(key))


def headers_of(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}
