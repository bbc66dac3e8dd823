"""What the handlers of pass-or-fail exams share: their config, and a submission with a challenge id."""

from datetime import timedelta
from typing import Any, TypeVar

import msgspec

from viva.evaluations.configs import SimpleConfig
from viva.evaluations.model import Evaluation
from viva.exams.model import Challenge
from viva.kit import forms


class SimpleSubmission(msgspec.Struct, forbid_unknown_fields=True):
    challenge_id: str


T = TypeVar("T", bound=SimpleSubmission)


def config_of(evaluation: Evaluation) -> SimpleConfig:
    return msgspec.convert(evaluation.config, SimpleConfig)


def time_limit_of(evaluation: Evaluation) -> timedelta:
    return timedelta(minutes=config_of(evaluation).minutes)


def read_body(body: dict[str, Any], form: type[T], challenge: Challenge) -> T:
    submission = forms.read(body, form)
    if submission.challenge_id != challenge.id:
        raise forms.fault("challenge_id", "This is not the id of your challenge.")
    return submission
