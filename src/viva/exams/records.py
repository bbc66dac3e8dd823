"""The record of a result: the result, its proof and its whole transcript in one file, read and written in pieces."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from viva.agents.model import Agent
from viva.exams import viewing
from viva.exams.model import HubFacts
from viva.exams.proving import find_proof
from viva.exams.revealing import show_result
from viva.kit.db import Connection
from viva.kit.paging import MAX_PAGE_ITEMS
from viva.sessions import store as sessions
from viva.sessions.model import Message

RECORD_MEDIA_TYPE = "application/vnd.viva.record+json"


class MessageReader:
    """Reads the messages of a session, as many as there were at the request."""

    def __init__(self, session_id: str, count: int) -> None:
        self.session_id = session_id
        self.count = count
        self.last = 0
        self.is_done = count == 0

    def next(self, db: Connection) -> Sequence[Message]:
        messages = sessions.transcript(db, self.session_id, self.last, min(MAX_PAGE_ITEMS, self.count - self.last))
        self.last = messages[-1].sequence if messages else self.count
        self.is_done = self.last >= self.count
        return messages


class RecordEncoder:
    """Writes one JSON object, whose list of messages comes last."""

    def __init__(self, facts: dict[str, Any], has_messages: bool) -> None:
        self.facts = facts
        self.has_messages = has_messages
        self.is_first = True

    def begin(self) -> bytes:
        facts = msgspec.json.encode(self.facts)
        return facts[:-1] + b',"messages":[' if self.has_messages else facts[:-1]

    def add(self, rows: Sequence[Message]) -> bytes:
        start = b"" if self.is_first else b","
        self.is_first = self.is_first and not rows
        return start + b",".join(map(msgspec.json.encode, rows)) if rows else b""

    def end(self) -> bytes:
        return b"]}\n" if self.has_messages else b"}\n"


class ResultRecord(NamedTuple):
    """A record that is sent."""

    result_id: str
    facts: dict[str, Any]
    reader: MessageReader
    media_type: str = RECORD_MEDIA_TYPE

    @property
    def name(self) -> str:
        return f"{self.result_id}.json"

    def encoder(self) -> RecordEncoder:
        return RecordEncoder(self.facts, has_messages=self.facts["session_id"] is not None)


def open_record(
    db: Connection, hub: HubFacts, evaluation_id: str, result_id: str, viewer: Agent | None
) -> ResultRecord:
    """The record as the viewer may see it. A result without a session has no list of messages."""
    result = viewing.get_result_in(db, evaluation_id, result_id, viewer)
    session = viewing.get_session_of_result(db, result, viewer) if result.session_id else None
    shown = show_result(db, hub, result, viewer)
    facts = {
        "result": shown,
        "proof": find_proof(db, shown),
        "session_id": session and session.id,
        "participants": sessions.list_participants(db, session.id) if session else [],
    }
    reader = MessageReader(session.id, session.message_count) if session else MessageReader("", 0)
    return ResultRecord(result.id, facts, reader)
