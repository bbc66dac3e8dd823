"""The documents that hold spans: OTLP, and what Tempo, Jaeger, Phoenix and MLflow give back. Each becomes a list of spans."""

from collections.abc import Callable
from typing import Any, NamedTuple

from viva.engine.intake.span import entries
from viva.engine.intake.span_sources import jaeger, mlflow, otlp_logs, phoenix

RESOURCE_KEYS = ("resourceSpans", "resource_spans")
TEMPO_KEYS = ("batches",)
SCOPE_KEYS = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
ENVELOPE_KEYS = ("trace", "result")  # Tempo and Jaeger put an export into an object
FORM_KEY = "span_form"  # marks the spans of one run that were taken from a larger document


class SpanForm(NamedTuple):
    """What people call a document, how to recognise it, and how to get its spans."""

    title: str  # completes "this looks like …"
    recognise: Callable[[object], bool]
    unpack: Callable[[Any], list[dict[str, Any]]]


def is_otlp(document: object) -> bool:
    return isinstance(document, dict) and isinstance(
        find_resources(document, (*RESOURCE_KEYS, *otlp_logs.LOG_KEYS)), list
    )


def is_tempo(document: object) -> bool:
    if not isinstance(document, dict):
        return False
    inner = document.get("trace")
    return is_otlp(inner) or bool(find_batches(document) or find_batches(inner))


def is_span_list(document: object) -> bool:
    first = document[0] if isinstance(document, list) and document else None
    named = isinstance(first, dict) and any(key in first for key in ("spanId", "span_id", "context"))
    return named and "attributes" in first if isinstance(first, dict) else False


def find_resources(value: object, keys: tuple[str, ...]) -> object:
    return next((value[key] for key in keys if key in value), None) if isinstance(value, dict) else None


def find_batches(value: object) -> list[Any]:
    return [part for part in entries(value, *TEMPO_KEYS) if isinstance(part, dict) and entries(part, *SCOPE_KEYS)]


def unpack_otlp(document: Any) -> list[dict[str, Any]]:
    """The spans of an export, each with the name of its library, and with the log records that belong to it."""
    inner = next((document[key] for key in ENVELOPE_KEYS if isinstance(document.get(key), dict)), document)
    records = otlp_logs.records_of_spans(document)
    found = []
    for resource in entries(inner, *RESOURCE_KEYS, *TEMPO_KEYS):
        for scope in entries(resource, *SCOPE_KEYS):
            about = {"scope": scope["scope"]} if isinstance(scope, dict) and "scope" in scope else {}
            found += [about | span for span in entries(scope, "spans") if isinstance(span, dict)]
    return otlp_logs.join(found, records) if records else found


def unpack_list(document: Any) -> list[dict[str, Any]]:
    return [part for part in document if isinstance(part, dict)]


SPAN_FORMS: dict[str, SpanForm] = {
    "spans": SpanForm(
        "an export of spans",
        lambda document: is_otlp(document) or is_span_list(document),
        lambda document: unpack_list(document) if isinstance(document, list) else unpack_otlp(document),
    ),
    "mlflow": SpanForm("a trace of MLflow", mlflow.recognise, mlflow.unpack),
    "tempo": SpanForm("a trace of Grafana Tempo", is_tempo, unpack_otlp),
    "jaeger": SpanForm(
        "a trace of Jaeger",
        lambda document: jaeger.recognise(document) or (isinstance(document, dict) and is_otlp(document.get("result"))),
        lambda document: unpack_otlp(document) if "result" in document else jaeger.unpack(document),
    ),
    "phoenix": SpanForm("spans of Phoenix", phoenix.recognise, phoenix.unpack),
}


def form_name(document: object) -> str:
    """The form of a document with spans; empty if it is none."""
    if isinstance(document, dict) and document.get(FORM_KEY) in SPAN_FORMS:
        return str(document[FORM_KEY])
    return next((name for name, form in SPAN_FORMS.items() if form.recognise(document)), "")


def unpack(document: Any) -> list[dict[str, Any]]:
    """The spans of a document in any of these forms."""
    if isinstance(document, dict) and FORM_KEY in document:
        return unpack_list(entries(document, "spans"))
    form = SPAN_FORMS.get(form_name(document))
    return form.unpack(document) if form else []
