"""The gate: opening a hub inside this process, and sitting a shipped evaluation with all agents, as a reviewer waits for it."""

from statistics import median
from time import perf_counter

from viva.config import SHIPPED_SIPS
from viva.contributions import documents, gaming
from viva.contributions.gate_model import status_of
from viva.contributions.gate_process import GateLimits
from viva.embedded import open_hub
from viva.evaluations import sip as sips


def run() -> None:
    with open_hub():  # imports and caches, which only the first one needs
        pass
    print(f"  embedded hub, open to closed{1000 * median(time_hub() for _ in range(9)):>14.0f} ms")
    for number in (4, 7):
        proposal = documents.proposal_of(sips.parse((SHIPPED_SIPS / f"SIP-{number}.md").read_text()))
        started = perf_counter()
        outcomes = gaming.check_proposal(proposal, {}, GateLimits())
        runs = sum(outcome.runs for outcome in outcomes)
        print(f"  gate of {proposal.name:<26}{perf_counter() - started:>8.1f} s   {runs} runs, {status_of(outcomes)}")


def time_hub() -> float:
    started = perf_counter()
    with open_hub():
        pass
    return perf_counter() - started
