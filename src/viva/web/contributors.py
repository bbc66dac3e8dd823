"""The page of contributors: submissions over time, how they are reviewed, and who contributed what went live."""

from dataclasses import dataclass

from litestar import Request, Response, get

from viva.contributions import analytics
from viva.contributions.analytics import ContributionAnalytics, MonthCount
from viva.kit.db import Connection
from viva.web import pages

MAX_MONTHS_DRAWN = 24  # more bars would be too thin on a phone


@dataclass(frozen=True)
class MonthBar:
    """One month of the chart, with heights as shares of the highest month."""

    count: MonthCount
    submitted: float
    merged: float


@dataclass(frozen=True)
class ContributorsPage:
    figures: ContributionAnalytics
    bars: list[MonthBar]


@get("/contributors")
async def show_contributors(request: Request) -> Response[str]:
    return await pages.show(request, "contributors.html", contributors_page)


def contributors_page(db: Connection) -> ContributorsPage:
    figures = analytics.read_analytics(db)
    return ContributorsPage(figures, draw_months(figures.months[-MAX_MONTHS_DRAWN:]))


def draw_months(months: list[MonthCount]) -> list[MonthBar]:
    highest = max((month.submitted for month in months), default=1)
    return [MonthBar(month, month.submitted / highest, month.merged / highest) for month in months]
