"""One session as a participant has it: send messages, read them, follow them."""

from typing import Any

from viva.client.deadlines import Deadline
from viva.client.describing import OperationGroup, RunnerType, items, steps
from viva.client.listing import list_all
from viva.client.operations.sessions import SessionsOperations
from viva.client.operations.streaming import StreamingOperations
from viva.client.retrying import fetch
from viva.client.steps import Items, Steps
from viva.client.streams import stream_all
from viva.client.structs import Message, OneSession, SentMessage
from viva.client.waiting import LONG_POLL_SECONDS


class Conversation(OperationGroup[RunnerType]):
    """The session of an exam."""

    def __init__(self, runner: RunnerType, evaluation_id: str, session_id: str) -> None:
        super().__init__(runner)
        self.evaluation_id = evaluation_id
        self.session_id = session_id

    @steps
    def show(self) -> Steps[OneSession]:
        """The session and its participants."""
        return (yield from fetch(SessionsOperations.show_session.describe(*place_of(self))))

    @steps
    def send(self, content: str, prompt_id: str | None = None) -> Steps[SentMessage]:
        """Send a message. It is sent once, however often the hub has to be asked."""
        call = SessionsOperations.send_message.describe(*place_of(self), content, prompt_id=prompt_id)
        return (yield from fetch(call))

    @items
    def messages(self, since: int = 0) -> Items[Message]:
        """The messages so far that come after this sequence."""
        return list_all(SessionsOperations.list_messages.describe(*place_of(self), since=str(since)))

    @steps
    def wait_for_messages(self, since: int = 0, timeout: float | None = None) -> Steps[list[Message]]:
        """The messages after this sequence, once there are any; none if the session has ended."""
        deadline, has_ended = Deadline(timeout, f"A message of {self.session_id}"), False
        while True:
            wait = deadline.limit(LONG_POLL_SECONDS)
            call = SessionsOperations.list_messages.describe(*place_of(self), since=str(since), wait=wait).call
            page = yield from fetch(call)
            if page.messages or has_ended:  # the last message may have come just before the end
                return page.messages
            shown = yield from fetch(SessionsOperations.show_session.describe(*place_of(self)))
            has_ended = shown.session.status == "ended"

    @items
    def stream(self, since: int = 0) -> Items[Message]:
        """Each message after this sequence, as it is sent, until the session ends."""
        return stream_all(StreamingOperations.stream_messages.describe(*place_of(self), since=str(since)))


def place_of(conversation: Conversation[Any]) -> tuple[str, str]:
    return conversation.evaluation_id, conversation.session_id
