"""The form of each handler's attempts, and how its answers become a submission."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from viva.evaluations.model import CONTRIBUTED_PREFIX, Evaluation
from viva.exams.model import Challenge, Exam
from viva.web import sit_benchmark, sit_certification, sit_simple
from viva.web.sit_fields import SitForm


class FormMaker(Protocol):
    def __call__(self, exam: Exam, challenge: Challenge) -> SitForm:
        """The form with its fields, before any answer."""


class BodyMaker(Protocol):
    def __call__(self, exam: Exam, challenge: Challenge, answers: Mapping[str, Any]) -> dict[str, Any]:
        """The body of the submission, as a program would send it."""


class AttemptForm(NamedTuple):
    make_form: FormMaker
    make_body: BodyMaker


CONTRIBUTED_FORM = AttemptForm(sit_simple.make_contributed_form, sit_simple.make_answer_body)
ATTEMPT_FORMS: dict[str, AttemptForm] = {
    "benchmark": AttemptForm(sit_benchmark.make_form, sit_benchmark.make_body),
    "agent_certification": AttemptForm(sit_certification.make_form, sit_certification.make_body),
    "proof_of_agentic_work": AttemptForm(sit_simple.make_proof_form, sit_simple.make_proof_body),
    "identity_check": AttemptForm(sit_simple.make_identity_form, sit_simple.make_identity_body),
    "account_verification": AttemptForm(sit_simple.make_verification_form, sit_simple.make_verification_body),
    "text_check": AttemptForm(sit_simple.make_text_form, sit_simple.make_answer_body),
}


def form_of(evaluation: Evaluation) -> AttemptForm:
    return CONTRIBUTED_FORM if evaluation.handler.startswith(CONTRIBUTED_PREFIX) else ATTEMPT_FORMS[evaluation.handler]
