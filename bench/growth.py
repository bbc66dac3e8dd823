"""How the time of a post grows with the number of messages in its session, from 10 to 100,000."""

from concurrent.futures import ThreadPoolExecutor
from statistics import median
from time import perf_counter

from bench.hall import MESSAGE, Exam, requests_per_second, sqlite_hub, start_exam
from tests.hub import Hub

SESSION_MESSAGES = (10, 1_000, 10_000, 100_000)
TIMED_POSTS = 300


def run() -> None:
    with sqlite_hub() as hub:
        exam = start_exam(hub)
        costs = {}
        for size in SESSION_MESSAGES:
            grow(hub, exam, size)
            costs[size] = median(post_seconds(exam) for _ in range(TIMED_POSTS))
        for size, cost in costs.items():
            print(
                f"  a post after {size:>7,} messages{cost * 1000:>9.2f} ms  {cost / costs[10]:>6.2f} of the first  goal 1.0"
            )


def grow(hub: Hub, exam: Exam, size: int) -> None:
    """Fill the session by posting until it has that many messages."""
    while (count := message_count(exam)) < size:
        if size - count > 5_000:
            requests_per_second(hub.url, [exam.channel], MESSAGE, seconds=1)
        else:
            with ThreadPoolExecutor(4) as pool:
                list(pool.map(lambda _: exam.candidate.say(exam.session_id, "On we go."), range(size - count)))


def message_count(exam: Exam) -> int:
    path = exam.messages_path.removeprefix("/api/v1").removesuffix("/messages")
    return int(exam.candidate.get(path).json()["session"]["message_count"])


def post_seconds(exam: Exam) -> float:
    started = perf_counter()
    assert exam.candidate.say(exam.session_id, "Now what?").status_code == 201
    return perf_counter() - started
