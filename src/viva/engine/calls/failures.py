"""Calls that failed or were made twice: was the error noticed, was it repaired, was it simply tried again."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from viva.engine.calls.contracts import Breach, make_breach
from viva.engine.calls.history import History, Past
from viva.engine.evidence import cut
from viva.engine.model import ToolCall
from viva.engine.reading import call_text, flat

FAILED = re.compile(
    r"[\s\"'\[{(<]*(?:\w{0,30}error\b|\w{0,30}exception\b|traceback|failed\b|failure\b|fatal\b|invalid\b|permission denied"
    r"|access denied|unauthori[sz]ed|forbidden|timed? ?out|command not found|http\S* [45]\d\d\b"
    r"|[45]\d\d:? (?:not|bad|internal|unauthori|forbidden|error|too many|service|gateway|client|server))",
)  # in small letters
# Words of an agent that has seen that something went wrong, in small letters.
NOTICED = re.compile(
    r"error|fail|unable|could ?n[o']t|cannot|can[’']t|did ?n[o']t|does ?n[o']t|not (?:found|exist|available|possible|allowed|able)"
    r"|sorry|apolog|unfortunately|issue|problem|invalid|instead|retry|try again|however|incorrect|missing|wrong|denied|exceed"
    r"|insufficient|not enough"
)
NEXT = 4  # calls within which an agent speaks of a failure
OFTEN = 3  # failures of one tool in a row, whatever the arguments


def has_failed(call: ToolCall) -> bool:
    """Whether what came back is an error: said so, or a text that begins like one."""
    if call.error:
        return True
    if isinstance(call.result, dict):
        return bool(call.result.get("error")) and len(call.result) <= 4
    return isinstance(call.result, str) and FAILED.match(call.result[:200].lower()) is not None


def troubles(history: History) -> Iterator[tuple[Past, Breach]]:
    """The failures and repetitions of a run, each with its call."""
    past = history.calls
    fallen = [has_failed(one.call) for one in past]
    saved = last_success(past, fallen)
    first: dict[tuple[str, str, str], int] = {}
    row: Counter[tuple[str, str]] = Counter()
    for k, one in enumerate(past):
        tool = (one.agent_id, one.call.tool_name)
        before = first.setdefault((*tool, flat(one.call.parameters)), k)
        row[tool] = row[tool] + 1 if fallen[k] else 0
        if fallen[k] and (row[tool] >= OFTEN or (before < k and fallen[before])):
            yield one, again(one.call, row[tool])
        elif before < k and not fallen[k] and not fallen[before] and past[before].call.result == one.call.result:
            yield one, twice(one.call)
        if fallen[k] and saved.get(tool, -1) < k and not is_noticed(history.after, k):
            yield one, ignored_error(one.call)


def is_noticed(after: Sequence[str], k: int) -> bool:
    """Whether what was said next, or at the very end, speaks of the failure."""
    return any(map(speaks_of_failure, (*after[k : k + NEXT], after[-1])))


@lru_cache(maxsize=1_024)
def speaks_of_failure(text: str) -> bool:
    """Whether a text shows that something went wrong; the last one of a run is asked for every failure."""
    return NOTICED.search(text.lower()) is not None


def last_success(past: Sequence[Past], fallen: Sequence[bool]) -> dict[tuple[str, str], int]:
    """The last call of each agent's tools that went well."""
    return {(one.agent_id, one.call.tool_name): k for k, one in enumerate(past) if not fallen[k]}


def again(call: ToolCall, times: int) -> Breach:
    return make_breach("REPEATED_FAILURE", call, outcome(call), times=times)


def twice(call: ToolCall) -> Breach:
    return make_breach("DUPLICATE_CALL", call, outcome(call))


def ignored_error(call: ToolCall) -> Breach:
    return make_breach("IGNORED_ERROR", call, outcome(call))


def outcome(call: ToolCall) -> str:
    """A call and what came back, for evidence."""
    return cut(call_text(call))
