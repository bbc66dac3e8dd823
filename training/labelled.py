"""Labelled runs of a folder: TASK.cases.jsonl has a trace a line, TASK.labels.jsonl its label in the same order."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from viva.engine.model import Trace


class Labelled(NamedTuple):
    """A trace and what is known about it; `set` says where it is from, `group` what must not be split."""

    trace: Trace
    label: dict[str, Any]

    @property
    def tools(self) -> str:
        """The names of its tools, by which runs of one trade are known."""
        return " ".join(sorted(tool.name for agent in self.trace.agents for tool in agent.tools_available or ()))


def labelled(folder: Path, task: str) -> Iterator[Labelled]:
    """The runs of one task."""
    with open(folder / f"{task}.cases.jsonl", "rb") as cases, open(folder / f"{task}.labels.jsonl", "rb") as labels:
        for line, label in zip(cases, map(json.loads, labels), strict=True):
            yield Labelled(msgspec.json.decode(line, type=Trace), label)
