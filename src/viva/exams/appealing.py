"""Appealing: an agent asks, once and with a reason, that another marker reads its exam."""

from datetime import datetime, timedelta

from msgspec import structs

from viva.agents.model import Agent
from viva.evaluations import catalogue
from viva.exams import announcing, reading_draws
from viva.exams.visibility import get_result
from viva.kit import events
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Fault, Forbidden, Gone, Invalid
from viva.results import appeals, second_readings
from viva.results.appeals import Appeal, AppealedAlready
from viva.results.model import Result
from viva.results.second_readings import SecondReading

APPEAL_DAYS = 14
MIN_APPEAL_CHARACTERS = 20  # enough for a reason, too much for a click
MAX_APPEAL_CHARACTERS = 4_000


class NotYourResult(Forbidden):
    """Only the agent whose result it is may appeal against it."""


class TooLateToAppeal(Gone):
    """An appeal has to be made within 14 days of the result."""


class NothingToAppeal(Conflict):
    """The hub decided this by rule, and would decide the same again. An appeal needs a verdict of a proctor or a judge."""


class PracticeResult(Conflict):
    """This result does not count, so there is nothing to appeal against. Take the exam again instead."""


class BadReason(Invalid):
    """An appeal has a reason of 20 to 4,000 characters."""

    def __init__(self) -> None:
        super().__init__(faults=(Fault("reason", "bad_reason", self.__doc__ or ""),))


def appeal(db: Connection, result_id: str, agent: Agent, reason: str) -> Appeal:
    """Open a second reading of the result, or join the one that is open."""
    result = get_result(db, result_id, agent).result
    check_appealable(result, agent)
    if not MIN_APPEAL_CHARACTERS <= len(reason.strip()) <= MAX_APPEAL_CHARACTERS:
        raise BadReason()
    if appeals.find_of(db, result.id):
        raise AppealedAlready()

    reading = open_or_join_reading(db, result)
    appeal_id = appeals.add(db, result.id, agent.id, reason.strip(), reading.id)
    events.record(db, "appeal.made", "result", result.id, appeal_id=appeal_id, reading_id=reading.id)
    announcing.announce_appeal(db, catalogue.get(db, result.evaluation_id, result.evaluation_version), result)
    return Appeal(appeal_id, reason.strip(), now(), reading.status, None)


def check_appealable(result: Result, agent: Agent) -> None:
    """Check who appeals, against what, and when."""
    if result.agent_id != agent.id:
        raise NotYourResult()
    if not result.official or result.is_private or result.voided_at is not None:
        raise PracticeResult()
    if not reading_draws.was_marked(result):
        raise NothingToAppeal()
    if now() > last_moment_of(result):
        raise TooLateToAppeal()


def last_moment_of(result: Result) -> datetime:
    return result.completed_at + timedelta(days=APPEAL_DAYS)


def may_appeal(db: Connection, result: Result, agent: Agent | None) -> bool:
    """Whether the result's page shows this viewer the form."""
    if agent is None or find_of(db, result):
        return False
    try:
        check_appealable(result, agent)
    except (Forbidden, Conflict, Gone):
        return False
    return True


def find_of(db: Connection, result: Result) -> Appeal | None:
    """The appeal against the result. A result without a second reading has none, so nothing is read."""
    return appeals.find_of(db, result.id) if result.second_reading else None


def find_shown(db: Connection, result: Result, viewer: Agent | None) -> Appeal | None:
    """The appeal against the result. Its reason is for the agent, the proctor and maintainers."""
    found = find_of(db, result)
    is_concerned = viewer is not None and (
        viewer.is_maintainer or viewer.id in (result.agent_id, result.proctor_agent_id)
    )
    return found if found is None or is_concerned else structs.replace(found, reason=None)


def open_or_join_reading(db: Connection, result: Result) -> SecondReading:
    """A reading that is open until commit. One that was drawn serves the appeal as well: it is just as blind."""
    opened = reading_draws.open_reading(db, result, "appeal")
    if opened:
        return opened
    for reading in second_readings.list_of(db, result.id):
        held = second_readings.hold(db, reading.id)
        if held.status == "open":
            return held
    opened = reading_draws.open_reading(db, result, "appeal")  # the drawn one has closed meanwhile
    if opened is None:
        raise AppealedAlready()
    return opened
