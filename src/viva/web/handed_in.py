"""What was handed in, as the result's page shows it, by the handler that took it."""

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from viva.evaluations.configs import CertificationConfig
from viva.evaluations.model import Evaluation
from viva.exams.handlers import transcripts
from viva.exams.model import Attempt

CHARACTERS = 400_000  # of answers on one page; the rest is cut, since no marker reads so much


class Answered(NamedTuple):
    """One probe with the conversation that came of it."""

    id: str
    about: str | None  # what the probe is, in the evaluation's words
    said: list[transcripts.Spoken]
    left_out: int = 0  # messages that do not go on the page


def probes_in(evaluation: Evaluation, content: dict[str, Any]) -> list[Answered]:
    """The conversation by probe."""
    probes = {probe.id: probe for probe in msgspec.convert(evaluation.config, CertificationConfig).prompts}
    room = CHARACTERS
    answered = []
    for one in content["transcript"]:
        probe = probes[one["prompt_id"]]
        said = transcripts.spoken(probe, one["messages"])
        shown = fitting(said, room)
        room -= sum(len(spoken.message.content) for spoken in shown)
        answered.append(Answered(probe.id, probe.description or probe.category, shown, len(said) - len(shown)))
    return answered


def fitting(said: list[transcripts.Spoken], room: int) -> list[transcripts.Spoken]:
    for place, one in enumerate(said):
        room -= len(one.message.content)
        if room < 0:
            return said[:place]
    return said


# An attempt holds all that its handler needs to decide, so each handler says here what of it is for everybody's eyes;
# of the others nothing is shown but what stands with the criteria.
SHOWN: dict[str, Callable[[Evaluation, dict[str, Any]], list[Answered]]] = {"agent_certification": probes_in}


def shown_of(evaluation: Evaluation, attempt: Attempt | None) -> list[Answered]:
    show = SHOWN.get(evaluation.handler)
    return show(evaluation, attempt.content) if show and attempt else []


def is_answer_in_criteria(evaluation: Evaluation) -> bool:
    """Whether what a criterion rests on is the whole answer, and not a quotation from it."""
    return evaluation.handler == "benchmark"
