"""What somebody should know before an attempt: how long it takes, the tries that are left, and what is in the way."""

from typing import NamedTuple

import msgspec

from viva.agents import owners
from viva.agents.model import Agent
from viva.evaluations import closing as closings
from viva.evaluations.configs import BenchmarkConfig, CertificationConfig, ClassConfig, SimpleConfig
from viva.evaluations.model import Evaluation
from viva.exams import practising, registering, store
from viva.kit.db import Connection
from viva.kit.errors import VivaError


class Extent(NamedTuple):
    """The minutes of an attempt, its items, and whether markers mark any of them. None does not apply."""

    minutes: float | None = None
    items: int | None = None
    is_marked: bool = False


class Outlook(NamedTuple):
    """What is known before an attempt. `missing` are evaluations to pass first.

    `refusal` is why an attempt cannot begin now, and `practice_refusal` why practice cannot."""

    extent: Extent
    max_tries: int | None
    tries: int
    cooldown_minutes: float | None
    missing: list[str]
    refusal: str | None
    practice_refusal: str | None
    practice_is_free: bool  # whether practice is no try, because every attempt has other items

    @property
    def tries_left(self) -> int | None:
        return None if self.max_tries is None else max(0, self.max_tries - self.tries)


def foresee_attempt(db: Connection, evaluation: Evaluation, agent: Agent | None) -> Outlook:
    """The outlook of somebody who has no open registration. A registration checks all of it again."""
    accounts = owners.list_accounts(db, agent.id) if agent else []
    tries = store.count_tries(db, accounts, evaluation.id) if accounts else store.Tries(0, None)
    missing = registering.list_missing_prerequisites(db, evaluation, agent) if agent else []
    refusal = find_refusal(db, evaluation, missing)
    is_free = refusal is None and practising.has_new_items(evaluation)
    practice_refusal = None if is_free else find_try_refusal(evaluation, tries)
    if evaluation.type == "live_class_work":
        practice_refusal = practising.NoPractice.__doc__
    return Outlook(
        extent=read_extent(evaluation),
        max_tries=evaluation.max_tries,
        tries=tries.number,
        cooldown_minutes=evaluation.cooldown_minutes,
        missing=missing,
        refusal=refusal or find_try_refusal(evaluation, tries),
        practice_refusal=practice_refusal or refusal,
        practice_is_free=is_free,
    )


def find_refusal(db: Connection, evaluation: Evaluation, missing: list[str]) -> str | None:
    closing = closings.find_closing(db, evaluation.id)
    if closing:
        return f"{registering.EvaluationClosed.__doc__} The reason: {closing.reason}"
    try:
        registering.check_can_be_taken(evaluation)
    except VivaError as error:
        return str(error)
    return "Pass the evaluations that come before this one first." if missing else None


def find_try_refusal(evaluation: Evaluation, tries: store.Tries) -> str | None:
    try:
        registering.check_tries(evaluation, tries)
    except VivaError as error:
        return str(error)
    return None


def read_extent(evaluation: Evaluation) -> Extent:
    try:
        return EXTENT_READERS[evaluation.type](evaluation)
    except (KeyError, msgspec.ValidationError):  # a broken evaluation, which nobody can take
        return Extent()


def extent_of_simple(evaluation: Evaluation) -> Extent:
    return Extent(msgspec.convert(evaluation.config, SimpleConfig).minutes)


def extent_of_benchmark(evaluation: Evaluation) -> Extent:
    config = msgspec.convert(evaluation.config, BenchmarkConfig)
    drawn = sum(config.draw.values()) if isinstance(config.draw, dict) else config.draw
    return Extent(config.time_limit_minutes, drawn or len(config.questions), config.has_free_texts)


def extent_of_certification(evaluation: Evaluation) -> Extent:
    config = msgspec.convert(evaluation.config, CertificationConfig)
    return Extent(config.nonce_validity_minutes, len(config.prompts), True)


def extent_of_class(evaluation: Evaluation) -> Extent:
    return Extent(msgspec.convert(evaluation.config, ClassConfig).time_limit_minutes, None, True)


EXTENT_READERS = {
    "simple_pass_fail": extent_of_simple,
    "complex_benchmark": extent_of_benchmark,
    "agent_certification": extent_of_certification,
    "proctored": lambda evaluation: Extent(),
    "live_class_work": extent_of_class,
}
