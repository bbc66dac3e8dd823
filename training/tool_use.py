"""Makes weights/tool_use.json: do the calls fit the request?

Run as `python -m training.tool_use /path/to/truth`. Each line of data/calls.jsonl has a request, its tools in a short
notation, and calls that are right and wrong for it; further wrong calls are planted in the right ones. First calls of
recorded dialogues, true and planted, are a source of their own.
"""

import ast
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from training.fitting import DATA, Examples, ablate, leave_sources_out, mean, write
from training.fitting import fit as fit_model
from training.sources import Pair, licences, read_pairs
from viva.engine.calls.fit import FIT_FEATURES, fit
from viva.engine.calls.history import History
from viva.engine.calls.request import parse_request
from viva.engine.model import Interaction, Step, Tool, ToolCall, Trace, TraceAgent, Turn
from viva.engine.reading import Reading

STRENGTH = 0.03  # of the penalty; a stronger one ranks the same within 0.001, but its scores say too little
WRITTEN_PARTS = 3  # parts of our own requests, each left out in turn as if it were a source
SGD = "sgd_planted_steps"
TOOL = re.compile(r"(\w+)\((.*)\) -- (.*)", re.S)
PARAMETER = re.compile(r"(\[?)(\w+): (\w+)(?: \{([\w,]+)\})? = ([^;\]]*)\]?")
SGD_CALL = re.compile(r"assistant calls (\w+)\((.*)\)", re.S)
SGD_ARGUMENT = re.compile(r"(\w+)=((?:(?!, \w+=).)*)")
Calls = list[tuple[str, dict[str, Any]]]


class WrittenRequest(msgspec.Struct):
    """A request with its tools, and calls that are right or wrong for it."""

    ask: str
    tools: list[str]
    right: list[Calls]
    wrong: list[Calls]


class LabelledCalls(NamedTuple):
    """The calls of one way to serve a request, and whether they are wrong."""

    calls: Calls
    wrong: bool


def parse_tool(text: str) -> Tool:
    """A tool from its short notation: `name(param: type = meaning; [optional: type {enum} = meaning]) -- what it does`."""
    name, inside, description = TOOL.fullmatch(text).groups()  # type: ignore[union-attr]
    properties, required = {}, []
    for optional, parameter, kind, enum, meaning in PARAMETER.findall(inside):
        properties[parameter] = {"type": kind, "description": meaning} | ({"enum": enum.split(",")} if enum else {})
        required += [] if optional else [parameter]
    return Tool(name, description, {"type": "object", "properties": properties, "required": required})


def label_calls(example: WrittenRequest, tools: dict[str, Tool], rng: random.Random) -> Iterator[LabelledCalls]:
    """Every way to serve a request that is written down, and the wrong ways that follow from the right one."""
    yield from (LabelledCalls(calls, False) for calls in example.right)
    planted = list(plant(example.right[0], tools, rng)) if example.right[0] else []
    for calls in [*example.wrong, *(calls for calls in planted if calls not in example.right + example.wrong)]:
        yield LabelledCalls(calls, True)


def plant(calls: Calls, tools: dict[str, Tool], rng: random.Random) -> Iterator[Calls]:
    """The right calls with one fault each: none made, one missing, one twice, two in one, or one that is spoilt."""
    yield []
    if len(calls) > 1:
        yield calls[:1]
        yield calls[:-1]
        if merged := merge_calls(calls[0], calls[1]):
            yield [merged, *calls[2:]]
    yield [*calls, calls[-1]]
    at = rng.randrange(len(calls))
    for spoilt in spoil(*calls[at], tools, rng):
        yield [*calls[:at], spoilt, *calls[at + 1 :]]


def merge_calls(one: tuple[str, dict[str, Any]], two: tuple[str, dict[str, Any]]) -> tuple[str, dict[str, Any]] | None:
    """Two calls of one tool as a single one, with two things in an argument."""
    other = [key for key, value in one[1].items() if two[1].get(key) != value]
    if one[0] != two[0] or len(other) != 1 or not isinstance(one[1][other[0]], str):
        return None
    return one[0], one[1] | {other[0]: f"{one[1][other[0]]} and {two[1].get(other[0])}"}


def spoil(
    name: str, parameters: dict[str, Any], tools: dict[str, Tool], rng: random.Random
) -> Iterator[tuple[str, dict[str, Any]]]:
    """A call with a value changed, two values swapped, an option dropped or added, or another tool."""
    schema = tools[name].parameters_schema or {}
    options = [key for key in schema["properties"] if key not in schema["required"]]
    for key, value in parameters.items():
        changed = change_value(value, rng)
        if changed is not None:
            yield name, parameters | {key: changed}
        if key in options and str(value).lower() not in str(schema["properties"][key]).lower():
            yield name, {other: part for other, part in parameters.items() if other != key}
    for key in options:
        if key not in parameters:
            yield name, parameters | {key: invent_value(schema["properties"][key], rng)}
    texts = [key for key, value in parameters.items() if isinstance(value, str)]
    if len(texts) > 1:
        one, two = rng.sample(texts, 2)
        yield name, parameters | {one: parameters[two], two: parameters[one]}
    others = [tool for tool in tools if tool != name]
    if others:
        yield rng.choice(others), parameters


def invent_value(schema: dict[str, Any], rng: random.Random) -> Any:
    kinds = {"integer": 37, "number": 41.5, "boolean": True, "array": ["Telora"]}
    return rng.choice(schema["enum"]) if "enum" in schema else kinds.get(schema["type"], "Telora")


def change_value(value: Any, rng: random.Random) -> Any:
    """Another value of the same kind; None if there is none at hand."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str):
        return rng.choice(("Marvik", "Telora", "B7731", "Osk Street 48"))
    return value * rng.choice((3, 7)) + rng.choice((11, 40))


def features(request: str, known: str, tools: dict[str, Tool], calls: Calls) -> dict[str, float]:
    """The features of calls, as the engine sees them in a trace."""
    steps = tuple(Step(tool_call=ToolCall(name, parameters)) for name, parameters in calls)
    agent = TraceAgent("agent", tools_available=tuple(tools.values()))
    turn = Turn(0, request, known or None, (Interaction("agent", None, steps),))
    history = History(Reading(Trace("t", (turn,), (agent,)), sentence_model=False))
    return fit(parse_request(request), history.calls, list(tools.values())).features


def add_written(found: Examples) -> None:
    rng = random.Random(7)
    for place, text in enumerate((DATA / "calls.jsonl").read_bytes().splitlines()):
        example = msgspec.json.decode(text, type=WrittenRequest)
        tools = {tool.name: tool for tool in map(parse_tool, example.tools)}
        for calls, wrong in label_calls(example, tools, rng):
            found.rows.append(features(example.ask, "", tools, calls))
            found.labels.append(int(wrong))
            found.sources.append(f"written, part {place % WRITTEN_PARTS + 1}")


def add_dialogues(found: Examples, folder: Path) -> None:
    """First calls of dialogues: the user's words are the request, and what the agent said is known to it."""
    pairs = [pair for pair in read_pairs(folder, SGD) if pair.text_b.startswith("assistant calls")]
    tools: dict[str, dict[str, Any]] = {}
    for pair in pairs:
        if pair.label == 1:
            name, parameters = parse_call(pair.text_b)
            tools.setdefault(name, {}).update({key: {"type": "string"} for key in parameters})
    declared = {
        name: Tool(name, None, {"type": "object", "properties": properties, "required": list(properties)})
        for name, properties in tools.items()
    }
    for pair in pairs:
        if is_whole(pair):
            name, parameters = parse_call(pair.text_b)
            lines = pair.text_a.split("\n")
            request = "\n".join(line[6:] for line in lines if line.startswith("user: "))
            known = "\n".join(line[11:] for line in lines if line.startswith("assistant: "))
            mine = {name: declared[name]} if name in declared else {}
            found.rows.append(features(request, known, mine, [(name, parameters)]))
            found.labels.append(1 - int(pair.label))
            found.sources.append(SGD)


def is_whole(pair: Pair) -> bool:
    """Whether a pair has its dialogue from the start and no call before."""
    return pair.more.get("order", [9])[0] < 8 and "assistant calls" not in pair.text_a and "user: " in pair.text_a


def parse_call(text: str) -> tuple[str, dict[str, Any]]:
    name, inside = SGD_CALL.match(text).groups()  # type: ignore[union-attr]
    return name, {key: parse_value(value) for key, value in SGD_ARGUMENT.findall(inside)}


def parse_value(text: str) -> Any:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
    return value if isinstance(value, int | float) else text


def collect(folder: Path) -> Examples:
    found = Examples([], [], [])
    add_written(found)
    add_dialogues(found, folder)
    return found


def main(folder: Path) -> None:
    examples = collect(folder)
    left_out = leave_sources_out(examples, FIT_FEATURES, STRENGTH)
    origin = (
        "requests and calls written for Viva (training/data/calls.jsonl), "
        f"{licences(folder, [SGD])}; training/tool_use.py"
    )
    model = msgspec.structs.replace(fit_model(examples, FIT_FEATURES, STRENGTH), origin=origin, left_out=left_out)
    write("tool_use", model)
    print(f"tool_use: {len(examples.labels)} examples, mean over sources left out {mean(left_out):.3f}", left_out)
    print("what each feature adds:", ablate(examples, FIT_FEATURES, STRENGTH))


if __name__ == "__main__":
    main(Path(sys.argv[1]) / "train")
