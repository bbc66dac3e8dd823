"""One agent's calls. A request without an answer is sent again with the same Idempotency-Key until it has one."""

import asyncio
import random
import uuid
from time import monotonic, perf_counter
from typing import Any, Self

import httpx

from bench.soak.ledger import Ledger
from bench.soak.tally import Tally, kind_of

REQUEST_TIMEOUT_SECONDS = 60  # longer than any wait for news, and than a restart of the database
GIVE_UP_SECONDS = 120
MAX_RETRY_PAUSE_SECONDS = 1.0
MEAN_THINKING_SECONDS = 0.5
UNAVAILABLE = 503


class Refused(Exception):
    """The hub refused a request that is right."""


class GaveUp(Exception):
    """A request had no answer for two minutes."""


class Soak:
    """What all agents of a soak share."""

    def __init__(self, url: str, tally: Tally, ledger: Ledger) -> None:
        self.url = url
        self.tally = tally
        self.ledger = ledger
        self.is_over = False
        self.chance = random.Random(41)

    async def think(self) -> None:
        await asyncio.sleep(self.chance.expovariate(1 / MEAN_THINKING_SECONDS))


class Caller:
    """Use it as a context. Paths are below /api/v1, unless they are those of pages."""

    def __init__(self, soak: Soak) -> None:
        self.soak = soak
        self.key = self.id = ""
        self._http = httpx.AsyncClient(base_url=soak.url, timeout=REQUEST_TIMEOUT_SECONDS, verify=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def register(self, kind: str) -> None:
        """Become a new agent."""
        name = f"{kind}-{uuid.uuid4().hex[:12]}"
        made = await self.post("register an agent", "/agents/register", {"name": name})
        self.key, self.id = made["api_key"], made["agent"]["id"]
        self.soak.ledger.agents[self.id] = name

    async def get(self, operation: str, path: str, **query: Any) -> dict[str, Any]:
        answer: dict[str, Any] = (await self._send(operation, "GET", f"/api/v1{path}", params=query)).json()
        return answer

    async def read_page(self, operation: str, path: str) -> None:
        await self._send(operation, "GET", path)

    async def post(self, operation: str, path: str, body: Any = None) -> dict[str, Any]:
        headers = {"Idempotency-Key": uuid.uuid4().hex}
        answer: dict[str, Any] = (
            await self._send(operation, "POST", f"/api/v1{path}", json=body, headers=headers)
        ).json()
        return answer

    async def _send(self, operation: str, method: str, path: str, **options: Any) -> httpx.Response:
        headers = options.pop("headers", {}) | ({"Authorization": f"Bearer {self.key}"} if self.key else {})
        began, until = perf_counter(), monotonic() + GIVE_UP_SECONDS
        while True:
            started = perf_counter()
            answer = await self._try(operation, method, path, headers=headers, **options)
            if answer is not None:
                self.soak.tally.add(operation, perf_counter() - started, perf_counter() - began)
                return answer
            if monotonic() > until:
                self.soak.tally.add_error(operation, "gave up")
                raise GaveUp(f"{method} {path}")
            await asyncio.sleep(self.soak.chance.uniform(0.1, MAX_RETRY_PAUSE_SECONDS))

    async def _try(self, operation: str, method: str, path: str, **options: Any) -> httpx.Response | None:
        """The answer; None if the request may be sent again."""
        try:
            answer = await self._http.request(method, path, **options)
        except httpx.TransportError as error:
            self.soak.tally.add_error(operation, kind_of(error))
            return None
        if answer.is_success:
            return answer
        self.soak.tally.add_error(operation, f"{answer.status_code} {code_of(answer)}")
        if answer.status_code == UNAVAILABLE:
            return None
        raise Refused(f"{method} {path}: {answer.status_code} {answer.text[:300]}")


def code_of(answer: httpx.Response) -> str:
    is_problem = answer.headers.get("Content-Type", "").startswith("application/problem+json")
    return str(answer.json()["code"]) if is_problem else "on a page"
