"""What becomes of a cohort when two do things to it at once: one comes after the other, and no seat is given twice."""

from collections.abc import Callable
from typing import Any

import pytest

from tests import make
from tests.exams.class_work import CLASS, evaluation, gathered, registered
from tests.exams.test_races import in_the_middle
from tests.hub import load
from tests.values import require
from viva.agents.model import Agent
from viva.exams import account_deletion, classes, cohorts, joining, members, registering, starting, store
from viva.exams.model import Cohort
from viva.kit.db import Database
from viva.sessions import channel

pytestmark = pytest.mark.soak
ROUNDS = range(load(1, in_soak=8))


def doing(database: Database, work: Callable[..., Any], *args: Any) -> Callable[[], Any]:
    return lambda: database.write_now(lambda db: work(db, *args))


def kinds(outcomes: list[Any]) -> list[str]:
    return sorted(type(outcome).__name__ for outcome in outcomes)


class Class:
    """A cohort led by ida, with what the database says of it."""

    def __init__(self, database: Database, number: int, names: int) -> None:
        def gather(db):
            ida = make.agent(db, f"ida-{number}")
            cohort = joining.open_cohort(db, CLASS, ida, "instructor").cohort
            people = [registered(db, f"agent-{number}-{n}") for n in range(names)]
            return ida, cohort.id, people

        self.database, self.number = database, number
        self.ida, self.id, self.people = database.write_now(gather)

    def join(self, *agents: Agent) -> None:
        for agent in agents:
            self.doing(joining.join, agent)()

    def begin(self) -> None:
        """Let the class start, and everybody say something."""
        cohort = self.doing(joining.start, self.ida)()
        for agent in self.people:
            doing(self.database, channel.send, CLASS, cohort.session_id, agent.id, "Here.", 100)()

    def doing(self, work: Callable[..., Any], agent: Agent) -> Callable[[], Any]:
        return doing(self.database, work, CLASS, self.id, agent)

    @property
    def cohort(self) -> Cohort:
        return self.database.read_now(lambda db: cohorts.get(db, CLASS, self.id))

    @property
    def present(self) -> list[str]:
        found = self.database.read_now(lambda db: members.list_present(db, self.id))
        return [registration.agent_id for registration in found]

    @property
    def statuses(self) -> list[str | None]:
        return self.database.read_now(lambda db: [store.find_last_status(db, agent.id, CLASS) for agent in self.people])

    def check_seats(self) -> None:
        assert self.cohort.participant_count == len(self.present)


@pytest.fixture
def hall(database) -> Database:
    database.write_now(evaluation)
    return database


def test_of_twenty_for_three_seats_three_get_one_and_the_class_starts(hall):
    school = Class(hall, 0, 20)

    outcomes = make.together(*(school.doing(joining.join, agent) for agent in school.people))

    assert kinds(outcomes) == ["CohortNotOpen"] * 17 + ["CohortSeat"] * 3
    assert (school.cohort.status, len(school.present)) == ("running", 3)
    assert sorted(map(require, school.statuses)) == ["in_progress"] * 3 + ["registered"] * 17
    school.check_seats()


def test_two_for_the_last_seat(hall):
    for number in ROUNDS:
        school = Class(hall, number, 4)
        school.join(*school.people[:2])

        outcomes = make.together(*(school.doing(joining.join, agent) for agent in school.people[2:]))

        assert kinds(outcomes) == ["CohortNotOpen", "CohortSeat"]
        assert len(school.present) == 3


def test_twenty_requests_of_one_agent_take_one_seat(hall):
    school = Class(hall, 0, 1)

    outcomes = make.together(*[school.doing(joining.join, school.people[0])] * 20)

    assert kinds(outcomes) == ["CohortSeat"] * 20
    assert sum(outcome.is_new for outcome in outcomes) == 1
    assert school.cohort.participant_count == 1


def test_joining_against_starting(hall):
    for number in ROUNDS:
        school = Class(hall, number, 3)
        school.join(*school.people[:2])

        joined, begun = make.together(
            school.doing(joining.join, school.people[2]), school.doing(joining.start, school.ida)
        )

        if isinstance(joined, joining.CohortNotOpen):
            assert (begun.status, len(school.present)) == ("running", 2)
        else:  # the third seat was the last, so the class had started before the instructor could
            assert isinstance(begun, joining.CohortNotOpen)
            assert len(school.present) == 3
        assert school.cohort.status == "running"
        assert session_people(school) == {school.ida.id, *school.present}
        school.check_seats()


def session_people(school: Class) -> set[str]:
    session_id = school.cohort.session_id
    rows = school.database.read_now(
        lambda db: db.execute(
            "SELECT agent_id FROM evaluation_session_participants WHERE session_id = ?", [session_id]
        ).fetchall()
    )
    return {row[0] for row in rows}


def test_leaving_against_finishing(hall):
    for number in ROUNDS:
        school = Class(hall, number, 2)
        school.join(*school.people)
        school.begin()

        left, ended = make.together(
            school.doing(joining.leave, school.people[0]), school.doing(classes.finish, school.ida)
        )

        if isinstance(left, joining.CohortSeat):
            assert (ended.status, school.statuses) == ("cancelled", ["cancelled", "cancelled"])
        else:
            assert type(left).__name__ == "ClassIsOver"
            assert (ended.status, school.statuses) == ("finished", ["in_progress", "in_progress"])
        school.check_seats()


def test_withdrawing_against_joining(hall):
    for number in ROUNDS:
        school = Class(hall, number, 1)
        (ada,) = school.people

        cancelled, joined = make.together(doing(hall, registering.cancel, CLASS, ada), school.doing(joining.join, ada))

        assert cancelled.status == "cancelled"
        assert isinstance(joined, joining.CohortSeat | store.NotRegistered)
        assert (school.present, school.statuses) == ([], ["cancelled"])
        school.check_seats()


def test_of_two_who_finish_at_once_one_does(hall):
    for number in ROUNDS:
        school = Class(hall, number, 2)
        school.join(*school.people)
        school.doing(joining.start, school.ida)()

        outcomes = make.together(*[school.doing(classes.finish, school.ida)] * 2)

        assert kinds(outcomes) == ["Cohort", "CohortNotRunning"]


def test_the_sweep_against_finishing(hall):
    for number in ROUNDS:
        school = Class(hall, number, 2)
        school.join(*school.people)
        school.begin()
        hall.write_now(lambda db: db.execute("UPDATE evaluation_cohorts SET ends_at = started_at"))

        swept, ended = make.together(doing(hall, classes.end_overdue), school.doing(classes.finish, school.ida))

        assert swept == (1 if isinstance(ended, classes.CohortNotRunning) else 0)
        assert school.cohort.status == "finished"
        (sheets,) = hall.read_now(
            lambda db, school=school: db.execute(
                "SELECT count(*) FROM evaluation_sheets WHERE cohort_id = ?", [school.id]
            ).fetchone()
        )
        assert sheets == 1


def test_ten_who_look_for_a_cohort_at_once_find_each_other(hall):
    agents = [hall.write_now(lambda db, n=n: registered(db, f"agent-{n}")) for n in range(10)]

    outcomes = make.together(*(doing(hall, starting.start, make.HALL, CLASS, agent, "") for agent in agents))

    assert kinds(outcomes) == ["StartedAttempt"] * 10
    found = hall.read_now(lambda db: cohorts.list_cohorts(db, CLASS, None, 50, None)).items
    assert sorted((cohort.status, cohort.participant_count) for cohort in found) == [
        ("open", 1),
        ("running", 3),
        ("running", 3),
        ("running", 3),
    ]


def test_who_looks_for_a_cohort_while_another_opens_one_joins_that(hall):
    ada, bob = (hall.write_now(lambda db, name=name: registered(db, name)) for name in ("ada", "bob"))

    first, second = in_the_middle(
        hall,
        lambda db: starting.start(db, make.HALL, CLASS, ada, "").details["cohort"],
        lambda db: starting.start(db, make.HALL, CLASS, bob, "").details["cohort"],
    )

    assert (second.id, second.participant_count) == (first.id, 2)


def test_who_joins_while_the_last_seat_is_taken_is_told_so(hall):
    school = Class(hall, 0, 4)
    school.join(*school.people[:2])

    first, second = in_the_middle(
        hall,
        lambda db: joining.join(db, CLASS, school.id, school.people[2]),
        lambda db: joining.join(db, CLASS, school.id, school.people[3]),
    )

    assert (first.cohort.status, type(second).__name__) == ("running", "CohortNotOpen")
    school.check_seats()


def test_who_joins_while_it_is_deleted_is_in_no_cohort(hall):
    school = Class(hall, 0, 1)
    (ada,) = school.people

    joined, left = in_the_middle(
        hall, lambda db: joining.join(db, CLASS, school.id, ada), lambda db: account_deletion.delete_account(db, ada)
    )

    assert (type(joined).__name__, left) == ("CohortSeat", None)
    assert (school.present, school.statuses) == ([], ["cancelled"])
    school.check_seats()


def test_all_of_a_class_are_deleted_at_once(hall):
    school = Class(hall, 0, 2)
    school.join(*school.people)
    school.doing(joining.start, school.ida)()

    outcomes = make.together(
        *(doing(hall, account_deletion.delete_account, agent) for agent in (school.ida, *school.people))
    )

    assert outcomes == [None, None, None]
    assert (school.cohort.participant_count, school.statuses) == (0, ["cancelled", "cancelled"])


def test_who_leaves_while_it_speaks_has_spoken_or_has_not(hall):
    for number in ROUNDS:
        school = Class(hall, number, 2)
        school.join(*school.people)
        school.doing(joining.start, school.ida)()
        ada, session_id = school.people[0], school.cohort.session_id

        left, said = make.together(
            school.doing(joining.leave, ada), doing(hall, channel.send, CLASS, session_id, ada.id, "Bye.", 100)
        )

        assert isinstance(left, joining.CohortSeat)
        assert kinds([said])[0] in ("Message", "LeftSession")


def test_the_seats_in_a_cohort_are_kept_by_the_schema(hall):
    cohort, _ = hall.write_now(lambda db: gathered(db, "ada", "bob"))

    with pytest.raises(Exception, match="evaluation_cohorts_seats"):
        hall.write_now(
            lambda db: db.execute("UPDATE evaluation_cohorts SET participant_count = 4 WHERE id = ?", [cohort.id])
        )
