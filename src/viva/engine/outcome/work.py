"""Signs of the work: whether what was asked for was tried, succeeded, and was reported as it was."""

import math

from viva.engine.outcome.closing import Closing, is_farewell, tells_failure
from viva.engine.outcome.requests import ordered_changes
from viva.engine.outcome.signs import Sign, flag, shown_by
from viva.engine.outcome.tries import Try, changes, find_unrepaired, only_looks
from viva.engine.reading import Reading, answer
from viva.engine.text.phrases import Phrases

NOTHING = Phrases(  # in small letters
    r"(?:no (?:results?|matches|records?|entries|data|such)|not found|could not find|nothing (?:found|happens)|none found|does not exist)\b"
)
SHORT_RUN = 3  # interactions and tries, as many as an easy task takes
RESULT_HEAD = 300  # characters in which a result says that there is nothing


def work_signs(reading: Reading, asked: str, done: list[Try], close: Closing) -> list[Sign]:
    """What the calls and programs of a run say about its end."""
    lost = find_unrepaired(done)
    refused = lost if lost and lost.changing and close.text and not is_reported(reading, lost) else None
    empty = [one for one in done if not one.failed and NOTHING.said_in(one.result[:RESULT_HEAD].lower())]
    again = find_repeats(done)
    idle = all(one.failed or one.handing or only_looks(one.tool) for one in done)
    asked_once = sum(not is_farewell(turn.user_message or "") for turn in reading.trace.turns) <= 1
    undone = idle and asked_once and could_change(reading, done)  # in a conversation the user may have let it be
    length = len(reading.places) + len(done)
    return [
        flag("undone", undone and bool(ordered_changes(asked)), asked),
        shown_by("last_failed", done[-1] if done and done[-1].failed else None),
        shown_by("refused_told_as_done", refused),
        shown_by("found_nothing", empty[-1] if empty else None, math.log1p(len(empty))),
        shown_by("repeats", again[-1] if again else None, math.log1p(len(again))),
        Sign("failures", math.log1p(sum(one.failed for one in done))),
        Sign("length", math.log2(max(1.0, length / SHORT_RUN)), told=f"{length} parts and calls"),
    ]


def is_reported(reading: Reading, lost: Try) -> bool:
    """Whether an answer from then on says that it did not work."""
    return any(tells_failure(answer(turn)) for turn in reading.trace.turns[lost.turn :])


def could_change(reading: Reading, done: list[Try]) -> bool:
    """Whether there was anything to change with; for agents without such tools the answer itself is the deed."""
    declared = (tool.name for agent in reading.trace.agents for tool in agent.tools_available or ())
    return any(map(changes, declared)) or any(one.changing for one in done)


def find_repeats(done: list[Try]) -> list[Try]:
    """What was tried again with the same outcome."""
    keys = [(one.tool, one.asked, one.result) for one in done]
    first = {key: k for k, key in reversed(list(enumerate(keys)))}
    return [one for k, (one, key) in enumerate(zip(done, keys, strict=True)) if first[key] < k]
