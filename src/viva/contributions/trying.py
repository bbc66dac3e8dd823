"""Trying a contributed handler on the exemplars: it should pass the answers that should pass, and no others."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from viva.contributions.model import Exemplar
from viva.exams.handlers import contributed
from viva.exams.model import Undecided
from viva.sandbox.model import SandboxResult

TRIAL_SEED = 0  # the same in every trial, so that an author can write an exemplar for its challenge
MAX_SAMPLES_TRIED = 20
MAX_PRINTED_CHARACTERS = 2_000  # of one sample on the review page
NOT_TRIED = "Not tried, because an earlier sample took all the time of the handler."


class HandlerSample(NamedTuple):
    """An answer, and whether a handler should pass it."""

    probe: str
    answer: Any
    should_pass: bool


class TrialOutcome(Struct, frozen=True):
    """What the handler decided about a sample; `passed` is None if it decided nothing."""

    probe: str
    should_pass: bool
    passed: bool | None
    reason: str
    printed: str = ""

    @property
    def is_as_expected(self) -> bool:
        return self.passed is self.should_pass


def list_samples(exemplars: Iterable[Any]) -> list[HandlerSample]:
    """The samples in the exemplars of a draft, which may have any form."""
    samples = []
    for row in exemplars:
        try:
            exemplar = msgspec.convert(row, Exemplar)
        except msgspec.ValidationError:  # the validation names it
            continue
        answers = ((exemplar.pass_, True), (exemplar.fail, False))
        samples += [HandlerSample(exemplar.probe, answer, should) for answer, should in answers if answer]
    return samples[:MAX_SAMPLES_TRIED]


def try_handler(
    code: str, samples: Sequence[HandlerSample], config: dict[str, Any] | None = None
) -> list[TrialOutcome]:
    """What the code decides about each sample. A handler that does not end is tried only once.

    It may take seconds, so it must not run inside a transaction."""
    try:
        challenge = contributed.new_challenge(code, config or {}, TRIAL_SEED)
    except contributed.HandlerFailed as error:
        return [make_outcome(sample, None, str(error)) for sample in samples]
    outcomes: list[TrialOutcome] = []
    for at, sample in enumerate(samples):
        result = contributed.run_decide(code, config or {}, {"answer": sample.answer, "challenge": challenge})
        outcomes.append(judge_sample(sample, result))
        if result.failure and result.failure.kind == "timeout":
            return outcomes + [make_outcome(left, None, NOT_TRIED) for left in samples[at + 1 :]]
    return outcomes


def judge_sample(sample: HandlerSample, result: SandboxResult) -> TrialOutcome:
    outcome = contributed.outcome_of_run(result)
    if isinstance(outcome, Undecided):
        return make_outcome(sample, None, outcome.reason, result.printed)
    criterion = (outcome.data or {})["criteria"][0]
    return make_outcome(sample, criterion["met"], criterion["reason"], result.printed)


def make_outcome(sample: HandlerSample, passed: bool | None, reason: str, printed: str = "") -> TrialOutcome:
    return TrialOutcome(sample.probe, sample.should_pass, passed, reason, printed[:MAX_PRINTED_CHARACTERS])
