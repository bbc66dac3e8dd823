"""Makes weights/blame.json: which signs of a mistake tell the decisive interaction of a failed run from the others?

Run as `python -m training.blame DIR`, where DIR holds attribution.cases.jsonl and attribution.labels.jsonl.
The runs are few, so each sign starts with a weight set by reasoning and moves from it only as far as the data insist.
"""

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from training.fitting import write
from training.labelled import Labelled, labelled
from viva.engine.attribution.acts import Run
from viva.engine.attribution.mistakes import NAMES, signs
from viva.engine.logistic import LogisticModel
from viva.engine.reading import Reading

Floats = NDArray[np.float64]
STIFFNESS = 300.0  # how strongly a weight is held to its start; in-sample and held-out figures then agree
DIRECTED = 1.5  # a directed run counts for more, as there are half as many of them

# A sign for or against an act counts one; counts and shares are scaled to that; outputs and closings are never to blame.
START = dict.fromkeys(NAMES, 1.0) | {
    "observes": -3.0,
    "closes": -3.0,
    "nothing_to_run": -1.0,
    "after_failure": -1.0,
    "after_output": -1.0,
    "repairs": -0.3,
    "gives_up": 0.5,
    "handed_on": 0.5,
    "second": 0.5,
    "late_under_direction": -0.3,
    "last_of_few": 2.0,
    "opening_off_task": 2.0,
    "about_task": 2.0,
}


class Case(NamedTuple):
    """One failed run: the signs of its acts, who acted, and who is to blame."""

    signs: Floats
    agents: list[str]
    agent: str
    act: int
    directed: bool
    group: str
    set: str


def case(one: Labelled) -> Case:
    reading = Reading(one.trace, sentence_model=False)
    run = Run(reading)
    table = np.array([[found.get(name, 0.0) for name in NAMES] for found in signs(reading, run)])
    agents = [act.agent_id.lower() for act in run.acts]
    blamed, at = one.label["agent"].lower(), one.label["interaction_index"]
    return Case(table, agents, blamed, at, bool(run.directors), one.label["group"], one.label["set"])


def fit(cases: list[Case]) -> Floats:
    """Weights under which the acts to blame are likely, each with the sign it started with."""
    table = np.concatenate([case.signs for case in cases])
    spread = table.std(axis=0) + 1e-9
    ends = np.cumsum([0] + [len(case.signs) for case in cases])[:-1]
    run_of = np.repeat(np.arange(len(cases)), [len(case.signs) for case in cases])
    blamed = ends + np.array([case.act for case in cases])
    counts = np.array([DIRECTED if case.directed else 1.0 for case in cases])
    start = np.array([START[name] for name in NAMES]) * spread
    scaled = table / spread

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = scaled @ weights
        powers = np.exp(scores - np.maximum.reduceat(scores, ends)[run_of])
        shares = powers / np.add.reduceat(powers, ends)[run_of]
        away = weights - start
        value = -(counts * np.log(shares[blamed] + 1e-12)).sum() + STIFFNESS * (away @ away) / 2
        target = np.zeros_like(shares)
        target[blamed] = 1.0
        return value, scaled.T @ (counts[run_of] * (shares - target)) + STIFFNESS * away

    bounds = [(0, None) if START[name] > 0 else (None, 0) for name in NAMES]
    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x / spread)


def decide(case: Case, weights: Floats) -> tuple[str, int, float]:
    """The agent and the act to blame, and the probability of the agent."""
    scores = case.signs @ weights
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    by_agent = {agent: sum(s for s, a in zip(shares, case.agents, strict=True) if a == agent) for agent in case.agents}
    k = max(range(len(shares)), key=lambda k: shares[k] + by_agent[case.agents[k]])
    return case.agents[k], k, by_agent[case.agents[k]]


def held_out(cases: list[Case], folds: int, repeats: int) -> dict[str, tuple[float, float]]:
    """Agent and act accuracy of each set, every question held out with all its runs."""
    hits: dict[str, list[tuple[bool, bool]]] = {case.set: [] for case in cases}
    for seed in range(repeats):
        groups = sorted({case.group for case in cases})
        np.random.RandomState(seed).shuffle(groups)
        fold = {group: k % folds for k, group in enumerate(groups)}
        for k in range(folds):
            weights = fit([case for case in cases if fold[case.group] != k])
            for case in (case for case in cases if fold[case.group] == k):
                agent, act, _ = decide(case, weights)
                hits[case.set].append((agent == case.agent, act == case.act))
    return {name: tuple(np.mean(found, axis=0).round(3).tolist()) for name, found in sorted(hits.items())}


def main(folder: Path) -> None:
    cases = list(map(case, labelled(folder, "attribution")))
    ten, two = held_out(cases, 10, 10), held_out(cases, 2, 15)
    print("ten folds", ten, "two folds", two)
    weights = dict(zip(NAMES, fit(cases).round(4).tolist(), strict=True))
    told = "; ".join(f"{name} agent {agent:.2f}, interaction {act:.2f}" for name, (agent, act) in ten.items())
    origin = f"training/blame.py on Who&When (MIT), {len(cases)} failed runs; held out by question: {told}"
    write("blame", LogisticModel(origin, 0.0, weights))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
