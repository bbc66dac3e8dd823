"""Read the other parts of a verdict from a result's data. The data may have any form."""

from typing import Any, NamedTuple

from viva.results.markers import MARKERS_SHOWN
from viva.results.model import Result
from viva.web.criteria import ShownCriteria, number

SCORE_PARTS = {"group": "Group", "own": "Own part"}


class ScorePart(NamedTuple):
    """A named part of the score."""

    name: str
    value: float
    most: float


def parts_in(result_data: dict[str, Any]) -> list[ScorePart]:
    """The parts that have a score and a maximum."""
    found = ((name, result_data.get(field)) for field, name in SCORE_PARTS.items())
    read = (
        (name, number(part.get("score")), number(part.get("max_score")))
        for name, part in found
        if isinstance(part, dict)
    )
    return [ScorePart(name, value, most) for name, value, most in read if value is not None and most is not None]


def markers_in(criteria: ShownCriteria) -> list[str]:
    return sorted({given.marker for criterion in criteria.all for given in criterion.given})[:MARKERS_SHOWN]


def rest_of(result: Result, criteria: ShownCriteria) -> dict[str, Any]:
    """The data that no other part of the page shows. It is shown as JSON."""
    return {name: value for name, value in (result.result_data or {}).items() if name != "criteria" or not criteria.all}
