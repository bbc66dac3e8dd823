"""Routes of sessions: show a session, list its messages, send a message."""

from datetime import UTC, datetime
from typing import Annotated

import msgspec
from litestar import Request, Router
from msgspec import Meta, Struct

from viva.agents import access
from viva.agents.model import Agent
from viva.api.long_polls import JSON_WITH_NEWS, WaitSeconds
from viva.api.paging import CursorParameter, LimitParameter
from viva.api.route_spec import EncodedAnswer, PolledAnswer, ReadAgain
from viva.api.routing import get, post
from viva.context import HubContext, note_account
from viva.evaluations import store as evaluations
from viva.exams import a2a_addresses, viewing
from viva.exams.a2a_addresses import A2aCandidate
from viva.kit.db import Connection
from viva.kit.errors import Fault, Invalid
from viva.kit.paging import MAX_PAGE_ITEMS
from viva.sessions import channel, posting_together, store
from viva.sessions.feed import TooManyStreams
from viva.sessions.model import Message, Participant, Session

MAX_SINCE_CHARACTERS = 40
Since = Annotated[
    str,
    Meta(max_length=MAX_SINCE_CHARACTERS, description="A sequence number or a time; only later messages are listed."),
]
LastEventId = Annotated[str, Meta(description="Continue after this sequence number.")] | None
MAX_SEQUENCE = 2**31 - 1  # the largest INTEGER of PostgreSQL
EMPTY_PAGE = b'{"messages":[]'
PAGE_OVERHEAD_BYTES = 500  # memory of a cached page besides its JSON


class BadSince(Invalid):
    """The parameter since has to be a sequence number, or a time such as 2026-11-15T12:00:00Z."""

    def __init__(self) -> None:
        super().__init__(faults=(Fault("since", "bad_since", self.__doc__ or ""),))


class MessageBody(Struct, forbid_unknown_fields=True):
    """`prompt_id` names the prompt of the message, if the evaluation has several prompts."""

    content: str
    prompt_id: Annotated[str, Meta(min_length=1, max_length=100, pattern=r"^[^\x00]*$")] | None = None


class SentMessage(Struct, omit_defaults=True):
    id: str
    role: str
    content: str
    created_at: datetime
    sequence: int
    prompt_id: str | None = None
    salt: str | None = None
    hash: str | None = None


class MessagesPage(Struct):
    """`next_cursor` is set if more messages follow. It is the last sequence number, so `since` accepts it too."""

    messages: list[Message]
    next_cursor: str | None


class SessionView(Struct):
    id: str
    evaluation_id: str
    kind: str
    registration_id: str | None
    status: str
    released: bool
    started_at: datetime
    ended_at: datetime | None
    message_count: int


class OneSession(Struct, omit_defaults=True):
    """`a2a` is the A2A agent that the hub asks for the candidate. Only the candidate and maintainers see it."""

    session: SessionView
    participants: list[Participant]
    a2a: A2aCandidate | None = None


SESSION_ERRORS = (evaluations.NoSuchEvaluation, store.NoSuchSession, viewing.NotForYou, viewing.KeptBack)


def view(session: Session) -> SessionView:
    return SessionView(
        session.id,
        session.evaluation_id,
        session.kind,
        session.registration_id or session.released_registration_id,
        session.status,
        session.released_registration_id is not None,
        session.started_at,
        session.ended_at,
        session.message_count,
    )


@get("/", *SESSION_ERRORS)
def show_session(db: Connection, viewer: Agent | None, evaluation_id: str, session_id: str) -> OneSession:
    """Show a session and its participants. Before the verdict, only they and maintainers may see it."""
    session = viewing.get_session(db, evaluation_id, session_id, viewer)
    asked = a2a_addresses.find_shown(db, session, viewer)
    return OneSession(view(session), store.list_participants(db, session.id), asked)


@get("/messages", *SESSION_ERRORS, BadSince, TooManyStreams, response=JSON_WITH_NEWS)
def list_messages(
    db: Connection,
    viewer: Agent | None,
    hub: HubContext,
    evaluation_id: str,
    session_id: str,
    since: Since = "0",
    limit: LimitParameter = MAX_PAGE_ITEMS,
    cursor: CursorParameter = None,
    wait: WaitSeconds = 0,
) -> PolledAnswer[MessagesPage]:
    """List the messages of a session, in order. With `wait`, an empty page is answered only after these seconds, unless
    the session has ended."""
    session = viewing.get_session(db, evaluation_id, session_id, viewer)
    page = cached_page(db, hub, session, cursor or since, limit)
    has_news = session.status == "ended" or not page.body.startswith(EMPTY_PAGE)
    return PolledAnswer(page, has_news, wait, (session.id,))


def read_sent(db: Connection, session_id: str, reference: str) -> SentMessage:
    (message,) = store.transcript(db, session_id, int(reference) - 1, 1)
    return show_sent(message)


async def send_together(
    request: Request, hub: HubContext, key: str, evaluation_id: str, session_id: str, data: MessageBody
) -> SentMessage | None:
    """Send the message in one unit with others. None if that is not possible: `send_message` then finds the reason."""
    if evaluations.is_number(evaluation_id) or channel.find_fault(data.content, hub.message_bytes):
        return None
    post = posting_together.Post(access.ApiKey(key).hash, evaluation_id, session_id, data.content, data.prompt_id)
    message = await hub.database.write_together(posting_together.add_messages, post, lane=session_id)
    if message is None:
        return None
    note_account(request, message.sender_agent_id)
    return show_sent(message)


def show_sent(message: Message) -> SentMessage:
    return SentMessage(
        message.id,
        message.role,
        message.content,
        message.created_at,
        message.sequence,
        message.prompt_id,
        message.salt,
        message.hash,
    )


@post(
    "/messages",
    store.NoSuchSession,
    channel.NotAParticipant,
    channel.SessionEnded,
    channel.LeftSession,
    channel.EmptyMessage,
    channel.MessageTooLarge,
    read_again=ReadAgain(lambda sent: str(sent.sequence), read_sent),
    together=send_together,
)
def send_message(
    db: Connection, caller: Agent, hub: HubContext, evaluation_id: str, session_id: str, data: MessageBody
) -> SentMessage:
    """Send a message to an active session."""
    message = channel.send(
        db,
        evaluations.id_of(db, evaluation_id),
        session_id,
        caller.id,
        data.content,
        hub.message_bytes,
        data.prompt_id,
    )
    return show_sent(message)


def cached_page(
    db: Connection, hub: HubContext, session: Session, since: str, limit: int
) -> EncodedAnswer[MessagesPage]:
    """A page of messages. Messages change only by being hidden, so a cached page stays valid until then."""
    cache_key = (session.id, since, limit, session.message_count, session.texts_changed_at)
    page = hub.transcripts.find(cache_key)
    if page is None:
        page = msgspec.json.encode(read_page(db, session, since, limit))
        hub.transcripts.put(cache_key, page, weight=len(page) + PAGE_OVERHEAD_BYTES)
    return EncodedAnswer(page)


def read_page(db: Connection, session: Session, since: str, limit: int) -> MessagesPage:
    messages = store.transcript(db, session.id, read_since(since), limit)
    has_more = bool(messages) and messages[-1].sequence < session.message_count
    return MessagesPage(messages, str(messages[-1].sequence) if has_more else None)


def read_since(since: str) -> int | datetime:
    # A header may be longer, and Python refuses to read a number of thousands of digits.
    if len(since) > MAX_SINCE_CHARACTERS:
        raise BadSince()
    if since.isascii() and since.isdigit():
        return min(int(since), MAX_SEQUENCE)
    try:
        moment = datetime.fromisoformat(since.replace(" ", "+"))  # a plus sign in a query is decoded as a space
    except ValueError:
        raise BadSince() from None
    if not 1 < moment.year < 9999:  # in UTC it may be a day earlier or later
        raise BadSince()
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


router = Router(
    "/evaluations/{evaluation_id:str}/sessions/{session_id:str}",
    route_handlers=[show_session, list_messages, send_message],
)
