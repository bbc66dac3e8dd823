"""10,000 traces as JSON lines over HTTP, analysed by two workers on PostgreSQL, of which one is killed halfway and the other goes on.

BENCH_TRACES is the number of traces, 10,000 by default. The exit code is 1 if a trace has no analysis, or two."""

import json
import os
import subprocess
import sys
from statistics import median
from time import monotonic, perf_counter, sleep

import psycopg

from bench.hall import postgres_hub
from bench.probe import Report
from bench.sample_traces import make_trace
from bench.soak.faults import Workers
from tests.hub import Hub

TRACES = int(os.environ.get("BENCH_TRACES", "10000"))
LEASE_SECONDS = "10"  # after which the other worker takes over what the killed one had begun
GOAL_WORST_MS = 250
WAIT_SECONDS = 1_500
FINISHED = "SELECT count(*) FROM analyses WHERE status = 'done'"
# How many traces have how many analyses, of which how many are done.
COUNTS = """
    SELECT made, done, count(*) FROM (
        SELECT count(a.id) AS made, count(a.id) FILTER (WHERE a.status = 'done') AS done
        FROM traces t LEFT JOIN analyses a ON a.subject_kind = 'trace' AND a.subject_id = t.id GROUP BY t.id
    ) AS counted GROUP BY made, done ORDER BY made, done
"""
ONE_ANALYSIS = (1, 1)


def run() -> None:
    with postgres_hub(1, VIVA_NO_WORKER="1", VIVA_LEASE_SECONDS=LEASE_SECONDS) as hub:
        workers = Workers(hub)
        probe = start_probe(hub)
        try:
            accepted = upload(hub)
            analyse(hub, workers)
        finally:
            report = end_probe(probe)
            workers.stop()
        failures = find_failures(hub, accepted, report)
    for what, times in (("an open connection", report.open), ("a new connection", report.new)):
        print(
            f"  /healthz on {what:<20}{len(times):>7,} times: median {median(times):.1f} ms, worst {max(times):.0f} ms"
            f"   goal {GOAL_WORST_MS} ms"
        )
    for failure in failures:
        print(f"  MISSED: {failure}", flush=True)
    if failures:
        sys.exit(1)


def start_probe(hub: Hub) -> "subprocess.Popen[str]":
    """A process that polls /healthz until its standard input ends."""
    command = [sys.executable, "-m", "bench.probe", str(hub.port), str(hub.process.pid), "/healthz"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def end_probe(probe: "subprocess.Popen[str]") -> Report:
    output, _ = probe.communicate(timeout=60)
    return Report(**json.loads(output))


def upload(hub: Hub) -> int:
    """Send all traces in one request. Returns how many were accepted."""
    lines = b"\n".join(make_trace(number) for number in range(TRACES))
    owner, started = hub.agent("owner"), perf_counter()
    answer = owner.http.post("/traces", content=lines, headers={"Content-Type": "application/x-ndjson"}, timeout=600)
    answer.raise_for_status()
    accepted = len(answer.json()["traces"])
    print_rate(f"uploaded in one request of {len(lines) / 1e6:.1f} MB, and stored", accepted, perf_counter() - started)
    return accepted


def analyse(hub: Hub, workers: Workers) -> None:
    """Wait until nothing is left to do, and kill a worker halfway."""
    started, killed_at, done_by_both = monotonic(), 0.0, 0
    with psycopg.connect(hub.database_url, autocommit=True) as db:
        while db.execute("SELECT 1 FROM jobs WHERE status IN ('waiting', 'running') LIMIT 1").fetchone():
            if monotonic() - started > WAIT_SECONDS:
                return  # the counts say what is missing
            (done,) = db.execute(FINISHED).fetchone() or (0,)
            if done >= TRACES / 2 and not killed_at:
                workers.processes[0].kill()
                killed_at, done_by_both = monotonic(), done
                print_rate("analysed by two workers", done, killed_at - started)
                print("  one is killed by SIGKILL", flush=True)
            sleep(0.1)
    if killed_at:
        print_rate("the rest by the other, with the wait for leases", TRACES - done_by_both, monotonic() - killed_at)


def print_rate(what: str, count: int, seconds: float) -> None:
    print(f"  {what:<48}{count:>7,} in {seconds:.1f} s = {count / seconds:,.0f}/s", flush=True)


def find_failures(hub: Hub, accepted: int, report: Report) -> list[str]:
    with psycopg.connect(hub.database_url, autocommit=True) as db:
        counts = {(made, done): count for made, done, count in db.execute(COUNTS).fetchall()}
        (again,) = db.execute("SELECT count(*) FROM jobs WHERE tries > 1").fetchone() or (0,)
    print(
        f"  with exactly one analysis, which is done        {counts.get(ONE_ANALYSIS, 0):>7,} of {TRACES:,}; {again} were tried again"
    )
    worst = max(*report.open, *report.new)
    checks = {
        f"{TRACES - accepted} traces were not accepted": accepted == TRACES,
        f"traces by analyses, and those that are done: {counts}": counts == {ONE_ANALYSIS: TRACES},
        f"/healthz took {worst:.0f} ms": worst < GOAL_WORST_MS,
        f"/healthz failed {report.failed} times": report.failed == 0,
    }
    return [failure for failure, is_met in checks.items() if not is_met]
