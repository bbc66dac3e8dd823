"""Response times of the hub while 8 clients read pages of hostile Markdown, on SQLite."""

import threading
from time import monotonic, perf_counter, sleep

import httpx
import psutil

from bench.hall import sqlite_hub
from tests.hub import Hub

CLIENTS, READ_SECONDS, SESSIONS = 8, 12, 12
MESSAGES_PER_SESSION = 200
PROBE_PAUSE_SECONDS = 0.02
# Each pattern makes a parser as slow as 1,000 characters can.
PATTERNS = ("[", "![", "*_", "- a\n", "|a|b|\n|-|-|\n|a\n", ">" * 20 + "a\n" + "b\n" * 40, "**a** ", "a\n")


def run() -> None:
    with sqlite_hub() as hub:
        addresses = [fill_session(hub, number) for number in range(SESSIONS)]
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
    print(f"  memory {before:,.0f} MB before, {after:,.0f} MB after  goal at most 50 MB more")


def fill_session(hub: Hub, number: int) -> str:
    candidate, proctor = hub.agent(f"ada {number}"), hub.agent(f"paul {number}")
    registration_id = candidate.start()
    session_id = proctor.claim(registration_id)
    for message in range(MESSAGES_PER_SESSION):
        pattern = PATTERNS[message % len(PATTERNS)]
        candidate.say(session_id, f"{number} {message}\n\n" + (pattern * 1_000)[:980])
    answer = proctor.submit(registration_id)
    return f"/evaluations/result/{answer.json()['result']['id']}"


def memory_of(hub: Hub) -> float:
    """The unique memory of all processes of the hub, in MB."""
    main = psutil.Process(hub.process.pid)
    sizes = [process.memory_full_info().uss for process in (main, *main.children(recursive=True))]
    return float(sum(sizes)) / 1e6


def read_and_probe(hub: Hub, addresses: list[str]) -> tuple[list[float], list[float]]:
    until, pages, delays = monotonic() + READ_SECONDS, [], []

    def read(client: int) -> None:
        with httpx.Client(base_url=hub.url, timeout=60) as http:
            turn = client * len(addresses) // CLIENTS
            while monotonic() < until:
                started = perf_counter()
                http.get(addresses[turn % len(addresses)]).raise_for_status()
                pages.append(perf_counter() - started)
                turn += 1

    readers = [threading.Thread(target=read, args=[client]) for client in range(CLIENTS)]
    for reader in readers:
        reader.start()
    with httpx.Client(base_url=hub.url, timeout=60) as http:
        while monotonic() < until:
            started = perf_counter()
            http.get("/healthz").raise_for_status()
            delays.append(perf_counter() - started)
            sleep(PROBE_PAUSE_SECONDS)
    for reader in readers:
        reader.join()
    return delays, pages
