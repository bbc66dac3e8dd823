"""Flaws: what lowers a score by itself, however good the rest is."""

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from viva.engine.evidence import Evidence, cut
from viva.engine.reading import Place, Reading


class Flaw(NamedTuple):
    """One flaw: its name in the table of what each leaves of a score, why it is one, and the words that show it.

    `place` is where the words stand, if elsewhere than in the interaction that has the flaw.
    """

    name: str
    why: str
    quote: str
    place: Place | None = None


def left_by(flaws: Iterable[Flaw], left: Mapping[str, float]) -> float:
    """What several flaws leave of a score; they multiply."""
    return math.prod(left[flaw.name] for flaw in flaws)


def flaw_evidence(reading: Reading, flaws: Iterable[Flaw], own: Place) -> list[Evidence]:
    """The flaws of an interaction, each where its words stand."""
    places = [(flaw, flaw.place or own) for flaw in flaws]
    return [Evidence(flaw.why, cut(flaw.quote), reading.turn_index(at.turn), at.part) for flaw, at in places]
