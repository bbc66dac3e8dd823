"""Exports of OpenTelemetry: split by trace when they come, joined to one document when they are read."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from viva.engine.intake.faults import refuse
from viva.engine.intake.limits import LIMITS
from viva.engine.intake.otlp import LOGS, SPANS, OtlpSignal
from viva.engine.intake.span_sources import otlp_logs
from viva.traces.masking import Masking
from viva.traces.reading import make_storable, open_content, pack_content

MAX_SPAN_KEY_CHARACTERS = 64  # a trace id has 32 hexadecimal digits
MAX_TRACES_IN_EXPORT = 1_000
NO_SPAN = ""  # the key of events that name no trace or no span
FindKey = Callable[[dict[str, Any]], str | None]  # the trace id of an item; None if it is not stored


class SplitExport(NamedTuple):
    """What is stored of an export, compressed, by trace id; and how many of its events belong to no span."""

    groups: dict[str, bytes]
    without_span: int = 0


def split_export(document: dict[str, Any], signal: OtlpSignal = SPANS, masking_key: bytes | None = None) -> SplitExport:
    """The spans or events of each trace with their resources and scopes, masked."""
    resources, scopes, items = signal.names
    groups: dict[str, list[Any]] = {}
    without_span = 0
    for resource in objects_of(document, resources, resources):
        for scope in objects_of(resource, scopes, resources):
            for key, own in items_by_key(objects_of(scope, items, resources), FIND_KEYS[signal]).items():
                if key == NO_SPAN:
                    without_span += len(own)
                else:
                    groups.setdefault(key, []).append(resource | {scopes: [scope | {items: own}]})
    if len(groups) > MAX_TRACES_IN_EXPORT:
        refuse("", "too_many", f"has {items} of {len(groups):,} traces; at most {MAX_TRACES_IN_EXPORT:,} come at once")
    packed = {key: pack_content({resources: mask(group, masking_key)}) for key, group in groups.items()}
    return SplitExport(packed, without_span)


def mask(group: list[Any], masking_key: bytes | None) -> Any:
    """What waits for the rest of its trace, so that no secret waits with it."""
    return Masking(masking_key).mask(group) if masking_key else group


def items_by_key(items: list[Any], find_key: FindKey) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for item in items:
        if (key := find_key(item)) is not None:
            found.setdefault(make_storable(key), []).append(item)
    return found


def key_of_span(span: dict[str, Any]) -> str:
    key = span.get("traceId")
    if not is_key(key):
        refuse("resourceSpans", "bad_trace_id", "has a span without a traceId")
    return str(key)


def key_of_record(record: dict[str, Any]) -> str | None:
    """Programs send all that they log. Only what a model was given or answered is stored."""
    if not otlp_logs.is_read(record):
        return None
    key = record.get("traceId")
    return str(key) if is_key(key) and record.get("spanId") else NO_SPAN


def is_key(key: object) -> bool:
    return isinstance(key, str) and 0 < len(key) <= MAX_SPAN_KEY_CHARACTERS


FIND_KEYS: dict[OtlpSignal, FindKey] = {SPANS: key_of_span, LOGS: key_of_record}


def objects_of(part: dict[str, Any], name: str, path: str) -> list[Any]:
    items = part.get(name, [])
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        refuse(path, "wrong_type", f"has something else than a list of objects in {name}")
    return items


def join_exports(contents: Iterable[bytes]) -> bytes:
    """One document of all spans and events. What was sent twice, as after a lost answer, counts once."""
    seen: set[str] = set()
    spans: list[Any] = []
    logs: list[Any] = []
    for opened in open_within_limit(dict.fromkeys(contents)):
        document = msgspec.json.decode(opened)
        logs += document.get("resourceLogs", [])
        for resource in document.get("resourceSpans", []):
            scopes = [scope | {"spans": list(new_spans(scope["spans"], seen))} for scope in resource["scopeSpans"]]
            spans.append(resource | {"scopeSpans": scopes})
    return msgspec.json.encode({"resourceSpans": spans} | ({"resourceLogs": logs} if logs else {}))


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
