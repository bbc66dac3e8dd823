"""Checks the chain of every session. Messages never change, so that a running exam raises no false alarm."""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from viva.checking.model import HubCheck
from viva.exams.disproving import poses_as_hidden
from viva.kit.db import Connection
from viva.kit.hashing import NO_HASH, hash_text
from viva.kit.rows import builder
from viva.maintaining import hidden_texts
from viva.results.discrepancy import Discrepancy
from viva.sessions.chain import hash_message, is_as_sent, is_erased
from viva.sessions.model import Message

BATCH_MESSAGES = 1_000
BATCH_CHARACTERS = 4_000_000  # so that a batch of long messages does not fill the memory
MESSAGE_FIELDS = Message.__struct_fields__


class HiddenOriginal(NamedTuple):
    """The line of a hidden message, and the hash of its text."""

    line: str
    content_hash: str | None


class ChainedMessage(NamedTuple):
    """A message, with the count and the head that its session had when both were read."""

    session_id: str
    message_count: int
    chain_head: str
    message: Message
    hidden: HiddenOriginal | None  # what a line stands for


def check_messages(check: HubCheck) -> Iterator[Discrepancy]:
    previous: ChainedMessage | None = None
    after = ("", 0)
    while batch := check.database.read_now(partial(read_batch, after=after)):
        for chained in batch:
            if previous and previous.session_id != chained.session_id:
                yield from check_end(previous)
                previous = None
            yield from check_link(previous, chained)
            previous = chained
        after = (batch[-1].session_id, batch[-1].message.sequence)
        check.count("messages", len(batch))
        check.counts["hidden messages"] += sum(is_erased(chained.message) for chained in batch)
    if previous:
        yield from check_end(previous)
    yield from check.database.read_now(find_empty)


def read_batch(db: Connection, after: tuple[str, int]) -> list[ChainedMessage]:
    columns = ", ".join(f"m.{name}" for name in MESSAGE_FIELDS)
    rows = db.execute(
        f"""
        SELECT m.session_id, s.message_count, s.chain_head, {columns}
        FROM evaluation_messages m JOIN evaluation_sessions s ON s.id = m.session_id
        WHERE (m.session_id, m.sequence) > (?, ?) ORDER BY m.session_id, m.sequence LIMIT ?
        """,
        [*after, BATCH_MESSAGES],
    )
    build, batch, characters = builder(Message, MESSAGE_FIELDS), [], 0
    for row in iter(rows.fetchone, None):
        session_id, count, head, *fields = row
        message = build(fields)
        batch.append(ChainedMessage(session_id, count, head, message, find_original(db, message)))
        characters += len(batch[-1].message.content)
        if characters > BATCH_CHARACTERS:
            break
    return batch


def find_original(db: Connection, message: Message) -> HiddenOriginal | None:
    if not is_erased(message) or poses_as_hidden(db, message):
        return None
    hidden = hidden_texts.find_hidden(db, "message", message.id)
    if hidden is None:
        return None
    salt = hidden_texts.read_salts(db, "message", message.id)
    return HiddenOriginal(hidden.line, hash_text(salt, hidden.original) if salt else None)


def check_link(previous: ChainedMessage | None, chained: ChainedMessage) -> Iterator[Discrepancy]:
    message = chained.message
    sequence = previous.message.sequence + 1 if previous else 1
    if message.sequence != sequence:
        yield Discrepancy(
            "session", chained.session_id, "A message is missing before this sequence.", sequence, message.sequence
        )
    before = (previous and previous.message.hash) or NO_HASH
    if not is_as_sent(chained.session_id, message, before) or not is_line_of(message, chained.hidden):
        expected = hash_message(chained.session_id, message, before)
        yield Discrepancy("message", message.id, "The message is not as it was sent.", message.hash, expected)


def is_line_of(message: Message, hidden: HiddenOriginal | None) -> bool:
    """Whether a message without its salt has the line of the text that was hidden."""
    if not is_erased(message):
        return True
    if hidden is None or message.content != hidden.line:
        return False
    return hidden.content_hash in (None, message.content_hash)


def check_end(last: ChainedMessage) -> Iterator[Discrepancy]:
    message = last.message
    if message.sequence < last.message_count:
        yield Discrepancy(
            "session", last.session_id, "The last messages are missing.", last.message_count, message.sequence
        )
    if message.sequence >= last.message_count and message.hash != last.chain_head:
        yield Discrepancy(
            "session", last.session_id, "The head is not the last message.", message.hash, last.chain_head
        )


def find_empty(db: Connection) -> list[Discrepancy]:
    """Sessions without any message, although they count some or have a head."""
    rows: list[Any] = db.execute(
        """
        SELECT id, message_count FROM evaluation_sessions s WHERE (message_count > 0 OR chain_head <> ?)
            AND NOT EXISTS (SELECT 1 FROM evaluation_messages WHERE session_id = s.id) ORDER BY id
        """,
        [NO_HASH],
    ).fetchall()
    return [Discrepancy("session", id_, "All messages are missing.", count, 0) for id_, count in rows]
