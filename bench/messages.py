"""Messages acknowledged durably, and transcripts read, beside the framework's bare echo."""

from statistics import median

from bench.hall import MESSAGE, Exam, Target, bare_echo, exam, line, postgres_hub, requests_per_second, sqlite_hub
from tests.hub import Hub

ROUNDS = 3  # what is compared takes turns, so that a slow spell of the machine meets all of it
SESSIONS = 16  # that talk at once
LONG = 100  # messages of the transcript that is read
MANY = 2_000  # transcripts, more than are kept in memory


def run() -> None:
    with bare_echo() as echo:
        with sqlite_hub() as hub:
            measure("SQLite, one process", hub, echo, goals=True)
        with postgres_hub(processes=2) as hub:
            measure("PostgreSQL, two processes", hub, echo, goals=False)


def measure(where: str, hub: Hub, echo: str, goals: bool) -> None:
    """Print the median of each rate."""
    rates: dict[str, list[float]] = {}
    long = long_exam(hub)
    for _ in range(ROUNDS):
        talks = [exam(hub).channel for _ in range(SESSIONS)]
        of = {
            "the echo": requests_per_second(echo, [Target("/echo")], MESSAGE),
            "posts into one session": requests_per_second(hub.url, talks[:1], MESSAGE),
            f"posts into {SESSIONS} sessions": requests_per_second(hub.url, talks, MESSAGE),
            "reads of a 100-message transcript": requests_per_second(hub.url, pages_of(long, 1)),
            "the same, each for the first time": requests_per_second(hub.url, pages_of(long, MANY)),
        }
        for what, rate in of.items():
            rates.setdefault(what, []).append(rate)
    for what, found in rates.items():
        goal = "goal 0.50" if "posts" in what else "goal 0.40" if "reads" in what else ""
        line(f"{where}: {what}", median(found), median(rates["the echo"]), goal if goals else "")


def long_exam(hub: Hub) -> Exam:
    """An exam with enough messages for every page that is read."""
    talk = exam(hub)
    while True:
        sent = talk.candidate.say(talk.session_id, "One more.").json()["sequence"]
        if sent >= MANY + LONG:
            return talk
        requests_per_second(hub.url, [talk.channel], MESSAGE, seconds=1)


def pages_of(talk: Exam, count: int) -> list[Target]:
    """Transcripts of a hundred messages, each beginning at another one."""
    return [
        Target(f"{talk.messages_path}?limit={LONG}&since={since}", talk.candidate.key or "") for since in range(count)
    ]
