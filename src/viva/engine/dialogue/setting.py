"""The setting of a dialogue: an errand, in which the user wants something done, or small talk."""

import re

from viva.engine.dialogue.cues import cue_reader, phrases
from viva.engine.logistic import head
from viva.engine.reading import Reading, answer

TURNS = 12  # turns that are looked at; by then it shows
CHARACTERS = 400
PERSONAL = phrases(
    r"(?:do|are|have|did|were|would|can|will|who|what|where|how old) (?:are )?you (?:like|think|feel|live|work|study|believe|love|enjoy|prefer|ever|married|from|doing|up|a|happy|good)",
    r"your (?:name|favou?rite|opinion|hobb\w+|day|weekend|job|age|life|family|friends?)|how are you|are you|about you|about yourself|what's up|and you|i (?:love|like|hate|feel|think|am|was|had|went)",
)
WANTS = phrases(
    r"i (?:need|want)|i'd like|i would like|looking for|can you|could you|please|book|order|find|search|how do i|how can i|show me|give me|send|cancel|change|check",
)


def errand(reading: Reading) -> float:
    """The probability that the dialogue is an errand; certain where agents have tools."""
    if any(agent.tools_available for agent in reading.trace.agents) or any(
        place.interaction.agent_steps for place in reading.places[:TURNS]
    ):
        return 1.0
    return head("errand").probability(features(reading))


def features(reading: Reading) -> dict[str, float]:
    """Shares of the first messages and answers that show each trait."""
    turns = reading.trace.turns[:TURNS]
    asked = [(turn.user_message or "")[:CHARACTERS].lower() for turn in turns]
    answers = [answer(turn)[:CHARACTERS] for turn in turns]
    count = max(1, len(turns))
    return {
        "wants": sum(WANTS.said_in(text) for text in asked) / count,
        "personal": sum(PERSONAL.said_in(text) for text in asked) / count,
        "numbers": sum(bool(re.search(r"\d", text)) for text in [*asked, *answers]) / (2 * count),
        "offers": sum(cue_reader(text, "answers")("offers") for text in answers) / count,
        "delivers": sum(cue_reader(text, "answers")("delivers") for text in answers) / count,
        "words": sum(min(text.count(" "), 40) for text in answers) / (40 * count),
    }
