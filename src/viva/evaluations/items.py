"""The items of an evaluation: what it asks under each id, and which items of an old version are still asked."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from viva.evaluations.model import CONTRIBUTED_PREFIX, Evaluation

Asked = Iterator[tuple[str, Any]]


def questions_in(config: dict[str, Any]) -> Asked:
    return ((row["id"], [row["text"], row.get("options")]) for row in config.get("questions", ()))


def probes_in(config: dict[str, Any]) -> Asked:
    return ((row["id"], row["messages"]) for row in config.get("prompts", ()))


def checks_in(config: dict[str, Any]) -> Asked:
    """The checks of a text check look at one answer to one challenge."""
    return ((row["id"], config.get("challenge")) for row in config.get("checks") or ())


def class_rows_in(config: dict[str, Any]) -> Asked:
    return ((row["id"], config.get("task")) for row in config.get("rubric", ()))


READERS: dict[str, Callable[[dict[str, Any]], Asked]] = {
    "benchmark": questions_in,
    "agent_certification": probes_in,
    "text_check": checks_in,
    "live_class_work": class_rows_in,
}


def items_of(evaluation: Evaluation) -> dict[str, str] | None:
    """What each item asks, as folded text by its id. None for contributed code: nobody knows what it asks."""
    if evaluation.handler.startswith(CONTRIBUTED_PREFIX):
        return None
    reader = READERS.get(evaluation.handler)
    return {id_: fold(asked) for id_, asked in reader(evaluation.config)} if reader else {}


def fold(asked: Any) -> str:
    """The text without letter case and white space, so that a corrected typing error makes no new item."""
    return "".join(msgspec.json.encode(asked).decode().casefold().split())


def ids_still_asked(old: Evaluation, current: Evaluation) -> frozenset[str] | None:
    """The ids of the old version's items that the current version asks too, under any id. None: all of them."""
    known, asked = items_of(old), items_of(current)
    if known is None or asked is None:
        return None if known is None else frozenset()
    return frozenset(id_ for id_, text in known.items() if text in set(asked.values()))
