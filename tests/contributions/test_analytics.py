"""Figures about contributions, against a slow computation by hand."""

import random
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from msgspec import structs

from tests import make
from tests.contributions.submitted import submission
from viva.contributions import account_deletion, analytics
from viva.contributions.analytics import ContributorStanding, MonthCount, SubmittedRow, TypeCount
from viva.kit.deleted import DELETED_NAME

SUNDAY = datetime(2026, 11, 15, 12, tzinfo=UTC)
STATUSES = ("draft", "submitted", "under_review", "approved", "rejected", "merged")
DECIDED = ("approved", "rejected", "merged")


def row(status: str = "merged", name: str = "Ada", **changes: Any) -> SubmittedRow:
    reviewed_at = SUNDAY + timedelta(hours=2) if status in DECIDED else None
    values = {"contributor_id": None, "type": "proctored", "submitted_at": SUNDAY, "reviewed_at": reviewed_at}
    return SubmittedRow(contributor_name=name, status=status, **(values | changes))


@some.composite
def rows(draw: some.DrawFn) -> list[SubmittedRow]:
    chance = random.Random(draw(some.integers(0, 10**6)))
    return [
        row(
            chance.choice(STATUSES),
            person or "Zoë",
            contributor_id=person and f"agent_{person}",
            type=chance.choice(["proctored", "simple_pass_fail"]),
            submitted_at=SUNDAY - timedelta(days=chance.randrange(100)),
        )
        for person in chance.choices(["ada", "bob", "cleo", None], k=draw(some.integers(0, 30)))
    ]


@given(rows())
def test_the_figures_are_those_of_a_slow_computation(submitted):
    found = analytics.summarize(submitted)

    def count(*statuses: str, **values: Any) -> int:
        fitting = [each for each in submitted if all(getattr(each, name) == value for name, value in values.items())]
        return len([each for each in fitting if not statuses or each.status in statuses])

    def in_month(month: str, *statuses: str) -> int:
        return len(
            [
                each
                for each in submitted
                if f"{each.submitted_at.year}-{each.submitted_at.month:02}" == month
                and (not statuses or each.status in statuses)
            ]
        )

    hours = [
        (each.reviewed_at - each.submitted_at).total_seconds() / 3600 for each in submitted if each.status in DECIDED
    ]
    assert (found.submitted, found.merged) == (len(submitted), count("merged"))
    assert found.awaiting_review == count("submitted", "under_review")
    assert found.median_review_hours == (pytest.approx(median(hours), abs=0.01) if hours else None)
    assert (found.acceptance is None) == (not hours)
    if found.acceptance:
        assert found.acceptance.accepted == count("merged", "approved")
        assert found.acceptance.decided == count(*DECIDED)
        rounding = 1e-9
        assert found.acceptance.low - rounding <= found.acceptance.share <= found.acceptance.high + rounding
    months = sorted({f"{each.submitted_at.year}-{each.submitted_at.month:02}" for each in submitted})
    assert found.months == [MonthCount(month, in_month(month), in_month(month, "merged")) for month in months]
    assert sorted(found.types, key=lambda type_: type_.type) == [
        TypeCount(type_, count(type=type_), count("merged", type=type_))
        for type_ in sorted({each.type for each in submitted})
    ]
    assert [type_.submitted for type_ in found.types] == sorted((t.submitted for t in found.types), reverse=True)
    names = {each.contributor_name for each in submitted if each.status == "merged"}
    assert {
        person.name: (person.merged, person.submitted, person.contribution_points) for person in found.contributors
    } == {
        name: (
            count("merged", contributor_name=name),
            count(contributor_name=name),
            10 * count("merged", contributor_name=name),
        )
        for name in names
    }
    assert [person.merged for person in found.contributors] == sorted(
        (person.merged for person in found.contributors), reverse=True
    )


def test_nothing_submitted_has_no_shares():
    found = analytics.summarize([])

    assert (found.submitted, found.acceptance, found.median_review_hours, found.months) == (0, None, None, [])
    assert found.is_complete


def test_the_acceptance_has_its_wilson_interval():
    found = analytics.summarize([row("merged")] * 7 + [row("approved")] + [row("rejected")] * 2 + [row("submitted")])

    assert found.acceptance
    assert structs.astuple(found.acceptance) == (
        8,
        10,
        0.8,
        pytest.approx(0.490, abs=1e-3),
        pytest.approx(0.943, abs=1e-3),
    )


def test_an_account_and_a_name_without_one_are_two_contributors():
    found = analytics.summarize([row(name="ada", contributor_id="agent_1"), row(name="ada"), row(name="ada")])

    assert found.contributors == [
        ContributorStanding("ada", False, 2, 2, 20, "First evaluation"),
        ContributorStanding("ada", True, 1, 1, 10, "First evaluation"),
    ]


@pytest.mark.parametrize(
    ("merged", "badge"),
    [
        (0, None),
        (1, "First evaluation"),
        (4, "First evaluation"),
        (5, "Author of five"),
        (9, "Author of five"),
        (10, "Author of ten"),
        (25, "Author of twenty-five"),
        (900, "Author of twenty-five"),
    ],
)
def test_a_badge_is_for_the_number_of_merged_evaluations(merged, badge):
    assert analytics.badge_for(merged) == badge


def test_only_the_latest_submissions_and_the_first_contributors_are_counted(monkeypatch):
    monkeypatch.setattr(analytics, "MAX_SUBMISSIONS_COUNTED", 3)
    monkeypatch.setattr(analytics, "MAX_CONTRIBUTORS_SHOWN", 2)

    found = analytics.summarize([row(name=name) for name in ("ada", "bob", "cleo", "dora")])

    assert (found.submitted, found.is_complete) == (3, False)
    assert [person.name for person in found.contributors] == ["ada", "bob"]


def test_the_figures_are_read_from_the_database(db, monkeypatch):
    ada = make.agent(db, "ada")
    monkeypatch.setattr(analytics, "MAX_SUBMISSIONS_COUNTED", 3)
    submission(db, "Old", submitted_at=SUNDAY - timedelta(days=400))
    submission(db, "Draft", status="draft", submitted_at=None)
    submission(db, "Sent", type="complex_benchmark", submitted_at=SUNDAY)
    merged: dict[str, Any] = {"status": "merged", "submitted_at": SUNDAY, "reviewed_at": SUNDAY + timedelta(hours=3)}
    # An account has its own name, whatever the contribution says.
    for number, person in ((100, {"contributor_id": ada.id, "contributor_name": "old name"}), (101, {})):
        submission(db, sip_number=number, evaluation_id=f"e-{number}", merged_at=SUNDAY, **merged, **person)

    found = analytics.read_analytics(db)

    assert (found.submitted, found.merged, found.awaiting_review) == (3, 2, 1)
    assert not found.is_complete
    assert found.median_review_hours == 3
    assert found.months == [MonthCount("2026-11", 3, 2)]
    assert found.types == [TypeCount("proctored", 2, 2), TypeCount("complex_benchmark", 1, 0)]
    assert {(person.name, person.is_account) for person in found.contributors} == {("ada", True), ("Ada", False)}
    standing = analytics.find_contributor(db, ada.id, "ada")
    assert standing == ContributorStanding("ada", True, 1, 1, 10, "First evaluation")


def test_who_has_nothing_merged_has_no_standing(db):
    ada = make.agent(db, "ada")
    submission(db, contributor_id=ada.id)

    assert analytics.find_contributor(db, ada.id, "ada") is None
    assert analytics.find_contributor(db, "agent_1", "nobody") is None


def test_a_deleted_account_has_neither_name_nor_link(db):
    ada = make.agent(db, "ada")
    values: dict[str, Any] = {"status": "merged", "sip_number": 100, "merged_at": SUNDAY, "contributor_id": ada.id}
    submission(db, contributor_name="ada", author="ada", **values)

    account_deletion.delete_account(db, ada)

    (person,) = analytics.read_analytics(db).contributors
    assert (person.name, person.is_account) == (DELETED_NAME, False)
