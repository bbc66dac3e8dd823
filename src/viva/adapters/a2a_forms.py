"""The two versions of A2A in use: their names for methods, roles and parts, and which of them a card offers."""

from typing import Any, NamedTuple
from urllib.parse import urljoin

CARD_PATH = "/.well-known/agent-card.json"
CARD_SECONDS = 10.0


class A2aForm(NamedTuple):
    """One version. Answers of 1.0 are wrapped in a key that says what they are."""

    send_method: str
    task_method: str
    message: dict[str, Any]
    part: dict[str, Any]
    configuration: dict[str, Any]
    headers: dict[str, str]

    def write_message(self, message_id: str, text: str, context_id: str | None) -> dict[str, Any]:
        message = {**self.message, "messageId": message_id, "parts": [{**self.part, "text": text}]}
        return {**message, "contextId": context_id} if context_id else message

    def open_result(self, result: dict[str, Any]) -> dict[str, Any]:
        found = result.get("message") or result.get("task")
        return found if isinstance(found, dict) else result


A2A_OLD = A2aForm(
    "message/send", "tasks/get", {"kind": "message", "role": "user"}, {"kind": "text"}, {"blocking": True}, {}
)
A2A_NEW = A2aForm("SendMessage", "GetTask", {"role": "ROLE_USER"}, {}, {}, {"A2A-Version": "1.0"})


class A2aEndpoint(NamedTuple):
    """Where the agent takes messages, and in which form."""

    url: str
    form: A2aForm


def read_card(url: str, card: dict[str, Any]) -> A2aEndpoint:
    """The newest interface for JSON-RPC in a card, or the one address that older cards have."""
    offered = card.get("supportedInterfaces")
    interfaces = [each for each in offered if is_rpc(each)] if isinstance(offered, list) else []
    for interface in sorted(interfaces, key=is_old):
        return A2aEndpoint(urljoin(url, interface["url"]), A2A_OLD if is_old(interface) else A2A_NEW)
    named = card.get("url")
    return A2aEndpoint(urljoin(url, named) if isinstance(named, str) and named else url, A2A_OLD)


def is_rpc(interface: Any) -> bool:
    return (
        isinstance(interface, dict)
        and interface.get("protocolBinding") == "JSONRPC"
        and isinstance(interface.get("url"), str)
        and interface["url"] != ""
    )


def is_old(interface: dict[str, Any]) -> bool:
    return str(interface.get("protocolVersion", "")).startswith("0.")
