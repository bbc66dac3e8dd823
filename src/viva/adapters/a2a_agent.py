"""An agent that speaks A2A: JSON-RPC over HTTP. It gets messages and, for longer work, is asked for its task."""

import secrets
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import urljoin

import httpx
import msgspec

from viva.adapters.a2a_forms import A2A_OLD, CARD_PATH, CARD_SECONDS, A2aEndpoint, A2aForm, read_card
from viva.adapters.a2a_replies import FAILED_STATES, UNFINISHED_STATES, read_object, state_of, text_of
from viva.adapters.model import AgentFault, AskedConversation, ChatMessage, ReplyLimits, check_text, shorten
from viva.adapters.posting import make_http_client, post_json, read_body

MAX_CARD_BYTES = 256 * 1024
TASK_POLL_SECONDS = 0.5
ROLE_WORDS = {"system": "Instructions", "user": "User", "assistant": "You"}


class A2aContext:
    """The conversation at the agent, and the messages that it was sent, in their order."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.context_id: str | None = None
        self.known: list[ChatMessage] = []

    def find_new(self, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        """The messages that the agent does not know. Its own words it knows, even those that nobody sent on."""
        if self.context_id is None:
            return list(messages)
        place, new = 0, []
        for message in messages:
            if message in self.known[place:]:  # the same text may be said twice, so the order counts
                place = self.known.index(message, place) + 1
            elif message.role != "assistant":
                new.append(message)
        return new or list(messages[-1:])


class A2aAgent:
    def __init__(self, url: str, limits: ReplyLimits) -> None:
        self.name = url
        self._limits = limits
        self._client = make_http_client()
        self._card_url = url
        self._endpoint: A2aEndpoint | None = None
        self._context = A2aContext("")

    def reply(self, conversation: AskedConversation) -> str:
        until = time.monotonic() + self._limits.seconds
        context = self._context_of(conversation)
        form = self._find_endpoint().form
        new = context.find_new(conversation.messages)
        answer = form.open_result(self._call(form.send_method, message_params(new, context, form)))
        while (state := state_of(answer)) in UNFINISHED_STATES:
            if time.monotonic() > until:
                raise AgentFault(f"The agent at {self.name} did not finish within {self._limits.seconds:g} seconds.")
            time.sleep(TASK_POLL_SECONDS)
            answer = self._call(form.task_method, {"id": answer.get("id")})
        if state in FAILED_STATES:
            raise AgentFault(f"The task of the agent at {self.name} ended as {state}: {shorten(text_of(answer))}")
        context.context_id = str(answer["contextId"]) if answer.get("contextId") else None
        context.known += new
        return check_text(text_of(answer), self._limits)

    def _context_of(self, conversation: AskedConversation) -> A2aContext:
        if self._context.session_id != conversation.session_id:
            self._context = A2aContext(conversation.session_id)
        return self._context

    def _find_endpoint(self) -> A2aEndpoint:
        if self._endpoint is None:
            self._endpoint = find_endpoint(self._client, self._card_url)
        return self._endpoint

    def _call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        endpoint = self._find_endpoint()
        body = {"jsonrpc": "2.0", "id": secrets.token_hex(8), "method": method, "params": params}
        data = post_json(self._client, endpoint.url, body, self._limits, endpoint.form.headers)
        answer = read_object(data)
        if answer.get("error"):
            raise AgentFault(f"The agent at {self.name} answered with an error: {shorten(str(answer['error']))}")
        result = answer.get("result")
        if not isinstance(result, dict):
            raise AgentFault(f"The agent at {self.name} gave no result of {method}: {shorten(data)}")
        return result

    def close(self) -> None:
        self._client.close()


def find_endpoint(client: httpx.Client, url: str) -> A2aEndpoint:
    """The address and the version in the agent's card, or the URL itself where there is no card."""
    limits = ReplyLimits(CARD_SECONDS, envelope_bytes=MAX_CARD_BYTES)
    try:
        with client.stream("GET", urljoin(url, CARD_PATH), timeout=CARD_SECONDS) as response:
            data = read_body(response, url, limits, time.monotonic() + CARD_SECONDS) if response.is_success else b""
        card = msgspec.json.decode(data) if data else {}
    except (httpx.HTTPError, httpx.InvalidURL, msgspec.DecodeError, AgentFault):
        return A2aEndpoint(url, A2A_OLD)
    return read_card(url, card if isinstance(card, dict) else {})


def message_params(new: Sequence[ChatMessage], context: A2aContext, form: A2aForm) -> dict[str, Any]:
    """The new messages as one message of A2A. The agent remembers the others by the id of the context."""
    message = form.write_message(secrets.token_hex(16), join_messages(new), context.context_id)
    return {"message": message, "configuration": {**form.configuration, "acceptedOutputModes": ["text/plain"]}}


def join_messages(messages: Sequence[ChatMessage]) -> str:
    """Messages of one writer as they are; otherwise with the word for who wrote each."""
    if len({each.role for each in messages}) == 1:
        return "\n\n".join(each.content for each in messages)
    return "\n\n".join(f"{ROLE_WORDS.get(each.role, each.role)}:\n{each.content}" for each in messages)
