"""Calls to an A2A agent by a guarded fetch: one message to it, and its reply, within a time and a size."""

import secrets
import time
from typing import Any, NamedTuple
from urllib.parse import urljoin

import msgspec

from viva.adapters.a2a_forms import A2A_OLD, CARD_PATH, CARD_SECONDS, A2aEndpoint, read_card
from viva.adapters.a2a_replies import FAILED_STATES, UNFINISHED_STATES, state_of, text_of
from viva.adapters.model import MAX_ENVELOPE_BYTES, AgentFault
from viva.kit.fetching import Fetcher, FetchRequest, Unreachable
from viva.notices.webhook_urls import allowed_hosts, check_postable

A2A_TIMEOUT_SECONDS = 60.0  # from the card to the reply; a worker waits for it
TASK_POLL_SECONDS = 1.0
HTTP_OK = 200
JSON_HEADERS = {"Content-Type": "application/json", "Accept": "application/json"}
NO_RPC = f"The agent's answer is no JSON-RPC of at most {MAX_ENVELOPE_BYTES:,} bytes."
GET_CARD = FetchRequest("GET", {"Accept": "application/json"})


class A2aMessage(NamedTuple):
    """A message to an agent. Its id stays the same when it is sent again."""

    id: str
    context_id: str
    text: str


class A2aCaller(NamedTuple):
    """Calls agents at public https addresses, and at these hosts in any way."""

    hosts: tuple[str, ...]
    seconds: float = A2A_TIMEOUT_SECONDS

    def ask(self, url: str, message: A2aMessage) -> str:
        """The agent's reply. AgentFault, NotFetchable or Unreachable say why there is none."""
        check_postable(url, self.hosts)  # the list of hosts may have changed
        deadline = time.monotonic() + self.seconds
        endpoint = self.find_endpoint(url)
        form = endpoint.form
        written = form.write_message(message.id, message.text, message.context_id)
        configuration = {**form.configuration, "acceptedOutputModes": ["text/plain"]}
        sent = {"message": written, "configuration": configuration}
        answer = form.open_result(self.call(endpoint, form.send_method, sent, deadline))
        while (state := state_of(answer)) in UNFINISHED_STATES:
            time.sleep(TASK_POLL_SECONDS)
            answer = self.call(endpoint, form.task_method, {"id": answer.get("id")}, deadline)
        if state in FAILED_STATES:
            raise AgentFault(f"The agent's task ended as {state}.")
        return text_of(answer)

    def find_endpoint(self, url: str) -> A2aEndpoint:
        """The address and the version in the agent's card, or the URL itself where there is no card."""
        try:
            page = self.fetcher(CARD_SECONDS).send(urljoin(url, CARD_PATH), GET_CARD)
            card = read_answer(page.text) if page.status == HTTP_OK else {}
        except (Unreachable, AgentFault):
            return A2aEndpoint(url, A2A_OLD)
        return read_card(url, card)

    def call(self, endpoint: A2aEndpoint, method: str, params: dict[str, Any], deadline: float) -> dict[str, Any]:
        """The result of one call. What the address answered otherwise is told to nobody: it may be no agent at all."""
        seconds = deadline - time.monotonic()
        if seconds <= 0:
            raise AgentFault(f"The agent did not finish within {self.seconds:g} seconds.")
        check_postable(endpoint.url, self.hosts)
        body = msgspec.json.encode({"jsonrpc": "2.0", "id": secrets.token_hex(8), "method": method, "params": params})
        page = self.fetcher(seconds).post(endpoint.url, body, {**JSON_HEADERS, **endpoint.form.headers})
        if page.status != HTTP_OK:
            raise AgentFault(f"The agent answered with HTTP status {page.status}.")
        answer = read_answer(page.text)
        if not isinstance(answer.get("result"), dict):
            raise AgentFault("The agent answered with an error." if answer.get("error") else NO_RPC)
        result: dict[str, Any] = answer["result"]
        return result

    def fetcher(self, seconds: float) -> Fetcher:
        return Fetcher(allowed_hosts(self.hosts), seconds, max_bytes=MAX_ENVELOPE_BYTES)


def read_answer(text: str) -> dict[str, Any]:
    try:
        answer = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        answer = None
    if not isinstance(answer, dict):
        raise AgentFault(NO_RPC)
    return answer
