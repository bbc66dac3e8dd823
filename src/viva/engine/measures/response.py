"""Response quality: an answer to what was asked, with its deed done."""

import math
import re
from collections.abc import Iterator

from viva.engine.call_text import came_back
from viva.engine.calls.failures import call_failed
from viva.engine.evidence import MAX_EVIDENCE_PIECES, InteractionIndex, Score, cut
from viva.engine.faults import RunFault, make_fault
from viva.engine.model import Step
from viva.engine.reading import Place, Reading, calls
from viva.engine.team.flow import stretches
from viva.engine.team.speech import CODE, CONDITION, PROMISE, REASON, REFUSAL, TAIL

# What each fault leaves of the score.
LEFT = {
    "empty": 0.0,  # nothing came
    "failed": 0.4,  # nothing came but a call that failed
    "refuses": 0.4,  # the user is sent away and does not know why
    "promises": 0.5,  # the words are there, the deed is not
    "beside": 0.7,  # an answer in quite other words is often right
}
MAX_REFUSAL_CHARACTERS = 500  # up to which a refusal is the whole answer
LATER = 20  # interactions after which nobody can tell any more whether a promise was kept
GREETING = 40  # characters of a last sentence that only says goodbye to the promise before it
FEW_STEMS = 4  # of an answer, up to which it may well share no word with what was asked
NAMED = 80  # characters of a name in what is said about it
LOOK = 20_000  # characters of a text that are looked at
COMPARED = 3_000  # characters whose words are compared
EMBEDDED = 300  # characters whose meaning is compared: an answer comes to the point by then
UNLIKE = 0.15  # static similarity below which an answer without a common word is about something else
MIN_REQUEST_STEMS = 3  # words of a request under which it asks for nothing in particular
EMPTY_PHRASE = 5  # words, of which at most one carries meaning, that say nothing: "here is what I found about that"
ASKING_BACK = 150  # characters at the end of an answer in which it asks back
TALK = 2  # turns before that an answer may go on with


def measure(reading: Reading) -> dict[InteractionIndex, Score]:
    scores: dict[InteractionIndex, Score] = {}
    for place, requests in zip(reading.places, requests_to_each(reading), strict=True):
        text = (place.interaction.agent_response or "")[:LOOK].strip()
        found = list(word_faults(reading, place, text, requests) if text else deed_faults(reading, place))
        left = math.prod(LEFT[fault.kind] for fault in found)
        scores[place[:2]] = Score(round(left, 4), tuple(fault.evidence for fault in found[:MAX_EVIDENCE_PIECES]))
    return scores


def requests_to_each(reading: Reading) -> list[list[str]]:
    """For every interaction, in the order of the run, what it was asked: by the user and by the agent before it."""
    texts: list[list[str]] = []
    before = None
    for stretch in stretches(reading):
        turn = stretch.places[0].turn
        handed = before.handed_over if before is not None and before.places[-1].turn == turn else ""
        asked = [text for text in (reading.trace.turns[turn].user_message, handed) if text]
        texts += [asked] * len(stretch.places)
        before = stretch
    return texts


def deed_faults(reading: Reading, place: Place) -> Iterator[RunFault]:
    """What is wrong with an interaction that says nothing: it is judged by its last deed."""
    if all(step == Step() for step in place.interaction.agent_steps):
        yield make_fault(reading, "empty", place, 1.0, "The agent says and does nothing.", "")
        return
    last = next((step.tool_call for _, step in reversed(list(calls(place.interaction)))), None)
    if last is not None and call_failed(last):
        why = f"The last call, {cut(last.tool_name, NAMED)}, failed, and nothing is said about it."
        yield make_fault(reading, "failed", place, 1.0, why, came_back(last))


def word_faults(reading: Reading, place: Place, text: str, requests: list[str]) -> Iterator[RunFault]:
    """What is wrong with an answer."""
    low = text[:MAX_REFUSAL_CHARACTERS].lower()
    if len(text) <= MAX_REFUSAL_CHARACTERS and (refusal := REFUSAL.search(low)) and not REASON.said_in(low):
        why = "A refusal that gives neither a reason nor another way."
        yield make_fault(reading, "refuses", place, 1.0, why, text[refusal.start() :])
    if promise := broken_promise(reading, place, text):
        yield make_fault(reading, "promises", place, 1.0, "Promises a deed, and nothing follows.", promise)
    if is_beside(reading, place, text, requests):
        yield make_fault(reading, "beside", place, 1.0, "The answer hardly takes up what was asked.", text)


def broken_promise(reading: Reading, place: Place, text: str) -> str | None:
    """The promise with which an answer ends, when no deed came with it and the agent does not speak again in the turn."""
    if place.interaction.agent_steps or CODE in text or not PROMISE.said_in(text[-TAIL:].lower()):
        return None
    later = reading.trace.turns[place.turn].agent_interactions[place.part + 1 : place.part + 1 + LATER]
    if len(later) == LATER or any(act.agent_id == place.interaction.agent_id for act in later):
        return None
    *_, before, last = ["", *re.split(r"(?<=[.!?])\s+", text[-TAIL:])]
    for sentence in (last, before if len(last) < GREETING else ""):
        if sentence.endswith("?") or CONDITION.said_in(sentence.lower()):
            return None
        if PROMISE.said_in(sentence.lower()):
            return sentence
    return None


def is_beside(reading: Reading, place: Place, text: str, requests: list[str]) -> bool:
    """Whether an answer says nothing, or shares no word with what was asked and talked of, and is unlike it in meaning."""
    if not requests or CODE in requests[-1] or "?" in text[-ASKING_BACK:]:
        return False  # after code comes its output; to ask for what one needs to know is an answer
    said = reading.stems(text[:COMPARED])
    if min(len(reading.stems(request[:COMPARED])) for request in requests) < MIN_REQUEST_STEMS:
        return False
    if len(said) < 2:
        return len(text.split()) >= EMPTY_PHRASE
    others = [*requests, *talk_before(reading, place.turn)]
    if len(said) <= FEW_STEMS or any(not said.isdisjoint(reading.stems(other[:COMPARED])) for other in others):
        return False
    mine, *rest = reading.vectors([text[:EMBEDDED], *(other[:EMBEDDED] for other in others)])
    return max(float(mine @ other) for other in rest) < UNLIKE


def talk_before(reading: Reading, turn: int) -> list[str]:
    texts: list[str | None] = []
    for earlier in reversed(reading.trace.turns[max(0, turn - TALK) : turn]):
        if earlier.agent_interactions:
            texts.append(earlier.agent_interactions[-1].agent_response)
        texts.append(earlier.user_message)
    return [text for text in (*texts, reading.trace.initial_task) if text]
