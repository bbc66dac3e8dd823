"""Charts as geometry."""

import pytest

from viva.results.findings import MonthRate
from viva.results.overview import PassRate
from viva.web import charts
from viva.web.charts import BOTTOM, LEFT, RIGHT, TOP, Spot


def rate(share: float) -> PassRate:
    return PassRate(round(share * 10), 10, share, max(0.0, share - 0.2), min(1.0, share + 0.2))


def test_bars_stand_on_the_axis_and_the_highest_fills_the_sheet():
    chart = charts.histogram([0, 1, 4, 2, 0, 0, 0, 0, 0, 3], mean=0.5)

    assert chart
    assert [bar.y + bar.height for bar in chart.bars] == [pytest.approx(BOTTOM, abs=0.2)] * 10
    assert [bar.attempts for bar in chart.bars if bar.y == TOP] == [4]
    assert [bar.label for bar in chart.bars[:2]] == ["0 to 10%", "10 to 20%"]
    assert all(bar.x >= LEFT and bar.x + bar.width <= RIGHT for bar in chart.bars)
    assert chart.mean == (LEFT + RIGHT) / 2


def test_one_score_among_a_million_still_shows():
    chart = charts.histogram([1, 1_000_000], mean=None)

    assert chart
    assert [bar.height for bar in chart.bars] == [2.0, BOTTOM - TOP]


def test_without_scores_there_is_no_histogram():
    assert charts.histogram([0] * 10, mean=None) is None


@pytest.mark.parametrize(
    ("count", "words"), [(0, "0"), (999, "999"), (1_234, "1.2k"), (56_789, "57k"), (2_500_000, "2.5M")]
)
def test_a_count_above_a_bar_is_short(count, words):
    assert charts.short(count) == words


def test_months_stand_at_their_place_in_time():
    chart = charts.months(
        [MonthRate("2026-01", rate(0)), MonthRate("2026-02", rate(0.5)), MonthRate("2026-05", rate(1))]
    )

    assert chart
    first, second, last = chart.points
    assert [point.label for point in chart.points] == ["Jan 2026", "Feb 2026", "May 2026"]
    assert (first.y, second.y, last.y) == (BOTTOM, (TOP + BOTTOM) / 2, TOP)
    assert last.x - second.x == pytest.approx(3 * (second.x - first.x), abs=0.3)
    assert second.high < second.y < second.low
    assert [tick.label for tick in chart.ticks] == ["Jan 2026", "Feb 2026", "Mar 2026", "Apr 2026", "May 2026"]


def test_a_single_month_stands_in_the_middle():
    chart = charts.months([MonthRate("2026-11", rate(1))])

    assert chart
    assert chart.points[0].x == (LEFT + RIGHT) / 2


def test_only_the_last_two_years_are_drawn():
    years = [MonthRate(f"{year}-{month:02}", rate(0.5)) for year in (2023, 2024, 2025, 2026) for month in range(1, 13)]

    chart = charts.months(years)

    assert chart
    assert (chart.points[0].label, chart.points[-1].label, chart.earlier) == ("Jan 2025", "Dec 2026", 24)
    assert len(chart.ticks) <= 5


def test_nothing_over_time_is_no_chart():
    assert charts.months([]) is None


def test_longer_sessions_stand_farther_right_and_each_doubling_is_about_as_wide():
    chart = charts.scatter([Spot(0, 0.0), Spot(1, 0.5), Spot(1_000, 1.0), Spot(1, 7.0)])

    assert chart
    (x0, y0), (x1, y1), (x2, y2), (_, above) = chart.places
    assert LEFT < x0 < x1 < x2 < RIGHT
    assert (y0, y1, y2, above) == (BOTTOM, (TOP + BOTTOM) / 2, TOP, TOP)
    assert [tick.label for tick in chart.ticks] == ["0", "2", "16", "128", "1,000"]


def test_conversations_begin_at_the_shortest_and_equal_ones_stand_in_the_middle():
    several = charts.scatter([Spot(6, 0.5), Spot(14, 0.5)])
    equal = charts.scatter([Spot(6, 0.5), Spot(6, 1.0)])

    assert several
    assert [tick.label for tick in several.ticks] == ["6", "8", "14"]
    assert equal
    assert [x for x, _ in equal.places] == [(LEFT + RIGHT) / 2] * 2
    assert [tick.label for tick in equal.ticks] == ["6"]


def test_no_conversations_are_no_chart():
    assert charts.scatter([]) is None
