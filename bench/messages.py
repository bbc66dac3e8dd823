"""Durable, chained messages and reads of transcripts per second, each beside the bare echo of the framework measured just before.

BENCH_SECONDS is how long each rate is measured, 3 by default."""

from statistics import mean, median
from typing import NamedTuple

from bench.hall import (
    LOAD_SECONDS,
    MESSAGE,
    EchoServer,
    Exam,
    Target,
    bare_echo,
    postgres_hub,
    requests_per_second,
    sqlite_hub,
    start_exam,
)
from bench.metering import cpu_between, cpu_times_below
from tests.hub import Hub

ROUNDS = 5
SESSIONS = 16  # with posts at the same time
PAGE_MESSAGES = 100
UNCACHED_PAGES = 2_000  # more than the cache holds


class Load(NamedTuple):
    what: str
    targets: list[Target]
    body: str | None
    goal: float | None  # of the echo, on SQLite


class MeasuredRate(NamedTuple):
    """Answers a second, and milliseconds of CPU that the server's processes need for each."""

    rate: float
    cpu_ms: float


class MeasuredTurn(NamedTuple):
    """A rate, and the echo's before and after it."""

    hub: MeasuredRate
    before: MeasuredRate
    after: MeasuredRate

    @property
    def ratio(self) -> float:
        return self.hub.rate / mean((self.before.rate, self.after.rate))

    @property
    def cpu_ratio(self) -> float:
        """The same by CPU time, which other programs disturb less."""
        return mean((self.before.cpu_ms, self.after.cpu_ms)) / self.hub.cpu_ms


def run() -> None:
    with bare_echo() as echo:
        with sqlite_hub() as hub:
            measure("SQLite, one process", hub, echo, has_goals=True)
        with postgres_hub(processes=2) as hub:
            measure("PostgreSQL, two processes", hub, echo, has_goals=False)


def measure(where: str, hub: Hub, echo: EchoServer, has_goals: bool) -> None:
    """The hub and the echo by turns, so that a slow phase of the machine hits both. Print medians over the rounds."""
    long = start_long_exam(hub)
    turns: dict[str, list[MeasuredTurn]] = {}
    goals: dict[str, float | None] = {}
    before = measure_rate(echo.url, echo.pid, [Target("/echo")], MESSAGE)
    for _ in range(ROUNDS):
        for load in loads_of(hub, long):
            rate = measure_rate(hub.url, hub.process.pid, load.targets, load.body)
            after = measure_rate(echo.url, echo.pid, [Target("/echo")], MESSAGE)
            turns.setdefault(load.what, []).append(MeasuredTurn(rate, before, after))
            goals[load.what] = load.goal if has_goals else None
            before = after
    for what, measured in turns.items():
        print_turns(f"{where}: {what}", measured, goals[what])


def measure_rate(url: str, pid: int, targets: list[Target], body: str | None) -> MeasuredRate:
    before = cpu_times_below(pid)
    rate = requests_per_second(url, targets, body)
    return MeasuredRate(rate, cpu_between(before, cpu_times_below(pid)) / (rate * LOAD_SECONDS) * 1000)


def loads_of(hub: Hub, long: Exam) -> list[Load]:
    """Posts go into new sessions, so that no session grows from round to round."""
    channels = [start_exam(hub).channel for _ in range(SESSIONS)]
    return [
        Load("posts into one session", channels[:1], MESSAGE, 0.50),
        Load(f"posts into {SESSIONS} sessions", channels, MESSAGE, 0.50),
        Load("reads of a 100-message transcript", pages_of(long, 1), None, 0.40),
        Load("the same, each for the first time", pages_of(long, UNCACHED_PAGES), None, None),
    ]


def print_turns(what: str, turns: list[MeasuredTurn], goal: float | None) -> None:
    ratios = sorted(turn.ratio for turn in turns)
    missed = "  MISSED" if goal and median(ratios) < goal else ""
    print(
        f"  {what:<62}{median(turn.hub.rate for turn in turns):>8,.0f}/s, echo{median(turn.after.rate for turn in turns):>8,.0f}/s"
        f"   ratio{median(ratios):>6.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}), by CPU{median(turn.cpu_ratio for turn in turns):>6.2f}"
        f"{f'   goal {goal:.2f}' if goal else ''}{missed}",
        flush=True,
    )


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
