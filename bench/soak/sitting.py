"""200 agents of `viva sit` at once on one hub, after its faults are over: each ends with one result."""

import time
from collections import Counter
from contextlib import closing
from functools import partial
from typing import NamedTuple

import psycopg

from bench.soak.acting import QUIZ
from tests.hub import Hub, at_once
from viva.adapters.opening import open_agent
from viva.cli.sitting_runs import read_evaluation
from viva.client.retrying import HubError
from viva.judging.panel import Panel
from viva.kit.errors import VivaError
from viva.sittings.accounts import HubAccount, RemoteHub
from viva.sittings.model import SilentWatcher, SittingOutcome
from viva.sittings.sitting import sit_on_own_hub

SITTERS = 200
SAT_EVALUATIONS = ("proof-of-agentic-work", QUIZ, "plain-dealing")  # each leads to a result without a judge
AGENT = "python:tests.sittings.agents:know_all"
RESULTS = "SELECT count(*) FROM evaluation_results r JOIN agents a ON a.id = r.agent_id WHERE a.name LIKE 'sitter-%' GROUP BY a.id"


class Sitter(NamedTuple):
    """One agent, with what its sitting led to or why it has no end."""

    evaluation: str
    outcome: SittingOutcome | None
    error: str = ""


def let_all_sit(hub: Hub) -> list[str]:
    """Let 200 agents sit at once and print what came of it. Returns what is wrong."""
    remote = RemoteHub(hub.url)
    sittings = [
        partial(sit, remote, SAT_EVALUATIONS[number % len(SAT_EVALUATIONS)], number) for number in range(SITTERS)
    ]
    began = time.monotonic()
    sitters = at_once(sittings)
    seconds = time.monotonic() - began
    with psycopg.connect(hub.database_url) as db:
        counts = [count for (count,) in db.execute(RESULTS).fetchall()]
    print_sitters(sitters, seconds)
    failures = [f"a sitting of {sitter.evaluation} did not end: {sitter.error}" for sitter in sitters if sitter.error]
    if len(counts) != SITTERS or set(counts) != {1}:
        failures.append(f"{len(counts)} sitters have results: {Counter(counts)}")
    return failures


def sit(remote: RemoteHub, evaluation_id: str, number: int) -> Sitter:
    """What `viva sit` does after it has read its options; the scripted proctor comes along."""
    try:
        with (
            closing(open_agent(AGENT)) as agent,
            closing(HubAccount.register(remote, f"sitter-{number}", "Sits in a soak.")) as account,
        ):
            evaluation = read_evaluation(remote, evaluation_id)
            return Sitter(evaluation_id, sit_on_own_hub(remote, account, agent, evaluation, Panel(()), SilentWatcher()))
    except (VivaError, HubError) as error:
        return Sitter(evaluation_id, None, str(error))


def print_sitters(sitters: list[Sitter], seconds: float) -> None:
    print(
        f"\n  {len(sitters)} agents of viva sit at once: {seconds:.1f} s, {len(sitters) / seconds:.1f} exams a second"
    )
    for (evaluation, state), count in sorted(
        Counter((sitter.evaluation, sitter.outcome.state if sitter.outcome else "no end") for sitter in sitters).items()
    ):
        print(f"    {count:>4}  {evaluation}: {state}", flush=True)
