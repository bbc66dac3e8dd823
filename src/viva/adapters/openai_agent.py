"""A model behind an OpenAI-compatible endpoint: OPENAI_BASE_URL, with OPENAI_API_KEY if there is one."""

import os

import msgspec

from viva.adapters.model import (
    AgentFault,
    AskedConversation,
    BadAgentName,
    ReplyLimits,
    check_text,
    join_turns,
    shorten,
)
from viva.adapters.posting import make_http_client, post_json

OPENAI_URL = "https://api.openai.com/v1"


class ModelMessage(msgspec.Struct):
    content: str | None = None


class ModelChoice(msgspec.Struct):
    message: ModelMessage


class ModelCompletion(msgspec.Struct):
    """The part of a chat completion that is read."""

    choices: list[ModelChoice]


class OpenAiAgent:
    def __init__(self, model: str, limits: ReplyLimits) -> None:
        self.name = model
        self._model = model
        self._limits = limits
        url, key = os.environ.get("OPENAI_BASE_URL"), os.environ.get("OPENAI_API_KEY")
        if not url and not key:
            raise BadAgentName(
                f"openai:{model} needs OPENAI_API_KEY, or OPENAI_BASE_URL with the address of your own endpoint."
            )
        self._url = (url or OPENAI_URL).rstrip("/") + "/chat/completions"
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = make_http_client()

    def reply(self, conversation: AskedConversation) -> str:
        body = {"model": self._model, "messages": join_turns(conversation.messages)}
        data = post_json(self._client, self._url, body, self._limits, self._headers)
        try:
            completion = msgspec.json.decode(data, type=ModelCompletion)
            content = completion.choices[0].message.content
        except (msgspec.DecodeError, IndexError, RecursionError, UnicodeError):
            raise AgentFault(f"The answer of {self._url} is no chat completion: {shorten(data)}") from None
        return check_text(content or "", self._limits)

    def close(self) -> None:
        self._client.close()
