"""How long a post takes at most while a command of the program runs beside the hub."""

import subprocess
import sys
import threading
import time
from statistics import median

from bench.hall import postgres_hub, sqlite_hub, start_exam
from tests.hub import EVALUATION, AgentClient, Hub

PAUSE_SECONDS = 0.005  # between two posts
IDLE_SECONDS = 3.0
GOAL_WORST_MS = 250


def run() -> None:
    print(f"  {'':<40}{'command':>9}{'posts':>8}{'median':>9}{'worst':>9}", flush=True)
    with sqlite_hub() as hub:
        measure_all("SQLite", hub)
    with postgres_hub(processes=1) as hub:
        measure_all("PostgreSQL", hub)


def measure_all(where: str, hub: Hub) -> None:
    exam = start_exam(hub)
    commands = {
        "demo": ["demo"],
        "demo, again": ["demo"],
        "sync": ["sync"],
        "backup": ["backup", str(hub.folder / "hub.zip")],
        "check": ["check"],
        "export": ["export", EVALUATION, "-o", str(hub.folder / "results.csv")],
    }
    print_times(
        f"{where}, nothing beside it", IDLE_SECONDS, *post_meanwhile(exam.candidate, exam.session_id, None, hub)
    )
    for what, arguments in commands.items():
        started = time.perf_counter()
        times, code = post_meanwhile(exam.candidate, exam.session_id, arguments, hub)
        print_times(f"{where}, viva {what}", time.perf_counter() - started, times, code)


def post_meanwhile(
    candidate: AgentClient, session_id: str, command: list[str] | None, hub: Hub
) -> tuple[list[float], int]:
    """The milliseconds of each post while the command runs, and the exit code of the command."""
    times: list[float] = []
    ended = threading.Event()

    def post() -> None:
        while not ended.is_set():
            started = time.perf_counter()
            candidate.say(session_id, "One more.").raise_for_status()
            times.append((time.perf_counter() - started) * 1000)
            time.sleep(PAUSE_SECONDS)

    poster = threading.Thread(target=post)
    poster.start()
    try:
        return times, run_command(command, hub)
    finally:
        ended.set()
        poster.join()


def run_command(command: list[str] | None, hub: Hub) -> int:
    if command is None:
        time.sleep(IDLE_SECONDS)
        return 0
    whole = [sys.executable, "-m", "viva", *command]
    return subprocess.run(whole, env=hub.environment, capture_output=True).returncode


def print_times(what: str, seconds: float, times: list[float], code: int) -> None:
    missed = f"  MISSED: worst under {GOAL_WORST_MS} ms" if max(times) > GOAL_WORST_MS else ""
    failed = f"  exit code {code}" if code else ""
    print(
        f"  {what:<40}{seconds:>7.1f} s{len(times):>8,}{median(times):>9.1f}{max(times):>9.1f}{failed}{missed}",
        flush=True,
    )
