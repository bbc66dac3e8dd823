"""The channel of a session: who may speak in it, and when."""

from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Fault, Forbidden, Invalid, TooLarge, VivaError
from viva.kit.ids import new_id
from viva.sessions import store
from viva.sessions.model import Message


class NotAParticipant(Forbidden):
    """Only the participants of this session may speak in it."""


class SessionEnded(Conflict):
    """This session has ended; nothing more can be said in it."""


class LeftSession(Conflict):
    """You have left this session; you can read it, but say nothing more in it."""


class MessageTooLarge(TooLarge):
    """The message is larger than this hub takes."""


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
    most_bytes: int,
    prompt_id: str | None = None,
) -> Message:
    fault = find_fault(content, most_bytes)
    if fault:
        raise fault

    turn = store.take_turn(db, evaluation_id, session_id, sender_id)
    if turn is None or turn.role is None:
        raise refusal(db, evaluation_id, session_id, sender_id)
    message = Message(new_id("eval_msg"), sender_id, turn.role, content, now(), turn.sequence, prompt_id)
    store.add_message(db, session_id, message)
    return message


def find_fault(content: str, most_bytes: int) -> VivaError | None:
    if not content.strip():
        return EmptyMessage()
    if len(content) > most_bytes or len(content.encode()) > most_bytes:
        return MessageTooLarge(f"A message has at most {most_bytes} bytes.")
    return None


def refusal(db: Connection, evaluation_id: str, session_id: str, sender_id: str) -> Exception:
    """Why no turn could be taken; asked only then, since taking one already tells that all is well."""
    session = store.get(db, evaluation_id, session_id)
    if store.role_of(db, session_id, sender_id) is None:
        return NotAParticipant()
    return LeftSession() if session.status == "active" else SessionEnded()
