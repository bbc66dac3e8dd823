"""How work goes from agent to agent: stretches of one agent's interactions, and what it passes on at their end."""

import re
from functools import cached_property

from viva.engine.call_text import call_text, flat
from viva.engine.calls.actions import leaves
from viva.engine.model import Interaction, Step
from viva.engine.reading import Place, Reading, once

# A call or an action that gives the work to somebody else.
GIVES = re.compile(
    r"(?i)^(?:hand(?:ing)?[ _-]?(?:over|off)|transfer|delegate|assign|route|escalate|send)[ _-]to[ _-](.+)$"
)
GO_AHEAD = re.compile(
    r"(?i)^\W*(?:ok(?:ay)?|yes|sure|continue|go (?:on|ahead)|proceed|next|carry on)?\W*(?:please)?\W*$"
)
RECENT = 5  # responses of one agent in a row that still count as what it passes on


class AgentRun:
    """Interactions of one agent in a row, within one turn."""

    def __init__(self, agent_id: str, places: list[Place]) -> None:
        self.agent_id = agent_id
        self.places = places

    @cached_property
    def handed_over(self) -> str:
        """What the next agent gets to see: the responses, else the last step."""
        acts = [place.interaction for place in self.places]
        spoken = [act for act in acts[-RECENT:] if (act.agent_response or "").strip()]
        return "\n".join(map(passed_text, spoken or acts[-1:]))

    @property
    def last_words(self) -> str:
        """What the last interaction itself said or did last, to be quoted at its place."""
        act = self.places[-1].interaction
        if said := (act.agent_response or "").strip():
            return said
        last = act.agent_steps[-1] if act.agent_steps else Step()
        return call_text(last.tool_call) if last.tool_call else last.observation or last.action or last.thought or ""

    @cached_property
    def has_calls(self) -> bool:
        return any(step.tool_call for place in self.places for step in place.interaction.agent_steps)

    @cached_property
    def everything(self) -> str:
        """What an agent said, thought and called tools with, without what came back."""
        acts = [place.interaction for place in self.places]
        steps = [step for act in acts for step in act.agent_steps]
        values = (leaf for step in steps if step.tool_call for leaf in leaves(step.tool_call.parameters))
        told = (text for step in steps for text in (step.thought, step.action))
        return "\n".join(filter(None, (*told, *values, *(act.agent_response for act in acts))))


@once
def stretches(reading: Reading) -> list[AgentRun]:
    found: list[AgentRun] = []
    for place in reading.places:
        if found and found[-1].agent_id == place.interaction.agent_id and found[-1].places[-1].turn == place.turn:
            found[-1].places.append(place)
        else:
            found.append(AgentRun(place.interaction.agent_id, [place]))
    return found


def continues(reading: Reading, one: AgentRun, two: AgentRun) -> bool:
    """Whether the second stretch goes on with the work of the first: the user said nothing new in between."""
    before, after = one.places[-1].turn, two.places[0].turn
    if one.agent_id == two.agent_id or after > before + 1:
        return False
    return after == before or bool(GO_AHEAD.match((reading.trace.turns[after].user_message or "")[:60]))


def passed_text(interaction: Interaction) -> str:
    """What the next agent gets to see: the response and the message of a transfer, else the last step."""
    last = interaction.agent_steps[-1] if interaction.agent_steps else Step()
    if not (interaction.agent_response or "").strip():
        return step_text(last)
    message = flat(last.tool_call.parameters) if last.tool_call and GIVES.match(last.tool_call.tool_name) else ""
    return "\n".join(part for part in (last.action, interaction.agent_response, message) if part)


def step_text(step: Step) -> str:
    call = step.tool_call
    made = [call.tool_name, flat(call.parameters), flat(call.result), call.error] if call else []
    return "\n".join(filter(None, (step.thought, step.action, step.observation, *made)))
