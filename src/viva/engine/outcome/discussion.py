"""Signs of a discussion: agents who talk, calculate and check until one of them states an answer."""

import math
import re
from typing import NamedTuple

from viva.engine.outcome.arithmetic import answer_in, false_equations, figures
from viva.engine.outcome.requests import open_amounts, task_of
from viva.engine.outcome.signs import Sign, flag
from viva.engine.reading import Reading, interaction_text
from viva.engine.text.numbers import SPELLED
from viva.engine.text.words import words

WHY = {
    "open_amount": "The task leaves an amount open, and the answer settles on one number",
    "assumed": "The solution rests on an assumption",
    "missing": "An agent says that the task does not give what is needed",
    "doubted": "Agents found mistakes or contradictions in the work",
    "crashed": "A program ended with an error",
    "approximate": "The answer was rounded or is approximate",
    "effort": "The discussion was long",
    "unfounded": "A program works with figures that the task does not give",
    "unused": "A program leaves figures of the task unused",
    "unmatched": "The final answer is not what the programs put out",
    "unstated": "The task asks for a number and the end states none",
    "odd": "The answer is no possible count: negative, none, or a fraction of a thing",
    "changed": "Different answers were stated",
    "false_sum": "An equation does not hold",
}
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
    "crashed": ("traceback", "syntaxerror", "nameerror", "typeerror", "valueerror", "exitcode: 1", "is not defined"),
    "approximate": ("approximat", "round"),
}  # fmt: skip
DECLARED_OPEN = (
    "cannot be determined", "cannot determine", "can't determine", "unable to determine", "not possible to determine",
    "impossible to determine", "cannot be solved", "cannot be calculated", "not enough information",
)  # fmt: skip
COUNTS = re.compile(r"\bhow many\b", re.I)
MEASURES = re.compile(
    r"\bhow (?:many|much|long|old|tall|far|fast|big|large|high|heavy)\b|\b(?:calculate|compute)\b", re.I
)
BRIEFING = re.compile(r"proxy|orchestrat|manager|user", re.I)
COMMENT = re.compile(r"#.*")
MAX_MESSAGE_CHARACTERS = 3_000  # characters of one message, half from its beginning and half from its end
MESSAGES = 40  # the last of a discussion; what was said long before has been said again
TYPICAL = 2_000  # characters in which a small team solves a small problem
OUTPUT = 200  # characters: what a program prints is short
# What everybody knows without the task: small counts, per cent, hours, days, months, dozens.
COMMON = frozenset(
    (0.0, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 7.0, 10.0, 12.0, 24.0, 30.0, 31.0, 52.0, 60.0, 100.0, 365.0, 1000.0)
)


class DiscussionMessage(NamedTuple):
    """What one agent said, and where (positions)."""

    text: str
    turn: int
    interaction: int


def signs(reading: Reading) -> list[Sign]:
    """What a discussion says about its end."""
    task = task_of(reading)[:MAX_MESSAGE_CHARACTERS]
    spoken = messages(reading)
    return [
        *said_signs(spoken),
        *program_signs(task, spoken),
        *answer_signs(task, spoken),
        Sign("effort", math.log1p(sum(len(message.text) for message in spoken) / TYPICAL)),
    ]


def messages(reading: Reading) -> list[DiscussionMessage]:
    """What the agents said, without the briefing that opens a discussion."""
    places = reading.places
    opener = reading.agents.get(places[0].interaction.agent_id) if places else None
    briefed = opener is not None and len(places) > 1 and BRIEFING.search(opener.role or "") is not None
    spoken = places[1:] if briefed else places
    return [
        DiscussionMessage(both_ends(interaction_text(place.interaction)), place.turn, place.part)
        for place in spoken[-MESSAGES:]
    ]


def both_ends(text: str) -> str:
    """A text without the middle of a long one."""
    return (
        text
        if len(text) <= MAX_MESSAGE_CHARACTERS
        else f"{text[: MAX_MESSAGE_CHARACTERS // 2]}\n{text[-MAX_MESSAGE_CHARACTERS // 2 :]}"
    )


def said_signs(spoken: list[DiscussionMessage]) -> list[Sign]:
    """Words of doubt, of guessing and of trouble."""
    lower = [message.text.lower() for message in spoken]
    whole = "\n".join(lower)
    return [count_cues(name, [cue for cue in cues if cue in whole], spoken, lower) for name, cues in CUES.items()]


def count_cues(name: str, fallen: list[str], spoken: list[DiscussionMessage], lower: list[str]) -> Sign:
    """How often the cues that fell did fall, at most twice, and the first place."""
    if not fallen:
        return Sign(name, 0.0)
    count = sum(text.count(cue) for text in lower for cue in fallen)
    message, text = next((m, low) for m, low in zip(spoken, lower, strict=True) if fallen[0] in low)
    at = max(0, text.find(fallen[0]) - 60)
    return Sign(name, float(min(2, count)), piece(message.text, at), message.turn, message.interaction)


def piece(text: str, at: int) -> str:
    """Some words of a message from a position on, not across the gap where a long one lacks its middle."""
    end = (
        MAX_MESSAGE_CHARACTERS // 2
        if len(text) > MAX_MESSAGE_CHARACTERS and at < MAX_MESSAGE_CHARACTERS // 2
        else len(text)
    )
    return text[at : min(at + 200, end)]


def program_signs(task: str, spoken: list[DiscussionMessage]) -> list[Sign]:
    """Do the programs work with the figures of the task, and with those only?"""
    code = COMMENT.sub("", "\n".join(block for message in spoken for block in message.text.split("```")[1::2]))
    used = {abs(figure) for figure in figures(code)}
    given = set(figures(task))
    known = given | {float(SPELLED[word]) for word in words(task) if word in SPELLED}
    related = known | {part for figure in known for part in (figure / 100, 1 - figure / 100, 1 + figure / 100)}
    foreign = sorted(used - related - COMMON)
    left = sorted(figure for figure in given if figure not in used and figure / 100 not in used) if used else []
    return [
        Sign("unfounded", float(min(3, len(foreign))), told=join_numbers(foreign)),
        Sign("unused", float(min(2, len(left))), task, told=join_numbers(left)),
    ]


def join_numbers(numbers: list[float]) -> str:
    return ", ".join(f"{number:g}" for number in numbers)


def answer_signs(task: str, spoken: list[DiscussionMessage]) -> list[Sign]:
    """Is there one answer, possible, and the one that was worked out?"""
    stated = [(found, message) for message in spoken if (found := answer_in(message.text)) is not None]
    end = spoken[-1] if spoken else DiscussionMessage("", 0, 0)
    answer, message = stated[-1] if stated else (next(reversed(figures(end.text)), None), end)
    printed = {
        figure for one in spoken if len(one.text) < OUTPUT and "```" not in one.text for figure in figures(one.text)
    }
    place = (message.text[-200:], message.turn, message.interaction)
    open_amount = open_amounts(task)
    settled = not any(cue in end.text.lower() for cue in DECLARED_OPEN)
    false = next(((sum_, one) for one in spoken for sum_ in false_equations(one.text)), None)
    return [
        Sign("open_amount", float(bool(open_amount) and settled), task, told=", ".join(open_amount)),
        flag("unstated", answer is None and settled and MEASURES.search(task) is not None, *place),
        flag("odd", answer is not None and is_odd(task, answer), *place),
        flag("unmatched", answer is not None and bool(printed) and not among(answer, printed), *place),
        flag("changed", len({round(found, 2) for found, _ in stated}) > 1, *place),
        shown_in(*false) if false else Sign("false_sum", 0.0),
    ]


def shown_in(equation: str, message: DiscussionMessage) -> Sign:
    """A false equation in its message. It is told in plain signs, and so only quoted where it was written in them."""
    quote = equation if equation in message.text else ""
    return Sign("false_sum", 1.0, quote, message.turn, message.interaction, told=equation)


def is_odd(task: str, answer: float) -> bool:
    """Whether an answer cannot be a count, where a count is asked for."""
    return COUNTS.search(task) is not None and (answer <= 0 or answer != round(answer))


def among(answer: float, printed: set[float]) -> bool:
    """Whether a number was printed, up to rounding."""
    return any(abs(figure - answer) <= 0.01 * abs(figure) + 0.5 for figure in printed)
