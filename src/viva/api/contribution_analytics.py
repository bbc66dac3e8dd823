"""The route of figures about contributions."""

from litestar import Router

from viva.api.routing import get
from viva.contributions import analytics
from viva.contributions.analytics import ContributionAnalytics
from viva.kit.db import Connection


@get("/analytics", is_slow=True)
def show_analytics(db: Connection) -> ContributionAnalytics:
    """Show how many evaluations were contributed, how fast they are reviewed, and who contributed them."""
    return analytics.read_analytics(db)


router = Router("/evaluations/contribute", route_handlers=[show_analytics])
