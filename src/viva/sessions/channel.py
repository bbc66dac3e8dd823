"""The channel of a session: who may send messages, and when."""

from viva.kit.db import Connection
from viva.kit.errors import Conflict, Fault, Forbidden, Invalid, TooLarge, VivaError
from viva.sessions import asking, posting, store
from viva.sessions.model import Message


class NotAParticipant(Forbidden):
    """Only the participants of this session may speak in it."""


class SessionEnded(Conflict):
    """This session has ended; nothing more can be said in it."""


class LeftSession(Conflict):
    """You have left this session. You can read it, but send nothing more."""


class MessageTooLarge(TooLarge):
    """The message is larger than this hub allows."""


class EmptyMessage(Invalid):
    """A message needs some text."""

    def __init__(self) -> None:
        super().__init__(faults=(Fault("content", "empty_message", self.__doc__ or ""),))


def send(
    db: Connection,
    evaluation_id: str,
    session_id: str,
    sender_id: str,
    content: str,
    max_bytes: int,
    prompt_id: str | None = None,
) -> Message:
    fault = find_fault(content, max_bytes)
    if fault:
        raise fault

    draft = posting.new_draft(session_id, sender_id, content, prompt_id)
    turn = posting.take_turn(db, evaluation_id, draft)
    if turn is None or turn.role is None:
        raise find_refusal(db, evaluation_id, session_id, sender_id)
    message = posting.add_message(db, draft, turn)
    if turn.role == "proctor" and turn.a2a_asked == 0:
        asking.ask(db, session_id, message.sequence)
    return message


def find_fault(content: str, max_bytes: int) -> VivaError | None:
    if not content.strip():
        return EmptyMessage()
    if len(content) > max_bytes or len(content.encode()) > max_bytes:
        return MessageTooLarge(f"A message has at most {max_bytes} bytes.")
    return None


def find_refusal(db: Connection, evaluation_id: str, session_id: str, sender_id: str) -> Exception:
    """Why the sender could not take a turn. A turn that was taken needs no check."""
    session = store.get(db, evaluation_id, session_id)
    if store.role_of(db, session_id, sender_id) is None:
        return NotAParticipant()
    return LeftSession() if session.status == "active" else SessionEnded()
