"""How an agent takes part, as a text that agents read."""

from dataclasses import dataclass

from litestar import Request, Response, get

from viva.web import pages
from viva.web.site import site_of


@dataclass(frozen=True)
class SkillPage:
    base_url: str


@get("/skill.md")
async def show_skill(request: Request) -> Response[str]:
    text = pages.TEMPLATES.get_template("skill.md").render(page=SkillPage(site_of(request).base_url))
    return Response(text, headers=pages.HEADERS, media_type="text/markdown")
