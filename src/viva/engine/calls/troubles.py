"""Calls that went wrong in the course of a run: made twice, failed and ignored, failed and simply tried again."""

import re
from collections.abc import Iterator

from viva.engine.call_text import call_text, came_back, flat
from viva.engine.calls.contracts import Breach, make_breach
from viva.engine.calls.failures import failure_words
from viva.engine.calls.history import MAX_SAID_CHARACTERS, History, Past
from viva.engine.evidence import cut
from viva.engine.model import ToolCall
from viva.engine.reading import Reading
from viva.engine.text.phrases import REQUEST
from viva.engine.text.words import content, stem, words

NEXT_CALLS = 4  # within which an agent speaks of a failure
SHARED_ERROR_WORDS = 2  # words of an error that a text repeats if it tells of it
MAX_ERROR_CHARACTERS = 400
# Errors that may be gone a moment later, and states that are asked for again until they change.
TRANSIENT = re.compile(
    r"time[ds]? ?out|temporar|too many|rate.?limit|overload|unavailable|connection|busy|try again|\b(?:429|50[234])\b"
)
UNFINISHED = re.compile(
    r"pending|progress|running|queued|processing|waiting|not ready|busy|loading|scheduled|in transit"
)
WITHHELD = re.compile(r"\b(?:omitted|withheld|redacted)\b")  # a result that may come the next time
LACKING = re.compile(r"\bmissing\b|\brequired\b")  # an argument, by the error
ALREADY = re.compile(r"\balready\b")  # what was wanted holds anyway
POLLING = re.compile(r"status|poll|wait|progress|refresh|next|scroll|page|more|click|press|random|roll")
TRANSIENT_RETRIES = 1  # retries of such an error that are no fault
APOLOGIES = ("sorry", "apolog", "unfortunate", "unable", "cannot", "can't", "leider", "lo siento", "lamentable")
RECENT_TURNS = 10  # whose words a text may repeat without speaking of a failure
RepeatKey = tuple[int, str, str, str]


def find_repetitions(history: History) -> Iterator[tuple[Past, Breach]]:
    """Calls made again although nothing had changed: no new message, no deed, no success in between."""
    last: dict[RepeatKey, tuple[Past, int, int]] = {}
    deeds = successes = 0
    for one in history.calls:
        key = (one.where[0], one.agent_id, one.call.tool_name, flat(one.call.parameters))
        earlier, mark, times = last.get(key, (None, 0, 0))
        if one.failed:
            same = earlier is not None and earlier.failed and mark == successes
            times = times + 1 if same else 0
            if times > (TRANSIENT_RETRIES if TRANSIENT.search(error_text(one.call)) else 0):
                yield one, trouble("REPEATED_FAILURE", one, times=times + 1)
            last[key] = one, successes, times
            continue
        same = earlier is not None and mark == deeds and is_same_again(earlier, one)
        times = times + 1 if same else 0
        if times > (TRANSIENT_RETRIES if WITHHELD.search(error_text(one.call)) else 0):
            yield one, trouble("DUPLICATE_CALL", one)
        deeds += one.deed >= 0.5
        successes += 1
        last[key] = one, deeds, times


def error_text(call: ToolCall) -> str:
    return came_back(call)[:MAX_ERROR_CHARACTERS].lower()


def is_same_again(earlier: Past, one: Past) -> bool:
    """Whether a call brought what was already there."""
    same = one.call.result is not None and earlier.call.result == one.call.result
    return same and not earlier.failed and not is_waiting(one.call)


def is_waiting(call: ToolCall) -> bool:
    """Whether a call asks if something is done yet, or goes on through pages: it is made again on purpose."""
    return POLLING.search(call.tool_name.lower()) is not None or UNFINISHED.search(error_text(call)) is not None


def find_ignored_errors(reading: Reading, history: History) -> Iterator[tuple[Past, Breach]]:
    """Errors that nobody put right, and of which nobody spoke afterwards."""
    ends = {one.where[0]: k for k, one in enumerate(history.calls)}
    spoken: dict[int, frozenset[str]] = {}
    for k in sorted(unrepaired_calls(history)):
        one = history.calls[k]
        turn = one.where[0]
        if turn not in spoken:
            spoken[turn] = user_words(reading, turn)
        if is_tried_again(history, k) or ALREADY.search(error_text(one.call)):
            continue
        texts = [*history.after[k : k + NEXT_CALLS], history.after[ends[turn]], history.after[-1]]
        if any(texts) and not any(tells(text, one, spoken[turn]) for text in texts):
            yield one, trouble("IGNORED_ERROR", one)


def is_tried_again(history: History, k: int) -> bool:
    """Whether the same call follows in this turn, so that only the last one can have been ignored.

    For a look-up, other arguments are an attempt at repair too, even if it failed.
    """
    one = history.calls[k]
    again = [later for later in history.calls[k + 1 :] if later.call.tool_name == one.call.tool_name]
    return any(
        later.where[0] == one.where[0] if later.call.parameters == one.call.parameters else one.deed < 0.5
        for later in again
    )


def unrepaired_calls(history: History) -> set[int]:
    """The failed calls after which the same tool never worked; a look-up is also mended by another call that worked."""
    right: set[str] = set()
    worked_in: set[int] = set()
    lost = set()
    for k in range(len(history.calls) - 1, -1, -1):
        one = history.calls[k]
        if not one.failed:
            right.add(one.call.tool_name)
            worked_in.add(one.where[0])
        elif one.call.tool_name not in right and (one.deed >= 0.5 or one.where[0] not in worked_in):
            lost.add(k)
    return lost


def tells(text: str, one: Past, users: frozenset[str]) -> bool:
    """Whether a text speaks of a failure in words that are not the user's, or repeats what the error says.

    A look-up that failed is also dealt with by asking the user, and so is any call that lacked an argument.
    """
    said = failure_words(text)
    if said - users or any(word.startswith(APOLOGIES) for word in said) or asks_instead(text, one):
        return True
    error = set(content(came_back(one.call)[:MAX_ERROR_CHARACTERS])) - set(content(flat(one.call.parameters)))
    return len((error - set(map(stem, users))).intersection(content(text))) >= SHARED_ERROR_WORDS


def asks_instead(text: str, one: Past) -> bool:
    lacks = None in one.call.parameters.values() or LACKING.search(error_text(one.call)) is not None
    return (one.deed < 0.5 and "?" in text) or (lacks and REQUEST.said_in(text.lower()))


def user_words(reading: Reading, turn: int) -> frozenset[str]:
    turns = reading.trace.turns[max(0, turn - RECENT_TURNS) : turn + 1]
    messages = [reading.trace.initial_task, *(each.user_message for each in turns)]
    return frozenset(word for text in messages if text for word in words(text[:MAX_SAID_CHARACTERS]))


def trouble(type_: str, one: Past, times: int = 1) -> Breach:
    return make_breach(type_, one.call, cut(call_text(one.call)), times=times)
