"""Clashes: every fault between the agents of a run, from the finders of each kind."""

from viva.engine.faults import RunFault
from viva.engine.reading import Reading
from viva.engine.team.breaches import (
    absent_agents,
    foreign_tools,
    mutual_waiting,
    returned_work,
    swapped_outputs,
    wrong_speakers,
)
from viva.engine.team.contradicting import broken_order, contradictions
from viva.engine.team.flow import stretches
from viva.engine.team.repeats import repeated_calls, repeated_words
from viva.engine.team.talk import TeamTalk

FINDERS = (
    repeated_calls,
    repeated_words,
    foreign_tools,
    wrong_speakers,
    swapped_outputs,
    returned_work,
    absent_agents,
    mutual_waiting,
    broken_order,
    contradictions,
)


def find_clashes(reading: Reading) -> list[RunFault]:
    """Every clash of a run with two agents or more, one for a kind and place."""
    run = stretches(reading)
    if len({stretch.agent_id for stretch in run}) < 2:
        return []
    talk = TeamTalk(reading)
    found = {(fault.kind, fault.turn, fault.part): fault for find in reversed(FINDERS) for fault in find(talk)}
    return sorted(found.values(), key=lambda fault: (fault.turn, fault.part, -fault.confidence))
