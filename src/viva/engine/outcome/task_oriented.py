"""Signs of an errand: one request, worked off with tools and closed with an answer."""

import math
from collections import Counter

from viva.engine.outcome.changes import ToolAction, changes, deeds, find_unrepaired, has_changed, withheld
from viva.engine.outcome.closing import Closing, closing
from viva.engine.outcome.requests import MAX_TASK_CHARACTERS, exact_names, ordered_changes, task_of
from viva.engine.outcome.signs import Sign, flag, shown_by
from viva.engine.reading import Reading, answer, flat
from viva.engine.text.numbers import numbers
from viva.engine.text.phrases import Phrases

WHY = {
    "undone": "The task orders a change, but no call changed anything",
    "unmet": "The task orders more changes than were made",
    "unreported": "The answer does not say that what was ordered is done",
    "valueless": "The task asks for a number, and the answer gives none",
    "aside": "The answer does not take up the words of the question",
    "idle": "The agent has tools and called none",
    "gives_up": "The answer says that it could not be done",
    "asks_back": "The answer asks the user back",
    "plans": "The answer ends with a plan, not with a result",
    "empty": "There is no answer",
    "unnamed": "Things that the task names occur in no call and, for a question, not in the answer",
    "unrepaired": "A call failed and was not repaired",
    "withheld": "A tool held its data back",
    "repeats": "The same call was made again",
    "burden": "A long task: the more is asked, the more can go wrong",
}
SHORT_TASK = 12  # words of a task that asks for one thing
LONG_TASK = 60  # words from which on a task does not get harder by its length
ASKS_VALUE = Phrases(  # in small letters
    r"how (?:much|many|long|old|tall|far|fast|often|high|big|large)\b|when\b|what time\b"
    r"|what(?:'s| is| was| are| were)(?: the| my| our)? (?:total|number|amount|price|cost|rating|date|balance|sum|average)\b"
)
NO_QUESTION = (Sign("valueless", 0.0), Sign("aside", 0.0))


def signs(reading: Reading) -> list[Sign]:
    """What the run of an errand says about its end."""
    turn = len(reading.trace.turns) - 1
    task = task_of(reading)
    done = deeds(reading)
    asked = ordered_changes(task) if could_change(reading, done) else []
    close = closing(answer(reading.trace.turns[turn]))
    return [
        *change_signs(task, asked, done, close, turn),
        *(question_signs(reading, task, close, turn) if close.text and not asked else NO_QUESTION),
        *close_signs(close, turn),
        *call_signs(reading, done),
        untouched_names(task, done, "" if asked else close.text),
        Sign(
            "burden",
            math.log(max(SHORT_TASK, min(LONG_TASK, len(task[:MAX_TASK_CHARACTERS].split()))) / SHORT_TASK),
            task,
        ),
    ]


def could_change(reading: Reading, done: list[ToolAction]) -> bool:
    """Whether there was anything to change with; for agents without such tools the answer itself is the deed."""
    declared = (tool.name for agent in reading.trace.agents for tool in agent.tools_available or ())
    return any(map(changes, declared)) or any(map(has_changed, done))


def change_signs(task: str, asked: list[str], done: list[ToolAction], close: Closing, turn: int) -> list[Sign]:
    """Were the ordered changes made, and reported?"""
    made = sum(map(has_changed, done))
    return [
        flag("undone", bool(asked) and not made, task, turn),
        Sign("unmet", max(0, len(asked) - made) / len(asked) if asked else 0.0, task, turn),
        flag("unreported", bool(asked) and not close.reports, close.text, turn),
    ]


def question_signs(reading: Reading, task: str, close: Closing, turn: int) -> list[Sign]:
    """Does the answer to a question speak of what was asked, and give the number that was asked for?"""
    valueless = ASKS_VALUE.said_in(task[:MAX_TASK_CHARACTERS].lower()) and not numbers(close.text)
    asked = reading.stems(task[:MAX_TASK_CHARACTERS])
    taken = asked.intersection(reading.content(close.text))
    return [
        flag("valueless", valueless, close.text, turn),
        Sign("aside", 1 - len(taken) / len(asked) if asked else 0.0, close.text, turn),
    ]


def close_signs(close: Closing, turn: int) -> list[Sign]:
    """Does the answer give up, ask back, or end with no result?"""
    return [
        flag("gives_up", bool(close.gives_up), close.gives_up, turn),
        flag("asks_back", bool(close.asks_back), close.asks_back, turn),
        flag("plans", bool(close.plans), close.plans, turn),
        flag("empty", not close.text, "", turn),
    ]


def call_signs(reading: Reading, done: list[ToolAction]) -> list[Sign]:
    """Calls that did not serve: none at all, failed, held back, repeated."""
    tools = any(agent.tools_available for agent in reading.trace.agents)
    hidden = next((one for one in reversed(done) if withheld(one)), None)
    made = [(one.call.tool_name, flat(one.call.parameters)) for one in done]
    counted = Counter(made)
    again = next((one for one, call in zip(reversed(done), reversed(made), strict=True) if counted[call] > 1), None)
    return [
        flag("idle", tools and not done),
        shown_by("unrepaired", find_unrepaired(done)),
        shown_by("withheld", hidden),
        shown_by("repeats", again, math.log1p(len(done) - len(counted))),
    ]


def untouched_names(task: str, done: list[ToolAction], told: str) -> Sign:
    """The share of things named by the task that the work never touched."""
    things = exact_names(task)
    touched = f"{' '.join(flat(one.call.parameters) for one in done if not one.failed)} {told}".lower()
    left = [thing for thing in things if thing not in touched]
    return Sign("unnamed", len(left) / len(things) if things else 0.0, task, told=", ".join(sorted(left)))
