"""Every recorded run has the signs of one form. Damaged runs are read or refused, and what only looks alike is refused."""

import gzip
import json
import random
from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from tests.engine.intake.runs import FIXTURES
from tests.steps import count_steps
from viva.engine.intake import formats
from viva.engine.intake.faults import BadTrace

FALLBACK = "chat"  # has the fewest signs, and reads what no other form claims
PATHS = sorted(str(path.relative_to(FIXTURES)) for path in FIXTURES.rglob("*.json*") if "making" not in path.parts)
MESSAGE_FORMS = ("adk", "anthropic", "autogen", "crewai", "gemini", "langchain", "langsmith", "openai")
MESSAGE_PATHS = [path for path in PATHS if path.split("/")[0] in MESSAGE_FORMS]
DAMAGE: list[Any] = [
    None,
    0,
    1.5,
    True,
    "",
    "x",
    [],
    {},
    [None],
    [[]],
    {"a": 1},
    "[{}]",
    [{"type": "text"}],
    {"text": [1]},
]
DAMAGED_COPIES = 60  # of each run; enough to meet each line of a reader that trusts its input
LOOK_ALIKES: dict[str, Any] = {
    "settings of a chat": {"model": "gpt-4o", "temperature": 0.2, "messages": []},
    "settings with a system prompt": {"model": "claude", "system": "Be brief.", "messages": []},
    "settings of a crew": {"agents": ["desk"], "tasks": [{"description": "Greet.", "agent": "desk"}]},
    "a request for embeddings": {"model": "embed", "input": ["Hello", "Bye"]},
    "a list of models": {"object": "list", "data": [{"id": "gpt-4o", "object": "model"}]},
    "a graph's layout": {"nodes": [{"id": "agent", "type": "runnable"}], "edges": []},
    "a prompt template": {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "PromptTemplate"],
        "kwargs": {"template": "x"},
    },
    "a log of clicks": [{"event_id": "1", "type": "click", "timestamp": "2026-01-01T00:00:00Z", "source": "web"}],
    "commits": [{"author": "desk", "message": "Mend it.", "id": "1"}],
    "runs of a pipeline": {"runs": [{"id": 1, "status": "passed", "inputs": {}}]},
    "a session of a web shop": {"id": "s1", "appName": "shop", "events": [{"name": "view", "timestamp": 1}]},
    "a document with parts": {"parts": [{"text": "Chapter one"}], "title": "Book"},
    "a response of a web server": {"request": {"url": "/"}, "response": {"status": 200, "content": "ok"}},
}


def load(path: str) -> Any:
    raw = (FIXTURES / path).read_bytes()
    raw = gzip.decompress(raw) if path.endswith(".gz") else raw
    return [json.loads(line) for line in raw.splitlines()] if ".jsonl" in path else json.loads(raw)


@pytest.mark.parametrize("path", PATHS)
def test_one_form_alone_claims_a_run(path):
    document = load(path)

    claimed = [name for name, form in formats.TRACE_FORMATS.items() if form.recognise(document)]

    assert len([name for name in claimed if name != FALLBACK] or claimed) == 1


@pytest.mark.parametrize("about", LOOK_ALIKES)
def test_what_only_looks_alike_is_refused(about):
    with pytest.raises(BadTrace):
        formats.read(LOOK_ALIKES[about])


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The paths of all values inside a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, part in inner for place in ((*path, key), *places(part, (*path, key)))]


def damage(document: Any, path: tuple[str | int, ...], value: Any) -> None:
    for key in path[:-1]:
        document = document[key]
    document[path[-1]] = value


@pytest.mark.parametrize("path", MESSAGE_PATHS)
def test_a_damaged_run_is_read_or_refused(path):
    chance = random.Random(path)
    text = json.dumps(load(path))
    found = places(json.loads(text))
    for _ in range(DAMAGED_COPIES):
        document = json.loads(text)
        damage(document, chance.choice(found), chance.choice(DAMAGE))
        with suppress(BadTrace):
            formats.read(document)


def grow(path: str, times: int) -> Any:
    """A run whose entries are repeated."""
    document = load(path)
    if isinstance(document, list):
        return document * times
    key = next(key for key in ("messages", "events", "tasks_output", "contents", "chat_history") if key in document)
    return document | {key: document[key] * times}


@pytest.mark.parametrize(
    "path",
    [
        "adk/session.json",
        "anthropic/request.json",
        "autogen/chat_result.json",
        "autogen/task_result.json",
        "crewai/crew_output.json",
        "crewai/events.jsonl",
        "gemini/request.json",
        "langchain/lc.json",
        "langchain/model_dump.json",
        "openai/response_items.json",
        "openai/agents_trace.jsonl",
    ],
)
def test_a_run_of_twice_the_length_takes_twice_the_steps(path):
    one, two = (count_steps(partial(formats.read, grow(path, times))) for times in (20, 40))

    assert two <= 2.1 * one
