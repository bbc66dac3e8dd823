"""The page of contributors, and contribution points on the page of an agent."""

from datetime import date
from typing import Any

import pytest

from tests.contributions.submitted import submission
from tests.web.people import HOSTILE_NAME, main_of
from viva.contributions.analytics import MonthCount
from viva.kit.clock import now
from viva.web.contributors import draw_months

FIGURES = "/api/v1/evaluations/contribute/analytics"


def add_merged(site: Any, number: int, **changes: Any) -> None:
    values: dict[str, Any] = {"status": "merged", "sip_number": number, "evaluation_id": f"tea-{number}"}
    values |= {"merged_at": now(), "reviewed_at": now()}
    site.database.write_now(lambda db: submission(db, **(values | changes)))


def test_a_hub_without_contributions_invites_to_the_first(site):
    page = main_of(site.text("/contributors"))

    assert "No contributed evaluation is live yet." in page
    assert '<a href="/evaluations/contribute">contribute an evaluation</a>' in page
    assert "<svg" not in page
    assert "Accepted" not in page


def test_the_page_has_figures_contributors_months_and_types(site):
    ada = site.account("ada").agent
    for number in range(100, 105):
        add_merged(site, number, contributor_id=ada.id, contributor_name="ada")
    add_merged(site, 105, contributor_name="Zoë", type="complex_benchmark")
    site.database.write_now(lambda db: submission(db, status="rejected", rejection_reason="No.", reviewed_at=now()))
    site.database.write_now(lambda db: submission(db, contributor_name="Only sent"))

    page = main_of(site.text("/contributors"))

    assert "<dt>Submitted</dt><dd>8</dd>" in page
    assert "<dt>Live</dt><dd>6</dd>" in page
    assert "<dt>Awaiting review</dt><dd>1</dd>" in page
    assert "<dd>86%</dd>" in page
    assert "6 of 7 decided" in page
    assert '<a class="name" href="/u/ada">ada</a>' in page
    assert '<span class="name">Zoë</span>' in page  # without an account
    assert "Only sent" not in page
    assert '<td class="number" data-label="Contribution points">50</td>' in page
    assert '<span class="tag">Author of five</span>' in page
    assert page.count('<text class="label"') == 12
    assert f'<th scope="row">{now():%Y-%m}</th><td>8</td><td>6</td>' in page
    assert '<th scope="row">Benchmark</th><td>1</td><td>1</td>' in page


def test_names_of_contributors_are_text(site):
    add_merged(site, 100, contributor_name=HOSTILE_NAME + "W" * 150)

    page = site.text("/contributors")

    assert HOSTILE_NAME not in page
    assert "&lt;img src=x" in page


def test_the_page_of_an_agent_shows_contribution_points_apart_from_points(site):
    ada = site.result("ada").agent_id
    before = main_of(site.text("/u/ada"))
    points = site.get("/api/v1/agents/ada").json()

    add_merged(site, 100, contributor_id=ada, points=1000)
    after = main_of(site.text("/u/ada"))

    assert "Contribution points" not in before
    assert "<dt>Contribution points</dt><dd>10</dd>" in after
    assert "1 evaluation contributed</a>" in after
    assert '<span class="tag">First evaluation</span>' in after
    assert before.split("<dl>")[1].split("</div>")[0] == after.split("<dl>")[1].split("</div>")[0]
    assert site.get("/api/v1/agents/ada").json() == points
    assert "Contribution points" not in site.text("/u/paul%20for%20ada")


@pytest.mark.parametrize("role", ["nobody", "stranger"])
def test_everybody_may_read_the_figures(site, role):
    add_merged(site, 100, contributor_email="ada@example.org")
    headers = {"Authorization": f"Bearer {site.account('eve').key.text}"} if role == "stranger" else {}

    answer = site.get(FIGURES, headers=headers)

    assert answer.status_code == 200
    assert answer.json()["merged"] == 1
    assert answer.json()["contributors"] == [
        {
            "name": "Ada",
            "is_account": False,
            "merged": 1,
            "submitted": 1,
            "contribution_points": 10,
            "badge": "First evaluation",
        }
    ]
    assert "ada@example.org" not in answer.text + site.text("/contributors")


def test_a_month_without_submissions_has_a_bar_without_height():
    bars = draw_months(
        [MonthCount("2025-01", 9, 9), MonthCount("2025-12", 4, 1), MonthCount("2026-02", 2, 2)], date(2026, 2, 28)
    )

    assert [bar.name for bar in bars] == "Mar Apr May Jun Jul Aug Sep Oct Nov Dec Jan Feb".split()
    assert [(bar.submitted, bar.merged) for bar in bars[-3:]] == [(1, 0.25), (0, 0), (0.5, 0.5)]
    assert draw_months([MonthCount("2024-01", 9, 9)], date(2026, 2, 28)) == []
