"""Response quality: an answer to what was asked, in the agent's role, with its deed done, said once and to the end."""

import re
from collections.abc import Iterator
from itertools import chain

from viva.engine.evidence import MAX_EVIDENCE_PIECES, Evidence, InteractionIndex, Score, cut
from viva.engine.model import Interaction
from viva.engine.reading import Place, Reading, calls
from viva.engine.team.answering import CODE, AnsweredRequest, requests_to_each, talk_before, to_the_point
from viva.engine.team.echoes import SAME, SpeechMemory
from viva.engine.team.faults import Flaw, flaw_evidence, left_by
from viva.engine.team.roles import Roles
from viva.engine.team.speech import CONDITION, PROMISE, REASON, REFUSAL, TAIL, is_error

# What each flaw leaves of the score.
LEFT = {
    "empty": 0.0,  # nothing came
    "failed": 0.4,  # nothing came but a call that failed
    "refuses": 0.4,  # the user is sent away and does not know why
    "promises": 0.5,  # the words are there, the deed is not
    "repeats": 0.5,  # said before, and evidently not enough then
    "loops": 0.4,  # one line over and over
    "cut off": 0.7,  # most of it came
    "out of role": 0.8,  # may be right all the same, but was another's to say
}
SHORT = 500  # characters up to which a refusal is the whole answer
LATER = 20  # interactions after which nobody can tell any more whether a promise was kept
GREETING = 40  # characters of a last sentence that only says goodbye to the promise before it
REPEATABLE = 4  # words under which an answer may come twice: "done", "you are welcome"
CLOSING = frozenset(
    {"else", "help", "any", "anyth", "assist", "welcom", "thank", "glad", "bye", "goodby", "termin", "noth"}
)
LOOPED = 4  # times that one long line must come to be a loop
OPEN_END = re.compile(r"(?i)(?:[,;(\[{]|\b(?:and|or|the|a|an|of|because|which|whose))$")
NAMED = 80  # characters of a name in what is said about it
LOOK = 20_000  # characters of a text that are looked at


def measure(reading: Reading) -> dict[InteractionIndex, Score]:
    """A score for every interaction."""
    roles, memories = reading.once(Roles), dict[str, SpeechMemory]()
    texts = [(place.interaction.agent_response or "")[:LOOK].strip() for place in reading.places]
    rows = [
        AnsweredRequest(text, requests, talk_before(reading, place.turn), bool(place.interaction.agent_steps))
        for place, text, requests in zip(reading.places, texts, requests_to_each(reading), strict=True)
    ]
    scores: dict[InteractionIndex, Score] = {}
    for place, text, taken_up in zip(reading.places, texts, to_the_point(reading, rows), strict=True):
        memory = memories.setdefault(place.interaction.agent_id, SpeechMemory(reading))
        words = chain(of_words(reading, roles, place, text), repeats(reading, text, memory))
        found = list(words if text else of_deeds(place.interaction))
        scores[place[:2]] = score_response(reading, place, text, found, taken_up)
    return scores


def score_response(reading: Reading, place: Place, text: str, found: list[Flaw], taken_up: float) -> Score:
    evidence = flaw_evidence(reading, found, place)
    if taken_up < 1:
        at = (reading.turn_index(place.turn), place.part)
        evidence.append(Evidence("The answer hardly takes up what was asked.", cut(text), *at))
    return Score(round(taken_up * left_by(found, LEFT), 4), tuple(evidence[:MAX_EVIDENCE_PIECES]))


def of_deeds(interaction: Interaction) -> Iterator[Flaw]:
    """What is wrong with an interaction that says nothing: it is judged by its last deed."""
    if not any(step.thought or step.action or step.observation or step.tool_call for step in interaction.agent_steps):
        yield Flaw("empty", "The agent says and does nothing.", "")
        return
    last = next((step.tool_call for _, step in reversed(list(calls(interaction)))), None)
    if last is not None and last.error:
        yield Flaw(
            "failed", f"The last call, {cut(last.tool_name, NAMED)}, failed, and nothing is said about it.", last.error
        )
    elif last is not None and isinstance(last.result, str) and is_error(last.result):
        yield Flaw(
            "failed", f"The last call, {cut(last.tool_name, NAMED)}, failed, and nothing is said about it.", last.result
        )


def of_words(reading: Reading, roles: Roles, place: Place, text: str) -> Iterator[Flaw]:
    """What is wrong with an answer by itself."""
    low = text[:SHORT].lower()
    if len(text) <= SHORT and (refusal := REFUSAL.search(low)) and not REASON.said_in(low):
        yield Flaw("refuses", "A refusal that gives neither a reason nor another way.", text[refusal.start() :])
    if promise := broken_promise(reading, place, text):
        yield Flaw("promises", "Promises a deed, and nothing follows.", promise)
    if (text.count(CODE) % 2 and not text.endswith(CODE)) or (len(text) > 40 and OPEN_END.search(text[-30:])):
        yield Flaw("cut off", "The answer breaks off.", text[-120:])
    if looped := looped_line(text):
        yield Flaw("loops", f"The same line comes {LOOPED} times or more.", looped)
    owner = roles.speaks_as(place.interaction.agent_id, reading.stems(text))
    if owner is not None:
        yield Flaw(
            "out of role", f"Speaks of what is the task of {cut(owner, NAMED)}, and of nothing of its own.", text
        )


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


def looped_line(text: str) -> str | None:
    """A long line that makes up a good part of the text by coming again and again."""
    lines = [line for line in text.split("\n") if len(line) > 30]
    if len(lines) < LOOPED:
        return None
    counts: dict[str, int] = {}
    for line in lines:
        counts[line] = counts.get(line, 0) + 1
    line, times = max(counts.items(), key=lambda item: item[1])
    return line if times >= LOOPED and 3 * times >= len(lines) else None


def repeats(reading: Reading, text: str, memory: SpeechMemory) -> Iterator[Flaw]:
    """Whether the agent gave an answer before; a courtesy may come twice."""
    echo, stems = memory.echo(text), reading.stems(text)
    sparse = len(stems) < REPEATABLE and not text.endswith("?")
    if (echo.exact or echo.alike >= SAME) and stems and not sparse and not stems & CLOSING:
        yield Flaw("repeats", "The agent gives an answer it gave before.", text)
