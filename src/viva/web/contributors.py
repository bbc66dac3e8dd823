"""The page of contributors: submissions over time, how they are reviewed, and who contributed what went live."""

from dataclasses import dataclass
from datetime import date

from litestar import Request, Response, get

from viva.contributions import analytics
from viva.contributions.analytics import ContributionAnalytics, MonthCount
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.web import pages

MONTHS_DRAWN = 12  # more bars would be too thin on a phone


@dataclass(frozen=True)
class MonthBar:
    """One month of the chart, with heights as shares of the highest month."""

    name: str
    count: MonthCount
    submitted: float
    merged: float


@dataclass(frozen=True)
class ContributorsPage:
    figures: ContributionAnalytics
    bars: list[MonthBar]  # empty if nothing was submitted in these months
    points_per_evaluation = analytics.POINTS_PER_MERGED_EVALUATION


@get("/contributors")
async def show_contributors(request: Request) -> Response[str]:
    return await pages.show(request, "contributors.html", contributors_page, is_slow=True)


def contributors_page(db: Connection) -> ContributorsPage:
    figures = analytics.read_analytics(db)
    return ContributorsPage(figures, draw_months(figures.months, now().date()))


def draw_months(months: list[MonthCount], today: date) -> list[MonthBar]:
    """The last months up to this one. A month without submissions has a bar without height."""
    counted = {month.month: month for month in months}
    drawn = [months_before(today, number) for number in reversed(range(MONTHS_DRAWN))]
    counts = [counted.get(f"{month:%Y-%m}", MonthCount(f"{month:%Y-%m}", 0, 0)) for month in drawn]
    highest = max(count.submitted for count in counts)
    if not highest:
        return []
    return [
        MonthBar(f"{month:%b}", count, count.submitted / highest, count.merged / highest)
        for month, count in zip(drawn, counts, strict=True)
    ]


def months_before(today: date, number: int) -> date:
    year, month = divmod(today.year * 12 + today.month - 1 - number, 12)
    return date(year, month + 1, 1)
