"""How the cost of a post grows with the messages a session has: from 10 to 100,000."""

from concurrent.futures import ThreadPoolExecutor
from statistics import median
from time import perf_counter

from bench.hall import MESSAGE, Exam, exam, requests_per_second, sqlite_hub
from tests.hub import Hub

SIZES = (10, 1_000, 10_000, 100_000)
TIMED = 300


def run() -> None:
    with sqlite_hub() as hub:
        talk = exam(hub)
        costs = {}
        for size in SIZES:
            grow(hub, talk, size)
            costs[size] = median(post_cost(talk) for _ in range(TIMED))
        for size, cost in costs.items():
            print(
                f"  a post after {size:>7,} messages{cost * 1000:>9.2f} ms  {cost / costs[10]:>6.2f} of the first  goal 1.0"
            )


def grow(hub: Hub, talk: Exam, size: int) -> None:
    """Fill the session by posting until it has that many messages."""
    while (count := message_count(talk)) < size:
        if size - count > 5_000:
            requests_per_second(hub.url, [talk.channel], MESSAGE, seconds=1)
        else:
            with ThreadPoolExecutor(4) as pool:
                list(pool.map(lambda _: talk.candidate.say(talk.session_id, "On we go."), range(size - count)))


def message_count(talk: Exam) -> int:
    path = talk.messages_path.removeprefix("/api/v1").removesuffix("/messages")
    return int(talk.candidate.get(path).json()["session"]["message_count"])


def post_cost(talk: Exam) -> float:
    began = perf_counter()
    assert talk.candidate.say(talk.session_id, "Now what?").status_code == 201
    return perf_counter() - began
