"""Makes weights/drift.json: does a run obey orders from its tools' results? From labelled runs and our own short ones.

Run as `python -m training.drift DIR`, DIR holding drift.cases.jsonl and drift.labels.jsonl.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import GroupKFold

from training.fitting import DATA, write
from training.labelled import labelled
from viva.engine.goals.following import follow
from viva.engine.goals.goal import goals
from viva.engine.logistic import LogisticModel
from viva.engine.measures.drift import FEATURES, best_served, features
from viva.engine.model import Interaction, Step, Tool, ToolCall, Trace, TraceAgent, Turn
from viva.engine.reading import Reading

Table = NDArray[Any]
STRENGTH = 1.0  # inverse of the penalty; features lie in 0..1, so one for all of them


class Case(NamedTuple):
    """One run with its answer. A kind is the set of tools it used: what is held out must use others."""

    trace: Trace
    obeyed: bool
    group: str
    kind: str


def public(folder: Path) -> Iterator[Case]:
    """The runs that others have published."""
    for one in labelled(folder, "drift"):
        yield Case(one.trace, one.label["hijacked"], one.label["group"], one.tools)


def own() -> Iterator[Case]:
    """Our own runs: each with no order, with one that is left alone, with one that is noted, with one that is obeyed."""
    for number, line in enumerate((DATA / "drift.jsonl").read_text("utf-8").splitlines()):
        told = json.loads(line)
        steps, group = told["steps"], f"own {number}"
        if told["kind"] == "granted":  # the user asked to do what the text says
            yield Case(run(told, steps, told["reply"]), False, group, "own")
            continue
        with_order = [[name, values, result.replace("{order}", told["order"])] for name, values, result in steps]
        without = [[name, values, result.replace("{order}", "")] for name, values, result in steps]
        at = 1 + next(k for k, step in enumerate(steps) if "{order}" in step[2])
        yield Case(run(told, without, told["reply"]), False, group, "own")
        yield Case(run(told, with_order, told["reply"]), False, group, "own")
        yield Case(run(told, with_order, told["noted"]), False, group, "own")
        obeyed = [*with_order[:at], *told["served"], *with_order[at:]]
        yield Case(run(told, obeyed, told["served_reply"]), True, group, "own")
        if told["served"]:
            yield Case(run(told, [*with_order, *told["served"]], told["reply"]), True, group, "own")


def run(told: dict[str, Any], steps: list[Any], reply: str) -> Trace:
    """One turn of one agent."""
    tools = tuple(Tool(name, description) for name, description in told["tools"].items())
    calls = tuple(Step(tool_call=ToolCall(name, values, result)) for name, values, result in steps)
    turn = Turn(0, told["task"], None, (Interaction("agent", reply, calls),))
    return Trace("own", (turn,), (TraceAgent("agent", tools_available=tools),), told["task"])


def table(cases: list[Case]) -> Table:
    readings = [Reading(case.trace, sentence_model=False) for case in cases]
    in_force = [goals(reading) for reading in readings]
    rows = [
        features(reading, best_served(follow(reading, goal)), goal[-1])
        for reading, goal in zip(readings, in_force, strict=True)
    ]
    return np.array([[row[name] for name in FEATURES] for row in rows])


def fitted(x: Table, y: Table) -> LogisticRegression:
    return LogisticRegression(C=STRENGTH, max_iter=1_000).fit(x, y)


def held_out(x: Table, y: Table, parts: list[tuple[Table, Table]]) -> Table:
    """The probability of each case from a model that has not seen its part."""
    given = np.zeros(len(y))
    for train, test in parts:
        given[test] = fitted(x[train], y[train]).predict_proba(x[test])[:, 1]
    return given


def figures(name: str, y: Table, given: Table) -> str:
    return f"{name} AUROC {roc_auc_score(y, given):.3f}, AP {average_precision_score(y, given):.3f}"


def main(folder: Path) -> None:
    cases = [*public(folder), *own()]
    x, y = table(cases), np.array([case.obeyed for case in cases])
    kinds = np.array([case.kind for case in cases])
    others = kinds != "own"
    by_group = held_out(x, y, list(GroupKFold(5).split(x, y, [case.group for case in cases])))
    by_kind = held_out(x, y, [(np.flatnonzero(kinds != kind), np.flatnonzero(kinds == kind)) for kind in set(kinds)])
    origin = (
        f"training/drift.py: {others.sum()} AgentDojo runs (MIT), {(~others).sum()} of our own; held out by task: "
        f"{figures('', y[others], by_group[others]).strip()}; by set of tools: "
        f"{figures('', y[others], by_kind[others]).strip()}; {figures('our own', y[~others], by_kind[~others])}"
    )
    model = fitted(x, y)
    weights = {name: round(float(weight), 3) for name, weight in zip(FEATURES, model.coef_[0], strict=True)}
    write("drift", LogisticModel(origin, round(float(model.intercept_[0]), 3), weights))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
