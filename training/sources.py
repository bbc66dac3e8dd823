"""Labelled pairs of texts, by source: SOURCE.jsonl.gz in a folder, with its task and licence in manifest.json."""

import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

SEED = 7


class Pair(NamedTuple):
    """Two texts and a label. `group` is what must not be split; `more` has the fields of its source alone."""

    source: str
    group: str
    text_a: str
    text_b: str
    context: str
    label: int | str
    more: dict[str, Any]


def sources_of(folder: Path, task: str) -> list[str]:
    """The sources of one task, in alphabetical order."""
    listed = json.loads((folder / "manifest.json").read_text())["sources"]
    return sorted(source["source"] for source in listed if source["task"] == task)


def licences(folder: Path, sources: list[str]) -> str:
    """The sources with their licences, for the `origin` of a model."""
    listed = {one["source"]: one["licence"] for one in json.loads((folder / "manifest.json").read_text())["sources"]}
    return ", ".join(f"{source} ({listed[source]})" for source in sources)


def read_pairs(folder: Path, source: str, most: int | None = None) -> list[Pair]:
    """The pairs of one source, in a fixed random order; only `most` of them if given."""
    pairs = list(iterate_pairs(folder, source))
    random.Random(SEED).shuffle(pairs)
    return pairs[:most]


def iterate_pairs(folder: Path, source: str) -> Iterator[Pair]:
    with gzip.open(folder / f"{source}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            known = (row.pop(name, "") or "" for name in ("text_a", "text_b", "context"))
            text_a, text_b, context = known
            label = row.pop("label")
            row.pop("task"), row.pop("licence")
            yield Pair(row.pop("source"), str(row.pop("group", "")), text_a, text_b, context, label, row)
