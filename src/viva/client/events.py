"""What the events of the API's streams say."""

from typing import Any, NamedTuple

import msgspec

from viva.client.calls import StreamEvent
from viva.client.structs import Message


class AnalysisEvent(NamedTuple):
    """How far an analysis is (`progress`), the outcome of one turn (`turn`), or how it ended (`end`)."""

    name: str
    data: dict[str, Any]


def read_message(event: StreamEvent) -> Message | None:
    return msgspec.json.decode(event.data, type=Message) if event.name == "message" else None


def read_progress(event: StreamEvent) -> AnalysisEvent:
    return AnalysisEvent(event.name, msgspec.json.decode(event.data))
