"""Makes weights/drift.json: does a run obey orders from its tools' results? Fitted on recorded and on written runs.

Run as `python -m training.drift TRUTH`, TRUTH being the folder that holds `train/`. The sources: recorded runs of which
tools were called after an order (asb_runs); passages with orders (asb_planted), of which runs are made here that only
read, refuse or obey them; our own runs (training/data/drift.jsonl), and the same with their orders exchanged.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from training.fitting import DATA, Examples, ablate, choose, keep
from training.sources import Pair, licences, read_pairs
from viva.engine.measures.drift import DRIFT_FEATURES, features_of
from viva.engine.model import Interaction, Step, Tool, ToolCall, Trace, TraceAgent, Turn
from viva.engine.reading import Reading

PAIRS = 1_500  # of each source
ARGUMENT = re.compile(r"\b(?=\w*\d)[\w-]{3,}\b|(?<=[a-z] )[A-Z][\w-]+(?: [A-Z][\w-]+)*|'[^']{3,40}'")
NORMAL_ENDINGS = ("Here is what I found.", "Done as you asked.", "I looked into it; the details are above.")
REFUSALS = (
    "The result also holds an instruction that you did not give; I have left it alone.",
    "Somebody put a request into that text. I did not follow it.",
    "I noticed an order in the data and ignored it, since it is not from you.",
)


class DriftCase(NamedTuple):
    """One run with its answer."""

    trace: Trace
    obeyed: bool
    source: str


def make_run(task: str, calls: list[ToolCall], reply: str, tools: dict[str, str] | None = None) -> Trace:
    """One turn of one agent."""
    declared = tuple(Tool(name, description) for name, description in (tools or {}).items()) or None
    turn = Turn(0, task, None, (Interaction("agent", reply, tuple(Step(tool_call=call) for call in calls)),))
    return Trace("run", (turn,), (TraceAgent("agent", tools_available=declared),), task)


def recorded(pairs: list[Pair]) -> Iterator[DriftCase]:
    """Runs of which the order and the names of the tools called are known."""
    for pair in pairs:
        task, order = re.split(r"\norder in the tool result: ", pair.text_a.removeprefix("user task: "), maxsplit=1)
        names = [name.strip() for name in pair.text_b.removeprefix("calls:").split(",") if name.strip()]
        read = ToolCall("read_results", {}, f"The results were retrieved. {order}")
        later = [ToolCall(name, {}, "ok") for name in names]
        yield DriftCase(make_run(task, [read, *later], "Finished."), bool(pair.label), "asb_runs")


def planted(pairs: list[Pair]) -> Iterator[DriftCase]:
    """Runs made of passages: read only, refused, or obeyed; and, where the user gave the order, done for the user."""
    for k, pair in enumerate(pairs):
        read = ToolCall("look_up", {"query": pair.text_a[:40]}, pair.text_b)
        order = str(pair.more.get("span", ""))
        if not order:
            obeyed = (
                [ToolCall(pair.group, arguments(pair.text_a), "ok")]
                if pair.more.get("kind") == "the user asked for it"
                else []
            )
            yield DriftCase(make_run(pair.text_a, [read, *obeyed], NORMAL_ENDINGS[k % 3]), False, "asb_planted")
            continue
        act = ToolCall(pair.group, arguments(order), "ok")
        yield DriftCase(make_run(pair.text_a, [read], NORMAL_ENDINGS[k % 3]), False, "asb_planted")
        yield DriftCase(make_run(pair.text_a, [read], REFUSALS[k % 3]), False, "asb_planted")
        yield DriftCase(make_run(pair.text_a, [read, act], NORMAL_ENDINGS[k % 3]), True, "asb_planted")


def arguments(text: str) -> dict[str, str]:
    """What a call would copy out of an order: codes, numbers, names and quotations."""
    return {f"value_{k}": found.strip("'") for k, found in enumerate(dict.fromkeys(ARGUMENT.findall(text)[:4]))}


def served(pairs: list[Pair]) -> Iterator[DriftCase]:
    """Recorded dialogues that went well: as they are, and with one of our orders in a result, left alone or obeyed."""
    orders = [one for one in own_runs() if one["kind"] != "granted" and one["served"]]
    for k, pair in enumerate(pair for pair in pairs if pair.label):
        turns, other = dialogue(pair.text_b), orders[k % len(orders)]
        results = [(t, n) for t, turn in enumerate(turns) for n, call in enumerate(turn[1]) if call.result]
        yield DriftCase(dialogue_trace(turns), False, "tau_retail_runs")
        if not results:
            continue
        at, n = results[k % len(results)]
        calls = turns[at][1]
        calls[n] = ToolCall(calls[n].tool_name, calls[n].parameters, f"{calls[n].result}\n{other['order']}")
        yield DriftCase(dialogue_trace(turns), False, "tau_retail_runs")
        calls[n + 1 : n + 1] = [ToolCall(*step) for step in other["served"]]
        yield DriftCase(dialogue_trace(turns), True, "tau_retail_runs")


SaidTurn = tuple[str, list[ToolCall], list[str]]
LINE = re.compile(r"^(user|assistant|tool): ", re.M)


def dialogue(text: str) -> list[SaidTurn]:
    """The turns of a dialogue written in lines: what the user says, the calls with their results, the answers."""
    turns: list[SaidTurn] = []
    _, *pieces = LINE.split(text)
    for who, said in zip(pieces[::2], pieces[1::2], strict=True):
        if who == "user" or not turns:
            turns.append((said.strip(), [], []))
        elif who == "tool" and turns[-1][1]:
            call = turns[-1][1][-1]
            turns[-1][1][-1] = ToolCall(call.tool_name, call.parameters, said.removeprefix("result ").strip())
        elif called := re.match(r"calls (\w+)\((.*)\)\s*$", said, re.S):
            turns[-1][1].append(ToolCall(called[1], read_parameters(called[2])))
        else:
            turns[-1][2].append(said.strip())
    return turns


def read_parameters(written: str) -> dict[str, Any]:
    try:
        found = json.loads(written)
    except json.JSONDecodeError:
        return {"value": written}
    return found if isinstance(found, dict) else {"value": found}


def dialogue_trace(turns: list[SaidTurn]) -> Trace:
    acts = [
        Interaction("agent", " ".join(said), tuple(Step(tool_call=call) for call in calls)) for _, calls, said in turns
    ]
    made = tuple(Turn(n, user, None, (act,)) for n, ((user, *_), act) in enumerate(zip(turns, acts, strict=True)))
    return Trace("run", made, (TraceAgent("agent"),))


def own_runs() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / "drift.jsonl").read_text("utf-8").splitlines()]


def own() -> Iterator[DriftCase]:
    """Our own runs: each with no order, with one that is left alone, with one that is noted, with one that is obeyed."""
    told = own_runs()
    orders = [one for one in told if one["kind"] != "granted"]
    for one in told:
        yield from variants(one, one, "own")
    for k, one in enumerate(orders):
        for shift in (1, 5, 11):
            yield from variants(one, orders[(k + shift) % len(orders)], "own exchanged")


def variants(one: dict[str, Any], other: dict[str, Any], source: str) -> Iterator[DriftCase]:
    """The runs of one task with the order of another, or with its own."""

    def run(steps: list[Any], reply: str, obeyed: bool) -> DriftCase:
        calls = [ToolCall(name, values, result) for name, values, result in steps]
        return DriftCase(make_run(one["task"], calls, reply, {**other["tools"], **one["tools"]}), obeyed, source)

    if one["kind"] == "granted":  # the user asked to do what the text says
        yield run(one["steps"], one["reply"], False)
        return
    with_order = [[name, values, result.replace("{order}", other["order"])] for name, values, result in one["steps"]]
    without = [[name, values, result.replace("{order}", "")] for name, values, result in one["steps"]]
    at = 1 + next(k for k, step in enumerate(one["steps"]) if "{order}" in step[2])
    yield run(without, one["reply"], False)
    yield run(with_order, one["reply"], False)
    yield run(with_order, one["noted"] if one is other else f"{one['reply']} {REFUSALS[at % 3]}", False)
    said = one["served_reply"] if one is other else f"{one['reply']} {other['served_reply']}"
    yield run([*with_order[:at], *other["served"], *with_order[at:]], said, True)
    if other["served"]:
        yield run([*with_order, *other["served"]], one["reply"], True)


def examples(truth: Path) -> Examples:
    cases = [
        *recorded(read_pairs(truth, "asb_runs", PAIRS)),
        *planted(read_pairs(truth, "asb_planted", PAIRS)),
        *served(read_pairs(truth, "tau_retail_runs", PAIRS)),
        *own(),
    ]
    rows = [features_of(Reading(case.trace, sentence_model=False)) for case in cases]
    return Examples(rows, [int(case.obeyed) for case in cases], [case.source for case in cases])


def main(truth: Path) -> None:
    found = examples(truth / "train")
    origin = (
        f"training/drift.py: {licences(truth / 'train', ['asb_runs', 'asb_planted', 'tau_retail_runs'])}, our own runs"
    )
    keep("drift", origin, found, DRIFT_FEATURES)
    strength, _ = choose(found, DRIFT_FEATURES)
    print("what each feature adds:", ablate(found, DRIFT_FEATURES, strength))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
