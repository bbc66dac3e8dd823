"""Sends requests to strangers' addresses within a time limit, and never into the hub's own network."""

import asyncio
import socket
import ssl
import threading
import time
from http import HTTPStatus
from ipaddress import ip_address
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Literal, NamedTuple

from viva.kit.certificates import trusted_certificates
from viva.kit.fetch_addresses import Address, FetchAddress, NotFetchable, check_fetchable, is_public

if TYPE_CHECKING:
    import httpx

FETCH_TIMEOUT_SECONDS = 10.0  # from resolving the host to the last byte
MAX_FETCHED_BYTES = 64 * 1024
MAX_HOST_ADDRESSES = 3  # tried for one host
RETRYABLE_FETCH_STATUSES = frozenset({408, 425, 429})  # and all from 500; the page may be there later
FETCH_HEADERS = {"User-Agent": "Viva", "Accept-Encoding": "identity"}


class Unreachable(Exception):
    """The page could not be fetched now; it may be there later."""


class Fetched(NamedTuple):
    """The start of a page, up to the size limit of its fetcher."""

    status: int
    text: str


class FetchRequest(NamedTuple):
    """What is sent besides the headers that every request has."""

    method: Literal["GET", "POST"]
    headers: dict[str, str]
    body: bytes | None = None


GET_PAGE = FetchRequest("GET", {"Accept": "text/plain, */*;q=0.1"})


class Fetcher(NamedTuple):
    """Fetches pages from these hosts; see fetch_addresses. `trust` overrides the default certificates."""

    hosts: tuple[str, ...] = ()
    seconds: float = FETCH_TIMEOUT_SECONDS
    trust: ssl.SSLContext | None = None
    max_bytes: int = MAX_FETCHED_BYTES

    def fetch(self, address: str) -> Fetched:
        """Fetch the page. NotFetchable and Unreachable say why it failed."""
        return self.send(address, GET_PAGE)

    def post(self, address: str, body: bytes, headers: dict[str, str]) -> Fetched:
        """Post the body, under the same rules as `fetch`."""
        return self.send(address, FetchRequest("POST", headers, body))

    def send(self, address: str, request: FetchRequest) -> Fetched:
        import httpx  # imported late: an HTTP client is slow to import

        deadline = time.monotonic() + self.seconds
        target = check_fetchable(address, self.hosts)
        addresses = resolve(target, self.seconds)
        if not target.is_listed and not all(map(is_public, addresses)):
            raise NotFetchable("The host has to have a public address.")
        try:
            return asyncio.run(
                asyncio.wait_for(self.send_to_any(target, addresses, request), deadline - time.monotonic())
            )
        except TimeoutError:
            raise Unreachable(f"The page did not arrive within {self.seconds:g} seconds.") from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
            raise Unreachable(f"The page could not be read ({type(error).__name__}).") from error

    async def send_to_any(self, target: FetchAddress, addresses: list[Address], request: FetchRequest) -> Fetched:
        """Try the addresses in turn until one accepts. The request uses no proxy, cookie or password of this machine."""
        import httpx

        trust = self.trust or trusted_certificates(uses_environment=False)
        async with httpx.AsyncClient(
            trust_env=False, verify=trust, timeout=self.seconds, headers=FETCH_HEADERS
        ) as client:
            for address in addresses[:-1]:
                try:
                    return await send_to(client, target, address, request, self.max_bytes)
                except httpx.ConnectError:
                    continue
            return await send_to(client, target, addresses[-1], request, self.max_bytes)


async def send_to(
    client: "httpx.AsyncClient", target: FetchAddress, address: Address, request: FetchRequest, max_bytes: int
) -> Fetched:
    """Send to exactly this address. Resolving the name again could give another host."""
    built = client.build_request(
        request.method,
        target.url.copy_with(host=str(address), fragment=None),
        content=request.body,
        headers={**request.headers, "Host": target.url.netloc.decode()},
        extensions={"sni_hostname": target.host},
    )
    response = await client.send(built, stream=True, follow_redirects=False)
    try:
        if response.status_code in RETRYABLE_FETCH_STATUSES or response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise Unreachable(f"The page answered with status {response.status_code}.")
        return Fetched(response.status_code, (await read_start(response, max_bytes)).decode(errors="replace"))
    finally:
        await response.aclose()


async def read_start(response: "httpx.Response", max_bytes: int) -> bytes:
    """The first bytes as they were sent, since decompressed data could have any size."""
    data = bytearray()
    async for part in response.aiter_raw(4096):
        data += part
        if len(data) >= max_bytes:
            break
    return bytes(data[:max_bytes])


def resolve(target: FetchAddress, seconds: float) -> list[Address]:
    """The addresses of the host. A thread resolves it, since only that lets a slow name server time out."""
    answers: SimpleQueue[list[Address] | Exception] = SimpleQueue()

    def look_up() -> None:
        try:
            rows = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
            answers.put([ip_address(row[4][0]) for row in rows])
        except (OSError, ValueError) as error:
            answers.put(error)

    threading.Thread(target=look_up, name="viva-lookup", daemon=True).start()
    answer: list[Address] | Exception
    try:
        answer = answers.get(timeout=seconds)
    except Empty as error:
        answer = error
    if not isinstance(answer, list) or not answer:
        raise Unreachable("The address of the host could not be found.")
    return list(dict.fromkeys(answer))[:MAX_HOST_ADDRESSES]
