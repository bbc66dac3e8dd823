"""Agreement of markers: kappa, differences and strictness, against a slow computation over the pairs themselves."""

from math import sqrt
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import make
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.results import agreement
from viva.results.agreement import MIN_PAIRS, PairSums

MAX_SCORE = 20.0
# Student's t for 95 %, from a printed table.
STUDENT_T = {4: 2.776, 5: 2.571, 9: 2.262, 14: 2.145, 19: 2.093, 29: 2.045, 59: 2.001}


class Pair(NamedTuple):
    """Two verdicts on one exam: passed or not, and the scores, if there are any."""

    first: bool
    second: bool
    first_score: float | None
    second_score: float | None


scores = st.one_of(st.none(), st.integers(0, 20).map(float))
pairs_of = st.lists(st.builds(Pair, st.booleans(), st.booleans(), scores, scores), min_size=1, max_size=60)


def sums_of(pairs: list[Pair]) -> PairSums:
    """The sums as a reader of the pairs would write them down."""
    differences = [
        pair.second_score / MAX_SCORE - pair.first_score / MAX_SCORE
        for pair in pairs
        if pair.first_score is not None and pair.second_score is not None
    ]
    values = [value_of(pair) for pair in pairs]
    verdicts = [(pair.first, pair.second) for pair in pairs]
    return PairSums(
        verdicts.count((True, True)),
        verdicts.count((True, False)),
        verdicts.count((False, True)),
        verdicts.count((False, False)),
        len(differences),
        sum(differences),
        sum(difference**2 for difference in differences),
        sum(values),
        sum(value**2 for value in values),
    )


def value_of(pair: Pair) -> float:
    if pair.first_score is None or pair.second_score is None:
        return float(pair.second) - float(pair.first)
    return pair.second_score / MAX_SCORE - pair.first_score / MAX_SCORE


def slow_kappa(pairs: list[Pair]) -> float | None:
    """Cohen's kappa by counting over all pairs of pairs: chance is how often verdicts of different exams agree."""
    n = len(pairs)
    chance = sum(one.first == other.second for one in pairs for other in pairs) / n**2
    if chance == 1:
        return None
    return (sum(pair.first == pair.second for pair in pairs) / n - chance) / (1 - chance)


# The figures


@given(pairs_of)
def test_kappa_is_that_of_a_slow_count(pairs):
    found, expected = agreement.compute_kappa(sums_of(pairs)), slow_kappa(pairs)

    if len(pairs) < MIN_PAIRS or expected is None:
        assert found is None
    else:
        assert found is not None
        assert found.value == pytest.approx(expected)
        assert found.pairs == len(pairs)
        assert -1 <= found.low <= found.value + 1e-9
        assert found.value - 1e-9 <= found.high <= 1 + 1e-9


@given(pairs_of)
def test_the_interval_of_kappa_holds_every_agreement_that_the_pairs_do_not_contradict(pairs):
    """The ends solve the score test for the observed agreement: p is inside while |a - np| <= 1.96 sqrt(np(1-p))."""
    found = agreement.compute_kappa(sums_of(pairs))
    if found is None:
        return
    n, agreed = len(pairs), sum(pair.first == pair.second for pair in pairs)
    chance = sum(one.first == other.second for one in pairs for other in pairs) / n**2
    inside = [step / 2_000 for step in range(2_001)]
    inside = [p for p in inside if abs(agreed - n * p) <= 1.96 * sqrt(n * p * (1 - p)) + 1e-9]

    assert found.low == pytest.approx(max(-1, (min(inside) - chance) / (1 - chance)), abs=0.001 / (1 - chance))
    assert found.high == pytest.approx((max(inside) - chance) / (1 - chance), abs=0.001 / (1 - chance))


@pytest.mark.parametrize("n", [5, 6, 10, 15, 20, 30, 60])
@given(st.data())
def test_the_mean_difference_has_the_interval_of_students_t(n, data):
    values = data.draw(st.lists(st.integers(-20, 20).map(lambda v: v / 20), min_size=n, max_size=n))
    mean = sum(values) / n
    reach = STUDENT_T[n - 1] * sqrt(sum((value - mean) ** 2 for value in values) / (n - 1)) / sqrt(n)

    found = agreement.mean_difference(n, sum(values), sum(value**2 for value in values))

    assert found is not None
    assert found.share == pytest.approx(mean)
    assert found.pairs == n
    assert found.low == pytest.approx(max(-1, mean - reach), abs=0.02 * reach + 1e-6)
    assert found.high == pytest.approx(min(1, mean + reach), abs=0.02 * reach + 1e-6)


@pytest.mark.parametrize("n", range(MIN_PAIRS))
def test_there_is_no_figure_below_five_pairs(n):
    assert agreement.compute_kappa(PairSums(n, 0, 0, 0, n, 0.5, 0.5, 0.5, 0.5)) is None
    assert agreement.mean_difference(n, 0.5, 0.5) is None


def test_kappa_is_not_told_where_all_verdicts_are_the_same():
    assert agreement.compute_kappa(sums_of([Pair(True, True, None, None)] * 10)) is None


# In the database


class MarkedPair(NamedTuple):
    pair: Pair
    first_marker: str
    second_marker: str


def store_pairs(db: Connection, result_ids: list[str], pairs: list[MarkedPair], cause: str = "draw") -> None:
    for place, (result_id, (pair, first_marker, second_marker)) in enumerate(zip(result_ids, pairs, strict=True)):
        reading_id = f"eval_reading_{place:04}"
        db.execute(
            """
            INSERT INTO second_readings (id, result_id, evaluation_id, cause, status, opened_at, closed_at,
                first_passed, first_score, first_max_score, first_marker_id, first)
            VALUES (?, ?, 'good-manners', ?, 'stands', ?, ?, ?, ?, ?, ?, '{}')
            """,
            [
                reading_id,
                result_id,
                cause,
                now(),
                now(),
                pair.first,
                pair.first_score,
                None if pair.first_score is None else MAX_SCORE,
                first_marker,
            ],
        )
        db.execute(
            """
            INSERT INTO blind_verdicts (second_reading_id, place, marker_agent_id, passed, score, max_score, given_at)
            VALUES (?, 2, ?, ?, ?, ?, ?)
            """,
            [
                reading_id,
                second_marker,
                pair.second,
                pair.second_score,
                None if pair.second_score is None else MAX_SCORE,
                now(),
            ],
        )


@pytest.fixture(scope="module")
def examples():
    """The same random pairs for both databases."""
    random = Random(20261118)
    markers = ["paul", "pia", "paz"]

    def pair() -> MarkedPair:
        scored = random.random() < 0.7
        score = (lambda: float(random.randint(0, 20))) if scored else (lambda: None)
        first, second = random.sample(markers, 2)
        return MarkedPair(Pair(random.random() < 0.6, random.random() < 0.5, score(), score()), first, second)

    return [[pair() for _ in range(size)] for size in (1, 4, 5, 12, 30)]


def test_what_is_read_equals_a_slow_count_over_the_pairs(db, examples):
    make.evaluation(db)
    proctor = make.agent(db, "proctor")
    ids = {name: make.agent(db, name).id for name in ("paul", "pia", "paz")}
    results = [make.result(db, make.agent(db, f"candidate-{n}"), proctor).id for n in range(30)]

    for pairs in examples:
        with make.undone(db):
            marked = [MarkedPair(each.pair, ids[each.first_marker], ids[each.second_marker]) for each in pairs]
            store_pairs(db, results[: len(marked)], marked)

            found = agreement.read_agreement(db, "good-manners")

            assert (found.pairs, found.agreed) == (
                len(pairs),
                sum(each.pair.first == each.pair.second for each in pairs),
            )
            expected = slow_kappa([each.pair for each in pairs])
            assert (found.kappa and found.kappa.value) == (
                pytest.approx(expected) if expected is not None and len(pairs) >= MIN_PAIRS else None
            )
            strict = {line.name: line.strictness for line in found.strictness}
            for name, agent_id in ids.items():
                own = own_values(marked, agent_id)
                alone = agreement.read_agreement_of(db, agent_id)
                assert (alone.pairs if alone else 0) == len(own)
                if len(own) < MIN_PAIRS:
                    assert name not in strict
                    assert alone is None or alone.strictness is None
                else:
                    assert strict[name].share == pytest.approx(sum(own) / len(own))
                    assert strict[name].pairs == len(own)
                    assert alone is not None
                    assert alone.strictness is not None
                    assert alone.strictness.low == pytest.approx(strict[name].low)


def own_values(marked: list[MarkedPair], agent_id: str) -> list[float]:
    """How much less the agent gave than the other marker, pair by pair."""
    values = [value_of(each.pair) for each in marked if each.first_marker == agent_id]
    return values + [-value_of(each.pair) for each in marked if each.second_marker == agent_id]


def test_readings_that_wait_for_a_third_marker_are_left_out(db):
    """Otherwise the third could see from the counts that the first two differ."""
    make.evaluation(db)
    paul, pia = make.agent(db, "paul"), make.agent(db, "pia")
    results = [make.result(db, make.agent(db, f"candidate-{n}"), paul).id for n in range(6)]
    store_pairs(db, results, [MarkedPair(Pair(True, False, 20.0, 0.0), paul.id, pia.id)] * 6)
    db.execute("UPDATE second_readings SET status = 'open', closed_at = NULL WHERE result_id = ?", [results[0]])

    found = agreement.read_agreement(db, "good-manners")

    assert (found.pairs, found.agreed) == (5, 0)
    (line,) = [line for line in found.strictness if line.agent_id == paul.id]
    assert line.strictness.pairs == 5
    alone = agreement.read_agreement_of(db, pia.id)
    assert alone is not None
    assert alone.pairs == 5


def test_readings_after_appeals_are_left_out(db):
    make.evaluation(db)
    paul, pia = make.agent(db, "paul"), make.agent(db, "pia")
    results = [make.result(db, make.agent(db, f"candidate-{n}"), paul).id for n in range(6)]
    store_pairs(db, results, [MarkedPair(Pair(True, False, 20.0, 0.0), paul.id, pia.id)] * 6, cause="appeal")

    assert agreement.read_agreement(db, "good-manners").pairs == 0
    assert agreement.read_agreement_of(db, paul.id) is None
