"""Durable messages and reads of transcripts per second, beside the bare echo of the framework."""

from statistics import median

from bench.hall import (
    MESSAGE,
    Exam,
    Target,
    bare_echo,
    postgres_hub,
    print_rate,
    requests_per_second,
    sqlite_hub,
    start_exam,
)
from tests.hub import Hub

ROUNDS = 3  # the measurements alternate, so that a slow phase of the machine affects all of them
SESSIONS = 16  # with posts at the same time
PAGE_MESSAGES = 100
UNCACHED_PAGES = 2_000  # more than the cache holds


def run() -> None:
    with bare_echo() as echo:
        with sqlite_hub() as hub:
            measure("SQLite, one process", hub, echo, goals=True)
        with postgres_hub(processes=2) as hub:
            measure("PostgreSQL, two processes", hub, echo, goals=False)


def measure(where: str, hub: Hub, echo: str, goals: bool) -> None:
    """Print the median of each rate."""
    rates: dict[str, list[float]] = {}
    long = start_long_exam(hub)
    for _ in range(ROUNDS):
        channels = [start_exam(hub).channel for _ in range(SESSIONS)]
        measured = {
            "the echo": requests_per_second(echo, [Target("/echo")], MESSAGE),
            "posts into one session": requests_per_second(hub.url, channels[:1], MESSAGE),
            f"posts into {SESSIONS} sessions": requests_per_second(hub.url, channels, MESSAGE),
            "reads of a 100-message transcript": requests_per_second(hub.url, pages_of(long, 1)),
            "the same, each for the first time": requests_per_second(hub.url, pages_of(long, UNCACHED_PAGES)),
        }
        for what, rate in measured.items():
            rates.setdefault(what, []).append(rate)
    for what, rounds in rates.items():
        goal = "goal 0.50" if "posts" in what else "goal 0.40" if "reads" in what else ""
        print_rate(f"{where}: {what}", median(rounds), median(rates["the echo"]), goal if goals else "")


def start_long_exam(hub: Hub) -> Exam:
    """An exam with enough messages for every page."""
    exam = start_exam(hub)
    while True:
        sent = exam.candidate.say(exam.session_id, "One more.").json()["sequence"]
        if sent >= UNCACHED_PAGES + PAGE_MESSAGES:
            return exam
        requests_per_second(hub.url, [exam.channel], MESSAGE, seconds=1)


def pages_of(exam: Exam, count: int) -> list[Target]:
    """Pages of a hundred messages, each with a different start."""
    return [
        Target(f"{exam.messages_path}?limit={PAGE_MESSAGES}&since={since}", exam.candidate.key or "")
        for since in range(count)
    ]
