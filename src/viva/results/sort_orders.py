"""The orders in which results are listed, and the filters that the index of each order supports."""

from typing import NamedTuple


class SortOrder(NamedTuple):
    """`key` is compared as one row. An index has the evaluation, then one filter of `led_by` if any, then the key."""

    key: tuple[str, ...]
    led_by: tuple[str, ...] = ()


NEWEST_FIRST = "-completed_at"
TIES = ("completed_at", "id")
SORT_ORDERS = {
    "completed_at": SortOrder(TIES, ("agent_id", "proctor_agent_id", "evaluation_version", "passed")),
    "passed": SortOrder(("passed", *TIES), ("passed",)),
    "score": SortOrder(("score_key", *TIES), ("evaluation_version",)),
    "points_earned": SortOrder(("points_earned", *TIES)),
    "evaluation_version": SortOrder(("evaluation_version", *TIES), ("evaluation_version",)),
}


def known_sort(sort: str) -> str:
    """A column of SORT_ORDERS, with a minus for descending order; any other text gives the newest first."""
    return sort if sort.removeprefix("-") in SORT_ORDERS else NEWEST_FIRST
