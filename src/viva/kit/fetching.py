"""Pages of strangers, fetched so that nobody can turn the hub against its own network or keep it waiting."""

import asyncio
import socket
import ssl
import threading
import time
from ipaddress import ip_address
from queue import Empty, SimpleQueue
from typing import NamedTuple

import httpx

from viva.kit.fetch_addresses import Address, FetchAddress, NotFetchable, is_public, place_of

FETCH_TIMEOUT_SECONDS = 10.0  # for all of it, from the host's name to the last byte
MAX_FETCHED_BYTES = 64 * 1024
MAX_HOST_ADDRESSES = 3  # of one host that are tried
RETRYABLE_FETCH_STATUSES = frozenset({408, 425, 429})  # and all from 500: another time the page may be there
FETCH_HEADERS = {"User-Agent": "Viva", "Accept": "text/plain, */*;q=0.1", "Accept-Encoding": "identity"}


class Unreachable(Exception):
    """The page could not be had just now; it may be there later."""


class Fetched(NamedTuple):
    """What came back, to the first 64 KiB."""

    status: int
    text: str


class Fetcher(NamedTuple):
    """Fetches pages from these hosts; see places. `trust` says whose certificates count, the usual ones if not given."""

    hosts: tuple[str, ...] = ()
    seconds: float = FETCH_TIMEOUT_SECONDS
    trust: ssl.SSLContext | None = None

    def fetch(self, address: str) -> Fetched:
        """The page at the address, or NotFetchable or Unreachable, each with a sentence that says why."""
        until = time.monotonic() + self.seconds
        place = place_of(address, self.hosts)
        found = looked_up(place, self.seconds)
        if not place.is_listed and not all(map(is_public, found)):
            raise NotFetchable("The host has to have a public address.")
        try:
            return asyncio.run(asyncio.wait_for(self.ask(place, found), until - time.monotonic()))
        except TimeoutError:
            raise Unreachable(f"The page did not come within {self.seconds:g} seconds.") from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
            raise Unreachable(f"The page could not be read ({type(error).__name__}).") from error

    async def ask(self, place: FetchAddress, found: list[Address]) -> Fetched:
        """Ask the addresses in turn until one lets us in. No proxy, cookie or password of this machine goes along."""
        trust = self.trust or ssl_context()
        async with httpx.AsyncClient(
            trust_env=False, verify=trust, timeout=self.seconds, headers=FETCH_HEADERS
        ) as client:
            for address in found[:-1]:
                try:
                    return await page_from(client, place, address)
                except httpx.ConnectError:
                    continue
            return await page_from(client, place, found[-1])


async def page_from(client: httpx.AsyncClient, place: FetchAddress, address: Address) -> Fetched:
    """The page from this very address: its name is not looked up again, for it could mean another host by now."""
    request = client.build_request(
        "GET",
        place.url.copy_with(host=str(address), fragment=None),
        headers={"Host": place.url.netloc.decode()},
        extensions={"sni_hostname": place.host},
    )
    response = await client.send(request, stream=True, follow_redirects=False)
    try:
        if (
            response.status_code in RETRYABLE_FETCH_STATUSES
            or response.status_code >= httpx.codes.INTERNAL_SERVER_ERROR
        ):
            raise Unreachable(f"The page answered with status {response.status_code}.")
        return Fetched(response.status_code, (await beginning_of(response)).decode(errors="replace"))
    finally:
        await response.aclose()


async def beginning_of(response: httpx.Response) -> bytes:
    """The first bytes as they were sent: what is unpacked could be of any size."""
    read = b""
    async for part in response.aiter_raw(4096):
        read += part
        if len(read) >= MAX_FETCHED_BYTES:
            break
    return read[:MAX_FETCHED_BYTES]


def looked_up(place: FetchAddress, seconds: float) -> list[Address]:
    """The addresses of the host, asked for once; in a thread, since nothing else ends the wait for a slow name server."""
    answers: SimpleQueue[list[Address] | Exception] = SimpleQueue()

    def look_up() -> None:
        try:
            rows = socket.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)
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


def ssl_context() -> ssl.SSLContext:
    return httpx.create_ssl_context(trust_env=False)
