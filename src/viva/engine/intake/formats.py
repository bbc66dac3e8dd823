"""The trace formats, each recognised by its structure."""

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from viva.engine.intake import chat, inspect, langfuse, native, plain, reask, spans, values
from viva.engine.intake.faults import refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.model import Trace

MAX_WRAPPING_LEVELS = 8  # nesting levels that a data set may put around its traces


class TraceFormat(NamedTuple):
    """How to recognise a format, split it into traces, and read each trace."""

    recognise: Callable[[object], bool]
    parts: Callable[[Any], list[Any]]
    read: Callable[[object, str | None, Limits], Trace]


def single_part(document: object) -> list[object]:
    """The parts of a format in which a document is one trace."""
    return [document]


OWN_FORMAT = "native"
TRACE_FORMATS: dict[str, TraceFormat] = {
    OWN_FORMAT: TraceFormat(native.recognise, single_part, native.read_plain),
    "inspect": TraceFormat(inspect.recognise, inspect.parts, inspect.read),
    "spans": TraceFormat(spans.recognise, spans.parts, spans.read),
    "langfuse": TraceFormat(langfuse.recognise, single_part, langfuse.read),
    "reask": TraceFormat(reask.recognise, reask.parts, reask.read),
    "chat": TraceFormat(chat.recognise, single_part, chat.read),
}


def find_format(document: object) -> TraceFormat | None:
    return TRACE_FORMATS.get(format_name(document))


def format_name(document: object) -> str:
    return next((name for name, form in TRACE_FORMATS.items() if form.recognise(document)), "")


def parse(raw: bytes, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace in JSON of any format, or BadTrace. `name` becomes its id if it has none."""
    raw = plain.check_raw(raw, limits)
    trace = native.read_bytes(raw, name, limits)
    if trace is not None:
        return trace
    document = plain.decode(raw)
    return read_plain(values.check(document, limits) if len(raw) > limits.text else document, name, limits)


def read(document: object, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace in a document of any format, or BadTrace."""
    return read_plain(values.check(document, limits), name, limits)


def read_plain(document: object, name: str | None, limits: Limits) -> Trace:
    named = format_name(document)
    if named in ("", OWN_FORMAT):
        return native.read_plain(document, name, limits)  # reports what our own format lacks
    form = TRACE_FORMATS[named]
    parts = form.parts(document)
    if len(parts) != 1:
        refuse("", "many", f"holds {len(parts)} traces where one is expected")
    return msgspec.structs.replace(form.read(parts[0], name, limits), form=named)
