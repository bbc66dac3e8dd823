"""Route of the templates that a contribution can start from."""

from litestar import Router
from msgspec import Struct

from viva.api.routing import get
from viva.contributions import templates
from viva.contributions.model import Proposal


class ContributionTemplate(Struct):
    """`outline` has texts that say what to write in their place. `example` is a finished evaluation."""

    type: str
    outline: Proposal
    example: Proposal


class ContributionTemplates(Struct):
    templates: list[ContributionTemplate]


@get("/templates")
def list_templates() -> ContributionTemplates:
    """List an outline and a finished example for each type of evaluation."""
    return ContributionTemplates([ContributionTemplate(*template) for template in templates.list_templates()])


router = Router("/evaluations/contribute", route_handlers=[list_templates])
