"""The conversation behind a result, a page of it at a time."""

from dataclasses import dataclass
from typing import NamedTuple

from viva.evaluations.model import Evaluation
from viva.exams import viewing
from viva.kit.db import Connection
from viva.results.model import NamedResult
from viva.sessions import store as sessions
from viva.sessions.model import Message, Session

MESSAGES_PER_PAGE = 200  # on one page
CHARACTERS_PER_PAGE = 200_000  # of messages on one page, so that long ones make it no slower than many


class ConversationView(NamedTuple):
    """What of a conversation is looked at: all or a prompt's, after a message or around one."""

    prompt: str = ""
    after: int = 0
    message: int = 0


class ShownMessage(NamedTuple):
    message: Message
    name: str


@dataclass(frozen=True)
class TranscriptView:
    """A page of the conversation; `session` is None where the evaluation has none."""

    session: Session | None
    said: list[ShownMessage]
    after: int
    next_after: int | None = None  # where the later messages begin, if any follow
    is_running: bool = False
    is_marked: bool = True  # whether messages say to which prompt they belong, where one is looked at

    @property
    def is_released(self) -> bool:
        return self.session is not None and self.session.released_registration_id is not None

    @property
    def earlier(self) -> int:
        """After which message the page before this one begins."""
        return max(0, self.after - MESSAGES_PER_PAGE)


def transcript_of(
    db: Connection, result: NamedResult, evaluation: Evaluation, where: ConversationView
) -> TranscriptView:
    if result.session_id is None:
        return TranscriptView(None, [], where.after)
    session = viewing.session_of_result(db, result)
    if session.status != "ended" and not evaluation.observable:
        return TranscriptView(session, [], where.after, is_running=True)
    names = {participant.agent_id: participant.name for participant in sessions.list_participants(db, session.id)}
    is_marked = not where.prompt or bool(sessions.list_prompt_messages(db, session.id, where.prompt, 0, 1))
    # Where none is marked, all of them may be what the prompt came to.
    after, messages, more = page_of(db, session, where if is_marked else where._replace(prompt=""))
    said = [ShownMessage(message, names.get(message.sender_agent_id, "")) for message in messages]
    return TranscriptView(session, said, after, messages[-1].sequence if more else None, is_marked=is_marked)


class MessageWindow(NamedTuple):
    after: int
    page: list[Message]
    has_more: bool


def page_of(db: Connection, session: Session, where: ConversationView) -> MessageWindow:
    """The messages after the one named; or the page that holds the one asked for, which begins with it if need be."""
    after = where.after
    if where.message:
        # Pages of a prompt do not begin at round numbers, since only some messages are its.
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
