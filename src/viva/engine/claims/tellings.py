"""Every answer of a run held against what its agent had seen and been told by then."""

from typing import NamedTuple

from viva.engine.call_text import flat
from viva.engine.claims.mismatches import Comparison, compare
from viva.engine.claims.outcomes import find_clash
from viva.engine.claims.record import Record
from viva.engine.logistic import load_model
from viva.engine.model import Interaction, ToolCall
from viva.engine.reading import MAX_TEXT_CHARACTERS, Place, Reading, answering, once

MAX_ANSWER_CHARACTERS = 8_000
MAX_AGENTS = 20


class Telling(NamedTuple):
    """What an agent told in one interaction, held against the record, and the probability that it is wrong."""

    place: Place
    comparison: Comparison
    probability: float


@once
def tellings(reading: Reading) -> list[Telling]:
    """One for each response that can be compared: any once a tool was used, and the last one where several agents spoke."""
    record, found = Record(), []
    for agent in reading.trace.agents[:MAX_AGENTS]:
        record.hear(agent.description or "", 0)
    record.hear(reading.trace.initial_task or "", 0)
    for t, turn in enumerate(reading.follow("tellings", reading.trace.turns)):
        record.hear((turn.user_message or "")[:MAX_TEXT_CHARACTERS], t)
        record.hear((turn.knowledge or "")[:MAX_TEXT_CHARACTERS], t)
        last, made = answering(turn), list[ToolCall]()
        for part, interaction in enumerate(turn.agent_interactions):
            made += see_steps(record, interaction, t)
            response = (interaction.agent_response or "")[:MAX_ANSWER_CHARACTERS]
            if response.strip() and (record.results or (part == last and part > 0)):
                comparison = compare(response, record, find_clash(response, made) if made else None)
                chance = load_model("hallucination_results").probability(comparison.features)
                found.append(Telling(Place(t, part, interaction), comparison, chance))
            record.hear(response, t)
    return found


def see_steps(record: Record, interaction: Interaction, turn: int) -> list[ToolCall]:
    """Add what an agent did and what came of it to the record; its calls."""
    made = []
    for step in interaction.agent_steps:
        if step.observation:
            record.see(step.observation[:MAX_TEXT_CHARACTERS], turn)
        if step.tool_call:
            made.append(call := step.tool_call)
            record.hear(f"{call.tool_name}\n{flat(call.parameters)[:MAX_TEXT_CHARACTERS]}", turn)
            for back in filter(None, (call.result, call.error)):
                record.see(back, turn)
    return made
