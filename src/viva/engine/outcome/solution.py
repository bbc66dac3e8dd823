"""Signs of a solution: doubts in what agents say, and equations that do not hold."""

from typing import NamedTuple

from viva.engine.outcome.arithmetic import false_equations
from viva.engine.outcome.signs import Sign
from viva.engine.reading import Reading, interaction_text

DOUBTS = (
    *("apolog", "mistake", "incorrect", "misinterpret", "misunderst", "confusion", "discrepan", "inconsisten"),
    *("contradict", "re-evaluat", "reconsider", "not make sense", "n't make sense", "unrealistic", "went wrong"),
)
MOST_CUES = 2  # words that count: two say as much as twenty
MAX_MESSAGE_CHARACTERS = 3_000  # of one message, half from its beginning and half from its end
MESSAGES = 40  # the last of a run; what was said long before has been said again


class SpokenMessage(NamedTuple):
    """What one agent said, and where (positions)."""

    text: str
    turn: int
    interaction: int


def solution_signs(reading: Reading, task: str) -> list[Sign]:
    """What the agents' words and figures say about the end of a run."""
    task = task[:MAX_MESSAGE_CHARACTERS]
    spoken = messages(reading, task)
    doubts = tuple(cue for cue in DOUBTS if cue not in task.lower())
    false = next(((sum_, one) for one in spoken for sum_ in false_equations(one.text)), None)
    return [count_doubts(doubts, spoken), shown_in(*false) if false else Sign("false_sum", 0.0)]


def messages(reading: Reading, task: str) -> list[SpokenMessage]:
    """What the agents said, without a briefing that repeats the task."""
    spoken = [place for place in reading.places if not (task and task in (place.interaction.agent_response or ""))]
    return [
        SpokenMessage(both_ends(interaction_text(place.interaction)), place.turn, place.part)
        for place in spoken[-MESSAGES:]
    ]


def both_ends(text: str) -> str:
    """A text without the middle of a long one."""
    half = MAX_MESSAGE_CHARACTERS // 2
    return text if len(text) <= MAX_MESSAGE_CHARACTERS else f"{text[:half]}\n{text[-half:]}"


def count_doubts(cues: tuple[str, ...], spoken: list[SpokenMessage]) -> Sign:
    """How often words of doubt fell, and the first place."""
    lower = [message.text.lower() for message in spoken]
    places = [(k, at) for k, low in enumerate(lower) for cue in cues if (at := low.find(cue)) >= 0]
    if not places:
        return Sign("doubted", 0.0)
    k, at = min(places)
    words = spoken[k].text[at : at + 100].partition("\n")[0]
    return Sign("doubted", float(min(MOST_CUES, len(places))), words, spoken[k].turn, spoken[k].interaction)


def shown_in(equation: str, message: SpokenMessage) -> Sign:
    """A false equation in its message. It is told in plain signs, and so only quoted where it was written in them."""
    quote = equation if equation in message.text else ""
    return Sign("false_sum", 1.0, quote, message.turn, message.interaction, told=equation)
