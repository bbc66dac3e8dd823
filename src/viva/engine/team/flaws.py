"""Flaws: what lowers a score by itself, however good the rest is."""

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from viva.engine.evidence import Evidence, cut


class Flaw(NamedTuple):
    """One flaw: its name in the table of what each leaves of a score, why it is one, and the words that show it."""

    name: str
    why: str
    quote: str


def left_by(flaws: Iterable[Flaw], left: Mapping[str, float]) -> float:
    """What several flaws leave of a score; they multiply."""
    return math.prod(left[flaw.name] for flaw in flaws)


def shown(flaws: Iterable[Flaw], turn_index: int, interaction_index: int) -> list[Evidence]:
    return [Evidence(flaw.why, cut(flaw.quote), turn_index, interaction_index) for flaw in flaws]
