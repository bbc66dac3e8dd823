"""Reads real exports of other tools and compares agents, turns, calls and a text of each with what a person read in them.

`python -m bench forms FOLDER`. The files are not part of the project; the expectations were written by reading the files."""

from pathlib import Path
from typing import NamedTuple

import msgspec

from viva.engine.intake import files
from viva.engine.model import Trace
from viva.kit.errors import VivaError

MIN_READ_SHARE = 0.95


class HandRead(NamedTuple):
    """What a person found in a file. `text` is said or returned in it."""

    agents: int
    turns: int
    calls: int
    text: str


# A turn is one exchange with a user or the program in its place; what a tool or a terminal returned is none. A call is one use of a tool, an action of a
# terminal included. None: the file has to be refused by name.
HAND_READ: dict[str, HandRead | None] = {
    "claude-code/short.jsonl": HandRead(1, 1, 2, "mix phx.server doesnt seem to start"),
    "inspect/log_formats.eval": HandRead(1, 1, 0, "Is the following statement something you would say?"),
    "inspect/log_images_tc.json": HandRead(1, 1, 0, "[hedgehog]"),
    "inspect/log_read_sample.eval": HandRead(1, 1, 0, "Is the following statement something you would say?"),
    "inspect/log_tool_call_error.json": HandRead(1, 1, 11, "The output of your call to bash was too long"),
    "langfuse/agno-2025-06-11.trace.json": HandRead(1, 1, 1, "To find out what's currently trending on Twitter"),
    "langfuse/beeai-2025-08-01.trace.json": HandRead(1, 1, 2, "Barcelona is a vibrant city known for its rich"),
    "langfuse/crewai-2025-07-11.trace.json": HandRead(1, 1, 0, "<!DOCTYPE html>"),
    "langfuse/google-adk-2025-08-28.trace.json": HandRead(1, 1, 1, "Hello Langfuse 👋!"),
    "langfuse/koog-2025-08-26.trace.json": HandRead(1, 1, 2, "And, bye my dear Bob!"),
    "langfuse/langgraph-python-2025-08-22.trace.json": HandRead(1, 1, 1, 'The search for "example" primarily leads'),
    "langfuse/microsoft-agent-2025-12-17.trace.json": HandRead(1, 1, 1, "Current conditions in Tokyo"),
    "langfuse/pydantic-ai-2025-06-06.trace.json": HandRead(1, 1, 0, "Langfuse is a tool designed for observability"),
    # The program passes the joke to a second agent, within the second exchange. One may also count that as a third.
    "langfuse/pydantic-ai-tools-2025-12-04.trace.json": HandRead(2, 2, 4, "Why do programmers hate nature?"),
    "langfuse/vercel-aisdk-2025-11-17.trace.json": HandRead(
        1, 1, 1, "What is the weather like today in San Francisco?"
    ),
    "swe-agent/00-6e44b9__sweagenttestrepo-1c2844.traj": HandRead(1, 1, 5, "I will first search for the"),
    "swe-agent/02-pydicom__pydicom-1458.traj": HandRead(1, 1, 12, "create reproduce_bug.py"),
    "swe-agent/04-BabyTimeCapsule.traj": HandRead(1, 1, 9, "We will start by examining the server code"),
    "swe-agent/06-katy.traj": HandRead(1, 1, 18, "We will first try to examine the files"),
    "swe-agent/08-networking_1.traj": HandRead(1, 1, 4, "We have provided with a pcap file"),
    "swe-agent/10-rock.traj": HandRead(1, 1, 12, "Let me try to run the provided"),
}


def run(folder: Path) -> int:
    """Print each file with what is wrong about it. Fails if too few are read rightly, or if one is misread silently."""
    right = misread = 0
    for name, expected in HAND_READ.items():
        found = read_file(folder / name)
        faults = compare(found, expected)
        right += not faults
        misread += bool(faults) and isinstance(found, list)
        print(f"{'right' if not faults else 'WRONG'}  {name}  {'; '.join(faults) or describe(found)}")
    print(f"{right} of {len(HAND_READ)} right, {misread} misread without a word")
    return 0 if not misread and right >= MIN_READ_SHARE * len(HAND_READ) else 1


def read_file(path: Path) -> list[Trace] | str:
    """The traces in the file, or the sentence by which it is refused."""
    try:
        return [files.parse(raw) for raw in files.read_traces(path)]
    except VivaError as error:
        return str(error)


def describe(found: list[Trace] | str) -> str:
    return f"refused: {found[:100]}" if isinstance(found, str) else ""


def compare(found: list[Trace] | str, expected: HandRead | None) -> list[str]:
    if isinstance(found, str):
        return [] if expected is None else [f"refused: {found[:200]}"]
    if expected is None:
        return ["it was read, and should be refused"]
    counts = HandRead(
        len({agent.id for trace in found for agent in trace.agents}),
        sum(len(trace.turns) for trace in found),
        sum(count_calls(trace) for trace in found),
        "",
    )
    wrong = [
        f"{name} {getattr(counts, name)}, not {getattr(expected, name)}"
        for name in ("agents", "turns", "calls")
        if getattr(counts, name) != getattr(expected, name)
    ]
    said = [text for trace in found for text in texts_in(msgspec.to_builtins(trace))]
    return wrong if any(expected.text in text for text in said) else [*wrong, f"the text {expected.text!r} is missing"]


def count_calls(trace: Trace) -> int:
    return sum(
        step.tool_call is not None
        for turn in trace.turns
        for part in turn.agent_interactions
        for step in part.agent_steps
    )


def texts_in(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [text for each in inner for text in texts_in(each)]
