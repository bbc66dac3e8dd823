"""Messages acknowledged durably, and transcripts read, beside the framework's bare echo."""

from statistics import median

from bench.hall import MESSAGE, bare_echo, exam, line, postgres_hub, requests_per_second, sqlite_hub
from tests.hub import Hub

ROUNDS = 3  # echo, posts and reads take turns, so that a slow spell of the machine meets all of them


def run() -> None:
    with bare_echo() as echo:
        with sqlite_hub() as hub:
            measure("SQLite, one process", hub, echo, goals=True)
        with postgres_hub(processes=2) as hub:
            measure("PostgreSQL, two processes", hub, echo, goals=False)


def measure(where: str, hub: Hub, echo: str, goals: bool) -> None:
    rates: dict[str, list[float]] = {"echo": [], "posts": [], "reads": [], "first reads": []}
    talk = exam(hub)
    for _ in range(100):
        talk.candidate.say(talk.session_id, MESSAGE)
    for _ in range(ROUNDS):
        busy = exam(hub)
        rates["echo"].append(requests_per_second(echo, body=MESSAGE))
        rates["posts"].append(requests_per_second(hub.url + busy.messages_path, busy.candidate.key or "", MESSAGE))
        transcript = f"{hub.url}{talk.messages_path}?limit=100"
        rates["reads"].append(requests_per_second(transcript, talk.candidate.key or ""))
    of = {name: median(values) for name, values in rates.items() if values}
    line(f"{where}: the echo", of["echo"], of["echo"])
    line(f"{where}: posts", of["posts"], of["echo"], "goal 0.50" if goals else "")
    line(f"{where}: reads of a 100-message transcript", of["reads"], of["echo"], "goal 0.40" if goals else "")
