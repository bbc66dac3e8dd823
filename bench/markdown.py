"""Whether the hub still answers while 8 clients read pages of Markdown that was written to be slow, on SQLite."""

import threading
from time import monotonic, perf_counter, sleep

import httpx
import psutil

from bench.hall import sqlite_hub
from tests.hub import Hub

CLIENTS, SECONDS, TALKS = 8, 12, 12
MESSAGES_PER_TALK = 200
PROBE_SECONDS = 0.02
# Each makes a parser work for as long as it can with 1,000 characters.
PATTERNS = ("[", "![", "*_", "- a\n", "|a|b|\n|-|-|\n|a\n", ">" * 20 + "a\n" + "b\n" * 40, "**a** ", "a\n")


def run() -> None:
    with sqlite_hub() as hub:
        addresses = [talk_about(hub, number) for number in range(TALKS)]
        before = memory_of(hub)
        delays, pages = read_and_probe(hub, addresses)
        after = memory_of(hub)
    delays.sort()
    print(
        f"  {len(pages)} pages: median {sorted(pages)[len(pages) // 2] * 1000:,.0f} ms, longest {max(pages) * 1000:,.0f} ms"
    )
    print(
        f"  /healthz, {len(delays)} times: median {delays[len(delays) // 2] * 1000:.1f} ms, "
        f"longest {delays[-1] * 1000:.0f} ms  goal 250 ms"
    )
    print(f"  memory {before:,.0f} MB before, {after:,.0f} MB after  goal 50 MB more")


def talk_about(hub: Hub, number: int) -> str:
    candidate, proctor = hub.agent(f"ada {number}"), hub.agent(f"paul {number}")
    registration_id = candidate.start()
    session_id = proctor.claim(registration_id)
    for message in range(MESSAGES_PER_TALK):
        pattern = PATTERNS[message % len(PATTERNS)]
        candidate.say(session_id, f"{number} {message}\n\n" + (pattern * 1_000)[:980])
    answer = proctor.submit(registration_id)
    return f"/evaluations/result/{answer.json()['result']['id']}"


def memory_of(hub: Hub) -> float:
    """MB of all processes of the hub that are no other's."""
    main = psutil.Process(hub.process.pid)
    own = [one.memory_full_info().uss for one in (main, *main.children(recursive=True))]
    return float(sum(own)) / 1e6


def read_and_probe(hub: Hub, addresses: list[str]) -> tuple[list[float], list[float]]:
    until, pages, delays = monotonic() + SECONDS, [], []

    def read(client: int) -> None:
        with httpx.Client(base_url=hub.url, timeout=60) as http:
            turn = client * len(addresses) // CLIENTS
            while monotonic() < until:
                began = perf_counter()
                http.get(addresses[turn % len(addresses)]).raise_for_status()
                pages.append(perf_counter() - began)
                turn += 1

    readers = [threading.Thread(target=read, args=[client]) for client in range(CLIENTS)]
    for reader in readers:
        reader.start()
    with httpx.Client(base_url=hub.url, timeout=60) as http:
        while monotonic() < until:
            began = perf_counter()
            http.get("/healthz").raise_for_status()
            delays.append(perf_counter() - began)
            sleep(PROBE_SECONDS)
    for reader in readers:
        reader.join()
    return delays, pages
