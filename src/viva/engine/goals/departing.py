"""Departing: what agents do or say that has nothing to do with any goal in force, without any order."""

from typing import NamedTuple

from viva.engine.call_text import call_text, flat
from viva.engine.calls.actions import changes, leaves, name_words
from viva.engine.goals.goal import Goal, content_stems
from viva.engine.model import Interaction, ToolCall
from viva.engine.reading import Place, Reading, calls
from viva.engine.team.agents import Directory, hands_over

GLANCE, LOOK = 300, 1_500  # characters: most texts name the goal at once, the others are read on
PIECE = 400  # characters of a text whose meaning is compared
SUBSTANCE = 8  # content words; less is a courtesy
NEAR, FAR = 0.10, 0.0  # static similarity to the goal: from here on about it; from here on about something else
UNLIKE_GOAL = 0.25  # static similarity below which a deed without a common word is about something else
TEXTS = 400  # texts looked at, the last ones: drift shows at the end
MIN_DEED_STEMS = 2


class Departure(NamedTuple):
    """Something away from the goal, and how far: 0 on it, 1 about something else. `name` and `step` are those of a call."""

    place: Place
    text: str
    distance: float
    step: int | None = None
    name: str = ""


def departures(reading: Reading, in_force: list[Goal]) -> tuple[list[Departure], int]:
    """The texts that have left every goal in force, and how many texts there were with something to say."""
    found: list[Departure] = []
    count = 0
    for place in reading.places[-TEXTS:]:
        text, goal = audible_text(place.interaction)[:LOOK], in_force[place.turn]
        if not goal.said or len(text) < 6 * SUBSTANCE:
            continue
        count += 1
        if content_stems(text[:GLANCE]).isdisjoint(goal.words) and (distance := far(reading, place, text, goal)) > 0:
            found.append(Departure(place, text, distance))
    return found, count


def audible_text(interaction: Interaction) -> str:
    """What an agent said for others to hear, else its last thought."""
    steps = reversed(interaction.agent_steps)
    return interaction.agent_response or next((step.thought for step in steps if step.thought), "") or ""


def far(reading: Reading, place: Place, text: str, goal: Goal) -> float:
    """How far a text lies from the goal; it is on it when it speaks of what the tools or the knowledge hold."""
    words = content_stems(text)
    if len(words) < SUBSTANCE or words & goal.words or words & looked_up(reading, place):
        return 0.0
    vectors = reading.static([text[:PIECE], *goal.said])
    alike = float((vectors[1:] @ vectors[0]).max())
    return min(1.0, max(0.0, (NEAR - alike) / (NEAR - FAR)))


def looked_up(reading: Reading, place: Place) -> frozenset[str]:
    """The words of what came back in this interaction and of its turn's knowledge."""
    steps = place.interaction.agent_steps[:20]
    results = [flat(step.tool_call.result)[:LOOK] for step in steps if step.tool_call]
    seen = [step.observation[:LOOK] for step in steps if step.observation]
    return content_stems("\n".join([*results, *seen, (reading.trace.turns[place.turn].knowledge or "")[:LOOK]]))


def strange_deeds(reading: Reading, in_force: list[Goal]) -> list[Departure]:
    """Calls that change something and share no word with the goal, with anything said to the agent or with earlier results.

    A handover is none of them: whom to give the work to is no part of what the user asks.
    """
    found: list[Departure] = []
    heard: list[str] = []  # what was said and came back, from which the words are taken only if they are needed
    for place in reading.places[:TEXTS]:
        goal = in_force[place.turn]
        for k, step in calls(place.interaction):
            call = step.tool_call or ToolCall("")
            deed = changes(call.tool_name)
            if deed and goal.said and is_strange(reading, call, goal, heard):
                found.append(Departure(place, call_text(call), deed, k, call.tool_name))
            heard.append(flat(call.result)[:LOOK])
        heard.append((place.interaction.agent_response or "")[:LOOK])
    return found


def is_strange(reading: Reading, call: ToolCall, goal: Goal, heard: list[str]) -> bool:
    text = " ".join([*name_words(call.tool_name), *leaves(call.parameters)])[:LOOK]
    words = content_stems(text)
    if len(words) < MIN_DEED_STEMS or not words.isdisjoint(goal.words) or hands_over(call, reading.once(Directory)):
        return False
    if any(not words.isdisjoint(content_stems(said)) for said in heard[-TEXTS:]):
        return False
    vectors = reading.static([text[:PIECE], *goal.said])
    return float((vectors[1:] @ vectors[0]).max()) < UNLIKE_GOAL
