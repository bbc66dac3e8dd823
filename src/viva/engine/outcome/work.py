"""Signs of the work: whether what was asked for was tried, succeeded, and was reported as it was."""

import math

from viva.engine.outcome.closing import Closing, is_farewell
from viva.engine.outcome.requests import ordered_changes
from viva.engine.outcome.signs import Sign, flag, shown_by
from viva.engine.outcome.tries import Try, changes, find_unrepaired, only_looks
from viva.engine.reading import Reading
from viva.engine.text.phrases import Phrases

NOTHING = Phrases(  # in small letters
    r"(?:no (?:results?|matches|records?|entries|data|such)|not found|could not find|nothing (?:found|happens)|none found|does not exist)\b"
)
USUAL_EFFORT = 3  # interactions and tries for one message
USUAL_TURNS = 3
MOST_TIMES = 4  # as much as usual; beyond that the task is long, not the trouble
RESULT_HEAD = 300  # characters in which a result says that there is nothing


def work_signs(reading: Reading, asked: str, done: list[Try], close: Closing) -> list[Sign]:
    """What the calls and programs of a run say about its end."""
    turns, lost = len(reading.trace.turns), find_unrepaired(done)
    refused = lost if lost and lost.changing and close.text and not close.gives_up else None
    empty = [one for one in done if not one.failed and NOTHING.said_in(one.result[:RESULT_HEAD].lower())]
    again = find_repeats(done)
    idle = all(one.failed or one.handing or only_looks(one.tool) for one in done)
    asked_once = sum(not is_farewell(turn.user_message or "") for turn in reading.trace.turns) <= 1
    undone = idle and asked_once and could_change(reading, done)  # in a conversation the user may have let it be
    return [
        flag("undone", undone and bool(ordered_changes(asked)), asked),
        shown_by("last_failed", done[-1] if done and done[-1].failed else None),
        shown_by("refused_told_as_done", refused),
        shown_by("found_nothing", empty[-1] if empty else None, math.log1p(len(empty))),
        shown_by("repeats", again[-1] if again else None, math.log1p(len(again))),
        Sign("effort", excess((len(reading.places) + len(done)) / max(1, turns), USUAL_EFFORT)),
        Sign("turns", excess(turns, USUAL_TURNS)),
    ]


def excess(found: float, usual: float) -> float:
    """How much more than usual, on a scale of doublings; 0 for less."""
    return math.log2(min(MOST_TIMES, max(1.0, found / usual)))


def could_change(reading: Reading, done: list[Try]) -> bool:
    """Whether there was anything to change with; for agents without such tools the answer itself is the deed."""
    declared = (tool.name for agent in reading.trace.agents for tool in agent.tools_available or ())
    return any(map(changes, declared)) or any(one.changing for one in done)


def find_repeats(done: list[Try]) -> list[Try]:
    """What was tried again with the same outcome."""
    keys = [(one.tool, one.asked, one.result) for one in done]
    first = {key: k for k, key in reversed(list(enumerate(keys)))}
    return [one for k, (one, key) in enumerate(zip(done, keys, strict=True)) if first[key] < k]
