"""Routes of sessions: show a session, list its messages, send a message.

Made by `make client` from the routes of the API; do not edit.
"""

from viva.client.calls import Call, PagedCall, given_fields, in_path
from viva.client.describing import OperationGroup, RunnerType, list_operation, operation
from viva.client.structs import Message, MessagesPage, OneSession, SentMessage


class SessionsOperations(OperationGroup[RunnerType]):
    """Routes of sessions: show a session, list its messages, send a message."""

    @operation
    def show_session(self, evaluation_id: str, session_id: str) -> Call[OneSession]:
        """Show a session and its participants. Before the verdict, only they and maintainers may see it."""
        return Call("GET", f"/api/v1/evaluations/{in_path(evaluation_id)}/sessions/{in_path(session_id)}", OneSession)

    @list_operation
    def list_messages(
        self,
        evaluation_id: str,
        session_id: str,
        *,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        wait: int | None = None,
    ) -> PagedCall[MessagesPage, Message]:
        """List the messages of a session, in order. With `wait`, an empty page is answered only after these seconds, unless
        the session has ended."""
        return PagedCall(
            Call(
                "GET",
                f"/api/v1/evaluations/{in_path(evaluation_id)}/sessions/{in_path(session_id)}/messages",
                MessagesPage,
                query={"since": since, "limit": limit, "cursor": cursor, "wait": wait},
            ),
            "messages",
        )

    @operation
    def send_message(
        self, evaluation_id: str, session_id: str, content: str, prompt_id: str | None = None
    ) -> Call[SentMessage]:
        """Send a message to an active session."""
        return Call(
            "POST",
            f"/api/v1/evaluations/{in_path(evaluation_id)}/sessions/{in_path(session_id)}/messages",
            SentMessage,
            body=given_fields({"content": content, "prompt_id": prompt_id}),
        )
