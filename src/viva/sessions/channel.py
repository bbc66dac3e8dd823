"""The channel of a session: who may speak in it, and when."""

from viva.kit.db import Connection
from viva.kit.errors import Conflict, Fault, Forbidden, Invalid, TooLarge
from viva.sessions import store
from viva.sessions.model import Message
from viva.sessions.store import Post, Speaker


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
    check_content(content, most_bytes)
    message = store.add_message(db, Post(evaluation_id, session_id, Speaker(sender_id), content, prompt_id))
    if message is None:
        raise why_not(db, evaluation_id, session_id, sender_id)
    return message


def check_content(content: str, most_bytes: int) -> None:
    if not content.strip():
        raise EmptyMessage()
    if len(content) > most_bytes or len(content.encode()) > most_bytes:
        raise MessageTooLarge(f"A message has at most {most_bytes} bytes.")


def why_not(db: Connection, evaluation_id: str, session_id: str, sender_id: str) -> Exception:
    """Why no turn could be taken; asked only then, since taking one already tells that all is well."""
    session = store.get(db, evaluation_id, session_id)
    if store.role_of(db, session_id, sender_id) is None:
        return NotAParticipant()
    return LeftSession() if session.status == "active" else SessionEnded()
