"""The traces that analysis is measured on: labelled cases where TRUTH names their folder, else made ones."""

import gzip
import json
import os
import random
from collections.abc import Iterator
from itertools import chain, zip_longest
from pathlib import Path

ERRANDS = ("refund order", "book a table at", "find the invoice of", "cancel the trip to", "summarise the report on")
NAMES = ("Harbour House", "Ada Lovelace", "Nordwind", "Blue Lantern", "the third quarter")


def mixed(count: int) -> list[bytes]:
    """A fixed mix of traces as JSON, one of each kind in turn."""
    folder = os.environ.get("TRUTH")
    return list(chosen(Path(folder), count)) if folder else [made(n) for n in range(count)]


def chosen(folder: Path, count: int) -> Iterator[bytes]:
    """Cases of every file, evenly spread over each, the files as they are in proportion."""
    lines = [read(path) for path in sorted(folder.glob("*.cases.jsonl*"))]
    step = max(1, sum(map(len, lines)) // count)
    spread = zip_longest(*(some[::step] for some in lines))
    return (line for line in chain.from_iterable(spread) if line)


def read(path: Path) -> list[bytes]:
    return (gzip.open(path) if path.suffix == ".gz" else path.open("rb")).read().splitlines()


def made(n: int, turns: int = 4) -> bytes:
    """A small run of two agents with a tool, some of it wrong."""
    luck = random.Random(n)
    return json.dumps({"id": f"made-{n}", "agents": AGENTS, "turns": [turn(luck) for _ in range(turns)]}).encode()


def turn(luck: random.Random) -> dict[str, object]:
    errand, name, number = luck.choice(ERRANDS), luck.choice(NAMES), luck.randrange(10_000)
    call = {"tool_name": "look_up", "parameters": {"name": name, "number": number}, "result": f"{name}: {number}"}
    return {
        "user_message": f"Please {errand} {name}, number {number}.",
        "agent_interactions": [
            {"agent_id": "planner", "agent_response": f"Executor, look up {name} with number {number}."},
            {
                "agent_id": "executor",
                "agent_steps": [{"thought": f"I need {name}.", "tool_call": call}],
                "agent_response": f"I did {errand} {name}; its number is {luck.choice((number, number + 1))}.",
            },
        ],
    }


AGENTS = [
    {"id": "planner", "role": "planner", "tools_available": []},
    {
        "id": "executor",
        "role": "executor",
        "tools_available": [{"name": "look_up", "parameters_schema": {"name": "string", "number": "integer"}}],
    },
]
