"""Faults in how agents work: each with its place, the words that show it, and how sure it is."""

import math
from collections.abc import Iterable
from typing import NamedTuple

from viva.engine.evidence import Evidence, cut
from viva.engine.reading import Place, Reading

FAULT_COST = 0.4  # of a score, for a fault that is certain: one alone takes it below the 0.7 from which advice is given


class RunFault(NamedTuple):
    """One fault: what kind, who did it where (positions in the trace), how probable it is, and the words."""

    kind: str
    agent_id: str
    turn: int
    part: int
    confidence: float
    evidence: Evidence


def make_fault(
    reading: Reading, kind: str, place: Place, confidence: float, why: str, quote: str, step: int | None = None
) -> RunFault:
    """A fault of the agent that acts at a place, quoted from there."""
    evidence = Evidence(cut(why), cut(quote), reading.turn_index(place.turn), place.part, step)
    return RunFault(kind, place.interaction.agent_id, place.turn, place.part, confidence, evidence)


def score_left(faults: Iterable[RunFault], cost: float = FAULT_COST) -> float:
    """What faults leave of a score, each by its probability."""
    return math.prod(1 - cost * fault.confidence for fault in faults)
