"""Following a script: what it says next, and which answer belongs to which prompt. The transcript holds all state."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from viva.evaluations.configs import Script, ScriptCondition, ScriptFollowUp, ScriptPrompt
from viva.evaluations.patterns import is_found
from viva.exams.answer_detections import DETECTIONS, GivenAnswer, plain

CLOSING_ID = "closing"  # of the last message


class ScriptMessage(Protocol):
    """A message of a session, from the database or from the API."""

    @property
    def role(self) -> str: ...
    @property
    def content(self) -> str: ...
    @property
    def sequence(self) -> int: ...
    @property
    def prompt_id(self) -> str | None: ...


class ScriptLine(NamedTuple):
    """What the proctor says next."""

    id: str
    text: str


class ScriptAnswer(NamedTuple):
    """What the candidate answered to one message, and the numbers of its messages."""

    id: str
    asked: str
    text: str
    sequences: tuple[int, ...]


def answers_in(messages: Sequence[ScriptMessage]) -> dict[str, ScriptAnswer]:
    """The answers by the id of what they answer. What nobody answered has an empty text."""
    answers: dict[str, ScriptAnswer] = {}
    asked: str | None = None
    for message in messages:
        if message.role == "proctor":
            asked = message.prompt_id
            if asked is not None:
                answers.setdefault(asked, ScriptAnswer(asked, message.content, "", ()))
        elif asked is not None:
            before = answers[asked]
            text = f"{before.text}\n{message.content}".strip()
            answers[asked] = before._replace(text=text, sequences=(*before.sequences, message.sequence))
    return answers


def is_waiting(messages: Sequence[ScriptMessage]) -> bool:
    """Whether the candidate has not answered the last message yet."""
    return bool(messages) and messages[-1].role == "proctor"


def find_next_line(script: Script, messages: Sequence[ScriptMessage]) -> ScriptLine | None:
    """What the proctor says after the last answer; None if everything is asked."""
    answers = answers_in(messages)
    for place, prompt in enumerate(script.prompts):
        if prompt.id not in answers:
            return ScriptLine(prompt.id, prompt.text)
        is_latest = not any(later.id in answers for later in script.prompts[place + 1 :])
        follow_up = find_follow_up(script, prompt, answers) if is_latest else None
        if follow_up is not None:
            return ScriptLine(follow_up.id, follow_up.text)
    return None


def find_follow_up(script: Script, prompt: ScriptPrompt, answers: dict[str, ScriptAnswer]) -> ScriptFollowUp | None:
    """The first follow-up that was not sent yet and whose condition the last answer meets."""
    last = [answers[id_] for id_ in message_ids(prompt) if id_ in answers][-1]
    given = GivenAnswer(last.asked, last.text, earlier_answers(script, prompt, answers))
    unsent = (follow_up for follow_up in prompt.follow_ups if follow_up.id not in answers)
    return next((follow_up for follow_up in unsent if is_met(follow_up.when, given)), None)


def is_met(condition: ScriptCondition, answer: GivenAnswer) -> bool:
    if condition.found is not None:
        return is_found(condition.found, plain(answer.text))
    if condition.missing is not None:
        return not is_found(condition.missing, plain(answer.text))
    return condition.detected is not None and DETECTIONS[condition.detected](answer)


def message_ids(prompt: ScriptPrompt) -> list[str]:
    return [prompt.id, *(follow_up.id for follow_up in prompt.follow_ups)]


def earlier_answers(script: Script, prompt: ScriptPrompt, answers: dict[str, ScriptAnswer]) -> list[str]:
    """The texts of the answers to the prompts before this one."""
    return [answers[id_].text for id_ in ids_before(script, prompt) if id_ in answers]


def ids_before(script: Script, prompt: ScriptPrompt) -> Iterator[str]:
    for each in script.prompts[: script.prompts.index(prompt)]:
        yield from message_ids(each)
