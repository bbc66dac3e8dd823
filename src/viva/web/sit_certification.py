"""The form of a certification: each probe's conversation, with a field wherever the candidate may speak."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from viva.evaluations.configs import Probe
from viva.exams.handlers import agent_certification, transcripts
from viva.exams.model import Challenge, Exam
from viva.exams.nonce import nonce_of
from viva.web.sit_fields import SitField, SitForm, SitItem, SitPart

ROLE_NAMES = {"system": "Instructions", "user": "User", "assistant": "Assistant"}


def make_form(exam: Exam, challenge: Challenge) -> SitForm:
    probes = agent_certification.config_of(exam.evaluation, challenge.content).prompts
    return SitForm(
        tuple(make_item(number, len(probes), probe) for number, probe in enumerate(probes, 1)),
        note="Judges or proctors mark your answers. You cannot change them after you have handed them in.",
    )


def make_item(number: int, count: int, probe: Probe) -> SitItem:
    about = probe.description or probe.category or ""
    return SitItem(f"Conversation {number} of {count}", tuple(make_parts(probe)), about=about)


def make_parts(probe: Probe) -> Iterator[SitPart]:
    own = transcripts.own_messages(probe)
    for place, message in enumerate(own, 1):
        yield SitPart(message.content, ROLE_NAMES[message.role])
        if place == len(own):
            label = "Your answer, as the assistant"
            yield SitPart(field=SitField(field_id(probe, place), "text", label))
        elif transcripts.may_be_answer(transcripts.ProbeReply("assistant", ""), own[:place], own[place:]):
            label = "Your answer here, as the assistant"
            hint = "You may leave it empty and answer at the end only."
            yield SitPart(field=SitField(field_id(probe, place), "text", label, hint, is_needed=False))


def field_id(probe: Probe, place: int) -> str:
    """The answer after so many messages of the probe."""
    return f"{probe.id}#{place}"


def make_body(exam: Exam, challenge: Challenge, answers: Mapping[str, Any]) -> dict[str, Any]:
    probes = agent_certification.config_of(exam.evaluation, challenge.content).prompts
    transcript = [{"prompt_id": probe.id, "messages": list(say(probe, answers))} for probe in probes]
    return {"nonce": nonce_of(challenge, exam.hub.secret), "transcript": transcript}


def say(probe: Probe, answers: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """The probe's messages with the candidate's answers between and after them."""
    own = transcripts.own_messages(probe)
    for place, message in enumerate(own, 1):
        yield msgspec.to_builtins(message)
        answer = answers.get(field_id(probe, place), "")
        if answer.strip() or place == len(own):
            yield {"role": "assistant", "content": answer}
