"""Whatever order verdicts, second readings and appeals come in: points and sums equal a slow recount."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests import make
from tests.conftest import in_transaction
from tests.exams import readings
from tests.exams.readings import decided, read_again
from viva.exams import appealing
from viva.kit.db import Connection
from viva.kit.errors import VivaError
from viva.results import second_readings, sums
from viva.results import store as results

CANDIDATES, MARKERS = ("ada", "bob"), ("pia", "paz", "pam", "pat")

SCORES = {True: 75.0, False: 25.0}  # as shares of 100 their sums are exact in any order
steps = st.lists(
    st.one_of(
        st.tuples(st.just("verdict"), st.sampled_from(CANDIDATES), st.booleans()),
        st.tuples(st.just("reading"), st.sampled_from(MARKERS), st.booleans(), st.integers(0, 5)),
        st.tuples(st.just("appeal"), st.integers(0, 5)),
    ),
    min_size=3,
    max_size=25,
)


class Story:
    """An evaluation in which half of the verdicts, or all, are drawn; and what happened so far."""

    def __init__(self, db: Connection, share: float) -> None:
        self.db = db
        readings.evaluation(db, share)
        self.people = {name: make.agent(db, name) for name in (*CANDIDATES, *MARKERS, "paul")}
        self.result_ids: list[str] = []

    def verdict(self, name: str, passed: bool) -> None:
        self.result_ids.append(decided(self.db, self.people[name], self.people["paul"], passed, SCORES[passed]).id)

    def reading(self, name: str, passed: bool, place: int) -> None:
        open_ones = [
            reading
            for result_id in self.result_ids
            for reading in second_readings.list_of(self.db, result_id)
            if reading.status == "open"
        ]
        if open_ones:
            read_again(self.db, open_ones[place % len(open_ones)], self.people[name], passed, SCORES[passed])

    def appeal(self, place: int) -> None:
        if self.result_ids:
            result = results.get(self.db, self.result_ids[place % len(self.result_ids)])
            agent = next(agent for agent in self.people.values() if agent.id == result.agent_id)
            appealing.appeal(self.db, result.id, agent, "A reason that is long enough.")

    def tell(self, step: tuple[Any, ...]) -> None:
        try:
            with make.unit(self.db):
                getattr(self, step[0])(*step[1:])
        except VivaError:
            return  # somebody tried what is not allowed; nothing is written

    def stored(self) -> dict[str, list[Any]]:
        return {
            table: sorted(map(repr, self.db.execute(f"SELECT * FROM {table}").fetchall())) for table in sums.SUM_TABLES
        }


def check_story(db: Connection, share: float, told: list[Any]) -> None:
    story = Story(db, share)
    for step in told:
        story.tell(step)
    kept = [results.get(db, result_id) for result_id in story.result_ids]

    for name in CANDIDATES:
        agent_id = story.people[name].id
        own = [result for result in kept if result.agent_id == agent_id and result.official]
        (points,) = db.execute("SELECT points FROM agents WHERE id = ?", [agent_id]).fetchone()
        assert points == (10 if any(result.passed for result in own) else 0)
    for result in kept:
        assert result.points_earned == (10 if result.passed else 0)
    before = story.stored()
    sums.recount(db, readings.EXAM)
    assert story.stored() == before


@settings(max_examples=40)
@given(st.sampled_from([0.5, 1.0]), steps)
def test_points_and_sums_equal_a_slow_recount_on_sqlite(migrated, share, told):
    with in_transaction(migrated("sqlite")) as db:
        check_story(db, share, told)


@settings(max_examples=10)
@given(st.sampled_from([0.5, 1.0]), steps)
def test_points_and_sums_equal_a_slow_recount_on_postgresql(migrated, share, told):
    with in_transaction(migrated("postgresql")) as db:
        check_story(db, share, told)
