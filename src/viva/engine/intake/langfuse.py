"""Reads traces of Langfuse. Its observations are spans with other names; their inputs and outputs are what libraries gave it."""

from typing import Any

import msgspec

from viva.engine.intake import observations, spans
from viva.engine.intake.building import NOT_UNDERSTOOD
from viva.engine.intake.faults import refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.observations import LangfuseObservation
from viva.engine.intake.plain import first_value, objects
from viva.engine.model import Trace

OBSERVATION_TYPES = (
    *("SPAN", "GENERATION", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL"),
)


def recognise(document: object) -> bool:
    """Whether this is a trace with its observations, or a list of observations."""
    if isinstance(document, dict):
        head = document.get("trace", document)
        listed = document.get("observations")
        return isinstance(listed, list) and isinstance(head, dict) and (bool(listed) or "projectId" in head)
    first = document[0] if isinstance(document, list) and document else None
    return is_observation(first)


def is_observation(value: object) -> bool:
    return (
        isinstance(value, dict)
        and value.get("type") in OBSERVATION_TYPES
        and ("traceId" in value or "trace_id" in value)
        and ("startTime" in value or "start_time" in value)
    )


def parts(document: Any) -> list[Any]:
    """A trace as it is; a list of observations by their traces."""
    if isinstance(document, dict):
        return [document]
    traces: dict[str, list[Any]] = {}
    for part in objects(document):
        traces.setdefault(str(first_value(part, "traceId", "trace_id") or ""), []).append(part)
    return [{"trace": {"id": id}, "observations": listed} for id, listed in traces.items()]


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of an export."""
    listed = objects(document.get("observations")) if isinstance(document, dict) else []
    if not listed:
        refuse(
            "observations", NOT_UNDERSTOOD, "its observations are missing: export the trace together with observations"
        )
    head = document["trace"] if isinstance(document.get("trace"), dict) else document
    found = observations.read_all(listed)
    check_answers(found)
    id = str(head.get("id") or name or "")
    asked = observations.user_messages(head.get("input"), found)
    trace = spans.read([observations.as_span(part, id, asked) for part in found], name, limits)
    cost = head.get("totalCost")
    total = cost if is_number(cost) else sum(part.cost for part in found if part.kind == observations.MODEL)
    versions = [part.library for part in found if part.kind == observations.MODEL and part.library]
    return msgspec.structs.replace(
        trace, total_cost=float(total) if total else None, form_version=versions[0] if versions else None
    )


def check_answers(found: list[LangfuseObservation]) -> None:
    """Refuse a trace in which most of what the models answered was not recorded."""
    models = [part for part in found if part.kind == observations.MODEL and not part.error]
    silent = [part for part in models if not part.answered]
    if silent and len(silent) * 2 > len(models):
        message = f"the output is missing in {len(silent)} of its {len(models)} model calls, so the answers are unknown"
        refuse(f"observations[{silent[0].id}]", NOT_UNDERSTOOD, message)


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
