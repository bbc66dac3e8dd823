"""Item statistics: difficulty, discrimination and time of each item, counted as somebody with patience would."""

from datetime import timedelta
from random import Random
from statistics import correlation, median
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import make
from tests.results.taken import EVALUATION, NINE, Counting, example, keep, keep_all, plain
from viva.kit.db import Connection
from viva.results import item_reading, item_statistics
from viva.results.item_statistics import ItemReport, ItemStatistics, correlation_interval, read_report

ITEMS = ("easy", "hard", "odd", "rare")


def report_of(db: Connection) -> ItemReport:
    return read_report(db, EVALUATION, "1.0.0")


def data(marks: dict[str, float | None], most: float = 2) -> dict[str, Any]:
    return {
        "criteria": [
            {
                "id": id_,
                "text": f"The {id_} one",
                "met": None if mark is None else mark == most,
                "mark": mark,
                "max": most,
            }
            for id_, mark in marks.items()
        ]
    }


def keep_marks(db: Connection, rows: list[dict[str, float | None]]) -> list[Any]:
    return keep_all(db, [plain(minute=at, data=data(row)) for at, row in enumerate(rows)])


def slow_discrimination(rows: list[dict[str, float | None]], item_id: str) -> tuple[int, float | None]:
    """The correlation of the item with the mean of the others, attempt by attempt."""
    pairs = []
    for row in rows:
        judged = {id_: mark / 2 for id_, mark in row.items() if mark is not None}
        others = [share for id_, share in judged.items() if id_ != item_id]
        if item_id in judged and others:
            pairs.append((judged[item_id], sum(others) / len(others)))
    xs, ys = [x for x, _ in pairs], [y for _, y in pairs]
    alike = len({round(x, 9) for x in xs}) < 2 or len({round(y, 9) for y in ys}) < 2
    return len(pairs), None if len(pairs) < 20 or alike else correlation(xs, ys)


def many_rows(random: Random) -> list[dict[str, float | None]]:
    """Forty attempts, each at some of the items."""
    return [
        {id_: random.choice([0.0, 0.5, 1.0, 2.0, None]) for id_ in ITEMS if random.random() < 0.8} or {"easy": 2}
        for _ in range(40)
    ]


ROWS = st.randoms(use_true_random=False).map(many_rows) | st.lists(
    st.dictionaries(st.sampled_from(ITEMS), st.sampled_from([0.0, 0.5, 1.0, 2.0, None]), min_size=1),
    min_size=1,
    max_size=45,
)


@settings(deadline=None, max_examples=20, suppress_health_check=list(HealthCheck))
@given(rows=ROWS)
def test_statistics_are_those_of_a_slow_count(db, rows):
    with example(db):
        keep_marks(db, rows)

        found = {item.item_id: item for item in report_of(db).items}

        for item_id in ITEMS:
            judged = [row[item_id] for row in rows if row.get(item_id) is not None]
            if not judged:
                assert item_id not in found
                continue
            item = found[item_id]
            right = sum(mark == 2 for mark in judged)
            assert (item.judged, item.right, item.share) == (len(judged), right, right / len(judged))
            assert item.low <= item.share <= item.high
            assert item.text == f"The {item_id} one"
            pairs, expected = slow_discrimination(rows, item_id)
            if expected is None:
                assert item.discrimination is None
            else:
                assert item.discrimination is not None
                assert item.discrimination.results == pairs
                assert item.discrimination.correlation == pytest.approx(expected, abs=1e-9)
                assert item.discrimination.low <= item.discrimination.correlation <= item.discrimination.high


def item(db: Connection, item_id: str) -> ItemStatistics:
    return next(item for item in report_of(db).items if item.item_id == item_id)


def test_nineteen_results_are_too_few_for_discrimination(db):
    rows: list[dict[str, float | None]] = [{"easy": 2 * (at % 2), "hard": 2 * (at % 2)} for at in range(19)]
    keep_marks(db, rows)

    assert item(db, "easy").discrimination is None
    keep(db, make.agent(db, "one more"), plain(minute=30, data=data({"easy": 2, "hard": 2})))
    found = item(db, "easy").discrimination
    assert found is not None
    assert found.correlation == pytest.approx(1)
    assert found.results == 20


def test_an_item_has_no_discrimination_if_it_or_the_others_are_always_alike(db):
    keep_marks(db, [{"easy": 2, "hard": 2 * (at % 2)} for at in range(25)])

    assert item(db, "easy").discrimination is None
    assert item(db, "hard").discrimination is None


def test_the_interval_of_a_correlation_is_fishers():
    assert correlation_interval(0.5, 28) == pytest.approx((0.1560, 0.7358), abs=1e-4)
    assert correlation_interval(1.0, 28) == (1.0, 1.0)


def test_the_most_difficult_items_come_first_and_versions_are_apart(db):
    rows: list[dict[str, float | None]] = [{"easy": 2, "hard": 0}, {"easy": 2, "hard": 2}]
    keep_all(db, [plain(data=data(row)) for row in rows] + [plain(version="2.0.0", data=data({"odd": 0}))])

    assert [(each.item_id, each.right, each.judged) for each in report_of(db).items] == [("hard", 1, 2), ("easy", 2, 2)]
    assert [each.item_id for each in read_report(db, EVALUATION, "2.0.0").items] == ["odd"]
    assert read_report(db, EVALUATION, "3.0.0") == ItemReport("3.0.0", 0, 0, [])


def test_hostile_data_of_results_gives_items_or_none(db):
    rows = [{"id": "x" * 5_000, "met": True}, {"id": "ok", "met": "yes"}, {"id": 7, "met": True}, None]
    keep_all(db, [plain(data={"criteria": rows}), plain(data={"criteria": "x"}), plain(data=None)])

    report = report_of(db)

    assert (report.results, [each.item_id for each in report.items]) == (3, ["x" * 100])


def test_only_the_newest_results_are_read_in_batches(db, monkeypatch):
    monkeypatch.setattr(item_reading, "MAX_ITEM_RESULTS", 6)
    monkeypatch.setattr(item_reading, "RESULTS_AT_ONCE", 2)
    keep_marks(db, [{"easy": 0 if at > 5 else 2} for at in range(10)])

    report = report_of(db)

    assert (report.results, report.all_results) == (6, 10)
    assert (report.items[0].right, report.items[0].judged) == (2, 6)


def test_large_data_ends_the_reading(db, monkeypatch):
    monkeypatch.setattr(item_reading, "MAX_ITEM_RESULTS_BYTES", 250)
    keep_marks(db, [{"easy": 2}] * 5)

    assert report_of(db).results < 5


def test_a_report_is_computed_once_until_there_is_another_result(db):
    keep_marks(db, [{"easy": 2}])
    first = report_of(db)
    counting = Counting(db)

    assert read_report(counting, EVALUATION, "1.0.0") is first
    assert len(counting.asked) == 1
    keep(db, make.agent(db, "one more"), plain(minute=30, data=data({"easy": 0})))
    assert report_of(db).results == 2


# Times


def save(db: Connection, registration_id: str, *answers: tuple[str, float]) -> None:
    """Let answers be saved so many seconds after the start."""
    db.execute("UPDATE evaluation_registrations SET started_at = ? WHERE id = ?", [NINE, registration_id])
    for question_id, seconds in answers:
        db.execute(
            "INSERT INTO evaluation_answers (registration_id, question_id, answer, answered_at) VALUES (?, ?, '1', ?)",
            [registration_id, question_id, NINE + timedelta(seconds=seconds)],
        )


def times(db: Connection) -> dict[str, tuple[float | None, int]]:
    return {each.item_id: (each.median_seconds, each.timed) for each in report_of(db).items}


def test_the_time_of_an_answer_is_since_the_save_before_it(db):
    rows: list[dict[str, float | None]] = [dict.fromkeys(("easy", "hard"), 2.0)] * 3
    first, second, third = keep_marks(db, rows)
    save(db, first.registration_id, ("hard", 60), ("easy", 70))
    save(db, second.registration_id, ("easy", 30), ("hard", 50), ("unknown", 60))
    save(db, third.registration_id, ("easy", 4))

    assert times(db) == {"easy": (median([10, 30, 4]), 3), "hard": (median([60, 20]), 2)}


def test_answers_that_were_saved_together_have_no_time(db):
    (result,) = keep_marks(db, [dict.fromkeys(ITEMS, 2.0)])
    save(db, result.registration_id, ("easy", 10), ("hard", 10), ("odd", 10.0004), ("rare", 25.0004))

    assert times(db) == {"easy": (None, 0), "hard": (None, 0), "odd": (None, 0), "rare": (15, 1)}


def test_the_number_of_read_answers_is_limited(db, monkeypatch):
    monkeypatch.setattr(item_reading, "MAX_TIMED_ANSWERS", 1)
    (result,) = keep_marks(db, [dict.fromkeys(ITEMS, 2.0)])
    save(db, result.registration_id, ("easy", 10), ("hard", 30))

    assert sum(timed for _, timed in times(db).values()) == 1


def test_the_number_of_items_is_limited(db, monkeypatch):
    monkeypatch.setattr(item_statistics, "MAX_ITEMS", 2)
    keep_marks(db, [dict.fromkeys(ITEMS, 2.0)])

    assert len(report_of(db).items) == 2
