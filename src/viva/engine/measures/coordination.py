"""Coordination: do the agents keep out of each other's way, keep the context, keep to their roles, and get on."""

import math
from collections.abc import Mapping

import msgspec

from viva.engine.evidence import MAX_EVIDENCE_PIECES, Evidence, InteractionIndex, Score
from viva.engine.reading import Reading
from viva.engine.scoring import average, round_score, share, weighted_mean
from viva.engine.team.clashes import deadlock, duplicate_work, ping_pong, role_breaches
from viva.engine.team.flow import AgentRun, stretches

# What each part counts. A part that does not apply gives its weight to the others.
WEIGHTS = {
    "context_lost": 0.35,  # what one knows and the other does not is where joint work breaks
    "duplicate_work": 0.20,  # costs time and money, and does things twice
    "role_breaches": 0.20,  # nobody checks what is done in the wrong place
    "ping_pong": 0.15,  # costs time only
    "deadlock": 0.10,  # rare; when it comes, the task fails and other scores show that
}
# How many times over one case weighs against the chances there were for it: a deadlock stops a whole run.
GRAVITY = {"duplicate_work": 1.0, "role_breaches": 1.0, "ping_pong": 1.0, "deadlock": 10.0}
LOST = 0.6  # a handoff at or below this lost its context
MAX_CASES_LISTED = 50  # cases of one kind that are listed


class Coordination(msgspec.Struct, frozen=True):
    """How the agents worked together; each tuple says where they did not. A single agent has no score."""

    score: Score = Score()
    duplicate_work: tuple[Evidence, ...] = ()
    context_lost: tuple[Evidence, ...] = ()
    role_breaches: tuple[Evidence, ...] = ()
    ping_pong: tuple[Evidence, ...] = ()
    deadlock: tuple[Evidence, ...] = ()


def measure(reading: Reading, handoffs: Mapping[InteractionIndex, Score]) -> Coordination:
    """The whole run's coordination, given the scores of its handoffs."""
    run = stretches(reading)
    if len({stretch.agent_id for stretch in run}) < 2:
        return Coordination()
    stems = [reading.stems(stretch.handed_over) for stretch in run]
    cases = {
        "duplicate_work": list(duplicate_work(reading, run, stems)),
        "role_breaches": list(role_breaches(reading)),
        "ping_pong": list(ping_pong(reading, run, stems)),
        "deadlock": list(deadlock(reading, run, stems)),
    }
    lost = [piece for score in handoffs.values() if (score.value or 0) <= LOST for piece in score.evidence[:1]]
    returns = to_and_fro(run)
    chances = {"duplicate_work": len(run), "role_breaches": len(run), "ping_pong": returns, "deadlock": returns}
    parts = {
        name: score_of_cases(GRAVITY[name] * len(found), chances[name])
        for name, found in cases.items()
        if chances[name]
    }
    kept = average(score.value for score in handoffs.values())
    score = weigh_parts({**parts, "context_lost": kept}, {**cases, "context_lost": all_pieces(handoffs)})
    listed = {name: tuple(found[:MAX_CASES_LISTED]) for name, found in cases.items()}
    return Coordination(score, context_lost=tuple(lost[:MAX_CASES_LISTED]), **listed)


def score_of_cases(cases: float, chances: int) -> float:
    """From 1, no case, to 0, one at every chance. The root, since the first case tells most: that it happens."""
    return 1 - math.sqrt(min(1.0, cases / chances))


def to_and_fro(run: list[AgentRun]) -> int:
    """How often the work came back to an agent from another, so that the two could hinder each other."""
    return sum(one.agent_id == three.agent_id for one, three in zip(run, run[2:], strict=False))


def all_pieces(handoffs: Mapping[InteractionIndex, Score]) -> list[Evidence]:
    """Evidence of the handoffs, the worst first."""
    worst = sorted(handoffs.items(), key=lambda item: (item[1].value if item[1].value is not None else 1.0, item[0]))
    return [piece for _, score in worst[:MAX_EVIDENCE_PIECES] for piece in score.evidence[:1]]


def weigh_parts(parts: dict[str, float | None], cases: dict[str, list[Evidence]]) -> Score:
    """The weighted mean of the parts, with evidence of those that cost most."""
    costs = {name: share(name, parts, WEIGHTS) for name in parts}
    dear = sorted((name for name, cost in costs.items() if cost), key=lambda name: -costs[name])
    heads = [piece for name in dear for piece in cases[name][:2]]
    return Score(round_score(weighted_mean(parts, WEIGHTS)), tuple(heads[:MAX_EVIDENCE_PIECES]))
