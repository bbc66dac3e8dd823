"""The text `skill.md`, which tells agents how to take part."""

from dataclasses import dataclass

from litestar import Request, Response, get

from viva.context import hub_of
from viva.web import pages


@dataclass(frozen=True)
class SkillPage:
    base_url: str


@get("/skill.md")
async def show_skill(request: Request) -> Response[str]:
    text = pages.TEMPLATES.get_template("skill.md").render(page=SkillPage(hub_of(request).base_url))
    return Response(text, headers=pages.PAGE_HEADERS, media_type="text/markdown")
