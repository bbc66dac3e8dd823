"""An agent's points are the sum of its best passed attempts, one for each evaluation, whatever the order of events."""

from functools import partial

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import make
from viva.agents import store as agents
from viva.evaluations import catalogue
from viva.evaluations import store as evaluations
from viva.exams import deciding, registering
from viva.exams.model import Outcome, Registration
from viva.kit.db import Connection, Database

EVALUATIONS = ("good-manners", "tea-making", "high-tea")
ENDS = ("passed", "failed", "cancelled", "open")
VERSIONS = {"1.0.0": 10.0, "1.1.0": 2.5, "2.0.0": 40.0}  # points change with the version

events = st.lists(
    st.tuples(
        st.sampled_from(["ada", "pia"]),
        st.sampled_from(EVALUATIONS),
        st.sampled_from(ENDS),
        st.sampled_from([*VERSIONS]),
    ),
    max_size=12,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=events)
def test_points_are_the_sum_of_the_best_passed_attempts(db: Connection, events: list[tuple[str, str, str, str]]):
    db.execute("SAVEPOINT example")
    people = {name: make.agent(db, name) for name in ("ada", "pia")}
    best: dict[tuple[str, str], float] = {}
    for name, evaluation_id, end, version in events:
        evaluation = make.evaluation(
            db, id=evaluation_id, sip=7 + EVALUATIONS.index(evaluation_id), version=version, points=VERSIONS[version]
        )
        registration = make.registration(db, people[name], evaluation_id)
        points = VERSIONS[registration.evaluation_version or ""]
        if end == "cancelled":
            registering.cancel(db, evaluation_id, people[name])
        elif end != "open":
            taken = catalogue.at_version(db, evaluation, registration.evaluation_version)
            deciding.keep_result(db, taken, registration, Outcome(end == "passed"))
        if end == "passed":
            best[name, evaluation_id] = max(best.get((name, evaluation_id), 0.0), points)

        for agent in people:
            expected = sum(points for (owner, _), points in best.items() if owner == agent)
            assert agents.profile(db, agent).points == expected
    db.execute("ROLLBACK TO example")
    db.execute("RELEASE example")


def test_results_in_several_evaluations_at_once_all_count_for_the_agent(database: Database):
    taken = [f"exam-{number}" for number in range(8)]

    def prepared(db: Connection) -> list[Registration]:
        ada = make.agent(db, "ada")
        for number, evaluation_id in enumerate(taken):
            make.evaluation(db, id=evaluation_id, sip=100 + number, points=2**number)
        return [make.registration(db, ada, evaluation_id) for evaluation_id in taken]

    def pass_(registration: Registration) -> None:
        def unit(db: Connection) -> None:
            deciding.keep_result(db, evaluations.get(db, registration.evaluation_id), registration, Outcome(True))

        database.write_now(unit)

    outcomes = make.together(*(partial(pass_, one) for one in database.write_now(prepared)))

    profile = database.read_now(lambda db: agents.profile(db, "ada"))
    assert outcomes == [None] * 8
    assert (profile.points, profile.results) == (255, 8)
