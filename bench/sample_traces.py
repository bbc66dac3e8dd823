"""Traces for the analysis benchmark: labelled cases if TRUTH names their folder, else generated ones."""

import gzip
import json
import os
import random
from collections.abc import Iterator
from itertools import chain, zip_longest
from pathlib import Path

TASKS = ("refund order", "book a table at", "find the invoice of", "cancel the trip to", "summarise the report on")
NAMES = ("Harbour House", "Ada Lovelace", "Nordwind", "Blue Lantern", "the third quarter")


def load_traces(count: int) -> list[bytes]:
    """A fixed mix of traces as JSON, with the kinds in turn."""
    folder = os.environ.get("TRUTH")
    return list(choose_cases(Path(folder), count)) if folder else [make_trace(n) for n in range(count)]


def choose_cases(folder: Path, count: int) -> Iterator[bytes]:
    """Cases spread evenly over every file. Larger files give more cases."""
    files = [read_lines(path) for path in sorted(folder.glob("*.cases.jsonl*"))]
    step = max(1, sum(map(len, files)) // count)
    spread = zip_longest(*(lines[::step] for lines in files))
    return (line for line in chain.from_iterable(spread) if line)


def read_lines(path: Path) -> list[bytes]:
    return (gzip.open(path) if path.suffix == ".gz" else path.open("rb")).read().splitlines()


def make_trace(n: int, turns: int = 4) -> bytes:
    """A small run of two agents with a tool and some mistakes."""
    chance = random.Random(n)
    return json.dumps(
        {"id": f"made-{n}", "agents": AGENTS, "turns": [make_turn(chance) for _ in range(turns)]}
    ).encode()


def make_turn(chance: random.Random) -> dict[str, object]:
    task, name, number = chance.choice(TASKS), chance.choice(NAMES), chance.randrange(10_000)
    call = {"tool_name": "look_up", "parameters": {"name": name, "number": number}, "result": f"{name}: {number}"}
    return {
        "user_message": f"Please {task} {name}, number {number}.",
        "agent_interactions": [
            {"agent_id": "planner", "agent_response": f"Executor, look up {name} with number {number}."},
            {
                "agent_id": "executor",
                "agent_steps": [{"thought": f"I need {name}.", "tool_call": call}],
                "agent_response": f"I did {task} {name}; its number is {chance.choice((number, number + 1))}.",
            },
        ],
    }


EXECUTOR: dict[str, object] = {
    "id": "executor",
    "role": "executor",
    "tools_available": [{"name": "look_up", "parameters_schema": {"name": "string", "number": "integer"}}],
}
AGENTS = [{"id": "planner", "role": "planner", "tools_available": []}, EXECUTOR]
