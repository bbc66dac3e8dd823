"""Signs of a solution: doubts, assumptions and figures in what agents say until one of them states an answer."""

import re
from typing import NamedTuple

from viva.engine.outcome.arithmetic import answer_in, false_equations, figures
from viva.engine.outcome.signs import Sign, flag
from viva.engine.reading import Reading, interaction_text

CUES = {
    "assumed": ("assum", "suppose ", "hypothetical", "let's say", "presum"),
    "missing": (
        "not provided", "not specified", "not given", "not mention", "not stated", "missing", "not enough",
        "insufficient", "unclear", "ambigu", "without knowing", "more information", "additional information",
        "not specify", "n't specify", "n't provide", "not provide", "n't mention", "unspecified",
    ),
    "doubted": (
        "apolog", "mistake", "incorrect", "misinterpret", "misunderst", "confusion", "discrepan", "inconsisten",
        "contradict", "re-evaluat", "reconsider", "not make sense", "n't make sense", "unrealistic", "went wrong",
    ),
}  # fmt: skip
MOST_CUES = 2  # words that count: two say as much as twenty
COUNTS = re.compile(r"\bhow many\b", re.I)
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
    lower = [message.text.lower() for message in spoken]
    own = {name: tuple(cue for cue in cues if cue not in task.lower()) for name, cues in CUES.items()}
    return [*(count_cues(name, cues, spoken, lower) for name, cues in own.items()), *figure_signs(task, spoken)]


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


def count_cues(name: str, cues: tuple[str, ...], spoken: list[SpokenMessage], lower: list[str]) -> Sign:
    """How often the cues fell, and the first place."""
    places = [(k, at) for k, low in enumerate(lower) for cue in cues if (at := low.find(cue)) >= 0]
    if not places:
        return Sign(name, 0.0)
    k, at = min(places)
    words = spoken[k].text[at : at + 100].partition("\n")[0]
    return Sign(name, float(min(MOST_CUES, len(places))), words, spoken[k].turn, spoken[k].interaction)


def figure_signs(task: str, spoken: list[SpokenMessage]) -> list[Sign]:
    """Is the number that is stated at the end a possible one, and do the equations hold?"""
    stated = [(found, message) for message in spoken if (found := answer_in(message.text)) is not None]
    end = spoken[-1] if spoken else SpokenMessage("", 0, 0)
    answer, message = stated[-1] if stated else (next(reversed(figures(end.text)), None), end)
    false = next(((sum_, one) for one in spoken for sum_ in false_equations(one.text)), None)
    return [
        flag("odd", answer is not None and is_odd(task, answer), message.text[-200:], *message[1:]),
        shown_in(*false) if false else Sign("false_sum", 0.0),
    ]


def shown_in(equation: str, message: SpokenMessage) -> Sign:
    """A false equation in its message. It is told in plain signs, and so only quoted where it was written in them."""
    quote = equation if equation in message.text else ""
    return Sign("false_sum", 1.0, quote, message.turn, message.interaction, told=equation)


def is_odd(task: str, answer: float) -> bool:
    """Whether an answer cannot be a count, where a count is asked for."""
    return COUNTS.search(task) is not None and (answer <= 0 or answer != round(answer))
