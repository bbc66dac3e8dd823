"""Makes weights/tool_use.json from requests, tools and calls of our own writing: do the calls fit the request?

Run as `python -m training.tool_use`. Each line of data/calls.jsonl has a request, its tools in a short notation, and
calls that are right and wrong for it. Further wrong calls are made from the right ones: none, the first only, all but
the last. Few examples cannot teach thirty weights, so each starts from what its meaning is worth and is moved by them.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
import numpy as np
from scipy.optimize import minimize
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

from training.fitting import DATA, Cases, Numbers, write
from viva.engine.calls.asked import parse_request
from viva.engine.calls.fit import fit
from viva.engine.calls.made import read_call
from viva.engine.logistic import LogisticModel
from viva.engine.model import Tool, ToolCall

# What a feature at its full is worth by its meaning, in logits: 1 raises doubt, 2 is a fault more often than not,
# 4 settles it. What can have innocent reasons (a name of the story, calls that differ) stays low.
PRIOR = {
    "amounts_left": 2.0,
    "amounts_left_share": 2.0,
    "names_left": 1.0,
    "names_left_share": 0.5,
    "quotes_left": 1.0,
    "quotes_left_share": 2.0,
    "clauses_left": 2.0,
    "siblings_left": 2.0,
    "options_left": 2.0,
    "links_one_call": 2.0,
    "links_more": 0.3,
    "counted_one_call": 3.0,
    "counted_more": 0.5,
    "uneven": 1.0,
    "more_calls_than_asked": 3.0,
    "repeated": 3.0,
    "list_split": 4.0,
    "same_to_two_tools": 3.0,
    "required_ungrounded": 1.5,
    "optional_ungrounded": 3.0,
    "flag_unasked": 2.0,
    "blank": 3.0,
    "both_at_once": 3.0,
    "rate_differs": 2.0,
    "shape_differs": 1.5,
    "stray_marks": 4.0,
    "order_swapped": 4.0,
    "name_cut": 1.0,
    "identifiers_left": 3.0,
    "option_chosen": 2.0,
    "other_value_said": 4.0,
    "unit_mismatch": 3.0,
    "tool_foreign": 0.7,
    "named_uncalled": 4.0,
    "no_call": 4.0,
    "uncalled_alike": 1.0,
    "other_tool_closer": 2.0,
}
BIAS = -2.5  # calls with nothing against them are wrong now and then: one in twelve
STRENGTH = 0.5  # how far the examples may move a weight: about as much as the steps between the values above
TOOL = re.compile(r"(\w+)\((.*)\) -- (.*)", re.S)
PARAMETER = re.compile(r"(\[?)(\w+): (\w+)(?: \{([\w,]+)\})? = ([^;\]]*)\]?")
ORIGIN = (
    "values set by reasoning, with BFCL in view, and moved a little by requests and calls written for Viva"
    " (training/data/calls.jsonl), training/tool_use.py, grouped by request"
)


class Example(msgspec.Struct):
    """A request with its tools, and calls that are right or wrong for it."""

    ask: str
    tools: list[str]
    right: list[list[tuple[str, dict[str, Any]]]]
    wrong: list[list[tuple[str, dict[str, Any]]]]


class Line(NamedTuple):
    """The calls of one way to serve a request, and whether they are wrong."""

    calls: list[tuple[str, dict[str, Any]]]
    wrong: bool


def tool(text: str) -> Tool:
    """A tool from its short notation: `name(param: type = meaning; [optional: type {enum} = meaning]) -- what it does`."""
    name, inside, description = TOOL.fullmatch(text).groups()  # type: ignore[union-attr]
    properties, required = {}, []
    for optional, parameter, kind, enum, meaning in PARAMETER.findall(inside):
        properties[parameter] = {"type": kind, "description": meaning} | ({"enum": enum.split(",")} if enum else {})
        required += [] if optional else [parameter]
    return Tool(name, description, {"type": "object", "properties": properties, "required": required})


def lines(example: Example) -> Iterator[Line]:
    """Every way to serve a request that is written down, and the wrong ways that follow from the right one."""
    yield from (Line(calls, False) for calls in example.right)
    yield from (Line(calls, True) for calls in example.wrong)
    best = example.right[0]
    short = [[], *([best[:1], best[:-1]] if len(best) > 1 else [])] if best else []
    yield from (Line(calls, True) for calls in short if calls not in example.wrong)


def cases() -> Cases:
    found = Cases([], [], [])
    for group, text in enumerate((DATA / "calls.jsonl").read_bytes().splitlines()):
        example = msgspec.json.decode(text, type=Example)
        tools = {one.name: one for one in map(tool, example.tools)}
        for line in lines(example):
            calls = [read_call(ToolCall(name, parameters), tools[name]) for name, parameters in line.calls]
            found.rows.append(fit(parse_request(example.ask), calls, list(tools.values())).features)
            found.labels.append(line.wrong)
            found.groups.append(group)
    return found


def learned(x: Numbers, y: Numbers, strength: float = STRENGTH) -> Numbers:
    """Bias and weights near the prior; none turns over. Both classes count the same but for the bias we start from."""
    start = np.array([BIAS, *PRIOR.values()])
    z, side = np.hstack([np.ones((len(x), 1)), x]), 2 * y - 1
    weight = np.where(y == 1, 0.5 / y.mean(), 0.5 / (1 - y.mean())) / 10

    def loss(at: Numbers) -> tuple[float, Numbers]:
        margin = -side * (z @ at)
        slope = -weight * side / (1 + np.exp(-margin))
        value = (weight * np.logaddexp(0, margin)).sum() + ((at - start) ** 2).sum() / (2 * strength)
        return float(value), z.T @ slope + (at - start) / strength

    bounds = [(BIAS, BIAS), *[(0.0, None)] * len(PRIOR)]
    return np.asarray(minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B").x)


def main() -> None:
    every = cases()
    x = np.array([[row[name] for name in PRIOR] for row in every.rows])
    y = np.array(every.labels, float)
    held = np.zeros(len(y))
    for train, test in GroupKFold(10).split(x, y, every.groups):
        at = learned(x[train], y[train])
        held[test] = x[test] @ at[1:] + at[0]
    start, at = roc_auc_score(y, x @ np.array(list(PRIOR.values()))), learned(x, y)
    figures = f"n={len(y)}; on requests held out AUROC {roc_auc_score(y, held):.3f} (the starting values {start:.3f})"
    weights = {name: round(float(value), 3) for name, value in zip(PRIOR, at[1:], strict=True)}
    write("tool_use", LogisticModel(f"{ORIGIN}; {figures}", BIAS, weights))


if __name__ == "__main__":
    main()
