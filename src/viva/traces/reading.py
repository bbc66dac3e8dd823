"""Reads documents into traces that can be stored: in our own format, masked and compressed."""

import hashlib
import zlib
from collections.abc import Iterable
from typing import Any

import msgspec

from viva.engine.evidence import cut
from viva.engine.intake import formats, native
from viva.engine.model import Trace
from viva.kit.null_characters import replace_null_characters
from viva.traces.masking import mask_trace
from viva.traces.model import MAX_TAGS, NewTrace, is_tag

COMPRESSION_LEVEL = 1  # the higher levels take three times as long for a tenth less
OWN_FORM = "native"
MAX_SHORT_CONTENT_BYTES = 64 * 1024  # of JSON; opened and sent in a third of a millisecond
MAX_TRACE_NAME_CHARACTERS = 1_000  # as in the schema
MAX_MADE_NAME_CHARACTERS = 80  # two lines of a list


def read_trace(raw: bytes, masking_key: bytes | None, tags: Iterable[str] = ()) -> NewTrace:
    """The trace in JSON of any form, or BadTrace with every fault."""
    return make_trace(formats.parse(raw), raw, masking_key, tags)


def make_trace(trace: Trace, raw: bytes, masking_key: bytes | None, tags: Iterable[str]) -> NewTrace:
    """The trace as it is stored. `raw` is the document that it was read from."""
    trace, masked = mask_trace(trace, masking_key) if masking_key else (trace, [])
    acts = [act for turn in trace.turns for act in turn.agent_interactions]
    return NewTrace(
        name=make_storable(name_of(trace))[:MAX_TRACE_NAME_CHARACTERS] or OWN_FORM,
        form=trace.form or OWN_FORM,
        agents=len(trace.agents),
        turns=len(trace.turns),
        interactions=len(acts),
        calls=sum(step.tool_call is not None for act in acts for step in act.agent_steps),
        dropped=trace.dropped,
        masked=masked,
        tags=tuple(sorted({*tags, *own_tags(trace)})[:MAX_TAGS]),
        content=pack_content(trace),
        digest=hashlib.sha256(raw).hexdigest(),
    )


def name_of(trace: Trace) -> str:
    """The id where the run was recorded. A run without one has the first words of its task."""
    if not native.is_digest(trace.id):
        return trace.id
    texts = (trace.initial_task, *(turn.user_message for turn in trace.turns))
    return next(filter(None, (cut(text or "", MAX_MADE_NAME_CHARACTERS) for text in texts)), trace.id)


def own_tags(trace: Trace) -> list[str]:
    """The tags that the recording itself has, as far as they can be tags here."""
    recorded = (trace.session_metadata or {}).get("tags")
    tags = recorded if isinstance(recorded, list) else []
    return [tag for tag in tags if isinstance(tag, str) and is_tag(tag)]


def make_storable(text: str) -> str:
    """The text without null characters, which PostgreSQL cannot store."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


def encode_storable(value: Any) -> str:
    """The value as JSON without null characters."""
    return replace_null_characters(msgspec.json.encode(value)).decode()


def pack_content(value: Any) -> bytes:
    """The value as JSON, compressed, as traces, spans and analyses are stored."""
    return zlib.compress(msgspec.json.encode(value), COMPRESSION_LEVEL)


def open_content(content: bytes) -> bytes:
    """The JSON of what was stored so."""
    return zlib.decompress(content)


def open_short_content(content: bytes) -> bytes | None:
    """The JSON of what was stored so; None if it is long. Few bytes can hold many megabytes."""
    opening = zlib.decompressobj()
    opened = opening.decompress(content, MAX_SHORT_CONTENT_BYTES)
    return opened if opening.eof else None


def decode_trace(content: bytes) -> Trace:
    return msgspec.json.decode(open_content(content), type=Trace)
