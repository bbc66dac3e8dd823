"""The conversation of a result, one page at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from viva.agents.model import Agent
from viva.evaluations.model import Evaluation
from viva.exams import viewing
from viva.kit.db import Connection
from viva.results.model import NamedResult
from viva.sessions import store as sessions
from viva.sessions.model import Message, Session
from viva.web.message_notes import MessageNote, read_notes

MESSAGES_PER_PAGE = 200
CHARACTERS_PER_PAGE = 200_000  # limits a page of long messages, which would render slowly


class ConversationView(NamedTuple):
    """Which part of a conversation is shown: one prompt or all, after a message or around one."""

    prompt: str = ""
    after: int = 0
    message: int = 0


class ShownMessage(NamedTuple):
    message: Message
    name: str
    notes: Sequence[MessageNote] = ()


@dataclass(frozen=True)
class TranscriptView:
    """One page of a conversation. `session` is None if the evaluation has no session."""

    session: Session | None
    messages: list[ShownMessage]
    after: int
    next_after: int | None = None  # the last message of this page, if more follow
    is_running: bool = False
    is_kept_back: bool = False  # it is for those who took part
    is_marked: bool = True  # False if a prompt is asked for and no message belongs to it

    @property
    def is_released(self) -> bool:
        return self.session is not None and self.session.released_registration_id is not None

    @property
    def is_paged(self) -> bool:
        """Whether the conversation has more messages than this page."""
        return self.session is not None and bool(self.after or self.next_after)

    @property
    def earlier(self) -> int:
        """The previous page begins after this message."""
        return max(0, self.after - MESSAGES_PER_PAGE)


def transcript_of(
    db: Connection, result: NamedResult, evaluation: Evaluation, where: ConversationView, viewer: Agent | None
) -> TranscriptView:
    if result.session_id is None:
        return TranscriptView(None, [], where.after)
    try:
        session = viewing.get_session_of_result(db, result, viewer, evaluation)
    except viewing.KeptBack:
        return TranscriptView(None, [], where.after, is_kept_back=True)
    if session.status != "ended" and not evaluation.observable:
        return TranscriptView(session, [], where.after, is_running=True)
    names = {participant.agent_id: participant.name for participant in sessions.list_participants(db, session.id)}
    is_marked = not where.prompt or bool(sessions.list_prompt_messages(db, session.id, where.prompt, 0, 1))
    # If no message names the prompt, the page shows all messages.
    after, messages, has_more = page_of(db, session, where if is_marked else where._replace(prompt=""))
    notes = read_notes(db, result) if session.status == "ended" else {}
    shown = [
        ShownMessage(message, names.get(message.sender_agent_id, ""), notes.get(message.sequence, ()))
        for message in messages
    ]
    return TranscriptView(session, shown, after, messages[-1].sequence if has_more else None, is_marked=is_marked)


class MessageWindow(NamedTuple):
    after: int
    page: list[Message]
    has_more: bool


def page_of(db: Connection, session: Session, where: ConversationView) -> MessageWindow:
    """The messages after `where.after`, or a page that contains `where.message`."""
    after = where.after
    if where.message:
        # Only some messages belong to a prompt, so its pages do not begin at multiples of the page size.
        after = 0 if where.prompt else (where.message - 1) // MESSAGES_PER_PAGE * MESSAGES_PER_PAGE
    found = page_after(db, session, where.prompt, after)
    if where.message and found.has_more and found.page[-1].sequence < where.message:
        found = page_after(db, session, where.prompt, where.message - 1)
    return found


def page_after(db: Connection, session: Session, prompt: str, after: int) -> MessageWindow:
    if not prompt:
        page = sessions.transcript(db, session.id, after, MESSAGES_PER_PAGE, CHARACTERS_PER_PAGE)
        return MessageWindow(after, page, bool(page) and page[-1].sequence < session.message_count)
    page = sessions.list_prompt_messages(db, session.id, prompt, after, MESSAGES_PER_PAGE, CHARACTERS_PER_PAGE)
    has_more = bool(page) and bool(sessions.list_prompt_messages(db, session.id, prompt, page[-1].sequence, 1))
    return MessageWindow(after, page, has_more)
