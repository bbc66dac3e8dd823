"""Signs of the work: what was asked for, whether it was tried, succeeded and was reported as it was, and doubts on the way."""

import math
import re
from itertools import pairwise

from viva.engine.calls.actions import CHANGES, changes
from viva.engine.calls.failures import speaks_of_failure
from viva.engine.outcome.arithmetic import answer_in, false_equations, figures
from viva.engine.outcome.closing import Closing, is_farewell
from viva.engine.outcome.signs import Sign, flag, shown_by
from viva.engine.outcome.tries import Try, find_unrepaired, only_looks
from viva.engine.reading import Place, Reading, answer, interaction_text
from viva.engine.text.phrases import Phrases
from viva.engine.text.words import words

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
MEASURES = (
    r"(?:miles?|kilomet\w+|met(?:er|re)s?|feet|inches|yards?|acres?|hours?|minutes?|days?|weeks?|years?"
    r"|pounds?|ounces?|kilos?|grams?|tons?|lit(?:er|re)s?|gallons?|cups?|dollars?|euros?|percent)"
)
COUNTS = re.compile(rf"\bhow many (?!(?:\w+ )?{MEASURES}\b)", re.I)  # a measure may have a fraction
MOST_CUES = 2  # words that count: two say as much as twenty
MAX_MESSAGE_CHARACTERS = 3_000  # of one message, half from its beginning and half from its end
MESSAGES = 40  # the last of a run; what was said long before has been said again
NOTHING = Phrases(  # in small letters
    r"(?:no (?:results?|matches|records?|entries|data|such)|not found|could not find|nothing (?:found|happens)|none found|does not exist)\b"
)
SHORT_RUN, LONG_RUN = 500, 6_000  # characters: of an easy task, and of the longest runs that were learned from
RESULT_HEAD = 300  # characters in which a result says that there is nothing
MAX_TASK_CHARACTERS = 3_000  # characters of a task that are looked at
TOKEN = re.compile(r"[a-z']+|[.;:!?,\n(]|\d+[.)]")
LEADS = frozenset(words("please and then to also you should must or first now finally afterwards just kindly"))
DELEGATED = frozenset(words("follow perform complete execute handle"))  # orders whose changes stand elsewhere
ORDERS = CHANGES | DELEGATED | {"do"}
YES_OR_NO = re.compile(r"\s*(?:is|are|was|were|do|does|did|has|have)\b", re.I)
THINGS = frozenset(words("email message"))  # after "to" a thing, elsewhere a deed


def solution_signs(reading: Reading, task: str) -> list[Sign]:
    """What the agents' words and figures say about the end of a run. A briefing that repeats the task is passed over."""
    task = task[:MAX_MESSAGE_CHARACTERS]
    places = [place for place in reading.places if not (task and task in (place.interaction.agent_response or ""))]
    spoken = [(place, both_ends(interaction_text(place.interaction))) for place in places[-MESSAGES:]]
    own = {name: [cue for cue in cues if cue not in task.lower()] for name, cues in CUES.items()}
    return [*(count_cues(name, cues, spoken) for name, cues in own.items()), odd_sign(task, spoken), sum_sign(spoken)]


def both_ends(text: str) -> str:
    """A text without the middle of a long one."""
    half = MAX_MESSAGE_CHARACTERS // 2
    return text if len(text) <= MAX_MESSAGE_CHARACTERS else f"{text[:half]}\n{text[-half:]}"


def count_cues(name: str, cues: list[str], spoken: list[tuple[Place, str]]) -> Sign:
    """How often the cues fell, and the first place."""
    lowered = [text.lower() for _, text in spoken]
    found = [(k, at) for k, low in enumerate(lowered) for cue in cues if (at := low.find(cue)) >= 0]
    if not found:
        return Sign(name, 0.0)
    k, at = min(found)
    place, text = spoken[k]
    return Sign(name, float(min(MOST_CUES, len(found))), text[at : at + 100].partition("\n")[0], *place[:2])


def odd_sign(task: str, spoken: list[tuple[Place, str]]) -> Sign:
    """Whether the number that is stated at the end cannot be a count, where a count is asked for."""
    if not spoken or not COUNTS.search(task):
        return Sign("odd", 0.0)
    stated = ((found, place, text) for place, text in reversed(spoken) if (found := answer_in(text)) is not None)
    last = next(reversed(figures(spoken[-1][1])), None)
    number, place, text = next(stated, (last, *spoken[-1]))
    odd = number is not None and (number <= 0 or number != round(number))
    return flag("odd", odd, text[-200:], *place[:2])


def sum_sign(spoken: list[tuple[Place, str]]) -> Sign:
    """The first false equation. It is told in plain signs, and so only quoted where it was written in them."""
    false = next(((sum_, place, text) for place, text in spoken for sum_ in false_equations(text)), None)
    if false is None:
        return Sign("false_sum", 0.0)
    equation, place, text = false
    return Sign("false_sum", 1.0, equation if equation in text else "", *place[:2], told=equation)


def work_signs(reading: Reading, asked: str, done: list[Try], close: Closing) -> list[Sign]:
    """What the calls and programs of a run say about its end."""
    lost = find_unrepaired(done)
    silent = lost and not any(speaks_of_failure(answer(turn)) for turn in reading.trace.turns[lost.turn :])
    refused = lost if lost and lost.changing and close.text and silent else None
    empty = [one for one in done if not one.failed and NOTHING.said_in(one.result[:RESULT_HEAD].lower())]
    again = find_repeats(done)
    idle = all(one.failed or one.handing or only_looks(one.tool) for one in done)
    asked_once = sum(not is_farewell(turn.user_message or "") for turn in reading.trace.turns) <= 1
    undone = idle and asked_once and could_change(reading, done)  # in a conversation the user may have let it be
    heard = sum(len(interaction_text(place.interaction)) for place in reading.places)
    length = heard + sum(len(one.asked) + len(one.result) for one in done if one.tool)
    return [
        flag("undone", undone and bool(ordered_changes(asked)), asked),
        shown_by("last_failed", done[-1] if done and done[-1].failed else None),
        shown_by("refused_told_as_done", refused),
        shown_by("found_nothing", empty[-1] if empty else None, math.log1p(len(empty))),
        shown_by("repeats", again[-1] if again else None, math.log1p(len(again))),
        Sign("failures", math.log1p(sum(one.failed for one in done))),
        Sign("length", math.log2(min(LONG_RUN, max(SHORT_RUN, length)) / SHORT_RUN), told=f"{length} characters"),
    ]


def could_change(reading: Reading, done: list[Try]) -> bool:
    """Whether there was anything to change with; for agents without such tools the answer itself is the deed."""
    declared = (tool.name for agent in reading.trace.agents for tool in agent.tools_available or ())
    return any(changes(name) == 1 for name in declared) or any(one.changing for one in done)


def find_repeats(done: list[Try]) -> list[Try]:
    keys = [(one.tool, one.asked, one.result) for one in done]
    first = {key: k for k, key in reversed(list(enumerate(keys)))}
    return [one for k, (one, key) in enumerate(zip(done, keys, strict=True)) if first[key] < k]


def task_of(reading: Reading) -> str:
    """What the run was for: the task it states, else the user's first words."""
    return reading.trace.initial_task or reading.trace.turns[0].user_message or ""


def asked_of(reading: Reading) -> str:
    """Everything that was asked for: in a conversation all of the user's words, else the task."""
    turns = reading.trace.turns
    said = [turn.user_message or "" for turn in turns] if len(turns) > 1 else []
    return "\n".join(dict.fromkeys([task_of(reading), *said]))[:MAX_TASK_CHARACTERS]


def asks_yes_or_no(task: str) -> bool:
    """Whether a task begins as a question that yes or no answers: half of the guesses are right."""
    return YES_OR_NO.match(task) is not None


def ordered_changes(task: str) -> list[str]:
    """The changes a task orders, as verbs; empty for a task that only asks."""
    tokens = ["", *TOKEN.findall(task[:MAX_TASK_CHARACTERS].lower())]
    return [token for before, token in pairwise(tokens) if token in ORDERS and is_order(before, token)]


def is_order(before: str, token: str) -> bool:
    """Whether a word is a verb of change at the head of a clause."""
    if token not in CHANGES and token not in DELEGATED:
        return (before, token) == ("please", "do")  # elsewhere "do" asks or helps another verb
    heads = before in LEADS or not before[:1].isalpha()
    return heads and not (before == "to" and token in THINGS)
