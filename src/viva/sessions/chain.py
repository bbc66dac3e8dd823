"""The chain of a session's messages: each carries the hash of the one before it, so that none can be changed unnoticed.

The hash is over ten lines: the format, the ids of session, message and sender, the sequence, the role, the time, the hash
of the message before, the salted hash of the text, and the prompt. Only the last may contain a line break."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from viva.kit.clock import format_time
from viva.kit.db import Connection
from viva.kit.deleted import HIDDEN_LINE_START
from viva.kit.errors import NotFound
from viva.kit.hashing import NO_HASH, hash_lines, hash_text
from viva.kit.rows import many, one
from viva.sessions.model import Message

MESSAGE_FORMAT = "viva-message-1"
BATCH_MESSAGES = 200  # of at most 64 KiB each, unless an operator allows more
MESSAGE_COLUMNS = ", ".join(Message.__struct_fields__)


class NoSuchMessage(NotFound):
    """There is no message with this id."""


class MessageLines(NamedTuple):
    """The lines that are known before the message has its turn: those before and those after the lines of the turn."""

    before: str
    after: str


def lines_of(
    session_id: str, message_id: str, sender_id: str, content_hash: str, prompt_id: str | None
) -> MessageLines:
    before = "".join(f"{line}\n" for line in (MESSAGE_FORMAT, session_id, message_id, sender_id))
    return MessageLines(before, f"\n{content_hash}\n{prompt_id or ''}")


class HashForms(NamedTuple):
    """How SQL writes hashes and times; see `Connection`."""

    hash_form: str
    time_form: str


def forms_of(db: Connection) -> HashForms:
    return HashForms(db.hash_form, db.time_form)


def link_sql(forms: HashForms, before: str, turn: tuple[str, str, str], previous: str, after: str) -> str:
    """The SQL for the hash of a message, as `hash_message` computes it. A turn is sequence, role and time."""
    sequence, role, created_at = turn
    lines = f"{sequence} || '\n' || {role} || '\n' || {forms.time_form.format(created_at)} || '\n' || {previous}"
    return forms.hash_form.format(f"{before} || {lines} || {after}")


def hash_message(session_id: str, message: Message, previous: str) -> str:
    return hash_lines(
        MESSAGE_FORMAT,
        session_id,
        message.id,
        message.sender_agent_id,
        str(message.sequence),
        message.role,
        format_time(message.created_at),
        previous,
        content_hash_of(message),
        message.prompt_id or "",
    )


def content_hash_of(message: Message) -> str:
    """The salted hash of the text. Of an erased text, only this hash is stored."""
    if message.salt is None:
        return message.content_hash or ""
    try:
        return hash_text(message.salt, message.content)
    except ValueError:  # a file may hold anything
        return ""


def is_erased(message: Message) -> bool:
    """Whether the text is gone, so that only its hash stands in the chain: nobody can tell any more what was said."""
    return message.salt is None


def is_as_sent(session_id: str, message: Message, previous: str) -> bool:
    """Whether the hash of the message follows from its content and the message before. Without its salt, a message has
    the line of who hid it: no other text was ever compared with the hash."""
    if is_erased(message) and not (message.hidden_at and is_hidden_line(message.content)):
        return False
    return message.hash == hash_message(session_id, message, previous)


def is_hidden_line(content: str) -> bool:
    return content.startswith(HIDDEN_LINE_START)


def find_broken(session_id: str, messages: Iterable[Message]) -> Iterator[Message]:
    """The messages of a whole session that are not as they were sent, or that follow on a missing one."""
    previous = NO_HASH
    for message in messages:
        if not is_as_sent(session_id, message, previous):
            yield message
        previous = message.hash or NO_HASH


def read_all(db: Connection, session_id: str) -> Iterator[Message]:
    """Every message of the session in order, some at a time."""
    after = 0
    while batch := many(
        Message,
        db.execute(
            f"SELECT {MESSAGE_COLUMNS} FROM evaluation_messages WHERE session_id = ? AND sequence > ? ORDER BY sequence LIMIT ?",
            [session_id, after, BATCH_MESSAGES],
        ),
    ):
        yield from batch
        after = batch[-1].sequence


class ChainHead(NamedTuple):
    """How many messages a session has, and the hash of the last one."""

    message_count: int
    hash: str


def read_head(db: Connection, session_id: str) -> ChainHead:
    return ChainHead(
        *db.execute("SELECT message_count, chain_head FROM evaluation_sessions WHERE id = ?", [session_id]).fetchone()
    )


def take_salt(db: Connection, message_id: str) -> str | None:
    """Take the salt out of a message, and return it. From then on, the stored hash stands for the text in the chain."""
    rows = db.execute(f"SELECT {MESSAGE_COLUMNS} FROM evaluation_messages WHERE id = ?", [message_id])
    message = one(Message, rows, NoSuchMessage)
    db.execute(
        "UPDATE evaluation_messages SET salt = NULL, content_hash = ? WHERE id = ?",
        [content_hash_of(message), message_id],
    )
    return message.salt


def chain_again(db: Connection, session_id: str) -> None:
    """Compute the hashes of a session again, after the demo has moved the times of its messages."""
    stored = db.execute(
        f"SELECT {MESSAGE_COLUMNS} FROM evaluation_messages WHERE session_id = ? ORDER BY sequence", [session_id]
    )
    head = NO_HASH
    for message in many(Message, stored):
        head = hash_message(session_id, message, head)
        db.execute("UPDATE evaluation_messages SET hash = ? WHERE id = ?", [head, message.id])
    db.execute("UPDATE evaluation_sessions SET chain_head = ? WHERE id = ?", [head, session_id])
