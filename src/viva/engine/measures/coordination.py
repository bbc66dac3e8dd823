"""Coordination: do the agents keep out of each other's way, keep the context, keep to their roles, and get on."""

from viva.engine.evidence import MAX_EVIDENCE_PIECES, Coordination, Evidence, Score
from viva.engine.faults import RunFault, score_left
from viva.engine.measures import handoff
from viva.engine.reading import Reading, once
from viva.engine.scoring import round_score
from viva.engine.team.clashes import CLASHES
from viva.engine.team.flow import stretches
from viva.engine.team.repeats import REPEATS
from viva.engine.team.talk import TeamTalk

MAX_CASES_LISTED = 50  # cases of one kind that are listed
MIN_CASE_CONFIDENCE = 0.5  # of a case that is listed; what is less sure only lowers the score a little


def measure(reading: Reading) -> Coordination:
    if len({stretch.agent_id for stretch in stretches(reading)}) < 2:
        return Coordination()
    faults = find_faults(reading)
    surest = sorted(faults, key=lambda fault: (-fault.confidence, fault.turn, fault.part))
    pieces = tuple(fault.evidence for fault in surest[:MAX_EVIDENCE_PIECES])
    cases: dict[str, list[Evidence]] = {}
    for fault in faults:
        if fault.confidence >= MIN_CASE_CONFIDENCE:
            cases.setdefault(fault.kind, []).append(fault.evidence)
    listed = {kind: tuple(found[:MAX_CASES_LISTED]) for kind, found in cases.items()}
    return Coordination(Score(round_score(score_left(faults)), pieces), **listed)


@once
def find_faults(reading: Reading) -> list[RunFault]:
    """Every fault between agents in the order of the run: one for a kind and place, and those of the handoffs."""
    if len({stretch.agent_id for stretch in stretches(reading)}) < 2:
        return []
    talk = TeamTalk(reading)
    clashes = {
        (fault.kind, fault.turn, fault.part): fault for find in reversed((*REPEATS, *CLASHES)) for fault in find(talk)
    }
    found = sorted(clashes.values(), key=lambda fault: (fault.turn, fault.part, -fault.confidence))
    return sorted([*found, *handoff.find_faults(reading)], key=lambda fault: (fault.turn, fault.part))
