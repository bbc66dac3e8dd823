"""Asking a judge over HTTP: several questions at once, again after a passing fault, within a budget."""

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

MAX_JUDGE_TRIES = 3
JUDGE_TIMEOUT_SECONDS = 60.0  # seconds for one answer, to its last byte
MAX_RETRY_WAIT_SECONDS = 20.0  # seconds between two tries, whatever the endpoint asks for
RETRYABLE_STATUSES = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
MAX_JUDGE_ANSWER_BYTES = 1 << 20  # bytes


class HttpJudge:
    """Any OpenAI-compatible endpoint. What it does not rule on, for whatever cause, is None: unscored.

    A reply off the menu is asked for `again` so many times.
    """

    def __init__(
        self,
        url: str,
        model: str,
        key: str | None = None,
        *,
        budget: Budget | None = None,
        at_once: int = 8,
        patience: float = JUDGE_TIMEOUT_SECONDS,
        first_wait: float = 0.5,
        again: int = 0,
    ) -> None:
        self.url = url.rstrip("/") + "/chat/completions"
        self.model = model
        self.spent = Usage()
        self._headers = {"Accept-Encoding": "identity"} | ({"Authorization": f"Bearer {key}"} if key else {})
        self._budget = budget or Budget()
        self._at_once = at_once
        self._patience = patience
        self._first_wait = first_wait
        self._again = again
        self._lock = Lock()

    def afresh(self) -> Self:
        """The same judge with its whole budget before it."""
        fresh = copy(self)
        fresh.spent, fresh._lock = Usage(), Lock()
        return fresh

    def hear(self, questions: Sequence[JudgeQuestion[RulingType]]) -> Rulings[RulingType]:
        """Put the questions, several at once."""
        return asyncio.run(self._hear(questions)) if questions else Rulings([], Usage(), [])

    async def _hear(self, questions: Sequence[JudgeQuestion[RulingType]]) -> Rulings[RulingType]:
        gate = asyncio.Semaphore(self._at_once)
        usage = Usage()
        async with httpx.AsyncClient(headers=self._headers, timeout=self._patience) as client:

            async def one(question: JudgeQuestion[RulingType]) -> JudgeAnswer[RulingType]:
                async with gate:
                    return await self._rule(client, question, usage)

            heard = await asyncio.gather(*map(one, questions))
            return Rulings([one.ruling for one in heard], usage, [one.is_lost for one in heard])

    async def _rule(
        self, client: httpx.AsyncClient, question: JudgeQuestion[RulingType], usage: Usage
    ) -> "JudgeAnswer[RulingType]":
        for _ in range(1 + self._again):
            answer = await self._answer(client, question, usage)
            if answer.status != httpx.codes.OK:
                return JudgeAnswer(None, answer.is_lost)
            ruling = self._read(question, answer, usage)
            if ruling is not None:
                return JudgeAnswer(ruling)
        return JudgeAnswer(None)

    async def _answer(self, client: httpx.AsyncClient, question: JudgeQuestion[Any], usage: Usage) -> "EndpointAnswer":
        body = {
            "model": self.model,
            "messages": messages(question),
            "response_format": answer_schema(question),
            "temperature": 0,
        }
        wait, answer = 0.0, NOT_ASKED
        for attempt in range(MAX_JUDGE_TRIES):
            if not self._may_ask():  # before the wait, which would be for nothing
                break
            await asyncio.sleep(wait)
            usage.calls += 1
            answer = await self._ask(client, body)
            if answer.status not in RETRYABLE_STATUSES:
                break
            wait = self._wait(attempt, answer)
        return answer

    async def _ask(self, client: httpx.AsyncClient, body: dict[str, Any]) -> "EndpointAnswer":
        try:
            async with asyncio.timeout(self._patience), client.stream("POST", self.url, json=body) as response:
                return EndpointAnswer(
                    response.status_code, response.headers.get("retry-after", ""), await content(response)
                )
        except (httpx.RequestError, TimeoutError):
            return LOST_ANSWER

    def _may_ask(self) -> bool:
        """Take one call out of the budget, if there is one left."""
        with self._lock:
            left = self.spent.calls < self._budget.calls and self.spent.tokens < self._budget.tokens
            self.spent.calls += left
            return left

    def _wait(self, attempt: int, answer: "EndpointAnswer") -> float:
        if answer.retry_after.isascii() and answer.retry_after.isdecimal():
            return min(float(answer.retry_after), MAX_RETRY_WAIT_SECONDS)
        return min(self._first_wait * 2.0**attempt * random.uniform(0.5, 1.5), MAX_RETRY_WAIT_SECONDS)  # noqa: S311 - spreads retries

    def _read(self, question: JudgeQuestion[RulingType], answer: "EndpointAnswer", usage: Usage) -> RulingType | None:
        try:
            completion = msgspec.json.decode(answer.content, type=ChatCompletion)
            self._count(tokens(completion.usage), usage)
            return question.read(msgspec.json.decode(completion.choices[0].message.content))
        except (msgspec.DecodeError, IndexError, RecursionError, UnicodeError):
            return None

    def _count(self, used: int, usage: Usage) -> None:
        usage.tokens += used
        with self._lock:
            self.spent.tokens += used


class EndpointAnswer(NamedTuple):
    """What came back; an answer that is refused or too long has no content."""

    status: int
    retry_after: str = ""
    content: bytes = b""

    @property
    def is_lost(self) -> bool:
        """Whether its cause may pass: the connection, the time, too many calls, a fault of the endpoint's own."""
        return self.status in RETRYABLE_STATUSES or self.status >= httpx.codes.INTERNAL_SERVER_ERROR


LOST_ANSWER = EndpointAnswer(
    httpx.codes.REQUEST_TIMEOUT
)  # what fails on the way passes like what the endpoint gives up
NOT_ASKED = EndpointAnswer(0)  # the budget is spent; it would be again, so this is not lost


class JudgeAnswer(NamedTuple, Generic[RulingType]):
    """What one question came to."""

    ruling: RulingType | None
    is_lost: bool = False


async def content(response: httpx.Response) -> bytes:
    """The bytes as sent: unpacked, a few of them could fill the memory, and packing was declined."""
    read = bytearray()
    if response.status_code == httpx.codes.OK:
        async for part in response.aiter_raw():
            read += part
            if len(read) > MAX_JUDGE_ANSWER_BYTES:
                return b""
    return bytes(read)


class CompletionMessage(msgspec.Struct):
    content: str


class CompletionChoice(msgspec.Struct):
    message: CompletionMessage


class Tokens(msgspec.Struct):
    total_tokens: Annotated[int, msgspec.Meta(ge=0)] = 0


class ChatCompletion(msgspec.Struct):
    """The part of a chat completion that is read."""

    choices: list[CompletionChoice]
    usage: msgspec.Raw = msgspec.Raw(b"{}")  # read apart: a wrong bill does not make the ruling wrong


def tokens(usage: msgspec.Raw) -> int:
    """What an answer cost; a bill that cannot be read counts as nothing."""
    try:
        return msgspec.json.decode(usage, type=Tokens).total_tokens
    except (msgspec.DecodeError, UnicodeError):
        return 0
