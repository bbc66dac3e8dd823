"""Exports of OpenTelemetry: split by trace when they come, joined to one document when they are read."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from viva.engine.intake.faults import refuse
from viva.engine.intake.limits import LIMITS
from viva.traces.reading import make_storable, open_content, pack_content

MAX_SPAN_KEY_CHARACTERS = 64  # a trace id has 32 hexadecimal digits
MAX_TRACES_IN_EXPORT = 1_000


def split_export(document: dict[str, Any]) -> dict[str, bytes]:
    """The spans of each trace with their resources and scopes, compressed, by trace id."""
    groups: dict[str, list[Any]] = {}
    for resource in items_of(document, "resourceSpans"):
        for scope in items_of(resource, "scopeSpans"):
            for key, spans in spans_by_key(items_of(scope, "spans")).items():
                groups.setdefault(key, []).append(resource | {"scopeSpans": [scope | {"spans": spans}]})
    if len(groups) > MAX_TRACES_IN_EXPORT:
        refuse("", "too_many", f"has spans of {len(groups):,} traces; at most {MAX_TRACES_IN_EXPORT:,} come at once")
    return {key: pack_content({"resourceSpans": group}) for key, group in groups.items()}


def spans_by_key(spans: list[Any]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for span in spans:
        key = span.get("traceId")
        if not isinstance(key, str) or not 0 < len(key) <= MAX_SPAN_KEY_CHARACTERS:
            refuse("resourceSpans", "bad_trace_id", "has a span without a traceId")
        found.setdefault(make_storable(key), []).append(span)
    return found


def items_of(part: dict[str, Any], name: str) -> list[Any]:
    items = part.get(name, [])
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        refuse("resourceSpans", "wrong_type", f"has something else than a list of objects in {name}")
    return items


def join_exports(contents: Iterable[bytes]) -> bytes:
    """One document of all spans. A span that was sent twice, as after a lost answer, counts once."""
    seen: set[str] = set()
    opened = list(open_within_limit(contents))
    resources = [
        resource | {"scopeSpans": [scope | {"spans": list(new_spans(scope["spans"], seen))} for scope in scopes]}
        for content in opened
        for resource in msgspec.json.decode(content)["resourceSpans"]
        for scopes in [resource["scopeSpans"]]
    ]
    return msgspec.json.encode({"resourceSpans": resources})


def open_within_limit(contents: Iterable[bytes]) -> Iterator[bytes]:
    """The JSON of each request, as long as all of them could be one trace."""
    size = 0
    for content in contents:
        opened = open_content(content)
        size += len(opened)
        if size > LIMITS.bytes:
            refuse("", "too_large", f"has more than {LIMITS.bytes:,} bytes in all its spans")
        yield opened


def new_spans(spans: list[Any], seen: set[str]) -> Iterator[Any]:
    for span in spans:
        span_id = str(span.get("spanId", ""))
        if not span_id or span_id not in seen:
            seen.add(span_id)
            yield span
