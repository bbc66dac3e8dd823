"""A certification: the candidate answers every probe, and judges or proctors mark the answers by the rubric."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import count
from math import isclose
from types import MappingProxyType
from typing import Annotated, Any

import msgspec

from viva.evaluations.configs import CertificationConfig, Probe, RubricRow
from viva.evaluations.model import Evaluation
from viva.evaluations.text_filling import fill_config, fill_texts
from viva.exams.criteria import criteria_of, outcome_of
from viva.exams.handlers import transcripts
from viva.exams.handlers.transcripts import ProbeConversation
from viva.exams.model import Challenge, Exam, Mark, NewChallenge, Outcome, SheetRow, ToMark
from viva.exams.nonce import is_nonce_of, nonce_of
from viva.kit import forms
from viva.kit.errors import Fault, Invalid

MAX_ANSWERED_PROBES = 1_000  # more than any evaluation has probes, so that a wrong number gets a detailed error
TOTAL_WEIGHT = 100  # weights with this sum are points


class WrongNonce(Invalid):
    """The nonce is not the one that starting this attempt gave you."""


class CertificationSubmission(msgspec.Struct, forbid_unknown_fields=True):
    nonce: str
    transcript: Annotated[list[dict[str, Any]], msgspec.Meta(max_length=MAX_ANSWERED_PROBES)]


def config_of(evaluation: Evaluation, content: Mapping[str, Any] = MappingProxyType({})) -> CertificationConfig:
    """The config with the texts of one attempt: `content` is what its challenge stores, or what was handed in."""
    return msgspec.convert(fill_config(evaluation.config, content.get("filled", {})), CertificationConfig)


def has_new_items(evaluation: Evaluation) -> bool:
    """Whether another attempt gets other items: all probes have parameters."""
    return all(probe.get("parameters") for probe in evaluation.config["prompts"])


def make_challenge(exam: Exam) -> NewChallenge:
    filled = fill_texts(exam.evaluation.config, secrets.token_hex(8))
    minutes = config_of(exam.evaluation).nonce_validity_minutes
    return NewChallenge({"filled": filled} if filled else {}, timedelta(minutes=minutes))


def show_challenge(exam: Exam, challenge: Challenge) -> dict[str, Any]:
    """The probes without the expected answers: neither `should` nor the rubric."""
    prompts = [
        {
            "id": probe.id,
            "category": probe.category,
            "description": probe.description,
            "messages": msgspec.to_builtins(probe.messages),
        }
        for probe in config_of(exam.evaluation, challenge.content).prompts
    ]
    return {"prompts": prompts, "nonce": nonce_of(challenge, exam.hub.secret)}


def read_submission(
    exam: Exam, challenge: Challenge, body: dict[str, Any], answers: Mapping[str, Any]
) -> dict[str, Any]:
    submission = forms.read(body, CertificationSubmission)
    if not is_nonce_of(submission.nonce, challenge, exam.hub.secret):
        raise WrongNonce(faults=(Fault("nonce", WrongNonce.code(), WrongNonce.__doc__ or ""),))
    probes = config_of(exam.evaluation, challenge.content).prompts
    return {**challenge.content, "transcript": transcripts.read_transcript(submission.transcript, probes)}


def decide(evaluation: Evaluation, content: dict[str, Any]) -> ToMark:
    return ToMark(rows_of(config_of(evaluation, content), content))


def conclude(
    evaluation: Evaluation, content: dict[str, Any], rows: Sequence[SheetRow], marks: Sequence[Mark]
) -> Outcome:
    passing_score = config_of(evaluation).passing_score
    return outcome_of(criteria_of(rows, marks, passing_score), passing_score)


def conversations(evaluation: Evaluation, content: dict[str, Any]) -> list[ProbeConversation]:
    """The conversation of each probe, in the order in which they were handed in."""
    probes = {probe.id: probe for probe in config_of(evaluation, content).prompts}
    answered = [(probes[item["prompt_id"]], item["messages"]) for item in content["transcript"]]
    return [
        ProbeConversation(probe.id, probe.description or probe.category, transcripts.split_speakers(probe, messages))
        for probe, messages in answered
    ]


def rows_of(config: CertificationConfig, content: dict[str, Any]) -> list[SheetRow]:
    """A sheet row for each row of the rubric, with the probe and the candidate's answer."""
    probes = {probe.id: probe for probe in config.prompts}
    messages = {item["prompt_id"]: item["messages"] for item in content["transcript"]}
    return [
        SheetRow(
            id=row_id,
            ask=row.criteria,
            most=row.max_score,
            texts=transcripts.marker_texts(probes[row.prompt_id], messages[row.prompt_id]),
            prompt_id=row.prompt_id,
            guidance=guidance(probes[row.prompt_id], row),
            points=points,
        )
        for row_id, row, points in zip(row_ids(config), config.rubric, points_of(config.rubric), strict=True)
    ]


def row_ids(config: CertificationConfig) -> list[str]:
    """The ids of the rows: the id of the probe, with a number from 2 on if a probe has several rows."""
    ids: list[str] = []
    for row in config.rubric:
        taken = {*ids, *(probe.id for probe in config.prompts)}
        others = (f"{row.prompt_id}-{number}" for number in count(2))
        ids.append(row.prompt_id if row.prompt_id not in ids else next(name for name in others if name not in taken))
    return ids


def guidance(probe: Probe, row: RubricRow) -> str:
    """What the marker should look for: what a good answer does, and why the row counts."""
    should = [f"A good answer to this probe should: {line}" for line in probe.should]
    return "\n".join([*should, *([f"Why it counts: {row.rationale}"] if row.rationale else [])])


def points_of(rubric: Sequence[RubricRow]) -> list[float]:
    """The points of each row: its weight if all weights sum to 100, otherwise weight times maximum mark."""
    weights = [row.weight for row in rubric]
    if isclose(sum(weights), TOTAL_WEIGHT):
        return weights
    points = [row.weight * row.max_score for row in rubric]
    return points if any(points) else [row.max_score for row in rubric]  # if all weights are 0, all rows count alike
