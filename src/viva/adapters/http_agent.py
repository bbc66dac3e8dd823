"""An agent at an address that takes a conversation as JSON, and answers {"content": "…"}."""

from viva.adapters.model import AskedConversation, ReplyLimits, read_reply
from viva.adapters.posting import make_http_client, post_json


class HttpAgent:
    def __init__(self, url: str, limits: ReplyLimits) -> None:
        self.name = url
        self._url = url
        self._limits = limits
        self._client = make_http_client()

    def reply(self, conversation: AskedConversation) -> str:
        return read_reply(post_json(self._client, self._url, conversation.in_turns(), self._limits), self._limits)

    def close(self) -> None:
        self._client.close()
