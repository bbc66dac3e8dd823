"""Parting from a cohort: who leaves one loses no try, and says nothing more in its session."""

from viva.exams import cohorts, members
from viva.exams.model import Cohort, Registration
from viva.kit.db import Connection
from viva.kit.errors import Conflict
from viva.sessions import store as sessions


class ClassIsOver(Conflict):
    """This class is over and its work is being marked, so nobody can leave it any more."""


def check_not_over(cohort: Cohort | None) -> None:
    if cohort and cohort.status == "finished":
        raise ClassIsOver()


def part(db: Connection, registration: Registration) -> Cohort | None:
    """Leave the cohort that the registration is in, if it still goes on; the cohort, locked, or None where there is none."""
    cohort = cohorts.hold_of(db, registration.id)
    if cohort is None or cohort.status not in ("open", "running"):
        return cohort
    members.drop(db, cohort.id, registration.id)
    if cohort.session_id:
        sessions.leave(db, cohort.session_id, registration.agent_id)
    return cohorts.get(db, cohort.evaluation_id, cohort.id)
