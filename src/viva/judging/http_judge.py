"""Asks a judge over HTTP: several questions at a time, with retries, within a budget."""

import asyncio
import random
from collections.abc import Sequence
from copy import copy
from threading import Lock
from typing import Annotated, Any, Generic, NamedTuple, Self

import httpx
import msgspec

from viva.judging.model import Budget, JudgeQuestion, Rulings, RulingType, Usage
from viva.judging.prompting import answer_schema, messages
from viva.kit.certificates import trusted_certificates

MAX_JUDGE_TRIES = 3
JUDGE_TIMEOUT_SECONDS = 60.0  # for one answer, to its last byte
MAX_RETRY_WAIT_SECONDS = 20.0  # between two tries, even if the endpoint asks for more
RETRYABLE_STATUSES = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
MAX_JUDGE_ANSWER_BYTES = 1 << 20


class HttpJudge:
    """An OpenAI-compatible endpoint. A question without a ruling gets None, whatever the cause.

    After an invalid reply the question is asked again, up to `invalid_reply_retries` times.
    """

    def __init__(
        self,
        url: str,
        model: str,
        key: str | None = None,
        *,
        budget: Budget | None = None,
        max_concurrent: int = 8,
        timeout_seconds: float = JUDGE_TIMEOUT_SECONDS,
        first_retry_seconds: float = 0.5,
        invalid_reply_retries: int = 0,
    ) -> None:
        self.url = url.rstrip("/") + "/chat/completions"
        self.model = model
        self.spent = Usage()
        self._headers = {"Accept-Encoding": "identity"} | ({"Authorization": f"Bearer {key}"} if key else {})
        self._budget = budget or Budget()
        self._max_concurrent = max_concurrent
        self._timeout_seconds = timeout_seconds
        self._first_retry_seconds = first_retry_seconds
        self._invalid_reply_retries = invalid_reply_retries
        self._lock = Lock()

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs to ask this judge. A lock cannot go there."""
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=Lock())

    def with_full_budget(self) -> Self:
        """The same judge with an unspent budget."""
        fresh = copy(self)
        fresh.spent, fresh._lock = Usage(), Lock()
        return fresh

    def ask(self, questions: Sequence[JudgeQuestion[RulingType]]) -> Rulings[RulingType]:
        """Ask the questions, several at a time."""
        return asyncio.run(self._ask_all(questions)) if questions else Rulings([], Usage(), [])

    async def _ask_all(self, questions: Sequence[JudgeQuestion[RulingType]]) -> Rulings[RulingType]:
        gate = asyncio.Semaphore(self._max_concurrent)
        usage = Usage()
        async with httpx.AsyncClient(
            headers=self._headers, timeout=self._timeout_seconds, verify=trusted_certificates()
        ) as client:

            async def ask_one(question: JudgeQuestion[RulingType]) -> JudgeAnswer[RulingType]:
                async with gate:
                    return await self._ask_one(client, question, usage)

            answers = await asyncio.gather(*map(ask_one, questions))
            return Rulings([answer.ruling for answer in answers], usage, [answer.is_lost for answer in answers])

    async def _ask_one(
        self, client: httpx.AsyncClient, question: JudgeQuestion[RulingType], usage: Usage
    ) -> "JudgeAnswer[RulingType]":
        for _ in range(1 + self._invalid_reply_retries):
            answer = await self._send_with_retries(client, question, usage)
            if answer.status != httpx.codes.OK:
                return JudgeAnswer(None, answer.is_lost)
            ruling = self._read(question, answer, usage)
            if ruling is not None:
                return JudgeAnswer(ruling)
        return JudgeAnswer(None)

    async def _send_with_retries(
        self, client: httpx.AsyncClient, question: JudgeQuestion[Any], usage: Usage
    ) -> "EndpointAnswer":
        body = {
            "model": self.model,
            "messages": messages(question),
            "response_format": answer_schema(question),
            "temperature": 0,
        }
        wait, answer = 0.0, NOT_ASKED
        for attempt in range(MAX_JUDGE_TRIES):
            if not self._take_call():  # before the wait, which would be useless
                break
            await asyncio.sleep(wait)
            usage.calls += 1
            answer = await self._send(client, body)
            if answer.status not in RETRYABLE_STATUSES:
                break
            wait = self._retry_seconds(attempt, answer)
        return answer

    async def _send(self, client: httpx.AsyncClient, body: dict[str, Any]) -> "EndpointAnswer":
        try:
            async with asyncio.timeout(self._timeout_seconds), client.stream("POST", self.url, json=body) as response:
                return EndpointAnswer(
                    response.status_code, response.headers.get("retry-after", ""), await read_content(response)
                )
        except (httpx.RequestError, TimeoutError):
            return LOST_ANSWER

    def _take_call(self) -> bool:
        """Take one call out of the budget, if there is one left."""
        with self._lock:
            left = self.spent.calls < self._budget.calls and self.spent.tokens < self._budget.tokens
            self.spent.calls += left
            return left

    def _retry_seconds(self, attempt: int, answer: "EndpointAnswer") -> float:
        if answer.retry_after.isascii() and answer.retry_after.isdecimal():
            return min(float(answer.retry_after), MAX_RETRY_WAIT_SECONDS)
        return min(self._first_retry_seconds * 2.0**attempt * random.uniform(0.5, 1.5), MAX_RETRY_WAIT_SECONDS)  # noqa: S311 - spreads retries

    def _read(self, question: JudgeQuestion[RulingType], answer: "EndpointAnswer", usage: Usage) -> RulingType | None:
        try:
            completion = msgspec.json.decode(answer.content, type=ChatCompletion)
            self._count(count_tokens(completion.usage), usage)
            return question.read(msgspec.json.decode(completion.choices[0].message.content))
        except (msgspec.DecodeError, IndexError, RecursionError, UnicodeError):
            return None

    def _count(self, used: int, usage: Usage) -> None:
        usage.tokens += used
        with self._lock:
            self.spent.tokens += used


class EndpointAnswer(NamedTuple):
    """The answer of the endpoint. A refused or too long answer has no content."""

    status: int
    retry_after: str = ""
    content: bytes = b""

    @property
    def is_lost(self) -> bool:
        """Whether a later try may help: after a broken connection, a timeout, a rate limit or a server error."""
        return self.status in RETRYABLE_STATUSES or self.status >= httpx.codes.INTERNAL_SERVER_ERROR


LOST_ANSWER = EndpointAnswer(httpx.codes.REQUEST_TIMEOUT)  # a broken connection counts as a timeout
NOT_ASKED = EndpointAnswer(0)  # the budget is spent; a later try would not help, so it is not lost


class JudgeAnswer(NamedTuple, Generic[RulingType]):
    """The outcome of one question."""

    ruling: RulingType | None
    is_lost: bool = False


async def read_content(response: httpx.Response) -> bytes:
    """The bytes as sent. Decompressing them could fill the memory, so the request declined compression."""
    data = bytearray()
    if response.status_code == httpx.codes.OK:
        async for part in response.aiter_raw():
            data += part
            if len(data) > MAX_JUDGE_ANSWER_BYTES:
                return b""
    return bytes(data)


class CompletionMessage(msgspec.Struct):
    content: str


class CompletionChoice(msgspec.Struct):
    message: CompletionMessage


class Tokens(msgspec.Struct):
    total_tokens: Annotated[int, msgspec.Meta(ge=0)] = 0


class ChatCompletion(msgspec.Struct):
    """The part of a chat completion that is read."""

    choices: list[CompletionChoice]
    usage: msgspec.Raw = msgspec.Raw(b"{}")  # decoded separately, since a wrong count does not make the ruling wrong


def count_tokens(usage: msgspec.Raw) -> int:
    """The tokens of an answer, or 0 if the count cannot be read."""
    try:
        return msgspec.json.decode(usage, type=Tokens).total_tokens
    except (msgspec.DecodeError, UnicodeError):
        return 0
